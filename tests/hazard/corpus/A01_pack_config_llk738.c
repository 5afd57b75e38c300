/* T2 changes the packer's output format for the next tile. The wait for the packer is missing, so the last rows of the
 * tile before may come out in the new format. tt-llk #738. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/pack.h"

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

STEP void change_format(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_PACK);
#endif
    CONFIG_SET(THCON_SEC0_REG1_Out_data_format, FP32);
}

int trisc2(void) {
    fill(OUT, tile_bytes(BF16), ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
    change_format();
    tensix_sync();
    return differs(OUT, tile_bytes(BF16), 0);
}
