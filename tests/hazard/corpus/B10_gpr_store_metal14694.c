/* The core of T0 stores to a GPR and pushes WRCFG, which reads it. Nothing holds WRCFG until the store has landed: a
 * load of the GPR would do. tt-metal #14694. */
/* expect: GPR RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_VALUE = 20 };

STEP void set_gpr(unsigned value) { // first
    reg_write(MAP_GPR + 4 * GPR_VALUE, value);
#ifndef BROKEN
    (void)gpr_read(GPR_VALUE);
    fence();
#endif
}

STEP void configure(void) {
    TTI_WRCFG(GPR_VALUE, 0, SCRATCH_SEC0_val_ADDR32); // second
    TTI_NOP();
}

int trisc0(void) {
    set_gpr(42);
    configure();
    finish();
    return config_read(SCRATCH_SEC0_val_ADDR32) != 42;
}
