/* T0 and T1 both compute in the Vector Unit, which has one set of LRegs for all threads. Nothing keeps T1's load from
 * coming between T0's load and its sum. */
/* expect: LREG RACE */
#include "corpus.h"
#include "kit/sync.h"

enum { ONE = 0x3F80, TWO = 0x4000, SEM_FREE = 6 };

STEP void add_ones(void) {
    TTI_SFPLOADI(0, 0, ONE);    // first
    TTI_SFPADD(10, 0, 0, 1, 0); // first
    TTI_SFPNOP();
}

int trisc0(void) {
    TTI_SEMINIT(1, 0, 1 << SEM_FREE);
    add_ones();
    TTI_SEMPOST(1 << SEM_FREE);
    finish();
    return 0;
}

STEP void add_twos(void) {
    TTI_SFPLOADI(0, 0, TWO);    // second
    TTI_SFPADD(10, 0, 0, 1, 0); // second
    TTI_SFPNOP();
}

int trisc1(void) {
    do_other_work(4000);
#ifndef BROKEN
    TTI_SEMWAIT(STALL_SFPU, 1 << SEM_FREE, WHILE_ZERO);
#endif
    add_twos();
    finish();
    return 0;
}
