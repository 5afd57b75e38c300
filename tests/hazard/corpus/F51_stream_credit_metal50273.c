/* BRISC writes data to another tile and gives it a credit in a register of a stream, on another channel: the credit may
 * be there before the data. tt-metal #50273. */
/* expect: REMOTE_WRITE RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"
#include "llk.h"

enum { BYTES = 1024, STREAM = 8 };

STEP void send(void) { // first
    noc_write_to(noc_tile(FAR_X, ROW_Y), OUT, IN, BYTES, NOC_STATIC_CHANNEL | 3 * NOC_CHANNEL, 1);
}

STEP int check(void) { // second
    return differs(OUT, BYTES, 5);
}

int brisc(void) {
    noc_init();
    if (my_x() == NEAR_X) {
        fill(IN, BYTES, 5);
        send();
#ifndef BROKEN
        noc_writes_done();
#endif
        noc_write_register(noc_tile(FAR_X, ROW_Y), STREAM_REG_ADDR(STREAM, STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX), 1);
        noc_writes_done();
        return 0;
    }
    while (NOC_STREAM_READ_REG(STREAM, STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX) != 1)
        ;
    do_other_work(1000);
    return check();
}
