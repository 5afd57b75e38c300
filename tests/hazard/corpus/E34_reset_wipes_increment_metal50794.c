/* BRISC stores 0 to its semaphore in L1 for the next round, while the increment of another tile for that round may
 * already have come: it is lost. tt-metal #50794. */
/* expect: LOST_COUNT RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"

STEP void reset(void) { // first
    *word_at(FLAG) = 0;
    (void)*word_at(FLAG);
    fence();
}

STEP void increment(void) { // second
    noc_increment(noc_tile(NEAR_X, ROW_Y), FLAG, 1);
}

int brisc(void) {
    noc_init();
    if (my_x() == NEAR_X) {
        wait_for(word_at(FLAG), 1);
        reset();
        noc_increment(noc_tile(FAR_X, ROW_Y), FLAG2, 1);
        noc_atomics_done();
        wait_for(word_at(FLAG), 1);
        return 0;
    }
    increment();
#ifdef BROKEN
    do_other_work(4000);
#else
    wait_for(word_at(FLAG2), 1);
#endif
    increment();
    noc_atomics_done();
    return 0;
}
