/* The core of T0 stores the address of a tile to configuration and pushes UNPACR. Nothing holds UNPACR until the store
 * has landed: the STALLWAIT on TRISC_CFG is missing. tt-metal #14694. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/unpack.h"

STEP void go_to(unsigned address) { // first
    config_write(THCON_SEC0_REG3_Base_address_ADDR32, address / 16 - 1);
}

STEP void unpack(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_CORE);
#endif
    TT_EMIT(UNPACR_WORD(UNPACKER_A, 0, 1));
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    do_other_work(1000);
    go_to(IN);
    unpack();
    finish();
    return 0;
}
