/* NCRISC polls a word that BRISC stores, with its L0 data cache on and without a fence in the loop. That both are cores
 * of one tile does not help: each has its own cache. tt-metal #51038. */
/* expect: STALE_LINE RACE */
#include "corpus.h"

STEP void set_flag(void) {
    *word_at(FLAG) = 1; // first
}

int brisc(void) {
    do_other_work(2000);
    set_flag();
    return 0;
}

STEP void poll(void) { // second
    while (*word_at(FLAG) != 1)
#ifdef BROKEN
        ;
#else
        fence();
#endif
}

int ncrisc(void) {
    use_cache();
    poll();
    return 0;
}
