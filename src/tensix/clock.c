/* The clock: wake-ups, the time of the next event, and checks of both. */
#include "tensix/clock.h"

#include "base/check.h"
#include "base/mix.h"
#include "base/order.h"
#include "tensix/batch.h"
#include "tensix/turn.h"
#include "tensix/verify.h"

/* ---- Due times --------------------------------------------------------------------------------- */

void tensix_sort_landing(struct tensix *x) {
    unsigned at = x->landings - 1;
    struct tensix_landing landing = *tensix_landing_place(x, at);
    for (; at > 0 && tensix_landing_place(x, at - 1)->time > landing.time; at--)
        *tensix_landing_place(x, at) = *tensix_landing_place(x, at - 1);
    *tensix_landing_place(x, at) = landing;
}

void tensix_stop_at(struct tensix *x, uint64_t time) {
    if (time < x->until)
        x->until = time > x->time ? time : x->time;
    clock_other_event(x, x->until);
}

uint64_t tensix_due(const struct tensix *x) {
    uint64_t due = clock_others_due(x);
    if (x->loose && x->next_landing < due) /* an instruction scheduled by SFPLOADMACRO that no word has come after */
        due = x->next_landing;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        due = x->thread[i].due < due ? x->thread[i].due : due;
    return BH_CHECK(x->error, due >= x->time || x->running || x->loose) ? due : x->time;
}

/* ---- Busy pipelines ----------------------------------------------------------------------------- */

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
        t->due = until; /* the wait of the thread's first instruction ends earlier than at its last attempt */
}

void tensix_forget_busy(struct tensix *x, enum tensix_busy pipeline, uint64_t until) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (x->thread[i].busy[pipeline] > until)
            tensix_set_busy(&x->thread[i], pipeline, until);
}

/* ---- Events ---------------------------------------------------------------------------------------- */

/* Returns the end of the latched wait if it is cheap to compute, else 0. */
static inline uint64_t waits_until(const struct tensix *x, const struct tensix_thread *t) {
    enum { OWN_PIPELINES = GATE_C_MEMORY | GATE_C_UNPACK0 | GATE_C_UNPACK1 | GATE_C_PACK | GATE_C_MATRIX };
    const uint64_t *busy = &t->busy[TENSIX_BUSY_MEMORY];
    uint64_t until = 0;
    if (t->gate.opcode == TENSIX_SEMWAIT)
        return gate_semaphores_wait(&x->sync, &t->gate) ? TENSIX_NEVER : 0;
    if (t->gate.opcode != TENSIX_STALLWAIT || (t->gate.condition & GATE_C_ALL & ~(unsigned)OWN_PIPELINES))
        return 0;
    for (unsigned left = t->gate.condition & OWN_PIPELINES; left; left &= left - 1)
        until = later(until, busy[__builtin_ctz(left)]);
    return until;
}

/* Lets an unmet latched wait be tested again from cycle `time` on, unless its known end is later and has not changed.
 * (A later change of that end is an event of its own.) Returns the cycle in which the wait is tested next. */
static inline uint64_t look_again(const struct tensix *x, struct tensix_thread *t, uint64_t time) {
    uint64_t until = waits_until(x, t);
    if (until > time && until == t->gate.look_at)
        return until;
    t->gate.look_at = smaller(t->gate.look_at, time);
    return time;
}

void tensix_wake(struct tensix *x, uint64_t time) {
    uint64_t look_at = TENSIX_NEVER;
    if (time < x->time)
        time = x->time;
    uint64_t clock = tensix_clock(x, time);
#pragma GCC unroll 4
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *t = &x->thread[i];
        if (x->undecided >> i & 1)
            look_at = smaller(look_at, look_again(x, t, time));
        if (t->due == TENSIX_NEVER && t->waits_on && !t->faulted)
            t->due = later(clock, t->clock);
    }
    x->look_at = smaller(x->look_at, look_at);
    if (BH_UNLIKELY(x->loose)) {
        x->yield_at = smaller(x->yield_at, time);
        x->event_at = later(x->event_at, clock);
        if (look_at == time) /* test before the next event, which may undo this one */
            gate_settle(x, time);
    }
    if (x->unpack.waits)
        unpack_event(x, time);
    clock_other_event(x, time);
    x->port->event(x->owner, clock, BH_ALL_CORES);
}

