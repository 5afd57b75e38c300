/* T0 unpacks a tile of which BRISC has filled only the first half: the rest is whatever L1 held before. */
/* expect: UNWRITTEN SUSPECT */
/* first: nobody */
#include "corpus.h"
#include "kit/sync.h"
#include "kit/unpack.h"

int brisc(void) {
#ifdef BROKEN
    fill(IN, tile_bytes(BF16) / 2, 0x3F803F80);
#else
    fill(IN, tile_bytes(BF16), 0x3F803F80);
#endif
    mailbox_send(GUEST_TRISC0, 0);
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    mailbox_receive(GUEST_BRISC);
    unpack();
    finish();
    return 0;
}
