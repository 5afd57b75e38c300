/* Tables of the state of the configuration and the Configuration Unit, for saving and hashing. */
#include "base/state_rows.h"
#include "tensix/config/config.h"
#include "tensix/state.h"

#define T struct config_pipe
static const struct state_member pipe_members[] = {
    SAVED(write_free),  SAVED(zero_free),     SAVED(read_free),
    SAVED(stream_gone), SAVED(stream_before), MOST(stream_thread, uint8_t, 3),
};
static const struct state_table pipe_state = STATE_TABLE("config_pipe", T, pipe_members);
#undef T

#define T struct config_request
static const struct state_member request_members[] = {
    SAVED(time),   MOST(offset, uint32_t, CONFIG_AT_END - 1),
    SAVED(value),  MOST(core, uint8_t, BH_CORE_COUNT - 1),
    SAVED(number), SAVED(resources),
};
static const struct state_table request_state = STATE_TABLE("config_request", T, request_members);
#undef T

#define T struct config
static const struct state_member config_members[] = {
    SAVED(version),
    SEEN_GRID(bank),
    SEEN_GRID(thread),
    INNER(pipe, pipe_state),
    SAVED(busy_until),
    INNER(request, request_state),
    MOST(requests, unsigned, CONFIG_REQUESTS),
    INNER(last, request_state),
    SAVED(request_due),
    SAVED(overlay_busy_until),
    SAVED(prng_seeds),
    SAVED(prng_seed),
    SAVED(context_count),
};

/* Checks loaded state: version 0 is reserved for "no plan" (plan.h). */
static bool is_possible(const void *block) {
    const struct config *config = block;
    return config->version != 0;
}

const struct state_table config_state = STATE_CHECKED_TABLE("config", T, config_members, is_possible);
#undef T
