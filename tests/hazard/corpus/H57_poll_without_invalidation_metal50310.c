/* BRISC polls a semaphore that another tile increments, without a fence in the loop: its cache may hold the line with
 * the old value for ever. tt-metal #50310; #51030, #51038 and #22058 are the same. */
/* expect: STALE_LINE RACE */
/* missed: the cache of cores is not watched: it takes the cycle at which a line was filled, and foreign writes since */
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
        poll();
        return 0;
    }
    do_other_work(2000);
    increment();
    noc_atomics_done();
    return 0;
}
