/* BRISC writes data to another tile and increments a semaphore there, on another virtual channel and without a barrier
 * between: the increment may overtake the data. tt-metal #48519. */
/* expect: REMOTE_WRITE RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

STEP void send(void) { // first
    fill(IN, tile_bytes(BF16), 0x3F803F80);
    noc_write_to(noc_tile(FAR_X, ROW_Y), OUT, IN, tile_bytes(BF16), NOC_STATIC_CHANNEL | 2 * NOC_CHANNEL, 1);
}

int brisc(void) {
    noc_init();
    if (my_x() == FAR_X)
        return 0;
    send();
#ifndef BROKEN
    noc_writes_done();
#endif
    noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
    noc_writes_done();
    noc_atomics_done();
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(OUT);
}

STEP int check(void) { // second
    return differs(OUT, tile_bytes(BF16), 0x3F803F80);
}

int trisc0(void) {
    if (my_x() == NEAR_X)
        return 0;
    unpack_init(BF16, BF16);
    wait_for(word_at(FLAG), 1);
    do_other_work(1000);
    unpack();
    finish();
    return check();
}
