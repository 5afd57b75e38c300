/* The coprocessor with loose timing: the same pipeline, run until a word is held.
 *
 * A word is executed as soon as a core pushes it: a thread's words pass their gate one after the other, and every
 * result and every job of a unit is finished before the next word of any thread. The time of the units advances as far
 * as that takes, ahead of the cores if necessary, so no pipeline is busy for longer than an instruction and no result
 * lands too late. Only waits that another agent has to end remain (semaphores, mutexes, owners of Src's banks, streams,
 * L1): the word then stays at its gate, and the words after it stay in their FIFOs.
 *
 * The frontend of a thread is that of cycle timing (frontend/), in the time of the thread's own clock. A row of
 * plain words that finds it empty goes straight to the units.
 *
 * The clocks of the threads decide which thread goes first (loose_order.h). Before a core writes state that words use
 * (Config, GPRs, the configuration of the MOP expander), threads that are due run: on a chip they would have done so
 * long before.
 *
 * Inexact by design: cycle counts, and the values that a program with a missing wait sees. A program without such a
 * mistake sees the same values. */
#include "base/order.h"
#include "isa/push.h"
#include "isa/regs.h"
#include "tensix/loose_order.h"
#include "tensix/turn.h"

/* ---- Time --------------------------------------------------------------------------------------- */

/* Sets all bounds of the clock to "never": until a handler changes handler_only_until, no other agent acts. Latched
 * waits of other threads are tested in their own turns. */
static inline void begin(struct tensix *x) {
    x->until = x->next_other_event = x->handler_only_until = x->look_at = TENSIX_NEVER;
    x->direct_push_mask = 0;
}

/* Returns whether all landings are for instructions that SFPLOADMACRO has scheduled, which follow the cycles of later
 * words. */
static bool only_scheduled(struct tensix *x) {
    bool only = x->vector.macros;
    for (unsigned i = 0; only && i < x->landings; i++)
        only = tensix_landing_place(x, i)->where == TENSIX_LAND_VECTOR;
    return only;
}

/* Lands all results, and lets the units finish their work. */
static void finish_units(struct tensix *x) {
    uint64_t others, due;
    while ((due = smaller(x->next_landing, others = clock_others_due(x))) != TENSIX_NEVER) {
        if (BH_UNLIKELY(due > x->time && others == TENSIX_NEVER && only_scheduled(x)))
            return;
        x->time = later(x->time, due);
        if (others != due) {
            turn_land(x, due);
        } else {
            turn_step_others(x, due);
            x->time = later(x->time, due + 1);
        }
    }
}

/* Does the same, and adds long work to the thread's clock, so that the work of units bounds a turn as well. */
__attribute__((noinline)) static void finish_all(struct tensix *x) {
    uint64_t start = x->time;
    finish_units(x);
    add_lead(x, smaller(x->time - start, UNIT_CYCLES));
}

static inline bool is_unfinished(const struct tensix *x) {
    return (x->next_landing & x->config.request_due & x->alarm & x->data_due & x->mover.due) != TENSIX_NEVER;
}

static inline void finish(struct tensix *x) {
    if (is_unfinished(x))
        finish_all(x);
}

/* Finishes the work that cores have started since the last word. */
__attribute__((noinline)) static void finish_between_rows(struct tensix *x) {
    x->running = true;
    finish_all(x);
    x->running = false;
}

/* ---- Words -------------------------------------------------------------------------------------- */

/* Returns whether the thread's next instruction needs nothing but its handler. */
static inline bool needs_handler_only(const struct tensix *x, const struct tensix_thread *t) {
    return t->gate.free_at <= x->time && t->frozen_until <= x->time && x->next_landing == TENSIX_NEVER;
}

/* Returns the cycle, `now` or later, in which the gate opens by itself; `now` for a gate that only an event can
 * open. */
static inline uint64_t opens_at(const struct gate *gate, uint64_t now) {
    return gate->free_at == TENSIX_NEVER ? now : later(gate->free_at, now);
}

/* Lands the results of this cycle and before, and tests the gate. Returns the cycle in which the thread's next word can
 * try. */
