/* T2 waits for math, but the wait holds instructions of the Matrix Unit and not those of the packer, which pass.
 * tt-llk #1231. */
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
    math_dst_done();
    return 0;
}

STEP void pack(void) { // second
    mop_run();
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack_to(OUT);
    do_other_work(10000);
#ifdef BROKEN
    TTI_SEMWAIT(STALL_MATH, 1 << SEM_DST, WHILE_ZERO);
#else
    TTI_SEMWAIT(STALL_PACK, 1 << SEM_DST, WHILE_ZERO);
#endif
    pack();
    pack_dst_done();
    finish();
    return differs(OUT, tile_bytes(BF16), 0x40003F80);
}
