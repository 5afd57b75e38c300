/* The coprocessor's time: which thread goes next, results on their way, who is woken by what. */
#include "tensix/turn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/order.h"

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
void turn_land(struct tensix *x, uint64_t now) {
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

void tensix_stop_at(struct tensix *x, uint64_t time) {
    if (time < x->until)
        x->until = time > x->time ? time : x->time;
    tensix_not_alone(x, x->until);
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

/* Who waits for room that there cannot be yet has to be told again. */
static void ring(struct tensix *x) {
    uint64_t alarm = x->alarm;
    x->alarm = TENSIX_NEVER;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (x->thread[i].room_wanted && x->thread[i].room_at > alarm && x->thread[i].room_at != TENSIX_NEVER)
            tensix_alarm(x, x->thread[i].room_at);
    x->port->event(x->owner, tensix_clock(x, alarm), BH_ALL_CORES);
}

void turn_step_others(struct tensix *x, uint64_t now) {
    if (x->alarm == now && x->data_due > now) {
        ring(x);
        return;
    }
    turn_settle(x, now);
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
    uint64_t due = turn_others_due(x);
    if (x->loose && x->next_landing < due) /* what SFPLOADMACRO has scheduled and no word has come after */
        due = x->next_landing;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        due = x->thread[i].due < due ? x->thread[i].due : due;
    return BH_CHECK(x->error, due >= x->time || x->running || x->loose) ? due : x->time;
}

bool tensix_run(struct tensix *x, uint64_t until) {
    if (BH_UNLIKELY(x->loose)) {
        loose_run(x, until);
        return true;
    }
    if (x->time >= until || x->running)
        return true;
    x->running = true;
    x->until = until;
    for (;;) {
        uint64_t second, others = turn_others_due(x);
        unsigned thread = first_due(x, &second);
        uint64_t now = x->thread[thread].due;
        if (now >= x->until && others >= x->until)
            break;
        if (others <= now) {
            turn_step_others(x, others);
            continue;
        }
        struct tensix_thread *t = &x->thread[thread];
        x->alone_until = others < second ? others : second;
        tensix_not_alone(x, x->until);
        if (BH_UNLIKELY(x->observer))
            turn_take_watched(x, t, thread, now);
        else if (x->alone_until <= now + 1)
            turn_contend(x, now);
        else
            turn_take(x, t, thread, now);
        if (x->alone_until == x->until && t->due >= x->until) /* nobody else has come in between */
            break;
    }
    turn_settle(x, x->until);
    x->time = x->until;
    x->running = false;
    return x->time >= until;
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
    if (!frontend_empty(&t->frontend))
        return false;
    if (x->loose && t->idle_at != TENSIX_NEVER) /* whoever asks has waited that long */
        loose_finish(x, now = t->idle_at);
    return t->idle_at <= now;
}

/* Until when a latched wait lasts, if that is easy to say; else 0. */
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

/* A latched wait that has not been met is looked at again from this cycle on, unless it lasts beyond it, as long as it
 * knew already. Whatever changes that later is another event: the end of an instruction is one. Returns when it is
 * looked at next. */
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
        if (look_at == time) /* before the next event, which may undo this one */
            gate_settle(x, time);
    }
    if (x->unpack.waits)
        unpack_event(x, time);
    tensix_not_alone(x, time);
    x->port->event(x->owner, clock, BH_ALL_CORES);
}

uint64_t tensix_fault(struct tensix *x, unsigned thread, enum bh_fault_kind kind, uint32_t word, uint64_t address,
                      uint64_t now, const char *format, ...) {
    tensix_end_batch(x);
    struct tensix_thread *t = &x->thread[thread];
    const struct frontend_word *head = x->loose ? NULL : frontend_head(&t->frontend, now + 1);
    struct bh_fault *fault = &t->fault;
    char name[64];
    va_list args;
    *fault = (struct bh_fault){
        .kind = kind,
        .core = -1,
        .thread = (int)thread,
        .pc = head ? head->pc : t->pc,
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
    t->waits_on = WAIT_FAULT;
    t->due = TENSIX_NEVER;
    tensix_not_calm(x, 0);
    x->port->fault(x->owner, fault);
    return TENSIX_NEVER;
}

/* Everything that is not set here is zero already. */
void tensix_init(struct tensix *x) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        x->thread[i].due = TENSIX_NEVER;
        frontend_init(&x->thread[i].frontend);
        x->thread[i].frontend.untimed = x->loose;
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
