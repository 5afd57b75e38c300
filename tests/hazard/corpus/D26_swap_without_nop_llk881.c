/* T1 uses what SFPSWAP has exchanged with the very next instruction. SFPSWAP takes two cycles, and needs an SFPNOP
 * after it. tt-llk #881. */
/* expect: LREG RACE */
/* missed: LRegs are not watched; it takes the latency of each instruction of the Vector Unit */
#include "corpus.h"
#include "kit/sfpu.h"

STEP void sort(void) {
    TTI_SFPLOADI(L0, 0, 0x4000);
    TTI_SFPLOADI(L1, 0, 0x3F80);
    TTI_SFPSWAP(0, L0, L1, 1); // first
#ifndef BROKEN
    TTI_SFPNOP();
#endif
    TTI_SFPSTORE(L0, 2, 0, 0); // second
}

int trisc1(void) {
    math_init(0, 0);
    TTI_STALLWAIT(STALL_SFPU, UNTIL_MATH);
    sort();
    finish();
    return 0;
}
