/* T2 gets a semaphore without a wait, before T1 has posted it. The get does nothing, and the post is left over. */
/* expect: SEMAPHORE RACE */
#include "corpus.h"
#include "kit/sync.h"

enum { SEM_READY = 3 };

STEP void post(void) { // second
    TTI_SEMPOST(1 << SEM_READY);
}

int trisc1(void) {
    do_other_work(2000);
    post();
    return 0;
}

STEP void get(void) { // first
#ifndef BROKEN
    TTI_SEMWAIT(STALL_SYNC, 1 << SEM_READY, WHILE_ZERO);
#endif
    TTI_SEMGET(1 << SEM_READY);
}

int trisc2(void) {
    get();
    do_other_work(4000);
    finish();
    return 0;
}
