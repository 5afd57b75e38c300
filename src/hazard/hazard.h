/* The search for hazards: pairs of accesses to the same bytes, of which at least one writes and which nothing orders.
 *
 * Blocks report steps of agents, the events that order agents, and accesses, all in the order in which the emulator
 * executes them. Whether two accesses are ordered does not depend on their cycles, only on what each agent knows of the
 * others (clock.h). So the search finds a hazard even if the accesses did not collide in this run.
 *
 * What agents know:
 * - A core knows its own instructions. Its stores are in flight until it loads the word back, or loads anything from L1
 *   after a fence. Stores to one destination (L1, GPRs, Config, semaphores) stay in order.
 * - A thread knows what a core knew when that core pushed the word that passes now. A thread knows that the work of a
 *   word in a unit is over once the thread has waited for the unit. A unit works in the order of issue: of two accesses
 *   in one unit by different threads, the second is ordered if its thread knows that the first word has passed.
 * - A request of a NIU knows what the core that made it knew. Cores learn that the request is over when they read the
 *   counter.
 *
 * One host thread at a time checks a chip, so nothing here locks.
 */
#ifndef HAZARD_HAZARD_H
#define HAZARD_HAZARD_H

#include <stddef.h>

#include "hazard/shadow.h"
#include "isa/config.h"

enum {
    HAZARD_VERSIONS = 64,  /* earlier states of a core's knowledge that are kept */
    HAZARD_REQUESTS = 256, /* requests that are kept for each agent of a NIU */
    HAZARD_PUSHED = 4096,  /* words of a thread that are kept until they pass */
    HAZARD_SEMAPHORES = 8,
    HAZARD_MUTEXES = 8,
    HAZARD_SLOTS = 32,    /* words in a replay buffer */
    HAZARD_JOBS = 4,      /* instructions that an unpacker queues */
    HAZARD_POSTS = 16,    /* changes of a semaphore in one direction, or messages of a mailbox, that are kept */
    HAZARD_CHANNELS = 64, /* channels of a tile whose last requests are kept */
    HAZARD_POLLS = 64,    /* loads of a core that are remembered to detect polling */
    HAZARD_LANDED = 1024, /* assumption: a store has landed once its core has executed this many more instructions */
    HAZARD_SOURCE_THREAD = BH_CORE_COUNT, /* hazard_access.source of thread 0 */
    HAZARD_NOBODY = HAZARD_SOURCE_THREAD + BH_THREADS,
    HAZARD_GPRS = 64, /* for each thread */
    HAZARD_CONFIG_WORDS = 256,
    HAZARD_DST_ROWS = 1024,
    HAZARD_GENERAL_LREGS = 8,
    HAZARD_LANE_FLAGS = 17, /* the lane flags count as one more LReg after the last */
    HAZARD_LREGS,
    HAZARD_STREAMS = 64,
    HAZARD_COUNTERS = 64, /* words of L1 changed by atomics that are kept */
    HAZARD_FIRMWARES = 8, /* descriptions of firmware that a check accepts */
    HAZARD_CBS = 64,      /* circular buffers that firmware describes */
    HAZARD_KIT_CBS = 32,  /* circular buffers of guest/include/kit */
    HAZARD_BUFFERS = HAZARD_CBS + HAZARD_KIT_CBS,
    HAZARD_CREDITS = 16, /* changes of a page count that are kept */
};

/* The memories in which accesses are compared, and whatever else hazards concern. Addresses are in bytes. In all
 * memories but L1 each element takes four bytes: a GPR, a row of Dst, a bit of Config, a bank of Src (hazard_src), an
 * LReg. The registers of a thread's MOP expander together take one line.
 */
enum hazard_memory {
    HAZARD_L1,
    HAZARD_GPR,
    HAZARD_CONFIG_BANKS,
    HAZARD_DST,
    HAZARD_SRC,
    HAZARD_MOP_REGISTERS,
    HAZARD_LREG,
    HAZARD_MEMORIES,
    HAZARD_SEMAPHORE = HAZARD_MEMORIES, /* those from here on have no shadow */
    HAZARD_REPLAY,
    HAZARD_AT_END,
    HAZARD_CB_SHARED,  /* circular buffers: two cores change one count */
    HAZARD_CB_COUNT,   /* circular buffers: a count changes too early */
    HAZARD_CB_PAGE,    /* circular buffers: a page is given back while it is read */
    HAZARD_CB_OVERLAP, /* circular buffers: two buffers share bytes */
    HAZARD_COMMANDS,   /* registers of command buffers */
    HAZARD_THREAD_CONFIG
};

