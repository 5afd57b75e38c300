// Examples of the chapter on GPRs and DMA instructions, on the pack thread.
#include "check.h"

extern "C" void example_zero_gprs(void);
extern "C" void example_sequence(uint32_t push_address);
extern "C" void example_direct_write(void);

GUEST_L1 __attribute__((aligned(16))) volatile uint32_t header[8];
GUEST_L1 __attribute__((aligned(16))) volatile uint32_t source[4] = { 0x11111111, 0x22222222, 0x33334444, 0x55667788 };

// The encoders, from the chapter's numbers: the same words as from the table.
#define FIELD(value, low) ((value) << (low))
static_assert(TT_OP(0x45, FIELD(1, 22) + FIELD(0x1234, 8) + FIELD(1, 7) + 57) == TT_OP_SETDMAREG(1, 0x1234, 1, 57), "");
static_assert(TT_OP(0x58, FIELD(1, 23) + FIELD(3, 12) + FIELD(2, 6) + 1) == TT_OP_ADDDMAREG(1, 3, 2, 1), "");
static_assert(TT_OP(0x5a, FIELD(1, 23) + FIELD(3, 12) + FIELD(2, 6) + 1) == TT_OP_MULDMAREG(1, 3, 2, 1), "");
static_assert(TT_OP(0x49, FIELD(1, 22) + FIELD(5, 14) + FIELD(2, 12) + FIELD(9, 6) + 4) == TT_OP_LOADIND(1, 5, 2, 9, 4), "");
static_assert(TT_OP(0x66, FIELD(1, 23) + FIELD(1, 22) + FIELD(1, 21) + FIELD(5, 14) + FIELD(2, 12) + FIELD(9, 6) + 4) ==
                  TT_OP_STOREIND(1, 1, 1, 5, 2, 9, 4), "");
static_assert(TT_OP(0xb0, FIELD(28, 16) + FIELD(1, 15) + 12) == TT_OP_WRCFG(28, 1, 12), "");
static_assert(TT_OP(0xb1, FIELD(28, 16) + 12) == TT_OP_RDCFG(28, 12), "");
static_assert(TT_OP(0xb2, FIELD(41, 16) + 0x104) == TT_OP_SETC16(41, 0x104), "");
static_assert(TT_OP(0xb3, FIELD(0xF0, 16) + FIELD(0x50, 8) + 3) == TT_OP_RMWCIB0(0xF0, 0x50, 3), "");
static_assert(TT_OP(0xb4, FIELD(0xF0, 16) + FIELD(0x50, 8) + 3) == TT_OP_RMWCIB1(0xF0, 0x50, 3), "");
static_assert(TT_OP(0xb5, FIELD(0xF0, 16) + FIELD(0x50, 8) + 3) == TT_OP_RMWCIB2(0xF0, 0x50, 3), "");
static_assert(TT_OP(0xb6, FIELD(0xF0, 16) + FIELD(0x50, 8) + 3) == TT_OP_RMWCIB3(0xF0, 0x50, 3), "");
static_assert(TT_OP_DMANOP == 0x60000000 && TT_OP_NOP == 0x02000000, "");
static_assert(p_ind::HIER_L1 == 1 && p_ind::INC_NONE == 0 && p_ind::INC_2B == 1 && p_ind::INC_4B == 2 && p_ind::INC_16B == 3, "");
static_assert(p_ind::LD_16B == 0 && p_ind::LD_32bit == 1 && p_ind::LD_16bit == 2 && p_ind::LD_8bit == 3, "");
static_assert(p_gpr::ZERO == 0 && p_gpr::DBG_RESERVED == 1 && p_gpr::DBG_MSG == 2 && p_gpr::DBG_CKID == 3, "");
static_assert(REGFILE_BASE == 0xFFE00000 && TENSIX_CFG_BASE == 0xFFEF0000, "");

enum { A = 20, B = 21, SUM = 22, PRODUCT = 23 };

static void load(uint32_t gpr, uint32_t value) {
    TT_SETDMAREG(0, LOWER_HALFWORD(value), 0, LO_16(gpr));
    TT_SETDMAREG(0, UPPER_HALFWORD(value), 0, HI_16(gpr));
}

static int arithmetic() {
    load(A, 0xFFFF0003);
    load(B, 0x00020005);
    TT_ADDDMAREG(0, SUM, B, A);
    TT_MULDMAREG(0, PRODUCT, B, A);
    TTI_DMANOP;
    tensix_sync();
    CHECK(regfile[SUM] == 0x00010008);
    CHECK(regfile[PRODUCT] == 15);
    TT_ADDDMAREG(1, SUM, 63, A);
    TTI_BITWOPDMAREG(0, p_alu::XOR, PRODUCT, B, A);
    tensix_sync();
    CHECK(regfile[SUM] == 0xFFFF0003 + 63);
    CHECK(regfile[PRODUCT] == (0xFFFF0003 ^ 0x00020005));
    // Packer state, in the form with signals: all-zero flags of a packer that has packed nothing.
    TT_SETDMAREG(1, ((1 << 7) + (1 << 3) + 0), 1, LO_16(SUM));
    tensix_sync();
    CHECK(regfile[SUM] == 0);
    return 0;
}

