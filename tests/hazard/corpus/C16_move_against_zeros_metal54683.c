/* T1 moves rows of Dst to SrcA without a wait, while T0 has the bank filled with zeros and handed over by UNPACR_NOP.
 * The zeros may come last. MOVD2A does not wait for the bank by itself. tt-metal #54683. */
/* expect: SRC RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

STEP void hand_zeros_over(void) {
    TTI_UNPACR_NOP(UNPACKER_A, 0, 0, 1, 0, 0, 0, 0, 1); // first
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    hand_zeros_over();
    finish();
    return 0;
}

STEP void move(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_MATH, UNTIL_MATH | UNTIL_SRCA_VALID);
#endif
    TTI_MOVD2A(0, 0, 0, 2, 0); // second
}

int trisc1(void) {
    math_init(0, 0);
    math_slot(0, 0, 0, 0);
    do_other_work(2000);
    move();
    finish();
    return 0;
}
