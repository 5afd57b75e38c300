/* BRISC ends with a write in flight: the next kernel may change the bytes, or the host read the target, too early.
 * tt-metal #33710; #29177 is the same. */
/* expect: AT_END RACE */
/* second: _exit */
#include "corpus.h"
#include "kit/noc.h"

int brisc(void) { // first
    noc_init();
    noc_write(noc_tile(IDLE_X, ROW_Y), IN, IN, 1024);
#ifndef BROKEN
    noc_writes_done();
#endif
    return 0;
}
