/* T0 and T1 each read a word of configuration to a GPR, add to it and write it back. Without the mutex one of them may
 * write back what it has read before the other. tt-metal #50123. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "llk.h"

enum { GPR_VALUE = 20, GPR_ONE = 24 };

STEP void add_one(void) { // first, second
#ifndef BROKEN
    t6_mutex_acquire(mutex_REG_RMW);
#endif
    TTI_RDCFG(GPR_VALUE, SCRATCH_SEC0_val_ADDR32);
    TTI_STALLWAIT(STALL_SCALAR, UNTIL_CONFIG);
    TTI_ADDDMAREG(0, GPR_VALUE, GPR_VALUE, GPR_ONE);
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(GPR_VALUE, 0, SCRATCH_SEC0_val_ADDR32);
    TTI_NOP;
    TTI_NOP;
#ifndef BROKEN
    t6_mutex_release(mutex_REG_RMW);
#endif
}

int trisc0(void) {
    gpr_set(GPR_ONE, 1);
    add_one();
    finish();
    return 0;
}

int trisc1(void) {
    gpr_set(GPR_ONE, 1);
    do_other_work(500);
    add_one();
    finish();
    let_others_end();
    return config_read(SCRATCH_SEC0_val_ADDR32) != 2;
}
