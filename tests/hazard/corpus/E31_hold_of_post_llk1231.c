/* T1 waits for the Matrix Unit before it posts the semaphore, but the wait holds the packer's instructions, of which T1
 * has none: SEMPOST passes. tt-llk #1231. */
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
#ifdef BROKEN
    TTI_STALLWAIT(STALL_PACK, UNTIL_MATH);
#else
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
    do_other_work(10000);
    pack_wait_for_math();
    pack();
    pack_dst_done();
    finish();
    return differs(OUT, tile_bytes(BF16), 0x40003F80);
}
