/* BRISC writes data to another tile by NoC 0, NCRISC sends the credit by NoC 1. The two take different routes, so that
 * the credit may be there first. tt-metal #50273. */
/* expect: REMOTE_WRITE RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

STEP void send(void) { // first
    fill(IN, tile_bytes(BF16), 0x3F803F80);
    noc_write(noc_tile(FAR_X, ROW_Y), OUT, IN, tile_bytes(BF16));
}

int brisc(void) {
    noc_init();
    if (my_x() == FAR_X)
        return 0;
    send();
#ifndef BROKEN
    noc_writes_done();
#endif
    *word_at(FLAG2) = 1;
    noc_writes_done();
    return 0;
}

int ncrisc(void) {
    noc_init();
    if (my_x() == FAR_X)
        return 0;
    wait_for(word_at(FLAG2), 1);
    noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
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
