/* BRISC multicasts to six tiles and waits for one acknowledgement; another tile may not have its data when BRISC tells
 * it by another channel. tt-metal #41790 is about a multicast that was not waited for. */
/* expect: REMOTE_WRITE RACE */
/* shown: request@1,2-3,2#0=2000 */
/* tiles: 1,2 2,2 3,2 */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 4096, LAST_X = 7, TILES = 6 };

STEP void multicast(void) { // first
    noc_multicast(noc_rectangle(FAR_X, ROW_Y, LAST_X, ROW_Y), OUT, IN, BYTES, TILES);
}

STEP int check(void) { // second
    return differs(OUT, BYTES, 5);
}

int brisc(void) {
    noc_init();
    if (my_x() == NEAR_X) {
        fill(IN, BYTES, 5);
        multicast();
#ifdef BROKEN
        noc_count_to(NOC_COUNT_WRITE, noc_writes - (TILES - 1));
#else
        noc_writes_done();
#endif
        noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
        noc_increment(noc_tile(IDLE_X, ROW_Y), FLAG, 1);
        noc_writes_done();
        noc_atomics_done();
        return 0;
    }
    wait_for(word_at(FLAG), 1);
    do_other_work(1000);
    return check();
}
