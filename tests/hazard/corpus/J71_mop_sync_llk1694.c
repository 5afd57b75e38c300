/* T2 waits until the MOP expander is done and tells T0 that a tile is packed. The expander is done long before the
 * packer: it takes tensix_sync. tt-llk #1694. */
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
#ifdef BROKEN
    mop_sync();
#else
    tensix_sync();
#endif
    mailbox_send(GUEST_TRISC0, OUT);
    return 0;
}

STEP void unpack(uint32_t address) { // second
    unpack_a(address);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    uint32_t address = mailbox_receive(GUEST_TRISC2);
    do_other_work(4000);
    unpack(address);
    finish();
    return 0;
}
