/* T1 lets the Vector Unit take Dst as 32 bits. It waits for the Matrix Unit, but it is the Vector Unit that reads this
 * bit, and that may still be at work. tt-metal #48360. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/sfpu.h"

STEP void double_rows(void) {
    TTI_SFPLOAD(L0, 2, 0, 0);
    TTI_SFPMAD(L0, LREG_ONE, L0, L0, 0);
    TTI_SFPNOP();
    TTI_SFPSTORE(L0, 2, 0, 0); // first
}

STEP void use_32_bits(void) { // second
#ifdef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_MATH);
#else
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_MATH | UNTIL_SFPU);
#endif
    CONFIG_SET(ALU_ACC_CTRL_SFPU_Fp32_enabled, 1);
}

int trisc1(void) {
    math_init(0, 0);
    TTI_STALLWAIT(STALL_SFPU, UNTIL_MATH);
    double_rows();
    use_32_bits();
    finish();
    return 0;
}
