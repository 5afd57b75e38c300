/* The Miscellaneous Unit: instructions on address counters. It takes one from each thread in every cycle and is done
 * with it in the same one. Sources: MiscellaneousUnit.md and the pages of its instructions (WH), ADCs.md for the
 * widths. */
#ifndef TENSIX_MISC_MISC_H
#define TENSIX_MISC_MISC_H

struct tensix;
struct tensix_landing;

/* What an instruction does that passed together with another thread's: a landing of TENSIX_LAND_MISC. */
void misc_land(struct tensix *x, const struct tensix_landing *landing);

#endif
