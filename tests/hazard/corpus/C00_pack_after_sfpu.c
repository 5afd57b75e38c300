/* T1 posts the semaphore for the packer after a wait for MATH; the last to write to Dst was the Vector Unit. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/pack.h"
#include "kit/sfpu.h"

STEP void make_rows(void) {
    TTI_SFPLOADI(L0, 0, 0x3F80);
    TTI_SFPSTORE(L0, 2, 0, 0); // first
}

int trisc1(void) {
    math_init(0, 0);
    TTI_STALLWAIT(STALL_SFPU, UNTIL_MATH);
    make_rows();
#ifdef BROKEN
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
#else
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH | UNTIL_SFPU);
#endif
    TTI_SFPSTORE(12, 2, 0, 0); /* only becomes a template of SFPLOADMACRO */
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
    return *word_at(OUT) != 0x3F80; /* the even columns */
}
