/* T0 waits for one page of a circular buffer and unpacks two: the second may still be on its way. tt-metal #44973. */
/* expect: READ_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

STEP void fetch(uint32_t page) { // first
    noc_read(noc_tile(IDLE_X, ROW_Y), IN + page * tile_bytes(BF16), IN + page * tile_bytes(BF16), tile_bytes(BF16));
}

int ncrisc(void) {
    noc_init();
    for (unsigned page = 0; page < 2; page++) {
        fetch(page);
        noc_reads_done();
        *word_at(FLAG) = page + 1;
    }
    return 0;
}

STEP void unpack(uint32_t page) { // second
    unpack_a(IN + page * tile_bytes(BF16));
}

int trisc0(void) {
    unpack_init(BF16, BF16);
#ifdef BROKEN
    wait_for(word_at(FLAG), 1);
    do_other_work(4000);
#else
    wait_for(word_at(FLAG), 2);
#endif
    unpack(0);
    unpack(1);
    finish();
    return 0;
}
