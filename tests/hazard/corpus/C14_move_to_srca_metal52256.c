/* T1 moves rows of Dst to SrcA after a wait for SRCA_VLD, while an instruction that gives the bank back may be in the
 * Matrix Unit: the wait was met by the old bank, MOVD2A writes to the new one. tt-metal #52256. */
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
    unpack();
    finish();
    return 0;
}

STEP void give_back(void) {
    TTI_MOVA2D(0, 0, 0, 2, 0);
    TTI_SETRWC(CLEAR_A, 0, 0, 0, 0, SET_ALL);
}

STEP void move(void) {
#ifdef BROKEN
    TTI_STALLWAIT(STALL_MATH, UNTIL_SRCA_VALID);
#else
    TTI_STALLWAIT(STALL_MATH, UNTIL_SRCA_VALID | UNTIL_MATH);
#endif
    TTI_MOVD2A(0, 0, 0, 2, 0); // second
}

int trisc1(void) {
    math_init(0, 0);
    math_slot(0, 0, 0, 0);
    do_other_work(1000);
    give_back();
    move();
    finish();
    return 0;
}
