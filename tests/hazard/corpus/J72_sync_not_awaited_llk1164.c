/* The core of T0 asks for a sign that its instructions are done, but does not wait for it: it never uses the value. It
 * reads a GPR that LOADIND may still have to write. tt-llk #1164. */
/* expect: GPR RACE */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_ADDRESS = 4, GPR_OFFSET = 6, GPR_WORD = 8 };

STEP void load(void) {
    gpr_set(GPR_ADDRESS, IN / 16);
    gpr_set(GPR_OFFSET, 0);
    TTI_LOADIND(1, 2 * GPR_OFFSET, 0, GPR_WORD, GPR_ADDRESS); // first
}

STEP uint32_t read_word(void) { // second
    return gpr_read(GPR_WORD);
}

int trisc0(void) {
    fill(IN, 16, 42);
    load();
    reg_write(MAP_TTSYNC, 0);
#ifdef BROKEN
    do_other_work(1000);
#else
    (void)reg_read(MAP_TTSYNC);
    fence();
#endif
    return read_word() != 42;
}
