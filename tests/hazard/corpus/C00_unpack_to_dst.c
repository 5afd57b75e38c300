/* T0 unpacks to Dst and tells T1 that the rows are there, without a wait for the unpacker. The Vector Unit may read old
 * rows. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/sfpu.h"
#include "kit/unpack.h"

STEP void unpack(void) { // first
    unpack_to_dst(IN, 0);
}

int trisc0(void) {
    unpack_init_to_dst(FP32);
    unpack_wait_for_dst();
    unpack();
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SYNC, UNTIL_UNPACK0);
#endif
    TTI_SEMPOST(1 << SEM_DST_FILLED);
    finish();
    return 0;
}

STEP void use_rows(void) {
    TTI_SFPLOAD(L0, 3, 0, 0); // second
}

int trisc1(void) {
    math_init(1, 0);
    do_other_work(1000);
    math_wait_for_dst();
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
    math_lend_dst();
    do_other_work(1000);
    math_take_dst();
    use_rows();
    finish();
    return 0;
}
