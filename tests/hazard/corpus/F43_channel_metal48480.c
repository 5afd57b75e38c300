/* BRISC writes data and increments a semaphore, without a barrier between. On the same NoC and static channel to the
 * same tile that is in order (tt-metal #48480 was no bug); on different channels it is not (#48519). */
/* expect: REMOTE_WRITE RACE */
/* shown: request@1,2-2,2#0=2000 */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 1024 };
#ifdef BROKEN
enum { DATA_CHANNEL = 3 * NOC_CHANNEL };
#else
enum { DATA_CHANNEL = NOC_CHANNEL }; /* that of noc_increment */
#endif

STEP void send(void) { // first
    noc_write_to(noc_tile(FAR_X, ROW_Y), OUT, IN, BYTES, NOC_STATIC_CHANNEL | DATA_CHANNEL, 1);
}

STEP int check(void) { // second
    return differs(OUT, BYTES, 5);
}

int brisc(void) {
    noc_init();
    if (my_x() == NEAR_X) {
        fill(IN, BYTES, 5);
        send();
        noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
        noc_writes_done();
        noc_atomics_done();
        return 0;
    }
    wait_for(word_at(FLAG), 1);
    do_other_work(1000);
    return check();
}
