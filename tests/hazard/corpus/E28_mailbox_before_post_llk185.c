/* T0 tells T1 the address of a tile by a mailbox, and posts the semaphore that counts its users only then. T1 may be
 * faster and get the semaphore at 0, which does nothing: it stays at 1, and T0 would wait for ever. tt-llk #185. */
/* expect: SEMAPHORE RACE */
/* shown: gap@1,2.trisc0#2=1000 */
#include "corpus.h"
#include "kit/sync.h"

enum { SEM_USERS = 3 };

STEP void lend(void) { // first
#ifdef BROKEN
    mailbox_send(GUEST_TRISC1, IN);
    semaphore_post(SEM_USERS);
#else
    semaphore_post(SEM_USERS);
    (void)semaphore_read(SEM_USERS);
    fence();
    mailbox_send(GUEST_TRISC1, IN);
#endif
}

int trisc0(void) {
    mailbox_receive(GUEST_TRISC1);
    lend();
    let_others_end();
    return (int)semaphore_read(SEM_USERS);
}

STEP void use(void) { // second
    mailbox_receive(GUEST_TRISC0);
    do_other_work(100);
    semaphore_get(SEM_USERS);
}

int trisc1(void) {
    TTI_SEMINIT(1, 0, 1 << SEM_USERS);
    tensix_sync();
    mailbox_send(GUEST_TRISC0, 0);
    use();
    return 0;
}
