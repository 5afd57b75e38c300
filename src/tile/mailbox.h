/* The 16 mailboxes: a FIFO of words from each of B, T0, T1, T2 to each of them (Mailboxes.md).
 *
 * A mailbox holds four words, and the four mailboxes that one core writes hold four words in total. Inexact: hardware
 * accepts a few more writes into buffers in front of a full mailbox before the writer stalls. */
#ifndef TILE_MAILBOX_H
#define TILE_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

enum { MAILBOX_CORES = 4, MAILBOX_DEPTH = 4 }; /* cores are BH_BRISC .. BH_TRISC2 */

struct mailbox {
    uint32_t word[MAILBOX_DEPTH]; /* the oldest first */
    uint32_t count;
};

struct mailboxes {
    struct mailbox box[MAILBOX_CORES][MAILBOX_CORES]; /* [from][to] */
};

/* Append a word to a mailbox, and take the oldest one out. Return a wait if the mailbox is full or empty. */
struct access mailbox_push(struct mailboxes *mailboxes, unsigned from, unsigned to, uint32_t value);
struct access mailbox_pop(struct mailboxes *mailboxes, unsigned from, unsigned to, uint32_t *value);
bool mailbox_has_word(const struct mailboxes *mailboxes, unsigned from, unsigned to);
/* Discards the words that a core has written, when the core enters reset. */
void mailbox_clear(struct mailboxes *mailboxes, unsigned from);

#endif
