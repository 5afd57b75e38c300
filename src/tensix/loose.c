/* A loosely timed coprocessor: what a core pushes is done at once.
 *
 * An instruction, and all that lands later or has a unit at work, are done before the next one of any thread is looked
 * at; the clock goes on to wherever that takes it, ahead of the cores if need be. So no FIFO fills, no pipeline is busy
 * for longer than an instruction, and nothing lands too late. What remains are the waits that only somebody else can
 * end (semaphores, mutexes, owners of Src's banks, streams, L1). Then the word is parked at the gate with what is left
 * of the expansion that it comes from, and words behind it queue in the first FIFO.
 *
 * Who goes first is decided by the threads' clocks (loose_order.h). Before a core writes what words use (Config, GPRs,
 * the MOP expander's), threads that are due go on: on a chip they would have long since.
 *
 * Inexact by design: cycle counts, and what a program sees that forgot to wait. The values of one that did not are the
 * same. What BRISC and the debug bus push goes through the frontend as with cycles (turn.c), and so do words that have
 * been brought forward since a core looked at the frontend: their clock is that of the last word pushed by then. */
#include "base/order.h"
#include "isa/push.h"
#include "isa/regs.h"
#include "tensix/loose_order.h"
#include "tensix/turn.h"

/* ---- Time --------------------------------------------------------------------------------------- */

/* Nobody else has anything to do: until calm_until changes. Latched waits of other threads are their business. */
static inline void begin(struct tensix *x) {
    x->until = x->alone_until = x->calm_until = x->look_at = TENSIX_NEVER;
    x->ready = 0;
}

/* Does nothing move but what SFPLOADMACRO has scheduled? That goes by the cycles of the words that follow. */
static bool only_scheduled(struct tensix *x) {
    bool only = x->vector.macros;
    for (unsigned i = 0; only && i < x->landings; i++)
        only = tensix_landing_place(x, i)->where == TENSIX_LAND_VECTOR;
    return only;
}

