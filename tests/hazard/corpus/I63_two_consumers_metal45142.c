/* Two cores use a page of a circular buffer: T0 unpacks it, BRISC writes it away. Only T0 pops it, and not after BRISC.
 * So NCRISC has the next page read there while BRISC's write may still be taking it. tt-metal #45142. */
/* expect: READ_OVERWRITES RACE */
#include "corpus.h"
#include "kit/noc.h"
#include "kit/unpack.h"

enum { PUSHED = FLAG, POPPED = FLAG2, WRITTEN = FLAG3 };

STEP void fetch(uint32_t from) { // second
    noc_read(noc_tile(IDLE_X, ROW_Y), from, IN, tile_bytes(BF16));
}

int ncrisc(void) {
    noc_init();
    fetch(IN);
    noc_reads_done();
    *word_at(PUSHED) = 1;
    wait_for(word_at(POPPED), 1);
    do_other_work(1000);
    fetch(OUT);
    noc_reads_done();
    return 0;
}

STEP void write_away(void) { // first
    noc_write(noc_tile(IDLE2_X, ROW_Y), IN, IN, tile_bytes(BF16));
}

int brisc(void) {
    noc_init();
    wait_for(word_at(PUSHED), 1);
    write_away();
    noc_writes_sent();
    *word_at(WRITTEN) = 1;
    noc_writes_done();
    return 0;
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    wait_for(word_at(PUSHED), 1);
    unpack_a(IN);
    tensix_sync();
#ifndef BROKEN
    wait_for(word_at(WRITTEN), 1);
#endif
    *word_at(POPPED) = 1;
    return 0;
}
