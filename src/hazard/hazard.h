/* Hazards: accesses of which at least one writes, and which nothing orders.
 *
 * Blocks report what they do, in the order in which the emulator does it: steps of agents, what orders them, and
 * accesses. Whether two accesses are ordered does not depend on the cycles in which they happened, only on what the
 * agents know of each other (clock.h). So a hazard is found although this run had a good schedule.
 *
 * Agents:
 * - A core knows what it has done itself. Its stores are on their way until it loads the word back. They stay in order
 *   among themselves (L1 and registers apart).
 * - A thread knows what the core knew when it pushed the word that passes. What a word does in a unit is over for the
 *   thread when it has waited for the unit.
 * - A request of a NIU knows what the core knew that sent it, and is over for cores that have seen the counter.
 *
 * One chip is checked by one host thread at a time: nothing here locks.
 */
#ifndef HAZARD_HAZARD_H
#define HAZARD_HAZARD_H

#include <stddef.h>

#include "hazard/shadow.h"

enum {
    HAZARD_VERSIONS = 64,  /* states of what a core knew that are kept */
    HAZARD_REQUESTS = 256, /* requests of an agent of a NIU that are kept */
    HAZARD_PUSHED = 4096,  /* words of a thread that have not passed */
    HAZARD_SEMAPHORES = 8,
    HAZARD_POSTS = 16,    /* changes of a semaphore in one direction that are kept */
    HAZARD_CHANNELS = 64, /* receivers of a tile's NIUs whose order is kept */
    HAZARD_POLLS = 8,     /* loads of a core that may be polling */
    HAZARD_LANDED = 1024, /* a store has landed when its core has executed so many instructions more: assumed */
    HAZARD_SOURCE_THREAD = BH_CORE_COUNT, /* hazard_access.source of thread 0 */
    HAZARD_GPRS = 64,                     /* of a thread */
    HAZARD_CONFIG_WORDS = 256,
    HAZARD_DST_ROWS = 1024,
    HAZARD_STREAMS = 64,
    HAZARD_COUNTERS = 64, /* words of L1 that atomics count */
};

/* Memories in which accesses are compared. Addresses are in bytes. Everything but L1 has four bytes for each element: a
 * GPR, a row of Dst, a bit of Config. */
enum hazard_place {
    HAZARD_L1,
    HAZARD_GPR,
    HAZARD_CONFIG_BANKS,
    HAZARD_DST,
    HAZARD_PLACES,
    HAZARD_AT_END = HAZARD_PLACES
};

/* What a core knew, from this tick of the core on. */
struct hazard_version {
    uint32_t from;
    struct hazard_clock clock;
};

struct hazard_core {
    uint32_t tick;
    uint32_t pc;         /* of the last instruction */
    bool retries;        /* which is being tried again */
    bool fenced;         /* stores so far have left the core: the next load of L1 comes after them */
    uint32_t last_store; /* tick of the last store to L1 */
    uint32_t last_register_store;
    struct hazard_clock clock;
    unsigned versions; /* so far; a ring */
    struct hazard_version version[HAZARD_VERSIONS];
    struct hazard_poll {
        uint32_t pc, address;
    } poll[HAZARD_POLLS];
};

struct hazard_word {
    uint32_t pc;
    uint32_t tick; /* of the core */
    uint8_t core;
};

/* Changes of a semaphore in one direction: what was known after each. */
struct hazard_changes {
    uint64_t count;
    struct hazard_clock clock[HAZARD_POSTS];
};

struct hazard_semaphore {
    struct hazard_changes up, down;
};

/* What is over when a wait is met that a thread latches now: what the thread has done in the units before, and stores
 * of cores that it knows to have been made. */
struct hazard_wait {
    uint8_t opcode; /* 0: none is latched */
    uint8_t semaphores;
    uint16_t block, condition;
    uint32_t done[HAZARD_UNITS], unpacked[2];
    uint32_t stores[BH_CORE_COUNT];
};

