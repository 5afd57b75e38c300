/* BRISC multicasts to two tiles and waits for one acknowledgement; the other tile may not have its data when BRISC
 * tells it by another channel. tt-metal #41790 is about a multicast that was not waited for. */
/* expect: REMOTE_WRITE RACE */
/* shown: request@1,2-3,2#0=2000 */
/* missed: a multicast counts as acknowledged with its first acknowledgement */
/* tiles: 1,2 2,2 3,2 */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 4096 };

STEP void multicast(void) { // first
    noc_multicast(noc_rectangle(FAR_X, ROW_Y, IDLE_X, ROW_Y), OUT, IN, BYTES, 2);
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
        noc_count_to(NOC_COUNT_WRITE, noc_writes - 1);
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
