/* BRISC does not need the first page of a circular buffer. It takes it without a wait for it: if NCRISC is late, pages
 * are taken that are not there. tt-metal #44973. */
/* expect: CB_COUNT RACE */
#include "corpus.h"
#include "kit/cb.h"

enum { READY = FLAG2 };
CB_AT(cb, 0x40100);

STEP void put_in(void) { // first
    cb_push(cb);
}

int ncrisc(void) {
    *cb = (struct cb){ .address = IN, .page_bytes = 16, .pages = 2 };
    (void)cb->pages;
    *word_at(READY) = 1;
    (void)cb_reserve(cb);
    put_in();
    return 0;
}

STEP void take(void) { // second
    cb_pop(cb);
}

int brisc(void) {
    wait_for(word_at(READY), 1);
#ifdef BROKEN
    do_other_work(4000);
#else
    (void)cb_wait(cb);
#endif
    take();
    return 0;
}