struct hazard_thread {
    struct hazard_clock clock;
    uint32_t tick;
    struct hazard_wait wait;
    bool after_config;           /* the last word was one of the Configuration Unit */
    uint64_t pushed, passed;     /* words so far; `word` is a ring */
    uint32_t done[HAZARD_UNITS]; /* the thread's last tick in each unit */
    uint32_t unpacked[2];        /* what its last instruction in the Matrix Unit knows of the unpackers */
    struct hazard_word word[HAZARD_PUSHED];
};

/* A request of a NIU, from its command to its completion. */
struct hazard_request {
    uint32_t tick;
    uint32_t core_tick;
    uint64_t leaves;   /* cycle in which it begins to leave */
    uint32_t pc, word; /* of the instruction that made it */
    bool done;
    bool answered;                /* a response comes back */
    uint8_t core;                 /* BH_CORE_COUNT: none */
    uint32_t before[HAZARD_READ]; /* requests that stay before it on its way to the same receiver, by agent */
};

struct hazard_noc_state {
    uint32_t tick, done; /* all requests up to `done` are over */
    struct hazard_request request[HAZARD_REQUESTS];
};

/* The last requests of a NIU on a virtual channel to a receiver, by agent. */
struct hazard_channel {
    uint32_t key; /* 0: free */
    uint32_t tick[HAZARD_READ];
};

/* A word of L1 that atomics have changed: whoever reads it comes after all of them. */
struct hazard_counter {
    uint32_t address;
    uint32_t used; /* order of use; 0: free */
    struct hazard_clock clock;
};

struct hazards;

struct hazard_tile {
    struct hazards *all;
    uint16_t number;
    struct bh_xy xy;
    uint64_t now; /* the cycle, instruction and pc of what is being reported */
    uint32_t pc, word;
    struct hazard_core core[BH_CORE_COUNT];
    struct hazard_thread thread[BH_THREADS];
    uint32_t unit_tick[HAZARD_UNITS];
    uint32_t job_tick[2][4];  /* of the unpackers' jobs, by their places in the queues */
    uint32_t bank_tick[2][2]; /* [file][bank]: the unpacker's tick that has handed the bank over */
    struct hazard_semaphore semaphore[HAZARD_SEMAPHORES];
    struct hazard_changes mailbox[BH_CORE_COUNT][BH_CORE_COUNT]; /* [receiver][sender]: messages sent */
    uint64_t mailbox_read[BH_CORE_COUNT][BH_CORE_COUNT];
    struct hazard_counter counter[HAZARD_COUNTERS];
    uint32_t counters, counter_uses;
    struct hazard_clock stream[HAZARD_STREAMS]; /* known to whoever reads a register of the stream */
    uint32_t pack_address;                      /* where the packer goes on in L1 */
    struct hazard_noc_state niu[2 * HAZARD_NOC_AGENTS];
    struct hazard_channel channel[HAZARD_CHANNELS];
    struct shadow place[HAZARD_PLACES];
};

/* Returns the hazards of a chip with this many tiles; NULL without memory. */
struct hazards *hazards_make(unsigned tiles);
void hazards_free(struct hazards *all);
/* Returns the state of a tile, which is made when it is first asked for; NULL without memory. */
struct hazard_tile *hazards_tile(struct hazards *all, unsigned number, struct bh_xy xy, uint32_t l1_size);
/* Returns how many causes have been found, one of them, and whether something went unchecked for lack of memory. */
size_t hazards_count(const struct hazards *all);
const struct bh_hazard *hazards_at(const struct hazards *all, size_t index);
bool hazards_incomplete(const struct hazards *all);

/* ---- Cores (order.c) ------------------------------------------------------------------------------------- */

/* A core begins an instruction. Returns its tick. */
uint32_t hazard_core_step(struct hazard_tile *t, unsigned core, uint32_t pc, uint32_t word, uint64_t now);
/* A core starts: it knows everything that has happened on the tile. */
void hazard_core_starts(struct hazard_tile *t, unsigned core);
/* A core accesses L1. */
void hazard_core_loads(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size);
void hazard_core_stores(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value);
void hazard_core_changes(struct hazard_tile *t, unsigned core, uint32_t address);
/* A load hits a line of the core's own cache, which differs from L1. */
void hazard_core_loads_stale(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size);
void hazard_core_fences(struct hazard_tile *t, unsigned core);
/* A core's program ends: its requests should be over, and the core should know. */
void hazard_core_ends(struct hazard_tile *t, unsigned core);
/* A core accesses registers of the coprocessor. */
void hazard_core_register(struct hazard_tile *t, unsigned core, enum hazard_place place, uint32_t address,
                          uint32_t size, bool writes, uint32_t value);