static uint64_t settle(struct tensix *x, const struct tensix_thread *t, unsigned thread, uint64_t now) {
    now = later(now, t->frozen_until);
    if (x->next_landing <= now)
        turn_land(x, now);
    if (t->gate.free_at > now)
        gate_settle_one(x, thread, now);
    return opens_at(&t->gate, now);
}

/* Returns whether an observer or a performance counter has to see every attempt to pass. */
static inline bool is_watched(const struct tensix *x) {
    return x->observer || x->counting;
}

static void watch(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t now, uint64_t again) {
    if (x->observer)
        tensix_observe(x, thread, word, pc, now, again);
    if (x->counting && again <= TENSIX_PASSED_NEXT)
        count_loose(x, thread, word);
}

/* Lets the word at the gate pass as soon as it can. Returns false if it is held or the thread has faulted. */
static bool pass(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint32_t pc) {
    struct frontend *f = &t->frontend;
    uint64_t now = x->time, again;
    t->pc = pc;
    for (;;) {
        if (!needs_handler_only(x, t))
            now = settle(x, t, thread, now);
        if (BH_UNLIKELY(t->faulted)) /* a result that the thread has scheduled has faulted */
            return false;
        begin(x);
        again = turn_try(x, t, thread, word, 0, now);
        if (BH_UNLIKELY(is_watched(x)))
            watch(x, thread, word, pc, now, again);
        if (again <= TENSIX_PASSED_NEXT)
            break;
        x->time = now;
        finish(x);
        if (again == TENSIX_NEVER)
            return false;
        now = later(again, x->time);
    }
    t->waits_on = WAIT_NONE;
    x->time = now + again + 1;
    frontend_pop(f, clock_of(x) - 1);
    if (x->handler_only_until != TENSIX_NEVER)
        finish(x);
    return true;
}

/* Cycles from the MOP expander to the gate, which do not count in the clock of a thread. */
enum { STAGES = 2 };

/* Returns whether the thread has words, and all of them are before or in the MOP expander. */
static bool is_before_mux(const struct tensix_thread *t) {
    const struct frontend *f = &t->frontend;
    return !(f->middle_count | f->last_count) && !replay_plays(&f->replay) &&
           (f->mop.active || frontend_first_count(f));
}

/* Returns whether BRISC or the debug bus has pushed a word of the thread at this clock: what the MOP expander emits
 * then is lost (frontend_loses). */
static bool is_shared_at(const struct tensix_thread *t, uint64_t clock) {
    return t->shared_at - clock < TENSIX_SHARED && (t->shared[clock % TENSIX_SHARED / 64] >> clock % 64 & 1);
}

/* Records that BRISC or the debug bus pushes a word of the thread at this clock. The debug bus may be behind BRISC. */
static void share_at(struct tensix_thread *t, uint64_t clock) {
    uint64_t last = later(t->shared_at, clock);
    if (last - t->shared_at >= TENSIX_SHARED)
        memset(t->shared, 0, sizeof t->shared);
    else
        for (uint64_t c = t->shared_at + 1; c <= last; c++)
            t->shared[c % TENSIX_SHARED / 64] &= ~(UINT64_C(1) << c % 64);
    if (last - clock < TENSIX_SHARED)
        t->shared[clock % TENSIX_SHARED / 64] |= UINT64_C(1) << clock % 64;
    t->shared_at = last;
}

/* Returns whether the turn of a thread to which BRISC also pushes has to end before another word leaves the MOP
 * expander. A word that would leave it at the clock of a word of BRISC is lost. */
__attribute__((noinline)) static bool yields_to_brisc(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct frontend *f = &t->frontend;
    for (;; x->time++) {
        bool before = is_before_mux(t);
        if (t->by_brisc && before) { /* BRISC's word has passed; the TRISC's words have a turn of their own */
            t->due = clock_of(x);
            return true;
        }
        if (before && !f->mop.active)
            wait_until(x, f->first.time[frontend_place(f)]);
        if (gives_way(x, t, thread, TENSIX_NOP << 24)) /* run_thread tests the real word later */
            return true;
        if (!before || !is_shared_at(t, clock_of(x)) || !frontend_lose_next(f))
            return false;
    }
}

/* The next word of a thread. */
struct next {
    uint32_t word, pc;
    uint64_t clock; /* first clock at which the word can pass */
};

