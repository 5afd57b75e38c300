/* The core of T0 stores to Config and to a GPR, and loads the GPR back. Config is another region: its store may still
 * be on its way when WRCFG writes the word, and then it wipes what WRCFG has written. tt-metal #12855; tt-llk's
 * configure_pack and _llk_pack_reduce_mask_config_ do this. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_VALUE = 20 };

STEP void begin(void) { // first
    config_write(SCRATCH_SEC0_val_ADDR32, 1);
    reg_write(MAP_GPR + 4 * GPR_VALUE, 42);
    (void)gpr_read(GPR_VALUE);
    fence();
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_CORE);
#endif
}

STEP void configure(void) {
    TTI_WRCFG(GPR_VALUE, 0, SCRATCH_SEC0_val_ADDR32); // second
    TTI_NOP();
}

int trisc0(void) {
    begin();
    configure();
    finish();
    return config_read(SCRATCH_SEC0_val_ADDR32) != 42;
}
