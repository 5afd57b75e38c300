/* NCRISC tells T0 that a tile is in L1 before the NoC has brought it: the read barrier is missing. tt-metal #50981. */
/* expect: READ_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

STEP void fetch(void) { // first
    noc_read(noc_tile(IDLE_X, ROW_Y), IN, IN, tile_bytes(BF16));
}

int ncrisc(void) {
    noc_init();
    fetch();
#ifndef BROKEN
    noc_reads_done();
#endif
    *word_at(FLAG) = 1;
    noc_reads_done();
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    wait_for(word_at(FLAG), 1);
    do_other_work(1000);
    unpack();
    finish();
    return 0;
}
