/* Instructions of cores, and what orders them: see hazard.h. */
#include "hazard/search.h"

uint32_t hazard_core_step(struct hazard_tile *t, unsigned core, uint32_t pc, uint32_t word, uint64_t now) {
    t->pc = pc;
    t->word = word;
    t->now = now;
    t->core[core].retries = t->core[core].pc == pc;
    t->core[core].pc = pc;
    t->core[core].word = word;
    return ++t->core[core].tick;
}

/* Forgets what the program of a core has set in ThreadConfig, because the next one does not rely on it. BRISC may have
 * pushed words to any thread. */
static void forget_fields(struct hazard_tile *t, unsigned core) {
    for (unsigned thread = 0; thread < BH_THREADS; thread++)
        if (core == BH_BRISC || core == BH_TRISC0 + thread)
            hazard_forget_fields(t, thread);
}

void hazard_core_starts(struct hazard_tile *t, unsigned core, uint32_t pc) {
    struct hazard_core *c = &t->core[core];
    hazard_core_started(t, core, pc);
    forget_fields(t, core);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        uint32_t tick = t->core[i].tick;
        hazard_need(t, hazard_clock_join(&c->clock, &t->core[i].clock));
        hazard_need(t, hazard_clock_raise(&c->clock, hazard_step_of(t, HAZARD_CORE + i, tick)));
        hazard_need(t, hazard_clock_raise(&c->clock, hazard_step_of(t, HAZARD_L1_STORES + i, tick)));
        hazard_need(t, hazard_clock_raise(&c->clock, hazard_step_of(t, HAZARD_GPR_STORES + i, tick)));
        hazard_need(t, hazard_clock_raise(&c->clock, hazard_step_of(t, HAZARD_CONFIG_STORES + i, tick)));
        hazard_need(t, hazard_clock_raise(&c->clock, hazard_step_of(t, HAZARD_SEM_STORES + i, tick)));
    }
    for (unsigned thread = 0; thread < BH_THREADS; thread++) {
        hazard_need(t, hazard_clock_join(&c->clock, &t->thread[thread].clock));
        hazard_raise_all(t, &c->clock, thread, t->thread[thread].tick);
    }
    c->tick++;
    hazard_core_has_learned(t, core);
}

struct hazard_actor hazard_core_as(struct hazard_tile *t, unsigned core, unsigned agent) {
    return (struct hazard_actor){ .tile = t,
                                  .agent = (uint16_t)(agent + core),
                                  .tick = t->core[core].tick,
                                  .pc = t->pc,
                                  .word = t->word,
                                  .source = (uint8_t)core,
                                  .flags = true,
                                  .knows = &t->core[core].clock };
}

/* Returns whether this instruction loaded the same word when it was last executed: then the core polls. */
static bool polls(struct hazard_core *c, uint32_t pc, uint32_t address) {
    struct hazard_poll *poll = &c->poll[pc / 4 % HAZARD_POLLS];
    bool again = poll->pc == pc && poll->address == address && !c->retries;
    *poll = (struct hazard_poll){ pc, address };
    return again;
}

/* A load that is being reported. */
struct core_load {
    struct hazard_tile *t;
    unsigned core;
    bool polls;
};

/* A load orders the core after the write of a flag that it reads, and after the core's own store to the word. */
static void load_cell(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct core_load *load = user;
    const struct hazard_access *write = &cell->write;
    const struct hazard_counter *counter =
        write->how == HAZARD_CHANGES ? hazard_find_counter(load->t, address & ~3u) : NULL;
    (void)size;
    if (write->epoch.tick && (write->small || load->polls) &&
        (!load->t->kits || hazard_kit_orders(load->t, load->core, address)))
        hazard_core_learns(load->t, load->core, write->epoch);
    if (counter)
        hazard_core_knows(load->t, load->core, &counter->clock);
}

void hazard_core_loads(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size) {
    struct hazard_core *c = &t->core[core];
    struct core_load load = { t, core, polls(c, t->pc, address) };
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_CORE);
    hazard_need(t, shadow_visit(&t->shadow[HAZARD_L1], address, size, load_cell, &load));
    if (c->fenced)
        hazard_core_learns(t, core, hazard_step_of(t, HAZARD_L1_STORES + core, c->last_store));
    actor.retried = c->retries;
    actor.polls = load.polls;
    if (load.polls)
        hazard_note_write(t, HAZARD_L1, address, size); /* a core polls a flag: it is written, or will be */
    hazard_compare(t, HAZARD_L1, address, size, HAZARD_READS, &actor);
}

