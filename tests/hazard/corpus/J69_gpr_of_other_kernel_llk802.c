/* T0 writes a GPR to the configuration that only another kernel has set: alone it is whatever the chip held.
 * tt-llk #802. */
/* expect: UNWRITTEN SUSPECT */
/* first: nobody */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_VALUE = 20 };

STEP void configure(void) {
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(GPR_VALUE, 0, SCRATCH_SEC0_val_ADDR32); // second
    TTI_NOP();
}

int trisc0(void) {
#ifndef BROKEN
    gpr_set(GPR_VALUE, 42);
#endif
    configure();
    finish();
    return 0;
}
