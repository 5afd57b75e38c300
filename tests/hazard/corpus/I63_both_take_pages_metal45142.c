/* Two cores take pages out of one circular buffer. Each reads the count, adds one and stores it: nothing keeps the
 * other from doing so in between, and then one of the counts is lost. tt-metal #45142. */
/* expect: CB_SHARED RACE */
#include "corpus.h"
#include "kit/cb.h"

enum { PAGES = 4, ROUNDS = 2, READY = FLAG2, TURN = FLAG3 };
CB_AT(cb, 0x40100);

int ncrisc(void) {
    *cb = (struct cb){ .address = IN, .page_bytes = 16, .pages = PAGES };
    *word_at(TURN) = 0;
    (void)*word_at(TURN);
    *word_at(READY) = 1;
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        (void)cb_reserve(cb);
        cb_push(cb);
    }
    return 0;
}

STEP void take(void) { // first, second
    cb_pop(cb);
}

/* The two take turns. */
static int take_every_second(unsigned own) {
    wait_for(word_at(READY), 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
#ifdef BROKEN
        do_other_work(own ? 4000 : 2000);
#else
        wait_for(word_at(TURN), 2 * i + own);
#endif
        (void)cb_wait(cb);
        take();
#ifndef BROKEN
        (void)cb->popped;
        *word_at(TURN) = 2 * i + own + 1;
#endif
    }
    return 0;
}

int brisc(void) {
    return take_every_second(0);
}

int trisc0(void) {
    return take_every_second(1);
}
