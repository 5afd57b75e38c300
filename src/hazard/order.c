/* What orders cores, threads and units of a tile: see hazard.h. */
#include <string.h>

#include "base/order.h"
#include "hazard/hazards.h"

static void need(struct hazard_tile *t, bool had_memory) {
    if (!had_memory)
        hazard_no_memory(t->all);
}

static struct hazard_epoch step_of(const struct hazard_tile *t, unsigned agent, uint32_t tick) {
    return (struct hazard_epoch){ t->number, (uint16_t)agent, tick };
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

/* Keeps what a core knows from now on. */
static void keep_version(struct hazard_tile *t, unsigned core) {
    struct hazard_core *c = &t->core[core];
    struct hazard_version *version = &c->version[c->versions++ % HAZARD_VERSIONS];
    version->from = c->tick;
    need(t, hazard_clock_copy(&version->clock, &c->clock));
}

static void core_learns(struct hazard_tile *t, unsigned core, struct hazard_epoch epoch) {
    struct hazard_core *c = &t->core[core];
    if (hazard_clock_knows(&c->clock, epoch))
        return;
    hazard_learn(t->all, &c->clock, epoch);
    keep_version(t, core);
}

void hazard_core_knows(struct hazard_tile *t, unsigned core, const struct hazard_clock *more) {
    struct hazard_core *c = &t->core[core];
    if (!hazard_clock_lacks(&c->clock, more))
        return;
    need(t, hazard_clock_join(&c->clock, more));
    keep_version(t, core);
}

struct hazard_clock *hazard_core_clock(struct hazard_tile *t, unsigned core) {
    struct hazard_core *c = &t->core[core];
    need(t, hazard_clock_raise(&c->clock, step_of(t, HAZARD_CORE + core, c->tick)));
    return &c->clock;
}

uint32_t hazard_core_step(struct hazard_tile *t, unsigned core, uint32_t pc, uint32_t word, uint64_t now) {
    t->pc = pc;
    t->word = word;
    t->now = now;
    return ++t->core[core].tick;
}

void hazard_core_starts(struct hazard_tile *t, unsigned core) {
    struct hazard_core *c = &t->core[core];
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        uint32_t tick = t->core[i].tick;
        need(t, hazard_clock_join(&c->clock, &t->core[i].clock));
        need(t, hazard_clock_raise(&c->clock, step_of(t, HAZARD_CORE + i, tick)));
        need(t, hazard_clock_raise(&c->clock, step_of(t, HAZARD_L1_STORES + i, tick)));
        need(t, hazard_clock_raise(&c->clock, step_of(t, HAZARD_REG_STORES + i, tick)));
    }
    for (unsigned i = 0; i < BH_THREADS; i++)
        need(t, hazard_clock_join(&c->clock, &t->thread[i].clock));
    for (unsigned i = 0; i < HAZARD_UNITS; i++)
        need(t, hazard_clock_raise(&c->clock, step_of(t, HAZARD_UNPACK0 + i, t->unit_tick[i])));
    c->tick++;
    keep_version(t, core);
}

static struct hazard_who core_as(struct hazard_tile *t, unsigned core, unsigned agent) {
    return (struct hazard_who){ .tile = t,
                                .agent = (uint16_t)(agent + core),
                                .tick = t->core[core].tick,
                                .pc = t->pc,
                                .word = t->word,
                                .source = (uint8_t)core,
                                .flags = true,
                                .knows = &t->core[core].clock };
}

/* Returns whether the core has loaded this word with this instruction last time too: it polls. */
static bool polls(struct hazard_core *c, uint32_t pc, uint32_t address) {
    struct hazard_poll *poll = &c->poll[pc / 4 % HAZARD_POLLS];
    bool again = poll->pc == pc && poll->address == address;
    *poll = (struct hazard_poll){ pc, address };
    return again;
}

/* The load that is being reported. */
struct core_load {
    struct hazard_tile *t;
    unsigned core;
    bool polls;
};

