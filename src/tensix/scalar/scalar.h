/* The Scalar Unit (ThCon): arithmetic on GPRs, loads, stores and atomics. It executes one instruction at a time; the
 * issuing thread stops until it is done. Sources: ScalarUnit.md and the pages of its instructions (WH; there are none
 * for BH). */
#ifndef TENSIX_SCALAR_SCALAR_H
#define TENSIX_SCALAR_SCALAR_H

#include <stdint.h>

#include "isa/tensix.h"

struct tensix;

enum {
    SCALAR_NOBODY = 3,
    SCALAR_ATOMICS = TENSIX_PART_ATOMICS,
    SCALAR_MEMORY_CYCLES = TENSIX_OCCUPANCY_LOADREG, /* a LOADREG occupies the overlay's port for the same time */
};

struct scalar {
    uint64_t busy_until; /* first cycle in which the unit accepts an instruction; TENSIX_NEVER: unknown */
    uint8_t owner;       /* thread whose instruction waits in the unit, or SCALAR_NOBODY */
    uint64_t first_try;  /* cycle in which that instruction entered */
    uint64_t last_try;   /* cycle of its last attempt on L1 */
    uint64_t next_try;   /* cycle of its next attempt that may succeed; TENSIX_NEVER: unknown */
    uint64_t atomic_free[SCALAR_ATOMICS]; /* the limit of atomics in flight: the cycle in which each slot is free
                                           * again */
};

void scalar_init(struct scalar *scalar);

/* Lets the instruction that waits in the unit read its GPRs and L1 again, at its first attempt in or after cycle
 * `time`. Call it when these may have changed. */
void scalar_look_again(struct tensix *x, uint64_t time);

#endif
