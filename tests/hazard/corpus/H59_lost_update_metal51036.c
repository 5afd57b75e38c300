/* BRISC adds to a word of L1 that NCRISC has changed. It has loaded the word before, and without a fence the cache may
 * give it the old value again: NCRISC's change is lost. tt-metal #51036. */
/* expect: STALE_LINE RACE */
/* missed: the cache of cores is not watched: it takes the cycle at which a line was filled, and foreign writes since */
#include "corpus.h"

enum { SUM = FLAG2, ASKED = FLAG, DONE = FLAG3 };

int ncrisc(void) {
    wait_for(word_at(ASKED), 1);
    *word_at(SUM) = *word_at(SUM) + 2; // first
    (void)*word_at(SUM);
    *word_at(DONE) = 1;
    return 0;
}

STEP void add(void) {
    *word_at(SUM) = *word_at(SUM) + 1; // second
}

int brisc(void) {
    *word_at(SUM) = 0;
    (void)*word_at(SUM);
    *word_at(ASKED) = 1;
#ifdef BROKEN
    while (*word_at(DONE) != 1)
        do_other_work(100);
#else
    wait_for(word_at(DONE), 1);
    fence();
#endif
    add();
    return *word_at(SUM) != 3;
}
