/* T0 gives unpacker 1 another tile descriptor, four words by one WRCFG. It waits for unpacker 0, which has nothing to
 * do with it. tt-llk #914. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/unpack.h"

enum { GPR_DESCRIPTOR = 20 };

STEP void unpack(void) { // first
    unpack_b(IN);
}

STEP void describe(void) {
    gpr_set(GPR_DESCRIPTOR + 0, FP16 | 1 << 4 | FACE_DATA << 16);
    gpr_set(GPR_DESCRIPTOR + 1, 1 | 4 << 16);
    gpr_set(GPR_DESCRIPTOR + 2, 0);
    gpr_set(GPR_DESCRIPTOR + 3, 0);
#ifdef BROKEN
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR | UNTIL_UNPACK0);
#else
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR | UNTIL_UNPACK1);
#endif
    TTI_WRCFG(GPR_DESCRIPTOR, 1, THCON_SEC1_REG0_TileDescriptor_ADDR32); // second
    TTI_NOP();
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack();
    describe();
    finish();
    return 0;
}
