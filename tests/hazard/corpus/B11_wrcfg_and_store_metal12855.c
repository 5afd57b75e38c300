/* The core of T2 stores to a word of configuration that a WRCFG, which it has pushed before, is about to write. Either
 * may come last. tt-metal #12855. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_MASK = 20, WORD = PCK_EDGE_OFFSET_SEC1_mask_ADDR32 };

STEP void write_mask(void) {
    gpr_set(GPR_MASK, 1);
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(GPR_MASK, 0, WORD); // first
    TTI_NOP();
}

STEP void store_mask(void) { // second
#ifndef BROKEN
    tensix_sync();
#endif
    config_write(WORD, 0xFFFF);
}

int trisc2(void) {
    write_mask();
    do_other_work(1000);
    store_mask();
    do_other_work(100);
    return config_read(WORD) != 0xFFFF;
}
