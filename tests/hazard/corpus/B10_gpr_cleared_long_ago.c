/* The core of T0 clears a GPR, and sets it by an instruction hundreds of cycles later. Nothing orders the two but time:
 * a load of the GPR would. tt-llk's tests clear all GPRs before a kernel. */
/* expect: GPR LATENT */
#include "corpus.h"
#include "kit/config.h"

enum { GPR_VALUE = 20 };

STEP void clear_gpr(void) { // first
    reg_write(MAP_GPR + 4 * GPR_VALUE, 0);
#ifndef BROKEN
    (void)gpr_read(GPR_VALUE);
    fence();
#endif
}

STEP void set_gpr(void) { // second
    TTI_SETDMAREG(0, 42, 0, 2 * GPR_VALUE);
    TTI_NOP();
    TTI_NOP();
}

int trisc0(void) {
    clear_gpr();
    for (uint64_t end = wall_clock() + 300; wall_clock() < end;)
        ;
    set_gpr();
    finish();
    return gpr_read(GPR_VALUE) != 42;
}
