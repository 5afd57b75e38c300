/* A tile reads what the packer of another tile writes, without a sign that it is done. */
/* expect: L1_BY_UNITS RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/pack.h"

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

int trisc2(void) {
    if (my_x() == NEAR_X)
        return 0;
    noc_init();
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
    tensix_sync();
    noc_increment(noc_tile(NEAR_X, ROW_Y), FLAG, 1);
    noc_atomics_done();
    return 0;
}

STEP void fetch(void) { // second
    noc_read(noc_tile(FAR_X, ROW_Y), OUT, IN, tile_bytes(BF16));
}

int brisc(void) {
    if (my_x() == FAR_X)
        return 0;
    noc_init();
    fill(IN, tile_bytes(BF16), ~0u);
#ifdef BROKEN
    do_other_work(20000);
#else
    wait_for(word_at(FLAG), 1);
#endif
    fetch();
    noc_reads_done();
    return differs(IN, tile_bytes(BF16), 0);
}
