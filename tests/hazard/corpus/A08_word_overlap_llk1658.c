/* T2 writes the word of the packer's ReLU by WRCFG, all 32 bits. T1 sets another field of the word, of the Matrix Unit,
 * at the same time: whichever comes last decides about both. tt-llk #1658. */
/* expect: CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/math.h"
#include "kit/pack.h"

enum { GPR_RELU = 20 };

STEP void keep_zeros(void) { // first
    CONFIG_SET(ALU_ACC_CTRL_Zero_Flag_disabled_src, 1);
}

int trisc1(void) {
    keep_zeros();
    finish();
    return 0;
}

STEP void switch_relu_on(void) { // second
#ifdef BROKEN
    gpr_set(GPR_RELU, RELU_ZERO << STACC_RELU_ApplyRelu_SHAMT);
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR | UNTIL_PACK);
    TTI_WRCFG(GPR_RELU, 0, STACC_RELU_ApplyRelu_ADDR32);
    TTI_NOP();
#else
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_PACK);
    CONFIG_SET(STACC_RELU_ApplyRelu, RELU_ZERO);
#endif
}

int trisc2(void) {
    do_other_work(1000);
    switch_relu_on();
    finish();
    return 0;
}
