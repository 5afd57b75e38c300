/* A tile writes to DRAM and tells another tile, which reads it from there. The write has left, but nobody knows that it
 * has arrived. */
/* expect: REMOTE_WRITE RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 1024, DRAM_X = 17, DRAM_Y = 12, DRAM = 0x100000 };

STEP void send(void) { // first
    noc_write(noc_tile(DRAM_X, DRAM_Y), DRAM, IN, BYTES);
}

STEP void fetch(void) { // second
    noc_read(noc_tile(DRAM_X, DRAM_Y), DRAM, OUT, BYTES);
}

int brisc(void) {
    noc_init();
    if (my_x() == NEAR_X) {
        fill(IN, BYTES, 5);
        send();
#ifdef BROKEN
        noc_writes_sent();
#else
        noc_writes_done();
#endif
        noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
        noc_writes_done();
        noc_atomics_done();
        return 0;
    }
    wait_for(word_at(FLAG), 1);
    do_other_work(2000);
    fetch();
    noc_reads_done();
    return differs(OUT, BYTES, 5);
}
