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
 *   thread when it has waited for the unit. A unit works in the order in which words are issued: an access of another
 *   thread in the same unit comes later if its thread knows that the first word has passed.
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
    HAZARD_MUTEXES = 8,
    HAZARD_SLOTS = 32,    /* words of a replay buffer */
    HAZARD_JOBS = 4,      /* instructions in an unpacker */
    HAZARD_POSTS = 16,    /* changes of a semaphore in one direction that are kept */
    HAZARD_CHANNELS = 64, /* receivers of a tile's NIUs whose order is kept */
    HAZARD_POLLS = 64,    /* loads of a core that may be polling */
    HAZARD_LANDED = 1024, /* a store has landed when its core has executed so many instructions more: assumed */
    HAZARD_SOURCE_THREAD = BH_CORE_COUNT, /* hazard_access.source of thread 0 */
    HAZARD_NOBODY = HAZARD_SOURCE_THREAD + BH_THREADS,
    HAZARD_GPRS = 64, /* of a thread */
    HAZARD_CONFIG_WORDS = 256,
    HAZARD_DST_ROWS = 1024,
    HAZARD_GENERAL_LREGS = 8,
    HAZARD_LANE_FLAGS = 17, /* counts as an LReg behind the last */
    HAZARD_LREGS,
    HAZARD_STREAMS = 64,
    HAZARD_COUNTERS = 64, /* words of L1 that atomics count */
    HAZARD_FIRMWARES = 8, /* that a check may be told of */
    HAZARD_CBS = 64,      /* circular buffers that firmware describes */
    HAZARD_KIT_CBS = 32,  /* and those of a program's own */
    HAZARD_BUFFERS = HAZARD_CBS + HAZARD_KIT_CBS,
    HAZARD_CREDITS = 16, /* changes of a count of pages that are kept */
};

/* Memories in which accesses are compared. Addresses are in bytes. Everything but L1 has four bytes for each element: a
 * GPR, a row of Dst, a bit of Config, a bank of Src (hazard_src), an LReg. The registers of a thread's MOP expander are
 * a line.
 */
enum hazard_place {
    HAZARD_L1,
    HAZARD_GPR,
    HAZARD_CONFIG_BANKS,
    HAZARD_DST,
    HAZARD_SRC,
    HAZARD_MOP_REGISTERS,
    HAZARD_LREG,
    HAZARD_PLACES,
    HAZARD_SEMAPHORE = HAZARD_PLACES, /* the following have no shadow */
    HAZARD_REPLAY,
    HAZARD_AT_END,
    HAZARD_CB_SHARED,  /* circular buffers: who counts, */
    HAZARD_CB_COUNT,   /* in which order, */
    HAZARD_CB_PAGE,    /* pages that are given back, */
    HAZARD_CB_OVERLAP, /* bytes that two of them have */
    HAZARD_COMMANDS    /* registers of command buffers */
};

/* Registers of a stream that software uses for different things: those that count the pages of a circular buffer, and
 * all. */
enum hazard_stream_part {
    HAZARD_STREAM_TAKEN, /* pages */
    HAZARD_STREAM_PUT_IN,
    HAZARD_STREAM_ANY,
    HAZARD_STREAM_PARTS
};

/* What a core knew, from this tick of the core on. */
struct hazard_version {
    uint32_t from;
    struct hazard_clock clock;
};

struct hazard_core {
    uint32_t tick;
    uint32_t pc, word;   /* of the last instruction */
    uint32_t ended;      /* tick at the last end of a kernel or program */
    bool retries;        /* which is being tried again */
    bool fenced;         /* stores so far have left the core: the next load of L1 comes after them */
    uint32_t last_store; /* tick of the last store to L1 */
    uint32_t last_gpr_store, last_config_store, last_semaphore_store;
    struct hazard_clock clock;
    bool is_new;       /* what the core knows since `new_from` is not among its versions */
    uint32_t new_from; /* tick */
    uint32_t versions; /* so far; a ring */
    struct hazard_version version[HAZARD_VERSIONS];
    struct hazard_poll {
        uint32_t pc, address;
    } poll[HAZARD_POLLS];
};

struct hazard_word {
    uint32_t pc, word;
    uint32_t tick; /* of the core */
    uint8_t core;
};

