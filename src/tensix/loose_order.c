/* Which thread of a loosely timed coprocessor goes first: see loose_order.h. */
#include "tensix/loose_order.h"

/* Clock up to which another thread may go on after a hand-over: 0 if the hand-over is not to be seen yet. The thread
 * that unpacked is bound by nothing if it waits, and by its clock if it is due, as others are. Else its core may be
 * about to push what follows. */
static uint64_t bound_by_hand_over(struct tensix *x, uint64_t clock) {
    const struct tensix_thread *by = &x->thread[x->handed_by];
    if (clock >= x->handed_at + AFTER_HAND_OVER)
        x->handed_at = 0;
    if (!x->handed_at || (by->due == TENSIX_NEVER && !is_open(by)) || !x->port->core_time)
        return TENSIX_NEVER;
    uint64_t core = by->due == TENSIX_NEVER ? x->port->core_time(x->owner, BH_TRISC0 + x->handed_by) : TENSIX_NEVER;
    return clock < x->handed_at && (by->due != TENSIX_NEVER || core < x->handed_at) ? 0 : core;
}

/* Clock up to which a thread may go on that BRISC pushes to as well: BRISC's words may take the place of others. */
static uint64_t bound_by_brisc(struct tensix *x, struct tensix_thread *t, uint64_t clock) {
    if (clock >= t->shared_at + AFTER_SHARED)
        t->shared_at = 0;
    return t->shared_at && !t->by_brisc && x->port->core_time ? x->port->core_time(x->owner, BH_BRISC) : TENSIX_NEVER;
}

static inline uint64_t due_of_others(const struct tensix *x, unsigned thread) {
    uint64_t due = TENSIX_NEVER;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        due = i == thread ? due : smaller(due, x->thread[i].due);
    return due;
}

bool loose_look_around(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    uint64_t others = due_of_others(x, thread), bound = TENSIX_NEVER;
    if (x->handed_at && x->handed_by != thread)
        bound = bound_by_hand_over(x, clock_of(x));
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
