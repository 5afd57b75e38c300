/* The MOP expander: one word becomes a masked list (template 0) or two nested loops (template 1).
 *
 *     config    0      1      2      3     4     5     6      7      8
 *     template 0  -  flags    B      A0    A1    A2    A3   SkipA0  SkipB      flags: 1 has B, 2 has A1..A3
 *     template 1 outer inner Start  End0  End1  Loop  Loop1 Last   LastInner
 *
 * As on hardware, the expansion reads instructions and flags as it proceeds, and the two counts of template 1 when it
 * starts. Source: MOPExpander.md with its Blackhole branches. The page is unsure of two things, which are modelled as
 * it says: the inline counts of template 1, and the miscount when only end operations are left. */
#ifndef TENSIX_FRONTEND_MOP_H
#define TENSIX_FRONTEND_MOP_H

#include <stdbool.h>
#include <stdint.h>

enum { MOP_WORDS = 9 };
enum { MOP_OUTER, MOP_INNER, MOP_START, MOP_END0, MOP_END1, MOP_LOOP, MOP_LOOP1, MOP_LAST, MOP_LAST_INNER };
enum { MOP_STEP_LOOP = 1 }; /* in template 1: the position is in the inner loop */

/* A position in an expansion. */
struct mop_position {
    uint16_t outer, inner;
    uint8_t step; /* within an iteration of the outer loop, or of the mask */
};

struct mop {
    uint32_t config[MOP_WORDS];
    uint16_t mask_high; /* set by MOP_CFG */
    bool active;        /* the current expansion has another word */
    bool alternates;    /* template 1: every second word of the inner loop is Loop1 */
    uint32_t word;      /* the MOP that is expanded */
    uint32_t mask;      /* for template 0 */
    uint16_t outer_count, inner_count;
    struct mop_position next;
};

/* Returns whether a word is a MOP of template 1. (The list of template 0 has at least one word.) */
bool mop_is_loops(uint32_t word);
/* Returns whether the expansion of a MOP of template 1 may be empty with the current configuration. It is not if the
 * MOP has inline counts. */
bool mop_may_be_empty(const struct mop *mop);
/* Starts the expansion of a MOP word. */
void mop_start(struct mop *mop, uint32_t word);
/* Returns the least number of words that are left of the expansion, however the configuration may change. */
unsigned mop_left(const struct mop *mop);
/* Takes the next word of the expansion. Returns false if there is none. Sets `active` to whether another word follows
 * with the current configuration. */
bool mop_next(struct mop *mop, uint32_t *word);
/* Take the next word in two steps, for callers that do not change the configuration meanwhile. mop_seek finds the
 * position of the next word; mop_take_any takes the word there, if there is one (mop->active), and moves on to the next
 * position. */
bool mop_seek(struct mop *mop, struct mop_position *place);
uint32_t mop_take_any(struct mop *mop, struct mop_position *place);

/* Returns whether the next word is in the inner loop of template 1 and is not its last one. Most words are. */
static inline bool mop_is_inside(const struct mop *mop) {
    return mop->next.step == MOP_STEP_LOOP && mop->next.inner + 1 < mop->inner_count && (mop->word >> 23 & 1);
}

/* Returns the word at this position. Precondition: the position is in the inner loop and is not its last one. */
static inline uint32_t mop_loop_word(const struct mop *mop, const struct mop_position *place) {
    return mop->config[MOP_LOOP + (mop->alternates & place->inner)];
}

#endif
