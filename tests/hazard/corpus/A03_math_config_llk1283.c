/* T1 changes the format in which the Matrix Unit takes SrcA, for the next operation. The wait for the Matrix Unit is
 * missing, so the last rows of the operation before may be taken in the new format. tt-llk #1283. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_ab(IN, IN);
    return 0;
}

STEP void add(void) { // first
    math_run(0);
}

STEP void change_format(void) { // second
#ifndef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_MATH);
#endif
    CONFIG_SET(ALU_FORMAT_SPEC_REG0_SrcA, FP16);
}

int trisc1(void) {
    math_init(0, 0);
    eltwise_init(ELTWISE_ADD, BROADCAST_NONE, LOFI);
    add();
    change_format();
    finish();
    return 0;
}
