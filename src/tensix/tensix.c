/* The coprocessor's run: landings, the events of units, and the choice of the next thread. */
#include "tensix/turn.h"

#include <stdarg.h>
#include <string.h>

#include "base/check.h"
#include "base/line.h"
#include "base/order.h"

/* ---- Landings ---------------------------------------------------------------------------------- */

static void land_gpr(struct tensix *x, const struct tensix_landing *landing) {
    uint32_t *gpr = &x->gpr[landing->owner][landing->index];
    BH_ASSERT(landing->owner < TENSIX_THREADS && landing->index + (landing->size + 3u) / 4 <= TENSIX_GPRS);
    memcpy(gpr, landing->value, landing->size);
}

/* Stores the last word first, so that STATE_RESET_EN, which is the first of its four words, resets the other three as
 * well. */
static void land_config(struct tensix *x, const struct tensix_landing *landing) {
    BH_ASSERT(landing->owner <= CONFIG_BOTH && landing->index + landing->size / 4u <= CONFIG_WORDS);
    for (unsigned i = landing->size / 4u; i-- > 0;) {
        config_store(x, landing->owner, landing->index + i, landing->value[i], landing->by_rmw);
        if (!landing->by_core)
            config_invalidate(x, landing->index + i, landing->value[i]);
    }
}

/* noinline: keeps spills out of the path of plain words. */
__attribute__((noinline)) static void land(struct tensix *x, const struct tensix_landing *landing) {
    switch (landing->where) {
    case TENSIX_LAND_GPR: land_gpr(x, landing); break;
    case TENSIX_LAND_STREAM: config_read_stream(x, landing); break;
    case TENSIX_LAND_ADC: adc_set_flop(x->adc[landing->owner], landing->index, landing->value[0]); break;
    case TENSIX_LAND_MISC: misc_land(x, landing); break;
    case TENSIX_LAND_BANKS: matrix_land_banks(x, landing); break;
    case TENSIX_LAND_CONFIG: land_config(x, landing); break;
    case TENSIX_LAND_VECTOR: vector_tick(x, landing->time); break;
    }
}

/* Most results are plain words of Config. A landing may queue another one for a later cycle. Not inlined: callers test
 * first whether anything lands. */
void turn_land(struct tensix *x, uint64_t now) {
    do {
        const struct tensix_landing *landing = tensix_landing_place(x, 0);
        BH_ASSERT(x->landings && landing->time == x->next_landing && landing->time <= now);
        x->landing_at = (x->landing_at + 1) % TENSIX_LANDINGS;
        x->landings--;
        if (landing->where == TENSIX_LAND_WORD)
            tensix_store_plain(x, landing->owner, landing->index, landing->value[0]);
        else
            land(x, landing);
        x->next_landing = x->landings ? tensix_landing_place(x, 0)->time : TENSIX_NEVER;
    } while (x->next_landing <= now);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

/* Wakes all waiting cores. Sets the alarm again for threads that cannot have room before a later cycle. */
static void ring(struct tensix *x) {
    uint64_t alarm = x->alarm;
    x->alarm = TENSIX_NEVER;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (x->thread[i].room_wanted && x->thread[i].room_at > alarm && x->thread[i].room_at != TENSIX_NEVER)
            tensix_alarm(x, x->thread[i].room_at);
    x->port->event(x->owner, tensix_clock(x, alarm), BH_ALL_CORES);
}

void turn_step_others(struct tensix *x, uint64_t now) {
    BH_ASSERT(clock_others_due(x) == now);
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

bool tensix_run(struct tensix *x, uint64_t until) {
    if (BH_UNLIKELY(x->loose)) {
        loose_run(x, until);
        clock_verify(x);
        return true;
    }
    if (x->time >= until || x->running)
        return true;
    x->running = true;
    x->until = until;
    for (;;) {
        uint64_t second, others = clock_others_due(x);
        unsigned thread = clock_first_due(x, &second);
        uint64_t now = x->thread[thread].due;
        BH_ASSERT(smaller(now, others) >= x->time);
        if (now >= x->until && others >= x->until)
            break;
        if (others <= now) {
            if (BH_UNLIKELY(x->counting)) {
                count_step(x, others);
                if (clock_others_due(x) != others) /* a landing has changed a due time */
                    continue;
            }
            turn_step_others(x, others);
            clock_verify_step(x, others);
            continue;
        }
        struct tensix_thread *t = &x->thread[thread];
        x->next_other_event = others < second ? others : second;
        clock_other_event(x, x->until);
        if (BH_UNLIKELY(x->counting))
            count_turn(x, thread, now);
        else if (BH_UNLIKELY(tensix_is_watched(x)))
            turn_take_watched(x, t, thread, now);
        else if (x->next_other_event <= now + 1)
            turn_contend(x, now);
        else
            turn_take(x, t, thread, now);
        clock_verify_step(x, now);
        if (x->next_other_event == x->until && t->due >= x->until) /* no other agent has become due meanwhile */
            break;
    }
    BH_ASSERT(x->until >= x->time && x->until <= until && !x->batch);
    if (BH_UNLIKELY(x->counting))
        count_to(x, x->until);
    turn_settle(x, x->until);
    x->time = x->until;
    x->running = false;
    clock_verify(x);
    return x->time >= until;
}

bool tensix_idle(struct tensix *x, unsigned thread, uint64_t now) {
    struct tensix_thread *t = &x->thread[thread];
    frontend_advance(&t->frontend, now);
    if (!frontend_empty(&t->frontend))
        return false;
    if (x->loose && t->idle_at != TENSIX_NEVER) /* in the core's own time, it has waited that long */
        loose_finish(x, now = t->idle_at);
    return t->idle_at <= now;
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
    line_fit(name, sizeof name, tensix_disasm(word, name, sizeof name));
    line_put(fault->text, sizeof fault->text, "T%u: %s (pushed at pc 0x%08x): ", thread, name, fault->pc);
    va_start(args, format);
    line_add_list(fault->text, sizeof fault->text, format, args);
    va_end(args);
    t->faulted = true;
    t->waits_on = WAIT_FAULT;
    t->due = TENSIX_NEVER;
    clock_end_handler_only(x, 0);
    x->port->fault(x->owner, fault);
    return TENSIX_NEVER;
}

/* Precondition: the struct is zero apart from its wiring. */
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
