/* Two cores change bits of the same word of configuration, each by a load, an operation and a store, at the same time.
 * What the one stores may be lost. tt-metal #50123. */
/* expect: CONFIG_IN_USE RACE, CONFIG_ON_ITS_WAY RACE */
#include "corpus.h"
#include "kit/config.h"

enum { WORD = RISC_DEST_ACCESS_CTRL_SEC0_fmt_ADDR32 };
enum { BIT_0 = RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle_MASK, BIT_1 = RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle_MASK };

STEP void set_bit(unsigned bit) { // first
    config_write(WORD, config_read(WORD) | bit);
    (void)config_read(WORD); /* the store has landed */
    fence();
}

int trisc0(void) {
    set_bit(BIT_0);
    mailbox_send(GUEST_TRISC1, 1);
    return 0;
}

STEP void set_other_bit(unsigned bit) { // second
    config_write(WORD, config_read(WORD) | bit);
}

int trisc1(void) {
#ifdef BROKEN
    do_other_work(1000);
#else
    mailbox_receive(GUEST_TRISC0);
#endif
    set_other_bit(BIT_1);
    return config_read(WORD) != (BIT_0 | BIT_1);
}
