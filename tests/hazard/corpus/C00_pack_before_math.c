/* T1 tells T2 that a half of Dst is full while the Matrix Unit may still be filling it: the STALLWAIT before SEMPOST is
 * missing. The packer may read old rows. */
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
    math_wait_for_dst();
    copy();
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
#endif
    TTI_SEMPOST(1 << SEM_DST);
    return 0;
}

STEP void pack(void) { // second
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    do_other_work(2000);
    pack_wait_for_math();
    pack();
    pack_dst_done();
    finish();
    return differs(OUT, tile_bytes(BF16), 0x40003F80);
}
