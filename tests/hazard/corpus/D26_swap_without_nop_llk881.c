/* T1 uses what SFPSWAP has exchanged with the very next instruction. SFPSWAP takes two cycles, and needs an SFPNOP
 * after it. tt-llk #881. */
/* silent: Blackhole takes nothing but an SFPNOP in the cycle after SFPSWAP (SFPSWAP.md); older chips do not wait */
#include "corpus.h"
#include "kit/sfpu.h"

STEP void sort(void) {
    TTI_SFPLOADI(L0, 0, 0x4000);
    TTI_SFPLOADI(L1, 0, 0x3F80);
    TTI_SFPSWAP(0, L0, L1, 1);
#ifndef BROKEN
    TTI_SFPNOP();
#endif
    TTI_SFPSTORE(L0, 2, 0, 0);
}

int trisc1(void) {
    math_init(0, 0);
    TTI_STALLWAIT(STALL_SFPU, UNTIL_MATH);
    sort();
    finish();
    return 0;
}