/* ---- Checks ---------------------------------------------------------------------------------------- */

/* Asserts that landings are in order of time, and that next_landing and last_landing agree with them. */
static void verify_landings(const struct tensix *x) {
    uint64_t before = 0;
    BH_ASSERT(x->landing_at < TENSIX_LANDINGS && x->landings < TENSIX_LANDINGS);
    for (unsigned i = 0; i < x->landings; i++) {
        const struct tensix_landing *landing = &x->landing[(x->landing_at + i) % TENSIX_LANDINGS];
        BH_ASSERT(landing->time >= before);
        BH_ASSERT(landing->where <= TENSIX_LAND_VECTOR && landing->owner < TENSIX_THREADS);
        BH_ASSERT(landing->time <= x->last_landing);
        before = landing->time;
    }
    BH_ASSERT(x->next_landing == (x->landings ? x->landing[x->landing_at].time : TENSIX_NEVER));
}

static void verify_row(const struct push_row *row) {
    BH_ASSERT(row->counted <= row->at && row->at <= row->end && row->end <= PUSH_ROW_MAX);
    BH_ASSERT(row->group == 1 || row->group == FRONTEND_GROUP || !row->end);
}

static void verify_thread(const struct tensix *x, unsigned thread) {
    const struct tensix_thread *t = &x->thread[thread];
    BH_ASSERT(t->idle_at == latest(t));
    BH_ASSERT(t->wanted >> 24 == 0);
    BH_ASSERT(!t->faulted || (t->due == TENSIX_NEVER && t->waits_on));
    verify_frontend(&t->frontend);
    verify_row(&t->row);
}

/* Returns the next cycle in which anything but the thread whose turn it is happens. The due time of that thread is
 * TENSIX_NEVER meanwhile. */
static uint64_t next_event(const struct tensix *x) {
    uint64_t next = smaller(x->until, clock_others_due(x));
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        next = smaller(next, x->thread[i].due);
    return next;
}

static void verify_state(const struct tensix *x, uint64_t cycle) {
    verify_landings(x);
    verify_units(x);
    BH_ASSERT(x->data_due == smaller(x->unpack.due, x->pack.due));
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        verify_thread(x, i);
    verify_gates(x, cycle);
}

/* Asserts that, between turns, a thread that has a word is due, has faulted, or waits for an event. */
static void verify_progress(const struct tensix_thread *t) {
    BH_ASSERT(t->due != TENSIX_NEVER || t->waits_on || t->faulted || frontend_empty(&t->frontend));
}

/* Asserts that, between runs, the core of an attached row waits for room, which only a pass makes. */
static void verify_idle_thread(const struct tensix *x, const struct tensix_thread *t) {
    const struct frontend *f = &t->frontend;
    verify_progress(t);
    BH_ASSERT(t->due >= x->time || x->loose);
    if (!tensix_row_attached(&t->row))
        return;
    BH_ASSERT(t->room_wanted && !x->loose);
    BH_ASSERT(!t->row.core_waits || (!frontend_has_room(f) && !frontend_may_consume(f)));
}

void clock_verify_all(const struct tensix *x) {
    if (x->running) /* an instruction is accessing a register of the tile: its handler is checked when it returns */
        return;
    verify_state(x, x->time);
    BH_ASSERT(!x->batch);
    BH_ASSERT(x->loose || x->next_landing >= x->time);
    BH_ASSERT(x->loose || clock_others_due(x) >= x->time);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        verify_idle_thread(x, &x->thread[i]);
}

void clock_verify_events(const struct tensix *x, uint64_t now) {
    verify_state(x, now);
    BH_ASSERT(!x->batch);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        verify_progress(&x->thread[i]);
}

