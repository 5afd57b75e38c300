/* BRISC adds to a word of L1 that NCRISC has changed since BRISC has loaded it. Without a fence BRISC's cache gives it
 * the old value again, and NCRISC's change is lost. tt-metal #51036. */
/* expect: STALE_LINE RACE */
#include "corpus.h"
#include "llk.h"

enum { SUM = FLAG, STREAM = 8, REGISTER = STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX };

static void wait_for_credit(uint32_t credit) {
    while (NOC_STREAM_READ_REG(STREAM, REGISTER) != credit)
        ;
}

STEP void add_two(void) {
    *word_at(SUM) = *word_at(SUM) + 2; // first
    (void)*word_at(SUM);
}

int ncrisc(void) {
    wait_for_credit(1);
    add_two();
    NOC_STREAM_WRITE_REG(STREAM, REGISTER, 2);
    return 0;
}

STEP void add_one(void) {
#ifndef BROKEN
    fence();
#endif
    *word_at(SUM) = *word_at(SUM) + 1; // second
}

int brisc(void) {
    use_cache();
    uint32_t before = *word_at(SUM);
    NOC_STREAM_WRITE_REG(STREAM, REGISTER, 1);
    wait_for_credit(2);
    add_one();
    fence();
    return *word_at(SUM) != before + 3;
}