static void load_stale_cell(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct core_load *load = user;
    const struct hazard_actor actor = hazard_core_as(load->t, load->core, HAZARD_CORE);
    const struct hazard_access access = { .epoch = hazard_step_of(load->t, actor.agent, actor.tick),
                                          .pc = actor.pc,
                                          .word = actor.word,
                                          .cycle = load->t->now,
                                          .source = actor.source,
                                          .stale = true };
    (void)size;
    if (cell->write.epoch.tick)
        hazard_found(load->t->search, load->t, HAZARD_L1, address, &cell->write, &access);
}

void hazard_core_loads_stale(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size) {
    struct core_load load = { t, core, false };
    hazard_need(t, shadow_visit(&t->shadow[HAZARD_L1], address, size, load_stale_cell, &load));
}

/* How the program of a core ends. */
enum ending {
    ITSELF, /* the program ends by itself */
    NOTED,  /* firmware notes the end and starts the next kernel later: requests count as in time */
    STOPPED /* the core is put into reset: requests count as in time if they are over by now */
};

/* Reports the last request of each kind that the core has made and does not know to be over. */
static void end_requests(struct hazard_tile *t, unsigned core, enum ending ending) {
    const struct hazard_core *c = &t->core[core];
    for (unsigned i = 0; i < 2 * HAZARD_NOC_AGENTS; i++) {
        const struct hazard_noc_state *state = &t->niu[i];
        const struct hazard_request *request = &state->request[state->tick % HAZARD_REQUESTS];
        unsigned agent = i % HAZARD_NOC_AGENTS;
        bool is_waited_for = agent == HAZARD_WRITE || agent >= HAZARD_ATOMIC;
        if (!state->tick || request->core != core || !is_waited_for || !request->answered ||
            request->core_tick <= c->ended ||
            hazard_clock_knows(&c->clock, hazard_step_of(t, HAZARD_NIU0 + i, state->tick), 0))
            continue;
        const struct hazard_access first = { .epoch = hazard_step_of(t, HAZARD_NIU0 + i, state->tick),
                                             .pc = request->pc,
                                             .word = request->word,
                                             .cycle = request->leaves,
                                             .how = HAZARD_WRITES,
                                             .in_time = ending == NOTED || (ending == STOPPED && request->done),
                                             .source = (uint8_t)core };
        const struct hazard_access second = { .epoch = hazard_step_of(t, HAZARD_CORE + core, c->tick),
                                              .pc = c->pc,
                                              .word = c->word,
                                              .cycle = t->now,
                                              .source = (uint8_t)core };
        hazard_found(t->search, t, HAZARD_AT_END, 0, &first, &second);
    }
}

/* Records that the firmware of a TRISC has noted the end of a kernel, which it does after TTSync. */
static void note_kernel(struct hazard_tile *t, unsigned thread) {
    enum { ALL = (1 << BH_THREADS) - 1 };
    t->noted |= (uint8_t)(1u << thread);
    if (t->noted != ALL)
        return;
    hazard_forget_written(t);
    t->noted = 0;
}

static void end_core(struct hazard_tile *t, unsigned core, enum ending ending) {
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_CORE);
    end_requests(t, core, ending);
    if (core != BH_BRISC) /* whose kernel may end before those of the TRISCs */
        forget_fields(t, core);
    t->core[core].ended = t->core[core].tick;
    if (ending == NOTED && core >= BH_TRISC0 && core <= BH_TRISC2)
        note_kernel(t, core - BH_TRISC0);
    t->ended[core] = true;
    if (!t->ended[BH_TRISC0] || !t->ended[BH_TRISC1])
        return;
    if (t->thread[0].passed == t->thread[0].pushed && t->thread[1].passed == t->thread[1].pushed)
        hazard_banks_at_end(t, &actor); /* all pushed words have passed: the threads have ended, too */
    t->ended[BH_TRISC0] = t->ended[BH_TRISC1] = false;
}

void hazard_core_ends(struct hazard_tile *t, unsigned core) {
    end_core(t, core, ITSELF);
}

/* Known firmware notes the ends of its kernels in its mailbox. */
void hazard_core_stopped(struct hazard_tile *t, unsigned core, uint64_t now) {
    const struct hazard_core *c = &t->core[core];
    if (t->firmware || c->tick == c->ended)
        return;
    t->now = now;
    t->pc = c->pc;
    t->word = c->word;
    end_core(t, core, STOPPED);
}

/* Returns whether a byte that is stored is where the firmware of the tile notes the end of a kernel. */
static bool is_end_of_firmware(const struct bh_check_firmware *f, uint32_t address, uint8_t value) {
    enum { GO = 4, SIGNAL_AT = 3 }; /* size of a go message, and the offset of its signal */
    uint32_t in_go = address - f->go;
    return value == 0 && (address - f->sync < f->sync_count || (in_go < GO * f->go_count && in_go % GO == SIGNAL_AT));
}