/* What is on its way gets there, and the units do what they have to. */
static void finish_units(struct tensix *x) {
    uint64_t others, due;
    while ((due = smaller(x->next_landing, others = turn_others_due(x))) != TENSIX_NEVER) {
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

/* Long work counts for the thread's clock, so that a turn is bounded by what units do as well. */
__attribute__((noinline)) static void finish_all(struct tensix *x) {
    uint64_t start = x->time;
    finish_units(x);
    add_lead(x, smaller(x->time - start, UNIT_CYCLES));
}

static inline void finish(struct tensix *x) {
    if ((x->next_landing & x->config.request_due & x->alarm & x->data_due & x->mover.due) != TENSIX_NEVER)
        finish_all(x);
}

/* ---- One word ----------------------------------------------------------------------------------- */

/* The word has to wait at the gate, and with it what is left of the expansions that it comes from. The word that a core
 * has pushed is in flight until all of it has passed: expanded has its tag, and the others are as if their stages had
 * put them there. */
static void park(struct tensix *x, struct tensix_thread *t, uint32_t word) {
    struct frontend *f = &t->frontend;
    struct frontend_word *slot = &f->last[frontend_last_at(f)];
    *slot = (struct frontend_word){ .time = x->time, .word = word, .pc = t->pc, .tag = f->expanded.tag };
    f->played = (struct frontend_word){ .word = f->played.word, .pc = t->pc, .tag = f->expanded.tag };
    f->expanded = (struct frontend_word){ .word = f->mop.word, .pc = t->pc, .tag = f->expanded.tag };
    f->played.ends &= !f->mop.active;
    slot->ends = f->played.ends && !replay_plays(&f->replay);
    f->last_count = 1;
    f->mops = (uint8_t)(f->mops + f->mop.active);
    f->after_mop = f->mop.active;
    f->open = false;
}

/* Nothing but events can open a gate that does not know when it will. */
static inline uint64_t opens_at(const struct gate *gate, uint64_t now) {
    return gate->free_at == TENSIX_NEVER ? now : later(gate->free_at, now);
}

/* Passes the gate, when it can and no later, and is done. False: it has to wait for somebody. */
static bool pass(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    uint64_t now = later(x->time, t->frozen_until), again;
    for (;;) {
        if (x->next_landing <= now)
            turn_land(x, now);
        if (t->gate.free_at > now)
            gate_settle_one(x, thread, now);
        if (BH_UNLIKELY(t->faulted)) { /* by what it has set on its way */
            park(x, t, word);
            return false;
        }
        now = opens_at(&t->gate, now);
        begin(x);
        again = turn_try(x, t, thread, word, 0, now);
        if (BH_UNLIKELY(x->observer))
            tensix_observe(x, thread, word, t->pc, now, again);
        if (again <= TENSIX_PASSED_NEXT)
            break;
        x->time = now;
        finish(x);
        if (again == TENSIX_NEVER) {
            park(x, t, word);
            return false;
        }
        now = later(again, x->time);
    }
    t->waits_on = NULL;
    frontend_passes(&t->frontend, now + again);
    x->time = now + again + 1;
    if (x->calm_until != TENSIX_NEVER)
        finish(x);
    return true;
}

/* Does nothing have to be looked at before the thread's next instruction, which is at the gate, but itself? */
static inline bool is_calm(const struct tensix *x, const struct tensix_thread *t) {
    return t->gate.free_at <= x->time && t->frozen_until <= x->time && x->next_landing == TENSIX_NEVER;
}

/* A word has passed in cycle `now` without a look at anything else. An observer changes nothing about the way that a
 * word goes, or the state would depend on it. */
static inline void note_pass(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, uint64_t again) {
    if (BH_UNLIKELY(x->observer))
        tensix_observe(x, thread, word, x->thread[thread].pc, now, again);
}

/* So many words have passed, the last one in the cycle before this. */
static inline void note_passes(struct frontend *f, unsigned count, uint64_t now) {
    f->passes += count;
    if (count)
        f->after_pass = now;
}

/* Ordinary words, as long as nothing comes of them but what they do at once. pcs: theirs, or NULL if they are in a row.
 * Returns how many have been done; the next one needs more, and what they have set on its way has to be finished.
 * watched: constant, so that the loop without an observer does not ask for it. */
static inline __attribute__((always_inline)) unsigned do_calm_words(struct tensix *x, struct tensix_thread *t,
                                                                    unsigned thread, const uint32_t *words,
                                                                    unsigned count, const uint32_t *pcs, bool watched) {
    uint64_t now = x->time, again;
    uint32_t pc = t->pc;
    unsigned done = 0;
    begin(x);
    do {
        t->pc = pcs ? pcs[done] : pc + 4 * done;
        again = turn_handler[words[done] >> 24](x, thread, words[done], now);
        if (again > TENSIX_PASSED_NEXT)
            break;
        if (watched)
            note_pass(x, thread, words[done], now, again);
        x->time = now += again + 1;
        done++;
    } while (done < count && x->calm_until == TENSIX_NEVER);
    note_passes(&t->frontend, done, now);
    return done;
}

__attribute__((noinline)) static unsigned do_calmly_watched(struct tensix *x, struct tensix_thread *t, unsigned thread,
                                                            const uint32_t *words, unsigned count,
                                                            const uint32_t *pcs) {
    return do_calm_words(x, t, thread, words, count, pcs, true);
}

static inline __attribute__((always_inline)) unsigned do_calmly(struct tensix *x, struct tensix_thread *t,
                                                                unsigned thread, const uint32_t *words, unsigned count,
                                                                const uint32_t *pcs) {
    return BH_UNLIKELY(x->observer) ? do_calmly_watched(x, t, thread, words, count, pcs)
                                    : do_calm_words(x, t, thread, words, count, pcs, false);
}

static inline bool is_declaration(uint32_t word) {
    return word >> 24 == TENSIX_RESOURCEDECL;
}

/* The thread gives way in the middle of an expansion, and none of its words is at the gate, as the next one is recorded
 * or a declaration: what is left of the expansion is in its stages. */
static void put_in_stages(struct tensix *x, struct tensix_thread *t) {
    struct frontend *f = &t->frontend;
    f->played = (struct frontend_word){ .word = f->played.word, .pc = t->pc, .tag = f->expanded.tag };
    f->expanded = (struct frontend_word){ .word = f->mop.word, .pc = t->pc, .tag = f->expanded.tag };
    f->played.ends &= !f->mop.active;
    f->mops = (uint8_t)(f->mops + f->mop.active);
    f->after_mop = f->mop.active;
    f->mop_free = f->replay_free = x->time;
    f->open = false;
}

/* Gets out of the Replay expander. False: it has to wait for somebody, or has faulted. */
static bool leave(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    if (BH_UNLIKELY(is_declaration(word))) {
        ttsync_declare(&t->frontend.ttsync, word);
        x->time++;
        return true;
    }
    if (gives_way(x, t, thread)) {
        park(x, t, word);
        return false;
    }
    if (t->faulted || !is_calm(x, t) || !do_calmly(x, t, thread, &word, 1, NULL))
        return pass(x, t, thread, word);
    if (x->calm_until != TENSIX_NEVER)
        finish(x);
    return true;
}

static bool play(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct replay *r = &t->frontend.replay;
    while (replay_plays(r)) {
        if (BH_UNLIKELY(is_declaration(r->word[r->at])) && gives_way(x, t, thread)) {
            put_in_stages(x, t);
            return false;
        }
        if (!leave(x, t, thread, *replay_step(r)))
            return false;
    }
    return true;
}

/* Is the word lost that comes out of the MOP expander now? */
static inline bool loses(struct tensix *x, struct tensix_thread *t) {
    if (BH_LIKELY(!frontend_loses(t->shared_at, clock_of(x))))
        return false;
    t->frontend.lost++;
    x->time++;
    return true;
}

/* Gets to the Replay expander. */
static bool replay(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    struct replay *r = &t->frontend.replay;
    if (loses(x, t))
        return true;
    if (r->left) {
        *replay_step(r) = word;
        x->time += !r->executing;
        return !r->executing || leave(x, t, thread, word);
    }
    if (BH_LIKELY(word >> 24 != TENSIX_REPLAY))
        return leave(x, t, thread, word);
    replay_start(r, word);
    t->frontend.played.word = word;
    return play(x, t, thread);
}

static bool expand(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct mop *mop = &t->frontend.mop;
    struct mop_place place;
    bool declares = false;
    if (mop->active)
        mop_seek(mop, &place);
    while (mop->active) {
        if (BH_UNLIKELY(t->frontend.replay.left || declares || t->shared_at) && gives_way(x, t, thread)) {
            put_in_stages(x, t);
            return false;
        }
        uint32_t word = mop_take_any(mop, &place);
        declares = is_declaration(word);
        if (!replay(x, t, thread, word))
            return false;
    }
    return true;
}

/* A word in flight gets to the MOP expander, and everything behind it is empty. */
static void enter(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint64_t tag) {
    struct frontend *f = &t->frontend;
    bool done = true;
    f->expanded.tag = tag;
    switch (word >> 24) {
    case TENSIX_MOP:
        mop_start(&f->mop, word);
        done = expand(x, t, thread);
        break;
    case TENSIX_MOP_CFG: f->mop.mask_high = (uint16_t)tensix_decode_MOP_CFG(word).zmask_hi16; break;
    case TENSIX_RESOURCEDECL: break; /* it has been declared when it was pushed */
    default: done = replay(x, t, thread, word);
    }
    f->in_flight = (uint8_t)(f->in_flight - done);
}

/* ---- Several words ------------------------------------------------------------------------------ */

/* Ordinary words of a row with what they set on its way, if it is a calm time: up to one that needs more. */
static unsigned do_row(struct tensix *x, struct tensix_thread *t, unsigned thread, const uint32_t *words,
                       unsigned count, const uint32_t *pcs) {
    if (!count || t->frontend.replay.left || t->shared_at || !is_calm(x, t))
        return 0;
    unsigned done = do_calmly(x, t, thread, words, count, pcs);
    finish(x);
    return done;
}

/* The word that has just been tried has faulted. It stays where people look for it. */
static void park_faulted(struct tensix *x, struct tensix_thread *t, uint32_t word) {
    t->frontend.expanded.tag = frontend_tag(&t->frontend);
    park(x, t, word);
    t->frontend.in_flight++;
}

static inline unsigned ordinary_ones(const uint32_t *words, unsigned count) {
    unsigned n = 0;
    while (n < count && tensix_is_ordinary(words[n]))
        n++;
    return n;
}

static inline bool is_held(const struct tensix *x, unsigned thread) {
    return x->held & (uint32_t)REG_HOLD_T0 << thread;
}

/* Words that a core pushes, up to what has to wait. Returns how many it has taken. */
static inline unsigned do_pushed(struct tensix *x, struct tensix_thread *t, unsigned thread, const uint32_t *words,
                                 unsigned count, uint32_t pc, bool ordinary) {
    unsigned at = 0;
    while (at < count && is_open(t) && !gives_way(x, t, thread)) {
        unsigned row = ordinary ? count - at : ordinary_ones(words + at, count - at);
        t->pc = pc + 4 * at;
        unsigned done = do_row(x, t, thread, words + at, row, NULL);
        at += done;
        if (BH_UNLIKELY(t->faulted)) {
            if (at < count) /* not by what the last one has set on its way */
                park_faulted(x, t, words[at++]);
        } else if (!done) {
            t->frontend.in_flight++;
            uint64_t tag = frontend_note_direct(&t->frontend, words[at], x->config.thread[thread]);
            enter(x, t, thread, words[at++], tag);
        }
        if (BH_UNLIKELY(is_held(x, thread))) /* the row has reset the core that pushes it: what is left is lost */
            return count;
    }
    return at;
}

/* Is there nothing between the first FIFO and the units? */
static inline bool is_free(const struct tensix_thread *t) {
    return !(t->frontend.last_count | t->frontend.middle_count | t->faulted);
}

/* Those of so many words, in a row in the first FIFO, that a core has pushed by this clock. */
static inline unsigned there_by(const struct frontend *f, unsigned at, unsigned count, uint64_t clock) {
    while (count && f->first.time[at + count - 1] > clock)
        count--;
    return count;
}

/* The words in the first FIFO. */
static void do_queued(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct frontend *f = &t->frontend;
    unsigned count, row = 0; /* ordinary ones */
    while ((count = frontend_first_count(f)) && is_free(t)) {
        wait_until(x, f->first.time[frontend_place(f)]);
        if (gives_way(x, t, thread))
            return;
        unsigned at = frontend_place(f), straight = count < FRONTEND_FIRST - at ? count : FRONTEND_FIRST - at;
        if (!row)
            row = f->special ? ordinary_ones(f->first.word + at, straight) : straight;
        unsigned done = do_row(x, t, thread, f->first.word + at, there_by(f, at, row, clock_of(x)), f->first.pc + at);
        row -= done;
        if (frontend_first_count(f) != count) /* a word has reset the core that pushed it: none is left */
            continue;
        f->first_at = (uint8_t)(f->first_at + done);
        f->in_flight = (uint8_t)(f->in_flight - done);
        if (done && !t->faulted)
            continue;
        if (count == done) /* what the last one has set on its way has faulted */
            return;
        row -= row > 0;
        uint64_t tag = f->expanded.tag = f->first.tag[frontend_place(f)];
        t->pc = f->first.pc[frontend_place(f)];
        if (t->faulted)
            park(x, t, frontend_take(f));
        else
            enter(x, t, thread, frontend_take(f), tag);
    }
}

/* Goes on where it had to wait. */
static void resume(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct frontend *f = &t->frontend;
    f->lane = false;
    if (f->last_count && gives_way(x, t, thread))
        return;
    if (f->last_count) {
        struct frontend_word parked = f->last[frontend_last_at(f)];
        f->expanded.tag = parked.tag;
        f->expanded.ends = f->mop.active || (replay_plays(&f->replay) ? f->played.ends : parked.ends);
        f->last_count = 0;
        f->mops = (uint8_t)(f->mops - f->mop.active);
        t->pc = parked.pc;
        if (!pass(x, t, thread, parked.word) || !play(x, t, thread) || !expand(x, t, thread))
            return;
        f->in_flight = (uint8_t)(f->in_flight - f->expanded.ends);
    } else if (f->mop.active) { /* waits_for_brisc */
        f->mops--;
        t->pc = f->expanded.pc;
        if (!expand(x, t, thread))
            return;
        f->in_flight = (uint8_t)(f->in_flight - f->expanded.ends);
    }
    do_queued(x, t, thread);
}

/* Cores that wait for the thread look again. */
static void tell(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    if (t->pass_wanted || (t->room_wanted && frontend_has_room(&t->frontend))) {
        t->room_wanted = t->pass_wanted = false;
        x->port->event(x->owner, x->time, 1u << BH_BRISC | 1u << (BH_TRISC0 + thread));
    }
    if (t->idle_wanted && frontend_empty(&t->frontend)) {
        t->idle_wanted = false;
        tensix_alarm(x, x->time);
    }
}

/* Is there something in the stages that resume does not know of: words of BRISC, or what has been brought forward there
 * as somebody has looked? */
static bool is_in_stages(const struct frontend *f) {
    return f->middle_count || f->last_count > 1 || (!f->last_count && (f->mop.active || replay_plays(&f->replay)));
}

/* Is a MOP where BRISC's words may take the place of the next one, and nothing behind it? */
static bool waits_for_brisc(const struct tensix_thread *t) {
    const struct frontend *f = &t->frontend;
    return t->shared_at && f->mop.active && !(f->middle_count | f->last_count) && !replay_plays(&f->replay);
}

/* Words in the first FIFO that a core has pushed by the thread's clock. */
static unsigned count_there(const struct tensix *x, const struct frontend *f) {
    unsigned count = 0;
    while (count < frontend_first_count(f) && frontend_nth(f, count).time <= clock_of(x))
        count++;
    return count;
}

/* Words that have been brought forward to the stages go on as with cycles, and of those in the first FIFO the ones that
 * are there by now, unless BRISC's words may take their place (loses). The thread may reset its own core: then the
 * others are lost as well. */
static void take_staged_turn(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct frontend *f = &t->frontend;
    finish(x); /* turns expect that no unit is behind, as it may be after that of another thread */
    if (loose_look_around(x, t, thread))
        return;
    unsigned there = t->shared_at ? 0 : count_there(x, f), later_ones = frontend_first_count(f) - there;
    bool held = is_held(x, thread), expands = t->shared_at && f->mop.active;
    f->first_end = (uint8_t)(f->first_end - later_ones);
    f->mop.active &= !expands;
    begin(x);
    x->look_at = 0;
    tensix_not_alone(x, x->yield_at + 1);
    (x->observer ? turn_take_watched : turn_take)(x, t, thread, x->time);
    x->time = later(x->time, f->after_pass);
    if (t->due != TENSIX_NEVER)
        t->due = tensix_clock(x, t->due);
    if (BH_UNLIKELY(is_held(x, thread) && !held)) {
        f->in_flight = (uint8_t)(f->in_flight - later_ones - expands);
        return;
    }
    f->first_end = (uint8_t)(f->first_end + later_ones);
    f->mop.active |= expands;
    if (t->due != TENSIX_NEVER || t->waits_on || t->faulted)
        return;
    if (expands)
        t->due = clock_of(x);
    else if (later_ones)
        t->due = later(clock_of(x), frontend_nth(f, frontend_first_count(f) - later_ones).time);
}

/* The thread goes on until it has to wait or to give way. */
static void take_turn(struct tensix *x, unsigned thread, uint64_t limit) {
    struct tensix_thread *t = &x->thread[thread];
    uint64_t clock = later(t->clock, t->due);
    x->time = later(x->time, clock);
    t->due = TENSIX_NEVER;
    begin_turn(x, t, clock, limit);
    if (BH_UNLIKELY(is_in_stages(&t->frontend) && !waits_for_brisc(t)))
        take_staged_turn(x, t, thread);
    else
        resume(x, t, thread);
    if (t->wanted) /* also if words have been recorded, and none has passed */
        tell(x, t, thread);
    finish(x);
    end_turn(x, t);
}

/* The thread that is due first, of those in the mask, before this clock. TENSIX_THREADS: none. */
static unsigned next_due(const struct tensix *x, unsigned threads, uint64_t until) {
    unsigned first = TENSIX_THREADS;
#pragma GCC unroll 4
    for (unsigned i = 0; i < TENSIX_THREADS; i++) { /* without branches: they are hard to predict */
        uint64_t due = threads >> i & 1 ? x->thread[i].due : TENSIX_NEVER;
        first = due < until ? i : first;
        until = due < until ? due : until;
    }
    return first;
}

/* One turn. False: the thread stands where it stood, as it waits for cores. */
static bool advance(struct tensix *x, unsigned thread, uint64_t limit) {
    const struct tensix_thread *t = &x->thread[thread];
    uint64_t due = t->due, passes = t->frontend.passes;
    take_turn(x, thread, limit);
    return t->due != due || t->frontend.passes != passes;
}

/* Threads that are due before this clock have their turns, in the order of their clocks. */
__attribute__((noinline)) static void run_woken(struct tensix *x, uint64_t until) {
    unsigned threads = ALL_THREADS, i;
    while ((i = next_due(x, threads, until)) < TENSIX_THREADS)
        if (!advance(x, i, later(x->thread[i].due, x->thread[i].clock) + TURN_WORDS))
            threads &= ~(1u << i);
}

/* What can be done is, but for threads that are not due before this clock. */
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
    if (BH_UNLIKELY(x->next_landing <= x->time)) /* only what is scheduled can be */
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

/* Is nothing of the thread behind the MOP expander, but something before it? */
static bool is_before_mux(const struct tensix_thread *t) {
    const struct frontend *f = &t->frontend;
    return !(f->middle_count | f->last_count) && !replay_plays(&f->replay) &&
           (f->mop.active || frontend_first_count(f));
}

/* The word has its turn at once. The clock stays that of the TRISC's words, which may be behind. */
void loose_shared(struct tensix *x, unsigned thread, uint64_t clock) {
    struct tensix_thread *t = &x->thread[thread];
    uint64_t before = t->clock;
    t->shared_at = clock;
    x->ready = 0;
    if (x->running || t->due > clock)
        return;
    x->running = t->by_brisc = true;
    (void)advance(x, thread, clock + TURN_WORDS);
    x->running = t->by_brisc = false;
    t->clock = before;
    if (t->due != TENSIX_NEVER && is_before_mux(t))
        t->due = t->frontend.mop.active ? before : later(before, frontend_nth(&t->frontend, 0).time);
}

/* Words queue behind one that waits, as many as there is room for. Returns how many. */
static unsigned queue(struct tensix *x, unsigned thread, const uint32_t *words, unsigned count, uint32_t pc,
                      bool ordinary) {
    struct frontend *f = &x->thread[thread].frontend;
    const uint16_t *config = x->config.thread[thread];
    unsigned at = 0;
    ordinary &= !CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions);
    if (!frontend_has_room(f) && frontend_may_consume(f)) /* which makes it */
        frontend_advance(f, x->time);
    while (at < count && frontend_has_room(f)) {
        unsigned group = count - at < FRONTEND_GROUP ? count - at : FRONTEND_GROUP;
        if (!ordinary || !frontend_push_ordinary(f, words + at, group, pc + 4 * at, x->core_clock))
            (void)BH_CHECK(x->error, frontend_push(f, words + at, group, pc + 4 * at, x->core_clock, config));
        at += group;
    }
    return at;
}

/* Words that may be of any kind, to a thread in which nothing waits. Returns how many it has taken. */
__attribute__((noinline)) static unsigned do_all(struct tensix *x, unsigned thread, const uint32_t *words,
                                                 unsigned count, uint32_t pc, bool ordinary) {
    struct tensix_thread *t = &x->thread[thread];
    x->running = true;
    x->ready = 0;
    begin_turn(x, t, later(t->clock, x->core_clock), x->core_clock + TURN_WORDS);
    finish(x);
    unsigned done = do_pushed(x, t, thread, words, count, pc, ordinary);
    end_turn(x, t);
    x->running = false;
    return done;
}

/* The thread, whose core has just pushed, has given way: threads that are behind it catch up, and it goes on itself,
 * unless it has to wait for cores. */
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

__attribute__((noinline)) static unsigned push_any(struct tensix *x, unsigned thread, const uint32_t *words,
                                                   unsigned count, uint32_t pc, bool ordinary) {
    struct tensix_thread *t = &x->thread[thread];
    unsigned at = 0;
    if (BH_UNLIKELY(x->debug_owns >> thread & 1)) /* the debug bus has the FIFO: what cores push is lost */
        return count;
    if (is_open(t))
        at = do_all(x, thread, words, count, pc, ordinary);
    if (at < count)
        at += queue(x, thread, words + at, count - at, pc + 4 * at, ordinary);
    if (t->due != TENSIX_NEVER)
        take_turns(x, thread);
    if (count && !at && frontend_has_room(&t->frontend)) /* which there is only since then */
        return push_any(x, thread, words, count, pc, ordinary);
    t->room_wanted |= count && !at;
    return at;
}

/* An ordinary word that needs more than its handler: mostly it queues behind others. */
__attribute__((noinline)) static bool push_one(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc) {
    struct frontend *f = &x->thread[thread].frontend;
    bool followed = CONFIG_GET(x->config.thread[thread], TENSIX_TRISC_SYNC_TrackTensixInstructions);
    if (f->in_flight && frontend_has_room(f) && !x->debug_owns && !followed &&
        frontend_push_one(f, word, pc, x->core_clock))
        return true;
    return push_any(x, thread, &word, 1, pc, true);
}

/* ---- Ordinary words that nothing has to be looked at for ---------------------------------------------
 *
 * That it is so holds until somebody says that it is not calm any more, as everything does that a word can set on its
 * way or that others do to a thread. */

static inline bool is_ready(const struct tensix *x, unsigned thread) {
    return x->calm_until == TENSIX_NEVER && (x->ready >> thread & 1);
}

/* Looks whether it is so. */
__attribute__((noinline)) static bool gets_ready(struct tensix *x, unsigned thread) {
    const struct tensix_thread *t = &x->thread[thread];
    if (!is_open(t) || t->frontend.replay.left || t->shared_at || x->debug_owns || !is_calm(x, t) || is_any_due(x) ||
        (x->handed_at && x->handed_by != thread) || later(t->clock, x->core_clock) < x->event_at)
        return false;
    if (!x->ready || x->calm_until != TENSIX_NEVER)
        begin(x);
    x->ready |= (uint8_t)(1u << thread);
    return true;
}

/* The word has not passed, or more has come of it than what it did at once. */
__attribute__((noinline)) static void end_word(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                               uint64_t again) {
    struct tensix_thread *t = &x->thread[thread];
    bool passes = again <= TENSIX_PASSED_NEXT;
    if (passes) {
        x->time = now + again + 1;
        frontend_passes(&t->frontend, now + again);
        end_turn(x, t);
    }
    if (t->faulted && !passes)
        park_faulted(x, t, word);
    else if (!do_all(x, thread, &word, !passes, t->pc, true) && !passes)
        queue(x, thread, &word, 1, t->pc, true);
    if (t->due != TENSIX_NEVER)
        take_turns(x, thread);
}

static bool push_word(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t time) {
    struct tensix_thread *t = &x->thread[thread];
    uint64_t now = begin_push(x, time);
    if (BH_UNLIKELY(!is_ready(x, thread)) && !gets_ready(x, thread))
        return push_one(x, thread, word, pc);
    t->pc = pc;
    act_for_core(x, t);
    x->running = true;
    uint64_t again = turn_handler[word >> 24](x, thread, word, now);
    x->running = false;
    if (BH_LIKELY(again <= TENSIX_PASSED_NEXT))
        note_pass(x, thread, word, now, again);
    if (BH_LIKELY(again <= TENSIX_PASSED_NEXT && x->calm_until == TENSIX_NEVER)) {
        x->time = now + again + 1;
        end_turn(x, t);
        note_passes(&t->frontend, 1, x->time);
    } else {
        end_word(x, thread, word, now, again);
    }
    return true;
}

/* The same of a row: what is left of it has to wait, or needs more. Returns how many it has taken. */
__attribute__((noinline)) static unsigned end_row(struct tensix *x, unsigned thread, const uint32_t *words,
                                                  unsigned count, uint32_t pc) {
    struct tensix_thread *t = &x->thread[thread];
    unsigned at = 0;
    if (t->faulted && count)
        park_faulted(x, t, words[at++]);
    return at + push_any(x, thread, words + at, count - at, pc + 4 * at, true);
}

/* The same of a row of every second word of an array. */
__attribute__((noinline)) static unsigned end_spread_row(struct tensix *x, unsigned thread, const uint32_t *words,
                                                         unsigned count, uint32_t pc) {
    uint32_t left[PUSH_ROW_MAX];
    for (unsigned i = 0; i < count; i++)
        left[i] = words[2 * i];
    return end_row(x, thread, left, count, pc);
}

/* A row to a thread that is ready, every word or every second one of an array. Returns how many it has taken. watched:
 * constant, as above. */
static inline __attribute__((always_inline)) unsigned do_ready_words(struct tensix *x, unsigned thread,
                                                                     const uint32_t *words, unsigned step,
                                                                     const uint32_t *end, uint32_t pc, bool watched) {
    struct tensix_thread *t = &x->thread[thread];
    const uint32_t *word = words;
    uint64_t now = x->time;
    uint32_t at = pc;
    act_for_core(x, t);
    x->running = true;
    do {
        t->pc = at;
        uint64_t again = turn_handler[*word >> 24](x, thread, *word, now);
        if (BH_UNLIKELY(again > TENSIX_PASSED_NEXT))
            break;
        if (watched)
            note_pass(x, thread, *word, now, again);
        x->time = now += again + 1;
        at += 4;
        word += step;
    } while (word != end && x->calm_until == TENSIX_NEVER);
    x->running = false;
    end_turn(x, t);
    unsigned done = (unsigned)(word - words) / step;
    note_passes(&t->frontend, done, now);
    if (BH_LIKELY(word == end && x->calm_until == TENSIX_NEVER))
        return done;
    return done + (step == 1 ? end_row : end_spread_row)(x, thread, word, (unsigned)(end - word) / step, pc + 4 * done);
}

__attribute__((noinline)) static unsigned do_ready_watched(struct tensix *x, unsigned thread, const uint32_t *words,
                                                           unsigned step, const uint32_t *end, uint32_t pc) {
    return do_ready_words(x, thread, words, step, end, pc, true);
}

static inline unsigned do_ready(struct tensix *x, unsigned thread, const uint32_t *words, unsigned step,
                                const uint32_t *end, uint32_t pc) {
    return BH_UNLIKELY(x->observer) ? do_ready_watched(x, thread, words, step, end, pc)
                                    : do_ready_words(x, thread, words, step, end, pc, false);
}

/* The words of a row that stand at every second place of an array. */
static unsigned push_spread(struct tensix *x, unsigned thread, const uint32_t *words, unsigned count, uint32_t pc,
                            bool ordinary) {
    uint32_t copy[PUSH_ROW_MAX];
    for (unsigned i = 0; i < count; i++)
        copy[i] = words[2 * i];
    return push_any(x, thread, copy, count, pc, ordinary);
}

unsigned loose_push(struct tensix *x, unsigned thread, const uint32_t *words, unsigned shape, uint32_t pc,
                    uint64_t time) {
    unsigned count = push_count(shape), step = push_step(shape);
    bool ordinary = shape & PUSH_ORDINARY;
    if (shape == (1u | 1u << PUSH_STEP_SHIFT | 1u << PUSH_GROUP_SHIFT | PUSH_ORDINARY))
        return push_word(x, thread, *words, pc, time);
    begin_push(x, time);
    if (ordinary && (is_ready(x, thread) || gets_ready(x, thread)))
        return do_ready(x, thread, words, step, words + (size_t)step * count, pc);
    return step == 1 ? push_any(x, thread, words, count, pc, ordinary)
                     : push_spread(x, thread, words, count, pc, ordinary);
}
