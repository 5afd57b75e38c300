/* BRISC fills a row of indices by stores of two bytes and has the NoC write it away. It loads a word back, but one of
 * another row, which says nothing about these stores. tt-metal #50375. */
/* expect: STORE_ON_ITS_WAY LATENT */
#include "corpus.h"
#include "kit/noc.h"

enum { INDICES = 32 };

STEP void fill_row(void) { // first
    volatile uint16_t *row = (volatile uint16_t *)OUT;
    for (unsigned i = 0; i < INDICES; i++)
        row[i] = (uint16_t)i;
}

STEP void send(void) { // second
    noc_send(NOC_BUFFER_WRITE, noc_self(), OUT, noc_tile(IDLE_X, ROW_Y), OUT, 2 * INDICES, NOC_WRITE | NOC_RESPOND);
    noc_writes++;
}

STEP void wait_for_row(void) {
#ifdef BROKEN
    (void)*word_at(OUT + 0x100);
#else
    (void)*word_at(OUT + 2 * INDICES - 4);
#endif
}

int brisc(void) {
    noc_init();
    fill_row();
    wait_for_row();
    send();
    noc_writes_done();
    return 0;
}
