/* T2 clears the half of Dst that it has packed, without a wait for the packer: ZEROACC is the Matrix Unit's, which does
 * not wait for the packer by itself. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/pack.h"

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

STEP void clear(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_MATH, UNTIL_PACK);
#endif
    TTI_ZEROACC(0, 0, 0, 0, 0); // second
}

int trisc2(void) {
    fill(OUT, tile_bytes(BF16), ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
    clear();
    finish();
    return differs(OUT, tile_bytes(BF16), 0);
}
