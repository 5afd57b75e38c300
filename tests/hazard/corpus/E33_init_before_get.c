/* T1 sets a semaphore to 0 for the next use, at a time when T2 may not have taken the last post: its get comes at 0,
 * and the semaphore is out of step. tt-llk's _llk_math_pack_sync_init_ waits until the semaphore is 0. */
/* expect: SEMAPHORE RACE, SEMAPHORE SUSPECT */
#include "corpus.h"
#include "kit/sync.h"

enum { SEM_READY = 3 };

STEP void set(void) { // first
    TTI_SEMINIT(1, 0, 1 << SEM_READY);
}

int trisc1(void) {
    set();
    TTI_SEMPOST(1 << SEM_READY);
    tensix_sync();
    mailbox_send(GUEST_TRISC2, 0);
#ifndef BROKEN
    while ((uint8_t)semaphore_read(SEM_READY) > 0)
        ;
#else
    do_other_work(500);
#endif
    set();
    finish();
    return 0;
}

STEP void get(void) { // second
    TTI_SEMGET(1 << SEM_READY);
}

int trisc2(void) {
    mailbox_receive(GUEST_TRISC1);
    TTI_SEMWAIT(STALL_SYNC, 1 << SEM_READY, WHILE_ZERO);
    tensix_sync();
    do_other_work(3000);
    get();
    finish();
    return 0;
}
