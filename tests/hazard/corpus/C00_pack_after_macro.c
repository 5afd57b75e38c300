/* The store that SFPLOADMACRO schedules writes to Dst behind the load that is issued: T1 posts the semaphore for the
 * packer without a wait for SFPU. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/pack.h"
#include "kit/sfpu.h"

enum { SEQUENCE_0 = 4, STORE_ONLY = 0x0300 }; /* of SFPCONFIG; the sub-unit for stores is the highest byte */

STEP void set_macro_up(void) {
    TTI_SFPLOADI(L0, 0, STORE_ONLY);
    TTI_SFPCONFIG(0, SEQUENCE_0, 0);
}

STEP void make_rows(void) {
    TTI_SFPLOADMACRO(0, 2, 0, 0); // first
}

int trisc1(void) {
    math_init(0, 0);
    set_macro_up();
    TTI_STALLWAIT(STALL_SFPU, UNTIL_MATH);
    make_rows();
#ifdef BROKEN
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
#else
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH | UNTIL_SFPU);
#endif
    TTI_SEMPOST(1 << SEM_DST);
    return 0;
}

STEP void pack(void) { // second
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    do_other_work(2000);
    pack_wait_for_math();
    pack();
    finish();
    return 0;
}
