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

/* Returns whether a word follows that has the same bits as `word` where `same` has ones; *next is that word. */
static inline bool batch_row_sees(const struct batch_row *row, uint32_t word, uint32_t same, uint32_t *next) {
    unsigned at = (row->at + 1) % FRONTEND_FIRST;
    if (!row->more)
        return false;
    *next = row->ring->word[at];
    return !((*next ^ word) & same);
}

/* Lets the word that follows pass, a cycle later. */
static inline void batch_row_take(struct batch_row *row) {
    *row->after-- = ++row->now;
    row->at = (row->at + 1) % FRONTEND_FIRST;
    row->more--;
}

/* Both: the word that passes becomes *word, which stays if none does. */
static inline bool batch_row_next(struct batch_row *row, uint32_t *word, uint32_t same) {
    uint32_t next;
    if (!batch_row_sees(row, *word, same, &next))
        return false;
    batch_row_take(row);
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
