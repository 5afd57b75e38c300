/* BRISC adds up words that the NoC may not have brought yet. There is a barrier, but one for writes. tt-metal #50366.
 */
/* expect: READ_IN_FLIGHT RACE */
/* shown: request@1,2-3,2#0=2000 */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 256 };

STEP void fetch(void) { // first
    noc_read(noc_tile(IDLE_X, ROW_Y), IN, IN, BYTES);
}

STEP uint32_t add_up(void) { // second
    uint32_t sum = 0;
    for (unsigned i = 0; i < BYTES; i += 4)
        sum += *word_at(IN + i);
    return sum;
}

int brisc(void) {
    noc_init();
    fill(IN, BYTES, 1);
    fetch();
#ifdef BROKEN
    noc_writes_done();
#else
    noc_reads_done();
#endif
    do_other_work(1000);
    uint32_t sum = add_up();
    noc_reads_done();
    return sum != 0;
}
