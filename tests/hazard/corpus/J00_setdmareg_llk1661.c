/* T0 sets a GPR by SETDMAREG, and WRCFG takes it from there at once. Blackhole is said to need a STALLWAIT on THCON
 * between them. tt-llk #1661. */
/* expect: GPR UNCERTAIN */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_VALUE = 20 };

STEP void configure(void) {
    TTI_SETDMAREG(0, 42, 0, 2 * GPR_VALUE); // first
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
#endif
    TTI_WRCFG(GPR_VALUE, 0, SCRATCH_SEC0_val_ADDR32); // second
    TTI_NOP();
}

int trisc0(void) {
    gpr_set(GPR_VALUE, 0);
    configure();
    finish();
    return config_read(SCRATCH_SEC0_val_ADDR32) != 42;
}
