/* Mailboxes between cores (Mailboxes.md). */
#include "tile/mailbox.h"

#include <string.h>

static const uint8_t when_empty[MAILBOX_CORES] = {
    WAIT_MAILBOX_EMPTY_BRISC,
    WAIT_MAILBOX_EMPTY_TRISC0,
    WAIT_MAILBOX_EMPTY_TRISC1,
    WAIT_MAILBOX_EMPTY_TRISC2,
};

static const uint8_t when_full[MAILBOX_CORES] = {
    WAIT_MAILBOX_FULL_BRISC,
    WAIT_MAILBOX_FULL_TRISC0,
    WAIT_MAILBOX_FULL_TRISC1,
    WAIT_MAILBOX_FULL_TRISC2,
};

static uint32_t in_flight(const struct mailboxes *mailboxes, unsigned from) {
    uint32_t sum = 0;
    for (unsigned to = 0; to < MAILBOX_CORES; to++)
        sum += mailboxes->box[from][to].count;
    return sum;
}

struct access mailbox_push(struct mailboxes *mailboxes, unsigned from, unsigned to, uint32_t value) {
    if (in_flight(mailboxes, from) >= MAILBOX_DEPTH)
        return access_wait(when_full[from]);
    struct mailbox *box = &mailboxes->box[from][to];
    box->word[box->count++] = value;
    return access_done();
}

struct access mailbox_pop(struct mailboxes *mailboxes, unsigned from, unsigned to, uint32_t *value) {
    struct mailbox *box = &mailboxes->box[from][to];
    if (!box->count)
        return access_wait(when_empty[from]);
    *value = box->word[0];
    box->count--;
    memmove(&box->word[0], &box->word[1], box->count * sizeof box->word[0]);
    box->word[box->count] = 0; /* equal states must not differ in stale words */
    return access_done();
}

bool mailbox_has_word(const struct mailboxes *mailboxes, unsigned from, unsigned to) {
    return mailboxes->box[from][to].count != 0;
}

void mailbox_clear(struct mailboxes *mailboxes, unsigned from) {
    memset(mailboxes->box[from], 0, sizeof mailboxes->box[from]);
}
