/* The turn of a thread: its instructions try to pass the gate one after the other, and cores that wait for this are
 * woken. */
#include "tensix/turn.h"

#include "base/check.h"
#include "base/order.h"
#include "tensix/batch.h"
#include "tensix/push.h"

/* ---- Instructions ---------------------------------------------------------------------------- */

/* The handler of opcodes that have no model, and of opcodes that do not exist. */
static uint64_t execute_unmodelled(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const struct tensix_row *row = tensix_decode(word);
    if (!row)
        return tensix_fault(x, thread, BH_FAULT_ILLEGAL_INSTRUCTION, word, 0, now, "there is no such instruction");
    if (!row->page[0])
        return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now,
                            "%s is not modelled: no document says more of it than \"%s\"", row->name, row->meaning);
    return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now, "%s is not modelled yet", row->name);
}

#define HANDLER_todo(name)   execute_unmodelled
#define HANDLER_done(name)   execute_##name
#define HANDLER_faults(name) execute_##name
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"      /* the table uses ranges */
#pragma GCC diagnostic ignored "-Woverride-init" /* some entries override a range */
tensix_handler *const turn_handler[256] = {
    [0 ... 255] = execute_unmodelled,
#define TENSIX_OP(opcode, name, state, ...) [opcode] = HANDLER_##state(name),
#include "isa/tensix.def"
};
#pragma GCC diagnostic pop

const uint16_t turn_gate_class[256] = {
#define TENSIX_OP(opcode, name, state, unit, gate, ...) [opcode] = TENSIX_GATE_##gate,
#include "isa/tensix.def"
};

uint64_t execute_NOP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    (void)x, (void)thread, (void)word, (void)now;
    return TENSIX_PASSED;
}

/* ---- Attempts ---------------------------------------------------------------------------------- */

/* Functions that are instantiated twice: with an observer or a search for hazards, and without. */
#define WATCHED_OR_NOT static inline __attribute__((always_inline))

/* Returns whether the thread's only waiter is an attached row of plain words. */
static inline bool only_pulls(const struct tensix *x, const struct tensix_thread *t, unsigned thread) {
    return t->room_wanted && !(t->pass_wanted | t->idle_wanted) && tensix_row_attached(&t->row) && t->row.plain &&
           !push_is_followed(x, thread);
}

/* Returns the number of words in flight at or below which an attempt has to wake the cores that wait. */
static inline uint8_t notifies_from(const struct tensix_thread *t) {
    if (BH_UNLIKELY(t->pass_wanted | t->idle_wanted))
        return FRONTEND_FIRST;
    return t->room_wanted ? t->frontend.accepts : 0;
}

/* Wakes the cores that wait for this thread, if the attempt in cycle `now` has given them what they wait for. */
__attribute__((noinline)) static void notify(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now) {
    bool met = false;
    if (frontend_has_room(&t->frontend) && t->room_wanted && !tensix_pull(x, thread, now + 1)) {
        tensix_detach_row(x, thread);
        tensix_stop_at(x, now + 1);
        met = true;
    }
    if (frontend_passed_at(&t->frontend) == now && !t->waits_on)
        met |= t->pass_wanted;
    if (met) {
        t->room_wanted &= tensix_row_attached(&t->row);
        t->pass_wanted = false;
        x->port->event(x->owner, now + 1, 1u << BH_BRISC | 1u << (BH_TRISC0 + thread));
    }
    if (t->idle_wanted && frontend_empty(&t->frontend)) {
        t->idle_wanted = false;
        tensix_alarm(x, t->idle_at > now + 1 ? t->idle_at : now + 1);
    }
}

/* Returns the first cycle from `now` on in which the next instruction may try. The Scalar Unit may freeze the thread
 * until it has finished the instruction that has passed. */
static inline uint64_t next_try(const struct tensix_thread *t, uint64_t now) {
    return t->frozen_until > now ? t->frozen_until : now;
}

/* Applies the results that land by cycle `now`. Returns false if the thread needs more than its next instruction's
 * handler then: its lane has ended, it has faulted, or a latched wait is to be tested. */
static inline bool land_before(struct tensix *x, const struct tensix_thread *t, uint64_t now) {
    bool lane = t->frontend.lane;
    turn_land(x, now);
    return t->frontend.lane == lane && !t->faulted && x->look_at > now;
}

