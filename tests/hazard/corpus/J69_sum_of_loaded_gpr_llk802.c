/* T0 loads a word from L1 to a GPR and adds to it. The addition may take what the GPR held before: LOADIND does not
 * keep the thread until the word has come. tt-llk #802. */
/* expect: GPR RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_ADDRESS = 4, GPR_OFFSET = 6, GPR_WORD = 8, GPR_SUM = 12 };

STEP void load(void) {
    TTI_LOADIND(1, 2 * GPR_OFFSET, 0, GPR_WORD, GPR_ADDRESS); // first
}

STEP void add(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SCALAR, UNTIL_SCALAR);
#endif
    TTI_ADDDMAREG(1, GPR_SUM, 1, GPR_WORD); // second
}

int trisc0(void) {
    fill(IN, 16, 42);
    gpr_set(GPR_ADDRESS, IN / 16);
    gpr_set(GPR_OFFSET, 0);
    gpr_set(GPR_WORD, 0);
    load();
    add();
    finish();
    return gpr_read(GPR_SUM) != 43;
}