// A tile header of four GPRs to L1, and words of L1 to GPRs.
static int indirect() {
    load(p_gpr_pack::OUTPUT_ADDR, (uint32_t)(uintptr_t)header >> 4);
    for (unsigned i = 0; i < 4; i++)
        load(p_gpr_pack::TILE_HEADER + i, 0x1000 + i);
    load(0, 0);
    TTI_STOREIND(1, 0, p_ind::LD_16B, LO_16(0), p_ind::INC_NONE, p_gpr_pack::TILE_HEADER, p_gpr_pack::OUTPUT_ADDR);
    tensix_sync();
    for (unsigned i = 0; i < 4; i++)
        CHECK(header[i] == 0x1000 + i);
    load(A, (uint32_t)(uintptr_t)source >> 4);
    load(B, 4);
    TTI_LOADIND(p_ind::LD_32bit, LO_16(B), p_ind::INC_4B, p_gpr_pack::TMP0, A);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_pack::TMP0, p_cfg::WRCFG_32b, SCRATCH_SEC2_val_ADDR32);
    TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::THCON);
    TTI_LOADIND(p_ind::LD_16bit, LO_16(B), p_ind::INC_NONE, SUM, A);
    tensix_sync();
    CHECK(config_read(SCRATCH_SEC2_val_ADDR32) == 0x22222222);
    CHECK((regfile[SUM] & 0xFFFF) == 0x4444);
    CHECK(regfile[B] == 8);
    return 0;
}

static int configuration() {
    uint32_t value = 0xCAFE1234;
    TT_SETDMAREG(0, LOWER_HALFWORD(value), 0, LO_16(p_gpr_pack::TMP0));
    TT_SETDMAREG(0, UPPER_HALFWORD(value), 0, HI_16(p_gpr_pack::TMP0));
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_pack::TMP0, p_cfg::WRCFG_32b, SCRATCH_SEC0_val_ADDR32);
    TTI_NOP;
    TTI_NOP;
    TTI_RDCFG(p_gpr_pack::TMP1, SCRATCH_SEC0_val_ADDR32);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::CFGEXU);
    TTI_WRCFG(p_gpr_pack::TMP1, p_cfg::WRCFG_32b, SCRATCH_SEC1_val_ADDR32);
    tensix_sync();
    CHECK(config_read(SCRATCH_SEC0_val_ADDR32) == value);
    CHECK(config_read(SCRATCH_SEC1_val_ADDR32) == value);

    uint32_t dst_index = 64;
    TT_SETC16(CFG_STATE_ID_StateID_ADDR32, 0);
    TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, dst_index);
    TT_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x0104);
    tensix_sync();
    CHECK(thread_config(2, CFG_STATE_ID_StateID_ADDR32) == 0);
    CHECK(thread_config(2, DEST_TARGET_REG_CFG_MATH_Offset_ADDR32) == 64);
    CHECK(thread_config(2, UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32) == 0x0104);

    config_write(SCRATCH_SEC0_val_ADDR32, 0x11223344);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::TRISC_CFG);
    cfg_reg_rmw_tensix<SCRATCH_SEC0_val_ADDR32, 4, 0x00FFF0F0>(0xABCDE);
    tensix_sync();
    CHECK(config_read(SCRATCH_SEC0_val_ADDR32) == ((0x11223344 & ~0x00FFF0F0u) | (0xABCDE0 & 0x00FFF0F0)));
    return 0;
}

// Stores to GPRs before instructions that read them: a wait for the core's requests, or a load back.
static int direct_writes() {
    regfile[A] = 0x600D0001;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::TRISC_CFG);
    TTI_WRCFG(A, p_cfg::WRCFG_32b, SCRATCH_SEC0_val_ADDR32);
    regfile[B] = 0x600D0002;
    sync_regfile_write(B);
    TTI_WRCFG(B, p_cfg::WRCFG_32b, SCRATCH_SEC1_val_ADDR32);
    tensix_sync();
    CHECK(config_read(SCRATCH_SEC0_val_ADDR32) == 0x600D0001);
    CHECK(config_read(SCRATCH_SEC1_val_ADDR32) == 0x600D0002);
    return 0;
}

static int assembler() {
    for (unsigned i = 0; i < 64; i++)
        regfile[i] = ~i;
    example_zero_gprs();
    for (unsigned i = 0; i < 64; i++)
        CHECK(regfile[i] == 0);
    // The chapter's address for T2 is BRISC's; a TRISC reaches its own thread at the first one.
    example_sequence(INSTRN_BUF_BASE);
    tensix_sync();
    CHECK(regfile[28] == 0x00200000 && regfile[29] == 0x08000200); // sixteen times the chapter's remarks
    CHECK(config_read(12) == 0x00200000 && config_read(13) == 0x08000200);
    example_direct_write();
    CHECK(regfile[16] == 0x800 && regfile[17] == 0 && regfile[18] == 0 && regfile[19] == 0);
    return 0;
}

int main() {
    int (*const parts[])() = { arithmetic, indirect, configuration, direct_writes, assembler };
    for (auto part : parts)
        if (int line = part())
            return line;
    return 0;
}
