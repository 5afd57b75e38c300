/* The Scalar Unit (ThCon): arithmetic on GPRs, loads, stores and atomics. One instruction at a time; the issuing thread
 * stands still until it is done. Sources: ScalarUnit.md and the pages of its instructions (WH; there are none for BH).
 */
#ifndef TENSIX_SCALAR_SCALAR_H
#define TENSIX_SCALAR_SCALAR_H

#include <stdint.h>

#include "isa/tensix.h"

struct tensix;

enum {
    SCALAR_NOBODY = 3,
    SCALAR_ATOMICS = TENSIX_PART_ATOMICS,
    SCALAR_MEMORY_CYCLES = TENSIX_OCCUPANCY_LOADREG, /* a LOADREG has the overlay's port for as long */
};

struct scalar {
    uint64_t busy_until; /* takes the next instruction in this cycle; TENSIX_NEVER while one stays without an end */
    uint8_t owner;       /* the thread whose instruction stays, or SCALAR_NOBODY */
    uint64_t first_try;  /* of that instruction: the cycle in which it entered */
    uint64_t last_try;   /* its last attempt on L1 */
    uint64_t next_try;   /* its next one that can end differently; TENSIX_NEVER: unknown */
    uint64_t atomic_free[SCALAR_ATOMICS]; /* in-flight limit of atomics: when each slot is free again */
};

void scalar_init(struct scalar *scalar);

/* The instruction that stays looks at its GPRs and at L1 again, in its first attempt from this cycle on. */
void scalar_look_again(struct tensix *x, uint64_t time);

#endif
