/* Two circular buffers overlap: the last page of the one is the first of the other. T2 packs into it while T0 may still
 * be unpacking. tt-metal #40968. */
/* expect: L1_BY_UNITS RACE */
#include "corpus.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { PAGE = 2048, FIRST = IN, FIRST_PAGES = 2 };
#ifdef BROKEN
enum { SECOND = FIRST + (FIRST_PAGES - 1) * PAGE };
#else
enum { SECOND = FIRST + FIRST_PAGES * PAGE };
#endif

STEP void unpack(uint32_t page) { // first
    unpack_a(FIRST + page * PAGE);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    unpack(0);
    unpack(1);
    finish();
    return 0;
}

STEP void pack(void) { // second
    pack_tile(0, SECOND);
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_tiles_init();
    do_other_work(10000);
    pack();
    finish();
    return differs(SECOND, PAGE, 0);
}
