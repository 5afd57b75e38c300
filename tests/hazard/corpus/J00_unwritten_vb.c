/* T1 masks by an LReg that no instruction has written: VB of SFPAND, which the automatic stall does not see either. The
 * instruction for LReg12 only becomes a template of SFPLOADMACRO, so that it reads nothing. */
/* expect: UNWRITTEN SUSPECT */
/* first: nobody */
#include "corpus.h"
#include "kit/sync.h"

STEP void mask(void) {
    TTI_SFPAND(3, 9, 2, 1); // second
}

int trisc1(void) {
    TTI_SFPIADD(1, 6, 12, 5);
#ifndef BROKEN
    TTI_SFPLOADI(3, 0, 0x3F80);
#endif
    mask();
    finish();
    return 0;
}
