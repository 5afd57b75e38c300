/* The core of T0 stores the address of a tile into the context of the tile before when fewer than two tiles are
 * outstanding. It comes late, and none is; but it would not have waited for that. tt-llk compares a byte of the
 * semaphore, which is an instruction between the load and the branch. tt-metal #55184, llk_unpack_hadamard.h. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/unpack.h"

STEP void begin(unsigned address) { // second
    let_others_end();
    while ((uint8_t)semaphore_read(SEM_UNPACK) >= 2)
        ;
    config_write(THCON_SEC0_REG3_Base_address_ADDR32 + unpack_context, address / 16 - 1);
    semaphore_post(SEM_UNPACK);
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_CORE);
}

STEP void unpack(void) { // first
    TT_EMIT(UNPACR_WORD(UNPACKER_A, 0, 0));
}

STEP void end(void) {
    TTI_STALLWAIT(STALL_SYNC, UNTIL_UNPACK0);
#ifdef BROKEN
    TTI_SEMGET(1 << SEM_UNPACK);
#else
    unpack_end();
#endif
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    for (unsigned i = 0; i < 2; i++) {
        begin(IN + i * tile_bytes(BF16));
        unpack();
        end();
    }
    finish();
    return 0;
}
