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
    bool good = hazard_clock_raise(clock, step_of(t, HAZARD_CORE + core, tick));
    if (tick > HAZARD_LANDED) {
        good &= hazard_clock_raise(clock, step_of(t, HAZARD_L1_STORES + core, tick - HAZARD_LANDED));
        good &= hazard_clock_raise(clock, step_of(t, HAZARD_REG_STORES + core, tick - HAZARD_LANDED));
    }
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

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

/* Keeps what a core knows from now on. */
static void keep_version(struct hazard_tile *t, unsigned core) {
    struct hazard_core *c = &t->core[core];
    struct hazard_version *version = &c->version[c->versions++ % HAZARD_VERSIONS];
    version->from = c->tick;
    need(t, hazard_clock_copy(&version->clock, &c->clock));
}

void hazard_core_learns(struct hazard_tile *t, unsigned core, struct hazard_epoch epoch) {
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
    learn_core(t->all, &c->clock, t->number, core, c->tick);
    return &c->clock;
}

uint32_t hazard_core_step(struct hazard_tile *t, unsigned core, uint32_t pc, uint32_t word, uint64_t now) {
    t->pc = pc;
    t->word = word;
    t->now = now;
    t->core[core].retries = t->core[core].pc == pc;
    t->core[core].pc = pc;
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
    bool again = poll->pc == pc && poll->address == address && !c->retries;
    *poll = (struct hazard_poll){ pc, address };
    return again;
}

/* Returns the counter of a word; NULL if no atomic has changed it lately. */
static struct hazard_counter *find_counter(struct hazard_tile *t, uint32_t address) {
    for (unsigned i = 0; i < t->counters; i++)
        if (t->counter[i].used && t->counter[i].address == address)
            return &t->counter[i];
    return NULL;
}

/* Returns a new counter, if there is no room in the place of the one that is longest ago. */
static struct hazard_counter *new_counter(struct hazard_tile *t, uint32_t address) {
    struct hazard_counter *counter = &t->counter[t->counters < HAZARD_COUNTERS ? t->counters++ : 0];
    for (unsigned i = 0; i < t->counters; i++)
        if (t->counter[i].used < counter->used)
            counter = &t->counter[i];
    counter->address = address;
    counter->clock.count = 0;
    return counter;
}

void hazard_word_counted(struct hazard_tile *t, uint32_t address, struct hazard_epoch by) {
    struct hazard_counter *counter = find_counter(t, address);
    if (!counter)
        counter = new_counter(t, address);
    counter->used = ++t->counter_uses;
    hazard_learn(t->all, &counter->clock, by);
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
    const struct hazard_counter *counter = write->how == HAZARD_CHANGES ? find_counter(load->t, address & ~3u) : NULL;
    (void)size;
    if (write->epoch.tick && (write->small || load->polls))
        hazard_core_learns(load->t, load->core, write->epoch);
    if (counter)
        hazard_core_knows(load->t, load->core, &counter->clock);
}

void hazard_core_loads(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size) {
    struct hazard_core *c = &t->core[core];
    struct core_load load = { t, core, polls(c, t->pc, address) };
    struct hazard_who who = core_as(t, core, HAZARD_CORE);
    need(t, shadow_visit(&t->place[HAZARD_L1], address, size, load_cell, &load));
    if (c->fenced)
        hazard_core_learns(t, core, step_of(t, HAZARD_L1_STORES + core, c->last_store));
    who.retried = c->retries;
    hazard_compare(t, HAZARD_L1, address, size, HAZARD_READS, &who);
}

static void load_stale_cell(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct core_load *load = user;
    const struct hazard_who who = core_as(load->t, load->core, HAZARD_CORE);
    const struct hazard_access access = { .epoch = step_of(load->t, who.agent, who.tick),
                                          .pc = who.pc,
                                          .word = who.word,
                                          .cycle = load->t->now,
                                          .source = who.source,
                                          .stale = true };
    (void)size;
    if (cell->write.epoch.tick)
        hazard_found(load->t->all, load->t, HAZARD_L1, address, &cell->write, &access);
}

void hazard_core_loads_stale(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size) {
    struct core_load load = { t, core, false };
    need(t, shadow_visit(&t->place[HAZARD_L1], address, size, load_stale_cell, &load));
}

