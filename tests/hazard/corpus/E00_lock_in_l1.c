/* T2 packs a tile and T0 unpacks it, each while it has a lock in L1: ATCAS takes it, ATSWAP gives it back. In the
 * broken form T2 gives it back before the packer is done. */
/* expect: L1_BY_UNITS RACE */
#include "corpus.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { GPR_LOCK = 40, GPR_FREE = 44, FREE = 0, TAKEN = 1, FIRST_WORD = 3 };

static void set_lock_up(void) {
    TTI_SETDMAREG(0, FLAG / 16, 0, 2 * GPR_LOCK);
    TTI_SETDMAREG(0, FREE, 0, 2 * GPR_FREE);
    TTI_SETDMAREG(0, 0, 0, 2 * GPR_LOCK + 1);
    TTI_SETDMAREG(0, 0, 0, 2 * GPR_FREE + 1);
    TTI_NOP();
}

static void take(void) {
    TTI_ATCAS(0, TAKEN, FREE, 0, 0, GPR_LOCK);
}

static void give_back(void) {
    TTI_ATSWAP(0, FIRST_WORD, GPR_FREE, GPR_LOCK);
}

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

int trisc2(void) {
    *word_at(FLAG) = FREE;
    (void)*word_at(FLAG);
    fence();
    mailbox_send(GUEST_TRISC0, FLAG);
    pack_init(BF16, BF16);
    pack_tiles_init();
    set_lock_up();
    take();
    pack();
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SCALAR, UNTIL_PACK);
#endif
    give_back();
    finish();
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(OUT);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    (void)mailbox_receive(GUEST_TRISC2);
    do_other_work(3000);
    set_lock_up();
    take();
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_SCALAR);
    unpack();
    TTI_STALLWAIT(STALL_SCALAR, UNTIL_UNPACK0);
    give_back();
    finish();
    return 0;
}
