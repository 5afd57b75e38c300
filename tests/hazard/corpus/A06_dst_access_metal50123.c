/* Two cores change bits of the same word of configuration, each by a load, an operation and a store, at the same time.
 * What the one stores may be lost. tt-metal #50123. */
/* expect: CONFIG_ON_ITS_WAY RACE */
/* false: a core that loads a word of Config back does not learn that its store has landed */
#include "corpus.h"
#include "kit/config.h"

enum { WORD = RISC_DEST_ACCESS_CTRL_SEC0_fmt_ADDR32 };

STEP void change_first(unsigned bits) { // first
    config_write(WORD, config_read(WORD) | bits);
    (void)config_read(WORD);
    fence();
}

STEP void change_second(unsigned bits) { // second
    config_write(WORD, config_read(WORD) | bits);
}

int trisc0(void) {
    change_first(RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle_MASK);
    mailbox_send(GUEST_TRISC1, 1);
    return 0;
}

int trisc1(void) {
#ifdef BROKEN
    do_other_work(1000);
#else
    mailbox_receive(GUEST_TRISC0);
#endif
    change_second(RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle_MASK);
    do_other_work(100);
    unsigned both = RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle_MASK | RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle_MASK;
    return config_read(WORD) != both;
}
