// Examples of the chapter on registers: switches of the core, clock, resets, clock gates.
#include "check.h"

static_assert(SOFT_RESET_ALL == 0x47800 && SOFT_RESET_BRISC_ONLY_RUN == 0x47000 && SOFT_RESET_NONE == 0, "");
static_assert(SOFT_RESET_MOVER == 0x40 && SOFT_RESET_SEARCH == 0x80 && SOFT_RESET_GLUE == 0x100 && SOFT_RESET_THCON == 0x200, "");
static_assert(SOFT_RESET_FPU == 0x400 && SOFT_RESET_SRCA_REG == 0x8000 && SOFT_RESET_SRCB_REG == 0x10000, "");
static_assert(SOFT_RESET_DEST_REG == 0x20000 && SOFT_RESET_PACKER(15) == 0x3C && SOFT_RESET_UNPACKER(3) == 3, "");
static_assert(RISCV_DEBUG_REG_SOFT_RESET_0 == 0xFFB121B0 && RISCV_DEBUG_REG_WALL_CLOCK_L == 0xFFB121F0, "");
static_assert(RISCV_DEBUG_REG_TRISC0_RESET_PC == 0xFFB12228 && RISCV_DEBUG_REG_NCRISC_RESET_PC_OVERRIDE == 0xFFB1223C, "");
static_assert(RISCV_TDMA_REG_CLK_GATE_EN == 0xFFB11024, "Blackhole's place, not the chapter's");
static_assert(SOFT_RESET_RISC_CTRL(15) == (RISCV_SOFT_RESET_0_BRISC | RISCV_SOFT_RESET_0_TRISCS), "");

static void configure_csr() {
    __asm__ volatile("csrrs zero, 0x7c0, 2\n\t"
                     "csrrs zero, 0x7c0, %0\n\t" // 1 << 18 does not fit into the instruction
                     "csrrc zero, 0x7c0, 2\n\t"
                     "csrrs zero, 0x7c0, 8"
                     :
                     : "r"(1 << 18));
}

int main() {
    configure_csr();
    uint32_t cfg0;
    __asm__ volatile("csrr %0, 0x7c0" : "=r"(cfg0));
    CHECK((cfg0 & (1 << 18 | 1 << 3 | 1 << 1)) == (1 << 18 | 1 << 3));

    CHECK(reg_read(RISCV_DEBUG_REG_SOFT_RESET_0) == SOFT_RESET_BRISC_ONLY_RUN);
    reg_write(RISCV_DEBUG_REG_DEST_CG_CTRL, 0);
    reg_write(RISCV_DEBUG_REG_CG_CTRL_EN, 0);
    reg_write(RISCV_TDMA_REG_CLK_GATE_EN, 0x3F);

    uint64_t before = wall_clock();
    riscv_wait(600);
    CHECK(wall_clock() >= before + 600);

    // A program at another place for T0: it stores 42 and stops.
    extern const uint32_t elsewhere[];
    reg_write(RISCV_DEBUG_REG_TRISC0_RESET_PC, (uint32_t)(uintptr_t)elsewhere);
    reg_write(RISCV_DEBUG_REG_TRISC_RESET_PC_OVERRIDE, 0b001);
    reg_write(RISCV_DEBUG_REG_SOFT_RESET_0, SOFT_RESET_ALL & ~(RISCV_SOFT_RESET_0_BRISC | 1 << 12));
    wait_for((volatile uint32_t *)GUEST_SHARED, 42);
    CHECK(reg_read(RISCV_DEBUG_REG_SOFT_RESET_0) == 0x46000);
    return 0;
}
