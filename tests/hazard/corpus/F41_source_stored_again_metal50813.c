/* BRISC builds two messages in the same bytes. The second one is stored there before the NoC has taken the first: the
 * flush between them is missing. tt-metal #50813. */
/* expect: SOURCE_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 64 };

STEP void build(uint32_t word) { // second
    fill(IN, BYTES, word);
}

STEP void send(uint32_t to) { // first
    noc_write(noc_tile(IDLE_X, ROW_Y), to, IN, BYTES);
}

int brisc(void) {
    noc_init();
    build(1);
    send(IN);
#ifndef BROKEN
    noc_writes_sent();
#endif
    do_other_work(1000);
    build(2);
    send(IN + BYTES);
    noc_writes_done();
    return 0;
}
