/* Rows of the same instruction in a batch (turn.c): the handler of the first word also executes the words that follow
 * it, one a cycle, without testing again what none of them can change. */
#ifndef TENSIX_BATCH_H
#define TENSIX_BATCH_H

#include "base/order.h"
#include "tensix/tensix.h"

/* The value that a handler returns if it has let more words than its own pass. It is never a cycle. */
#define BATCH_ROW_PASSED (TENSIX_NEVER - 1)

struct batch_row {
    const struct frontend_ring *ring;
    uint64_t *after; /* where to store the time of the next pass (tensix_batch.after) */
    uint64_t now;    /* cycle in which the last word so far passes */
    unsigned at;     /* index of that word in the ring */
    unsigned more;   /* number of words that may follow it */
};

/* Returns whether a handler may let the words behind its own pass, too. */
static inline bool batch_makes_rows(const struct tensix *x) {
    return x->batch && !x->batch->paced;
}

/* Returns the word behind the one whose handler runs, or 0, which is no instruction, if none is known. */
static inline uint32_t batch_next_word(const struct tensix *x) {
    const struct tensix_batch *batch = x->batch;
    if (!batch || batch->left < 2)
        return 0;
    return batch->frontend->first.word[(batch->frontend->first_at + batch->size - batch->left + 1) % FRONTEND_FIRST];
}

/* Begins a row with the word of the batch that passes in cycle `now`. Precondition: there is a batch. */
static inline struct batch_row batch_row(const struct tensix *x, uint64_t now) {
    struct tensix_batch *batch = x->batch;
    unsigned left = batch->left - 1;
    uint64_t handler_only = x->handler_only_until > now && !batch->paced ? x->handler_only_until - now - 1 : 0;
    return (struct batch_row){ .ring = &batch->frontend->first,
                               .after = &batch->after[left],
                               .now = now,
                               .at = batch->frontend->first_at + batch->size - batch->left,
                               .more = (unsigned)smaller(left, handler_only) };
}

/* Returns whether the next word equals `word` in the bits of the mask `same`. Sets *next to that word. */
static inline bool batch_row_sees(const struct batch_row *row, uint32_t word, uint32_t same, uint32_t *next) {
    unsigned at = (row->at + 1) % FRONTEND_FIRST;
    if (!row->more)
        return false;
    *next = row->ring->word[at];
    return !((*next ^ word) & same);
}

/* Lets the next word pass, one cycle after the last. */
static inline void batch_row_take(struct batch_row *row) {
    *row->after-- = ++row->now;
    row->at = (row->at + 1) % FRONTEND_FIRST;
    row->more--;
}

/* Does both: if the next word equals *word in the mask, lets it pass and sets *word to it. */
static inline bool batch_row_next(struct batch_row *row, uint32_t *word, uint32_t same) {
    uint32_t next;
    if (!batch_row_sees(row, *word, same, &next))
        return false;
    batch_row_take(row);
    *word = next;
    return true;
}

/* Ends the row. Returns the value that the handler of its first word has to return. first: the cycle in which that word
 * passed. */
static inline uint64_t batch_row_end(struct tensix *x, const struct batch_row *row, uint64_t first) {
    if (row->now == first)
        return TENSIX_PASSED;
    BH_ASSERT(row->now > first && row->now - first < x->batch->left);
    x->batch->left -= (unsigned)(row->now - first) + 1;
    *row->after = row->now + 1;
    return BATCH_ROW_PASSED;
}

#endif