static bool is_end_at(const struct hazard_tile *t, uint32_t address, uint8_t value) {
    const struct hazard_search *search = t->search;
    for (unsigned i = 0; i < search->ends; i++)
        if (address - search->end[i].address < search->end[i].size && value == search->end[i].value)
            return true;
    return t->firmware && is_end_of_firmware(t->firmware, address, value);
}

/* Returns whether a store notes the end of a kernel. */
static bool is_end(const struct hazard_tile *t, uint32_t address, uint32_t size, uint32_t value) {
    for (uint32_t i = 0; i < size && i < SHADOW_WORD; i++)
        if (is_end_at(t, address + i, (uint8_t)(value >> 8 * i)))
            return true;
    return false;
}

/* Returns whether L1 holds these bytes already. */
static bool is_there(const struct hazard_tile *t, uint32_t address, uint32_t size, uint32_t value) {
    if (!t->l1 || size > SHADOW_WORD || address + (uint64_t)size > t->shadow[HAZARD_L1].size)
        return false;
    for (uint32_t i = 0; i < size; i++)
        if (t->l1[address + i] != (uint8_t)(value >> 8 * i))
            return false;
    return true;
}

static void store(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size,
                  const struct hazard_actor *actor) {
    hazard_keep_version(t, core);
    t->core[core].last_store = actor->tick;
    t->core[core].fenced = false;
    struct hazard_counter *counter = hazard_find_counter(t, address & ~3u);
    if (counter)
        counter->used = 0; /* the store starts a new count */
    hazard_compare(t, HAZARD_L1, address, size, HAZARD_WRITES, actor);
}

void hazard_core_stored(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value) {
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_L1_STORES);
    actor.has_value = true;
    actor.value = value;
    store(t, core, address, size, &actor);
}

void hazard_core_stores(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value) {
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_L1_STORES);
    actor.has_value = true;
    actor.value = value;
    actor.changes_nothing = is_there(t, address, size, value);
    store(t, core, address, size, &actor);
    if (t->kits)
        hazard_kit_stored(t, core, address, value);
    if ((t->search->ends || t->firmware) && is_end(t, address, size, value))
        end_core(t, core, NOTED);
}

void hazard_core_fences(struct hazard_tile *t, unsigned core) {
    t->core[core].fenced = true;
}

/* An atomic of a core waits for all its stores, and the core waits for the result. */
void hazard_core_changes(struct hazard_tile *t, unsigned core, uint32_t address) {
    const struct hazard_actor actor = hazard_core_as(t, core, HAZARD_L1_STORES);
    hazard_core_fences(t, core);
    hazard_core_loads(t, core, address, SHADOW_WORD);
    store(t, core, address, SHADOW_WORD, &actor);
    hazard_core_learns(t, core, hazard_step_of(t, HAZARD_L1_STORES + core, t->core[core].tick));
}

void hazard_core_register(struct hazard_tile *t, unsigned core, enum hazard_memory memory, uint32_t address,
                          uint32_t size, bool writes, uint32_t value) {
    struct hazard_core *c = &t->core[core];
    const bool gpr = memory == HAZARD_GPR;
    const unsigned stores = gpr ? HAZARD_GPR_STORES : HAZARD_CONFIG_STORES;
    uint32_t *last = gpr ? &c->last_gpr_store : &c->last_config_store;
    struct hazard_actor actor = hazard_core_as(t, core, writes ? stores : HAZARD_CORE);
    actor.has_value = writes;
    actor.value = value;
    if (writes) {
        hazard_keep_version(t, core);
        *last = c->tick;
    } else
        hazard_core_learns(t, core, hazard_step_of(t, stores + core, *last));
    hazard_compare(t, memory, address, size, writes ? HAZARD_WRITES : HAZARD_READS, &actor);
}

/* Stores to the MOP expander stay in order with pushes, so they are not in flight for the words that follow. */
void hazard_core_sets_mop(struct hazard_tile *t, unsigned core, unsigned thread) {
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_CORE);
    hazard_compare(t, HAZARD_MOP_REGISTERS, SHADOW_LINE * thread, SHADOW_LINE, HAZARD_WRITES, &actor);
}

void hazard_core_awaited_mop(struct hazard_tile *t, unsigned core, unsigned thread) {
    struct hazard_epoch last = hazard_step_of(t, HAZARD_MOP + thread, t->thread[thread].tick);
    t->thread[thread].expanded = t->thread[thread].pushed;
    if (last.tick)
        hazard_core_learns(t, core, last);
}
