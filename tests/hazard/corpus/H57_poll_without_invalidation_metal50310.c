/* BRISC polls a semaphore that another tile increments, with its L0 data cache on and without a fence in the loop: the
 * cache keeps the old value. tt-metal #50310; #51030 and #22058 are the same. */
/* expect: STALE_LINE RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"

STEP void poll(void) { // second
    while (*word_at(FLAG) != 1)
#ifdef BROKEN
        ;
#else
        fence();
#endif
}

STEP void increment(void) { // first
    noc_increment(noc_tile(NEAR_X, ROW_Y), FLAG, 1);
}

int brisc(void) {
    noc_init();
    if (my_x() == NEAR_X) {
        use_cache();
        poll();
        return 0;
    }
    do_other_work(2000);
    increment();
    noc_atomics_done();
    return 0;
}