/* A load orders the core after a flag that it reads, and after its own store to the word. */
static void load_cell(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct core_load *load = user;
    const struct hazard_access *write = &cell->write;
    (void)address, (void)size;
    if (write->epoch.tick && (write->small || load->polls))
        core_learns(load->t, load->core, write->epoch);
}

void hazard_core_loads(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size) {
    struct hazard_core *c = &t->core[core];
    struct core_load load = { t, core, polls(c, t->pc, address) };
    struct hazard_who who = core_as(t, core, HAZARD_CORE);
    need(t, shadow_visit(&t->place[HAZARD_L1], address, size, load_cell, &load));
    if (c->fenced)
        core_learns(t, core, step_of(t, HAZARD_L1_STORES + core, c->last_store));
    hazard_compare(t, HAZARD_L1, address, size, HAZARD_READS, &who);
}

void hazard_core_stores(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size) {
    struct hazard_who who = core_as(t, core, HAZARD_L1_STORES);
    t->core[core].last_store = who.tick;
    t->core[core].fenced = false;
    hazard_compare(t, HAZARD_L1, address, size, HAZARD_WRITES, &who);
}

void hazard_core_fences(struct hazard_tile *t, unsigned core) {
    t->core[core].fenced = true;
}

/* An atomic waits for all stores, and comes back with its result. */
void hazard_core_changes(struct hazard_tile *t, unsigned core, uint32_t address) {
    hazard_core_fences(t, core);
    hazard_core_loads(t, core, address, SHADOW_WORD);
    hazard_core_stores(t, core, address, SHADOW_WORD);
    core_learns(t, core, step_of(t, HAZARD_L1_STORES + core, t->core[core].tick));
}

void hazard_core_register(struct hazard_tile *t, unsigned core, enum hazard_place place, uint32_t address,
                          uint32_t size, bool writes) {
    struct hazard_core *c = &t->core[core];
    struct hazard_who who = core_as(t, core, writes ? HAZARD_REG_STORES : HAZARD_CORE);
    if (writes)
        c->last_register_store = c->tick;
    else
        core_learns(t, core, step_of(t, HAZARD_REG_STORES + core, c->last_register_store));
    hazard_compare(t, place, address, size, writes ? HAZARD_WRITES : HAZARD_READS, &who);
}

/* ---- Learning ---------------------------------------------------------------------------------------------------- */

static void learn_core(struct hazards *all, struct hazard_clock *clock, unsigned tile, unsigned core, uint32_t tick) {
    const struct hazard_tile *t = hazard_tile_of(all, tile);
    const struct hazard_core *c = &t->core[core];
    unsigned kept = (unsigned)smaller(c->versions, HAZARD_VERSIONS);
    const struct hazard_version *found = NULL;
    for (unsigned i = 1; i <= kept; i++) {
        found = &c->version[(c->versions - i) % HAZARD_VERSIONS];
        if (found->from <= tick)
            break;
        if (i == kept && kept < HAZARD_VERSIONS)
            found = NULL; /* the core knew nothing yet */
    }
    bool good =
        hazard_clock_raise(clock, (struct hazard_epoch){ (uint16_t)tile, (uint16_t)(HAZARD_CORE + core), tick });
    if (!good || (found && !hazard_clock_join(clock, &found->clock)))
        hazard_no_memory(all);
}

static void learn_request(struct hazards *all, struct hazard_clock *clock, struct hazard_epoch epoch) {
    const struct hazard_tile *t = hazard_tile_of(all, epoch.tile);
    unsigned index = epoch.agent - HAZARD_NIU0, noc = index / HAZARD_NOC_AGENTS;
    const struct hazard_request *request = &t->niu[index].request[epoch.tick % HAZARD_REQUESTS];
    if (request->tick != epoch.tick)
        return; /* too long ago */
    for (unsigned i = 0; i < HAZARD_READ; i++)
        if (request->before[i] && !hazard_clock_raise(clock, step_of(t, hazard_niu_agent(noc, i), request->before[i])))
            hazard_no_memory(all);
    if (request->core < BH_CORE_COUNT)
        learn_core(all, clock, epoch.tile, request->core, request->core_tick);
}

