/* The core of T2 stores how the packer shall read Dst to configuration and pushes PACRs. Nothing holds them until the
 * store has landed. tt-metal #12855. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/pack.h"

STEP void read_32_bits(void) { // first
    config_write(PCK_DEST_RD_CTRL_Read_32b_data_ADDR32, 1);
}

STEP void pack(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_PACK, UNTIL_CORE);
#endif
    mop_run();
}

int trisc2(void) {
    fill(OUT, tile_bytes(BF16), ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack_to(OUT);
    tensix_sync();
    read_32_bits();
    pack();
    finish();
    return differs(OUT, tile_bytes(BF16), 0);
}
