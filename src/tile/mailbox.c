/* Mailboxes between cores (Mailboxes.md). */
#include "tile/mailbox.h"

#include <string.h>

static const char *const empty_text[MAILBOX_CORES] = {
    "the mailbox from brisc is empty",
    "the mailbox from trisc0 is empty",
    "the mailbox from trisc1 is empty",
    "the mailbox from trisc2 is empty",
};

static const char *const full_text[MAILBOX_CORES] = {
    "the mailboxes that brisc writes are full",
    "the mailboxes that trisc0 writes are full",
    "the mailboxes that trisc1 writes are full",
    "the mailboxes that trisc2 writes are full",
};

static uint32_t in_flight(const struct mailboxes *mailboxes, unsigned from) {
    uint32_t sum = 0;
    for (unsigned to = 0; to < MAILBOX_CORES; to++)
        sum += mailboxes->box[from][to].count;
    return sum;
}

struct access mailbox_push(struct mailboxes *mailboxes, unsigned from, unsigned to, uint32_t value) {
    if (in_flight(mailboxes, from) >= MAILBOX_DEPTH)
        return access_wait(full_text[from]);
    struct mailbox *box = &mailboxes->box[from][to];
    box->word[box->count++] = value;
    return access_done();
}

struct access mailbox_pop(struct mailboxes *mailboxes, unsigned from, unsigned to, uint32_t *value) {
    struct mailbox *box = &mailboxes->box[from][to];
    if (!box->count)
        return access_wait(empty_text[from]);
    *value = box->word[0];
    box->count--;
    memmove(&box->word[0], &box->word[1], box->count * sizeof box->word[0]);
    box->word[box->count] = 0; /* stale words must not make equal states differ */
    return access_done();
}

bool mailbox_has_word(const struct mailboxes *mailboxes, unsigned from, unsigned to) {
    return mailboxes->box[from][to].count != 0;
}

void mailbox_clear(struct mailboxes *mailboxes, unsigned from) {
    memset(mailboxes->box[from], 0, sizeof mailboxes->box[from]);
}