void hazard_learn(struct hazards *all, struct hazard_clock *clock, struct hazard_epoch epoch) {
    if (!hazard_clock_raise(clock, epoch))
        hazard_no_memory(all);
    if (epoch.agent < HAZARD_THREAD)
        learn_core(all, clock, epoch.tile, epoch.agent % BH_CORE_COUNT, epoch.tick);
    else if (epoch.agent >= HAZARD_NIU0)
        learn_request(all, clock, epoch);
}

/* ---- Threads ------------------------------------------------------------------------------------------------------
 */

void hazard_pushes(struct hazard_tile *t, unsigned core, unsigned thread, unsigned count, uint32_t pc) {
    struct hazard_thread *h = &t->thread[thread];
    for (unsigned i = 0; i < count; i++)
        h->word[h->pushed++ % HAZARD_PUSHED] =
            (struct hazard_word){ .pc = pc + 4 * i, .tick = t->core[core].tick, .core = (uint8_t)core };
}

void hazard_pushed(struct hazard_tile *t, unsigned thread, unsigned count, unsigned pushed) {
    t->thread[thread].pushed -= count - pushed;
}

void hazard_thread_step(struct hazard_tile *t, unsigned thread, uint32_t pc, uint32_t word, uint64_t now, bool ends) {
    struct hazard_thread *h = &t->thread[thread];
    t->pc = pc;
    t->word = word;
    t->now = now;
    if (h->pushed - h->passed > HAZARD_PUSHED)
        h->passed = h->pushed - HAZARD_PUSHED;
    for (uint64_t at = h->passed; at < h->pushed; at++) {
        const struct hazard_word *from = &h->word[at % HAZARD_PUSHED];
        if (from->pc != pc)
            continue; /* nothing of it has come to the gate */
        learn_core(t->all, &h->clock, t->number, from->core, from->tick);
        h->passed = at + ends;
        break;
    }
}

struct hazard_clock *hazard_thread_clock(struct hazard_tile *t, unsigned thread) {
    return &t->thread[thread].clock;
}

void hazard_thread_waited(struct hazard_tile *t, unsigned thread, unsigned unit) {
    struct hazard_thread *h = &t->thread[thread];
    uint32_t tick = h->done[unit - HAZARD_UNPACK0];
    if (tick)
        need(t, hazard_clock_raise(&h->clock, step_of(t, unit, tick)));
}

void hazard_thread_waited_for_all(struct hazard_tile *t, unsigned thread, unsigned unit) {
    uint32_t tick = t->unit_tick[unit - HAZARD_UNPACK0];
    if (tick)
        need(t, hazard_clock_raise(&t->thread[thread].clock, step_of(t, unit, tick)));
}

void hazard_thread_waited_for_stores(struct hazard_tile *t, unsigned thread) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (t->core[i].last_register_store)
            need(t, hazard_clock_raise(&t->thread[thread].clock,
                                       step_of(t, HAZARD_REG_STORES + i, t->core[i].last_register_store)));
}

void hazard_unit_step(struct hazard_tile *t, unsigned thread, unsigned unit) {
    t->thread[thread].done[unit - HAZARD_UNPACK0] = ++t->unit_tick[unit - HAZARD_UNPACK0];
}

void hazard_unit_access(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                        uint32_t address, uint32_t size, enum hazard_how how) {
    struct hazard_who who = { .tile = t,
                              .agent = (uint16_t)unit,
                              .tick = t->unit_tick[unit - HAZARD_UNPACK0],
                              .pc = t->pc,
                              .word = t->word,
                              .source = (uint8_t)(HAZARD_SOURCE_THREAD + thread),
                              .knows = &t->thread[thread].clock };
    hazard_compare(t, place, address, size, how, &who);
}

