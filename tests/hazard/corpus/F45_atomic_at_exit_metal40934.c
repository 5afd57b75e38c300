/* BRISC ends with an increment in flight: the next kernel begins with an answer to come that it does not know of.
 * tt-metal #40934; #40154 and #38500 are the same. */
/* expect: AT_END RACE */
/* second: _exit */
#include "corpus.h"
#include "kit/noc.h"

int brisc(void) { // first
    noc_init();
    noc_increment(noc_tile(IDLE_X, ROW_Y), FLAG, 1);
#ifndef BROKEN
    noc_atomics_done();
#endif
    return 0;
}
