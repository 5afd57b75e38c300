/* Turns of threads (turn.c), as the coprocessor's run (tensix.c) calls them. */
#ifndef TENSIX_TURN_H
#define TENSIX_TURN_H

#include "tensix/clock.h"

/* Lets the thread's instructions try to pass, the first one in cycle `now`, until the next event of another agent
 * (x->next_other_event). Sets the thread's due time. Precondition: the thread is due now, and nothing
 * watches the coprocessor (tensix_is_watched). */
void turn_take(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now);
/* Lets several threads that are due in this cycle or the next try to pass, cycle by cycle, until only one thread is due
 * for a while or another event occurs. Precondition: nothing watches the coprocessor. */
void turn_contend(struct tensix *x, uint64_t now);
/* Does what turn_take does, and reports to the observer or the search for hazards. */
void turn_take_watched(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now);

/* Writes the results that land by cycle `now`. Precondition: at least one does. */
void turn_land(struct tensix *x, uint64_t now);

/* Writes the results that land by cycle `now`, and tests latched waits. Returns whether a result has landed.
 * Precondition: nothing else has happened in this cycle. */
static inline bool turn_settle(struct tensix *x, uint64_t now) {
    bool landed = x->next_landing <= now;
    if (landed)
        turn_land(x, now);
    if (x->look_at <= now)
        gate_settle(x, now);
    return landed;
}

/* The handler and the gate class of every opcode, including opcodes that do not exist. */
extern tensix_handler *const turn_handler[256];
extern const uint16_t turn_gate_class[256];

/* Calls the handler of an instruction, and returns what the handler returns (see tensix_handler). Every handler is
 * called here, and check builds verify its contract here. Precondition: nothing holds the instruction at the gate. */
static inline __attribute__((always_inline)) uint64_t turn_enter(struct tensix *x, unsigned thread, uint32_t word,
                                                                 uint64_t now) {
    struct clock_mark before = clock_mark(x, thread, word, now);
    uint64_t again = turn_handler[word >> 24](x, thread, word, now);
    clock_verify_handler(x, thread, now, again, &before);
    return again;
}

/* Lets the instruction at the gate try to pass in cycle `now`. Returns what turn_enter returns. */
static inline __attribute__((always_inline)) uint64_t
turn_try(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint64_t tag, uint64_t now) {
    uint64_t again;
    if (BH_UNLIKELY(t->gate.free_at > now) && (again = gate_holds(&t->gate, turn_gate_class[word >> 24], now)))
        return tensix_hold(x, thread, again, WAIT_LATCHED);
    if (BH_UNLIKELY(frontend_tag_resources(tag)) && (again = config_request_holds(x, thread, tag, now)))
        return tensix_hold(x, thread, again, WAIT_TTSYNC_CORE);
    return turn_enter(x, thread, word, now);
}

/* Performs one event of a unit or an alarm that is due in cycle `now`. Events of one cycle have a fixed order. */
void turn_step_others(struct tensix *x, uint64_t now);

/* ---- Loose timing (loose.c) -------------------------------------------------------------------- */

/* Does what tensix_run does, but executes everything that can be executed, regardless of the time it takes. */
void loose_run(struct tensix *x, uint64_t until);

#endif