void hazard_core_stores(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value) {
    struct hazard_who who = core_as(t, core, HAZARD_L1_STORES);
    who.has_value = true;
    who.value = value;
    t->core[core].last_store = who.tick;
    t->core[core].fenced = false;
    struct hazard_counter *counter = find_counter(t, address & ~3u);
    if (counter)
        counter->used = 0; /* what counts from now on is new */
    hazard_compare(t, HAZARD_L1, address, size, HAZARD_WRITES, &who);
}

void hazard_core_fences(struct hazard_tile *t, unsigned core) {
    t->core[core].fenced = true;
}

void hazard_core_ends(struct hazard_tile *t, unsigned core) {
    struct hazard_who who = core_as(t, core, HAZARD_CORE);
    for (unsigned i = 0; i < 2 * HAZARD_NOC_AGENTS; i++) {
        const struct hazard_noc_state *state = &t->niu[i];
        const struct hazard_request *request = &state->request[state->tick % HAZARD_REQUESTS];
        unsigned agent = i % HAZARD_NOC_AGENTS;
        bool is_waited_for = agent == HAZARD_WRITE || agent >= HAZARD_ATOMIC;
        if (!state->tick || request->core != core || !is_waited_for || !request->answered ||
            hazard_clock_knows(&t->core[core].clock, step_of(t, HAZARD_NIU0 + i, state->tick)))
            continue;
        const struct hazard_access first = { .epoch = step_of(t, HAZARD_NIU0 + i, state->tick),
                                             .pc = request->pc,
                                             .word = request->word,
                                             .cycle = request->leaves,
                                             .how = HAZARD_WRITES,
                                             .source = (uint8_t)core };
        const struct hazard_access second = { .epoch = step_of(t, who.agent, who.tick),
                                              .pc = who.pc,
                                              .word = who.word,
                                              .cycle = t->now,
                                              .source = (uint8_t)core };
        hazard_found(t->all, t, HAZARD_AT_END, 0, &first, &second);
    }
}

/* An atomic waits for all stores, and comes back with its result. */
void hazard_core_changes(struct hazard_tile *t, unsigned core, uint32_t address) {
    hazard_core_fences(t, core);
    hazard_core_loads(t, core, address, SHADOW_WORD);
    hazard_core_stores(t, core, address, SHADOW_WORD, 0);
    hazard_core_learns(t, core, step_of(t, HAZARD_L1_STORES + core, t->core[core].tick));
}

