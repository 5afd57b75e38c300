/* Names of tt-llk and tt-metal as aliases of ours, so that code written with them builds here: the examples of texts
 * about Blackhole, and small kernels. Names of groups are in llk.def:
 *
 *     C++   p_stall::STALL_CFG   semaphore::MATH_PACK   p_gpr_pack::TMP0       also as ckernel::p_stall::STALL_CFG
 *     C     p_stall_STALL_CFG    semaphore_MATH_PACK    p_gpr_pack_TMP0
 *     both  STALL_CFG, THCON, MATH and so on: the names of p_stall exist without the group, too
 *
 * Functions that are templates in tt-llk take the arguments of the template first in C:
 *
 *     C++   t6_semaphore_post<p_stall::MATH>(semaphore::MATH_PACK);
 *     C     t6_semaphore_post(p_stall_MATH, semaphore_MATH_PACK);
 *
 * After this header, TTI_NOP and the other instructions without operands need no parentheses, and may have them.
 * Values are those of Blackhole, whatever a text says (docs/seeds.md). Not here: tt-llk's library itself, and
 * <field>_RMW, for which there is TT_CFG_RMW(field). */
#ifndef BHEMU_GUEST_LLK_H
#define BHEMU_GUEST_LLK_H

#include "isa/overlay.h"
#include "kit/config.h"

/* ---- Addresses ---------------------------------------------------------------------------------------------- */
__extension__ enum {
    REGFILE_BASE = MAP_GPR,
    INSTRN_BUF_BASE = MAP_PUSH0, /* for a TRISC: its own thread; for BRISC: T0, with T1 and T2 one and two strides on */
    INSTRN1_BUF_BASE = MAP_PUSH1,
    INSTRN2_BUF_BASE = MAP_PUSH2,
    INSTRN_BUF_STRIDE = MAP_PUSH1 - MAP_PUSH0,
    PC_BUF_BASE = MAP_PCBUF0,
    PC1_BUF_BASE = MAP_PCBUF1,
    PC2_BUF_BASE = MAP_PCBUF2,
    TENSIX_MAILBOX0_BASE = MAP_MAILBOX_B,
    TENSIX_MAILBOX1_BASE = MAP_MAILBOX_T0,
    TENSIX_MAILBOX2_BASE = MAP_MAILBOX_T1,
    TENSIX_MAILBOX3_BASE = MAP_MAILBOX_T2,
    TENSIX_CFG_BASE = MAP_CFG,
    TENSIX_MOP_CFG_BASE = MAP_MOP,
    RISCV_TDMA_REGS_START_ADDR = MAP_TDMA,
    RISCV_DEBUG_REGS_START_ADDR = MAP_CONTROL,
    NOC_OVERLAY_START_ADDR = MAP_OVERLAY,
    NOC_STREAM_REG_SPACE_SIZE = OVERLAY_STREAM_SIZE,
};

/* RISCV_TDMA_REG_XMOV_SIZE, RISCV_DEBUG_REG_SOFT_RESET_0, ... */
#define LLK_REG_TDMA(name)                              RISCV_TDMA_REG_##name
#define LLK_REG_CONTROL(name)                           RISCV_DEBUG_REG_##name
#define REG(block, offset, name, class, reset, meaning) __extension__ enum { LLK_REG_##block(name) = REG_##name };
#define REG_ALIAS(block, offset, name, of)              __extension__ enum { LLK_REG_##block(name) = REG_##name };
#include "isa/regs.def"
#undef LLK_REG_TDMA
#undef LLK_REG_CONTROL
__extension__ enum { RISCV_TDMA_REG_INITIAL_PACK_ACC = REG_ACC_PACKED_SIZE };

/* STREAM_CURR_PHASE_REG_INDEX, ... */
#define LLK_STREAM(name, ...) STREAM_##name##_REG_INDEX = OVERLAY_##name,
enum { OVERLAY_STORED(LLK_STREAM) OVERLAY_SHOWN(LLK_STREAM) OVERLAY_UNMODELLED(LLK_STREAM) };
#undef LLK_STREAM
#define STREAM_REG_ADDR(stream, index) \
    (NOC_OVERLAY_START_ADDR + NOC_STREAM_REG_SPACE_SIZE * (uint32_t)(stream) + 4u * (uint32_t)(index))
#define NOC_STREAM_READ_REG(stream, index)         reg_read(STREAM_REG_ADDR(stream, index))
#define NOC_STREAM_WRITE_REG(stream, index, value) reg_write(STREAM_REG_ADDR(stream, index), value)

