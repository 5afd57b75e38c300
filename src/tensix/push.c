/* Pushes: how words of a core get into the frontend of a thread.
 *
 * A word that a core pushes in cycle t is in the FIFO from cycle t + 1 on. A TRISC pushes a row of words in groups, one
 * group a cycle, while there is room; the rest of the row stays attached as stage 0 (struct push_row). BRISC and the
 * debug bus push one word at a time, and it enters after the MOP expander.
 *
 * Sources: PushTensixInstruction.md, AutoTTSync.md (BH).
 */
#include "tensix/push.h"

#include "base/check.h"
#include "base/order.h"
#include "tensix/turn.h"

/* Makes the thread due if it had no due time only because it had no instruction. */
static inline void rouse(const struct tensix *x, struct tensix_thread *t, uint64_t time) {
    if (t->due == TENSIX_NEVER && !t->waits_on && !t->faulted)
        t->due = time > x->time ? time : tensix_clock(x, x->time);
}

/* ---- Waiting ----------------------------------------------------------------------------------------- */

/* Some words leave without passing the gate: an expander consumes or records them. While there may be such words, the
 * core looks again in every cycle. */
struct access tensix_wait_for_pass(struct tensix *x, unsigned thread, uint64_t time, enum wait why) {
    x->thread[thread].pass_wanted = true;
    if (frontend_moves(&x->thread[thread].frontend))
        tensix_alarm(x, time + 1);
    return access_wait(why);
}

uint64_t push_look_again(struct tensix *x, struct tensix_thread *t, uint64_t time) {
    if (!frontend_moves(&t->frontend)) {
        t->pass_wanted = true;
        return TENSIX_NEVER;
    }
    tensix_alarm(x, time);
    return time;
}

/* Returns whether the thread has run beyond the beginning of cycle `time`. This happens because a core with a lower
 * number may have run the coprocessor through that very cycle, and because a run that wakes a core ends in the middle
 * of a cycle, in which words of this thread may have passed.
 */
static inline bool is_beyond(const struct tensix *x, const struct frontend *f, uint64_t time) {
    return x->time > time || f->after_pass > time;
}

/* Returns whether there is room for a push in cycle `time`. Words that leave in that cycle make room only in the next
 * one. */
static inline bool has_room_at(const struct tensix *x, const struct frontend *f, uint64_t time) {
    return frontend_has_room(f) &&
           (BH_LIKELY(!is_beyond(x, f, time)) || f->in_flight + frontend_left_in(f, time) <= f->accepts);
}

/* Makes a core wait for room. Precondition: frontend_advance has been called if anything but a pass can make room. */
static struct access wait_for_room(struct tensix *x, unsigned thread, uint64_t time) {
    struct tensix_thread *t = &x->thread[thread];
    t->room_wanted = true;
    t->room_at = 0;
    if (frontend_has_room(&t->frontend)) /* words that leave in this cycle make room in the next */
        tensix_alarm(x, t->room_at = time + 1);
    else if (frontend_may_consume(&t->frontend))
        t->room_at = push_look_again(x, t, later(time, x->time) + 1 + frontend_consumes_after(&t->frontend));
    return access_wait(WAIT_FIFO_ROOM);
}

/* Returns whether only a pass can make room. Then a waiting core need not look again: the pass wakes it, and it
 * continues in the cycle after the pass or at its own time, whichever is later. */
