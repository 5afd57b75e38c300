/* The core of T0 stores a shift to SCRATCH_SEC0, which a CFGSHIFTMASK that it has pushed before may still have to read.
 * tt-metal #48161; harmless if the store has the same value. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/unpack.h"

enum { SHIFT_MASK_FROM_SCRATCH = 0 };

STEP void shift(void) {
    TTI_CFGSHIFTMASK(1, 3, 31, 0, SHIFT_MASK_FROM_SCRATCH, THCON_SEC0_REG3_Base_address_ADDR32); // first
    TTI_NOP();
}

STEP void change_step(unsigned step) { // second
#ifndef BROKEN
    tensix_sync();
#endif
    config_write(SCRATCH_SEC0_val_ADDR32, step);
}

int trisc0(void) {
    change_step(64);
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_CORE);
    shift();
    do_other_work(1000);
    change_step(128);
    finish();
    return 0;
}