/* Sets handler_only_until, the end of the time in which the thread's words need only their handlers. Precondition: no
 * other event happens in cycle `now`. */
static inline void set_handler_only(struct tensix *x, const struct tensix_thread *t, uint64_t now) {
    uint64_t until = x->look_at < x->next_landing ? x->look_at : x->next_landing;
    until = x->next_other_event < until ? x->next_other_event : until;
    x->handler_only_until = t->gate.free_at > now ? 0 : until;
}

/* Applies the results that land by cycle `now`. Returns whether the thread's next instruction may try in that cycle. */
static inline bool goes_on(struct tensix *x, const struct tensix_thread *t, uint64_t now) {
    if (now >= x->next_other_event || now >= x->look_at || (x->next_landing <= now && !land_before(x, t, now)))
        return false;
    set_handler_only(x, t, now);
    return true;
}

/* Removes a word of the lane that has passed although its handler has ended the batch. Returns the cycle of the
 * thread's next attempt. */
__attribute__((noinline)) static uint64_t pass_elsewhere(struct tensix_thread *t, uint64_t now) {
    frontend_pop(&t->frontend, now);
    return next_try(t, now + 1);
}

/* ---- Batches -------------------------------------------------------------------------------------
 *
 * A batch calls only the handlers of words that are ready in a lane. The frontend is updated once, at its end, from the
 * cycles in which the words passed: it has that many words fewer, and one more group of the attached row for every pass
 * that made room for one. */

/* Limits of a batch. With an attached row, a batch ends at the latest with the last full group of the row. */
struct batch_bounds {
    uint64_t until;
    unsigned size;
    bool paced; /* some words reach the gate only after their predecessors have passed */
};

/* Bounds a batch so that every group of the row for which it makes room is pushed before the run ends. The core pushes
 * a group in the cycle after there is room, or one group a cycle while there is room for several. */
static inline struct batch_bounds bound_pulls(const struct tensix *x, const struct frontend *f,
                                              const struct push_row *row) {
    enum { MARGIN = 2 }; /* a word may pass in the cycle after its attempt; there is room in the cycle after that */
    unsigned left = (unsigned)(row->end - row->at) & ~(row->group - 1u); /* words in full groups (of one or four) */
    if (f->in_flight <= f->accepts || !left || x->until <= MARGIN)
        return (struct batch_bounds){ 0 };
    unsigned room = f->in_flight - f->accepts; /* passes until there is room for the first group */
    uint64_t size = room + left - row->group;
    if (BH_UNLIKELY(row->time + left >= x->until)) {
        uint64_t before_end = x->until > row->time ? x->until - row->time : 0; /* cycles in which the core can push */
        size = smaller(size, room - 1 + row->group * before_end);
    }
    return (struct batch_bounds){ .until = x->until - MARGIN, .size = (unsigned)smaller(size, f->in_flight) };
}

static inline struct batch_bounds bound_batch(const struct tensix *x, struct frontend *f, const struct push_row *row,
                                              uint64_t now) {
    enum { LEAST = 3 }; /* smaller batches cost more than they save */
    struct batch_bounds bounds = { .until = x->next_other_event, .size = f->in_flight };
    if (row) {
        bounds = bound_pulls(x, f, row);
        bounds.until = smaller(bounds.until, x->next_other_event);
    }
    bounds.size = bounds.until > now ? (unsigned)smaller(bounds.size, bounds.until - now) : 0;
    if (BH_UNLIKELY(!f->none_tagged))
        bounds.size = frontend_count_untagged(f, bounds.size);
    if (bounds.size < LEAST)
        bounds.size = 0;
    else
        bounds.paced = !frontend_lane_flows(f, bounds.size, now);
    return bounds;
}

/* Pushes the groups of the row for which the batch has made room. room: the number of passes that make room for the
 * first group. */
static inline __attribute__((always_inline)) void pull_groups(const struct tensix_batch *batch, unsigned room,
                                                              unsigned group) {
    struct push_row *row = batch->row;
    struct frontend *f = batch->frontend;
    struct frontend_entry entry = frontend_enter(f);
    const uint64_t *since = &batch->after[batch->size - room], *last = &batch->after[batch->left];
    const uint32_t *words = row->word + row->at;
    uint32_t pc = row->pc + 4u * row->at;
    uint64_t time = row->time;
    for (; since >= last; since -= group, words += group, pc += 4 * group) {
        time = later(time, *since) + 1;
        frontend_put_words(f, &entry, words, group, pc, time);
    }
    unsigned at = row->at + entry.end - f->first_end;
    frontend_pushed(f, &entry);
    BH_ASSERT(at <= row->end && at > row->at);
    row->at = (uint8_t)at;
    row->time = time;
}

