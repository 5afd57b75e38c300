/* The coprocessor's time: which thread goes next, results on their way, who is woken by what. */
#include "tensix/tensix.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

/* ---- Instructions ---------------------------------------------------------------------------- */

/* Also for opcodes that do not exist. */
static uint64_t execute_unmodelled(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const struct tensix_row *row = tensix_decode(word);
    if (!row)
        return tensix_fault(x, thread, BH_FAULT_ILLEGAL_INSTRUCTION, word, 0, now, "there is no such instruction");
    if (!row->page[0])
        return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now,
                            "%s is not modelled: no document says more of it than \"%s\"", row->name, row->meaning);
    return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now, "%s is not modelled yet", row->name);
}

#define HANDLER_todo(name) execute_unmodelled
#define HANDLER_done(name) execute_##name
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"      /* ranges */
#pragma GCC diagnostic ignored "-Woverride-init" /* of which some are given again */
static tensix_handler *const handlers[256] = {
    [0 ... 255] = execute_unmodelled,
#define TENSIX_OP(opcode, name, state, ...) [opcode] = HANDLER_##state(name),
#include "isa/tensix.def"
};
#pragma GCC diagnostic pop

static const uint16_t gate_class[256] = {
#define TENSIX_OP(opcode, name, state, unit, gate, ...) [opcode] = TENSIX_GATE_##gate,
#include "isa/tensix.def"
};

uint64_t execute_NOP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    (void)x, (void)thread, (void)word, (void)now;
    return TENSIX_PASSED;
}

/* ---- Landings ---------------------------------------------------------------------------------- */

void tensix_sort_landing(struct tensix *x) {
    unsigned at = x->landings - 1;
    struct tensix_landing landing = *tensix_landing_place(x, at);
    for (; at > 0 && tensix_landing_place(x, at - 1)->time > landing.time; at--)
        *tensix_landing_place(x, at) = *tensix_landing_place(x, at - 1);
    *tensix_landing_place(x, at) = landing;
}

static void land_gpr(struct tensix *x, const struct tensix_landing *landing) {
    uint32_t *gpr = &x->gpr[landing->place][landing->index];
    memcpy(gpr, landing->value, landing->size);
}

/* Downwards, so that STATE_RESET_EN, the first of its four, resets the other three as well. */
static void land_config(struct tensix *x, const struct tensix_landing *landing) {
    for (unsigned i = landing->size / 4u; i-- > 0;)
        config_store(x, landing->place, landing->index + i, landing->value[i], landing->by_rmw);
}

/* Not inlined, so that plain words do not pay for its registers. */
__attribute__((noinline)) static void land(struct tensix *x, const struct tensix_landing *landing) {
    switch (landing->where) {
    case TENSIX_LAND_GPR: land_gpr(x, landing); break;
    case TENSIX_LAND_STREAM: config_read_stream(x, landing); break;
    case TENSIX_LAND_ADC: adc_set_flop(x->adc[landing->place], landing->index, landing->value[0]); break;
    case TENSIX_LAND_MISC: misc_land(x, landing); break;
    case TENSIX_LAND_BANKS: matrix_land_banks(x, landing); break;
    case TENSIX_LAND_CONFIG: land_config(x, landing); break;
    case TENSIX_LAND_VECTOR: vector_tick(x, landing->time); break;
    }
}

/* Most are plain words of Config. What lands may send something else on its way, for later. (Not inlined either: the
 * caller looks whether there is anything to do.) */