/* Where a GPR of a thread, and a bit of a word of Config, are in their memories. */
static inline uint32_t hazard_gpr(unsigned thread, unsigned index) {
    return SHADOW_WORD * (thread * HAZARD_GPRS + index % HAZARD_GPRS);
}
static inline uint32_t hazard_config(unsigned bank, unsigned word, unsigned bit) {
    return SHADOW_WORD * ((bank * HAZARD_CONFIG_WORDS + word % HAZARD_CONFIG_WORDS) * 32 + bit);
}

/* ---- Threads (order.c) ------------------------------------------------------------------------------------- */

/* A core is about to push words; `pushed` of `count` words went in. */
void hazard_pushes(struct hazard_tile *t, unsigned core, unsigned thread, unsigned count, uint32_t pc);
void hazard_pushed(struct hazard_tile *t, unsigned thread, unsigned count, unsigned pushed);
/* A word of a thread passes its gate; `ends`: it is the last of what the core has pushed with it. */
void hazard_thread_step(struct hazard_tile *t, unsigned thread, uint32_t pc, uint32_t word, uint64_t now, bool ends);
/* The thread latches a wait: notes what it will know when the wait is met. */
void hazard_thread_latches(struct hazard_tile *t, unsigned thread);
/* The latched wait is met: the thread knows that its instructions in a unit are over, or that stores of cores to
 * registers are. */
void hazard_thread_waited(struct hazard_tile *t, unsigned thread, unsigned unit);
void hazard_thread_waited_for_stores(struct hazard_tile *t, unsigned thread);
/* Enough instructions have passed for what the thread has done in a unit to be over. */
void hazard_thread_passed(struct hazard_tile *t, unsigned thread, unsigned unit);
/* The word that passes does something in a unit: accesses that follow are the unit's. */
void hazard_unit_step(struct hazard_tile *t, unsigned thread, unsigned unit);
void hazard_unit_access(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                        uint32_t address, uint32_t size, enum hazard_how how);
/* The same, at a time that no document has. */
void hazard_unit_access_sometime(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                                 uint32_t address, uint32_t size, enum hazard_how how);
/* The Matrix Unit uses banks of Src (-1: none), which come after what their unpackers did. */
void hazard_matrix_uses(struct hazard_tile *t, unsigned thread, int bank_a, int bank_b);
/* The word itself accesses something when it passes. */
void hazard_thread_access(struct hazard_tile *t, unsigned thread, enum hazard_place place, uint32_t address,
                          uint32_t size, enum hazard_how how);

/* ---- Semaphores and mailboxes (order.c) ----------------------------------------------------------------------- */

/* What a core or a thread knows. */
struct hazard_clock *hazard_core_clock(struct hazard_tile *t, unsigned core);
struct hazard_clock *hazard_thread_clock(struct hazard_tile *t, unsigned thread);
/* A semaphore goes up or down, by an agent that knows this. */
void hazard_semaphore_up(struct hazard_tile *t, unsigned semaphore, const struct hazard_clock *by);
void hazard_semaphore_down(struct hazard_tile *t, unsigned semaphore, const struct hazard_clock *by);
/* A thread or core has seen that a semaphore is not zero, or not at its maximum. */
void hazard_semaphore_not_zero(struct hazard_tile *t, unsigned semaphore, struct hazard_clock *who);
void hazard_semaphore_not_full(struct hazard_tile *t, unsigned semaphore, unsigned max, struct hazard_clock *who);
void hazard_core_knows(struct hazard_tile *t, unsigned core, const struct hazard_clock *more);
/* A core has read a semaphore and goes on with any value from `least` to `most`. */
void hazard_core_saw_semaphore(struct hazard_tile *t, unsigned core, unsigned semaphore, unsigned least, unsigned most);
/* A semaphore gets a new value. */
void hazard_semaphore_set(struct hazard_tile *t, unsigned semaphore, unsigned value, const struct hazard_clock *by);
void hazard_message_sent(struct hazard_tile *t, unsigned from, unsigned to);
void hazard_message_read(struct hazard_tile *t, unsigned from, unsigned to);