/* Returns the cycle in which the MOP expander is free after it has taken `count` words of a lane, or an earlier cycle
 * if that makes no difference. after: the cycle after the last pass.
 *
 * The expander is free n cycles after it was free before, or n - i cycles after the time of word i of n, whichever is
 * latest; the words are in order of time. If all of these cycles are so long before the last pass that the stages have
 * been filled since, then nothing later depends on the result: neither the cycles in which words can pass nor the
 * positions of the words after them. Words pass no faster than the expander takes them, so this remains true.
 */
static inline uint64_t taken_by(const struct frontend *f, unsigned count, uint64_t after) {
    enum { FILLED = FRONTEND_MIDDLE + FRONTEND_LAST + 4 }; /* a word a cycle, and its time in both expanders */
    const uint64_t *time = f->first.time;
    unsigned half = count / 2, place = f->first_at;
    uint64_t least = f->mop_free + count, by_time = later(time[(place + half) % FRONTEND_FIRST] + count,
                                                          time[(place + count - 1) % FRONTEND_FIRST] + count - half);
    if (BH_LIKELY(by_time <= least || by_time + FILLED <= after))
        return least;
    return frontend_lane_takes_from(f, f->mop_free, frontend_place(f), count);
}

static inline void finish_batch(struct tensix *x, const struct tensix_batch *batch) {
    struct frontend *f = batch->frontend;
    unsigned count = batch->size - batch->left, room = (unsigned)(f->in_flight - f->accepts);
    x->batch = NULL;
    if (!count)
        return;
    BH_ASSERT(batch->left <= batch->size && count <= f->in_flight);
    BH_ASSERT(batch->after[batch->left] >= f->after_pass + count);
    uint64_t mop_free = batch->paced ? batch->mop_free : taken_by(f, count, batch->after[batch->left]);
    frontend_lane_pop_many(f, count, mop_free, &batch->after[batch->left]);
    if (!batch->row || count < room)
        return;
    if (batch->row->group == FRONTEND_GROUP)
        pull_groups(batch, room, FRONTEND_GROUP);
    else
        pull_groups(batch, room, 1);
    push_pulled(x, batch->thread, batch->number);
}

void tensix_end_batch(struct tensix *x) {
    if (!x->batch)
        return;
    finish_batch(x, x->batch);
    clock_end_handler_only(x, 0);
}

/* A batch that ends early costs more than it saves. After such a batch, this many turns of the thread run without
 * one. */
enum { BATCH_BACKOFF = 8 };

static inline bool rests(struct tensix_thread *t) {
    return t->batch_backoff && t->batch_backoff--;
}

/* Stores the words of Config that land by this cycle and affect nothing else. Returns false if another kind of result
 * lands by then. */
static inline bool land_words(struct tensix *x, uint64_t now) {
    while (x->next_landing <= now) {
        const struct tensix_landing *landing = tensix_landing_place(x, 0);
        if (landing->where != TENSIX_LAND_WORD)
            return false;
        tensix_store_plain(x, landing->owner, landing->index, landing->value[0]);
        tensix_landed(x);
    }
    return true;
}

/* How a batch, or a step of it, ended. now: the cycle in which the next word tries. again: 0 if it does; otherwise the
 * cycle in which the thread may try, or TENSIX_NEVER if something other than a handler comes first. */
struct batch_end {
    uint64_t now, again;
};

/* Prepares a batch for the attempt of its next word, from cycle `now` on: lands words of Config and lets time pass
 * until the gate no longer holds the word. Gives up at any other event. */
__attribute__((noinline)) static struct batch_end
resume_slowly(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint64_t now, uint64_t until) {
    uint64_t again = now;
    do {
        now = again;
        if (now >= until || now >= x->next_other_event || !x->batch || !land_words(x, now))
            return (struct batch_end){ now, TENSIX_NEVER };
        if (x->look_at <= now)
            gate_settle(x, now);
        again = gate_holds(&t->gate, turn_gate_class[word >> 24], now);
        if (again)
            tensix_hold(x, thread, again, WAIT_LATCHED);
    } while (again);
    set_handler_only(x, t, now);
    clock_end_handler_only(x, until);
    return (struct batch_end){ now, 0 };
}

