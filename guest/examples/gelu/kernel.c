/* gelu(x) of a tile of bf16: the Matrix Unit copies the tile to Dst, where the Vector Unit works on it. */
#include "kit/pack.h"
#include "kit/sfpu.h"
#include "kit/unpack.h"

enum { IN = 0x20000, OUT = 0x30000 };

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_a(IN);
    return 0;
}

int trisc1(void) {
    math_init(0, 0);
    math_wait_for_dst();
    copy_init(0);
    math_run(0);
    gelu_init(BF16); /* the 26 instructions are in kit/sfpu.h */
    sfpu_run(0);
    math_dst_done();
    return 0;
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack_wait_for_math();
    pack_tile(0, OUT);
    pack_dst_done();
    return 0;
}
