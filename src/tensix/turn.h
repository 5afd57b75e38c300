/* What the coprocessor's time (tensix.c) and the turns of its threads (turn.c) have of each other. */
#ifndef TENSIX_TURN_H
#define TENSIX_TURN_H

#include "tensix/clock.h"

/* The first instruction of the thread, which is due in this cycle, tries to pass, and then others as long as nobody
 * else has anything to do (x->next_other_event). Sets the thread's due. */
void turn_take(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now);
/* Several threads are due in this cycle, or in this one and the next: they try, cycle by cycle, until one of them has
 * time for more than an attempt or something else has to be done. Precondition: there is no observer. */
void turn_contend(struct tensix *x, uint64_t now);
/* The same, however long, if there is an observer. */
void turn_take_watched(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now);

/* Lands what lands up to this cycle; there is something. */
void turn_land(struct tensix *x, uint64_t now);

/* What is on its way lands and latched waits are looked at, before anything is done in this cycle. Returns whether
 * something has landed. */
static inline bool turn_settle(struct tensix *x, uint64_t now) {
    bool landed = x->next_landing <= now;
    if (landed)
        turn_land(x, now);
    if (x->look_at <= now)
        gate_settle(x, now);
    return landed;
}

/* Of every opcode, also of those that do not exist. */
extern tensix_handler *const turn_handler[256];
extern const uint16_t turn_gate_class[256];

/* Calls the handler of an instruction that nothing holds at the gate. Every handler is called here, and what has to
 * hold before and after is checked here. */
static inline __attribute__((always_inline)) uint64_t turn_enter(struct tensix *x, unsigned thread, uint32_t word,
                                                                 uint64_t now) {
    struct clock_mark before = clock_mark(x, thread, word, now);
    uint64_t again = turn_handler[word >> 24](x, thread, word, now);
    clock_verify_handler(x, thread, now, again, &before);
    return again;
}

/* An instruction that is at the gate tries to pass in cycle `now`. Returns as its handler does. */
static inline __attribute__((always_inline)) uint64_t
turn_try(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint64_t tag, uint64_t now) {
    uint64_t again;
    if (BH_UNLIKELY(t->gate.free_at > now) && (again = gate_holds(&t->gate, turn_gate_class[word >> 24], now)))
        return tensix_hold(x, thread, again, WAIT_LATCHED);
    if (BH_UNLIKELY(frontend_tag_resources(tag)) && (again = config_request_holds(x, thread, tag, now)))
        return tensix_hold(x, thread, again, WAIT_TTSYNC_CORE);
    return turn_enter(x, thread, word, now);
}

/* What it has to do: of several in one cycle one, in a fixed order. */
void turn_step_others(struct tensix *x, uint64_t now);

/* ---- Loose timing (loose.c) -------------------------------------------------------------------- */

/* As tensix_run, and everything that can be done is, whatever time that takes. */
void loose_run(struct tensix *x, uint64_t until);

#endif