/* ---- SOFT_RESET_0 ------------------------------------------------------------------------------------------- */
enum {
    SOFT_RESET_NONE = 0,
    SOFT_RESET_ALL = RESET_BRISC | RESET_TRISC0 | RESET_TRISC1 | RESET_TRISC2 | RESET_NCRISC,
    SOFT_RESET_BRISC_ONLY_RUN = SOFT_RESET_ALL & ~RESET_BRISC,
    RISCV_SOFT_RESET_0_NONE = 0,
    RISCV_SOFT_RESET_0_BRISC = RESET_BRISC,
    RISCV_SOFT_RESET_0_NCRISC = RESET_NCRISC,
    RISCV_SOFT_RESET_0_TRISCS = RESET_TRISC0 | RESET_TRISC1 | RESET_TRISC2,
    SOFT_RESET_MOVER = 1 << 6,
    SOFT_RESET_SEARCH = 1 << 7, /* a part of the unpackers on Blackhole */
    SOFT_RESET_GLUE = 1 << 8,   /* TDMA-RISC */
    SOFT_RESET_THCON = 1 << 9,
    SOFT_RESET_FPU = 1 << 10,
    SOFT_RESET_SRCA_REG = 1 << 15,
    SOFT_RESET_SRCB_REG = 1 << 16,
    SOFT_RESET_DEST_REG = 1 << 17,
};
#define SOFT_RESET_UNPACKER(mask)  (((mask)&3) << 0)
#define SOFT_RESET_PACKER(mask)    (((mask)&15) << 2)
#define SOFT_RESET_RISC_CTRL(mask) (((mask)&15) << 11) /* BRISC and the TRISCs */

/* ---- Operands ----------------------------------------------------------------------------------------------- */
/* REG2FLOP: the target; on Blackhole 2 and 3 are address counters. */
enum { REG2FLOP_TARGET_TDMA = 0, REG2FLOP_TARGET_LOCAL_REGS = 1, REG2FLOP_TARGET_ADDR_CNTRS = 2 };

/* Halves of a GPR, as SETDMAREG numbers them, and halves of a value. */
#define LO_16(REG)        (2 * (REG))
#define HI_16(REG)        (2 * (REG) + 1)
#define LOWER_HALFWORD(x) ((x)&0xFFFF)
#define UPPER_HALFWORD(x) ((x) >> 16)

/* Names without their group. */
enum {
#define LLK_BARE(group, name, value) name = (value),
#include "llk.def"
};

#ifdef __cplusplus
namespace ckernel {
#define LLK_OURS(name)               ::name
#define LLK_GROUP(group)             struct group {
#define LLK_NAME(group, name, value) static constexpr uint32_t name = (value);
#define LLK_END(group, functions) \
    functions \
    } \
    ;
#define LLK_T6_SEM \
    static constexpr uint32_t t6_sem(uint32_t index) { \
        return 1u << index; \
    }
#include "llk.def"
#undef LLK_OURS
#undef LLK_T6_SEM
} // namespace ckernel
#else
#define LLK_OURS(name)               name
enum {
#define LLK_NAME(group, name, value) group##_##name = (value),
#include "llk.def"
};
#undef LLK_OURS
#endif

/* Returns the bit of a semaphore in an operand. */
TT_CONSTANT uint32_t t6_sem(uint32_t index) {
    return 1u << index;
}

/* ---- Functions of cores ------------------------------------------------------------------------------------- */
#define LLK_POINTER __attribute__((unused)) static volatile uint32_t *const
LLK_POINTER instrn_buffer = (volatile uint32_t *)(uintptr_t)INSTRN_BUF_BASE;
LLK_POINTER pc_buf_base = (volatile uint32_t *)(uintptr_t)PC_BUF_BASE;
LLK_POINTER regfile = (volatile uint32_t *)(uintptr_t)REGFILE_BASE;
#undef LLK_POINTER
enum { PC_BUF_SEMAPHORE_BASE = (MAP_SEMAPHORES - MAP_PCBUF0) / 4 };

#define INSTRUCTION_WORD(word) TT_EMIT(word)

static inline void riscv_wait(uint32_t cycles) {
    uint64_t end = wall_clock() + cycles;
    while (wall_clock() < end)
        ;
}

/* Waits until a GPR that the core has stored to is visible to instructions that are pushed later. */
static inline void sync_regfile_write(uint32_t index) {
    __asm__ volatile("" : : "r"(regfile[index]) : "memory");
}

/* ---- Functions of threads, in the order of their instructions --------------------------------------------------- */
TT_INLINE void llk_semaphore_post(uint32_t wait, uint32_t index) {
    if (wait)
        TTI_STALLWAIT(STALL_SYNC, wait);
    TTI_SEMPOST(t6_sem(index));
}

TT_INLINE void llk_semaphore_get(uint32_t wait, uint32_t index) {
    if (wait)
        TTI_STALLWAIT(STALL_SYNC, wait);
    TTI_SEMGET(t6_sem(index));
}

TT_INLINE void t6_semaphore_init(uint32_t index, uint32_t value, uint32_t maximum) {
    TTI_SEMINIT(maximum, value, t6_sem(index));
}

TT_INLINE void t6_mutex_acquire(uint32_t index) {
    TTI_ATGETM(index);
}

TT_INLINE void t6_mutex_release(uint32_t index) {
    TTI_ATRELM(index);
}

#ifdef __cplusplus
template <uint32_t wait = 0> TT_INLINE void t6_semaphore_post(uint32_t index) {
    llk_semaphore_post(wait, index);
}

