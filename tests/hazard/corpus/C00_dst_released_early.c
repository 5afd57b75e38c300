/* T2 gives a half of Dst back to T1 while the packer may still be reading it: the STALLWAIT on the packer before SEMGET
 * is missing. Math may write over rows that are still to be packed. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { ONE = 0x3F803F80, TWO = 0x40004000 };

int trisc0(void) {
    fill(IN, tile_bytes(BF16), ONE);
    fill(IN + tile_bytes(BF16), tile_bytes(BF16), TWO);
    unpack_init(BF16, BF16);
    unpack_a(IN);
    unpack_a(IN + tile_bytes(BF16));
    return 0;
}

STEP void copy(void) { // second
    math_run(0);
}

/* All of Dst is one buffer: the semaphore's maximum is 1. */
int trisc1(void) {
    math_init(0, 0);
    TTI_SEMINIT(1, 0, 1 << SEM_DST);
    copy_init(0);
    for (unsigned i = 0; i < 2; i++) {
        do_other_work(2000);
        math_wait_for_dst();
        copy();
        TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
        TTI_SEMPOST(1 << SEM_DST);
    }
    return 0;
}

STEP void pack(unsigned address) { // first
    pack_tile(0, address);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    do_other_work(1000);
    for (unsigned i = 0; i < 2; i++) {
        TTI_SEMWAIT(STALL_TDMA | STALL_SYNC, 1 << SEM_DST, WHILE_ZERO);
        pack(OUT + i * tile_bytes(BF16));
#ifndef BROKEN
        TTI_STALLWAIT(STALL_SYNC, UNTIL_PACK);
#endif
        TTI_SEMGET(1 << SEM_DST);
    }
    finish();
    return differs(OUT, tile_bytes(BF16), ONE) | differs(OUT + tile_bytes(BF16), tile_bytes(BF16), TWO);
}
