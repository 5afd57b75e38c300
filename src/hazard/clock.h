/* Vector clocks: what an agent knows to have happened before its next step.
 *
 * An agent is anything that acts independently on a tile: a core; its stores in flight, by destination; a thread; the
 * work of a thread in one unit of the coprocessor or in its MOP expander; a command buffer of a NIU; the requests of a
 * NIU, by kind. Each agent counts its steps in ticks. The ticks of a thread, of its work in units and of its expander
 * count the words that have passed its gate. A clock has a row for each tile of which its owner knows anything. For
 * each agent of the tile the row holds the last tick that is known to be over. Requests that are known only because a
 * later one on the same channel has arrived are listed by channel, because their arrival says nothing about other
 * channels.
 */
#ifndef HAZARD_CLOCK_H
#define HAZARD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"

enum { HAZARD_NOC_IDS = 16, HAZARD_COMMAND_BUFFERS = 4 };

/* The requests of a NIU. A write is two agents: the read of its source is over when the write has left, the rest when
 * the write is acknowledged. Each transaction id of reads is an agent, because software waits for reads by id. */
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
    HAZARD_SCALAR,  /* requests of the Scalar Unit to memory */
    HAZARD_SETTING, /* SETDMAREG, also in the Scalar Unit */
    HAZARD_CONFIG,
    HAZARD_MOVER,
    HAZARD_UNITS
};

enum hazard_agent {
    HAZARD_CORE,                                              /* a core, in program order */
    HAZARD_L1_STORES = HAZARD_CORE + BH_CORE_COUNT,           /* its stores to L1 in flight */
    HAZARD_GPR_STORES = HAZARD_L1_STORES + BH_CORE_COUNT,     /* its stores to GPRs in flight */
    HAZARD_CONFIG_STORES = HAZARD_GPR_STORES + BH_CORE_COUNT, /* its stores to Config in flight */
    HAZARD_SEM_STORES = HAZARD_CONFIG_STORES +
                        BH_CORE_COUNT, /* its posts and gets of semaphores in flight; words pushed later come after */
    HAZARD_THREAD = HAZARD_SEM_STORES + BH_CORE_COUNT,           /* words that have passed a thread's gate */
    HAZARD_MOP = HAZARD_THREAD + BH_THREADS,                     /* words that a thread's MOP expander has made */
    HAZARD_IN_UNIT = HAZARD_MOP + BH_THREADS,                    /* the work of a thread in a unit: hazard_unit_agent */
    HAZARD_COMMAND = HAZARD_IN_UNIT + HAZARD_UNITS * BH_THREADS, /* a command buffer, which gives requests to its NIU */
    HAZARD_NIU0 = HAZARD_COMMAND + 2 * HAZARD_COMMAND_BUFFERS,
    HAZARD_NIU1 = HAZARD_NIU0 + HAZARD_NOC_AGENTS,
    HAZARD_AGENTS = HAZARD_NIU1 + HAZARD_NOC_AGENTS,
};

/* Return the agent that is the work of a thread in a unit, and whether an agent is such work. */
static inline unsigned hazard_unit_agent(unsigned unit, unsigned thread) {
    return HAZARD_IN_UNIT + unit * BH_THREADS + thread;
}
static inline bool hazard_is_in_unit(unsigned agent) {
    return agent >= HAZARD_IN_UNIT && agent < HAZARD_COMMAND;
}

/* Returns the agent that is a command buffer of a NIU. */
static inline unsigned hazard_command_agent(unsigned noc, unsigned buffer) {
    return HAZARD_COMMAND + noc * HAZARD_COMMAND_BUFFERS + buffer;
}

/* Returns the agent that is a kind of requests (enum hazard_noc_agent) of a NIU. */
static inline unsigned hazard_niu_agent(unsigned noc, unsigned agent) {
    return (noc ? HAZARD_NIU1 : HAZARD_NIU0) + agent;
}

/* One step of one agent. Tick 0 means no step. */
struct hazard_epoch {
    uint16_t tile;
    uint16_t agent;
    uint32_t tick;
};

enum { HAZARD_ROW_CHANNELS = 6 }; /* channels that a row keeps apart; a dropped one counts for all channels */

/* The last requests that have arrived on one channel, by agent. */
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

/* Frees the rows of a clock, which knows nothing then. */
void hazard_clock_free(struct hazard_clock *clock);
/* Makes a clock know a step. Returns false if there is no memory. */
bool hazard_clock_raise(struct hazard_clock *clock, struct hazard_epoch epoch);
/* Makes a clock know the requests of a NIU up to this step on one channel (0: on all). Returns false if there is no
 * memory. */
bool hazard_clock_raise_channel(struct hazard_clock *clock, struct hazard_epoch epoch, uint32_t channel);
/* Makes a clock know everything that another clock knows. Returns false if there is no memory. */
bool hazard_clock_join(struct hazard_clock *clock, const struct hazard_clock *other);
/* Replaces what a clock knows by what another clock knows. Returns false if there is no memory. */
bool hazard_clock_copy(struct hazard_clock *clock, const struct hazard_clock *other);
/* Returns whether the clock knows that the step is over. channel: the channel if the step is a request; 0 otherwise. */
bool hazard_clock_knows(const struct hazard_clock *clock, struct hazard_epoch epoch, uint32_t channel);
/* Returns the last step of an agent that the clock knows; 0 if it knows none. */
uint32_t hazard_clock_tick(const struct hazard_clock *clock, unsigned tile, unsigned agent);
/* Returns whether a join with the other clock would change the clock. */
bool hazard_clock_lacks(const struct hazard_clock *clock, const struct hazard_clock *other);

#endif
