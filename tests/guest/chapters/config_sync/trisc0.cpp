// Examples of the chapter on instructions that synchronise configuration.
#include "check.h"

static_assert(TT_OP(0xb8, (1 << 23) + (3 << 20) + (31 << 15) + (0 << 10) + (3 << 8) + 76) == TT_OP_CFGSHIFTMASK(1, 3, 31, 0, 3, 76), "");
static_assert(TT_OP(0x48, (1 << 22) + (2 << 20) + (1 << 18) + (1 << 16) + (4 << 6) + 9) == TT_OP_REG2FLOP(1, 2, 1, 1, 4, 9), "");
static_assert(TT_OP(0xa7, (0x80 << 15) + (5 << 4) + (1 << 3) + 2) == TT_OP_STREAMWAIT(0x80, 5, 1, 2), "");
static_assert(TT_OP(0xb7, (1 << 21) + (259 << 11) + 12) == TT_OP_STREAMWRCFG(1, 259, 12), "");
static_assert(REG2FLOP_TARGET_TDMA == 0 && REG2FLOP_TARGET_LOCAL_REGS == 1 && REG2FLOP_TARGET_ADDR_CNTRS == 2, "");
static_assert(STREAM_CURR_PHASE_REG_INDEX == 29 && STREAM_NUM_MSGS_RECEIVED_REG_INDEX == 259, "");

static int cfgshiftmask() {
    config_write(SCRATCH_SEC0_val_ADDR32, 0x100);
    config_write(THCON_SEC0_REG3_Base_address_ADDR32, 0x5000);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::TRISC_CFG);
    TTI_CFGSHIFTMASK(1, 0b011, 32 - 1, 0, 0b11, THCON_SEC0_REG3_Base_address_ADDR32);
    tensix_sync();
    CHECK(config_read(THCON_SEC0_REG3_Base_address_ADDR32) == 0x5100);
    return 0;
}

static int reg2flop() {
    config_write(THCON_CFGREG_BASE_ADDR32 + 4, 0);
    gpr_set(p_gpr_unpack::TMP0, 0x87654321);
    TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::TRISC_CFG);
    TTI_REG2FLOP(p_ind::LD_32bit, REG2FLOP_TARGET_TDMA, 0, 0, 4, p_gpr_unpack::TMP0);
    tensix_sync();
    CHECK(config_read(THCON_CFGREG_BASE_ADDR32 + 4) == 0x87654321);
    return 0;
}

// T0 waits for the phase of a stream that its own core advances.
static int streams() {
    enum { STREAM = 5 };
    NOC_STREAM_WRITE_REG(STREAM, STREAM_CURR_PHASE_REG_INDEX, 3);
    TTI_SETC16(STREAM_ID_SYNC_SEC0_BankSel_ADDR32, STREAM);
    TTI_SETC16(STREAMWAIT_PHASE_HI_Val_ADDR32, 0);
    config_write(SCRATCH_SEC1_val_ADDR32, 0);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::TRISC_CFG);
    TTI_STREAMWAIT(p_stall::STALL_CFG, 4, 0, 0);
    TTI_STREAMWRCFG(0, STREAM_CURR_PHASE_REG_INDEX, SCRATCH_SEC1_val_ADDR32);
    riscv_wait(200);
    // The other name of the configuration, which does not wait for the thread.
    reg_write(RISCV_DEBUG_REG_TENSIX_CREG_READ, SCRATCH_SEC1_val_ADDR32);
    CHECK(reg_read(RISCV_DEBUG_REG_TENSIX_CREG_RDDATA) == 0);
    NOC_STREAM_WRITE_REG(STREAM, STREAM_CURR_PHASE_REG_INDEX, 4);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::CFGEXU);
    tensix_sync();
    CHECK(config_read(SCRATCH_SEC1_val_ADDR32) == 4);
    CHECK(NOC_STREAM_READ_REG(STREAM, STREAM_CURR_PHASE_REG_INDEX) == 4);
    return 0;
}

int main() {
    int line = cfgshiftmask();
    if (!line)
        line = reg2flop();
    return line ? line : streams();
}
