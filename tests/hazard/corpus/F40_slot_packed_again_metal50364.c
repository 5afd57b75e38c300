/* BRISC tells T2 that a slot is free when it has asked the NoC to write its bytes away, not when they have left. The
 * packer may write over them. tt-metal #50364. */
/* expect: SOURCE_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/pack.h"

STEP void write_away(void) { // first
    noc_write(noc_tile(IDLE_X, ROW_Y), OUT, OUT, tile_bytes(BF16));
}

int brisc(void) {
    noc_init();
    write_away();
#ifndef BROKEN
    noc_writes_done();
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
