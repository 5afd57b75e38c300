/* T0 turns lanes off while T1 computes: the flags of the lanes are those of all threads. */
/* expect: LREG RACE */
#include "corpus.h"
#include "kit/sync.h"

enum { ONE = 0x3F80, SEM_FREE = 6, IF_NEGATIVE = 0, ALWAYS = 10, ENABLE = 3 };

STEP void leave_negative_lanes(void) {
    TTI_SFPLOADI(0, 0, ONE);
    TTI_SFPENCC(ENABLE, 0, 0, ALWAYS);
    TTI_SFPSETCC(0, 0, 0, IF_NEGATIVE);
    TTI_SFPENCC(ENABLE, 0, 0, ALWAYS); // first
}

int trisc0(void) {
    TTI_SEMINIT(1, 0, 1 << SEM_FREE);
    leave_negative_lanes();
    TTI_SEMPOST(1 << SEM_FREE);
    finish();
    return 0;
}

STEP void load(void) {
    TTI_SFPLOADI(4, 0, ONE); // second
}

int trisc1(void) {
    do_other_work(4000);
#ifndef BROKEN
    TTI_SEMWAIT(STALL_SFPU, 1 << SEM_FREE, WHILE_ZERO);
#endif
    load();
    finish();
    return 0;
}
