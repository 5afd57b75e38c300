/* BRISC stores a tile to L1 and tells T0 by a mailbox. A mailbox is another region than L1, and the message may be
 * there before the last store. tt-metal #50182. */
/* expect: STORE_ON_ITS_WAY LATENT */
#include "corpus.h"
#include "kit/unpack.h"

STEP void make_tile(void) { // first
    for (unsigned i = 0; i < tile_bytes(BF16); i += 4)
        *word_at(IN + i) = 0x3F803F80;
#ifndef BROKEN
    (void)*word_at(IN + tile_bytes(BF16) - 4);
    fence();
#endif
}

int brisc(void) {
    make_tile();
    mailbox_send(GUEST_TRISC0, IN);
    return 0;
}

STEP void unpack(uint32_t address) { // second
    unpack_a(address);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack(mailbox_receive(GUEST_BRISC));
    finish();
    return 0;
}