/* Changes of a semaphore in one direction, and what was known after each; or messages of a mailbox. */
struct hazard_changes {
    uint64_t count;
    struct hazard_clock clock[HAZARD_POSTS];
    struct hazard_access access[HAZARD_POSTS];
};

struct hazard_semaphore {
    struct hazard_changes up, down;
    struct hazard_access set;         /* the last SEMINIT */
    struct hazard_access get_at_zero; /* the last get that did nothing */
};

/* A word of a replay buffer. */
struct hazard_slot {
    uint32_t recording;        /* number of the recording that has written it; 0: none */
    uint32_t over;             /* number of the recording that was there before */
    struct hazard_access made; /* the REPLAY that began the recording */
};

struct hazard_replay {
    uint32_t recordings;
    uint8_t at, left; /* words that are still to be recorded */
    struct hazard_slot slot[HAZARD_SLOTS];
};

/* What is over when a wait is met that a thread latches now: what the thread has done in the units before, and stores
 * of cores that it knows to have been made. */
struct hazard_wait {
    uint8_t opcode; /* 0: none is latched */
    uint8_t semaphores;
    uint16_t block, condition;
    uint32_t done[HAZARD_UNITS][BH_THREADS];
    uint32_t passed[BH_THREADS]; /* words of each thread that are known to have passed */
    bool sees_bank[2];           /* by file: no earlier instruction may still switch banks behind the wait */
    uint32_t stores[BH_CORE_COUNT];
};

struct hazard_thread {
    struct hazard_clock clock;
    uint32_t tick;                   /* words that have passed */
    uint32_t learned[BH_CORE_COUNT]; /* the last version of what each core knew that the thread has learned */
    struct hazard_wait wait;
    bool after_config;       /* the last word was one of the Configuration Unit */
    bool after_setting;      /* the last word was a SETDMAREG */
    uint64_t pushed, passed; /* words so far; `word` is a ring */
    uint64_t expanded;       /* words that are known to be behind the MOP expander */
    /* Steps of each thread that are over when the thread's last instruction in a unit is. */
    uint32_t done[HAZARD_UNITS][BH_THREADS];
    /* By file: its last instruction that switched the Matrix Unit to the other bank, and whether an instruction since
     * then has waited for the bank. */
    uint32_t switched[2];
    bool has_bank[2];
    struct hazard_replay replay;
    struct hazard_word word[HAZARD_PUSHED];
};

/* An instruction in an unpacker. */
struct hazard_job {
    uint32_t pc, word, tick;
    uint8_t thread;
    uint32_t done[BH_THREADS];   /* steps in the unpacker that are over when it ends */
    uint32_t matrix[BH_THREADS]; /* steps in the Matrix Unit that are known to be over when it begins */
    struct hazard_clock knows;   /* what the thread knew when it issued it */
};

/* A request of a NIU, from its command to its completion. */
struct hazard_request {
    uint32_t tick;
    uint32_t core_tick;
    uint64_t leaves;   /* cycle in which it begins to leave */
    uint32_t pc, word; /* of the instruction that made it */
    bool done;
    bool answered;      /* a response comes back */
    uint8_t core;       /* BH_CORE_COUNT: none */
    uint16_t receivers; /* of which each answers; 0: one */
    uint32_t channel;
    uint32_t before[HAZARD_READ]; /* requests that stay before it on its way to the same receiver, by agent */
};

