/* T2 moves the packer to the other half of Dst, without a wait for the packer: rows of the tile before may come from
 * the wrong half. tt-llk #738. */
/* silent: PACR samples DEST_TARGET_REG_CFG_PACK_SEC0_Offset when it starts (Packers/InputAddressGenerator.md) */
#include "corpus.h"
#include "kit/pack.h"

STEP void pack(void) {
    pack_tile(0, OUT);
}

STEP void change_half(void) {
    gpr_set(GPR_PACK_HALF, 512);
#ifdef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
#else
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR | UNTIL_PACK);
#endif
    TTI_WRCFG(GPR_PACK_HALF, 0, DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32);
    TTI_NOP();
}

int trisc2(void) {
    fill(OUT, tile_bytes(BF16), ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
    change_half();
    finish();
    return differs(OUT, tile_bytes(BF16), 0);
}
