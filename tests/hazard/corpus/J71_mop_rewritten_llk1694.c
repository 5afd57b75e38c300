/* The core of T2 loads another program into the MOP expander while the expander may still be at work on the one before:
 * the wait for the expander is missing. tt-llk #1694. */
/* expect: MOP RACE */
#include "corpus.h"
#include "kit/pack.h"

STEP void pack(void) { // first
    mop_run();
}

STEP void change_count(void) { // second
#ifndef BROKEN
    mop_sync();
#endif
    reg_write(MAP_MOP + 4, 1);
}

int trisc2(void) {
    fill(OUT, tile_bytes(BF16), ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack_to(OUT);
    pack();
    do_other_work(1000);
    change_count();
    finish();
    return differs(OUT, tile_bytes(BF16), 0);
}
