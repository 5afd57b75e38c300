/* The Scalar Unit (ThCon): arithmetic on GPRs, loads, stores and atomics. One instruction at a time; the issuing thread
 * stands still until it is done. Sources: ScalarUnit.md and the pages of its instructions (WH; there are none for BH).
 */
#ifndef TENSIX_SCALAR_SCALAR_H
#define TENSIX_SCALAR_SCALAR_H

#include <stdint.h>

struct tensix;

enum {
    SCALAR_NOBODY = 3,
    SCALAR_ATOMICS = 2,         /* in flight at most */
    SCALAR_MEMORY_CYCLES = 3,   /* in the unit, of loads, stores and ATINCGET, ATSWAP */
    SCALAR_LOAD_LATENCY = 10,   /* three cycles in the unit, then the seven DMANOPs that the pages find enough */
    SCALAR_ATOMIC_LATENCY = 27, /* three, and 24 DMANOPs */
    SCALAR_ATTEMPT = 15,        /* cycles of one attempt of ATCAS and ATINCGETPTR */
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

/* ---- For the instructions of the unit ------------------------------------------------------- */

/* Is the unit closed to an instruction of the thread? 0, or when to try again (as a handler). */
uint64_t scalar_holds(struct tensix *x, unsigned thread, uint64_t now);
/* The same for DMANOP and SETDMAREG, which a soft reset of the unit lets through. */
uint64_t scalar_holds_short(struct tensix *x, unsigned thread, uint64_t now);
/* The instruction occupies the unit and its thread for so many cycles since it entered. Returns the cycle in which both
 * are free again. */
uint64_t scalar_occupy(struct tensix *x, unsigned thread, uint64_t now, uint64_t cycles);
/* The instruction is in the unit but cannot say for how long: nobody else enters until it has ended. As tensix_hold. */
uint64_t scalar_stay(struct tensix *x, unsigned thread, uint64_t now, const char *why);

/* 0, or the fault for an address outside L1. */
uint64_t scalar_check_l1(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now);
void scalar_store_l1(struct tensix *x, uint32_t address, const void *data, uint32_t size, uint64_t now);
/* One of the four forms of STOREIND (store_src.c). */
uint64_t scalar_store_src(struct tensix *x, unsigned thread, uint32_t word, uint64_t now);
/* AutoIncSpec: what LOADIND and STOREIND add to the half GPR with the offset. */
void scalar_increment(struct tensix *x, unsigned thread, unsigned half, unsigned spec);

#endif