struct clock_mark clock_take_mark(const struct tensix *x, unsigned thread) {
    const struct tensix_thread *t = &x->thread[thread];
    uint64_t others = smaller(smaller(x->config.request_due, x->mover.due), smaller(x->alarm, x->unpack.due));
    uint64_t sum = mix_bytes(x->config.version, &x->rwc[thread], sizeof x->rwc[thread]);
    sum = mix_bytes(sum, x->adc[thread], sizeof x->adc[thread]);
    sum = mix_bytes(sum, x->gpr[thread], sizeof x->gpr[thread]);
    sum = mix_bytes(sum, x->sync.semaphore, sizeof x->sync.semaphore);
    sum = mix_bytes(sum, &x->src.allowed, sizeof x->src.allowed + sizeof x->src.format);
    sum = mix_bytes(sum, &t->gate, sizeof t->gate);
    sum = mix(sum, t->frozen_until);
    others = smaller(others, smaller(x->next_landing, x->look_at));
    for (unsigned i = 0; i < TENSIX_THREADS && !x->loose; i++)
        others = i == thread ? others : smaller(others, x->thread[i].due);
    return (struct clock_mark){ .sum = mix(sum, x->landings), .others = smaller(others, x->until) };
}

void clock_verify_before(const struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const struct tensix_thread *t = &x->thread[thread];
    BH_ASSERT(x->running && thread < TENSIX_THREADS);
    BH_ASSERT(!t->faulted && (t->due == TENSIX_NEVER || x->loose));
    BH_ASSERT(x->next_landing > now);
    BH_ASSERT(t->frozen_until <= now);
    BH_ASSERT(!gate_holds(&t->gate, turn_gate_class[word >> 24], now));
    BH_ASSERT(x->loose || x->time <= now);
}

/* Asserts that the handler may return this answer. */
static void verify_answer(const struct tensix *x, unsigned thread, uint64_t now, uint64_t again,
                          const struct clock_mark *before) {
    const struct tensix_thread *t = &x->thread[thread];
    if (again == TENSIX_PASSED)
        return;
    if (again == BATCH_ROW_PASSED) {
        BH_ASSERT(x->batch && x->batch->left < x->batch->size);
        return;
    }
    if (again == TENSIX_PASSED_NEXT) {
        BH_ASSERT(before->others > now + 1);
        return;
    }
    BH_ASSERT(again > now);
    BH_ASSERT(t->waits_on);
    BH_ASSERT(t->faulted || clock_take_mark(x, thread).sum == before->sum);
}

/* Asserts that the frontend has not changed during a batch: code that changes it ends the batch first. */
static void verify_batch(const struct tensix_batch *batch) {
    const struct frontend *f = batch->frontend;
    BH_ASSERT(f->lane && f->in_flight >= batch->size && batch->left <= batch->size);
    BH_ASSERT(frontend_first_count(f) == f->in_flight);
}

void clock_verify_call(const struct tensix *x, unsigned thread, uint64_t now, uint64_t again,
                       const struct clock_mark *before) {
    uint64_t next = now + 1 + (again == TENSIX_PASSED_NEXT), event = next_event(x);
    verify_answer(x, thread, now, again, before);
    verify_state(x, next);
    if (x->batch)
        verify_batch(x->batch);
    BH_ASSERT(x->next_landing > now);
    BH_ASSERT(x->loose || x->next_other_event <= later(event, next));
    BH_ASSERT(!x->loose || clock_others_due(x) == TENSIX_NEVER || x->handler_only_until != TENSIX_NEVER);
}

void clock_verify_bounds(const struct tensix *x, unsigned thread, uint64_t now) {
    const struct tensix_thread *t = &x->thread[thread];
    if (x->handler_only_until <= now || (x->loose && x->handler_only_until != TENSIX_NEVER))
        return;
    BH_ASSERT(!t->faulted && t->frozen_until <= now && t->gate.free_at <= now);
    if (x->loose) {
        BH_ASSERT(x->next_landing == TENSIX_NEVER && clock_others_due(x) == TENSIX_NEVER);
        return;
    }
    uint64_t event = next_event(x);
    BH_ASSERT(x->handler_only_until <= x->next_other_event && x->next_other_event <= event);
    BH_ASSERT(x->handler_only_until <= x->next_landing && x->handler_only_until <= x->look_at);
}
