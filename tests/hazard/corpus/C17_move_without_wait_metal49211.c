/* T1 moves sixteen rows of Dst to SrcA without a wait for the bank, which the unpacker may still be filling for the
 * operation before. tt-metal #49211. */
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

STEP void move(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_MATH, UNTIL_SRCA_VALID);
#endif
    TTI_MOVD2A(0, 0, 0, 2, 0); // second
    TTI_MOVD2A(0, 4, 0, 2, 4);
    TTI_MOVD2A(0, 8, 0, 2, 8);
    TTI_MOVD2A(0, 12, 0, 2, 12);
}

int trisc1(void) {
    math_init(0, 0);
    math_slot(0, 0, 0, 0);
    do_other_work(2000);
    move();
    finish();
    return 0;
}