/* The registers of a stream by use: the two in which software counts the pages of a circular buffer, and all of
 * them. */
enum hazard_stream_part {
    HAZARD_STREAM_TAKEN, /* count of pages taken out */
    HAZARD_STREAM_PUT_IN,
    HAZARD_STREAM_ANY,
    HAZARD_STREAM_PARTS
};

/* What a core knew from tick `from` on. */
struct hazard_version {
    uint32_t from;
    struct hazard_clock clock;
};

struct hazard_core {
    uint32_t tick;
    uint32_t pc, word;   /* of the last instruction */
    uint32_t ended;      /* tick at which the last kernel or program ended */
    bool retries;        /* the core is retrying its last instruction */
    bool fenced;         /* a fence came after the last store: the next load from L1 comes after all stores */
    uint32_t last_store; /* tick of the last store to L1 */
    uint32_t last_gpr_store, last_config_store, last_semaphore_store;
    struct hazard_clock clock;
    bool is_new; /* the core has learned something, at tick `new_from`, that is not in a version yet */
    uint32_t new_from;
    uint32_t versions; /* number made so far; `version` is a ring */
    struct hazard_version version[HAZARD_VERSIONS];
    struct hazard_poll {
        uint32_t pc, address;
    } poll[HAZARD_POLLS];
};

struct hazard_word {
    uint32_t pc, word;
    uint32_t tick; /* tick of the core at the push */
    uint8_t core;
};

/* Changes of a semaphore in one direction, with what was known after each; or messages of a mailbox. */
struct hazard_changes {
    uint64_t count;
    struct hazard_clock clock[HAZARD_POSTS];
    struct hazard_access access[HAZARD_POSTS];
};

struct hazard_semaphore {
    struct hazard_changes up, down;
    struct hazard_access set;         /* the last SEMINIT */
    struct hazard_access get_at_zero; /* the last get that did nothing because the semaphore was 0 */
};

/* One word of a replay buffer. */
struct hazard_slot {
    uint32_t recording;        /* number of the recording that wrote the word; 0: none */
    uint32_t over;             /* number of the recording that this one overwrote */
    struct hazard_access made; /* the REPLAY that began the recording */
};

struct hazard_replay {
    uint32_t recordings;
    uint8_t at, left; /* next slot to record, and words that are still to come */
    struct hazard_slot slot[HAZARD_SLOTS];
};

/* What will be over when the latched wait is met: work of the thread in units, and stores of cores that the thread knew
 * of when it latched the wait. */
struct hazard_wait {
    uint8_t opcode; /* 0: no wait is latched */
    uint8_t semaphores;
    uint16_t block, condition;
    uint32_t done[HAZARD_UNITS][BH_THREADS];
    uint32_t passed[BH_THREADS]; /* words of each thread that are known to have passed */
    bool sees_bank[2]; /* by file: no earlier instruction can still switch banks after the wait looks at the bank */
    uint32_t stores[BH_CORE_COUNT];
};

struct hazard_thread {
    struct hazard_clock clock;
    uint32_t tick;                   /* words that have passed */
    uint32_t learned[BH_CORE_COUNT]; /* the last version of each core's knowledge that the thread has learned */
    struct hazard_wait wait;
    bool after_config;       /* the last word went to the Configuration Unit */
    bool after_setting;      /* the last word was a SETDMAREG */
    uint64_t pushed, passed; /* number of words so far; `word` is a ring */
    uint64_t expanded;       /* number of pushed words that are known to have left the MOP expander */
    /* By unit: the steps of each thread that are over when this thread's last instruction in the unit is over. */
    uint32_t done[HAZARD_UNITS][BH_THREADS];
    /* By file: the tick of the thread's last instruction that switched the Matrix Unit to the other bank, and whether
     * an instruction since then has waited for the new bank. */
    uint32_t switched[2];
    bool has_bank[2];
    struct hazard_replay replay;
    /* By part of a word of ThreadConfig: the SETC16 that gave this part its value, and no other part of the word; tick
     * 0: there is none, or the part is 0. */
    struct hazard_access set[CONFIG_PART_COUNT];
    struct hazard_word word[HAZARD_PUSHED];
};

