/* BRISC tells NCRISC that a slot is free when it has asked the NoC to write its bytes away. NCRISC has the NoC read new
 * bytes into the slot, which may be there before the old ones have left. tt-metal #50318. */
/* expect: READ_OVERWRITES RACE */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 4096 };

STEP void write_away(void) { // first
    noc_write(noc_tile(IDLE_X, ROW_Y), IN, IN, BYTES);
}

int brisc(void) {
    noc_init();
    write_away();
#ifndef BROKEN
    noc_writes_sent();
#endif
    *word_at(FLAG) = 1;
    noc_writes_done();
    return 0;
}

STEP void fetch(void) { // second
    noc_read(noc_tile(IDLE2_X, ROW_Y), IN, IN, BYTES);
}

int ncrisc(void) {
    noc_init();
    wait_for(word_at(FLAG), 1);
    do_other_work(1000);
    fetch();
    noc_reads_done();
    return 0;
}
