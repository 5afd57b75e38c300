/* NCRISC reads two tiles with different transaction ids, and waits for the id of the other one before it tells T0.
 * tt-metal #50981. */
/* expect: READ_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

enum { FIRST = 1, SECOND = 2 };

STEP void fetch(void) { // first
    noc_id = FIRST;
    noc_read(noc_tile(IDLE_X, ROW_Y), IN, IN, tile_bytes(BF16));
}

STEP void fetch_next(void) {
    noc_id = SECOND;
    noc_read(noc_tile(IDLE_X, ROW_Y), OUT, OUT, tile_bytes(BF16));
}

int ncrisc(void) {
    noc_init();
    fetch();
    fetch_next();
#ifdef BROKEN
    noc_id_done(SECOND);
#else
    noc_id_done(FIRST);
#endif
    *word_at(FLAG) = 1;
    noc_reads_done();
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    wait_for(word_at(FLAG), 1);
    do_other_work(1000);
    unpack();
    finish();
    return 0;
}
