/* What agents know, and how they learn from one another: see hazard.h. */
#include "base/order.h"
#include "hazard/search.h"

void hazard_need(struct hazard_tile *t, bool had_memory) {
    if (!had_memory)
        hazard_no_memory(t->search);
}

struct hazard_epoch hazard_step_of(const struct hazard_tile *t, unsigned agent, uint32_t tick) {
    return (struct hazard_epoch){ t->number, (uint16_t)agent, tick };
}

/* Returned by version_at: the core knew nothing; what the core knows now, which is not a version yet. */
static const uint32_t NOTHING = 0, NEWEST = UINT32_MAX;

/* Returns the number of the version that a core had at this tick. If that version has been dropped, returns the oldest
 * one, which knows more. */
static uint32_t version_at(const struct hazard_core *c, uint32_t tick) {
    uint32_t kept = (uint32_t)smaller(c->versions, HAZARD_VERSIONS);
    if (c->is_new && c->new_from <= tick)
        return NEWEST;
    for (uint32_t i = 0; i < kept; i++)
        if (c->version[(c->versions - 1 - i) % HAZARD_VERSIONS].from <= tick || i == HAZARD_VERSIONS - 1)
            return c->versions - i;
    return NOTHING;
}

static const struct hazard_clock *clock_of(const struct hazard_core *c, uint32_t version) {
    return version == NEWEST ? &c->clock : &c->version[(version - 1) % HAZARD_VERSIONS].clock;
}

/* Makes a clock know the instructions of a core up to this tick, and the stores that must have landed by then. */
static void raise_core(struct hazard_tile *t, struct hazard_clock *clock, unsigned core, uint32_t tick) {
    bool good = hazard_clock_raise(clock, hazard_step_of(t, HAZARD_CORE + core, tick));
    if (tick > HAZARD_LANDED) {
        good &= hazard_clock_raise(clock, hazard_step_of(t, HAZARD_L1_STORES + core, tick - HAZARD_LANDED));
        good &= hazard_clock_raise(clock, hazard_step_of(t, HAZARD_GPR_STORES + core, tick - HAZARD_LANDED));
        good &= hazard_clock_raise(clock, hazard_step_of(t, HAZARD_CONFIG_STORES + core, tick - HAZARD_LANDED));
        good &= hazard_clock_raise(clock, hazard_step_of(t, HAZARD_SEM_STORES + core, tick - HAZARD_LANDED));
    }
    hazard_need(t, good);
}

/* Makes a clock know the instructions of a core up to this tick, and what the core knew then. */
static void learn_core(struct hazard_tile *t, struct hazard_clock *clock, unsigned core, uint32_t tick) {
    const struct hazard_core *c = &t->core[core];
    uint32_t version = version_at(c, tick);
    raise_core(t, clock, core, tick);
    if (version != NOTHING && clock_of(c, version) != clock)
        hazard_need(t, hazard_clock_join(clock, clock_of(c, version)));
}

void hazard_thread_learns_core(struct hazard_tile *t, unsigned thread, unsigned core, uint32_t tick) {
    struct hazard_thread *h = &t->thread[thread];
    const struct hazard_core *c = &t->core[core];
    uint32_t version = version_at(c, tick);
    raise_core(t, &h->clock, core, tick);
    if (version == NOTHING || (version != NEWEST && h->learned[core] == version))
        return;
    hazard_need(t, hazard_clock_join(&h->clock, clock_of(c, version)));
    h->learned[core] = version;
}

/* Makes a clock know that a request has arrived, and with it the earlier requests on its channel. */
static void learn_request(struct hazard_tile *t, struct hazard_clock *clock, struct hazard_epoch epoch) {
    unsigned index = epoch.agent - HAZARD_NIU0, noc = index / HAZARD_NOC_AGENTS;
    const struct hazard_request *request = &t->niu[index].request[epoch.tick % HAZARD_REQUESTS];
    bool forgotten = request->tick != epoch.tick; /* the ring has dropped the request */
    hazard_need(t, hazard_clock_raise_channel(clock, epoch, forgotten ? 0 : request->channel));
    for (unsigned i = 0; !forgotten && i < HAZARD_READ; i++)
        if (request->before[i])
            hazard_need(t, hazard_clock_raise_channel(clock,
                                                      hazard_step_of(t, hazard_niu_agent(noc, i), request->before[i]),
                                                      request->channel));
    if (!forgotten && request->core < BH_CORE_COUNT)
        learn_core(t, clock, request->core, request->core_tick);
}

void hazard_learn(struct hazard_search *search, struct hazard_clock *clock, struct hazard_epoch epoch) {
    struct hazard_tile *t = hazard_tile_of(search, epoch.tile);
    if (epoch.agent >= HAZARD_NIU0) {
        learn_request(t, clock, epoch);
        return;
    }
    hazard_need(t, hazard_clock_raise(clock, epoch));
    if (epoch.agent < HAZARD_THREAD)
        learn_core(t, clock, epoch.agent % BH_CORE_COUNT, epoch.tick);
}

void hazard_keep_version(struct hazard_tile *t, unsigned core) {
    struct hazard_core *c = &t->core[core];
    if (!c->is_new)
        return;
    struct hazard_version *version = &c->version[c->versions++ % HAZARD_VERSIONS];
    version->from = c->new_from;
    c->is_new = false;
    hazard_need(t, hazard_clock_copy(&version->clock, &c->clock));
}

void hazard_core_has_learned(struct hazard_tile *t, unsigned core) {
    struct hazard_core *c = &t->core[core];
    c->is_new = true;
    c->new_from = c->tick;
}

void hazard_core_learns(struct hazard_tile *t, unsigned core, struct hazard_epoch epoch) {
    struct hazard_core *c = &t->core[core];
    if (hazard_clock_knows(&c->clock, epoch, 0))
        return;
    hazard_learn(t->search, &c->clock, epoch);
    hazard_core_has_learned(t, core);
}

void hazard_core_knows(struct hazard_tile *t, unsigned core, const struct hazard_clock *more) {
    struct hazard_core *c = &t->core[core];
    if (!hazard_clock_lacks(&c->clock, more))
        return;
    hazard_need(t, hazard_clock_join(&c->clock, more));
    hazard_core_has_learned(t, core);
}

struct hazard_clock *hazard_core_clock(struct hazard_tile *t, unsigned core) {
    struct hazard_core *c = &t->core[core];
    learn_core(t, &c->clock, core, c->tick);
    return &c->clock;
}
