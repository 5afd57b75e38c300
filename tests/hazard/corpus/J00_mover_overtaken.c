/* T0 has the mover copy bytes of L1, and stores what it has loaded to their source, without a wait for the mover: the
 * copy may have the new bytes. */
/* expect: L1_BY_UNITS RACE */
#include "corpus.h"
#include "kit/config.h"

enum { BYTES = 1024, L1_TO_L1 = 3, GPR_ADDRESS = 4, GPR_OFFSET = 6, GPR_WORD = 8 };

STEP void copy(void) {
    TTI_XMOV(0, 0); // first
}

STEP void overwrite(void) {
#ifndef BROKEN
    TTI_STALLWAIT(STALL_SCALAR, UNTIL_MOVER);
#endif
    TTI_STOREIND(1, 0, 1, 2 * GPR_OFFSET, 0, GPR_WORD, GPR_ADDRESS); // second
}

int trisc0(void) {
    fill(IN, BYTES, 5);
    config_write(THCON_SEC0_REG6_Source_address_ADDR32, IN / 16);
    config_write(THCON_SEC0_REG6_Destination_address_ADDR32, OUT / 16);
    config_write(THCON_SEC0_REG6_Buffer_size_ADDR32,
                 BYTES / 16 | (uint32_t)L1_TO_L1 << THCON_SEC0_REG6_Transfer_direction_SHAMT);
    (void)config_read(THCON_SEC0_REG6_Buffer_size_ADDR32);
    gpr_set(GPR_ADDRESS, (IN + BYTES) / 16 - 1);
    gpr_set(GPR_OFFSET, 0);
    gpr_set(GPR_WORD, 7);
    copy();
    overwrite();
    finish();
    return differs(OUT, BYTES, 5);
}