template <uint32_t wait = 0> TT_INLINE void t6_semaphore_get(uint32_t index) {
    llk_semaphore_get(wait, index);
}

template <uint32_t stall> TT_INLINE void t6_semaphore_wait_on_max(uint32_t index) {
    TTI_SEMWAIT(stall, t6_sem(index), WHILE_MAXIMUM);
}

template <uint32_t stall> TT_INLINE void t6_semaphore_wait_on_zero(uint32_t index) {
    TTI_SEMWAIT(stall, t6_sem(index), WHILE_ZERO);
}

template <uint32_t word, uint32_t shift, uint32_t mask> TT_INLINE void cfg_reg_rmw_tensix(uint32_t value) {
    config_set(word, mask, value << shift);
}
#else
TT_INLINE void t6_semaphore_post(uint32_t wait, uint32_t index) {
    llk_semaphore_post(wait, index);
}

TT_INLINE void t6_semaphore_get(uint32_t wait, uint32_t index) {
    llk_semaphore_get(wait, index);
}

TT_INLINE void t6_semaphore_wait_on_max(uint32_t stall, uint32_t index) {
    TTI_SEMWAIT(stall, t6_sem(index), WHILE_MAXIMUM);
}

TT_INLINE void t6_semaphore_wait_on_zero(uint32_t stall, uint32_t index) {
    TTI_SEMWAIT(stall, t6_sem(index), WHILE_ZERO);
}

TT_INLINE void cfg_reg_rmw_tensix(uint32_t word, uint32_t shift, uint32_t mask, uint32_t value) {
    config_set(word, mask, value << shift);
}
#endif

#ifdef __cplusplus
namespace ckernel {
using ::cfg_reg_rmw_tensix;
using ::instrn_buffer;
using ::mop_sync;
using ::pc_buf_base;
using ::PC_BUF_SEMAPHORE_BASE;
using ::reg_read;
using ::reg_write;
using ::regfile;
using ::semaphore_get;
using ::semaphore_post;
using ::semaphore_read;
using ::sync_regfile_write;
using ::t6_mutex_acquire;
using ::t6_mutex_release;
using ::t6_semaphore_get;
using ::t6_semaphore_init;
using ::t6_semaphore_post;
using ::t6_semaphore_wait_on_max;
using ::t6_semaphore_wait_on_zero;
using ::tensix_sync;
} // namespace ckernel
using namespace ckernel;
#endif

/* ---- Instructions without operands -------------------------------------------------------------------------- */
/* llk_NOP() puts the instruction into the stream and returns a function that does nothing, so that both `TTI_NOP;` and
 * `TTI_NOP();` make one instruction. */
typedef void (*llk_nothing)(void);
static inline void llk_do_nothing(void) {
}
#define LLK_ALONE(name) \
    TT_INLINE llk_nothing llk_##name(void) { \
        TTI_##name(); \
        return llk_do_nothing; \
    }
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    TENSIX_IF_NONE(LLK_ALONE(name), __VA_ARGS__)
#include "isa/tensix.def"
#undef LLK_ALONE

/* The words as tt-llk writes them; the assertion checks that they are those of the table. */
#ifdef __cplusplus
#define LLK_ASSERT static_assert
#else
#define LLK_ASSERT _Static_assert
#endif
#define TT_OP_CLREXPHIST TT_OP(0x21, 0)
#define TT_OP_DMANOP     TT_OP(0x60, 0)
#define TT_OP_NOP        TT_OP(0x02, 0)
#define TT_OP_RAREB      TT_OP(0x15, 0)
#define TT_OP_RSTDMA     TT_OP(0x44, 0)
#define TT_OP_SFPNOP     TT_OP(0x8f, 0)
#define TT_OP_TBUFCMD    TT_OP(0x4b, 0)
#define TT_OP_TRNSPSRCA  TT_OP(0x14, 0)
#define TT_OP_TRNSPSRCB  TT_OP(0x16, 0)
#define LLK_SAME(name)   TT_OP_##name == TT_OP(name)
LLK_ASSERT(LLK_SAME(CLREXPHIST) && LLK_SAME(DMANOP) && LLK_SAME(NOP) && LLK_SAME(RAREB) && LLK_SAME(RSTDMA) &&
               LLK_SAME(SFPNOP) && LLK_SAME(TBUFCMD) && LLK_SAME(TRNSPSRCA) && LLK_SAME(TRNSPSRCB),
           "an opcode is not the table's");
#undef LLK_SAME
#undef LLK_ASSERT
#define TTI_CLREXPHIST llk_CLREXPHIST()
#define TTI_DMANOP     llk_DMANOP()
#define TTI_NOP        llk_NOP()
#define TTI_RAREB      llk_RAREB()
#define TTI_RSTDMA     llk_RSTDMA()
#define TTI_SFPNOP     llk_SFPNOP()
#define TTI_TBUFCMD    llk_TBUFCMD()
#define TTI_TRNSPSRCA  llk_TRNSPSRCA()
#define TTI_TRNSPSRCB  llk_TRNSPSRCB()

#endif
