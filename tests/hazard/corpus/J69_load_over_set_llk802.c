/* T0 sets a GPR that a LOADIND may still have to write: whichever comes last decides. tt-llk #802. */
/* expect: GPR RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_ADDRESS = 4, GPR_OFFSET = 6, GPR_WORD = 8 };

STEP void load(void) {
    TTI_LOADIND(1, 2 * GPR_OFFSET, 0, GPR_WORD, GPR_ADDRESS); // first
}

STEP void set(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SCALAR, UNTIL_SCALAR);
#endif
    TTI_SETDMAREG(0, 7, 0, 2 * GPR_WORD); // second
}

int trisc0(void) {
    fill(IN, 16, 42);
    gpr_set(GPR_ADDRESS, IN / 16);
    gpr_set(GPR_OFFSET, 0);
    load();
    set();
    finish();
    return gpr_read(GPR_WORD) != 7;
}
