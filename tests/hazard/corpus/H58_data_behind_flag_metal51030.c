/* BRISC looks at a buffer, then waits for a credit in a register and reads what another tile has written there
 * meanwhile. The credit is right, but the lines that BRISC has looked at are still in its cache. tt-metal #51030. */
/* expect: STALE_LINE RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"
#include "llk.h"

enum { BYTES = 32, STREAM = 8, REGISTER = STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX };

STEP void send(void) { // first
    fill(IN, BYTES, 5);
    noc_write(noc_tile(NEAR_X, ROW_Y), OUT, IN, BYTES);
}

STEP int check(void) { // second
    return differs(OUT, BYTES, 5);
}

int brisc(void) {
    noc_init();
    if (my_x() == FAR_X) {
        wait_for(word_at(FLAG), 1);
        send();
        noc_writes_done();
        noc_write_register(noc_tile(NEAR_X, ROW_Y), STREAM_REG_ADDR(STREAM, REGISTER), 1);
        return 0;
    }
    use_cache();
    int empty = differs(OUT, BYTES, 0);
    noc_increment(noc_tile(FAR_X, ROW_Y), FLAG, 1);
    while (NOC_STREAM_READ_REG(STREAM, REGISTER) != 1)
        ;
#ifndef BROKEN
    fence();
#endif
    int wrong = check() | empty;
    noc_atomics_done();
    return wrong;
}