static inline bool only_a_pass_makes_room(const struct frontend *f) {
    return !frontend_has_room(f) && !frontend_may_consume(f);
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

/* Returns the first cycle in which a word that a core pushes in cycle `time` is in the FIFO: the next one, or the first
 * cycle that has not been run yet. */
static inline uint64_t seen_from(const struct tensix *x, uint64_t time) {
    return time + 1 > x->time ? time + 1 : x->time;
}

/* Pushes the next group of a row. Precondition: there is room for it. */
static inline void put_group(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct push_row *row = &t->row;
    struct frontend *f = &t->frontend;
    unsigned left = (unsigned)(row->end - row->at), count = left < row->group ? left : row->group;
    uint32_t pc = row->pc + 4u * row->at;
    uint64_t from = seen_from(x, row->time);
    BH_ASSERT(count && frontend_has_room(f));
    BH_ASSERT(from > row->time && from >= x->time);
    if (row->plain && !push_is_followed(x, thread)) {
        struct frontend_entry entry = frontend_enter(f);
        frontend_put_words(f, &entry, row->word + row->at, count, pc, from);
        frontend_pushed(f, &entry);
    } else {
        (void)BH_CHECK(x->error, frontend_push(f, row->word + row->at, count, pc, from, x->config.thread[thread]));
    }
    row->at = (uint8_t)(row->at + count);
    row->time++;
}

/* Pushes groups of plain words while there is room for them. Precondition: Auto TTSync does not track them, and the
 * thread has not run beyond the core. */
static inline void put_plain(struct tensix_thread *t, uint64_t limit) {
    struct push_row *row = &t->row;
    struct frontend *f = &t->frontend;
    struct frontend_entry entry = frontend_enter(f);
    unsigned at = row->at, end = row->end, in_flight = f->in_flight, accepts = f->accepts;
    uint64_t time = row->time;
    if (row->group == 1 && in_flight <= accepts) {
        uint64_t most = smaller(end - at, accepts + 1 - in_flight);
        most = smaller(most, limit > time ? limit - time : !at);
        for (end = at + (unsigned)most; at < end; at++)
            frontend_put(&f->first, entry.end++, row->word[at], row->pc + 4 * at, ++time, entry.tag);
    }
    while (at < end && (!at || time < limit) && in_flight <= accepts) {
        unsigned count = end - at < FRONTEND_GROUP ? end - at : FRONTEND_GROUP;
        frontend_put_words(f, &entry, row->word + at, count, row->pc + 4 * at, ++time);
        at += count;
        in_flight += count;
    }
    frontend_pushed(f, &entry);
    row->at = (uint8_t)at;
    row->time = time;
}

/* Pushes groups while there is room for them. Pushes only one if words in flight can change what Auto TTSync does with
 * the next. */
static inline void put_groups(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t limit) {
    const struct push_row *row = &t->row;
    if (BH_LIKELY(row->plain && !is_beyond(x, &t->frontend, row->time) && !push_is_followed(x, thread)))
        put_plain(t, limit);
    else
        while (tensix_row_attached(row) && (!row->at || row->time < limit) && has_room_at(x, &t->frontend, row->time)) {
            put_group(x, t, thread);
            if (BH_UNLIKELY(frontend_resyncs(&t->frontend)))
                return;
        }
}

void tensix_count_row(struct tensix *x, unsigned thread) {
    struct push_row *row = &x->thread[thread].row;
    if (row->at == row->counted || !tensix_row_attached(row) || !row->core_waits)
        return;
    BH_ASSERT(row->counted < row->at);
    x->port->row_pushed(x->owner, thread, (unsigned)(row->at - row->counted), row->time, false);
    row->counted = row->at;
}

void tensix_core_fuses(struct tensix *x, unsigned thread, bool fuses) {
    tensix_detach_row(x, thread); /* its groups may be larger than the FIFO accepts now */
    x->thread[thread].frontend.accepts = fuses || x->loose ? FRONTEND_ACCEPTS : FRONTEND_ACCEPTS_ONE;
}

void tensix_detach_row(struct tensix *x, unsigned thread) {
    struct push_row *row = &x->thread[thread].row;
    tensix_count_row(x, thread);
    row->end = row->at;
}

/* Ends the attached row, because its last group has been pushed or the core has to push the next one itself. */
static void end_row(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    struct push_row *row = &t->row;
    t->room_wanted = false;
    row->end = row->at;
    BH_ASSERT(row->at > row->counted || !row->core_waits);
    BH_ASSERT(row->time > 0);
    if (row->core_waits)
        x->port->row_pushed(x->owner, thread, (unsigned)(row->at - row->counted), row->time, true);
    tensix_stop_at(x, row->time - 1); /* early enough for the core's next push to become part of the same run */
}

bool tensix_pull(struct tensix *x, unsigned thread, uint64_t room) {
    struct tensix_thread *t = &x->thread[thread];
    uint64_t time = later(t->row.time, room);
    if (!tensix_row_attached(&t->row) || time >= x->until)
        return false;
    if (BH_UNLIKELY(time > room && frontend_resyncs(&t->frontend)))
        return false; /* the core pushes the group itself, after the words that pass before then */
    t->row.time = time;
    put_group(x, t, thread);
    BH_ASSERT(!t->row.core_waits || t->room_wanted);
    if (!tensix_row_attached(&t->row) || BH_UNLIKELY(!only_a_pass_makes_room(&t->frontend)) ||
        BH_UNLIKELY(frontend_resyncs(&t->frontend)))
        end_row(x, t, thread);
    return true;
}

void push_pulled(struct tensix *x, struct tensix_thread *t, unsigned thread) {
    if (!tensix_row_attached(&t->row))
        end_row(x, t, thread);
}

/* Copies every second word of an array, four at a time. */
static inline void gather(uint32_t *copy, const uint32_t *words, unsigned count) {
    typedef uint32_t four __attribute__((vector_size(16)));
    const uint32_t *end = copy + count;
    if (count == 1) {
        *copy = *words;
        return;
    }
    do {
        four low, high;
        memcpy(&low, words, sizeof low);
        memcpy(&high, words + 4, sizeof high);
        low = __builtin_shufflevector(low, high, 0, 2, 4, 6);
        memcpy(copy, &low, sizeof low);
        copy += 4;
        words += 8;
    } while (copy < end);
}

/* Copies the words of a row. May copy up to three words beyond it. */
static inline void copy_words(uint32_t *copy, const uint32_t *words, unsigned shape) {
    if (push_step(shape) == 2)
        gather(copy, words, push_count(shape));
    else
        memcpy(copy, words, push_count(shape) * sizeof *copy);
}

static inline void copy_row(struct push_row *row, const struct tensix_push *push, unsigned shape) {
    unsigned count = push_count(shape);
    BH_ASSERT(count && count <= PUSH_ROW_MAX);
    BH_ASSERT(!tensix_row_attached(row) || row->at == row->counted); /* if attached, the host woke the core */
    row->time = push->time;
    row->pc = push->pc;
    row->at = row->counted = 0;
    row->core_waits = false;
    row->end = (uint8_t)count;
    row->group = (uint8_t)push_group(shape);
    row->plain = shape & PUSH_PLAIN;
    copy_words(row->word, push->words, shape);
}

/* Runs the coprocessor until the whole row has been pushed, at most to the horizon. If something other than a pass may
 * make room, runs no further than the core's time, because nothing would wake the core then. Precondition: there is no
 * room for the next group, and the core is in turn. */
static void wait_in_turn(struct tensix *x, struct tensix_thread *t, unsigned thread, const struct tensix_push *push) {
    struct frontend *f = &t->frontend;
    struct push_row *row = &t->row;
    bool ahead = push->horizon > row->time && !frontend_may_consume(f);
    t->room_wanted = true;
    t->room_at = 0;
    tensix_run(x, ahead ? push->horizon : row->time);
    t->room_wanted = false;
    if (frontend_may_consume(f))
        frontend_advance(f, x->time);
    if (ahead && frontend_has_room(f)) { /* the core does nothing before the horizon */
        row->time = later(row->time, x->time);
        row->time += !has_room_at(x, f, row->time); /* the room becomes free in that cycle */
    } else if (!row->at) { /* there may be room at the core's own time; the row may have been detached */
        if (!tensix_row_attached(row))
            row->end = (uint8_t)smaller(row->group, push_count(push->shape));
        put_groups(x, t, thread, push->limit);
    }
}

/* Leaves the rest of the row attached, or makes the core wait or try again. Precondition: the core cannot push the rest
 * now. */
static struct access leave_row(struct tensix *x, struct tensix_thread *t, unsigned thread,
                               const struct tensix_push *push) {
    struct push_row *row = &t->row;
    bool by_pass = only_a_pass_makes_room(&t->frontend);
    if (by_pass && push->attaches && !tensix_is_watched(x) && tensix_row_attached(row)) {
        row->counted = row->at;
        row->core_waits = true;
        return wait_for_room(x, thread, row->time);
    }
    row->end = row->at;
    if (row->at)
        return access_done();
    bool others_first = !push->in_turn || x->time < row->time; /* the run may have ended because it woke a core */
    bool has_room = frontend_has_room(&t->frontend) && !is_beyond(x, &t->frontend, row->time);
    return has_room || (others_first && !by_pass) ? access_later() : wait_for_room(x, thread, row->time);
}

static struct access push_row(struct tensix *x, unsigned thread, struct tensix_push *push) {
    struct tensix_thread *t = &x->thread[thread];
    struct push_row *row = &t->row;
    unsigned shape = push->shape, count = push_count(shape);
    uint64_t first = push->time + 1;
    if (BH_UNLIKELY(frontend_resyncs(&t->frontend))) {
        if (!push->in_turn || !tensix_run(x, push->time))
            return access_later();
        frontend_forget_resyncs(&t->frontend);
        push->horizon = push->time; /* the run may have woken a core */
    }
    copy_row(row, push, shape);
    if (frontend_has_room(&t->frontend))
        put_groups(x, t, thread, push->limit);
    if (row->at < count && push->in_turn && !has_room_at(x, &t->frontend, row->time) &&
        (!row->at || row->time < push->horizon))
        wait_in_turn(x, t, thread, push);
    struct access access = row->at < count ? leave_row(x, t, thread, push) : access_done();
    push->pushed = row->at;
    push->time = row->time;
    BH_ASSERT(push->time + 1 >= first && row->at <= count);
    BH_ASSERT(!tensix_row_attached(row) || (row->core_waits && access.result == ACCESS_WAIT));
    if (row->at)
        rouse(x, t, first);
    clock_verify(x);
    return access;
}

/* Returns whether plain words of the thread's own TRISC go to the FIFO without a look at each of them. */
static inline bool takes_plain(const struct tensix *x, unsigned thread) {
    return !(x->debug_owns >> thread & 1) && !push_is_followed(x, thread);
}

/* Does what tensix_put does. Inlined into both callers, because most rows are one word, whose shape is a constant. */
static inline __attribute__((always_inline)) unsigned put(struct tensix *x, unsigned thread, const uint32_t *words,
                                                          unsigned shape, uint32_t pc, uint64_t time, uint64_t limit) {
    struct tensix_thread *t = &x->thread[thread];
    struct frontend *f = &t->frontend;
    unsigned count = push_count(shape), group = push_group(shape);
    unsigned last = push_cycles(shape, count) - 1, before_last = group * last;
    bool fits = f->in_flight + before_last <= f->accepts && !is_beyond(x, f, time) && (!last || time + last < limit);
    uint64_t first = time + 1;
    if (BH_UNLIKELY(!fits || !(shape & PUSH_PLAIN) || !takes_plain(x, thread)))
        return 0;
    BH_ASSERT(!tensix_row_attached(&t->row));
    struct frontend_entry entry = frontend_enter(f);
    if (group == 1) {
        for (unsigned i = 0, step = push_step(shape); i < count; i++)
            frontend_put(&f->first, entry.end++, words[i * step], pc + 4 * i, ++time, entry.tag);
    } else {
        uint32_t copy[PUSH_ROW_MAX];
        copy_words(copy, words, shape);
        for (unsigned i = 0, part; i < count; i += part) {
            part = count - i < group ? count - i : group;
            frontend_put_words(f, &entry, copy + i, part, pc + 4 * i, ++time);
        }
    }
    frontend_pushed(f, &entry);
    rouse(x, t, first);
    clock_verify(x);
    return count;
}

unsigned tensix_put(struct tensix *x, unsigned thread, const uint32_t *words, unsigned shape, uint32_t pc,
                    uint64_t time, uint64_t limit) {
    return put(x, thread, words, shape, pc, time, limit);
}

bool tensix_put_word(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t time) {
    return put(x, thread, &word, PUSH_ONE, pc, time, TENSIX_NEVER);
}

/* ---- After the MOP expander ------------------------------------------------------------------------- */

/* Returns whether the FIFO after the MOP expander is full at the end of cycle `now`, whatever passes the gate in that
 * cycle. Does not advance the frontend. */
static bool is_full_after(const struct frontend *f, uint64_t now) {
    struct frontend copy = *f;
    frontend_advance(&copy, now + 1);
    return frontend_middle_full(&copy);
}

static struct access wait_behind_mop(struct tensix *x, unsigned thread, uint64_t time) {
    return tensix_wait_for_pass(x, thread, time, WAIT_REPLAY_ROOM);
}

/* Pushes one word in cycle push->time. If there is no room, does not run that cycle, because cores with a higher number
 * may still read the state before it. A word that the MOP expander emits in the cycle of the push is lost and makes
 * room, so the row of the TRISC does not stay attached. */
static struct access push_after_mop(struct tensix *x, unsigned thread, struct tensix_push *push) {
    struct tensix_thread *t = &x->thread[thread];
    struct frontend *f = &t->frontend;
    uint64_t now = push->time, seen = now + 1;
    if (!push->in_turn || !tensix_run(x, now))
        return access_later();
    BH_ASSERT(x->time >= now || x->loose || x->running);
    frontend_advance(f, now);
    if (is_full_after(f, now))
        return wait_behind_mop(x, thread, now);
    tensix_detach_row(x, thread);
    if (!tensix_run(x, seen))
        return access_later();
    push->time = seen;
    frontend_advance(f, seen);
    if (!frontend_push_after_mop(f, *push->words, push->pc, seen))
        return wait_behind_mop(x, thread, now);
    push->pushed = 1;
    rouse(x, t, seen);
    if (t->due > seen && !t->waits_on && !t->faulted) /* due for a later word of its TRISC, which is ahead of BRISC */
        t->due = later(seen, t->frozen_until);
    clock_end_handler_only(x, seen);
    t->room_at = seen + 1; /* the word that the MOP expander emits now is lost and makes room */
    tensix_alarm(x, seen + 1);
    if (BH_UNLIKELY(x->loose))
        loose_shared(x, thread, seen);
    clock_verify(x);
    return access_done();
}

/* ---- Entry points ---------------------------------------------------------------------------------------- */

static struct access push_loosely(struct tensix *x, unsigned thread, struct tensix_push *push) {
    push->pushed = loose_push(x, thread, push->words, push->shape, push->pc, push->time);
    push->time += push_cycles(push->shape, push->pushed);
    clock_verify(x);
    return push->pushed ? access_done() : access_wait(WAIT_FIFO_ROOM);
}

struct access tensix_push(struct tensix *x, enum bh_core core, unsigned thread, struct tensix_push *push) {
    push->pushed = 0;
    clock_verify(x);
    if (BH_UNLIKELY(x->debug_owns >> thread & 1)) { /* the debug bus owns the FIFO: pushes of cores are lost */
        push->pushed = push_count(push->shape);
        push->time += push_cycles(push->shape, push->pushed);
        return access_done();
    }
    if (core == BH_BRISC)
        return push_after_mop(x, thread, push);
    return BH_UNLIKELY(x->loose) ? push_loosely(x, thread, push) : push_row(x, thread, push);
}

void tensix_debug_control(struct tensix *x, uint32_t old_value, uint32_t value, uint32_t word, uint64_t time) {
    uint32_t rising = value & ~old_value; /* a push into a full FIFO is lost */
    x->debug_owns = value & 7;
    clock_end_handler_only(x, 0);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_push push = {
            .words = &word, .shape = push_shape(1, 1, 1, false), .time = time, .in_turn = true
        };
        tensix_detach_row(x, i);
        if ((value >> i & 1) && (rising >> (4 + i) & 1))
            (void)push_after_mop(x, i, &push);
    }
    clock_verify(x);
}
