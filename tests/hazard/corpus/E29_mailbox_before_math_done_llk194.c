/* The core of T1 tells T2 by a mailbox that a tile is in Dst when it has pushed the instructions that make it. The
 * Matrix Unit may not even have begun. tt-llk #194 is about messages that overtake. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/pack.h"
#include "kit/unpack.h"

int trisc0(void) {
    fill(IN, tile_bytes(BF16), 0x40003F80);
    unpack_init(BF16, BF16);
    unpack_a(IN);
    return 0;
}

STEP void copy(void) { // first
    math_run(0);
}

int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    copy();
#ifndef BROKEN
    tensix_sync();
#endif
    mailbox_send(GUEST_TRISC2, 0);
    return 0;
}

STEP void pack(void) { // second
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    mailbox_receive(GUEST_TRISC1);
    do_other_work(10000);
    pack();
    finish();
    return differs(OUT, tile_bytes(BF16), 0x40003F80);
}
