/* Entering the Scalar Unit: what each of its instructions begins and ends with. */
#ifndef TENSIX_SCALAR_UNIT_H
#define TENSIX_SCALAR_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "isa/regs.h"
#include "tensix/clock.h"

/* Of an instruction's row in isa/tensix.def. */
struct scalar_cycles {
    unsigned occupancy, latency;
};
#define SCALAR_CYCLES(name) ((struct scalar_cycles){ TENSIX_OCCUPANCY_##name, TENSIX_LATENCY_##name })

/* Can DMANOP or SETDMAREG of the thread enter? A soft reset of the unit lets them through. */
static inline bool scalar_open_short(const struct tensix *x, unsigned thread, uint64_t now) {
    bool taken = x->scalar.busy_until > now && x->scalar.owner != thread;
    return BH_LIKELY(!taken && !(x->held & REG_HOLD_GLUE));
}

/* If not: why, and when to try again (as a handler). */
uint64_t scalar_wait(struct tensix *x, unsigned thread);

/* Is the unit closed to any other instruction of the thread? 0, or when to try again (as a handler). */
uint64_t scalar_holds(struct tensix *x, unsigned thread, uint64_t now);

/* As scalar_occupy, of the instruction that has stayed. */
uint64_t scalar_leave(struct tensix *x, unsigned thread, uint64_t now, uint64_t cycles);

static inline uint64_t scalar_occupy_until(struct tensix *x, unsigned thread, uint64_t until) {
    BH_ASSERT(until != TENSIX_NEVER && until > x->thread[thread].frozen_until);
    x->scalar.busy_until = until;
    tensix_freeze(x, thread, until);
    tensix_busy_until(x, thread, TENSIX_BUSY_SCALAR, until);
    return until;
}

/* The instruction occupies the unit and its thread for so many cycles, at least one, since it entered. Returns the
 * cycle in which both are free again. */
static inline uint64_t scalar_occupy(struct tensix *x, unsigned thread, uint64_t now, uint64_t cycles) {
    if (BH_UNLIKELY(x->scalar.owner == thread))
        return scalar_leave(x, thread, now, cycles);
    return scalar_occupy_until(x, thread, now + cycles);
}

/* The same for DMANOP and SETDMAREG, with a constant. For a single cycle the unit's own note is enough: nothing else of
 * the thread could come before the next one anyway. */
static inline __attribute__((always_inline)) void scalar_occupy_briefly(struct tensix *x, unsigned thread, uint64_t now,
                                                                        unsigned cycles) {
    if (cycles > 1)
        scalar_occupy(x, thread, now, cycles);
    else
        x->scalar.busy_until = now + cycles;
}

/* The instruction is in the unit but cannot say for how long: nobody else enters until it has ended. As tensix_hold. */
uint64_t scalar_stay(struct tensix *x, unsigned thread, uint64_t now, enum wait why);

/* 0, or the fault for an address outside L1. */
uint64_t scalar_check_l1(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now);
void scalar_store_l1(struct tensix *x, uint32_t address, const void *data, uint32_t size, uint64_t now);
/* One of the four forms of STOREIND (store_src.c). */
uint64_t scalar_store_src(struct tensix *x, unsigned thread, uint32_t word, uint64_t now);
/* AutoIncSpec: what LOADIND and STOREIND add to the half GPR with the offset. */
void scalar_increment(struct tensix *x, unsigned thread, unsigned half, unsigned spec);

#endif
