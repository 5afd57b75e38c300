/* The MOP expander: one word becomes a masked list (template 0) or two nested loops (template 1).
 *
 *     config    0      1      2      3     4     5     6      7      8
 *     template 0  -  flags    B      A0    A1    A2    A3   SkipA0  SkipB      flags: 1 has B, 2 has A1..A3
 *     template 1 outer inner Start  End0  End1  Loop  Loop1 Last   LastInner
 *
 * Instructions and flags are read as the expansion goes, as on hardware; the two counts of template 1 when it starts.
 * Source: MOPExpander.md with its Blackhole branches. Its page calls two things weakly known, and both are done as it
 * says: the inline counts of template 1 and the miscount when only end operations are left.
 */
#ifndef TENSIX_FRONTEND_MOP_H
#define TENSIX_FRONTEND_MOP_H

#include <stdbool.h>
#include <stdint.h>

enum { MOP_WORDS = 9 };
enum { MOP_OUTER, MOP_INNER, MOP_START, MOP_END0, MOP_END1, MOP_LOOP, MOP_LOOP1, MOP_LAST, MOP_LAST_INNER };
enum { MOP_STEP_LOOP = 1 }; /* of template 1: in the inner loop */

/* A place in an expansion. */
struct mop_place {
    uint16_t outer, inner;
    uint8_t step; /* inside an iteration of the outer loop, or of the mask */
};

struct mop {
    uint32_t config[MOP_WORDS];
    uint16_t mask_high; /* MOP_CFG */
    bool active;        /* the expansion that is under way has a further word */
    bool alternates;    /* template 1: every second word of the inner loop is Loop1 */
    uint32_t word;      /* the MOP that is expanded */
    uint32_t mask;      /* template 0 */
    uint16_t outer_count, inner_count;
    struct mop_place next;
};

/* Is it a MOP of template 1? (A list has at least one word.) */
bool mop_is_loops(uint32_t word);
/* Can the expansion of one be without a word, as the configuration is? */
bool mop_may_be_empty(const struct mop *mop);
/* Starts the expansion of a MOP word. */
void mop_start(struct mop *mop, uint32_t word);
/* How many words it has left, at least, whatever becomes of the configuration. */
unsigned mop_left(const struct mop *mop);
/* The next word of the expansion; false if there is none. Says in `active` whether another one follows, as the
 * configuration is now. */
bool mop_next(struct mop *mop, uint32_t *word);
/* The same in two steps, for as long as the configuration stays as it is: the place of the next word; and the word
 * there, if there is one (mop->active), after which it is the place of the one that follows. */
bool mop_seek(struct mop *mop, struct mop_place *place);
uint32_t mop_take_any(struct mop *mop, struct mop_place *place);

/* Most words of template 1 are in its inner loop, with others of it behind them. Is the next one? */
static inline bool mop_is_inside(const struct mop *mop) {
    return mop->next.step == MOP_STEP_LOOP && mop->next.inner + 1 < mop->inner_count && (mop->word >> 23 & 1);
}

/* Then this is it. */
static inline uint32_t mop_loop_word(const struct mop *mop, const struct mop_place *place) {
    return mop->config[MOP_LOOP + (mop->alternates & place->inner)];
}

#endif