/* The last request of a command buffer. */
struct hazard_command {
    uint32_t tick;              /* requests of the buffer so far */
    struct hazard_access taken; /* the NIU reads the registers */
    struct hazard_epoch source; /* the reading of a write's source; tick 0: it has none */
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

/* A circular buffer as it is described at present. */
struct hazard_buffer {
    uint32_t address, page_bytes, pages;
};

/* What has been put into a circular buffer, or taken out of it: how many pages so far, and who changed the count. */
struct hazard_credit {
    int64_t count;
    struct hazard_access access;
};

struct hazard_credits {
    bool known; /* the count is */
    int64_t count;
    uint8_t cores;    /* that have changed it, by bits */
    uint32_t changes; /* a ring */
    struct hazard_credit change[HAZARD_CREDITS];
    struct hazard_credit early; /* one that came before what it needs; its access has tick 0 if there is none */
};

/* Pages that were put into a circular buffer [0], and taken out of it [1]. */
struct hazard_pages {
    struct hazard_credits side[2];
};

/* A circular buffer of guest/include/kit/cb.h. */
struct hazard_kit_buffer {
    char name[24];
    uint32_t at; /* of its struct cb */
};

struct hazards;

struct hazard_tile {
    struct hazards *all;
    uint16_t number;
    struct bh_xy xy;
    bool is_dram;
    uint64_t now; /* the cycle, instruction and pc of what is being reported */
    uint32_t pc, word;
    struct hazard_core core[BH_CORE_COUNT];
    struct hazard_thread thread[BH_THREADS];
    struct hazard_job job[2][HAZARD_JOBS]; /* of the unpackers, by their places in the queues */
    uint32_t handed[2][2][BH_THREADS];   /* [file][bank]: steps in the unpacker that are over when the bank is valid */
    uint32_t given[2][2][BH_THREADS];    /* [file][bank]: steps in the Matrix Unit that are over when it is free */
    struct hazard_clock handed_by[2][2]; /* [file][bank]: what the thread knew that has handed it over */
    bool handed_anew[2][2][BH_THREADS];  /* and whether each thread has learned it */
    struct hazard_access valid[2][2]; /* [file][bank]: what has handed it over; tick 0: the bank has been given back */
    bool ended[BH_CORE_COUNT];        /* the kernel of a core */
    uint8_t noted;                    /* threads whose kernels have ended, by bits */
    struct hazard_semaphore semaphore[HAZARD_SEMAPHORES];
    struct hazard_clock mutex[HAZARD_MUTEXES];                   /* what was known when it was released */
    struct hazard_changes mailbox[BH_CORE_COUNT][BH_CORE_COUNT]; /* [receiver][sender]: messages sent */
    uint64_t mailbox_read[BH_CORE_COUNT][BH_CORE_COUNT];
    struct hazard_counter counter[HAZARD_COUNTERS];
    uint32_t counters, counter_uses;
    /* By stream: known to whoever reads one of its registers (hazard_stream_part). */
    struct hazard_clock stream[HAZARD_STREAMS][HAZARD_STREAM_PARTS];
    const uint8_t *l1;                          /* NULL: not known */
    uint32_t started[BH_CORE_COUNT];            /* where each core has started; 0: not seen, or BRISC */
    const struct bh_check_firmware *firmware;   /* what runs there; NULL: something else */
    struct hazard_pages *pages[HAZARD_BUFFERS]; /* NULL: none of the buffer have been counted */
    struct hazard_kit_buffer kit[HAZARD_KIT_CBS];
    unsigned kits;
    bool counts_begin;     /* at 0: the tile is new */
    uint32_t pack_address; /* where the packer goes on in L1 */
    struct hazard_noc_state niu[2 * HAZARD_NOC_AGENTS];
    struct hazard_command command[2][HAZARD_COMMAND_BUFFERS];
    struct hazard_channel channel[HAZARD_CHANNELS];
    struct shadow place[HAZARD_PLACES];
    uint64_t *written[HAZARD_PLACES]; /* a bit for each word; NULL: all count as written */
};

/* Returns the hazards of a chip with this many tiles; NULL without memory. */
struct hazards *hazards_make(unsigned tiles);
void hazards_free(struct hazards *all);
/* Returns the state of a tile with so many bytes of L1, or of a bank of DRAM, which is made when it is first asked for;
 * NULL without memory. */
struct hazard_tile *hazards_tile(struct hazards *all, unsigned number, struct bh_xy xy, uint64_t memory);
/* Watches for reads of what nobody has written. Precondition: the tile is new. Returns false if there is no memory. */
bool hazard_watch_unwritten(struct hazard_tile *t);
/* Tells of firmware that tiles may run. Returns false if there is no room. */
bool hazards_firmware(struct hazards *all, const struct bh_check_firmware *firmware);
/* Kernels of the tile have ended: nobody should rely on what they have left in Dst and LRegs. */
void hazard_forget_written(struct hazard_tile *t);
/* Begins to count pages: with zero if the tile is new, else from where firmware sets the counts to zero. */
void hazard_begin_counts(struct hazard_tile *t, bool is_new);
/* Tells of a circular buffer of a program's own, unless it is known. Returns false if there is no room. */
bool hazard_kit_buffer(struct hazard_tile *t, const char *name, uint32_t at);
/* Adds bytes of L1 to which a core stores this value at the end of its kernel. Returns false if there is no room. */
bool hazards_end_at(struct hazards *all, uint32_t address, uint32_t size, uint8_t value);
/* Returns how many causes have been found, one of them, and whether something went unchecked for lack of memory. */
size_t hazards_count(const struct hazards *all);
const struct bh_hazard *hazards_at(const struct hazards *all, size_t index);
bool hazards_incomplete(const struct hazards *all);

/* An agent that accesses something, with its instruction and what it knows. */
struct hazard_who {
    const struct hazard_tile *tile; /* of the agent */
    uint16_t agent;
    uint32_t tick;
    uint32_t pc, word;    /* of the instruction */
    uint64_t begun;       /* of a request: cycle in which it began to leave */
    uint8_t source;       /* hazard_access.source */
    uint32_t channel;     /* of a request */
    bool flags;           /* an access of up to a word may be one of a flag */
    bool retried;         /* by an instruction that is tried again */
    bool polls;           /* a load that only looks whether the bytes have changed */
    bool uncertain;       /* no document says when the access is made */
    bool open_end;        /* no document says when the access is over */
    bool has_value;       /* of a write */
    bool changes_nothing; /* of a write: the value is what is there */
    uint32_t value;
    const struct hazard_clock *knows;
};

/* ---- Cores (core.c) -------------------------------------------------------------------------------------- */

/* A core begins an instruction. Returns its tick. */
uint32_t hazard_core_step(struct hazard_tile *t, unsigned core, uint32_t pc, uint32_t word, uint64_t now);
/* A core starts at an address: it knows everything that has happened on the tile. */
void hazard_core_starts(struct hazard_tile *t, unsigned core, uint32_t pc);
/* A core has started there before the check began. */
void hazard_core_started(struct hazard_tile *t, unsigned core, uint32_t pc);
/* A core is put into reset, or the check ends: as hazard_core_ends, but requests that are over are in time. */
void hazard_core_held(struct hazard_tile *t, unsigned core, uint64_t now);
/* A core accesses L1: loads, is about to store, or has stored an element of a vector. */
void hazard_core_loads(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size);
void hazard_core_stored(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value);
void hazard_core_stores(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value);
void hazard_core_changes(struct hazard_tile *t, unsigned core, uint32_t address);
/* A load hits a line of the core's own cache, which differs from L1. */
void hazard_core_loads_stale(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size);
void hazard_core_fences(struct hazard_tile *t, unsigned core);
/* A core's program or kernel ends: its requests should be over, and the core should know. When those of TRISC0 and
 * TRISC1 have ended, banks of Src should have been given back. */
void hazard_core_ends(struct hazard_tile *t, unsigned core);
/* A core accesses registers of the coprocessor. */
void hazard_core_register(struct hazard_tile *t, unsigned core, enum hazard_place place, uint32_t address,
                          uint32_t size, bool writes, uint32_t value);

/* A core stores to the registers of its thread's MOP expander, or has waited until the expander was idle. */
void hazard_core_sets_mop(struct hazard_tile *t, unsigned core, unsigned thread);
void hazard_core_awaited_mop(struct hazard_tile *t, unsigned core, unsigned thread);

/* Where a GPR of a thread, a bank of Src, and a bit of a word of Config, are in their memories. */
static inline uint32_t hazard_gpr(unsigned thread, unsigned index) {
    return SHADOW_WORD * (thread * HAZARD_GPRS + index % HAZARD_GPRS);
}
static inline uint32_t hazard_src(unsigned file, unsigned bank) {
    return SHADOW_WORD * (2 * file + bank);
}
static inline uint32_t hazard_config(unsigned bank, unsigned word, unsigned bit) {
    return SHADOW_WORD * ((bank * HAZARD_CONFIG_WORDS + word % HAZARD_CONFIG_WORDS) * 32 + bit);
}

/* ---- Threads (thread.c) ------------------------------------------------------------------------------------ */

/* Words that a core pushes: `count` of them, `step` apart in memory. */
struct hazard_push {
    const uint32_t *words;
    unsigned count, step;
    uint32_t pc;
};

/* A core is about to push words; `pushed` of them went in. */
void hazard_pushes(struct hazard_tile *t, unsigned core, unsigned thread, const struct hazard_push *push);
void hazard_pushed(struct hazard_tile *t, unsigned core, unsigned thread, const struct hazard_push *push,
                   unsigned pushed);
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
/* The latched wait is met, which is for a unit whoever uses it. */
void hazard_thread_waited_for_all(struct hazard_tile *t, unsigned thread, unsigned unit);
/* The word that passes does something in a unit: accesses that follow are the unit's. */
void hazard_unit_step(struct hazard_tile *t, unsigned thread, unsigned unit);
void hazard_unit_access(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                        uint32_t address, uint32_t size, enum hazard_how how);
/* A unit writes a known value: of Config, the word in which the bits are. */
void hazard_unit_writes(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                        uint32_t address, uint32_t size, uint32_t value);
/* The same, with an end that no document has; and at a time that none has. */
void hazard_unit_access_open_end(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                                 uint32_t address, uint32_t size, enum hazard_how how);
void hazard_unit_access_sometime(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_place place,
                                 uint32_t address, uint32_t size, enum hazard_how how);
/* An unpacker has queued a job, of the word that passes, at this place. */
void hazard_unpack_queued(struct hazard_tile *t, unsigned thread, unsigned unpacker, unsigned job);
/* The job writes to a bank of Src, and hands it over. */
void hazard_unpack_writes(struct hazard_tile *t, unsigned unpacker, unsigned job, unsigned bank, uint64_t now);
void hazard_bank_handed(struct hazard_tile *t, unsigned unpacker, unsigned job, unsigned bank);
/* A thread hands over a bank of Src as it is (SETDVALID). */
void hazard_bank_set_valid(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
/* The Matrix Unit accesses a bank of Src. waits: the instruction waits until the bank is valid. */
void hazard_matrix_uses(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank, enum hazard_how how,
                        bool waits);
/* The Matrix Unit switches to its other bank, and gives this one to the unpackers. */
void hazard_bank_given(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
/* No bank should be valid at the end of a kernel. */
void hazard_banks_at_end(struct hazard_tile *t, const struct hazard_who *who);
/* The latched wait is met, which is for a bank of Src: until it is valid, or free. */
void hazard_thread_saw_valid(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
void hazard_thread_saw_free(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
/* The word itself accesses something when it passes. */
void hazard_thread_access(struct hazard_tile *t, unsigned thread, enum hazard_place place, uint32_t address,
                          uint32_t size, enum hazard_how how);

/* ---- What agents tell each other (sync.c) --------------------------------------------------------------------- */

/* What a core or a thread knows. */
struct hazard_clock *hazard_core_clock(struct hazard_tile *t, unsigned core);
struct hazard_clock *hazard_thread_clock(struct hazard_tile *t, unsigned thread);
/* The thread whose word passes, and a core with its stores to semaphores, as agents. */
struct hazard_who hazard_thread_as(struct hazard_tile *t, unsigned thread);
struct hazard_who hazard_core_as(struct hazard_tile *t, unsigned core, unsigned agent);
/* A core stores to a semaphore: posts it or gets it. */
void hazard_core_posts(struct hazard_tile *t, unsigned core, unsigned semaphore, bool up);
/* A semaphore goes up or down. */
void hazard_semaphore_up(struct hazard_tile *t, unsigned semaphore, const struct hazard_who *who);
void hazard_semaphore_down(struct hazard_tile *t, unsigned semaphore, const struct hazard_who *who);
/* A thread or core has seen that a semaphore is not zero, or not at its maximum. */
void hazard_semaphore_not_zero(struct hazard_tile *t, unsigned semaphore, struct hazard_clock *who);
void hazard_semaphore_not_full(struct hazard_tile *t, unsigned semaphore, unsigned max, struct hazard_clock *who);
void hazard_core_knows(struct hazard_tile *t, unsigned core, const struct hazard_clock *more);
/* A core has read a semaphore: its own posts and gets before have come; and goes on with any value from `least` to
 * `most`. */
void hazard_core_saw_semaphore(struct hazard_tile *t, unsigned core, unsigned semaphore, unsigned least, unsigned most);
/* A semaphore gets a new value. */
void hazard_semaphore_set(struct hazard_tile *t, unsigned semaphore, unsigned value, const struct hazard_who *who);
/* A thread acquires or releases a mutex. */
void hazard_mutex_taken(struct hazard_tile *t, unsigned thread, unsigned mutex);
void hazard_mutex_released(struct hazard_tile *t, unsigned thread, unsigned mutex);
void hazard_message_sent(struct hazard_tile *t, unsigned from, unsigned to);
void hazard_message_read(struct hazard_tile *t, unsigned from, unsigned to);

/* A register of a stream, at an offset in the overlay, is written by an agent, or by a request; a core reads one. */
void hazard_stream_written(struct hazard_tile *t, uint32_t offset, uint32_t value, const struct hazard_who *who);
void hazard_stream_requested(struct hazard_tile *t, uint32_t offset, struct hazard_epoch by);
void hazard_stream_read(struct hazard_tile *t, unsigned core, uint32_t offset);
/* A packet of a stream of another tile arrives at a stream. */
void hazard_stream_passed(struct hazard_tile *t, unsigned stream, const struct hazard_tile *sender, unsigned from);
/* An atomic of a request changes a word of L1. */
void hazard_word_counted(struct hazard_tile *t, uint32_t address, struct hazard_epoch by);
/* An instruction of a thread changes a word of L1, or writes a part of one, in a unit and at once: words that are
 * shared in this way are flags. */
void hazard_unit_counts(struct hazard_tile *t, unsigned thread, unsigned unit, uint32_t address, uint32_t size,
                        enum hazard_how how);
/* An instruction of a thread has waited for a value of a word of L1: it comes after the flag. */
void hazard_thread_saw_word(struct hazard_tile *t, unsigned thread, uint32_t address);
/* A core has waited until a thread and its units were idle (TTSync). */
void hazard_core_synced(struct hazard_tile *t, unsigned core, unsigned thread);
/* The host writes to L1, in this cycle: what was before is forgotten. If the host has read something since its last
 * write, like the answer of a kernel, everything before comes before what follows. */
void hazard_host_writes(struct hazard_tile *t, uint32_t address, uint32_t size, uint64_t now);
void hazard_host_reads(struct hazard_tile *t);
/* A frame leaves for another chip, or one of another chip writes to L1. What other chips know is not followed: if a
 * frame has left after an access and another one has come since, then other chips may have passed on that the access is
 * over. So nothing is a race that a frame may have ordered. */
void hazard_frame_leaves(struct hazard_tile *t, uint64_t now);
void hazard_frame_came(struct hazard_tile *t);
/* Bytes are new: what was before is forgotten. */
void hazard_forget(struct hazard_tile *t, uint32_t address, uint32_t size);

/* ---- Circular buffers (buffers.c) ---------------------------------------------------------------------------- */

/* Somebody sets a count of pages that were put into a buffer (0) or taken (1). */
void hazard_pages_counted(struct hazard_tile *t, unsigned buffer, unsigned side, uint32_t value,
                          const struct hazard_who *who);
/* Returns whether a core that reads a count comes after whoever has changed it: not if the core changes it, too,
 * because it reads what it is about to change. */
bool hazard_count_tells(const struct hazard_tile *t, unsigned buffer, unsigned side, unsigned core);
/* The same for a word of L1, which may be no count. */
bool hazard_kit_tells(const struct hazard_tile *t, unsigned core, uint32_t address);
/* A core is about to store to a word of L1, which may be such a count. */
void hazard_kit_stored(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t value);
/* Names the circular buffers that contain an address of L1; "" if none is known. */
void hazard_name_buffers(const struct hazard_tile *t, uint32_t address, char *text, size_t size);
/* Names a buffer by its number. */
void hazard_name_buffer(const struct hazard_tile *t, unsigned number, char *text, size_t size);
void hazard_free_buffers(struct hazard_tile *t);

/* ---- NoC (noc.c) --------------------------------------------------------------------------------------------- */

/* A request as hazards see it. */
struct hazard_request_made {
    uint8_t noc, core; /* BH_CORE_COUNT: not a core */
    uint8_t agent;     /* enum hazard_noc_agent */
    bool answered;     /* a response comes back */
    uint32_t channel;  /* NoC (bit 30), virtual channel and receivers: hazards_sent */
    bool ordered;      /* requests on the channel stay in order */
    uint64_t leaves;
};

/* A request is made. Returns its tick. */
uint32_t hazard_request_begins(struct hazard_tile *t, const struct hazard_request_made *made);
/* The reading of a write's source is a request of its own, which is over when the write arrives. */
void hazard_request_has_source(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick, uint32_t source);
/* A request, or the last packet of one that is divided, comes from a command buffer. source: tick of the reading of its
 * source; 0: it has none. */
void hazard_command_given(struct hazard_tile *t, unsigned noc, unsigned buffer, unsigned agent, uint32_t tick,
                          uint32_t source);
/* A core has seen that a command buffer is free, or writes one of its registers. */
void hazard_core_saw_command_taken(struct hazard_tile *t, unsigned core, unsigned noc, unsigned buffer);
void hazard_core_sets_command(struct hazard_tile *t, unsigned core, unsigned noc, unsigned buffer);
/* A multicast has left for so many receivers. */
void hazard_request_leaves(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick, unsigned receivers);
/* A response has come: the request is over for its sender, unless other receivers have not answered. */
void hazard_request_ends(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick);
/* A core has read a counter that shows which requests of an agent are over, or have left by now. */
void hazard_core_counted(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent);
void hazard_core_counted_left(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent);
/* A request of `sender` accesses L1 of a tile. */
void hazard_request_access(struct hazard_tile *t, struct hazard_tile *sender, unsigned noc, unsigned agent,
                           uint32_t tick, uint32_t address, uint32_t size, enum hazard_how how);

/* ---- Inside ------------------------------------------------------------------------------------------------------ */

/* Returns whether an agent knows that an access is over, or whether both are in order by themselves. */
bool hazard_is_ordered(const struct hazard_access *before, const struct hazard_who *who);
/* Compares an access with one before, in a place without a shadow. */
void hazard_compare_with(struct hazard_tile *t, enum hazard_place place, uint32_t address,
                         const struct hazard_access *before, enum hazard_how how, const struct hazard_who *who);
struct hazard_access hazard_access_of(const struct hazard_tile *t, enum hazard_how how, const struct hazard_who *who);
/* Compares an access with those before it and keeps it. */
void hazard_compare(struct hazard_tile *t, enum hazard_place place, uint32_t address, uint32_t size,
                    enum hazard_how how, const struct hazard_who *who);
/* Makes a core know a step, and what was known there (know.c). */
void hazard_core_learns(struct hazard_tile *t, unsigned core, struct hazard_epoch epoch);
/* Makes a clock know a step of a core or of a NIU, and what was known there. */
void hazard_learn(struct hazards *all, struct hazard_clock *clock, struct hazard_epoch epoch);
/* Makes a clock know the instructions of a core up to this tick, and what the core knew then. */
void hazard_learn_core(struct hazard_tile *t, struct hazard_clock *clock, unsigned core, uint32_t tick);
/* The same for a thread, whose words mostly learn the same again. */
void hazard_thread_learns_core(struct hazard_tile *t, unsigned thread, unsigned core, uint32_t tick);
/* Notes that a core knows more from now on. */
void hazard_core_has_learned(struct hazard_tile *t, unsigned core);
/* Keeps what a core knows: somebody may learn from what it does now. */
void hazard_keep_version(struct hazard_tile *t, unsigned core);
/* Returns the counter of a word that atomics change; NULL if none has changed it lately (sync.c). */
struct hazard_counter *hazard_find_counter(struct hazard_tile *t, uint32_t address);
void hazard_no_memory(struct hazards *all);
/* Notes that there was no memory, if there was none. */
void hazard_need(struct hazard_tile *t, bool had_memory);
/* Makes a clock know everything that a thread has done up to this tick, in all units. */
void hazard_raise_all(struct hazard_tile *t, struct hazard_clock *clock, unsigned thread, uint32_t tick);
/* Returns a step of an agent of the tile. */
struct hazard_epoch hazard_step_of(const struct hazard_tile *t, unsigned agent, uint32_t tick);
struct hazard_tile *hazard_tile_of(const struct hazards *all, unsigned number);
/* Adds a hazard, or counts it if its cause is known (report.c). */
void hazard_found(struct hazards *all, struct hazard_tile *t, enum hazard_place place, uint32_t address,
                  const struct hazard_access *first, const struct hazard_access *second);

#endif
