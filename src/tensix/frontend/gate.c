/* The Wait Gate: tests when a latched wait is met. */
#include "tensix/frontend/gate.h"

#include "isa/overlay.h"
#include "tensix/clock.h"

/* ---- Conditions -------------------------------------------------------------------------------- */

static uint64_t unless(bool clear) {
    return clear ? 0 : TENSIX_NEVER;
}

static uint64_t src_free(const struct tensix *x, unsigned file) {
    return src_free_from(&x->src, file, x->src.unpacker_bank[file]);
}

static uint64_t src_valid(const struct tensix *x, unsigned file) {
    return unless(x->src.allowed[file][x->src.matrix_bank[file]] == SRC_MATRIX);
}

/* Conditions C0 to C4 are pipelines of the thread, in the same order as in busy[]. */
enum { FIRST_FIVE = 0x1F };
_Static_assert(1u << (TENSIX_BUSY_UNPACK0 - TENSIX_BUSY_MEMORY) == GATE_C_UNPACK0, "");
_Static_assert(1u << (TENSIX_BUSY_UNPACK1 - TENSIX_BUSY_MEMORY) == GATE_C_UNPACK1, "");
_Static_assert(1u << (TENSIX_BUSY_PACK - TENSIX_BUSY_MEMORY) == GATE_C_PACK, "");
_Static_assert(1u << (TENSIX_BUSY_MATRIX - TENSIX_BUSY_MEMORY) == GATE_C_MATRIX, "");

/* Returns the end of the condition with this number, as gate_condition does. Precondition: the condition is not one of
 * the first five. */
static uint64_t condition(const struct tensix *x, unsigned thread, unsigned number, uint64_t now) {
    switch (1u << number) {
    case GATE_C_SRCA_FREE: return src_free(x, SRC_A);
    case GATE_C_SRCB_FREE: return src_free(x, SRC_B);
    case GATE_C_SRCA_VALID: return src_valid(x, SRC_A);
    case GATE_C_SRCB_VALID: return src_valid(x, SRC_B);
    case GATE_C_MOVER: return x->mover.busy_until;
    case GATE_C_RISCV: return config_request_pending(x, thread, now);
    case GATE_C_VECTOR: return x->thread[thread].busy[TENSIX_BUSY_VECTOR];
    default: return x->config.busy_until; /* C12 */
    }
}

/* Returns the later of `until` and the end of these conditions. */
__attribute__((noinline)) static uint64_t others(const struct tensix *x, unsigned thread, unsigned conditions,
                                                 uint64_t now, uint64_t until) {
    for (; conditions; conditions &= conditions - 1) {
        uint64_t one = condition(x, thread, (unsigned)__builtin_ctz(conditions), now);
        if (one > until)
            until = one;
    }
    return until;
}

static inline uint64_t met_at(const struct tensix *x, unsigned thread, unsigned conditions, uint64_t now) {
    const uint64_t *busy = &x->thread[thread].busy[TENSIX_BUSY_MEMORY];
    unsigned rest = conditions & GATE_C_ALL & ~(unsigned)FIRST_FIVE;
    uint64_t until = 0;
    for (unsigned left = conditions & FIRST_FIVE; left; left &= left - 1) {
        uint64_t one = busy[__builtin_ctz(left)];
        if (one > until)
            until = one;
    }
    return rest ? others(x, thread, rest, now, until) : until;
}

uint64_t gate_condition(const struct tensix *x, unsigned thread, unsigned conditions, uint64_t now) {
    return met_at(x, thread, conditions, now);
}

static uint64_t stream(const struct tensix *x, unsigned thread, const struct gate *gate) {
    unsigned id = tensix_stream(x, thread, gate->stream_select);
    unsigned index = gate->condition == 1 ? OVERLAY_CURR_PHASE : OVERLAY_NUM_MSGS_RECEIVED;
    uint32_t value = 0;
    x->port->stream(x->owner, id, index, &value);
    return unless(value >= gate->target);
}

static inline uint64_t waits_until(const struct tensix *x, unsigned thread, const struct gate *gate, uint64_t now) {
    switch (gate->opcode) {
    case TENSIX_STALLWAIT: return met_at(x, thread, gate->condition, now);
    case TENSIX_SEMWAIT: return unless(!gate_semaphores_wait(&x->sync, gate));
    default: return stream(x, thread, gate);
    }
}

/* ---- The latch --------------------------------------------------------------------------------- */

/* Tests whether the wait is met. Nothing has changed the result since look_at, or gate_event would have been called. So
 * a condition that is met now has been met since look_at, or since its pipelines became empty. */
static inline void look(struct tensix *x, unsigned thread, struct gate *gate, uint64_t now) {
    uint64_t until = waits_until(x, thread, gate, now);
    if (until <= now) {
        BH_ASSERT(gate->free_at == TENSIX_NEVER && gate->look_at <= now);
        gate->free_at =
            (until > gate->look_at ? until : gate->look_at) + 1 + tensix_delay(x, BH_DELAY_GATE, thread, thread, now);
        x->undecided &= (uint8_t) ~(1u << thread);
    } else {
        gate->look_at = until;
    }
}

uint64_t gate_ends_at(const struct tensix *x, unsigned thread, uint64_t now) {
    const struct gate *gate = &x->thread[thread].gate;
    if (gate->free_at != TENSIX_NEVER)
        return gate->free_at;
    uint64_t until = waits_until(x, thread, gate, now);
    if (until == TENSIX_NEVER || gate->look_at == TENSIX_NEVER)
        return TENSIX_NEVER;
    return (until > gate->look_at ? until : gate->look_at) + 1;
}

