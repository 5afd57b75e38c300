/* The core of T0 uses one context for all tiles, and stores the address of a tile while UNPACR of the tile before may
 * not have begun. Two contexts, with a semaphore that counts those in use, would do. tt-metal #55184. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/unpack.h"

STEP void begin(unsigned address) { // second
    while (semaphore_read(SEM_UNPACK) >= 2)
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
