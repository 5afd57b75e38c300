/* T1 and T2 both have the Matrix Unit write the same rows of Dst. The unit does one after the other, but nothing says
 * which comes first. */
/* expect: DST RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

enum { SEM_FIRST = 6 };

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_ab(IN, IN);
    finish();
    return 0;
}

int trisc1(void) {
    TTI_SEMINIT(1, 0, 1 << SEM_FIRST);
    math_slot(0, 0, 0, 0);
    TTI_MOVA2D(0, 0, 0, 2, 0); // first
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
    TTI_SEMPOST(1 << SEM_FIRST);
    finish();
    return 0;
}

int trisc2(void) {
    TTI_SETC16(ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32, 0);
    TTI_SETC16(ADDR_MOD_DST_SEC0_DestIncr_ADDR32, 0);
    do_other_work(4000);
#ifndef BROKEN
    TTI_SEMWAIT(STALL_MATH, 1 << SEM_FIRST, WHILE_ZERO);
#endif
    TTI_MOVB2D(0, 0, 0, 4, 0); // second
    finish();
    return 0;
}
