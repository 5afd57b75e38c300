/* NCRISC puts a third page into a circular buffer of two without asking for room: BRISC may not have taken the first.
 * tt-metal #44973. */
/* expect: CB_COUNT RACE */
#include "corpus.h"
#include "kit/cb.h"

enum { READY = FLAG2, PAGES = 2 };
CB_AT(cb, 0x40100);

STEP void put_in(void) { // second
    cb_push(cb);
}

int ncrisc(void) {
    *cb = (struct cb){ .address = IN, .page_bytes = 16, .pages = PAGES };
    (void)cb->pages;
    *word_at(READY) = 1;
    for (unsigned i = 0; i <= PAGES; i++) {
#ifdef BROKEN
        do_other_work(2000);
#else
        (void)cb_reserve(cb);
#endif
        put_in();
    }
    return 0;
}

STEP void take(void) { // first
    cb_pop(cb);
}

int brisc(void) {
    wait_for(word_at(READY), 1);
    for (unsigned i = 0; i <= PAGES; i++) {
        (void)cb_wait(cb);
        take();
    }
    return 0;
}
