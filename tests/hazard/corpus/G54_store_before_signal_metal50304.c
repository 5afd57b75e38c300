/* A tile stores a partial result to its L1 and signals another tile, which reads it from there. The signal may be
 * answered before the store is in L1. tt-metal #50304. */
/* expect: STORE_ON_ITS_WAY LATENT */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 64 };

STEP void store_result(void) { // first
    for (unsigned i = 0; i < BYTES; i += 4)
        *word_at(OUT + i) = 7;
#ifndef BROKEN
    (void)*word_at(OUT + BYTES - 4);
    fence();
#endif
}

STEP void fetch(void) { // second
    noc_read(noc_tile(NEAR_X, ROW_Y), OUT, IN, BYTES);
}

int brisc(void) {
    noc_init();
    if (my_x() == NEAR_X) {
        store_result();
        noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
        noc_atomics_done();
        return 0;
    }
    wait_for(word_at(FLAG), 1);
    fetch();
    noc_reads_done();
    return differs(IN, BYTES, 7);
}
