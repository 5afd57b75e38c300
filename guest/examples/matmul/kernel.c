/* c = a x b, matrices of one tile of bf16 each. The left factor goes to SrcB, the right one to SrcA. */
#include "kit/math.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { A = 0x20000, B = 0x28000, C = 0x30000 };

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_ab(B, A);
    return 0;
}

int trisc1(void) {
    math_init(1, 0); /* Dst has 32 bits */
    matmul_init(HIFI4);
    math_wait_for_dst();
    math_run(0);
    math_dst_done();
    return 0;
}

int trisc2(void) {
    pack_init(FP32, BF16);
    pack_tiles_init();
    pack_wait_for_math();
    pack_tile(0, C);
    pack_dst_done();
    return 0;
}
