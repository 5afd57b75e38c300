/* A tile sends the next page to another one without a sign that the page before is used up. T0 there may still be
 * unpacking it. tt-metal #37998. */
/* expect: REMOTE_OVERWRITES RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

STEP void send(void) { // second
    noc_write(noc_tile(FAR_X, ROW_Y), OUT, IN, tile_bytes(BF16));
}

int brisc(void) {
    noc_init();
    if (my_x() == FAR_X)
        return 0;
    send();
    noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
#ifdef BROKEN
    do_other_work(10000);
#else
    wait_for(word_at(FLAG2), 1);
#endif
    send();
    noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
    noc_writes_done();
    noc_atomics_done();
    return 0;
}

STEP void unpack(void) { // first
    unpack_a(OUT);
}

int trisc0(void) {
    if (my_x() == NEAR_X)
        return 0;
    unpack_init(BF16, BF16);
    noc_init();
    wait_for(word_at(FLAG), 1);
    unpack();
    tensix_sync();
    noc_increment(noc_tile(NEAR_X, ROW_Y), FLAG2, 1);
    noc_atomics_done();
    return 0;
}
