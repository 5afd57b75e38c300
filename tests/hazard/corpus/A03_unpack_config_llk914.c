/* T0 undoes the transposition of faces after a tile. The wait for unpacker 0 is missing, so the rest of the tile may go
 * to SrcA as it is. tt-llk #914. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/unpack.h"

STEP void unpack(void) { // first
    unpack_a(IN);
}

STEP void undo_transpose(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_UNPACK0);
#endif
    CONFIG_SET(THCON_SEC0_REG2_Haloize_mode, 0);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_transpose(1);
    unpack();
    undo_transpose();
    finish();
    return 0;
}