__attribute__((noinline)) static void land_until(struct tensix *x, uint64_t now) {
    do {
        const struct tensix_landing *landing = tensix_landing_place(x, 0);
        x->landing_at = (x->landing_at + 1) % TENSIX_LANDINGS;
        x->landings--;
        if (landing->where == TENSIX_LAND_WORD)
            tensix_store_plain(x, landing->place, landing->index, landing->value[0]);
        else
            land(x, landing);
        x->next_landing = x->landings ? tensix_landing_place(x, 0)->time : TENSIX_NEVER;
    } while (x->next_landing <= now);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

/* Two of each of the following, one for when somebody watches, so that nobody else pays for that. */
#define TWICE static inline __attribute__((always_inline))

/* An instruction that is at the gate tries to pass in cycle `now`. Returns as its handler does. tag: of frontend_word.
 */
TWICE uint64_t try_word(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint64_t tag,
                        uint64_t now) {
    uint64_t again;
    if (BH_UNLIKELY(t->gate.free_at > now) && (again = gate_holds(&t->gate, gate_class[word >> 24], now)))
        return tensix_hold(x, thread, again, "the latched wait");
    if (BH_UNLIKELY(frontend_tag_resources(tag)) && (again = config_request_holds(x, thread, tag, now)))
        return tensix_hold(x, thread, again, "Auto TTSync: its core's access to the same registers");
    again = handlers[word >> 24](x, thread, word, now);
    BH_CHECK_HOT(again <= TENSIX_PASSED_NEXT || again > now);
    return again;
}

/* The same, and tells. */
TWICE uint64_t try_watched(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint32_t pc,
                           uint64_t tag, uint64_t now, bool watched) {
    uint64_t again = try_word(x, t, thread, word, tag, now);
    if (watched)
        tensix_observe(x, thread, word, pc, now, again);
    return again;
}

void tensix_stop_at(struct tensix *x, uint64_t time) {
    if (time < x->until)
        x->until = time > x->time ? time : x->time;
    tensix_not_alone(x, x->until);
}

/* Groups of the feed have been pushed, the last in this cycle, as there is room from that one on. */
static inline void fed(struct tensix *x, const uint32_t *words, uint64_t pushed, uint64_t room) {
    x->feed->words = words;
    x->feed->time = pushed;
    if (words == x->feed->end)
        tensix_stop_at(x, room);
}

/* There is room from this cycle on in a lane: the usual case, which is a full group of ordinary words that fills the
 * FIFO. False: there is more to it, and nothing has been done. group: 0 if there is nothing to feed. */
static inline bool feed_lane(struct tensix *x, struct frontend *f, unsigned group, uint64_t room) {
    const struct tensix_feed *feed = x->feed;
    if (!group)
        return false;
    uint64_t time = (feed->time > room ? feed->time : room) + 1;
    if (feed->words + group > feed->end || time >= feed->horizon || f->in_flight + group <= FRONTEND_ACCEPTS)
        return false;
    frontend_push_ordinary(f, feed->words, group, tensix_feed_pc(feed), time);
    fed(x, feed->words + group, time, room);
    return true;
}

/* There is room from this cycle on. */
__attribute__((noinline)) static void feed(struct tensix *x, unsigned thread, uint64_t time) {
    struct tensix_feed *feed = x->feed;
    struct frontend *f = &x->thread[thread].frontend;
    if (feed->time < time)
        feed->time = time;
    if (feed->ordinary == 1 && frontend_push_one(f, *feed->words, tensix_feed_pc(feed), feed->time + 1)) {
        feed->words++;
        feed->time++;
    } else {
        tensix_feed(x, thread, feed);
    }
    if (feed->words == feed->end || feed->time >= feed->horizon)
        tensix_stop_at(x, time);
}

/* Nobody waits but who feeds. */
static inline bool only_feeds(const struct tensix_thread *t) {
    return t->wanted == 0x100;
}

/* Cores have to be told if there are this many words or fewer in flight after an attempt. */
static inline uint8_t tell_from(const struct tensix_thread *t) {
    if (BH_LIKELY(!t->wanted))
        return 0;
    return t->pass_wanted || t->idle_wanted ? FRONTEND_FIRST : FRONTEND_ACCEPTS;
}

/* Cores that wait for this thread are told when what they wait for can be seen, after an attempt in cycle `now`. */
__attribute__((noinline)) static void tell(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now) {
    bool met = false;
    if (frontend_has_room(&t->frontend)) {
        met = t->room_wanted;
        if (t->room_feeds)
            feed(x, thread, now + 1);
    }
    if (frontend_passed_at(&t->frontend) == now && !t->waits_on)
        met |= t->pass_wanted;
    if (met) {
        t->room_wanted = t->pass_wanted = false;
        x->port->event(x->owner, now + 1, 1u << BH_BRISC | 1u << (BH_TRISC0 + thread));
    }
    if (t->idle_wanted && frontend_empty(&t->frontend)) {
        t->idle_wanted = false;
        tensix_alarm(x, t->idle_at > now + 1 ? t->idle_at : now + 1);
    }
}

/* When the next one may try: not before the Scalar Unit has done with the one that has passed. */
static inline uint64_t next_try(const struct tensix_thread *t, uint64_t now) {
    return t->frozen_until > now ? t->frozen_until : now;
}

/* Lands what lands before the next instruction tries. False: more has to be looked at first. */
static inline bool land_before(struct tensix *x, const struct tensix_thread *t, uint64_t now) {
    bool lane = t->frontend.lane;
    land_until(x, now);
    return t->frontend.lane == lane && !t->faulted && x->look_at > now;
}

/* From this cycle on, in which nothing else happens, how long has nothing to be looked at but the thread's words? */
static inline void calm_down(struct tensix *x, const struct tensix_thread *t, uint64_t now) {
    uint64_t until = x->look_at < x->next_landing ? x->look_at : x->next_landing;
    until = x->alone_until < until ? x->alone_until : until;
    x->calm_until = t->gate.free_at > now ? 0 : until;
}

/* Does nothing else have to be done than to land results before the thread's next instruction tries? */
static inline bool goes_on(struct tensix *x, const struct tensix_thread *t, uint64_t now) {
    if (now >= x->alone_until || now >= x->look_at || (x->next_landing <= now && !land_before(x, t, now)))
        return false;
    calm_down(x, t, now);
    return true;
}

/* A word that was in the lane has passed. Returns when the thread may try again. */
__attribute__((noinline)) static uint64_t pass_elsewhere(struct tensix_thread *t, uint64_t now) {
    frontend_pop(&t->frontend, now);
    return next_try(t, now + 1);
}

/* ---- Batches -------------------------------------------------------------------------------------
 *
 * Words of a lane that are ready need nothing but their handlers. What becomes of the frontend follows from the cycles
 * in which they pass: so many words fewer, and behind them a group of the feed each time that there came to be room. */

/* Words that try before this cycle make room for groups which get in before the horizon: a cycle after the room that
 * they wait for, or one after the other if the core is ahead. */
static inline uint64_t feeds_until(const struct tensix_feed *feed, uint64_t now) {
    enum { MARGIN = 3 }; /* it passes in the next cycle; there is room; the group is pushed */
    uint64_t ahead = feed->time > now ? feed->time - now : 0;
    return feed->horizon > ahead + MARGIN ? feed->horizon - ahead - MARGIN : 0;
}

/* How many words may try before the frontend has to be told? At most up to the last full group of the feed. */
static inline unsigned batch_size(const struct tensix *x, const struct frontend *f, unsigned group, uint64_t now) {
    enum { LEAST = 4 }; /* fewer are not worth it */
    unsigned size = f->in_flight;
    if (group) {
        unsigned left = (unsigned)(x->feed->end - x->feed->words) & -group;
        unsigned last = f->in_flight - FRONTEND_ACCEPTS + left - group;
        if (f->in_flight <= FRONTEND_ACCEPTS || !left || now >= feeds_until(x->feed, now))
            return 0;
        size = last < size ? last : size;
    }
    if (size < LEAST || frontend_tag_resources(f->first.tag[frontend_place(f)]))
        return 0;
    return frontend_lane_flows(f, size, now) ? size : 0;
}

/* room: so many words had to pass before there was room for the first group. */
static inline void feed_batch(struct tensix *x, const struct tensix_batch *batch, unsigned room) {
    const struct tensix_feed *feed = x->feed;
    struct frontend *f = batch->frontend;
    struct frontend_entry entry = frontend_enter(f);
    const uint32_t *words = feed->words;
    unsigned group = batch->group;
    uint32_t pc = tensix_feed_pc(feed);
    uint64_t time = feed->time;
    const uint64_t *since = &batch->after[batch->size - room], *last = &batch->after[batch->left];
    for (; since >= last; since -= group, words += group, pc += 4 * group) {
        time = (time > *since ? time : *since) + 1;
        frontend_put_words(f, &entry, words, group, pc, time);
    }
    frontend_pushed(f, &entry);
    fed(x, words, time, since[group]);
}

TWICE void finish_batch(struct tensix *x, const struct tensix_batch *batch) {
    struct frontend *f = batch->frontend;
    unsigned count = batch->size - batch->left, room = f->in_flight - FRONTEND_ACCEPTS;
    x->batch = NULL;
    if (!count)
        return;
    uint64_t second = count > 1 ? batch->after[batch->left + 1] : f->after_pass;
    frontend_lane_pop_many(f, count, second, batch->after[batch->left]);
    if (batch->group && count >= room)
        feed_batch(x, batch, room);
}

void tensix_end_batch(struct tensix *x) {
    if (!x->batch)
        return;
    finish_batch(x, x->batch);
    tensix_not_calm(x, 0);
}

/* Words of the lane try, so many at most. Returns 0 or, if more has to be looked at, when the thread may try again.
 * *now: when the first may try; then, the next. */
__attribute__((noinline)) static uint64_t run_batch(struct tensix *x, struct tensix_thread *t, unsigned thread,
                                                    uint64_t *now, unsigned size, unsigned group) {
    struct frontend *f = &t->frontend;
    struct tensix_batch batch;
    uint64_t again = TENSIX_PASSED, time = *now;
    size_t at = frontend_place(f);
    batch.frontend = f;
    batch.group = group;
    batch.size = batch.left = size;
    x->batch = &batch;
    t->waits_on = NULL;
    if (group)
        tensix_not_calm(x, feeds_until(x->feed, time));
    while (size && time < x->calm_until && !frontend_tag_resources(f->first.tag[at])) {
        uint32_t word = f->first.word[at];
        again = handlers[word >> 24](x, thread, word, time);
        if (BH_UNLIKELY(again > TENSIX_PASSED_NEXT))
            break;
        time += again + 1;
        batch.left = --size;
        batch.after[size] = time;
        at = (at + 1) % FRONTEND_FIRST;
    }
    if (BH_UNLIKELY(!x->batch)) /* the last word has ended it */
        return again > TENSIX_PASSED_NEXT ? again : pass_elsewhere(t, time - 1);
    finish_batch(x, &batch);
    *now = time;
    return again > TENSIX_PASSED_NEXT ? again : 0;
}

/* Words of the lane try, one after the other, as long as nothing else has to be done than to feed more of them. Returns
 * when the thread may try again. An instruction may look at its own frontend (STOREREG of SOFT_RESET_0): then there is
 * no lane any more. */
TWICE uint64_t run_lane(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now, bool watched) {
    struct frontend *f = &t->frontend;
    unsigned feeds = only_feeds(t) ? x->feed->ordinary : 0, size;
    uint8_t floor = tell_from(t);
    calm_down(x, t, now);
    while (!watched && (feeds || !floor) && now < x->calm_until && (size = batch_size(x, f, feeds, now))) {
        uint64_t again = run_batch(x, t, thread, &now, size, feeds);
        if (again)
            return again;
        if (now >= x->calm_until && (now = next_try(t, now), !goes_on(x, t, now)))
            return now;
        if (!f->in_flight)
            return now;
    }
    for (;;) {
        unsigned at = frontend_place(f);
        uint32_t word = f->first.word[at];
        uint64_t tag = f->first.tag[at], mop = frontend_lane_mop(f), again;
        if (BH_UNLIKELY(frontend_lane_ready(mop) > now))
            return frontend_lane_ready(mop);
        if (!watched && BH_LIKELY(now < x->calm_until && !frontend_tag_resources(tag)))
            again = handlers[word >> 24](x, thread, word, now);
        else
            again = try_watched(x, t, thread, word, f->first.pc[at], tag, now, watched);
        if (BH_UNLIKELY(again > TENSIX_PASSED_NEXT))
            return again;
        now += again;
        t->waits_on = NULL;
        if (BH_UNLIKELY(!f->lane))
            return pass_elsewhere(t, now);
        frontend_lane_pop(f, mop, now++);
        if (f->in_flight <= floor && !feed_lane(x, f, feeds, now))
            return next_try(t, now);
        if (BH_LIKELY(now < x->calm_until))
            continue;
        now = next_try(t, now);
        if (!goes_on(x, t, now))
            return now;
    }
}

/* The same of words that are on their way or come out of expanders. The frontend goes no further than the cycle in
 * which they try: a core may wake in the next and look. */
TWICE uint64_t run_stages(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now, bool watched) {
    struct frontend *f = &t->frontend;
    uint8_t floor = tell_from(t);
    do {
        const struct frontend_word *head = frontend_head(f, now + 1);
        if (!head)
            return frontend_empty(f) ? TENSIX_NEVER : now + 1;
        if (frontend_ready(f) > now)
            return frontend_ready(f);
        uint64_t again = try_watched(x, t, thread, head->word, head->pc, head->tag, now, watched);
        if (again > TENSIX_PASSED_NEXT)
            return again;
        now += again;
        t->waits_on = NULL;
        frontend_pop(f, now);
        now = next_try(t, now + 1);
    } while (f->in_flight > floor && goes_on(x, t, now) && !f->lane);
    return now;
}

__attribute__((noinline)) static uint64_t run_stages_unwatched(struct tensix *x, struct tensix_thread *t,
                                                               unsigned thread, uint64_t now) {
    return run_stages(x, t, thread, now, false);
}

/* The first instruction tries, or several. Returns when the thread may try again. */
TWICE uint64_t attempt(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now, bool watched) {
    if (BH_LIKELY(t->frontend.lane && t->frontend.in_flight))
        return run_lane(x, t, thread, now, watched);
    return watched ? run_stages(x, t, thread, now, true) : run_stages_unwatched(x, t, thread, now);
}

/* The thread that is due first; of several the one that has waited longest. *second: when another one is. */
static inline unsigned first_due(const struct tensix *x, uint64_t *second) {
    unsigned first = 0;
    *second = TENSIX_NEVER;
    for (unsigned i = 1; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *a = &x->thread[i], *b = &x->thread[first];
        bool before = a->due < b->due ||
                      (a->due == b->due && frontend_passed_at(&a->frontend) < frontend_passed_at(&b->frontend));
        uint64_t later = before ? b->due : a->due;
        *second = later < *second ? later : *second;
        first = before ? i : first;
    }
    return first;
}

/* Returns whether something has landed. */
static inline bool settle(struct tensix *x, uint64_t now) {
    bool landed = x->next_landing <= now;
    if (landed)
        land_until(x, now);
    if (x->look_at <= now)
        gate_settle(x, now);
    return landed;
}

static void ring(struct tensix *x) {
    uint64_t alarm = x->alarm;
    x->alarm = TENSIX_NEVER;
    x->port->event(x->owner, alarm, BH_ALL_CORES);
}

/* The next cycle in which something else than a thread has to do something. */
static inline uint64_t others_due(const struct tensix *x) {
    uint64_t due = x->config.request_due < x->alarm ? x->config.request_due : x->alarm;
    due = x->data_due < due ? x->data_due : due;
    return x->mover.due < due ? x->mover.due : due;
}

/* What it has to do: of several in one cycle one, in a fixed order. */
static void step_others(struct tensix *x, uint64_t now) {
    if (x->alarm == now && x->data_due > now) {
        ring(x);
        return;
    }
    settle(x, now);
    if (x->unpack.due == now)
        unpack_step(x, now);
    else if (x->data_due == now)
        pack_step(x, now);
    else if (x->config.request_due == now)
        config_step(x, now);
    else
        mover_step(x, now);
}

uint64_t tensix_due(const struct tensix *x) {
    uint64_t due = others_due(x);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        due = x->thread[i].due < due ? x->thread[i].due : due;
    BH_CHECK(due >= x->time || x->running);
    return due;
}

/* The thread tries and tries as long as nobody else has anything to do. */
TWICE void try_on(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now, bool watched) {
    t->due = TENSIX_NEVER;
    do {
        uint64_t this = now;
        if (settle(x, now) && BH_UNLIKELY(t->faulted)) { /* by what was scheduled */
            now = TENSIX_NEVER;
            break;
        }
        now = attempt(x, t, thread, now, watched);
        if (t->frontend.in_flight <= tell_from(t))
            tell(x, t, thread, this < frontend_passed_at(&t->frontend) ? frontend_passed_at(&t->frontend) : this);
    } while (now < x->alone_until);
    t->due = now;
}

/* Not inlined, or the compiler finds t anew wherever it is used; aligned, as its rate depends on where it lies by some
 * percent. */
__attribute__((noinline, aligned(64))) static void take_turn(struct tensix *x, struct tensix_thread *t, unsigned thread,
                                                             uint64_t now) {
    try_on(x, t, thread, now, false);
}

/* The first instruction tries. Returns when the thread may try again. */
static inline uint64_t try_once(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now) {
    struct frontend *f = &t->frontend;
    bool lane = f->lane && f->in_flight;
    const struct frontend_word *head = lane ? NULL : frontend_head(f, now + 1);
    if (!lane && !head)
        return frontend_empty(f) ? TENSIX_NEVER : now + 1;
    uint64_t ready = lane ? frontend_lane_ready(frontend_lane_mop(f)) : frontend_ready(f);
    if (ready > now)
        return ready;
    unsigned at = frontend_place(f);
    uint64_t again =
        try_word(x, t, thread, lane ? f->first.word[at] : head->word, lane ? f->first.tag[at] : head->tag, now);
    if (again > TENSIX_PASSED_NEXT)
        return again;
    now += again;
    t->waits_on = NULL;
    frontend_pop(f, now);
    return next_try(t, now + 1);
}

/* A turn in which there is time for one attempt, as others have theirs in the next cycle. */
__attribute__((noinline)) static void take_short_turn(struct tensix *x, struct tensix_thread *t, unsigned thread,
                                                      uint64_t now) {
    t->due = TENSIX_NEVER;
    if (settle(x, now) && BH_UNLIKELY(t->faulted))
        return;
    uint64_t due = try_once(x, t, thread, now);
    if (t->frontend.in_flight <= tell_from(t))
        tell(x, t, thread, now < frontend_passed_at(&t->frontend) ? frontend_passed_at(&t->frontend) : now);
    t->due = due;
}

__attribute__((noinline)) static void take_watched_turn(struct tensix *x, struct tensix_thread *t, unsigned thread,
                                                        uint64_t now) {
    try_on(x, t, thread, now, true);
}

void tensix_run(struct tensix *x, uint64_t until) {
    if (x->time >= until || x->running)
        return;
    x->running = true;
    x->until = until;
    for (;;) {
        uint64_t second, others = others_due(x);
        unsigned thread = first_due(x, &second);
        uint64_t now = x->thread[thread].due;
        if (now >= x->until && others >= x->until)
            break;
        if (others <= now) {
            step_others(x, others);
            continue;
        }
        struct tensix_thread *t = &x->thread[thread];
        x->alone_until = others < second ? others : second;
        tensix_not_alone(x, x->until);
        if (BH_UNLIKELY(x->observer))
            take_watched_turn(x, t, thread, now);
        else if (x->alone_until <= now + 1)
            take_short_turn(x, t, thread, now);
        else
            take_turn(x, t, thread, now);
        if (x->alone_until == x->until && t->due >= x->until) /* nobody else has come in between */
            break;
    }
    settle(x, x->until);
    x->time = x->until;
    x->running = false;
}

static uint64_t latest(const struct tensix_thread *t) {
    uint64_t until = 0;
    for (unsigned i = 0; i < TENSIX_BUSY_COUNT; i++)
        until = t->busy[i] > until ? t->busy[i] : until;
    return until;
}

void tensix_set_busy(struct tensix_thread *t, enum tensix_busy pipeline, uint64_t until) {
    uint64_t before = t->busy[pipeline];
    if (until == before)
        return;
    t->busy[pipeline] = until;
    if (until >= t->idle_at)
        t->idle_at = until;
    else if (before == t->idle_at)
        t->idle_at = latest(t);
    if (BH_UNLIKELY(until < before && before != TENSIX_NEVER && t->due == before && t->waits_on))
        t->due = until; /* what its first instruction waits for may come earlier than was known when it tried */
}

void tensix_forget_busy(struct tensix *x, enum tensix_busy pipeline, uint64_t until) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (x->thread[i].busy[pipeline] > until)
            tensix_set_busy(&x->thread[i], pipeline, until);
}

