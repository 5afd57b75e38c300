/* T0 sets the context of unpacker 0 by SETC16, which writes all 16 bits of a word of ThreadConfig: the context of
 * unpacker 1, another field of the word, is lost. tt-metal #48359. */
/* expect: LOST_FIELD SUSPECT */
#include "corpus.h"
#include "kit/unpack.h"

enum {
    CONTEXT_A = 1 << UNPACK_MISC_CFG_CfgContextOffset_0_SHAMT,
    CONTEXT_B = 1 << UNPACK_MISC_CFG_CfgContextOffset_1_SHAMT
};

STEP void set_context_b(void) {
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, CONTEXT_B); // first
}

STEP void set_context_a(void) {
#ifdef BROKEN
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, CONTEXT_A); // second
#else
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, CONTEXT_A | CONTEXT_B);
#endif
}

int trisc0(void) {
    set_context_b();
    set_context_a();
    finish();
    return 0;
}