/* The fast path of resume_slowly: words of Config have landed, and nothing else stops the next word. */
__attribute__((noinline, aligned(64))) static struct batch_end
resume_batch(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word, uint64_t now, uint64_t until) {
    uint64_t end = smaller(smaller(x->next_other_event, x->look_at), until);
    now = next_try(t, now);
    if (BH_UNLIKELY(now >= end || !x->batch || t->gate.free_at > now || !land_words(x, now)))
        return resume_slowly(x, t, thread, word, now, until);
    x->handler_only_until = smaller(end, x->next_landing);
    return (struct batch_end){ now, 0 };
}

/* Lets the words of a batch try, the first one in cycle `now`, until one stops the batch. Sets *answer to the last
 * answer of a handler. Returns the cycle in which the next word tries. Instantiated twice, because only a paced batch
 * looks at the times of its words. */
static inline __attribute__((always_inline)) uint64_t pass_words(struct tensix *x, struct tensix_batch *batch,
                                                                 struct tensix_thread *t, unsigned thread, uint64_t now,
                                                                 uint64_t until, bool paced, uint64_t *answer) {
    const struct frontend *f = &t->frontend;
    uint64_t again = TENSIX_PASSED, mop = f->mop_free;
    unsigned size = batch->size, at = frontend_place(f);
    while (size) {
        uint32_t word = f->first.word[at];
        if (paced) {
            mop = later(f->first.time[at], mop);
            if (BH_UNLIKELY(frontend_lane_ready(mop) > now)) {
                if (now >= x->handler_only_until) /* another event comes first */
                    break;
                now = frontend_lane_ready(mop);
            }
        }
        if (BH_UNLIKELY(now >= x->handler_only_until)) {
            struct batch_end end = resume_batch(x, t, thread, word, now, until);
            now = end.now;
            if (end.again)
                break;
        }
        again = turn_enter(x, thread, word, now);
        if (BH_UNLIKELY(again > TENSIX_PASSED_NEXT)) {
            if (!paced && again == BATCH_ROW_PASSED) {
                at = (at + size - batch->left) % FRONTEND_FIRST;
                t->waits_on = WAIT_NONE;
                size = batch->left;
                now = batch->after[size];
            } else if (again < until && x->batch) {
                now = again;
                clock_end_handler_only(x, 0);
            } else {
                break;
            }
            again = TENSIX_PASSED;
            continue;
        }
        t->waits_on = WAIT_NONE;
        now += again + 1;
        batch->left = --size;
        BH_ASSERT(now > f->after_pass - 1 && now <= until + again);
        batch->after[size] = now;
        if (paced)
            batch->mop_free = ++mop;
        at = (at + 1) % FRONTEND_FIRST;
        clock_verify_handler_only(x, thread, now);
    }
    *answer = again;
    return now;
}

/* Runs one batch of the lane's words, the first of which tries in cycle `now`. */
__attribute__((noinline, aligned(64))) static struct batch_end run_batch(struct tensix *x, struct tensix_thread *t,
                                                                         unsigned thread, uint64_t now,
                                                                         struct batch_bounds bounds,
                                                                         struct push_row *row) {
    struct tensix_batch batch;
    uint64_t again;
    batch.frontend = &t->frontend;
    batch.row = row;
    batch.thread = t;
    batch.number = thread;
    batch.paced = bounds.paced;
    batch.size = batch.left = bounds.size;
    batch.mop_free = t->frontend.mop_free;
    x->batch = &batch;
    clock_end_handler_only(x, bounds.until);
    now = bounds.paced ? pass_words(x, &batch, t, thread, now, bounds.until, true, &again)
                       : pass_words(x, &batch, t, thread, now, bounds.until, false, &again);
    if (batch.left && now < bounds.until)
        t->batch_backoff = BATCH_BACKOFF;
    if (BH_UNLIKELY(!x->batch)) /* the handler of the last word has ended the batch */
        return (struct batch_end){ now, again > TENSIX_PASSED_NEXT ? again
                                                                   : pass_elsewhere(t, batch.after[batch.left] - 1) };
    finish_batch(x, &batch);
    return (struct batch_end){ now, again > TENSIX_PASSED_NEXT ? again : 0 };
}

