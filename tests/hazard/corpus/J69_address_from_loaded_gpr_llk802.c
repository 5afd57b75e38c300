/* T0 loads an address from L1 to a GPR, and a word from there. The second load may use what the GPR held before.
 * tt-llk #802. */
/* expect: GPR RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_ADDRESS = 4, GPR_OFFSET = 6, GPR_NEXT = 8, GPR_WORD = 12 };

STEP void load_address(void) {
    TTI_LOADIND(1, 2 * GPR_OFFSET, 0, GPR_NEXT, GPR_ADDRESS); // first
}

STEP void load_word(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SCALAR, UNTIL_SCALAR);
#endif
    TTI_LOADIND(1, 2 * GPR_OFFSET, 0, GPR_WORD, GPR_NEXT); // second
}

int trisc0(void) {
    fill(IN, 16, OUT / 16);
    fill(OUT, 16, 42);
    gpr_set(GPR_ADDRESS, IN / 16);
    gpr_set(GPR_OFFSET, 0);
    gpr_set(GPR_NEXT, IN / 16);
    load_address();
    load_word();
    finish();
    return gpr_read(GPR_WORD) != 42;
}
