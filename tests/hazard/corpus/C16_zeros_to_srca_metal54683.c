/* T0 fills a bank of SrcA with zeros by UNPACR_NOP, without a wait until the Matrix Unit has given the bank back: it
 * may still be reading. tt-metal #54683. */
/* expect: SRC RACE */
/* missed: banks of SrcA and SrcB are not watched */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

STEP void clear_bank(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_SRCA_FREE);
#endif
    TTI_UNPACR_NOP(UNPACKER_A, 0, 0, 0, 0, 0, 0, 0, 1); // second
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_a(IN);
    unpack_a(IN);
    do_other_work(1000);
    clear_bank();
    finish();
    return 0;
}

STEP void use_bank(void) { // first
    math_run(0);
}

int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    use_bank();
    use_bank();
    finish();
    return 0;
}
