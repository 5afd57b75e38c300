/* Two tiles write a part each and increment the same counter of a third, which goes on at 1 and reads both parts. In
 * the mended form it looks at the counter only when both increments are there. tt-metal #43397. */
/* expect: REMOTE_WRITE RACE */
/* tiles: 1,2 2,2 3,2 */
#include "corpus.h"
#include "kit/noc.h"

enum { BYTES = 256, TARGET_X = 3 };

STEP void send(uint32_t part) { // first
    fill(IN, BYTES, part);
    noc_write(noc_tile(TARGET_X, ROW_Y), OUT + part * BYTES, IN, BYTES);
    noc_increment(noc_tile(TARGET_X, ROW_Y), FLAG, 1);
}

STEP int check(void) { // second
    return differs(OUT + BYTES, BYTES, 1) | differs(OUT + 2 * BYTES, BYTES, 2);
}

int brisc(void) {
    noc_init();
    if (my_x() != TARGET_X) {
        send(my_x());
        noc_writes_done();
        noc_atomics_done();
        return 0;
    }
    do_other_work(4000);
#ifdef BROKEN
    (void)*word_at(FLAG2); /* not the counter */
#else
    wait_for(word_at(FLAG), 2);
#endif
    return check();
}
