/* T0 pops a page when it has told the unpacker to read it, not when that is done. NCRISC has the next page read there.
 * tt-metal #37998. */
/* expect: READ_OVERWRITES RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

STEP void unpack(void) { // first
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack();
#ifndef BROKEN
    tensix_sync();
#endif
    *word_at(FLAG) = 1;
    return 0;
}

STEP void fetch(void) { // second
    noc_read(noc_tile(IDLE_X, ROW_Y), IN, IN, tile_bytes(BF16));
}

int ncrisc(void) {
    noc_init();
    wait_for(word_at(FLAG), 1);
    do_other_work(2000);
    fetch();
    noc_reads_done();
    return 0;
}
