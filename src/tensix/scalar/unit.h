/* Functions that the Scalar Unit's instructions begin and end with. */
#ifndef TENSIX_SCALAR_UNIT_H
#define TENSIX_SCALAR_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "isa/regs.h"
#include "tensix/clock.h"

/* Cycles of an instruction, from its row in isa/tensix.def. */
struct scalar_cycles {
    unsigned occupancy, latency;
};
#define SCALAR_CYCLES(name) ((struct scalar_cycles){ TENSIX_OCCUPANCY_##name, TENSIX_LATENCY_##name })

/* Number of bytes by the Size field of LOADIND and of the L1 form of STOREIND. */
static const uint8_t scalar_bytes[4] = { 16, 4, 2, 1 };

/* Returns the address in L1 that LOADIND and STOREIND form from a GPR and half of another one. */
static inline uint32_t scalar_l1_address(const struct tensix *x, unsigned thread, unsigned gpr, unsigned half) {
    return x->gpr[thread][gpr] * 16 + tensix_half(x, thread, half);
}

/* Returns whether a DMANOP or SETDMAREG of the thread can enter. A soft reset of the unit does not stop these two. */
static inline bool scalar_open_short(const struct tensix *x, unsigned thread, uint64_t now) {
    bool taken = x->scalar.busy_until > now && x->scalar.owner != thread;
    return BH_LIKELY(!taken && !(x->held & REG_HOLD_GLUE));
}

/* Holds a word and returns as a handler does. Precondition: scalar_open_short() is false. */
uint64_t scalar_wait(struct tensix *x, unsigned thread);

/* Returns 0 if any other instruction of the thread can enter; else holds the word and returns as a handler does. */
uint64_t scalar_holds(struct tensix *x, unsigned thread, uint64_t now);

/* Does what scalar_occupy does, for an instruction that has waited inside the unit. */
uint64_t scalar_leave(struct tensix *x, unsigned thread, uint64_t now, uint64_t cycles);

static inline uint64_t scalar_occupy_until(struct tensix *x, unsigned thread, uint64_t until) {
    BH_ASSERT(until != TENSIX_NEVER && until > x->thread[thread].frozen_until);
    x->scalar.busy_until = until;
    tensix_freeze(x, thread, until);
    tensix_busy_until(x, thread, TENSIX_BUSY_SCALAR, until);
    return until;
}

/* Occupies the unit and the thread for this many cycles, at least one, counted from the instruction's entry. Returns
 * the cycle in which both are free again. */
static inline uint64_t scalar_occupy(struct tensix *x, unsigned thread, uint64_t now, uint64_t cycles) {
    if (BH_UNLIKELY(x->scalar.owner == thread))
        return scalar_leave(x, thread, now, cycles);
    return scalar_occupy_until(x, thread, now + cycles);
}

/* Does what scalar_occupy does, for DMANOP and SETDMAREG, whose cycles are a constant. With a single cycle, the thread
 * needs no entry: it cannot issue again in the same cycle anyway. */
static inline __attribute__((always_inline)) void scalar_occupy_briefly(struct tensix *x, unsigned thread, uint64_t now,
                                                                        unsigned cycles) {
    if (cycles > 1)
        scalar_occupy(x, thread, now, cycles);
    else
        x->scalar.busy_until = now + cycles;
}

/* Keeps the instruction in the unit, which accepts no other one, until an event ends the wait. Returns as tensix_hold
 * does. */
uint64_t scalar_stay(struct tensix *x, unsigned thread, uint64_t now, enum wait why);

/* Returns 0; or, for an address outside L1, faults and returns as a handler does. */
uint64_t scalar_check_l1(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now);
void scalar_store_l1(struct tensix *x, uint32_t address, const void *data, uint32_t size, uint64_t now);
/* Executes the form of STOREIND that writes SrcA or SrcB (store_src.c). */
uint64_t scalar_store_src(struct tensix *x, unsigned thread, uint32_t word, uint64_t now);
/* Adds the increment of AutoIncSpec, a field of LOADIND and STOREIND, to the half GPR that has the offset. */
void scalar_increment(struct tensix *x, unsigned thread, unsigned half, unsigned spec);

#endif
