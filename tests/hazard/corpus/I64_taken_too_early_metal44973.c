/* The same as without a wait, in a run in which the page is late: BRISC takes it before NCRISC has put it in. tt-metal
 * #44973. */
/* expect: CB_COUNT RACE */
#include "corpus.h"
#include "kit/cb.h"

enum { READY = FLAG2 };
CB_AT(cb, 0x40100);

STEP void put_in(void) { // second
    cb_push(cb);
}

int ncrisc(void) {
    *cb = (struct cb){ .address = IN, .page_bytes = 16, .pages = 2 };
    (void)cb->pages;
    *word_at(READY) = 1;
    do_other_work(4000);
    put_in(); /* there is room for the first page */
    return 0;
}

STEP void take(void) { // first
    cb_pop(cb);
}

int brisc(void) {
    wait_for(word_at(READY), 1);
#ifndef BROKEN
    (void)cb_wait(cb);
#endif
    take();
    return 0;
}
