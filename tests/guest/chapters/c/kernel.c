/* The same names in C: groups with an underscore, arguments of templates first, and bare. */
#include "check.h"

_Static_assert(p_stall_STALL_CFG == 0x80 && p_stall_STALL_THCON == 0x20 && p_stall_STALL_XMOV == 0x10, "");
_Static_assert(STALL_CFG == 0x80 && STALL_THCON == 0x20 && STALL_XMOV == 0x10 && STALL_THREAD == 0x1FF, "");
_Static_assert(THCON == 1 && UNPACK == 6 && PACK == 8 && MATH == 0x10 && SRCA_CLR == 0x20 && SRCB_CLR == 0x40, "");
_Static_assert(SRCA_VLD == 0x80 && SRCB_VLD == 0x100 && XMOV == 0x200 && TRISC_CFG == 0x400 && WAIT_SFPU == 0x800, "");
_Static_assert(CFGEXU == 0x1000 && ALL_THREAD_RES == 0x21F && STALL_ON_ZERO == 1 && STALL_ON_MAX == 2, "");
_Static_assert(p_stall_SEMAPHORE_7 == 0x80 && p_stall_SEMAPHORE_BIAS == 0x10 && p_gpr_pack_OUTPUT_ADDR == 12, "");
_Static_assert(p_gpr_unpack_OPERAND_BASE_ADDR == 4 && p_gpr_unpack_OPERAND_OFFSET_ADDR == 5, "");
_Static_assert(p_gpr_unpack_TMP0 == 12 && p_gpr_math_TMP0 == 60 && p_gpr_math_DEST_OP0_BASE == 48 &&
                   p_gpr_pack_TMP0 == 28,
               "");

enum { VALUE = 0x1234ABCD };

/* T0 loads a constant and tells T1. */
int trisc0(void) {
    TT_SETDMAREG(0, LOWER_HALFWORD(VALUE), 0, LO_16(p_gpr_unpack_TMP0));
    TT_SETDMAREG(0, UPPER_HALFWORD(VALUE), 0, HI_16(p_gpr_unpack_TMP0));
    TTI_STALLWAIT(STALL_CFG, THCON);
    TTI_WRCFG(p_gpr_unpack_TMP0, p_cfg_WRCFG_32b, SCRATCH_SEC0_val_ADDR32);
    TTI_NOP;
    TTI_NOP;
    TTI_STALLWAIT(STALL_SYNC, CFGEXU);
    t6_semaphore_post(p_stall_UNPACK0, semaphore_UNPACK_TO_DEST);
    tensix_sync();
    return 0;
}

int trisc1(void) {
    t6_mutex_acquire(mutex_REG_RMW);
    t6_semaphore_wait_on_zero(p_stall_STALL_SYNC | p_stall_STALL_CFG, semaphore_UNPACK_TO_DEST);
    TTI_RDCFG(p_gpr_math_TMP0, SCRATCH_SEC0_val_ADDR32);
    t6_semaphore_get(p_stall_MATH | p_stall_WAIT_SFPU, semaphore_UNPACK_TO_DEST);
    t6_mutex_release(mutex_REG_RMW);
    cfg_reg_rmw_tensix(SCRATCH_SEC1_val_ADDR32, 8, 0xFF00, 0x5A);
    tensix_sync();
    CHECK(regfile[p_gpr_math_TMP0] == VALUE);
    CHECK((config_read(SCRATCH_SEC1_val_ADDR32) & 0xFF00) == 0x5A00);
    CHECK(semaphore_read(semaphore_UNPACK_TO_DEST) == 0);
    __asm__ volatile(".ttinsn %0" : : "i"(TT_OP(0x45, (7 << 8) + LO_16(3))));
    INSTRUCTION_WORD(TT_OP_DMANOP);
    instrn_buffer[0] = TT_OP_NOP;
    tensix_sync();
    CHECK((regfile[3] & 0xFFFF) == 7);
    t6_semaphore_init(semaphore_UNPACK_TO_DEST, 0, 1);
    t6_semaphore_wait_on_max(p_stall_STALL_SYNC, semaphore_UNPACK_TO_DEST); /* 0 is not the maximum */
    tensix_sync();
    return 0;
}
