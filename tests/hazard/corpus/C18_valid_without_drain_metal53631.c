/* T1 waits for SRCB_VLD and the Vector Unit before it moves rows of Dst to SrcB, not for the Matrix Unit: the bank that
 * was valid may be given back by an instruction that is still in the Matrix Unit. tt-metal #53631. */
/* expect: SRC RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

STEP void unpack(void) { // first
    unpack_b(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack();
    unpack();
    finish();
    return 0;
}

STEP void give_back(void) {
    TTI_MOVB2D(0, 0, 0, 4, 0);
    TTI_SETRWC(CLEAR_B, 0, 0, 0, 0, SET_ALL);
}

STEP void move(void) {
#ifdef BROKEN
    TTI_STALLWAIT(STALL_MATH, UNTIL_SRCB_VALID | UNTIL_SFPU);
#else
    TTI_STALLWAIT(STALL_MATH, UNTIL_SRCB_VALID | UNTIL_MATH);
#endif
    TTI_MOVD2B(0, 0, 0, 2, 0); // second
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
