/* BRISC takes two pages of a circular buffer into which NCRISC puts one. tt-metal #44973. */
/* expect: CB_COUNT SUSPECT */
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
    (void)cb_wait(cb);
    take();
#ifdef BROKEN
    take();
#endif
    return 0;
}
