/* The MOP expander: one word becomes a masked list (template 0) or two nested loops (template 1).
 *
 * Configuration is read as the expansion goes, as on hardware. Source: MOPExpander.md with its Blackhole branches. Its
 * page calls two things weakly known, and both are done as it says: the inline counts of template 1 and the miscount
 * when only end operations are left.
 */
#ifndef TENSIX_FRONTEND_MOP_H
#define TENSIX_FRONTEND_MOP_H

#include <stdbool.h>
#include <stdint.h>

enum { MOP_WORDS = 9 };

struct mop {
    uint32_t config[MOP_WORDS];
    uint16_t mask_high; /* MOP_CFG */
    bool active;        /* an expansion is under way */
    uint32_t word;      /* the MOP that is expanded */
    uint32_t mask;      /* template 0: bits left */
    uint16_t outer, inner, outer_count, inner_count;
    uint8_t step; /* inside an iteration */
    bool flipped; /* template 1: LoopOp1 is next */
};

/* Starts the expansion of a MOP word. */
void mop_start(struct mop *mop, uint32_t word);
/* The next word of the expansion; false if there is none, and then the expansion is over. */
bool mop_next(struct mop *mop, uint32_t *word);
/* Has the expansion no further word? (After the last one, without waiting for the next mop_next.) */
bool mop_finished(const struct mop *mop);

#endif