/* Runs batches of the lane's words while batches are worth it. Returns what run_batch returns. */
static inline struct batch_end run_batches(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now,
                                           struct push_row *row) {
    struct frontend *f = &t->frontend;
    struct batch_bounds bounds;
    while (!rests(t) && (bounds = bound_batch(x, f, row, now)).size) {
        struct batch_end end = run_batch(x, t, thread, now, bounds, row);
        if (end.again)
            return end;
        now = end.now;
        if (now >= x->handler_only_until && (now = next_try(t, now), !goes_on(x, t, now)))
            return (struct batch_end){ now, now };
        if (!f->in_flight || (row && !tensix_row_attached(row)))
            return (struct batch_end){ now, now };
    }
    return (struct batch_end){ now, 0 };
}

/* ---- Turns -------------------------------------------------------------------------------------- */

/* The outcome of one attempt: the cycle in which the thread may try next, and whether its first instruction has
 * passed. */
struct attempt {
    uint64_t next;
    bool passed;
};

/* Lets the thread's first instruction try. Advances the frontend no further than this cycle, because a core may wake in
 * the next cycle and read the frontend. An instruction may read its own frontend (STOREREG of SOFT_RESET_0), which ends
 * a lane. */
WATCHED_OR_NOT struct attempt issue_one(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now,
                                        bool watched) {
    struct frontend *f = &t->frontend;
    unsigned at = frontend_place(f);
    bool lane = f->lane && f->in_flight;
    const struct frontend_word *head = lane ? NULL : frontend_head(f, now + 1);
    if (!lane && !head)
        return (struct attempt){ frontend_empty(f) ? TENSIX_NEVER : now + 1, false };
    uint64_t ready = lane ? frontend_lane_ready(frontend_lane_mop(f, at)) : frontend_ready(f);
    if (ready > now)
        return (struct attempt){ ready, false };
    uint32_t word = lane ? f->first.word[at] : head->word, pc = lane ? f->first.pc[at] : head->pc;
    bool ends = lane || head->ends;
    struct tensix_before before;
    if (watched && x->hazards)
        before = tensix_hazards_before(x, thread, word);
    uint64_t again = turn_try(x, t, thread, word, lane ? f->first.tag[at] : head->tag, now);
    if (watched && x->observer)
        tensix_observe(x, thread, word, pc, now, again);
    if (watched && x->hazards && again <= TENSIX_PASSED_NEXT)
        tensix_hazards_passed(x, thread, word, pc, ends, &before, now + again);
    if (again > TENSIX_PASSED_NEXT)
        return (struct attempt){ again, false };
    now += again;
    t->waits_on = WAIT_NONE;
    frontend_pop(f, now);
    return (struct attempt){ next_try(t, now + 1), true };
}

/* Lets instructions try one after the other, as long as nothing else has to be done except to pull words of the
 * attached row. Returns the cycle in which the thread may try again. */
WATCHED_OR_NOT uint64_t issue_run(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now,
                                  bool watched) {
    struct frontend *f = &t->frontend;
    struct push_row *row = only_pulls(x, t, thread) ? &t->row : NULL;
    uint8_t floor = notifies_from(t);
    bool batches = !watched && (row || !floor);
    set_handler_only(x, t, now);
    for (;;) {
        if (batches && f->lane && f->in_flight) {
            struct batch_end end = run_batches(x, t, thread, now, row);
            if (end.again)
                return end.again;
            now = end.now;
            batches = false;
        }
        struct attempt attempt = issue_one(x, t, thread, now, watched);
        now = attempt.next;
        if (!attempt.passed)
            return now;
        clock_verify_handler_only(x, thread, now);
        if (f->in_flight <= floor &&
            !(row && tensix_pull(x, thread, frontend_passed_at(f) + 1) && tensix_row_attached(row)))
            return now;
        if (BH_UNLIKELY(now >= x->handler_only_until) && !goes_on(x, t, now))
            return now;
    }
}

/* Wakes the cores that wait, if any, after an attempt in cycle `now` or a later pass. */
static inline void notify_if_wanted(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now) {
    if (t->frontend.in_flight <= notifies_from(t))
        notify(x, t, thread, later(now, frontend_passed_at(&t->frontend)));
}

