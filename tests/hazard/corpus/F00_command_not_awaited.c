/* BRISC sends bytes to another tile, and sets up the next request in the same command buffer without a look at whether
 * the NIU has taken the first. Here it has, long ago; if its channel were busy, the second would change it. */
/* expect: COMMAND RACE */
#include "corpus.h"
#include "kit/noc.h"

static uint32_t at;

STEP void send(void) { // first
    noc_write(noc_tile(IDLE_X, ROW_Y), OUT, IN, 64);
}

STEP void set_up(uint32_t address) { // second
#ifndef BROKEN
    at = noc_wait_for_buffer(NOC_BUFFER_WRITE);
#endif
    reg_write(at + NOC_TARGET, address);
}

int brisc(void) {
    noc_init();
    at = noc_wait_for_buffer(NOC_BUFFER_WRITE);
    send();
    do_other_work(1000);
    set_up(IN + 64);
    noc_writes_done();
    return 0;
}