bool tensix_idle(struct tensix *x, unsigned thread, uint64_t now) {
    struct tensix_thread *t = &x->thread[thread];
    frontend_advance(&t->frontend, now);
    return frontend_empty(&t->frontend) && t->idle_at <= now;
}

void tensix_wake(struct tensix *x, uint64_t time) {
    if (time < x->time)
        time = x->time;
    gate_event(x, time);
    if (unpack_event(&x->unpack, time))
        tensix_data_due(x);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *t = &x->thread[i];
        if (t->due == TENSIX_NEVER && t->waits_on && !t->faulted)
            t->due = time;
    }
    tensix_not_alone(x, time);
    x->port->event(x->owner, time, BH_ALL_CORES);
}

uint64_t tensix_fault(struct tensix *x, unsigned thread, enum bh_fault_kind kind, uint32_t word, uint64_t address,
                      uint64_t now, const char *format, ...) {
    tensix_end_batch(x);
    struct tensix_thread *t = &x->thread[thread];
    const struct frontend_word *head = frontend_head(&t->frontend, now + 1);
    struct bh_fault *fault = &t->fault;
    char name[64];
    va_list args;
    *fault = (struct bh_fault){
        .kind = kind,
        .core = -1,
        .thread = (int)thread,
        .pc = head ? head->pc : 0,
        .insn = word,
        .address = address,
        .cycle = now,
    };
    tensix_disasm(word, name, sizeof name);
    int length = snprintf(fault->text, sizeof fault->text, "T%u: %s (pushed at pc 0x%08x): ", thread, name, fault->pc);
    va_start(args, format);
    if (length >= 0 && (size_t)length < sizeof fault->text)
        vsnprintf(fault->text + length, sizeof fault->text - (size_t)length, format, args);
    va_end(args);
    t->faulted = true;
    t->waits_on = "a fault";
    t->due = TENSIX_NEVER;
    x->port->fault(x->owner, fault);
    return TENSIX_NEVER;
}

/* Everything that is not set here is zero already. */
void tensix_init(struct tensix *x) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        x->thread[i].due = TENSIX_NEVER;
        frontend_init(&x->thread[i].frontend);
    }
    config_init(&x->config);
    sync_init(&x->sync);
    scalar_init(&x->scalar);
    vector_init(&x->vector);
    unpack_init(&x->unpack);
    pack_init(&x->pack);
    mover_init(&x->mover);
    x->next_landing = x->alarm = x->data_due = x->look_at = TENSIX_NEVER;
}