/* Gives the thread its turn: its instructions try until the next event of another agent. */
WATCHED_OR_NOT void try_on(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now, bool watched) {
    BH_ASSERT(t->due == now && !t->faulted);
    t->due = TENSIX_NEVER;
    do {
        uint64_t this = now;
        if (turn_settle(x, now) && BH_UNLIKELY(t->faulted)) { /* a scheduled instruction has faulted */
            now = TENSIX_NEVER;
            break;
        }
        now = issue_run(x, t, thread, now, watched);
        BH_ASSERT(now > this && (now == TENSIX_NEVER || now >= t->frozen_until));
        notify_if_wanted(x, t, thread, this);
        if (BH_UNLIKELY(t->faulted)) /* the word itself, or an instruction that the thread has scheduled */
            now = TENSIX_NEVER;
    } while (now < x->next_other_event);
    t->due = now;
}

/* Not inlined, because the compiler would compute `t` again at every use. Aligned, because its speed depends on its
 * address by a few percent. */
__attribute__((aligned(64))) void turn_take(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now) {
    try_on(x, t, thread, now, false);
}

void turn_take_watched(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now) {
    try_on(x, t, thread, now, true);
}

/* Returns the numbers of the threads, two bits each, beginning with the thread that passed least recently; of equals
 * the lower number comes first. */
static inline unsigned order_of_waiting(const struct tensix *x) {
#define ORDER(first, second, third) ((first) | (second) << 2 | (third) << 4)
    static const uint8_t order[8] = {
        /* index: bit 0: 1 before 0, bit 1: 2 before 0, bit 2: 2 before 1 */
        ORDER(0, 1, 2), ORDER(1, 0, 2), 0, ORDER(1, 2, 0), ORDER(0, 2, 1), 0, ORDER(2, 0, 1), ORDER(2, 1, 0),
    };
    uint64_t a = x->thread[0].frontend.after_pass, b = x->thread[1].frontend.after_pass,
             c = x->thread[2].frontend.after_pass;
    return order[(unsigned)(b < a) | (unsigned)(c < a) << 1 | (unsigned)(c < b) << 2];
#undef ORDER
}

static inline unsigned due_in(const struct tensix *x, uint64_t cycle) {
    return (unsigned)(x->thread[0].due == cycle) | (unsigned)(x->thread[1].due == cycle) << 1 |
           (unsigned)(x->thread[2].due == cycle) << 2;
}

/* Lets each thread of the mask try once. Precondition: the threads are due in cycle `now`, in which nothing else
 * happens any more: what their words cause happens in later cycles. */
static inline void try_all(struct tensix *x, struct tensix_thread *const *thread_of, unsigned threads, uint64_t now) {
    for (unsigned order = order_of_waiting(x); threads; order >>= 2) {
        unsigned thread = order & 3;
        if (!(threads >> thread & 1))
            continue;
        struct tensix_thread *t = thread_of[thread];
        threads &= ~(1u << thread);
        BH_ASSERT(t->due == now && now >= x->time && !x->batch);
        x->next_other_event = threads ? now : now + 1;
        t->due = TENSIX_NEVER;
        struct attempt attempt = issue_one(x, t, thread, now, false);
        BH_ASSERT(attempt.next > now);
        BH_ASSERT(x->next_landing > now && x->look_at > now && clock_others_due(x) > now);
        if (attempt.passed || BH_UNLIKELY(!t->frontend.lane)) /* otherwise the frontend is as it was */
            notify_if_wanted(x, t, thread, now);
        t->due = attempt.next;
    }
}

void turn_contend(struct tensix *x, uint64_t now) {
    /* An array in memory: otherwise the compiler computes a thread's address again at every use. */
    struct tensix_thread *const thread_of[TENSIX_THREADS] = { &x->thread[0], &x->thread[1], &x->thread[2] };
    for (;;) {
        turn_settle(x, now);
        unsigned threads = due_in(x, now);
        if (BH_UNLIKELY(!threads)) /* a scheduled instruction has faulted */
            return;
        try_all(x, thread_of, threads, now);
        uint64_t a = x->thread[0].due, b = x->thread[1].due, c = x->thread[2].due;
        uint64_t low = smaller(a, b), high = later(a, b), second = smaller(high, later(low, c));
        now = smaller(low, c);
        if (second > now + 1 || now >= x->until || clock_others_due(x) <= now)
            return;
    }
}
