/* Decides which thread of a loosely timed coprocessor goes first: see loose_order.h. */
#include "tensix/loose_order.h"

/* Returns whether the Matrix Unit owns its bank of both files. If so, its words need nothing that the unpacking thread
 * may be about to hand over. */
static inline bool has_both_banks(const struct src *src) {
    return src->allowed[SRC_A][src->matrix_bank[SRC_A]] == SRC_MATRIX &&
           src->allowed[SRC_B][src->matrix_bank[SRC_B]] == SRC_MATRIX;
}

/* Returns whether a hand-over binds words of the thread that use Src. */
static inline bool is_bound_by_hand_over(const struct tensix *x, unsigned thread) {
    return hand_over_binds(x, thread) && !has_both_banks(&x->src);
}

/* Returns the clock up to which such words may pass; 0 if the hand-over cannot be seen yet. The thread that unpacked
 * binds no other thread while it waits. If it is due, it binds them by its clock, as any thread does. Otherwise its
 * core may be about to push the words that follow. */
static uint64_t bound_by_hand_over(struct tensix *x, uint64_t clock) {
    const struct tensix_thread *by = &x->thread[x->handed_by];
    bool due = by->due != TENSIX_NEVER, by_core = !due && is_open(by) && x->port->core_time;
    uint64_t core = by_core ? x->port->core_time(x->owner, BH_TRISC0 + x->handed_by) : TENSIX_NEVER;
    uint64_t over = x->handed_at + AFTER_HAND_OVER;
    if (clock >= over && core >= over)
        x->handed_at = 0;
    if (!x->handed_at || !(due || by_core))
        return TENSIX_NEVER;
    return clock < x->handed_at && (due || core < x->handed_at) ? 0 : core;
}

/* Returns the clock up to which a thread may run to which BRISC also pushes: BRISC's words may displace others. */
static uint64_t bound_by_brisc(struct tensix *x, struct tensix_thread *t, uint64_t clock) {
    if (clock >= t->shared_at + TENSIX_SHARED)
        t->shared_at = 0;
    return t->shared_at && !t->by_brisc && x->port->core_time ? x->port->core_time(x->owner, BH_BRISC) : TENSIX_NEVER;
}

/* Returns the clock up to which other threads may run because this thread is due. A thread that has merely given way
 * may be TURN_SLACK cycles earlier; a thread that an event has woken passes its word first. */
static inline uint64_t bound_by_thread(const struct tensix_thread *t, bool strict) {
    return t->due == TENSIX_NEVER || t->waits_on || strict ? t->due : t->due + TURN_SLACK;
}

static inline uint64_t bound_by_others(const struct tensix *x, unsigned thread, bool uses_src) {
    uint64_t bound = TENSIX_NEVER;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        bound = i == thread ? bound : smaller(bound, bound_by_thread(&x->thread[i], uses_src && x->handed_by == i));
    return bound;
}

bool loose_look_around(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    bool handed = is_bound_by_hand_over(x, thread), uses = uses_src(word);
    uint64_t others = bound_by_others(x, thread, uses);
    uint64_t bound = handed && uses ? bound_by_hand_over(x, clock_of(x)) : TENSIX_NEVER;
    x->src_bound = !uses && (handed || (x->handed_by != thread && x->thread[x->handed_by].due != TENSIX_NEVER));
    if (t->shared_at)
        bound = smaller(bound, bound_by_brisc(x, t, clock_of(x)));
    if (bound)
        wait_until(x, x->event_at);
    uint64_t clock = clock_of(x);
    if (clock <= others && clock < x->limit && clock <= bound) {
        x->yield_at = smaller(smaller(others, x->limit - 1), bound) + x->lead;
        return false;
    }
    t->due = bound ? clock : later(clock, x->handed_at);
    return true;
}
