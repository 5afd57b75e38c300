/* T2 gets the semaphore before it waits for it. A get at 0 does nothing, so that the semaphore is one ahead from then
 * on: the second tile is packed before math is done with it. tt-llk #1401. */
/* expect: DST RACE, SEMAPHORE RACE, SEMAPHORE SUSPECT */
/* first: trisc1 */
/* second: trisc1 */
#include "corpus.h"
#include "kit/math.h"
#include "kit/pack.h"
#include "kit/unpack.h"

int trisc0(void) {
    fill(IN, tile_bytes(BF16), 0x40003F80);
    unpack_init(BF16, BF16);
    unpack_a(IN);
    unpack_a(IN);
    return 0;
}

STEP void copy(unsigned tile) { // first
    math_run(tile);
}

int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    mailbox_send(GUEST_TRISC2, 0);
    do_other_work(2000);
    for (unsigned tile = 0; tile < 2; tile++) {
        copy(tile);
        TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
        TTI_SEMPOST(1 << SEM_DST);
    }
    return 0;
}

STEP void pack(unsigned tile) { // second
    pack_tile(tile, OUT + tile * tile_bytes(BF16));
}

STEP void wait(void) { // first, second
#ifdef BROKEN
    TTI_SEMGET(1 << SEM_DST);
    TTI_SEMWAIT(STALL_TDMA | STALL_SYNC, 1 << SEM_DST, WHILE_ZERO);
#else
    TTI_SEMWAIT(STALL_TDMA | STALL_SYNC, 1 << SEM_DST, WHILE_ZERO);
    TTI_SEMGET(1 << SEM_DST);
#endif
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    mailbox_receive(GUEST_TRISC1);
    wait();
    do_other_work(4000);
    pack(0);
#ifndef BROKEN
    wait();
#endif
    pack(1);
    finish();
    return differs(OUT, 2 * tile_bytes(BF16), 0x40003F80);
}
