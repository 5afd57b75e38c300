/* Requests of NIUs, and what orders them: see hazard.h. */
#include "hazard/search.h"

static struct hazard_noc_state *state_of(struct hazard_tile *t, unsigned noc, unsigned agent) {
    return &t->niu[noc * HAZARD_NOC_AGENTS + agent];
}

/* Returns the entry of a channel. A new entry replaces that of another channel with the same hash. */
static struct hazard_channel *channel_of(struct hazard_tile *t, uint32_t key) {
    struct hazard_channel *channel = &t->channel[key * 2654435761u >> 26];
    _Static_assert(HAZARD_CHANNELS == 1 << 6, "the hash has six bits");
    if (channel->key != key)
        *channel = (struct hazard_channel){ .key = key };
    return channel;
}

uint32_t hazard_request_begins(struct hazard_tile *t, const struct hazard_request_made *made) {
    struct hazard_noc_state *state = state_of(t, made->noc, made->agent);
    uint32_t tick = ++state->tick;
    struct hazard_request *request = &state->request[tick % HAZARD_REQUESTS];
    *request = (struct hazard_request){ .tick = tick,
                                        .leaves = made->leaves,
                                        .pc = t->pc,
                                        .word = t->word,
                                        .answered = made->answered,
                                        .channel = made->channel,
                                        .core = made->core };
    if (made->core < BH_CORE_COUNT) {
        hazard_keep_version(t, made->core);
        request->core_tick = t->core[made->core].tick;
    }
    if (made->ordered && made->agent < HAZARD_READ) {
        struct hazard_channel *channel = channel_of(t, made->channel);
        for (unsigned i = 0; i < HAZARD_READ; i++)
            request->before[i] = channel->tick[i];
        channel->tick[made->agent] = tick;
    }
    return tick;
}

void hazard_request_has_source(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick, uint32_t source) {
    struct hazard_request *request = &state_of(t, noc, agent)->request[tick % HAZARD_REQUESTS];
    unsigned reader = agent == HAZARD_WRITE ? HAZARD_WRITE_SOURCE : HAZARD_POSTED_SOURCE;
    struct hazard_channel *channel = channel_of(t, request->channel);
    request->before[reader] = source;
    if (channel->tick[agent] == tick)
        channel->tick[reader] = source; /* later requests on the channel come after the read of the source, too */
}

void hazard_request_leaves(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick, unsigned receivers) {
    struct hazard_request *request = &state_of(t, noc, agent)->request[tick % HAZARD_REQUESTS];
    if (request->tick == tick)
        request->receivers = (uint16_t)receivers;
}

void hazard_request_ends(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick) {
    struct hazard_noc_state *state = state_of(t, noc, agent);
    struct hazard_request *request = &state->request[tick % HAZARD_REQUESTS];
    if (request->tick == tick && request->receivers > 1)
        request->receivers--;
    else if (request->tick == tick)
        request->done = true;
    for (uint32_t next = state->done + 1; next <= state->tick; next++) {
        request = &state->request[next % HAZARD_REQUESTS];
        if (request->tick == next && !request->done)
            break;
        state->done = next;
    }
}

/* Makes a core know that the requests of an agent up to this one are over. */
static void core_counted(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent, uint32_t tick) {
    struct hazard_epoch step = hazard_step_of(t, hazard_niu_agent(noc, agent), tick);
    if (!tick || hazard_clock_knows(&t->core[core].clock, step, 0))
        return;
    hazard_need(t, hazard_clock_raise(&t->core[core].clock, step)); /* on all channels */
    hazard_learn(t->search, &t->core[core].clock, step);
    hazard_core_has_learned(t, core);
}

void hazard_core_counted(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent) {
    core_counted(t, core, noc, agent, state_of(t, noc, agent)->done);
}

void hazard_core_counted_left(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent) {
    const struct hazard_noc_state *state = state_of(t, noc, agent);
    uint32_t left = state->tick;
    while (left && state->request[left % HAZARD_REQUESTS].tick == left &&
           state->request[left % HAZARD_REQUESTS].leaves > t->now)
        left--;
    core_counted(t, core, noc, agent, left);
}

/* Returns a request as the agent of an access. */
static struct hazard_actor request_as(const struct hazard_tile *sender, unsigned noc, unsigned agent, uint32_t tick) {
    const struct hazard_request *request =
        &sender->niu[noc * HAZARD_NOC_AGENTS + agent].request[tick % HAZARD_REQUESTS];
    return (struct hazard_actor){ .tile = sender,
                                  .agent = (uint16_t)hazard_niu_agent(noc, agent),
                                  .tick = tick,
                                  .pc = request->pc,
                                  .word = request->word,
                                  .begun = request->leaves,
                                  .source = request->core,
                                  .channel = request->channel,
                                  .flags = agent == HAZARD_WRITE || agent == HAZARD_POSTED || agent == HAZARD_ATOMIC };
}

void hazard_request_access(struct hazard_tile *t, struct hazard_tile *sender, unsigned noc, unsigned agent,
                           uint32_t tick, uint32_t address, uint32_t size, enum hazard_how how) {
    struct hazard_search *search = t->search;
    struct hazard_actor actor = request_as(sender, noc, agent, tick);
    actor.knows = &search->scratch;
    search->scratch.count = 0;
    hazard_learn(search, &search->scratch, (struct hazard_epoch){ sender->number, actor.agent, tick });
    hazard_compare(t, HAZARD_L1, address, size, how, &actor);
}

/* ---- Command buffers --------------------------------------------------------------------------------------------- */

void hazard_command_given(struct hazard_tile *t, unsigned noc, unsigned buffer, unsigned agent, uint32_t tick,
                          uint32_t source) {
    struct hazard_command *command = &t->command[noc][buffer];
    const struct hazard_actor actor = request_as(t, noc, agent, tick);
    unsigned reader = agent == HAZARD_WRITE ? HAZARD_WRITE_SOURCE : HAZARD_POSTED_SOURCE;
    command->tick++;
    command->taken = hazard_access_of(t, HAZARD_READS, &actor);
    command->source = hazard_step_of(t, hazard_niu_agent(noc, reader), source);
}

void hazard_core_saw_command_taken(struct hazard_tile *t, unsigned core, unsigned noc, unsigned buffer) {
    uint32_t tick = t->command[noc][buffer].tick;
    if (tick)
        hazard_core_learns(t, core, hazard_step_of(t, hazard_command_agent(noc, buffer), tick));
}

/* A core that knows that a request has left, or is over, knows that the NIU has taken it. If a core changes several
 * registers of a busy buffer, only the first one is reported. */
void hazard_core_sets_command(struct hazard_tile *t, unsigned core, unsigned noc, unsigned buffer) {
    struct hazard_command *command = &t->command[noc][buffer];
    const struct hazard_epoch taken = hazard_step_of(t, hazard_command_agent(noc, buffer), command->tick);
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_CORE);
    actor.knows = hazard_core_clock(t, core);
    if (hazard_clock_knows(actor.knows, taken, 0) ||
        (command->source.tick && hazard_clock_knows(actor.knows, command->source, 0)))
        return;
    hazard_compare_with(t, HAZARD_COMMANDS, SHADOW_WORD * (noc * HAZARD_COMMAND_BUFFERS + buffer), &command->taken,
                        HAZARD_WRITES, &actor);
    command->taken.epoch.tick = 0;
}
