/* The core of T2 stores the packer's next address to configuration, while the PACRs that it has pushed for the tile
 * before may still be on their way to the packer. tt-metal #44079. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/pack.h"

STEP void pack(void) { // first
    mop_run();
}

STEP void go_to(unsigned address) { // second
#ifndef BROKEN
    tensix_sync();
#endif
    config_write(THCON_SEC0_REG1_L1_Dest_addr_ADDR32, address / 16 - 1);
    TTI_STALLWAIT(STALL_PACK, UNTIL_CORE);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    fill(OUT, 2 * tile_bytes(BF16), ~0u);
    go_to(OUT);
    pack();
    do_other_work(1000);
    go_to(OUT + tile_bytes(BF16));
    pack();
    finish();
    return differs(OUT, 2 * tile_bytes(BF16), 0);
}
