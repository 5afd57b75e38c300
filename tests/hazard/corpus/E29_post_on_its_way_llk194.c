/* T0 posts the semaphore and sends the message in this order, but the two stores go different ways, and the message may
 * be there first: the post has to be read back before. tt-llk #194. */
/* expect: SEMAPHORE LATENT */
#include "corpus.h"
#include "kit/sync.h"

enum { SEM_USERS = 3 };

STEP void lend(void) { // first
    semaphore_post(SEM_USERS);
#ifndef BROKEN
    (void)semaphore_read(SEM_USERS);
    fence();
#endif
    mailbox_send(GUEST_TRISC1, IN);
}

int trisc0(void) {
    mailbox_receive(GUEST_TRISC1);
    lend();
    let_others_end();
    return (int)semaphore_read(SEM_USERS);
}

STEP void use(void) { // second
    mailbox_receive(GUEST_TRISC0);
    semaphore_get(SEM_USERS);
}

int trisc1(void) {
    TTI_SEMINIT(1, 0, 1 << SEM_USERS);
    tensix_sync();
    mailbox_send(GUEST_TRISC0, 0);
    use();
    return 0;
}
