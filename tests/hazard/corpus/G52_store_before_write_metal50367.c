/* BRISC stores a sum to L1 and has the NoC write it away. Nothing says that the store is in L1 when the NoC reads it: a
 * load of the word would. tt-metal #50367. */
/* expect: STORE_ON_ITS_WAY LATENT */
/* shown: store@1,2.brisc#0=48 */
#include "corpus.h"
#include "kit/noc.h"

STEP void store_sum(uint32_t a, uint32_t b) { // first
    *word_at(OUT) = a + b;
#ifndef BROKEN
    (void)*word_at(OUT);
#endif
}

STEP void send(void) { // second
    noc_write(noc_tile(IDLE_X, ROW_Y), OUT, OUT, 4);
}

int brisc(void) {
    noc_init();
    store_sum(1, 2);
    send();
    noc_writes_done();
    return 0;
}
