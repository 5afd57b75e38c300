/* T1 has the Vector Unit work on rows that the Matrix Unit has just made. The two units do not wait for each other: the
 * STALLWAIT on MATH is missing. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/sfpu.h"
#include "kit/unpack.h"

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_a(IN);
    return 0;
}

STEP void copy(void) { // first
    math_run(0);
}

STEP void double_rows(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SFPU, UNTIL_MATH);
#endif
    TTI_SFPLOAD(L0, 2, 0, 0); // second
    TTI_SFPMAD(L0, LREG_ONE, L0, L0, 0);
    TTI_SFPNOP();
    TTI_SFPSTORE(L0, 2, 0, 0); // second
}

int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    copy();
    double_rows();
    finish();
    return 0;
}