/* Finds the next word. Returns false if no word comes before the end of the turn. */
static inline __attribute__((always_inline)) bool find_next(struct frontend *f, uint64_t limit, struct next *next) {
    if (f->lane && f->in_flight) {
        unsigned at = frontend_place(f);
        *next =
            (struct next){ f->first.word[at], f->first.pc[at], frontend_lane_ready(frontend_lane_mop(f, at)) - STAGES };
        return true;
    }
    const struct frontend_word *head = frontend_head(f, limit + STAGES);
    if (head)
        *next = (struct next){ head->word, head->pc, frontend_ready(f) - STAGES };
    return head;
}

/* Lets words of the thread pass until one is held, the thread has to give way, or no word is left. */
static void run_thread(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct frontend *f = &t->frontend;
    struct next next;
    f->held = false;
    while (!t->faulted) {
        if (BH_UNLIKELY(t->shared_at || t->by_brisc) && yields_to_brisc(x, t, thread))
            return;
        if (!find_next(f, x->limit, &next)) {
            if (frontend_empty(f))
                return;
            wait_until(x, x->limit); /* the expanders have worked for as long as the turn may last */
            t->due = clock_of(x);
            return;
        }
        if (!t->shared_at) /* otherwise words of BRISC have advanced the stages past the clock of the TRISC's words */
            wait_until(x, next.clock);
        if (gives_way(x, t, thread, next.word))
            return;
        if (!pass(x, t, thread, next.word, next.pc))
            break;
    }
    frontend_hold(f);
}

/* ---- Turns -------------------------------------------------------------------------------------- */

/* Wakes the cores that wait for the thread. */
static void wake_cores(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    if (t->pass_wanted || (t->room_wanted && frontend_has_room(&t->frontend))) {
        t->room_wanted = t->pass_wanted = false;
        x->port->event(x->owner, clock_of(x), 1u << BH_BRISC | 1u << (BH_TRISC0 + thread));
    }
    if (t->idle_wanted && frontend_empty(&t->frontend)) {
        t->idle_wanted = false;
        tensix_alarm(x, x->time);
    }
}

/* Gives the thread a turn: it runs until it has to wait or has to give way. */
static void take_turn(struct tensix *x, unsigned thread, uint64_t limit) {
    struct tensix_thread *t = &x->thread[thread];
    uint64_t clock = later(t->clock, t->due);
    x->time = later(x->time, clock);
    t->due = TENSIX_NEVER;
    begin_turn(x, t, thread, clock, limit);
    finish(x);
    run_thread(x, t, thread);
    if (t->wanted) /* also if words have only been recorded and none has passed */
        wake_cores(x, t, thread);
    finish(x);
    end_turn(x, t);
}

/* Returns the thread of the mask that is due first, if it is due before this clock; else TENSIX_THREADS. */
static unsigned next_due(const struct tensix *x, unsigned threads, uint64_t until) {
    unsigned first = TENSIX_THREADS;
#pragma GCC unroll 4
    for (unsigned i = 0; i < TENSIX_THREADS; i++) { /* without branches, which would be hard to predict */
        uint64_t due = threads >> i & 1 ? x->thread[i].due : TENSIX_NEVER;
        first = due < until ? i : first;
        until = due < until ? due : until;
    }
    return first;
}

/* Gives the thread one turn. Returns false if the thread has not advanced, because it waits for cores. */
static bool advance(struct tensix *x, unsigned thread, uint64_t limit) {
    const struct tensix_thread *t = &x->thread[thread];
    uint64_t due = t->due, passes = t->frontend.passes;
    take_turn(x, thread, limit);
    return t->due != due || t->frontend.passes != passes;
}

/* Gives turns to the threads that are due before this clock, in the order of their clocks. */
__attribute__((noinline)) static void run_woken(struct tensix *x, uint64_t until) {
    unsigned threads = ALL_THREADS, i;
    while ((i = next_due(x, threads, until)) < TENSIX_THREADS)
        if (!advance(x, i, later(x->thread[i].due, x->thread[i].clock) + TURN_WORDS))
            threads &= ~(1u << i);
}

