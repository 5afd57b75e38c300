/* Order of the threads of a loosely timed coprocessor (loose.c).
 *
 * Each thread has a clock (tensix_thread.clock), which advances by the cycles of the thread's own words and not by
 * those that units take, unless these are more than UNIT_CYCLES. `time` is the one clock of all units, and x->lead is
 * how far it is ahead of the clock of the thread or core that acts. With these clocks, which are comparable with the
 * times of the cores, loose timing keeps the following orders, so that a program sees what a chip with fast units could
 * show it:
 * - A word of a thread passes before the words after it, and no earlier than the core has pushed it.
 * - A held thread is due at the clock of the event that lets it continue, which includes the cycles of the unit that
 *   caused the event. No other thread passes a word at a later clock before that thread has continued: a bank, a
 *   semaphore or room that is free is used before another thread can take it away again.
 * - A thread that passes a word is not at an earlier clock than the last such event: its clock advances to it
 *   (x->event_at).
 * - A core that waits for room in its thread's FIFO goes on at the clock of the word that makes room.
 * - A thread that has given way without being held may be up to TURN_SLACK cycles earlier than other threads.
 * - A bank that an unpacker hands over is seen no earlier than the unpacker could have been done with it after its
 *   thread sent the instruction.
 * - Words that use Src do not pass ahead of the words of the thread that unpacked last. For AFTER_HAND_OVER cycles of
 *   that thread's core, and as long as the Matrix Unit has only one of its two banks, they do not get ahead of that
 *   core either, which may be about to push the other half: tt-llk hands SrcB over right after SrcA, and the Matrix
 *   Unit's words wait for SrcA only.
 * - A word that BRISC or the debug bus pushes passes when it is pushed, and a word that the MOP expander emits at the
 *   same clock is lost (frontend_loses).
 * - For TENSIX_SHARED cycles after a word of BRISC its thread does not get ahead of BRISC, which may push more. Words
 *   that the thread has executed before, ahead of BRISC, remain executed.
 * - A thread executes at most TURN_WORDS cycles of words in one call, and is no further ahead of its core. The rest is
 *   executed when the cores have reached the thread's clock. */
#ifndef TENSIX_LOOSE_ORDER_H
#define TENSIX_LOOSE_ORDER_H

#include "base/order.h"
#include "tensix/turn.h"

enum {
    UNIT_CYCLES = 256,    /* cycles that units may take after a word without advancing its thread's clock */
    TURN_WORDS = 4096,    /* the most cycles of a thread's clock in one turn, and ahead of its core */
    TURN_SLACK = 32,      /* the most cycles of a thread's clock ahead of another thread that has given way */
    AFTER_HAND_OVER = 32, /* cycles after a hand-over in which other threads do not get ahead of the unpacking thread's
                           * core */
    ALL_THREADS = (1 << TENSIX_THREADS) - 1,
};

/* ---- Clocks ------------------------------------------------------------------------------------- */

/* Precondition: the clock is not ahead of x->time. */
static inline void act_for(struct tensix *x, uint64_t clock) {
    x->lead = x->time - clock;
}

static inline uint64_t clock_of(const struct tensix *x) {
    return x->time - x->lead;
}

/* Records that the units have advanced x->time further ahead of the acting thread's clock. Turns have limits, so
 * x->yield_at is never TENSIX_NEVER. */
static inline void add_lead(struct tensix *x, uint64_t cycles) {
    x->lead += cycles;
    x->yield_at += cycles;
}

/* Advances the acting thread's clock to this one, if this one is later. */
static inline void wait_until(struct tensix *x, uint64_t clock) {
    if (clock <= clock_of(x))
        return;
    uint64_t before = x->lead;
    x->time = later(x->time, clock);
    act_for(x, clock);
    x->yield_at += x->yield_at ? x->lead - before : 0;
}

/* ---- Turns -------------------------------------------------------------------------------------- */

/* Returns whether the thread's frontend is empty, so that a pushed word can be executed at once. */
static inline bool is_open(const struct tensix_thread *t) {
    return !(t->frontend.in_flight | t->frontend.middle_count | t->frontend.last_count | t->faulted);
}

static inline uint64_t first_due(const struct tensix *x) {
    return smaller(smaller(x->thread[0].due, x->thread[1].due), x->thread[2].due);
}

static inline bool is_any_due(const struct tensix *x) {
    return (x->thread[0].due & x->thread[1].due & x->thread[2].due) != TENSIX_NEVER;
}

/* Returns whether the last hand-over may bind words of the thread that use Src. */
static inline bool hand_over_binds(const struct tensix *x, unsigned thread) {
    return x->handed_at && x->handed_by != thread;
}

/* Returns whether the thread has to give way before its next word, to a thread with an earlier clock or to cores. If
 * so, sets its due time. */
bool loose_look_around(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word);

/* Returns whether the word is one of the Matrix Unit or of the unpackers. ZEROACC only clears Dst. */
static inline bool uses_src(uint32_t word) {
    return word >> 24 != TENSIX_ZEROACC && turn_gate_class[word >> 24] & (GATE_B_UNPACK | GATE_B_MATRIX);
}

static inline bool gives_way(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    return BH_UNLIKELY(x->time > x->yield_at || (x->src_bound && uses_src(word))) &&
           loose_look_around(x, t, thread, word);
}

/* Begins the thread's turn at this clock. Sets yield_at as loose_look_around would, unless a push of BRISC or an event
 * has to be considered or the thread has to give way; in these cases the first word of the turn calls
 * loose_look_around. */
static inline void begin_turn(struct tensix *x, const struct tensix_thread *t, unsigned thread, uint64_t clock,
                              uint64_t limit) {
    uint64_t last = smaller(first_due(x), limit - 1);
    act_for(x, clock);
    x->yield_at = !t->shared_at && x->event_at <= clock && clock <= last ? last + x->lead : 0;
    x->src_bound = hand_over_binds(x, thread);
    x->limit = limit;
}

static inline void end_turn(struct tensix *x, struct tensix_thread *t) {
    t->clock = clock_of(x);
}

/* Begins a push of a core at this time. */
static inline void begin_push(struct tensix *x, uint64_t time) {
    x->core_clock = time + 1;
    x->time = later(x->time, time + 1);
}

/* Sets the acting clock to that of the first word of the push. */
static inline void act_for_core(struct tensix *x, const struct tensix_thread *t) {
    act_for(x, later(t->clock, x->core_clock));
}

#endif
