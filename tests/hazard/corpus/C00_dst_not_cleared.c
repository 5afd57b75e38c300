/* T2 packs rows of Dst that nobody has written or cleared: they hold what the kernel before has left. */
/* expect: UNWRITTEN SUSPECT */
/* first: nobody */
#include "corpus.h"
#include "kit/pack.h"

STEP void pack(void) { // second
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
#ifndef BROKEN
    TTI_ZEROACC(3, 0, 0, 0, 0);
    TTI_STALLWAIT(STALL_PACK, UNTIL_MATH);
#endif
    pack();
    finish();
    return 0;
}
