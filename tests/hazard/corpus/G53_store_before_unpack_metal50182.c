/* The core of T0 makes a tile by stores and has it unpacked at once. The unpacker reads L1 by another way than the core
 * writes it, so the last words may be missing. tt-metal #50182. */
/* expect: STORE_ON_ITS_WAY LATENT */
#include "corpus.h"
#include "kit/unpack.h"

STEP void make_tile(void) { // first
    for (unsigned i = 0; i < tile_bytes(BF16); i += 4)
        *word_at(IN + i) = 0x3F803F80;
}

STEP void unpack(void) { // second
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    make_tile();
#ifndef BROKEN
    (void)*word_at(IN + tile_bytes(BF16) - 4);
#endif
    unpack();
    finish();
    return 0;
}
