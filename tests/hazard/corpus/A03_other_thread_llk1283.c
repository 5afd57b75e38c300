/* T0 changes the format of SrcA for unpackers and math alike. It has waited for its unpackers, but nobody has told it
 * that the Matrix Unit is done with T1's operation. tt-llk #1283. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

enum { SEM_MATH_DONE = 6 };

STEP void change_format(void) { // second
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_UNPACK0 | UNTIL_UNPACK1);
#ifndef BROKEN
    TTI_SEMWAIT(STALL_CONFIG, 1 << SEM_MATH_DONE, WHILE_ZERO);
#endif
    CONFIG_SET(ALU_FORMAT_SPEC_REG0_SrcA, FP16);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack_ab(IN, IN);
    do_other_work(1000);
    change_format();
    finish();
    return 0;
}

STEP void add(void) { // first
    math_run(0);
}

int trisc1(void) {
    TTI_SEMINIT(1, 0, 1 << SEM_MATH_DONE);
    math_init(0, 0);
    eltwise_init(ELTWISE_ADD, BROADCAST_NONE, LOFI);
    add();
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
    TTI_SEMPOST(1 << SEM_MATH_DONE);
    finish();
    return 0;
}