/* An instruction in an unpacker's queue. */
struct hazard_job {
    uint32_t pc, word, tick;
    uint8_t thread;
    uint32_t done[BH_THREADS];   /* steps in the unpacker that are over when this instruction ends */
    uint32_t matrix[BH_THREADS]; /* steps in the Matrix Unit that are known to be over when this instruction begins */
    struct hazard_clock knows;   /* what the thread knew at the issue */
};

/* A request of a NIU, from its command to its completion. */
struct hazard_request {
    uint32_t tick;
    uint32_t core_tick;
    uint64_t leaves;   /* cycle in which the request begins to leave */
    uint32_t pc, word; /* of the instruction that made the request */
    bool done;
    bool answered;      /* a response comes back */
    uint8_t core;       /* BH_CORE_COUNT: no core made the request */
    uint16_t receivers; /* receivers that have not responded yet; 0: the request has only one */
    uint32_t channel;
    uint32_t before[HAZARD_READ]; /* by agent: the last request that stays ahead of this one on its channel */
};

/* The last request of a command buffer. */
struct hazard_command {
    uint32_t tick;              /* requests from the buffer so far */
    struct hazard_access taken; /* the NIU's read of the registers */
    struct hazard_epoch source; /* the read of the source of a write; tick 0: the request has no source */
};

struct hazard_noc_state {
    uint32_t tick, done; /* ticks of the last request made, and of the last one up to which all are over */
    struct hazard_request request[HAZARD_REQUESTS];
};

/* The last request of each agent on one channel (hazard_request_made.channel). */
struct hazard_channel {
    uint32_t key; /* 0: free */
    uint32_t tick[HAZARD_READ];
};

/* A word of L1 that atomics have changed. An agent that reads the word comes after all of them. */
struct hazard_counter {
    uint32_t address;
    uint32_t used; /* number of the last use; 0: free */
    struct hazard_clock clock;
};

/* A circular buffer as L1 describes it now. */
struct hazard_buffer {
    uint32_t address, page_bytes, pages;
};

/* The count of pages after one change, and the access that changed it. */
struct hazard_credit {
    int64_t count;
    struct hazard_access access;
};

struct hazard_credits {
    bool known; /* `count` is valid */
    int64_t count;
    uint8_t cores;    /* bit mask of the cores that have changed the count */
    uint32_t changes; /* number of changes so far; `change` is a ring */
    struct hazard_credit change[HAZARD_CREDITS];
    struct hazard_credit early; /* a change that came before the change of the other side that it needs; tick 0: none */
};

/* The counts of a circular buffer: pages put in [0] and taken out [1]. */
struct hazard_pages {
    struct hazard_credits side[2];
};

/* A circular buffer of guest/include/kit/cb.h. */
struct hazard_kit_buffer {
    char name[24];
    uint32_t at; /* address of its struct cb */
};

struct hazard_search;

struct hazard_tile {
    struct hazard_search *search;
    uint16_t number;
    struct bh_xy xy;
    bool is_dram;
    uint64_t now; /* cycle, pc and word of the instruction that is being reported */
    uint32_t pc, word;
    struct hazard_core core[BH_CORE_COUNT];
    struct hazard_thread thread[BH_THREADS];
    struct hazard_job job[2][HAZARD_JOBS]; /* by unpacker and position in its queue */
    uint32_t handed[2][2][BH_THREADS]; /* [file][bank]: steps in the unpacker that are over when the bank is valid */
    uint32_t given[2][2][BH_THREADS];  /* [file][bank]: steps in the Matrix Unit that are over when the bank is free */
    struct hazard_clock handed_by[2][2]; /* [file][bank]: what the thread that handed over the bank knew */
    bool handed_anew[2][2][BH_THREADS];  /* [file][bank]: whether each thread has yet to learn `handed_by` */
    struct hazard_access valid[2][2]; /* [file][bank]: the access that handed it over; tick 0: it has been given back */
    bool ended[BH_CORE_COUNT];        /* the core's kernel has ended */
    uint8_t noted;                    /* bit mask of the threads whose firmware has noted the end of a kernel */
    struct hazard_semaphore semaphore[HAZARD_SEMAPHORES];
    struct hazard_clock mutex[HAZARD_MUTEXES];                   /* what was known at the last release */
    struct hazard_changes mailbox[BH_CORE_COUNT][BH_CORE_COUNT]; /* [receiver][sender]: messages sent */
    uint64_t mailbox_read[BH_CORE_COUNT][BH_CORE_COUNT];
    struct hazard_counter counter[HAZARD_COUNTERS];
    uint32_t counters, counter_uses;
    /* By stream: what an agent learns that reads one of these registers. */
    struct hazard_clock stream[HAZARD_STREAMS][HAZARD_STREAM_PARTS];
    const uint8_t *l1;                          /* NULL: unknown */
    uint32_t started[BH_CORE_COUNT];            /* pc at which each core started; 0: unknown, or BRISC */
    const struct bh_check_firmware *firmware;   /* the firmware that the tile runs; NULL: unknown */
    struct hazard_pages *pages[HAZARD_BUFFERS]; /* NULL: no count of the buffer has changed */
    struct hazard_kit_buffer kit[HAZARD_KIT_CBS];
    unsigned kits;
    bool counts_begin;     /* the tile is new: all counts begin at 0 */
    uint32_t pack_address; /* address in L1 to which the packer writes next */
    struct hazard_noc_state niu[2 * HAZARD_NOC_AGENTS];
    struct hazard_command command[2][HAZARD_COMMAND_BUFFERS];
    struct hazard_channel channel[HAZARD_CHANNELS];
    struct shadow shadow[HAZARD_MEMORIES];
    uint64_t *written[HAZARD_MEMORIES]; /* one bit for each word; NULL: all words count as written */
};