void hazard_core_register(struct hazard_tile *t, unsigned core, enum hazard_place place, uint32_t address,
                          uint32_t size, bool writes, uint32_t value) {
    struct hazard_core *c = &t->core[core];
    struct hazard_who who = core_as(t, core, writes ? HAZARD_REG_STORES : HAZARD_CORE);
    who.has_value = writes;
    who.value = value;
    if (writes)
        c->last_register_store = c->tick;
    else
        hazard_core_learns(t, core, step_of(t, HAZARD_REG_STORES + core, c->last_register_store));
    hazard_compare(t, place, address, size, writes ? HAZARD_WRITES : HAZARD_READS, &who);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

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

void hazard_thread_latches(struct hazard_tile *t, unsigned thread) {
    struct hazard_thread *h = &t->thread[thread];
    memcpy(h->wait.done, h->done, sizeof h->done);
    memcpy(h->wait.unpacked, h->unpacked, sizeof h->unpacked);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        h->wait.stores[i] = hazard_clock_tick(&h->clock, t->number, HAZARD_CORE + i);
}

/* Raises what is known of a unit of the tile. */
static void raise_unit(struct hazard_tile *t, struct hazard_clock *clock, unsigned unit, uint32_t tick) {
    if (tick)
        need(t, hazard_clock_raise(clock, step_of(t, unit, tick)));
}

void hazard_thread_waited(struct hazard_tile *t, unsigned thread, unsigned unit) {
    struct hazard_thread *h = &t->thread[thread];
    raise_unit(t, &h->clock, unit, h->wait.done[unit - HAZARD_UNPACK0]);
    for (unsigned i = 0; unit == HAZARD_MATRIX && i < 2; i++)
        raise_unit(t, &h->clock, HAZARD_UNPACK0 + i, h->wait.unpacked[i]);
}

void hazard_thread_passed(struct hazard_tile *t, unsigned thread, unsigned unit) {
    struct hazard_thread *h = &t->thread[thread];
    raise_unit(t, &h->clock, unit, h->done[unit - HAZARD_UNPACK0]);
}

void hazard_thread_waited_for_stores(struct hazard_tile *t, unsigned thread) {
    struct hazard_thread *h = &t->thread[thread];
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        raise_unit(t, &h->clock, HAZARD_REG_STORES + i, h->wait.stores[i]);
}

void hazard_matrix_uses(struct hazard_tile *t, unsigned thread, int bank_a, int bank_b) {
    const int bank[2] = { bank_a, bank_b };
    for (unsigned i = 0; i < 2; i++)
        if (bank[i] >= 0 && t->bank_tick[i][bank[i]] > t->thread[thread].unpacked[i])
            t->thread[thread].unpacked[i] = t->bank_tick[i][bank[i]];
}

void hazard_unit_step(struct hazard_tile *t, unsigned thread, unsigned unit) {
    t->thread[thread].done[unit - HAZARD_UNPACK0] = ++t->unit_tick[unit - HAZARD_UNPACK0];
}

static struct hazard_who unit_as(struct hazard_tile *t, unsigned thread, unsigned unit) {
    return (struct hazard_who){ .tile = t,
                                .agent = (uint16_t)unit,
                                .tick = t->unit_tick[unit - HAZARD_UNPACK0],
                                .pc = t->pc,
                                .word = t->word,
                                .source = (uint8_t)(HAZARD_SOURCE_THREAD + thread),
                                .knows = &t->thread[thread].clock };
}

void hazard_unit_access(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                        uint32_t address, uint32_t size, enum hazard_how how) {
    struct hazard_who who = unit_as(t, thread, unit);
    hazard_compare(t, place, address, size, how, &who);
}

void hazard_unit_access_sometime(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                                 uint32_t address, uint32_t size, enum hazard_how how) {
    struct hazard_who who = unit_as(t, thread, unit);
    who.uncertain = true;
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
    const struct hazard_thread *h = &t->thread[thread];
    struct hazard_clock *all = &t->all->scratch;
    need(t, hazard_clock_copy(all, &h->clock));
    for (unsigned i = 0; i < HAZARD_UNITS; i++)
        raise_unit(t, all, HAZARD_UNPACK0 + i, h->done[i]);
    for (unsigned i = 0; i < 2; i++)
        raise_unit(t, all, HAZARD_UNPACK0 + i, h->unpacked[i]);
    hazard_core_knows(t, core, all);
}

/* ---- Semaphores and mailboxes ------------------------------------------------------------------------------------ */

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

/* Posts beyond the top and gets at zero do nothing. */
void hazard_semaphore_up(struct hazard_tile *t, unsigned semaphore, const struct hazard_clock *by) {
    struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->up.count < s->down.count + HAZARD_POSTS - 1)
        add_change(t, &s->up, by);
}

void hazard_semaphore_down(struct hazard_tile *t, unsigned semaphore, const struct hazard_clock *by) {
    struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->up.count > s->down.count)
        add_change(t, &s->down, by);
}

void hazard_semaphore_set(struct hazard_tile *t, unsigned semaphore, unsigned value, const struct hazard_clock *by) {
    struct hazard_semaphore *s = &t->semaphore[semaphore];
    s->up.count = s->down.count = 0;
    for (unsigned i = 0; i < value; i++)
        add_change(t, &s->up, by);
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

/* A value of at least `least` means so many more posts than gets, one of at most `most` so many gets. */
void hazard_core_saw_semaphore(struct hazard_tile *t, unsigned core, unsigned semaphore, unsigned least,
                               unsigned most) {
    const struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (least && s->up.count >= s->down.count + least)
        hazard_core_knows(t, core, change(&s->up, s->down.count + least - 1));
    if (s->down.count && s->up.count > most)
        hazard_core_knows(t, core, change(&s->down, s->up.count - most - 1));
}

void hazard_message_sent(struct hazard_tile *t, unsigned from, unsigned to) {
    add_change(t, &t->mailbox[to][from], hazard_core_clock(t, from));
}

void hazard_message_read(struct hazard_tile *t, unsigned from, unsigned to) {
    const struct hazard_changes *sent = &t->mailbox[to][from];
    if (sent->count > t->mailbox_read[to][from])
        hazard_core_knows(t, to, change(sent, t->mailbox_read[to][from]++));
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

void hazard_stream_written(struct hazard_tile *t, unsigned stream, const struct hazard_clock *by) {
    need(t, hazard_clock_join(&t->stream[stream], by));
}

void hazard_stream_requested(struct hazard_tile *t, unsigned stream, struct hazard_epoch by) {
    hazard_learn(t->all, &t->stream[stream], by);
}

void hazard_stream_read(struct hazard_tile *t, unsigned core, unsigned stream) {
    hazard_core_knows(t, core, &t->stream[stream]);
}
