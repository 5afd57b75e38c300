/* BRISC waits until posted writes have left, by their counter. The write that it means is a non-posted one, which
 * another counter counts. tt-metal #50307. */
/* expect: SOURCE_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 4096, COUNT_POSTED_SENT = NOC_COUNT_SENT + 4 };

STEP void send(void) { // first
    noc_write(noc_tile(IDLE_X, ROW_Y), IN, IN, BYTES);
}

STEP void reuse(void) { // second
    fill(IN, BYTES, 2);
}

int brisc(void) {
    noc_init();
    send();
#ifdef BROKEN
    noc_count_to(COUNT_POSTED_SENT, reg_read(NOC_REGISTERS + COUNT_POSTED_SENT));
#else
    noc_count_to(NOC_COUNT_SENT, noc_sent);
#endif
    do_other_work(1000);
    reuse();
    noc_writes_done();
    return 0;
}
