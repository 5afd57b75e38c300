/* Vector clocks: what an agent knows to have happened before its next step.
 *
 * Agents are what acts by itself on a tile: cores, their stores on the way, threads, what each thread does in each unit
 * of the coprocessor and in its MOP expander, the command buffers of the NIUs, and their requests by kind. Each agent
 * counts its steps (ticks); those of a thread, of its work in units and of its expander are the words that have passed
 * its gate. A clock has a row for each tile of which its owner knows anything; the row holds the last tick of each of
 * that tile's agents which is known to be over. Requests that are known only because a later one on the same channel
 * has arrived are listed by channel: they say nothing of other channels.
 */
#ifndef HAZARD_CLOCK_H
#define HAZARD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"

enum { HAZARD_NOC_IDS = 16, HAZARD_COMMAND_BUFFERS = 4 };

/* The requests of a NIU. A write is two agents: reading its source is over when it has left, the rest when it is
 * acknowledged. Reads are apart by transaction id, as software waits for them by id. */
enum hazard_noc_agent {
    HAZARD_WRITE_SOURCE,
    HAZARD_WRITE,
    HAZARD_POSTED_SOURCE,
    HAZARD_POSTED,
    HAZARD_ATOMIC,
    HAZARD_READ,
    HAZARD_NOC_AGENTS = HAZARD_READ + HAZARD_NOC_IDS,
};

/* Units of the coprocessor. */
enum hazard_unit {
    HAZARD_UNPACK0,
    HAZARD_UNPACK1,
    HAZARD_PACK,
    HAZARD_MATRIX,
    HAZARD_VECTOR,
    HAZARD_SCALAR,  /* memory requests of the Scalar Unit */
    HAZARD_SETTING, /* SETDMAREG in the Scalar Unit */
    HAZARD_CONFIG,
    HAZARD_MOVER,
    HAZARD_UNITS
};

enum hazard_agent {
    HAZARD_CORE,                                              /* what a core does in program order */
    HAZARD_L1_STORES = HAZARD_CORE + BH_CORE_COUNT,           /* its stores to L1, on their way */
    HAZARD_GPR_STORES = HAZARD_L1_STORES + BH_CORE_COUNT,     /* its stores to GPRs, on their way */
    HAZARD_CONFIG_STORES = HAZARD_GPR_STORES + BH_CORE_COUNT, /* its stores to Config, another region, on their way */
    HAZARD_SEM_STORES = HAZARD_CONFIG_STORES +
                        BH_CORE_COUNT, /* its posts and gets of semaphores, on their way; before what it pushes later */
    HAZARD_THREAD = HAZARD_SEM_STORES + BH_CORE_COUNT,           /* words that have passed a thread's gate */
    HAZARD_MOP = HAZARD_THREAD + BH_THREADS,                     /* words that a thread's MOP expander has made */
    HAZARD_IN_UNIT = HAZARD_MOP + BH_THREADS,                    /* work of a thread in a unit: hazard_unit_agent */
    HAZARD_COMMAND = HAZARD_IN_UNIT + HAZARD_UNITS * BH_THREADS, /* a command buffer gives requests to its NIU */
    HAZARD_NIU0 = HAZARD_COMMAND + 2 * HAZARD_COMMAND_BUFFERS,
    HAZARD_NIU1 = HAZARD_NIU0 + HAZARD_NOC_AGENTS,
    HAZARD_AGENTS = HAZARD_NIU1 + HAZARD_NOC_AGENTS,
};

static inline unsigned hazard_unit_agent(unsigned unit, unsigned thread) {
    return HAZARD_IN_UNIT + unit * BH_THREADS + thread;
}
static inline bool hazard_is_in_unit(unsigned agent) {
    return agent >= HAZARD_IN_UNIT && agent < HAZARD_COMMAND;
}

static inline unsigned hazard_command_agent(unsigned noc, unsigned buffer) {
    return HAZARD_COMMAND + noc * HAZARD_COMMAND_BUFFERS + buffer;
}

static inline unsigned hazard_niu_agent(unsigned noc, unsigned agent) {
    return (noc ? HAZARD_NIU1 : HAZARD_NIU0) + agent;
}

/* One step of one agent. Tick 0: none. */
struct hazard_epoch {
    uint16_t tile;
    uint16_t agent;
    uint32_t tick;
};

enum { HAZARD_ROW_CHANNELS = 6 }; /* of a tile's NIUs that a row tells apart; the oldest counts for all channels then */

/* Requests of a channel that have arrived. */
struct hazard_arrived {
    uint32_t channel; /* 0: none */
    uint32_t tick[HAZARD_READ];
};

struct hazard_row {
    uint32_t tile;
    uint32_t tick[HAZARD_AGENTS];
    struct hazard_arrived arrived[HAZARD_ROW_CHANNELS]; /* the newest first */
};

struct hazard_clock {
    uint32_t count, room;
    struct hazard_row *row;
};

void hazard_clock_free(struct hazard_clock *clock);
/* Makes a clock know a step. Returns false if there is no memory. */
bool hazard_clock_raise(struct hazard_clock *clock, struct hazard_epoch epoch);
/* Makes a clock know requests of a NIU up to this step that are on this channel (0: on any). */
bool hazard_clock_raise_channel(struct hazard_clock *clock, struct hazard_epoch epoch, uint32_t channel);
/* Makes a clock know everything that another one knows. Returns false if there is no memory. */
bool hazard_clock_join(struct hazard_clock *clock, const struct hazard_clock *other);
/* The same, and forgets what it knew. */
bool hazard_clock_copy(struct hazard_clock *clock, const struct hazard_clock *other);
/* Returns whether the clock knows that the step is over. channel: of a request; 0: none. */
bool hazard_clock_knows(const struct hazard_clock *clock, struct hazard_epoch epoch, uint32_t channel);
/* Returns the last step of an agent that the clock knows; 0 if it knows none. */
uint32_t hazard_clock_tick(const struct hazard_clock *clock, unsigned tile, unsigned agent);
/* Returns whether a join would change the clock. */
bool hazard_clock_lacks(const struct hazard_clock *clock, const struct hazard_clock *other);

#endif
