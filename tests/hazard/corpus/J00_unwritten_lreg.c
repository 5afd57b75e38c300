/* T1 stores an LReg to Dst that no instruction has written: it is whatever the last kernel left there. */
/* expect: UNWRITTEN SUSPECT */
/* first: nobody */
#include "corpus.h"
#include "kit/sync.h"

STEP void store(void) {
    TTI_SFPSTORE(3, 0, 3, 0); // second
}

int trisc1(void) {
#ifndef BROKEN
    TTI_SFPLOADI(3, 0, 0x3F80);
#endif
    store();
    finish();
    return 0;
}
