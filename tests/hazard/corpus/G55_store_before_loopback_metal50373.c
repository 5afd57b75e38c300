/* NCRISC fills one line by stores and has the NoC copy it within its own L1. The copy may be of a line that is not all
 * there yet. tt-metal #50373. */
/* expect: STORE_ON_ITS_WAY LATENT */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 64 };

STEP void fill_line(void) { // first
    for (unsigned i = 0; i < BYTES; i += 4)
        *word_at(IN + i) = 7;
#ifndef BROKEN
    (void)*word_at(IN + BYTES - 4);
    fence();
#endif
}

STEP void copy_line(void) { // second
    noc_read(noc_self(), IN, OUT, BYTES);
}

int ncrisc(void) {
    noc_init();
    fill_line();
    copy_line();
    noc_reads_done();
    return differs(OUT, BYTES, 7);
}
