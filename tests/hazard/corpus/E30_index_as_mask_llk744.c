/* T2 waits for a semaphore by its index where a mask is wanted: for semaphore 1 that is a wait for semaphore 0. The
 * packer begins before math is done. tt-llk #744. */
/* expect: DST RACE, SEMAPHORE RACE */
/* first: trisc1 */
/* second: trisc2 */
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
    TTI_SEMINIT(1, 1, 1 << 0);
    math_init(0, 0);
    copy_init(0);
    copy();
    math_dst_done();
    return 0;
}

STEP void pack(void) { // second
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    do_other_work(10000);
#ifdef BROKEN
    TTI_SEMWAIT(STALL_TDMA, SEM_DST, WHILE_ZERO);
#else
    TTI_SEMWAIT(STALL_TDMA, 1 << SEM_DST, WHILE_ZERO);
#endif
    pack();
    pack_dst_done();
    finish();
    return differs(OUT, tile_bytes(BF16), 0x40003F80);
}
