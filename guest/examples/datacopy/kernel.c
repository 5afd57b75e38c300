/* The smallest kernel for three threads: copies tiles of bf16 from L1 through SrcA and Dst back to L1. */
#include "kit/math.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { IN = 0x20000, OUT = 0x30000, TILES = 4 };

/* T0: unpacks every tile to SrcA. The unpacker itself waits when both banks of SrcA are full. */
int trisc0(void) {
    unpack_init(BF16, BF16);
    for (unsigned i = 0; i < TILES; i++)
        unpack_a(IN + i * tile_bytes(BF16));
    return 0;
}

/* T1: copies SrcA to Dst as soon as T0 has filled a bank, to the halves of Dst in turn. */
int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    for (unsigned i = 0; i < TILES; i++) {
        math_wait_for_dst();
        math_run(0);
        math_dst_done();
    }
    return 0;
}

/* T2: packs Dst to L1 as soon as T1 has filled a half. */
int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    for (unsigned i = 0; i < TILES; i++) {
        pack_wait_for_math();
        pack_tile(0, OUT + i * tile_bytes(BF16));
        pack_dst_done();
    }
    return 0;
}