/* Does everything that can be done, except for threads that are not due before this clock. */
static inline void go_on(struct tensix *x, uint64_t until) {
    finish(x);
    if (first_due(x) < until)
        run_woken(x, until);
}

void loose_catch_up(struct tensix *x) {
    uint64_t due = first_due(x);
    if (x->running)
        return;
    x->running = true;
    go_on(x, due == TENSIX_NEVER ? due : due + TURN_WORDS);
    x->running = false;
}

void loose_finish(struct tensix *x, uint64_t until) {
    if (x->running)
        return;
    x->running = true;
    finish(x);
    x->time = later(x->time, until);
    if (BH_UNLIKELY(x->next_landing <= x->time)) /* landings that SFPLOADMACRO has scheduled */
        turn_land(x, x->time);
    x->running = false;
}

void loose_run(struct tensix *x, uint64_t until) {
    if (x->running)
        return;
    x->running = true;
    go_on(x, until);
    x->running = false;
    loose_finish(x, until);
    if (until)
        act_for(x, until);
}

/* ---- Pushes ------------------------------------------------------------------------------------- */

/* Gives the word its turn at once. The thread's clock stays that of the TRISC's words, which may be earlier. */
void loose_shared(struct tensix *x, unsigned thread, uint64_t clock) {
    struct tensix_thread *t = &x->thread[thread];
    uint64_t before = t->clock;
    share_at(t, clock);
    x->direct_push_mask = 0;
    if (x->running || t->due > clock)
        return;
    x->running = t->by_brisc = true;
    (void)advance(x, thread, clock + TURN_WORDS);
    x->running = t->by_brisc = false;
    t->clock = before;
    if (t->due != TENSIX_NEVER && is_before_mux(t))
        t->due = t->frontend.mop.active ? before : later(before, frontend_nth(&t->frontend, 0).time);
}

/* Gives turns to the threads with earlier clocks, and then to this thread, unless it has to wait for cores.
 * Precondition: its core has just pushed, and the thread has given way. */
__attribute__((noinline)) static void take_turns(struct tensix *x, unsigned thread) {
    const struct tensix_thread *t = &x->thread[thread];
    uint64_t limit = x->core_clock + TURN_WORDS;
    unsigned threads = ALL_THREADS, i;
    x->running = true;
    while (t->due < limit && (threads >> thread & 1) && (i = next_due(x, threads, limit)) < TENSIX_THREADS)
        if (!advance(x, i, limit))
            threads &= ~(1u << i);
    x->running = false;
}

static inline bool is_held(const struct tensix *x, unsigned thread) {
    return x->held & (uint32_t)REG_HOLD_T0 << thread;
}

/* Puts as many words into the FIFO as there is room for. Returns their number. */
static unsigned queue(struct tensix *x, unsigned thread, const uint32_t *words, unsigned step, unsigned count,
                      uint32_t pc) {
    struct frontend *f = &x->thread[thread].frontend;
    unsigned at = 0;
    if (!frontend_has_room(f) && frontend_may_consume(f)) /* consumed words may make room */
        frontend_advance(f, x->core_clock);
    while (at < count && frontend_has_room(f)) {
        uint32_t group[FRONTEND_GROUP];
        unsigned size = count - at < FRONTEND_GROUP ? count - at : FRONTEND_GROUP;
        for (unsigned i = 0; i < size; i++)
            group[i] = words[(size_t)step * (at + i)];
        (void)BH_CHECK(x->error, frontend_push(f, group, size, pc + 4 * at, x->core_clock, x->config.thread[thread]));
        at += size;
    }
    return at;
}

/* Pushes words that need more than their handlers: puts them into the FIFO, and runs the thread if it can run. Returns
 * the number of words pushed. */
