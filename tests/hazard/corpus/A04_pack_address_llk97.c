/* T2 writes the packer's address by WRCFG, and packs with the very next instruction, which may still see the old
 * address: the NOP between them is missing. tt-llk #97. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/pack.h"

STEP void pack(unsigned address) {
    gpr_set(GPR_PACK_ADDRESS, address / 16 - 1);
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32); // first
#ifndef BROKEN
    TTI_NOP();
#endif
    TTI_PACR(0, 0, 0, 1, 0, 0, ROWS_4, 0, 0, 0, 0, 1); // second
}

int trisc2(void) {
    fill(OUT, 128, ~0u);
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack_to(IN);
    do_other_work(100);
    pack(OUT);
    finish();
    return differs(OUT, 128, 0);
}