/* A register of a stream is written by an agent that knows this, or by a request; a core reads one. */
void hazard_stream_written(struct hazard_tile *t, unsigned stream, const struct hazard_clock *by);
void hazard_stream_requested(struct hazard_tile *t, unsigned stream, struct hazard_epoch by);
void hazard_stream_read(struct hazard_tile *t, unsigned core, unsigned stream);
/* An atomic of a request changes a word of L1. */
void hazard_word_counted(struct hazard_tile *t, uint32_t address, struct hazard_epoch by);
/* A core has waited until a thread and its units were idle (TTSync). */
void hazard_core_synced(struct hazard_tile *t, unsigned core, unsigned thread);
/* Somebody outside of the tile's order, like the host, has accessed L1: what was before is forgotten. */
void hazard_forget(struct hazard_tile *t, uint32_t address, uint32_t size);

/* ---- NoC (noc.c) --------------------------------------------------------------------------------------------- */

/* A request as hazards see it. */
struct hazard_request_made {
    uint8_t noc, core; /* BH_CORE_COUNT: not a core */
    uint8_t agent;     /* enum hazard_noc_agent */
    bool answered;     /* a response comes back */
    uint32_t channel;  /* virtual channel and receiver; 0: no order is kept */
    uint64_t leaves;
};

/* A request is made. Returns its tick. */
uint32_t hazard_request_begins(struct hazard_tile *t, const struct hazard_request_made *made);
/* The reading of a write's source is a request of its own, which is over when the write arrives. */
void hazard_request_has_source(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick, uint32_t source);
/* A request is over for its sender. */
void hazard_request_ends(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick);
/* A core has read a counter that shows which requests of an agent are over, or have left by now. */
void hazard_core_counted(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent);
void hazard_core_counted_left(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent);
/* A request of `sender` accesses L1 of a tile. */
void hazard_request_access(struct hazard_tile *t, struct hazard_tile *sender, unsigned noc, unsigned agent,
                           uint32_t tick, uint32_t address, uint32_t size, enum hazard_how how);

/* ---- Inside ------------------------------------------------------------------------------------------------------ */

struct hazard_who {
    const struct hazard_tile *tile; /* of the agent */
    uint16_t agent;
    uint32_t tick;
    uint32_t pc, word; /* of the instruction */
    uint64_t begun;    /* of a request: cycle in which it began to leave */
    uint8_t source;    /* hazard_access.source */
    bool flags;        /* an access of up to a word may be one of a flag */
    bool retried;      /* by an instruction that is tried again */
    bool uncertain;    /* no document says when the access is made */
    bool has_value;    /* of a write */
    uint32_t value;
    const struct hazard_clock *knows;
};

/* Compares an access with those before it and keeps it. */
void hazard_compare(struct hazard_tile *t, enum hazard_place place, uint32_t address, uint32_t size,
                    enum hazard_how how, const struct hazard_who *who);
/* Makes a core know a step, and what was known there. */
void hazard_core_learns(struct hazard_tile *t, unsigned core, struct hazard_epoch epoch);
/* Makes a clock know a step of a core or of a NIU, and what was known there. */
void hazard_learn(struct hazards *all, struct hazard_clock *clock, struct hazard_epoch epoch);
void hazard_no_memory(struct hazards *all);
struct hazard_tile *hazard_tile_of(const struct hazards *all, unsigned number);
/* Adds a hazard, or counts it if its cause is known (report.c). */
void hazard_found(struct hazards *all, struct hazard_tile *t, enum hazard_place place, uint32_t address,
                  const struct hazard_access *first, const struct hazard_access *second);

#endif