__attribute__((noinline)) static unsigned push_any(struct tensix *x, unsigned thread, const uint32_t *words,
                                                   unsigned step, unsigned count, uint32_t pc) {
    struct tensix_thread *t = &x->thread[thread];
    unsigned at = 0, entered;
    x->direct_push_mask = 0;                      /* a word may change what the next ones need without passing a gate */
    if (BH_UNLIKELY(x->debug_owns >> thread & 1)) /* the debug bus has the FIFO: pushes of cores are lost */
        return count;
    do {
        bool held = is_held(x, thread);
        entered = queue(x, thread, words + (size_t)step * at, step, count - at, pc + 4 * at);
        at += entered;
        if (BH_UNLIKELY(t->faulted)) /* the word that has faulted stays at the gate, for reports */
            frontend_hold(&t->frontend);
        if (t->due == TENSIX_NEVER && !t->waits_on && !t->faulted && entered)
            t->due = later(t->clock, x->core_clock);
        if (t->due != TENSIX_NEVER)
            take_turns(x, thread);
        if (BH_UNLIKELY(is_held(x, thread) && !held)) /* a word has reset the core that pushes it: the rest is lost */
            return count;
    } while (at < count && (entered || frontend_has_room(&t->frontend)));
    t->room_wanted |= count && !at;
    return at;
}

/* ---- Rows that go directly to the units -------------------------------------------------------------
 *
 * A row of plain words goes directly if nothing of the thread waits, no other thread is due before the row, and its
 * words need nothing but their handlers. That remains true until handler_only_until changes: every landing, job, event
 * or latched wait is announced there (tensix_handler). */

static inline bool may_go_directly(const struct tensix *x, unsigned thread) {
    return x->handler_only_until == TENSIX_NEVER && (x->direct_push_mask >> thread & 1);
}

static bool row_uses_src(const uint32_t *words, unsigned step, unsigned count) {
    bool uses = false;
    for (unsigned i = 0; i < count; i++)
        uses |= uses_src(words[(size_t)step * i]);
    return uses;
}

/* Advances the time to the end of a wait at the gate, if the wait ends by itself. */
static void sit_out(struct tensix *x, const struct tensix_thread *t, unsigned thread) {
    uint64_t opens = settle(x, t, thread, x->time);
    x->time = t->gate.free_at == TENSIX_NEVER ? x->time : opens;
}

/* Gives turns to threads that are due before a row of this thread. */
__attribute__((noinline)) static void others_go_first(struct tensix *x, struct tensix_thread *t, unsigned thread,
                                                      uint64_t clock) {
    unsigned threads = ALL_THREADS & ~(1u << thread), i;
    x->running = true;
    t->due = clock;
    while ((i = next_due(x, threads, clock)) < TENSIX_THREADS)
        if (!advance(x, i, clock + TURN_WORDS))
            threads &= ~(1u << i);
    t->due = TENSIX_NEVER;
    x->running = false;
}

/* Lets other threads go first, and sits out a wait at the gate that ends by itself. Returns whether the row can go
 * directly then. */
__attribute__((noinline)) static bool makes_way_for_row(struct tensix *x, struct tensix_thread *t, unsigned thread,
                                                        const uint32_t *words, unsigned step, unsigned count) {
    uint64_t clock = later(later(t->clock, x->core_clock), x->event_at);
    if (first_due(x) < clock)
        others_go_first(x, t, thread, clock);
    if (first_due(x) < clock + count - 1 || (hand_over_binds(x, thread) && row_uses_src(words, step, count)))
        return false;
    if (t->gate.free_at > x->time && t->gate.free_at != TENSIX_NEVER)
        sit_out(x, t, thread);
    t->clock = later(t->clock, x->event_at);
    x->time = later(x->time, t->clock);
    return needs_handler_only(x, t);
}

/* Returns whether a row can go directly. The result is also valid for the next row, unless a hand-over may bind the
 * thread (loose_order.h) or another thread is due. */
static inline __attribute__((always_inline)) bool becomes_direct(struct tensix *x, unsigned thread,
                                                                 const uint32_t *words, unsigned step, unsigned count) {
    struct tensix_thread *t = &x->thread[thread];
    if (!is_open(t) || t->frontend.replay.left || t->shared_at || x->debug_owns)
        return false;
    bool others = is_any_due(x) || hand_over_binds(x, thread);
    if (BH_UNLIKELY(others || !needs_handler_only(x, t) || later(t->clock, x->core_clock) < x->event_at)) {
        if (!makes_way_for_row(x, t, thread, words, step, count))
            return false;
        others = is_any_due(x) || hand_over_binds(x, thread);
    }
    if (!x->direct_push_mask || x->handler_only_until != TENSIX_NEVER)
        begin(x);
    x->direct_push_mask |= (uint8_t)(!others << thread);
    return true;
}

