/* T1 records a second sequence over the first one in the replay buffer, and plays the first. tt-llk #1643; #1690 is the
 * same. */
/* expect: REPLAY SUSPECT */
#include "corpus.h"
#include "kit/sfpu.h"

STEP void record(unsigned slot, unsigned bits) { // first
    TT_REPLAY(slot, 2, 0, 1);
    push(SFPU_LOW(L0, bits));
    push(SFPU_HIGH(L0, bits));
}

STEP void play(unsigned slot) { // second
    TT_REPLAY(slot, 2, 0, 0);
}

int trisc1(void) {
    record(0, 0x3F800000);
#ifdef BROKEN
    record(1, 0x40000000);
#else
    record(2, 0x40000000);
#endif
    play(0);
    finish();
    return 0;
}
