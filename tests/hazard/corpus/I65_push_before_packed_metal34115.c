/* T2 pushes a page of a circular buffer when it has told the packer to fill it, not when that is done. BRISC writes the
 * page away. tt-metal #34115. */
/* expect: L1_BY_UNITS RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/pack.h"

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
#ifndef BROKEN
    tensix_sync();
#endif
    *word_at(FLAG) = 1;
    return 0;
}

STEP void write_away(void) { // second
    noc_write(noc_tile(IDLE_X, ROW_Y), OUT, OUT, tile_bytes(BF16));
}

int brisc(void) {
    noc_init();
    wait_for(word_at(FLAG), 1);
    do_other_work(4000);
    write_away();
    noc_writes_done();
    return 0;
}
