/* The core of T0 loads a word of configuration that an RMWCIB, which it has pushed before, may still have to change.
 * tt-metal #46176. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/config.h"

STEP void change(void) { // first
    CONFIG_SET(SCRATCH_SEC0_val, 42);
}

STEP unsigned look(void) { // second
    return config_read(SCRATCH_SEC0_val_ADDR32);
}

int trisc0(void) {
    change();
#ifdef BROKEN
    do_other_work(1000);
#else
    finish();
#endif
    return look() != 42;
}
