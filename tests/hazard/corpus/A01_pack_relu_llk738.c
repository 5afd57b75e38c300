/* T2 switches the packer's ReLU on for the next tile, without a wait for the packer: the end of the tile before may
 * lose its negative data. tt-llk #738. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/pack.h"

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

STEP void switch_relu_on(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_PACK);
#endif
    CONFIG_SET(STACC_RELU_ApplyRelu, RELU_ZERO);
}

int trisc2(void) {
    fill(OUT, tile_bytes(BF16), ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
    switch_relu_on();
    finish();
    return differs(OUT, tile_bytes(BF16), 0);
}
