/* T0 changes the format in which unpacker 0 fills SrcA, after a tile. The wait for the unpacker is missing, so the rest
 * of the tile may come in the new format. tt-llk #914. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/unpack.h"

STEP void unpack(void) { // first
    unpack_a(IN);
}

STEP void change_format(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_UNPACK0);
#endif
    CONFIG_SET(THCON_SEC0_REG2_Out_data_format, FP16);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack();
    change_format();
    finish();
    return 0;
}
