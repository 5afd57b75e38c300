/* T2 has the Scalar Unit store a tile's words to L1 and posts a semaphore; T0 unpacks. The wait for the Scalar Unit is
 * missing, whose stores go on by themselves. tt-metal #34115. */
/* expect: L1_BY_UNITS RACE */
#include "corpus.h"
#include "kit/unpack.h"

enum { GPR_DATA = 8, GPR_ADDRESS = 4, GPR_OFFSET = 6, SEM_STORED = 6 };

STEP void store(void) {
    TTI_STOREIND(1, 0, 0, 2 * GPR_OFFSET, 0, GPR_DATA, GPR_ADDRESS); // first
}

int trisc2(void) {
    gpr_set(GPR_ADDRESS, IN / 16);
    gpr_set(GPR_OFFSET, 0);
    TTI_SEMINIT(1, 0, 1 << SEM_STORED);
    store();
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SYNC, UNTIL_SCALAR);
#endif
    TTI_SEMPOST(1 << SEM_STORED);
    finish();
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    do_other_work(2000);
    TTI_SEMWAIT(STALL_UNPACK, 1 << SEM_STORED, WHILE_ZERO);
    unpack();
    finish();
    return 0;
}
