/* The Miscellaneous Unit: instructions on address counters. In every cycle it accepts one from each thread and
 * completes it. Sources: MiscellaneousUnit.md and the pages of its instructions (WH), ADCs.md for the widths. */
#ifndef TENSIX_MISC_MISC_H
#define TENSIX_MISC_MISC_H

struct tensix;
struct tensix_landing;

/* Executes an instruction that passed in the same cycle as another thread's. The landing is a TENSIX_LAND_MISC. */
void misc_land(struct tensix *x, const struct tensix_landing *landing);

#endif
