/* The expansion of a MOP: a position in the list, or in the two loops, moves from word to word. */
#include "tensix/frontend/mop.h"

#include "isa/tensix.h"

enum { COUNT_MASK = 1023, MISCOUNT = 1024, FLAG_B = 1, FLAG_A123 = 2 };

/* Indices of the configuration's words in template 0. */
enum { FLAGS = 1, B, A0, A1, A2, A3, SKIP_A0, SKIP_B };

/* Steps of an iteration, for each template. */
enum { STEP_A0, STEP_A1, STEP_A3 = 3, STEP_B };
enum { STEP_START, STEP_LOOP = MOP_STEP_LOOP, STEP_END0, STEP_END1 };

static bool is_nop(uint32_t word) {
    return word >> 24 == TENSIX_NOP;
}

bool mop_is_loops(uint32_t word) {
    return word >> 24 == TENSIX_MOP && (word >> 23 & 1);
}

static bool is_list(const struct mop *mop) {
    return !(mop->word >> 23 & 1);
}

static void next_iteration(struct mop_position *place) {
    *place = (struct mop_position){ .outer = (uint16_t)(place->outer + 1) };
}

/* ---- Template 0 ------------------------------------------------------------------------------- */

static void start_list(struct mop *mop) {
    mop->mask = (uint32_t)mop->mask_high << 16 | (mop->word & 0xFFFF);
    mop->outer_count = (uint16_t)((mop->word >> 16 & 0x7F) + 1);
}

/* The mask has 32 bits, but the list has up to 128 positions. */
static bool skips(const struct mop *mop, const struct mop_position *place) {
    return place->outer < 32 && (mop->mask >> place->outer & 1);
}

/* Moves to the next position that has a word. Returns false if there is none. */
static inline bool seek_list(const struct mop *mop, struct mop_position *place) {
    uint32_t flags = mop->config[FLAGS];
    if (place->step >= STEP_A1 && place->step <= STEP_A3 && (!(flags & FLAG_A123) || skips(mop, place)))
        place->step = STEP_B;
    if (place->step > STEP_B || (place->step == STEP_B && !(flags & FLAG_B)))
        next_iteration(place);
    return place->outer < mop->outer_count;
}

static uint32_t word_of_list(const struct mop *mop, const struct mop_position *place) {
    if (place->step == STEP_B)
        return mop->config[skips(mop, place) ? SKIP_B : B];
    return mop->config[skips(mop, place) ? SKIP_A0 : A0 + place->step];
}

/* ---- Template 1 ------------------------------------------------------------------------------- */

static unsigned count_of(uint32_t config, uint32_t inline_count) {
    return inline_count & COUNT_MASK ? inline_count & COUNT_MASK : config & COUNT_MASK;
}

/* Returns the number of iterations that the hardware makes if only the end operations have a word. */
static unsigned miscounted(const struct mop *mop, unsigned outer) {
    if (is_nop(mop->config[MOP_END1]))
        return outer + 1;
    return outer == 1 ? outer + MISCOUNT : outer;
}

static void start_loops(struct mop *mop) {
    unsigned outer = count_of(mop->config[MOP_OUTER], mop->word >> 10);
    unsigned inner = count_of(mop->config[MOP_INNER], mop->word);
    mop->alternates = !is_nop(mop->config[MOP_LOOP1]);
    if (mop->alternates)
        inner *= 2;
    if (is_nop(mop->config[MOP_START]) && inner == 0 && !is_nop(mop->config[MOP_END0]))
        outer = miscounted(mop, outer);
    mop->outer_count = (uint16_t)outer;
    mop->inner_count = (uint16_t)inner;
}

/* Does what seek_list does, for template 1. End1 has a word only after a word of End0, which has moved the position to
 * STEP_END1. */
static inline bool seek_loops(const struct mop *mop, struct mop_position *place) {
    for (; place->outer < mop->outer_count; next_iteration(place)) {
        if (place->step == STEP_START && is_nop(mop->config[MOP_START]))
            place->step = STEP_LOOP;
        if (place->step == STEP_LOOP && place->inner >= mop->inner_count)
            place->step = STEP_END0;
        if (place->step <= STEP_LOOP)
            return true;
        if (place->step <= STEP_END1 && !is_nop(mop->config[place->step == STEP_END0 ? MOP_END0 : MOP_END1]))
            return true;
    }
    return false;
}

static uint32_t word_of_loop(const struct mop *mop, const struct mop_position *place) {
    if (place->inner + 1 == mop->inner_count)
        return mop->config[place->outer + 1 == mop->outer_count ? MOP_LAST : MOP_LAST_INNER];
    return mop_loop_word(mop, place);
}

static uint32_t word_of_loops(const struct mop *mop, const struct mop_position *place) {
    switch (place->step) {
    case STEP_START: return mop->config[MOP_START];
    case STEP_LOOP: return word_of_loop(mop, place);
    case STEP_END0: return mop->config[MOP_END0];
    default: return mop->config[MOP_END1];
    }
}

/* ---- Both templates -------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool seek(const struct mop *mop, struct mop_position *place) {
    return is_list(mop) ? seek_list(mop, place) : seek_loops(mop, place);
}

static void step_over(const struct mop *mop, struct mop_position *place) {
    if (!is_list(mop) && place->step == STEP_LOOP)
        place->inner++;
    else
        place->step++;
}

void mop_start(struct mop *mop, uint32_t word) {
    mop->word = word;
    mop->next = (struct mop_position){ 0 };
    mop->active = true;
    if (is_list(mop))
        start_list(mop);
    else
        start_loops(mop);
}

/* A count can be zero only in the configuration: an inline count of 0 means that the configuration applies. */
bool mop_may_be_empty(const struct mop *mop) {
    bool any =
        !is_nop(mop->config[MOP_START]) || !is_nop(mop->config[MOP_END0]) || (mop->config[MOP_INNER] & COUNT_MASK);
    return !any || !(mop->config[MOP_OUTER] & COUNT_MASK);
}

/* Counts only one word for the rest of the last iteration, which may have no more. */
unsigned mop_left(const struct mop *mop) {
    const struct mop_position *next = &mop->next;
    unsigned each = is_list(mop) ? 1 : mop->inner_count, done = is_list(mop) ? next->step : next->inner;
    unsigned behind = next->outer + 1u < mop->outer_count ? mop->outer_count - next->outer - 1u : 0;
    unsigned left = behind * each + (next->step <= STEP_LOOP && done < each ? each - done : 0);
    return !mop->active ? 0 : left ? left : 1;
}

bool mop_seek(struct mop *mop, struct mop_position *place) {
    *place = mop->next;
    return mop->active = seek(mop, place);
}

/* Copies member by member: the host is slow to read a whole struct of which it has just stored a part. */
static inline struct mop_position copy(const struct mop_position *place) {
    return (struct mop_position){ place->outer, place->inner, place->step };
}

uint32_t mop_take_any(struct mop *mop, struct mop_position *place) {
    struct mop_position at = copy(place);
    uint32_t word = is_list(mop) ? word_of_list(mop, &at) : word_of_loops(mop, &at);
    step_over(mop, &at);
    mop->next = copy(&at);
    mop->active = seek(mop, &at);
    *place = copy(&at);
    return word;
}

bool mop_next(struct mop *mop, uint32_t *word) {
    struct mop_position place;
    if (!mop_seek(mop, &place))
        return false;
    *word = mop_take_any(mop, &place);
    return true;
}
