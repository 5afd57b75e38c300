/* Two circular buffers overlap: the last page of the one is the first of the other. Both hold pages at the same time,
 * although every core waits for the others. tt-metal #40968. */
/* expect: CB_OVERLAP SUSPECT */
#include "corpus.h"
#include "kit/cb.h"

enum { PAGE = 64, PAGES = 2, READY = FLAG3 };
CB_AT(one, 0x40100);
CB_AT(other, 0x40140);
#ifdef BROKEN
enum { SECOND = IN + (PAGES - 1) * PAGE };
#else
enum { SECOND = IN + PAGES * PAGE };
#endif

STEP void put_in(void) { // first
    cb_push(one);
}

int ncrisc(void) {
    *one = (struct cb){ .address = IN, .page_bytes = PAGE, .pages = PAGES };
    *other = (struct cb){ .address = SECOND, .page_bytes = PAGE, .pages = PAGES };
    (void)other->pages;
    for (unsigned i = 0; i < PAGES; i++) {
        fill(cb_reserve(one), PAGE, i);
        put_in();
    }
    (void)one->pushed;
    *word_at(READY) = 1;
    return 0;
}

STEP void put_into_other(void) { // second
    cb_push(other);
}

int brisc(void) {
    wait_for(word_at(READY), 1);
    fill(cb_reserve(other), PAGE, 7);
    put_into_other();
    return 0;
}
