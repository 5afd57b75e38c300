/* The core of T2 makes data by a vector store and tells T0's core by a mailbox, which has them unpacked at once. The
 * mailbox says that the store was executed, not that it is in L1. */
/* expect: STORE_ON_ITS_WAY LATENT */
#include "corpus.h"
#include "kit/unpack.h"

STEP void make_data(void) { // first
    __asm__ volatile(".option push\n\t"
                     ".option arch, +zve32x\n\t"
                     "vsetivli zero, 4, e32, m1, ta, ma\n\t"
                     "vmv.v.i v1, 1\n\t"
                     "vse32.v v1, (%0)\n\t"
                     ".option pop" ::"r"(IN)
                     : "memory");
}

int trisc2(void) {
    make_data();
#ifndef BROKEN
    (void)*word_at(IN + 12);
    fence();
#endif
    mailbox_send(GUEST_TRISC0, 1);
    return 0;
}

STEP void unpack(void) { // second
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    (void)mailbox_receive(GUEST_TRISC2);
    do_other_work(2000);
    unpack();
    finish();
    return 0;
}