/* Makes the state of the search for a chip with this many tiles. Returns NULL if there is no memory. The caller frees
 * it with hazard_search_free. */
struct hazard_search *hazard_search_make(unsigned tiles);
/* Frees the state of the search and of all tiles. `search` may be NULL. */
void hazard_search_free(struct hazard_search *search);
/* Returns the state of a tile with this many bytes of L1, or of a bank of DRAM, and makes it at the first call. Returns
 * NULL if there is no memory. `search` owns the state. */
struct hazard_tile *hazard_search_tile(struct hazard_search *search, unsigned number, struct bh_xy xy, uint64_t bytes);
/* Starts to watch for reads of words that nobody has written. Precondition: the tile is new. Returns false if there is
 * no memory. */
bool hazard_watch_unwritten(struct hazard_tile *t);
/* Adds the description of firmware that tiles may run; it is copied. Returns false if there is no room. */
bool hazard_search_firmware(struct hazard_search *search, const struct bh_check_firmware *firmware);
/* Forgets the earlier accesses to L1. All memories of the tile count as written from now on, as after bh_load. */
void hazard_all_written(struct hazard_tile *t);
/* Marks Dst and the LRegs as unwritten: the kernels of the tile have ended, and later kernels should not rely on what
 * they left. */
void hazard_forget_written(struct hazard_tile *t);
/* Forgets all page counts. The counts of a new tile begin at 0; others are known once firmware sets them to 0. */
void hazard_begin_counts(struct hazard_tile *t, bool is_new);
/* Adds a circular buffer of guest/include/kit whose struct cb is at address `at`, unless it is known already. The name
 * is copied. Returns false if there is no room. */
bool hazard_kit_buffer(struct hazard_tile *t, const char *name, uint32_t at);
/* Adds a range of L1: a core that stores this value to one of its bytes has reached the end of its kernel. Returns
 * false if there is no room. */
bool hazard_search_end_at(struct hazard_search *search, uint32_t address, uint32_t size, uint8_t value);
/* Return the number of causes found, one of them (NULL past the last), and whether something went unchecked because
 * memory, or room for more causes, was short. */
size_t hazard_search_count(const struct hazard_search *search);
const struct bh_hazard *hazard_search_at(const struct hazard_search *search, size_t index);
bool hazard_search_incomplete(const struct hazard_search *search);

/* An agent that makes an access, its instruction, and what it knows. */
struct hazard_actor {
    const struct hazard_tile *tile; /* of the agent */
    uint16_t agent;
    uint32_t tick;
    uint32_t pc, word;    /* of the instruction */
    uint64_t begun;       /* of a request: the cycle in which it began to leave */
    uint8_t source;       /* hazard_access.source */
    uint32_t channel;     /* of a request */
    bool flags;           /* if it accesses at most a word, the word may be a flag */
    bool retried;         /* the instruction is being retried */
    bool polls;           /* a load that only looks whether the bytes have changed */
    bool uncertain;       /* no document says when the access happens */
    bool open_end;        /* no document says when the access is over */
    bool has_value;       /* `value` is what the access writes */
    bool changes_nothing; /* of a write: the bytes hold the value already */
    uint32_t value;
    const struct hazard_clock *knows;
};

/* ---- Cores (core.c) -------------------------------------------------------------------------------------- */

