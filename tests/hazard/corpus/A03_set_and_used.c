/* T1 changes the format in which the Matrix Unit takes SrcA, and uses it with the next instruction. RMWCIB takes one
 * cycle, so that no wait is needed between the two; but what came before must be over. tt-llk's transpose of Dst. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_ab(IN, IN);
    unpack_ab(IN, IN); /* stays in the banks */
    return 0;
}

STEP void add(void) { // first
    math_run(0);
}

STEP void change_and_use(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_MATH);
#endif
    CONFIG_SET(ALU_FORMAT_SPEC_REG0_SrcA, BF16);
    TTI_MOVA2D(0, 0, 0, 2, 0);
}

int trisc1(void) {
    math_init(0, 0);
    eltwise_init(ELTWISE_ADD, BROADCAST_NONE, LOFI);
    add();
    change_and_use();
    finish();
    return 0;
}