void hazard_thread_access(struct hazard_tile *t, unsigned thread, enum hazard_place place, uint32_t address,
                          uint32_t size, enum hazard_how how) {
    struct hazard_thread *h = &t->thread[thread];
    struct hazard_who who = { .tile = t,
                              .agent = (uint16_t)(HAZARD_THREAD + thread),
                              .tick = ++h->tick,
                              .pc = t->pc,
                              .word = t->word,
                              .source = (uint8_t)(HAZARD_SOURCE_THREAD + thread),
                              .knows = &h->clock };
    need(t, hazard_clock_raise(&h->clock, step_of(t, who.agent, who.tick)));
    hazard_compare(t, place, address, size, how, &who);
}

void hazard_core_synced(struct hazard_tile *t, unsigned core, unsigned thread) {
    struct hazard_thread *h = &t->thread[thread];
    for (unsigned i = 0; i < HAZARD_UNITS; i++)
        hazard_thread_waited(t, thread, HAZARD_UNPACK0 + i);
    hazard_core_knows(t, core, &h->clock);
}

/* ---- Semaphores and mailboxes
 * ---------------------------------------------------------------------------------------- */

static const struct hazard_clock *change(const struct hazard_changes *changes, uint64_t index) {
    uint64_t oldest = changes->count > HAZARD_POSTS ? changes->count - HAZARD_POSTS : 0;
    index = smaller(later(index, oldest), changes->count - 1);
    return &changes->clock[index % HAZARD_POSTS];
}

/* Each change knows what the ones before it knew. */
static void add_change(struct hazard_tile *t, struct hazard_changes *changes, const struct hazard_clock *by) {
    struct hazard_clock *clock = &changes->clock[changes->count % HAZARD_POSTS];
    clock->count = 0;
    if (changes->count)
        need(t, hazard_clock_join(clock, change(changes, changes->count - 1)));
    need(t, hazard_clock_join(clock, by));
    changes->count++;
}

void hazard_semaphore_up(struct hazard_tile *t, unsigned semaphore, const struct hazard_clock *by) {
    add_change(t, &t->semaphore[semaphore].up, by);
}

void hazard_semaphore_down(struct hazard_tile *t, unsigned semaphore, const struct hazard_clock *by) {
    add_change(t, &t->semaphore[semaphore].down, by);
}

void hazard_semaphore_not_zero(struct hazard_tile *t, unsigned semaphore, struct hazard_clock *who) {
    const struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->up.count)
        need(t, hazard_clock_join(who, change(&s->up, s->down.count)));
}

void hazard_semaphore_not_full(struct hazard_tile *t, unsigned semaphore, unsigned max, struct hazard_clock *who) {
    const struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->down.count && s->up.count >= max)
        need(t, hazard_clock_join(who, change(&s->down, s->up.count - max)));
}

void hazard_core_knows_semaphore(struct hazard_tile *t, unsigned core, unsigned semaphore) {
    const struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->up.count)
        hazard_core_knows(t, core, change(&s->up, s->up.count - 1));
    if (s->down.count)
        hazard_core_knows(t, core, change(&s->down, s->down.count - 1));
}

void hazard_message_sent(struct hazard_tile *t, unsigned from, unsigned to) {
    add_change(t, &t->mailbox[to][from], hazard_core_clock(t, from));
}

void hazard_message_read(struct hazard_tile *t, unsigned from, unsigned to) {
    const struct hazard_changes *sent = &t->mailbox[to][from];
    if (sent->count > t->mailbox_read[to][from])
        hazard_core_knows(t, to, change(sent, t->mailbox_read[to][from]++));
}

/* ---- Streams --------------------------------------------------------------------------------------------------------
 */

void hazard_stream_written(struct hazard_tile *t, unsigned stream, const struct hazard_clock *by) {
    need(t, hazard_clock_join(&t->stream[stream], by));
}

void hazard_stream_requested(struct hazard_tile *t, unsigned stream, struct hazard_epoch by) {
    hazard_learn(t->all, &t->stream[stream], by);
}

void hazard_stream_read(struct hazard_tile *t, unsigned core, unsigned stream) {
    hazard_core_knows(t, core, &t->stream[stream]);
}