/* Records that a core begins an instruction. Returns the tick of the instruction. */
uint32_t hazard_core_step(struct hazard_tile *t, unsigned core, uint32_t pc, uint32_t word, uint64_t now);
/* Records that a core starts at this pc. The core then knows everything that has happened on the tile. */
void hazard_core_starts(struct hazard_tile *t, unsigned core, uint32_t pc);
/* Records that a core started at this pc before the check began. */
void hazard_core_started(struct hazard_tile *t, unsigned core, uint32_t pc);
/* Records that a core is put into reset, or that the check ends. This is hazard_core_ends, except that requests which
 * are over by now count as in time. Does nothing if firmware is known, which notes the ends of kernels itself, or if
 * the core has executed nothing since the last end. */
void hazard_core_stopped(struct hazard_tile *t, unsigned core, uint64_t now);
/* Record accesses of a core to L1: a load, a store of a vector element that has been made, a store that is about to be
 * made, and an atomic. */
void hazard_core_loads(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size);
void hazard_core_stored(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value);
void hazard_core_stores(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size, uint32_t value);
void hazard_core_changes(struct hazard_tile *t, unsigned core, uint32_t address);
/* Records a load that hits a line of the core's own cache while L1 holds other bytes. */
void hazard_core_loads_stale(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t size);
/* Records that a core executes a fence. */
void hazard_core_fences(struct hazard_tile *t, unsigned core);
/* Records the end of a core's program or kernel. By then the requests of the core should be over, and the core should
 * know it. When both TRISC0 and TRISC1 have ended, all banks of Src should have been given back. */
void hazard_core_ends(struct hazard_tile *t, unsigned core);
/* Records an access of a core to a register of the coprocessor. */
void hazard_core_register(struct hazard_tile *t, unsigned core, enum hazard_memory memory, uint32_t address,
                          uint32_t size, bool writes, uint32_t value);

/* Record that a core stores to a register of its thread's MOP expander, or has waited until the expander was idle. */
void hazard_core_sets_mop(struct hazard_tile *t, unsigned core, unsigned thread);
void hazard_core_awaited_mop(struct hazard_tile *t, unsigned core, unsigned thread);

/* Return the addresses of a GPR of a thread, a bank of Src, and a bit of a word of Config in their memories. */
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

/* Words that a core pushes: `count` of them, `step` words apart in memory. */
struct hazard_push {
    const uint32_t *words;
    unsigned count, step;
    uint32_t pc;
};

/* Record that a core is about to push words, and then how many of them the frontend accepted. */
void hazard_pushes(struct hazard_tile *t, unsigned core, unsigned thread, const struct hazard_push *push);
void hazard_pushed(struct hazard_tile *t, unsigned core, unsigned thread, const struct hazard_push *push,
                   unsigned pushed);
/* Records that a word of a thread passes its gate. ends: the word is the last one that expanders make of the pushed
 * word. */
void hazard_thread_step(struct hazard_tile *t, unsigned thread, uint32_t pc, uint32_t word, uint64_t now, bool ends);
/* Records that the thread latches a wait, and notes what the thread will know when the wait is met. */
void hazard_thread_latches(struct hazard_tile *t, unsigned thread);
/* Record that the latched wait is met: the thread now knows that its instructions in a unit are over, or that stores of
 * cores to GPRs and Config have landed. */
