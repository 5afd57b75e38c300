/* BRISC reads bytes of one tile and writes them on to another. The write takes them from L1 before the read has brought
 * them: the read barrier is missing. tt-metal #50309. */
/* expect: READ_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 1024 };

STEP void fetch(void) { // first
    noc_read(noc_tile(IDLE_X, ROW_Y), IN, IN, BYTES);
}

STEP void forward(void) { // second
    noc_write(noc_tile(IDLE2_X, ROW_Y), IN, IN, BYTES);
}

int brisc(void) {
    noc_init();
    fetch();
#ifndef BROKEN
    noc_reads_done();
#endif
    do_other_work(2000);
    forward();
    noc_reads_done();
    noc_writes_done();
    return 0;
}
