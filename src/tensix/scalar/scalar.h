/* The Scalar Unit (ThCon): arithmetic on GPRs, loads, stores and atomics. One instruction at a time; the issuing thread
 * stands still until it is done. Sources: ScalarUnit.md and the pages of its instructions (WH; there are none for BH).
 */
#ifndef TENSIX_SCALAR_SCALAR_H
#define TENSIX_SCALAR_SCALAR_H

#include <stdint.h>

enum { SCALAR_NOBODY = 3, SCALAR_ATOMICS = 2 };

struct scalar {
    uint64_t busy_until; /* takes the next instruction in this cycle; TENSIX_NEVER while one retries without an end */
    uint8_t owner;       /* the thread whose instruction retries, or SCALAR_NOBODY */
    uint64_t first_try;  /* of that instruction */
    uint64_t atomic_free[SCALAR_ATOMICS]; /* in-flight limit of atomics: when each slot is free again */
};

void scalar_init(struct scalar *scalar);

#endif
