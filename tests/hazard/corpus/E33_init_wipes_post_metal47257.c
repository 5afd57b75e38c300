/* T2 sets the semaphore to 0 in its own preparations, at a time when T1 may have posted it already: the post is lost,
 * and T2 waits for ever. Here T1 is late and all goes well. tt-metal #47257. */
/* expect: SEMAPHORE RACE */
#include "corpus.h"
#include "kit/sync.h"

enum { SEM_READY = 3 };

STEP void post(void) { // second
    TTI_SEMPOST(1 << SEM_READY);
}

int trisc1(void) {
#ifndef BROKEN
    mailbox_receive(GUEST_TRISC2);
#else
    do_other_work(2000);
#endif
    post();
    finish();
    return 0;
}

int trisc2(void) {
    TTI_SEMINIT(1, 0, 1 << SEM_READY); // first
    tensix_sync();
    mailbox_send(GUEST_TRISC1, 0);
    TTI_SEMWAIT(STALL_SYNC, 1 << SEM_READY, WHILE_ZERO);
    TTI_SEMGET(1 << SEM_READY);
    finish();
    return 0;
}
