/* T1 fills banks of SrcA with zeros by ZEROSRC, which does not wait for a bank: it takes both, and T0 unpacks to one of
 * them. The mended form takes the bank that it has waited for. */
/* expect: SRC RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

STEP void unpack(void) { // first
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack();
    finish();
    return 0;
}

STEP void fill_with_zeros(void) {
#ifdef BROKEN
    TTI_ZEROSRC(0, 0, 1, 1); // second
#else
    TTI_STALLWAIT(STALL_MATH, UNTIL_MATH | UNTIL_SRCA_VALID);
    TTI_ZEROSRC(0, 1, 0, 1);
#endif
}

int trisc1(void) {
    math_init(0, 0);
    math_slot(0, 0, 0, 0);
    do_other_work(2000);
    fill_with_zeros();
    TTI_SETRWC(CLEAR_A, 0, 0, 0, 0, SET_ALL);
    finish();
    return 0;
}
