/* c = a + b: tensors of eight tiles of bf16. Four tiles at a time go through Dst. */
#include "kit/math.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { A = 0x20000, B = 0x28000, C = 0x30000, TILES = 8, TOGETHER = 4 };

int trisc0(void) {
    unpack_init(BF16, BF16);
    for (unsigned i = 0; i < TILES; i++)
        unpack_ab(A + i * tile_bytes(BF16), B + i * tile_bytes(BF16));
    return 0;
}

int trisc1(void) {
    math_init(0, 0);
    eltwise_init(ELTWISE_ADD, BROADCAST_NONE, LOFI);
    for (unsigned i = 0; i < TILES; i += TOGETHER) {
        math_wait_for_dst();
        for (unsigned tile = 0; tile < TOGETHER; tile++)
            math_run(tile);
        math_dst_done();
    }
    return 0;
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    for (unsigned i = 0; i < TILES; i += TOGETHER) {
        pack_wait_for_math();
        for (unsigned tile = 0; tile < TOGETHER; tile++)
            pack_tile(tile, C + (i + tile) * tile_bytes(BF16));
        pack_dst_done();
    }
    return 0;
}
