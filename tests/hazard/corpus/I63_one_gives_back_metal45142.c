/* Two cores use a page of a circular buffer: T0 unpacks it, BRISC writes it away. T0 gives it back without a word from
 * BRISC, whose write may still be taking it. tt-metal #45142. */
/* expect: CB_PAGE RACE */
#include "corpus.h"
#include "kit/cb.h"
#include "kit/noc.h"
#include "kit/unpack.h"

enum { READY = FLAG2, WRITTEN = FLAG3 };
CB_AT(cb, 0x40100);

STEP void fetch(uint32_t from) {
    noc_read(noc_tile(IDLE_X, ROW_Y), from, cb_reserve(cb), tile_bytes(BF16));
    noc_reads_done();
    cb_push(cb);
}

int ncrisc(void) {
    noc_init();
    *cb = (struct cb){ .address = IN, .page_bytes = tile_bytes(BF16), .pages = 1 };
    (void)cb->pages;
    *word_at(READY) = 1;
    fetch(IN);
    fetch(OUT);
    return 0;
}

STEP void write_away(uint32_t page) { // first
    noc_write(noc_tile(IDLE2_X, ROW_Y), IN, page, tile_bytes(BF16));
}

int brisc(void) {
    noc_init();
    wait_for(word_at(READY), 1);
    write_away(cb_wait(cb));
    noc_writes_sent();
    *word_at(WRITTEN) = 1;
    noc_writes_done();
    return 0;
}

STEP void give_back(void) { // second
    cb_pop(cb);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    wait_for(word_at(READY), 1);
    unpack_a(cb_wait(cb));
    tensix_sync();
#ifdef BROKEN
    do_other_work(4000);
#else
    wait_for(word_at(WRITTEN), 1);
#endif
    give_back();
    return 0;
}