/* Finishes the work that the last word of a row has started, and sits out a wait at the gate. Returns whether the rest
 * of the row can go directly. */
__attribute__((noinline)) static bool becomes_handler_only(struct tensix *x, unsigned thread, const uint32_t *words,
                                                           unsigned step, unsigned count) {
    struct tensix_thread *t = &x->thread[thread];
    x->running = true;
    finish(x);
    if (t->gate.free_at > x->time && !t->faulted)
        sit_out(x, t, thread);
    x->running = false;
    end_turn(x, t);
    return !is_held(x, thread) && becomes_direct(x, thread, words, step, count);
}

/* Handles the rest of a row, which needs more than its handlers. Returns the number of words accepted. */
__attribute__((noinline)) static unsigned end_row(struct tensix *x, unsigned thread, const uint32_t *words,
                                                  unsigned step, unsigned count, uint32_t pc) {
    struct tensix_thread *t = &x->thread[thread];
    if (BH_UNLIKELY(is_held(x, thread))) /* a word has reset the core that pushes it: the rest is lost */
        return count;
    if (!t->faulted)
        t->waits_on = WAIT_NONE; /* a word that did not pass tries again at its gate */
    return push_any(x, thread, words, step, count, pc);
}

/* Lets the words of a row pass as long as they need nothing but their handlers; the words are at every step-th position
 * of an array. The rest of the row enters the FIFO. Returns the number of words accepted. watched and step are
 * constants. */
static inline __attribute__((always_inline)) unsigned do_row(struct tensix *x, unsigned thread, const uint32_t *words,
                                                             unsigned step, unsigned count, uint32_t pc, bool watched) {
    struct tensix_thread *t = &x->thread[thread];
    uint64_t again;
    unsigned done = 0;
    do {
        uint64_t now = x->time;
        act_for_core(x, t);
        x->running = true;
        do {
            uint32_t word = words[(size_t)step * done];
            t->pc = pc + 4 * done;
            again = turn_enter(x, thread, word, now);
            if (BH_UNLIKELY(again > TENSIX_PASSED_NEXT))
                break;
            if (watched)
                watch(x, thread, word, t->pc, now, again);
            x->time = now += again + 1;
            done++;
            clock_verify_handler_only(x, thread, now);
        } while (done < count && x->handler_only_until == TENSIX_NEVER);
        x->running = false;
        end_turn(x, t);
        if (BH_LIKELY(done == count && x->handler_only_until == TENSIX_NEVER))
            break;
    } while (again <= TENSIX_PASSED_NEXT &&
             becomes_handler_only(x, thread, words + (size_t)step * done, step, count - done) && done < count);
    t->frontend.passes += done;
    if (done)
        t->frontend.after_pass = t->clock;
    if (BH_LIKELY(done == count))
        return count;
    unsigned rest = end_row(x, thread, words + (size_t)step * done, step, count - done, pc + 4 * done);
    t->room_wanted &= !done; /* the core pushes the rest again, and waits only then */
    return done + rest;
}

__attribute__((noinline)) static unsigned do_watched_row(struct tensix *x, unsigned thread, const uint32_t *words,
                                                         unsigned step, unsigned count, uint32_t pc) {
    return do_row(x, thread, words, step, count, pc, true);
}

unsigned loose_push(struct tensix *x, unsigned thread, const uint32_t *words, unsigned shape, uint32_t pc,
                    uint64_t time) {
    unsigned count = push_count(shape), step = push_step(shape);
    begin_push(x, time);
    if (BH_UNLIKELY(!may_go_directly(x, thread) && is_unfinished(x)))
        finish_between_rows(x);
    if (BH_UNLIKELY(!(shape & PUSH_PLAIN) ||
                    (!may_go_directly(x, thread) && !becomes_direct(x, thread, words, step, count))))
        return push_any(x, thread, words, step, count, pc);
    if (BH_UNLIKELY(is_watched(x)))
        return do_watched_row(x, thread, words, step, count, pc);
    return step == 1 ? do_row(x, thread, words, 1, count, pc, false) : do_row(x, thread, words, 2, count, pc, false);
}
