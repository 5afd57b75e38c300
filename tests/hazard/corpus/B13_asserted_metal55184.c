/* The core of T0 does not wait before it stores the address of a tile into the context of the tile before. It asserts
 * that the semaphore is not at its top, and reads 0 then, because it comes late; but it would have gone on with any
 * value up to 14. tt-llk asserts this in semaphore_post. tt-metal #55184. */
/* expect: CONFIG_IN_USE RACE */
#include "corpus.h"
#include "kit/unpack.h"

STEP void begin(unsigned address) { // second
    let_others_end();
#ifndef BROKEN
    while ((uint8_t)semaphore_read(SEM_UNPACK) >= 1)
        ;
#endif
    if (__builtin_expect((uint8_t)semaphore_read(SEM_UNPACK) > 14, 0))
        __builtin_trap();
    config_write(THCON_SEC0_REG3_Base_address_ADDR32, address / 16 - 1);
    semaphore_post(SEM_UNPACK);
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_CORE);
}

STEP void unpack(void) { // first
    TT_EMIT(UNPACR_WORD(UNPACKER_A, 0, 0));
}

STEP void end(void) {
    TTI_STALLWAIT(STALL_SYNC, UNTIL_UNPACK0);
    TTI_SEMGET(1 << SEM_UNPACK);
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
