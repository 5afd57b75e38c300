/* NCRISC stores a tile to L1 and gives T0 a credit in a register of a stream, as circular buffers of tt-metal do. The
 * register is another region than L1, and the credit may be there before the last store. tt-metal #50182. */
/* expect: STORE_ON_ITS_WAY LATENT */
#include "corpus.h"
#include "kit/unpack.h"
#include "llk.h"

enum { STREAM = 8 };

STEP void make_tile(void) { // first
    for (unsigned i = 0; i < tile_bytes(BF16); i += 4)
        *word_at(IN + i) = 0x3F803F80;
#ifndef BROKEN
    (void)*word_at(IN + tile_bytes(BF16) - 4);
    fence();
#endif
}

int ncrisc(void) {
    make_tile();
    NOC_STREAM_WRITE_REG(STREAM, STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX, 1);
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    while (NOC_STREAM_READ_REG(STREAM, STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX) != 1)
        ;
    unpack();
    finish();
    return 0;
}
