// BRISC pushes to each of the three threads, by their addresses.
#include "check.h"

static_assert(INSTRN_BUF_BASE == 0xFFE40000 && INSTRN_BUF_BASE + 2 * INSTRN_BUF_STRIDE == 0xFFE60000, "");

int main() {
    wait_for((volatile uint32_t *)GUEST_SHARED, 1); // the program of T1 has ended its own
    for (unsigned thread = 0; thread < 3; thread++) {
        instrn_buffer[thread * INSTRN_BUF_STRIDE / 4] = TT_OP_SETDMAREG(0, 0x100 + thread, 0, LO_16(40));
        instrn_buffer[thread * INSTRN_BUF_STRIDE / 4] = TT_OP_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 7 + thread);
    }
    riscv_wait(100);
    for (unsigned thread = 0; thread < 3; thread++) {
        CHECK((regfile[64 * thread + 40] & 0xFFFF) == 0x100 + thread);
        CHECK(thread_config(thread, UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32) == 7 + thread);
    }
    return 0;
}
