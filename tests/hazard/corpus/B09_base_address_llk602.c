/* The core of T0 stores the address of the next tile to configuration between two runs of a MOP, although the UNPACRs
 * of the first run may still be on their way to the unpacker. tt-llk #602. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/mop.h"
#include "kit/unpack.h"

STEP void go_to(unsigned address) { // second
#ifndef BROKEN
    tensix_sync();
#endif
    config_write(THCON_SEC0_REG3_Base_address_ADDR32, address / 16 - 1);
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_CORE);
}

STEP void unpack(void) { // first
    mop_run();
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    mop_load((struct mop){ .outer = 1, .inner = 1, .first = UNPACR_WORD(UNPACKER_A, 0, 1) });
    go_to(IN);
    unpack();
    do_other_work(1000);
    go_to(IN + tile_bytes(BF16));
    unpack();
    finish();
    return 0;
}
