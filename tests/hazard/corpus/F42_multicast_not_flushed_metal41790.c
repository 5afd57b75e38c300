/* BRISC multicasts a tile out of a slot and gives the slot back before the NoC has taken all of it. T2 packs the next
 * tile into the slot. tt-metal #41790. */
/* expect: SOURCE_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/pack.h"

STEP void multicast(void) { // first
    noc_multicast(noc_rectangle(IDLE_X, ROW_Y, IDLE2_X, ROW_Y), OUT, OUT, tile_bytes(BF16), 2);
}

int brisc(void) {
    noc_init();
    multicast();
#ifndef BROKEN
    noc_writes_sent();
#endif
    *word_at(FLAG) = 1;
    noc_writes_done();
    return 0;
}

STEP void pack(void) { // second
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    wait_for(word_at(FLAG), 1);
    do_other_work(1000);
    pack();
    finish();
    return differs(OUT, tile_bytes(BF16), 0);
}