void gate_settle(struct tensix *x, uint64_t now) {
    for (unsigned left = x->undecided; left; left &= left - 1) {
        unsigned thread = (unsigned)__builtin_ctz(left);
        struct gate *gate = &x->thread[thread].gate;
        if (gate->look_at <= now)
            look(x, thread, gate, now);
    }
    x->look_at = TENSIX_NEVER;
    for (unsigned left = x->undecided; left; left &= left - 1) {
        uint64_t next = x->thread[__builtin_ctz(left)].gate.look_at;
        x->look_at = next < x->look_at ? next : x->look_at;
    }
}

void gate_settle_one(struct tensix *x, unsigned thread, uint64_t now) {
    struct gate *gate = &x->thread[thread].gate;
    if ((x->undecided >> thread & 1) && gate->look_at <= now)
        look(x, thread, gate, now);
}

void gate_event(struct tensix *x, uint64_t time) {
    for (unsigned left = x->undecided; left; left &= left - 1) {
        struct gate *gate = &x->thread[__builtin_ctz(left)].gate;
        if (gate->look_at > time)
            gate->look_at = time;
    }
    if (x->undecided && time < x->look_at)
        x->look_at = time;
    clock_end_handler_only(x, time);
}

/* ---- The instructions that latch ------------------------------------------------------------------ */

/* Latches a wait. Stores the members one by one, because the compiler would otherwise build a whole struct first.
 * Precondition: the instruction has taken the Sync Unit's slot of this cycle. */
static inline void latch(struct tensix *x, unsigned thread, uint64_t now, const struct gate *wait) {
    BH_ASSERT(!(x->undecided >> thread & 1));
    struct gate *gate = &x->thread[thread].gate;
    gate->opcode = wait->opcode;
    gate->semaphores = wait->semaphores;
    gate->stream_select = wait->stream_select;
    gate->block = wait->block ? wait->block : GATE_B_DEFAULT;
    gate->condition = wait->condition;
    gate->target = wait->target;
    gate->look_at = now + 1;
    gate->free_at = wait->free_at;
    gate->since = now;
    clock_end_handler_only(x, now + 1);
    if (wait->free_at != TENSIX_NEVER)
        return;
    x->undecided |= (uint8_t)(1u << thread);
    if (now + 1 < x->look_at)
        x->look_at = now + 1;
}

/* Returns the first cycle in which a wait for these conditions holds nothing; TENSIX_NEVER if that is not known yet. It
 * is known if all conditions are pipelines of the thread that are empty in the next cycle, in which the wait is first
 * tested: no instruction of the thread can enter them before that. */
static uint64_t decide_early(const struct tensix *x, unsigned thread, unsigned conditions, uint64_t now) {
    bool own = !(conditions & GATE_C_ALL & ~(unsigned)FIRST_FIVE) && !x->vary; /* delays that vary may lengthen the
                                                                                * wait */
    return own && met_at(x, thread, conditions, now) <= now + 1 ? now + 2 : TENSIX_NEVER;
}

uint64_t execute_STALLWAIT(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STALLWAIT op = tensix_decode_STALLWAIT(word);
    uint64_t again = sync_take_slot(x, thread, now);
    if (again)
        return again;
    uint16_t condition = op.wait_res ? (uint16_t)op.wait_res : GATE_C_DEFAULT;
    latch(x, thread, now,
          &(struct gate){
              .opcode = TENSIX_STALLWAIT,
              .block = (uint16_t)op.stall_res,
              .condition = condition,
              .free_at = decide_early(x, thread, condition, now),
          });
    return TENSIX_PASSED;
}

uint64_t execute_SEMWAIT(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_SEMWAIT op = tensix_decode_SEMWAIT(word);
    if (!op.wait_sem_cond)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                            "a wait without a condition (wait_sem_cond = 0) is undefined");
    uint64_t again = sync_take_slot(x, thread, now);
    if (again)
        return again;
    latch(x, thread, now,
          &(struct gate){
              .opcode = TENSIX_SEMWAIT,
              .block = (uint16_t)op.stall_res,
              .condition = (uint16_t)op.wait_sem_cond,
              .semaphores = (uint8_t)op.sem_sel,
              .free_at = TENSIX_NEVER,
          });
    return TENSIX_PASSED;
}

uint64_t execute_STREAMWAIT(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STREAMWAIT op = tensix_decode_STREAMWAIT(word);
    const uint16_t *config = x->config.thread[thread];
    uint32_t high =
        op.target_sel ? CONFIG_GET(config, STREAMWAIT_NUM_MSGS_HI_Val) : CONFIG_GET(config, STREAMWAIT_PHASE_HI_Val);
    uint64_t again = sync_take_slot(x, thread, now);
    if (again)
        return again;
    latch(x, thread, now,
          &(struct gate){
              .opcode = TENSIX_STREAMWAIT,
              .block = (uint16_t)op.stall_res,
              .condition = (uint16_t)(1u << op.target_sel),
              .stream_select = (uint8_t)op.wait_stream_sel,
              .target = high << 10 | op.target_value,
              .free_at = TENSIX_NEVER,
          });
    return TENSIX_PASSED;
}
