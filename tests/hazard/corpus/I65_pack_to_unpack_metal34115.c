/* T0 unpacks what T2 has packed, without a circular buffer or anything else between them. tt-metal #34115. */
/* expect: L1_BY_UNITS RACE */
#include "corpus.h"
#include "kit/pack.h"
#include "kit/unpack.h"

STEP void pack(void) { // first
    pack_tile(0, OUT);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    pack();
    finish();
    *word_at(FLAG) = 1;
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(OUT);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
#ifdef BROKEN
    do_other_work(10000);
#else
    wait_for(word_at(FLAG), 1);
#endif
    unpack();
    finish();
    return 0;
}
