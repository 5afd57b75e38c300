/* BRISC sends a posted write and waits on the counter of non-posted ones before it stores to the bytes again. */
/* expect: SOURCE_IN_FLIGHT RACE */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 4096, COUNT_POSTED_SENT = NOC_COUNT_SENT + 4 };

STEP void send(void) { // first
    noc_send(NOC_BUFFER_WRITE, noc_self(), IN, noc_tile(IDLE_X, ROW_Y), IN, BYTES,
             NOC_WRITE | NOC_STATIC_CHANNEL | NOC_CHANNEL);
}

STEP void reuse(void) { // second
    fill(IN, BYTES, 2);
}

int brisc(void) {
    noc_init();
    uint32_t posted = reg_read(NOC_REGISTERS + COUNT_POSTED_SENT);
    send();
#ifdef BROKEN
    noc_writes_sent();
    do_other_work(1000);
#else
    noc_count_to(COUNT_POSTED_SENT, posted + 1);
#endif
    reuse();
    return (int)(reg_read(NOC_REGISTERS + COUNT_POSTED_SENT) - posted - 1);
}
