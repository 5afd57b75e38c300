/* T0 loads a word from L1 to a GPR, and WRCFG takes it from there. LOADIND does not keep the thread until the word has
 * come: it takes a STALLWAIT on THCON, or WRCFG uses what an earlier user has left there. tt-llk #802. */
/* expect: GPR RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_ADDRESS = 4, GPR_OFFSET = 6, GPR_WORD = 8 };

STEP void load(void) {
    TTI_LOADIND(1, 2 * GPR_OFFSET, 0, GPR_WORD, GPR_ADDRESS); // first
}

STEP void configure(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
#endif
    TTI_WRCFG(GPR_WORD, 0, SCRATCH_SEC0_val_ADDR32); // second
    TTI_NOP();
}

int trisc0(void) {
    fill(IN, 16, 42);
    gpr_set(GPR_ADDRESS, IN / 16);
    gpr_set(GPR_OFFSET, 0);
    load();
    configure();
    finish();
    return config_read(SCRATCH_SEC0_val_ADDR32) != 42;
}
