/* Rows of the same instruction in a batch (turn.c): a handler has those that follow pass as well, one a cycle, without
 * looking again at what none of them changes. */
#ifndef TENSIX_BATCH_H
#define TENSIX_BATCH_H

#include "base/order.h"
#include "tensix/tensix.h"

/* What a handler returns if more words than its own have passed; not a cycle to try again in. */
#define BATCH_ROW_PASSED (TENSIX_NEVER - 1)

struct batch_row {
    const struct frontend_ring *ring;
    uint64_t *after; /* where the next pass is noted (struct tensix_batch) */
    uint64_t now;    /* when the last word that was taken passes */
    unsigned at;     /* where it is */
    unsigned more;   /* words that may follow */
};

/* A word of the batch passes in cycle `now`: those that may follow. There must be a batch. */
static inline struct batch_row batch_row(const struct tensix *x, uint64_t now) {
    struct tensix_batch *batch = x->batch;
    unsigned left = batch->left - 1;
    uint64_t calm = x->handler_only_until > now && !batch->paced ? x->handler_only_until - now - 1 : 0;
    return (struct batch_row){ .ring = &batch->frontend->first,
                               .after = &batch->after[left],
                               .now = now,
                               .at = batch->frontend->first_at + batch->size - batch->left,
                               .more = (unsigned)smaller(left, calm) };
}

/* Does one follow that has the same bits as *word where `same` has ones? Then it is *word, and passes a cycle later. */
static inline bool batch_row_next(struct batch_row *row, uint32_t *word, uint32_t same) {
    if (!row->more)
        return false;
    unsigned at = (row->at + 1) % FRONTEND_FIRST;
    uint32_t next = row->ring->word[at];
    if (((next ^ *word) & same) || frontend_tag_resources(row->ring->tag[at]))
        return false;
    *row->after-- = ++row->now;
    row->at = at;
    row->more--;
    *word = next;
    return true;
}

/* What the handler of the first word returns. */
static inline uint64_t batch_row_end(struct tensix *x, const struct batch_row *row, uint64_t first) {
    if (row->now == first)
        return TENSIX_PASSED;
    BH_ASSERT(row->now > first && row->now - first < x->batch->left);
    x->batch->left -= (unsigned)(row->now - first) + 1;
    *row->after = row->now + 1;
    return BATCH_ROW_PASSED;
}

#endif
