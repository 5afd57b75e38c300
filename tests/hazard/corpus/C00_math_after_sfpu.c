/* T1 lets the Matrix Unit write over rows of Dst that the Vector Unit may not have stored yet: it waits for MATH, which
 * is its own unit, and not for SFPU. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/sfpu.h"
#include "kit/unpack.h"

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_a(IN);
    return 0;
}

STEP void make_rows(void) {
    TTI_SFPLOADI(L0, 0, 0x3F80);
    TTI_SFPSTORE(L0, 2, 0, 0); // first
}

STEP void copy(void) {
#ifdef BROKEN
    TTI_STALLWAIT(STALL_MATH, UNTIL_MATH);
#else
    TTI_STALLWAIT(STALL_MATH, UNTIL_SFPU);
#endif
    TTI_MOVA2D(0, 0, 0, 2, 0); // second
}

int trisc1(void) {
    math_init(0, 0);
    TTI_STALLWAIT(STALL_SFPU, UNTIL_MATH);
    make_rows();
    copy();
    finish();
    return 0;
}