void hazard_thread_waited(struct hazard_tile *t, unsigned thread, unsigned unit);
void hazard_thread_waited_for_stores(struct hazard_tile *t, unsigned thread);
/* Records that so many words have passed that the work of the thread in a unit must be over. */
void hazard_thread_passed(struct hazard_tile *t, unsigned thread, unsigned unit);
/* Records that the latched wait is met and was for a unit, whichever thread used the unit. */
void hazard_thread_waited_for_all(struct hazard_tile *t, unsigned thread, unsigned unit);
/* Record that the word that passes works in a unit, and an access that the unit makes for this word. */
void hazard_unit_step(struct hazard_tile *t, unsigned thread, unsigned unit);
void hazard_unit_access(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                        uint32_t address, uint32_t size, enum hazard_how how);
/* Records that a unit writes a known value. For Config, `value` is the whole word that contains the bits. */
void hazard_unit_writes(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                        uint32_t address, uint32_t size, uint32_t value);
/* Record an access like hazard_unit_access for which no document says when it ends, or when it happens. */
void hazard_unit_access_open_end(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                                 uint32_t address, uint32_t size, enum hazard_how how);
void hazard_unit_access_sometime(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                                 uint32_t address, uint32_t size, enum hazard_how how);
/* Records that an unpacker has queued the word that passes, at position `job` of its queue. */
void hazard_unpack_queued(struct hazard_tile *t, unsigned thread, unsigned unpacker, unsigned job);
/* Record that the job writes to a bank of Src, and that it hands over the bank. */
void hazard_unpack_writes(struct hazard_tile *t, unsigned unpacker, unsigned job, unsigned bank, uint64_t now);
void hazard_bank_handed(struct hazard_tile *t, unsigned unpacker, unsigned job, unsigned bank);
/* Records that a thread hands over a bank of Src without writing it (SETDVALID). */
void hazard_bank_set_valid(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
/* Records that the Matrix Unit accesses a bank of Src. waits: the instruction waits until the bank is valid. */
void hazard_matrix_uses(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank, enum hazard_how how,
                        bool waits);
/* Records that the Matrix Unit switches to its other bank and gives this one back to the unpackers. */
void hazard_bank_given(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
/* Reports every bank that is still valid at the end of a kernel. */
void hazard_banks_at_end(struct hazard_tile *t, const struct hazard_actor *actor);
/* Record that the latched wait is met and was for a bank of Src to become valid, or free. */
void hazard_thread_saw_valid(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
void hazard_thread_saw_free(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank);
/* Records that the word itself makes an access when it passes. */
void hazard_thread_access(struct hazard_tile *t, unsigned thread, enum hazard_memory memory, uint32_t address,
                          uint32_t size, enum hazard_how how);

/* Records that a SETC16 changes a word of ThreadConfig (fields.c). */
void hazard_thread_config(struct hazard_tile *t, unsigned thread, unsigned word, unsigned old, unsigned value);
/* Forgets which SETC16 has set what: another program begins. */
void hazard_forget_fields(struct hazard_tile *t, unsigned thread);

/* ---- What agents tell each other (sync.c) --------------------------------------------------------------------- */

/* Return what a core or a thread knows. */
struct hazard_clock *hazard_core_clock(struct hazard_tile *t, unsigned core);
struct hazard_clock *hazard_thread_clock(struct hazard_tile *t, unsigned thread);
/* Return the thread whose word passes, and a core as itself or as one of its kinds of stores (`agent`: HAZARD_CORE,
 * HAZARD_L1_STORES ...), for use as the agent of an access. */
struct hazard_actor hazard_thread_as(struct hazard_tile *t, unsigned thread);
struct hazard_actor hazard_core_as(struct hazard_tile *t, unsigned core, unsigned agent);
/* Records that a core posts (up) or gets a semaphore by a store. */
void hazard_core_posts(struct hazard_tile *t, unsigned core, unsigned semaphore, bool up);
/* Record that a semaphore goes up or down. */
void hazard_semaphore_up(struct hazard_tile *t, unsigned semaphore, const struct hazard_actor *actor);
void hazard_semaphore_down(struct hazard_tile *t, unsigned semaphore, const struct hazard_actor *actor);
/* Record that the owner of a clock has seen that a semaphore is not zero, or is below its maximum. */
void hazard_semaphore_not_zero(struct hazard_tile *t, unsigned semaphore, struct hazard_clock *clock);
void hazard_semaphore_not_full(struct hazard_tile *t, unsigned semaphore, unsigned max, struct hazard_clock *clock);
/* Makes a core know everything that a clock knows (know.c). */
void hazard_core_knows(struct hazard_tile *t, unsigned core, const struct hazard_clock *more);
/* Records that a core has read a semaphore and would have gone on in the same way with every value from `least` to
 * `most`. The earlier posts and gets of the core have landed by then. */
void hazard_core_saw_semaphore(struct hazard_tile *t, unsigned core, unsigned semaphore, unsigned least, unsigned most);
/* Records that a semaphore gets a new value. */
void hazard_semaphore_set(struct hazard_tile *t, unsigned semaphore, unsigned value, const struct hazard_actor *actor);
/* Record that a thread acquires or releases a mutex. */
void hazard_mutex_taken(struct hazard_tile *t, unsigned thread, unsigned mutex);
void hazard_mutex_released(struct hazard_tile *t, unsigned thread, unsigned mutex);
/* Record that core `from` sends a message to core `to` by a mailbox, and that `to` reads the oldest unread message. */
void hazard_message_sent(struct hazard_tile *t, unsigned from, unsigned to);
void hazard_message_read(struct hazard_tile *t, unsigned from, unsigned to);

/* Record that an agent or a request writes a register of a stream, and that a core reads one. The offset is that in the
 * overlay. */
void hazard_stream_written(struct hazard_tile *t, uint32_t offset, uint32_t value, const struct hazard_actor *actor);
void hazard_stream_requested(struct hazard_tile *t, uint32_t offset, struct hazard_epoch by);
void hazard_stream_read(struct hazard_tile *t, unsigned core, uint32_t offset);
/* Records that a packet from stream `from` of another tile arrives at a stream. */
void hazard_stream_passed(struct hazard_tile *t, unsigned stream, const struct hazard_tile *sender, unsigned from);
/* Records that an atomic of a request changes a word of L1. */
void hazard_word_counted(struct hazard_tile *t, uint32_t address, struct hazard_epoch by);
/* Records that an instruction of a thread changes a word of L1, or writes a part of it, in a unit and in one access.
 * Words that are shared in this way are flags. */
void hazard_unit_counts(struct hazard_tile *t, unsigned thread, unsigned unit, uint32_t address, uint32_t size,
                        enum hazard_how how);
/* Records that an instruction of a thread has waited until a word of L1 had a value: the thread now comes after the
 * access that wrote this flag. */
void hazard_thread_saw_word(struct hazard_tile *t, unsigned thread, uint32_t address);
/* Records that a core has waited until a thread and its units were idle (TTSync). */
void hazard_core_synced(struct hazard_tile *t, unsigned core, unsigned thread);
/* Record that the host writes to L1 in cycle `now`, and that the host reads. A write forgets the earlier accesses to
 * its bytes. If the host has read something since its last write, such as the answer of a kernel, then everything
 * before the write is ordered before everything after it. */
void hazard_host_writes(struct hazard_tile *t, uint32_t address, uint32_t size, uint64_t now);
void hazard_host_reads(struct hazard_tile *t);
/* Record that a frame leaves for another chip, and that a frame of another chip writes to L1. The search does not
 * follow what other chips know. If a frame left after an access and another one has come since, the other chips may
 * have passed on that the access is over; so a hazard that frames may have ordered is never a RACE. */
void hazard_frame_leaves(struct hazard_tile *t, uint64_t now);
void hazard_frame_arrived(struct hazard_tile *t);
/* Forgets the earlier accesses to bytes of L1, which now count as written. */
void hazard_forget(struct hazard_tile *t, uint32_t address, uint32_t size);

/* ---- Circular buffers (buffers.c) ---------------------------------------------------------------------------- */

/* Records that an agent sets the count of pages that were put into a buffer (side 0) or taken out of it (side 1). */
void hazard_pages_counted(struct hazard_tile *t, unsigned number, unsigned side, uint32_t value,
                          const struct hazard_actor *actor);
/* Returns whether a core that reads a count comes after the agent that changed it. It does not if the core changes the
 * count as well, because then it only reads what it is about to change. */
bool hazard_count_orders(const struct hazard_tile *t, unsigned buffer, unsigned side, unsigned core);
/* Returns the same for a word of L1; true if the word is not a count. */
bool hazard_kit_orders(const struct hazard_tile *t, unsigned core, uint32_t address);
/* Records that a core is about to store to a word of L1, if the word is a count of a circular buffer. */
void hazard_kit_stored(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t value);
/* Writes the names of the circular buffers that contain an address of L1; "" if none is known. */
void hazard_name_buffers(const struct hazard_tile *t, uint32_t address, char *text, size_t size);
/* Writes the name of the buffer with this number. */
void hazard_name_buffer(const struct hazard_tile *t, unsigned number, char *text, size_t size);
/* Frees and forgets the page counts of all buffers. */
void hazard_free_buffers(struct hazard_tile *t);

/* ---- NoC (noc.c) --------------------------------------------------------------------------------------------- */

/* A request as a NIU begins it. */
struct hazard_request_made {
    uint8_t noc, core; /* core: BH_CORE_COUNT if no core made the request */
    uint8_t agent;     /* enum hazard_noc_agent */
    bool answered;     /* a response comes back */
    uint32_t channel;  /* NoC (bit 30), virtual channel and receivers as one number: see tile_hazards_sent */
    bool ordered;      /* requests on the channel stay in order */
    uint64_t leaves;
};

/* Records that a request is made. Returns its tick. */
uint32_t hazard_request_begins(struct hazard_tile *t, const struct hazard_request_made *made);
/* Records that a write has a source in L1. The read of the source is a request of its own, with tick `source`; an agent
 * that knows of the arrival of the write knows that the read is over. */
void hazard_request_has_source(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick, uint32_t source);
/* Records that a command buffer has given a request to its NIU; of a request that is divided into packets, the last
 * packet counts. source: the tick of the read of its source; 0: it has no source. */
void hazard_command_given(struct hazard_tile *t, unsigned noc, unsigned buffer, unsigned agent, uint32_t tick,
                          uint32_t source);
/* Record that a core has seen that a command buffer is free, or that it writes one of the buffer's registers. */
void hazard_core_saw_command_taken(struct hazard_tile *t, unsigned core, unsigned noc, unsigned buffer);
void hazard_core_sets_command(struct hazard_tile *t, unsigned core, unsigned noc, unsigned buffer);
/* Records that a multicast has left for this many receivers. */
void hazard_request_leaves(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick, unsigned receivers);
/* Records that a response has come. The request is over for its sender when all receivers have responded. */
void hazard_request_ends(struct hazard_tile *t, unsigned noc, unsigned agent, uint32_t tick);
/* Record that a core has read a counter that shows which requests of an agent are over, or which have left. */
void hazard_core_counted(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent);
void hazard_core_counted_left(struct hazard_tile *t, unsigned core, unsigned noc, unsigned agent);
/* Records that a request of `sender` accesses L1 of tile `t`. */
void hazard_request_access(struct hazard_tile *t, struct hazard_tile *sender, unsigned noc, unsigned agent,
                           uint32_t tick, uint32_t address, uint32_t size, enum hazard_how how);

/* ---- Inside ------------------------------------------------------------------------------------------------------ */

/* Compares an access with an earlier one, in a memory that has no shadow. */
void hazard_compare_with(struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                         const struct hazard_access *before, enum hazard_how how, const struct hazard_actor *actor);
/* Returns the access that an agent makes in the cycle that is being reported (t->now). */
struct hazard_access hazard_access_of(const struct hazard_tile *t, enum hazard_how how,
                                      const struct hazard_actor *actor);
/* Compares an access with the earlier ones in the shadow, and keeps it there. */
void hazard_compare(struct hazard_tile *t, enum hazard_memory memory, uint32_t address, uint32_t size,
                    enum hazard_how how, const struct hazard_actor *actor);
/* Makes a core know a step and what the agent of that step knew (know.c). */
void hazard_core_learns(struct hazard_tile *t, unsigned core, struct hazard_epoch epoch);
/* Makes a clock know a step of a core or a NIU, and what the agent knew at that step. */
void hazard_learn(struct hazard_search *search, struct hazard_clock *clock, struct hazard_epoch epoch);
/* Makes a thread know the instructions of a core up to this tick, and what the core knew then; quickly if the thread
 * has learned that version already, as most words have. */
void hazard_thread_learns_core(struct hazard_tile *t, unsigned thread, unsigned core, uint32_t tick);
/* Notes that the core knows more from its present tick on. */
void hazard_core_has_learned(struct hazard_tile *t, unsigned core);
/* Keeps a version of what a core knows, if that has changed, because another agent may learn from what the core does
 * now. */
void hazard_keep_version(struct hazard_tile *t, unsigned core);
/* Returns the counter of a word that atomics have changed; NULL if there is none, or if it has been dropped
 * (sync.c). */
struct hazard_counter *hazard_find_counter(struct hazard_tile *t, uint32_t address);
/* Notes that the check is incomplete. */
void hazard_no_memory(struct hazard_search *search);
/* Notes that the check is incomplete if there was no memory. */
void hazard_need(struct hazard_tile *t, bool had_memory);
/* Makes a clock know everything that a thread has done up to this tick, in all units. */
void hazard_raise_all(struct hazard_tile *t, struct hazard_clock *clock, unsigned thread, uint32_t tick);
/* Returns the step of an agent of the tile with this tick. */
struct hazard_epoch hazard_step_of(const struct hazard_tile *t, unsigned agent, uint32_t tick);
/* Returns the state of the tile with this number; NULL if there is none. */
struct hazard_tile *hazard_tile_of(const struct hazard_search *search, unsigned number);
/* Adds a hazard, or counts it if its cause is known already (report.c). */
void hazard_found(struct hazard_search *search, struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                  const struct hazard_access *first, const struct hazard_access *second);

#endif
