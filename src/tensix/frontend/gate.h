/* The Wait Gate of a thread: one latched wait, and the instructions that it holds.
 *
 * STALLWAIT, SEMWAIT and STREAMWAIT latch a wait. From the next cycle on, hardware tests the condition in every cycle;
 * if it is met in cycle m, the wait holds nothing from m + 1 on. Until then it holds the instructions of its block
 * mask, everything after the first of them, and always the next wait instruction. The model does not test in every
 * cycle: `look_at` is the next cycle in which the result can change.
 *
 * Sources: STALLWAIT.md, SEMWAIT.md, STREAMWAIT.md (BH).
 */
#ifndef TENSIX_FRONTEND_GATE_H
#define TENSIX_FRONTEND_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix.h"
#include "tensix/sync/sync.h"

struct tensix;

/* Conditions of STALLWAIT (GATE_C_...): the wait continues while one of them is true. Bits of the block mask
 * (GATE_B_...). */
enum {
    GATE_C_MEMORY = 1u << 0, /* C0: the Scalar Unit has memory requests of this thread outstanding */
    GATE_C_UNPACK0 = 1u << 1,
    GATE_C_UNPACK1 = 1u << 2,
    GATE_C_PACK = 1u << 3,
    GATE_C_MATRIX = 1u << 4,
    GATE_C_SRCA_FREE = 1u << 5, /* the unpackers do not own their current bank of SrcA */
    GATE_C_SRCB_FREE = 1u << 6,
    GATE_C_SRCA_VALID = 1u << 7, /* the Matrix Unit does not own its current bank of SrcA */
    GATE_C_SRCB_VALID = 1u << 8,
    GATE_C_MOVER = 1u << 9, /* the mover is busy, for any agent */
    GATE_C_RISCV = 1u << 10,
    GATE_C_VECTOR = 1u << 11,
    GATE_C_CONFIG = 1u << 12, /* the Configuration Unit is busy, for any thread */
    GATE_C_ALL = 0x1FFF,
    GATE_C_DEFAULT = 0x0F,
    GATE_B_UNPACK = 1u << 3,
    GATE_B_MATRIX = 1u << 6,
    GATE_B_DEFAULT = GATE_B_MATRIX,
};

/* Conditions of SEMWAIT. */
enum { GATE_SEM_ZERO = 1, GATE_SEM_MAX = 2 };

struct gate {
    uint8_t opcode; /* opcode of the latched wait; 0: none */
    uint8_t semaphores;
    uint8_t stream_select;
    uint16_t block;
    uint16_t condition;
    uint32_t target;  /* for STREAMWAIT */
    uint64_t look_at; /* the condition is not met before this cycle; TENSIX_NEVER: not before an event */
    uint64_t free_at; /* the wait holds nothing from this cycle on; TENSIX_NEVER: it has not been met yet */
    uint64_t since;   /* cycle in which the wait was latched; for readers only */
};

/* Returns whether a semaphore keeps a SEMWAIT with these conditions waiting. */
static inline bool gate_semaphore_waits(const struct sync_semaphore *semaphore, unsigned conditions) {
    return ((conditions & GATE_SEM_ZERO) && semaphore->value == 0) ||
           ((conditions & GATE_SEM_MAX) && semaphore->value >= semaphore->max);
}

/* Returns whether any semaphore of a latched SEMWAIT keeps it waiting. */
static inline bool gate_semaphores_wait(const struct sync *sync, const struct gate *gate) {
    for (unsigned left = gate->semaphores; left; left &= left - 1)
        if (gate_semaphore_waits(&sync->semaphore[__builtin_ctz(left)], gate->condition))
            return true;
    return false;
}

/* Tests every latched wait whose result may have changed by cycle `now`. Precondition: the state is that of the
 * beginning of this cycle. */
void gate_settle(struct tensix *x, uint64_t now);
/* Tests the latched wait of one thread, if its result may have changed by cycle `now`. */
void gate_settle_one(struct tensix *x, unsigned thread, uint64_t now);
/* Makes latched waits be tested again from this cycle on. Called when something changes that a condition depends on. */
void gate_event(struct tensix *x, uint64_t time);
/* Returns 0 if the gate does not hold this instruction in cycle `now`, else the cycle of the next attempt. */
static inline uint64_t gate_holds(const struct gate *gate, unsigned gate_class, uint64_t now) {
    if (gate->free_at <= now || !tensix_gate_holds(gate_class, gate->block))
        return 0;
    return gate->free_at != UINT64_MAX ? gate->free_at : gate->look_at;
}
/* Returns the cycle in which the last of the conditions in the mask (GATE_C_...) ends, according to the state of cycle
 * `now`: at most `now` if none of them is true, TENSIX_NEVER if the end is not known. */
uint64_t gate_condition(const struct tensix *x, unsigned thread, unsigned conditions, uint64_t now);
/* Returns the first cycle in which the thread's wait holds nothing, according to the state of cycle `now`: at most
 * `now` if no wait is latched, TENSIX_NEVER if the end is not known. Changes nothing. */
uint64_t gate_ends_at(const struct tensix *x, unsigned thread, uint64_t now);

#endif
