/* T2 writes the packer's word with the size of the exponent section by WRCFG. It waits for the GPR, not for the packer,
 * which may still be at work on the tile before. tt-llk #1387. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/pack.h"

enum { GPR_SECTION = 20 };

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

STEP void change_section(void) {
    gpr_set(GPR_SECTION, TILE_EXPONENTS / 16 << THCON_SEC0_REG1_Exp_section_size_SHAMT);
#ifdef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
#else
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR | UNTIL_PACK);
#endif
    TTI_WRCFG(GPR_SECTION, 0, THCON_SEC0_REG1_Exp_section_size_ADDR32); // second
    TTI_NOP();
}

int trisc2(void) {
    fill(OUT, tile_bytes(BF16), ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
    change_section();
    finish();
    return differs(OUT, tile_bytes(BF16), 0);
}
