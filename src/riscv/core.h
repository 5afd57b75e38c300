/* One baby RISC-V core: its registers, CSRs, local time, and its port to the tile.
 *
 * Sources: Blackhole BabyRISCV/README.md (pipeline, latencies), InstructionSet.md, CSRs.md, SoftReset.md.
 * docs/timing.md lists what is inexact.
 *
 * A core has its own time, in AICLK cycles since the reset of the chip. The core runs until that time reaches a limit,
 * or until it stops: blocked in a load or store, polling words that do not change, paused or faulted. */
#ifndef RISCV_CORE_H
#define RISCV_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/state.h"
#include "bhemu.h"
#include "isa/coverage.h"
#include "isa/push.h"
#include "isa/riscv.h"
#include "isa/wait.h"
#include "observe/observe.h"
#include "riscv/burst.h"
#include "riscv/fetch.h"
#include "riscv/l0.h"

#define CORE_L1_SIZE    0x180000u     /* bytes of L1 that a Tensix core sees at address 0; no core sees more */
#define CORE_LDM_BASE   0xFFB00000u   /* local data memory of each core */
#define CORE_PUSH_BASE  0xFFE40000u   /* the push window of a TRISC's own thread */
#define CORE_LDM_MAX    0x2000u       /* largest local memory: BRISC and NCRISC have 8 KiB, TRISCs 4 KiB */
#define CORE_CODE_GRAIN 8             /* log2 of the bytes of L1 that share one entry of `marks` */
#define CORE_WATCH_MAX  8             /* words that one polling loop may read */
#define CORE_LOOP_MAX   32            /* instructions of a polling loop, at most */
#define CORE_FUSED_MAX  RV_PART_FUSED /* adjacent .ttinsn that a TRISC executes in one cycle */
_Static_assert((int)CORE_FUSED_MAX == (int)PUSH_FUSED, "a group of pushed words is a fused one");

#define CFG0_RESET             UINT32_C(0x20000)   /* StMergeTimer = 16 */
#define CFG0_DIS_L0            (UINT32_C(1) << 3)  /* DisLowCash */
#define CFG0_DIS_STORE_MERGE   (UINT32_C(1) << 12) /* DisStMerge */
#define CFG0_DIS_TTINSN_FUSION (UINT32_C(1) << 18) /* DisTriscCache */
#define CFG0_DIS_L0_FLUSH      (UINT32_C(1) << 24) /* DisLowCachePeriodicFlush */
#define CFG0_DIS_STATUS        (UINT32_C(1) << 29) /* DisTTStatusReg */
#define CFG0_EN_BFLOAT         (UINT32_C(1) << 30)
#define CFG0_EN_BFLOAT_RTNE    (UINT32_C(1) << 31)

/* Costs in cycles, from isa/riscv.def. */
enum {
    CORE_LATENCY_LOCAL = RV_LATENCY_LOAD, /* a load from local memory */
    CORE_LATENCY_L1 = RV_PART_LOAD_L1,    /* a load from L1 that misses the L0 data cache */
    CORE_LATENCY_MULTIPLY = RV_LATENCY_MUL,
    CORE_COST_MISPREDICT = RV_PART_MISPREDICT,
};
_Static_assert(CORE_L1_SIZE / FETCH_BLOCK == FETCH_NO_BLOCK, "no code lies in the block behind L1");

/* Marks on 256-byte grains of L1. A mark says that a write to the grain has to do more: drop decoded code, wake
 * watchers, copy lent bytes before the write (MARK_LENT), let a store land late (MARK_LATE), report to a debugger's
 * watchpoint (MARK_DEBUG). */
enum { MARK_CODE = 1, MARK_WATCHED = 2, MARK_LENT = 4, MARK_LATE = 8, MARK_DEBUG = 16 };

/* Receivers of a core's reports about every instruction and every register access. CORE_REPORTS_PORTS: the performance
 * counters of L1, which have to count every iteration of a polling loop. */
enum { CORE_REPORTS_HAZARDS = 1, CORE_REPORTS_DELAYS = 2, CORE_REPORTS_PORTS = 4 };

/* Sets a mark on every grain that holds one of these bytes. Precondition: size > 0, and all bytes are in L1. */
static inline void core_mark_l1(uint8_t *marks, uint32_t address, uint32_t size, uint8_t mark) {
    for (uint32_t grain = address >> CORE_CODE_GRAIN; grain <= (address + size - 1) >> CORE_CODE_GRAIN; grain++)
        marks[grain] |= mark;
}

/* One decoded instruction. Each word of L1 has a slot of eight bytes, all zero until the word is decoded. */
struct rv_slot {
    uint16_t handler;
    uint8_t rd, rs1;
    int32_t imm;
};

/* The words that decide about a slot, unless it belongs to a polling loop: its own one is the last. */
struct slot_words {
    uint32_t word[8];
};

/* Slots that cores of a chip have decoded, because many tiles execute the same code. A slot is found by its address and
 * its words, so it is never out of date. All zero: empty. Host threads share it: each takes an entry while it uses it,
 * and decodes by itself if another thread has the entry. */
struct slot_memo {
    struct slot_memo_entry {
        atomic_bool taken;
        uint16_t counter; /* offset in struct coverage of the instruction's counter */
        uint32_t pc;
        struct slot_words words;
        struct rv_slot slot; /* handler 0: none */
    } entry[4096];
};

enum bus_result {
    BUS_OK,
    BUS_WAIT,  /* not yet: the core blocks and repeats the access when the tile wakes it */
    BUS_LATER, /* another core of the tile comes first: the core repeats the access at the same time, next turn */
    BUS_FAULT, /* a fault was raised on the core */
};

enum core_peek {
    CORE_PEEK_REFUSED, /* a core must not sleep on this address */
    CORE_PEEK_DONE,
    CORE_PEEK_SOON, /* done, but the value is about to change by itself: sleeping does not pay */
};

/* The result of a push: how many words were accepted and, if none were, why. */
struct core_push {
    uint32_t count;
    enum bus_result result;
};

/* The debuggers that a core asks before each instruction (core.debugged): one on the host, and the tile's debug
 * interface. */
enum { CORE_DEBUG_HOST = 1, CORE_DEBUG_GUEST = 2 };

/* The answer of a debugger when it is asked about the next instruction. */
enum core_debug {
    CORE_DEBUG_GO,
    CORE_DEBUG_MOVED, /* the debugger has changed pc */
    CORE_DEBUG_LEAVE, /* the core has stopped, or the debugger has executed the instruction: the core's turn ends */
};

struct core;

/* Functions that the tile provides to a core. load and store serve all addresses except L1 and the core's own local
 * memory. */
struct core_port {
    enum bus_result (*load)(void *owner, struct core *core, uint32_t address, unsigned size, uint32_t *value,
                            unsigned *latency);
    enum bus_result (*store)(void *owner, struct core *core, uint32_t address, unsigned size, uint32_t value);
    /* Pushes the row of Tensix instructions that begins at pc; its first group is pushed at `time`. A group is accepted
     * whole or not at all. Without PUSH_WAITS in the shape (isa/push.h), the words must be plain, and all or none
     * are accepted. With PUSH_WAITS the core may stall, which adds to core->stalled. A core that has to wait may leave
     * its row with the tile, which then pushes it on the core's behalf (core_pushed). */
    struct core_push (*push)(void *owner, struct core *core, const uint32_t *words, unsigned shape, uint32_t pc,
                             uint64_t time);
    /* Stores a value to bytes of L1 that have a mark: first copies lent bytes, then drops decoded code and wakes
     * watchers. May stall the core. */
    void (*l1_store)(void *owner, uint32_t address, uint32_t value, unsigned size, uint64_t time);
    /* Reads, without side effects, a value that changes only with an event that wakes pollers (core_wake). */
    enum core_peek (*peek)(void *owner, const struct core *core, uint32_t address, unsigned size, uint32_t *value,
                           unsigned *latency);
    void (*fault)(void *owner, struct core *core, const struct bh_fault *fault);
    /* Called if core->reports is set. step: the instruction at pc is about to be executed, or tried again; returns the
     * cycles for which the core has to wait first. loaded, stored: the core has accessed a register, or L1 by a vector
     * instruction; stored may stall the core. */
    unsigned (*step)(void *owner, struct core *core, uint32_t pc, uint64_t time);
    void (*loaded)(void *owner, const struct core *core, uint32_t address);
    void (*stored)(void *owner, struct core *core, uint32_t address, uint32_t value);
    /* Called if core->debugged is set, before an instruction is executed or tried again. pc and time of the core are up
     * to date. */
    enum core_debug (*debug)(void *owner, struct core *core);
    /* Brings the tile to the core's time before the core reads a CSR that reflects the tile's state. Returns false
     * if another core comes first (BUS_LATER). */
    bool (*reach)(void *owner, const struct core *core);
    /* Called when the core's instruction cache has got a block of code that it did not have before. May stall the core.
     * NULL: no other agent changes code. */
    void (*code_cached)(void *owner, struct core *core);
    /* Says that cfg0 may have changed. NULL: no other agent depends on it. */
    void (*configured)(void *owner, const struct core *core);
    /* Sets the delays of the core's bursts of accesses to L1, in the window of its time (burst.h). Returns false if
     * another core comes first. NULL: no other agent uses L1. */
    bool (*share_l1)(void *owner, struct core *core);
    /* Returns a CSR that reflects the tile's state (tt_cfg_qstatus, bstatus, sstatus on TRISCs). */
    uint32_t (*status_csr)(void *owner, const struct core *core, unsigned csr);
};

/* How a polling loop with one load from L1 uses the L0 data cache. UNCACHED: not at all, because there is no such load
 * or the cache is off. MISSES: the load misses in each iteration, because a fence empties the cache. HITS: the load
 * hits until the cache drops all lines. */
enum core_poll_l0 { POLL_UNCACHED, POLL_MISSES, POLL_HITS };

/* A word that a polling loop reads, and the time of the load within an iteration. */
struct core_watch {
    uint32_t address, size;
    uint32_t offset; /* cycles from the top of the loop to the load */
};

/* An instruction of a polling loop, decoded. */
struct core_step {
    uint32_t word;
    struct rv_insn insn;
    uint8_t kind;           /* how a trial iteration treats it (poll.c) */
    uint8_t size;           /* of a load, bytes */
    bool sign;              /* of a load, sign-extended */
    uint32_t reads, writes; /* masks of x registers */
};

/* State of the vector extension, VLEN 128. Only TRISC2 has it (rvv/vec.h). */
struct vec_state {
    uint8_t v[32][16];
    uint32_t vl, vtype, vlenb, vxsat, vxrm;
    uint32_t wait_word, wait_done; /* the load or store that waits, or 0, and how many of its accesses are done */
};

struct core {
    /* Hot: the fields that the interpreter and the scheduler use, in as few cache lines as possible. */
    _Alignas(64) uint32_t pc; /* of the next instruction, while the interpreter is not running */
    uint8_t state;            /* enum bh_core_state */
    uint8_t id;               /* enum bh_core */
    bool preempted;           /* leave the interpreter after this instruction */
    bool moved;               /* pc and time were set from outside (reset, interrupt) during this instruction */
    uint64_t retired;         /* instructions since the reset of the chip */
    int64_t stalled; /* cycles in which no instruction retired, less instructions that retired together with another one
                        (.ttinsn fusion), so it may be negative; core time = retired + stalled */
    int64_t store_free8;   /* time at which the store queue has drained its L1 stores, in eighths */
    uint32_t store_last;   /* address of the last L1 store, for merging */
    uint32_t ldm_limit;    /* bytes of local memory on the fast path; 0 while it is being swept */
    uint8_t *l1;           /* wiring, which the tile sets once */
    struct rv_slot *slots; /* CORE_L1_SIZE / 4 slots, followed by a page of zeros */
    int64_t limit8;        /* end of the present run, in eighths of a cycle */

    /* State of a polling loop that takes `poll_cycles` and reads the words in `watch`. On its own cache line, with the
     * first word. */
    uint8_t waits_on;                 /* enum wait: the reason while blocked, polling or paused */
    uint64_t poll_time, poll_retired; /* time and instruction count when the loop's branch was last taken */
    uint32_t poll_pc;                 /* the pc of that branch */
    uint32_t waits_at;                /* while blocked: the address of the access; while polling: of a polled word */
    uint32_t poll_cycles, poll_instructions;
    uint32_t poll_last;     /* time within an iteration at which the operands of the closing branch are available */
    bool watches_registers; /* the loop reads more than L1: any event of the tile wakes the core */
    uint8_t poll_l0;        /* enum core_poll_l0 */
    uint32_t poll_miss;     /* with POLL_HITS: additional cycles of an iteration whose load misses */
    uint32_t poll_at;       /* with POLL_HITS: the address of the load */
    uint32_t watch_count;
    struct core_watch watch[CORE_WATCH_MAX];

    uint8_t *marks;          /* wiring: MARK_... for each grain of L1 */
    uint32_t x[33];          /* x[32] takes the writes to x0 */
    uint32_t l1_limit[3];    /* sizes of L1 for accesses of bytes, halfwords and words */
    int64_t ready8[33];      /* time at which the register's last load or multiply delivers, in eighths (interp.h) */
    struct core_fetch fetch; /* unused with loose timing */
    uint64_t float_ready;    /* time at which the last load or operation on an f register delivers */

    /* Configuration */
    const char *name;            /* NULL: the name that belongs to the number */
    uint32_t l1_size;            /* bytes, at most CORE_L1_SIZE; 0: CORE_L1_SIZE */
    uint32_t ldm_size;           /* bytes */
    uint32_t default_pc;         /* pc after a reset without an override */
    bool loose;                  /* loose timing */
    bool sleepless;              /* never sleep in polling loops; for tests */
    struct coverage *coverage;   /* of the tile */
    struct slot_memo *memo;      /* of the chip; NULL: none */
    struct observer *observer;   /* of the tile; NULL: not observed */
    struct profile *profile;     /* NULL: no profile */
    struct observe_steps *steps; /* NULL: instructions are not recorded one by one */
    uint8_t reports;             /* CORE_REPORTS_...: receivers of a report of every instruction (core_port.step) */
    uint8_t debugged;            /* CORE_DEBUG_...: debuggers to ask before each instruction (core_port.debug) */
    bool caches;                 /* derived: loads from L1 go through the L0 data cache (core_configured) */
    const struct core_port *port;
    void *owner;

    /* Saved state */
    uint32_t f[32];
    uint32_t cfg0, fcsr;
    uint32_t pmacfg[2], scratch[4]; /* CSRs 7C1..7C2 and 7C3..7C6 */
    uint32_t sstatus[8];            /* scratch on BRISC and NCRISC */
    uint32_t frozen_status[2];      /* qstatus and bstatus as written while cfg0.DisTTStatusReg is set */
    uint32_t mcountinhibit, hpm_event[2];
    uint64_t hpm_counter[2];
    uint64_t cycle_base, retired_base; /* offsets of mcycle and minstret */
    uint64_t waited;                   /* instructions that had retired when the core was last blocked, plus 1 */
    uint32_t intp_restore_pc;          /* the CSR of this name */
    uint32_t return_pc;                /* target of mret */
    bool in_interrupt;
    uint64_t ldm_ready;      /* time at which the sweep of local memory ends */
    struct core_burst burst; /* unused with loose timing */
    struct core_l0 l0;       /* unused with loose timing */
    struct fetch_code code;  /* unused with loose timing */
    uint8_t ldm[CORE_LDM_MAX];
    struct vec_state vec; /* TRISC2 only */

    struct core_step step[CORE_LOOP_MAX]; /* derived: the instruction decoded last, by pc / 4 modulo CORE_LOOP_MAX */
    struct bh_fault fault;                /* valid in BH_CORE_FAULTED */
};

/* Returns the instruction that the core sees at pc. If the core's instruction cache and L1 differ, that is the one in
 * the cache. Precondition: pc lies in L1. */
static inline uint32_t core_word(const struct core *core, uint32_t pc) {
    const uint8_t *old = core->fetch.old ? fetch_old(&core->fetch, &core->code, pc) : NULL;
    uint32_t word;
    memcpy(&word, old ? old : core->l1 + pc, sizeof word);
    return word;
}

static inline const char *core_name(const struct core *core) {
    return core->name ? core->name : bh_core_name((enum bh_core)core->id);
}

static inline bool core_is_trisc(const struct core *core) {
    return core->id >= BH_TRISC0 && core->id <= BH_TRISC2;
}

/* Returns whether the core executes adjacent .ttinsn in one cycle. */
static inline bool core_fuses(const struct core *core) {
    return core_is_trisc(core) && !(core->cfg0 & CFG0_DIS_TTINSN_FUSION);
}

/* Returns the core's own time, in cycles. */
static inline uint64_t core_time(const struct core *core) {
    return core->retired + (uint64_t)core->stalled;
}

/* Returns whether the core is at an instruction whose access has had to wait. */
static inline bool core_repeats(const struct core *core) {
    return core->waited == core->retired + 1;
}

/* Returns the end of the present run (core_run). */
static inline uint64_t core_limit(const struct core *core) {
    return (uint64_t)core->limit8 / 8;
}

/* Sets the power-on state: in reset. Precondition: wiring and configuration are set. */
void core_init(struct core *core);
extern const struct state_table core_state;
/* Enter and leave soft reset (SoftReset.md). keep_ldm: the core's bit of DISABLE_RESET, which keeps its local
 * memory. */
void core_hold(struct core *core);
void core_release(struct core *core, uint32_t pc, uint64_t time, bool keep_ldm);

/* Runs the core until core_time >= limit or its state is no longer BH_CORE_RUNNING. lockstep: stop after the first
 * instruction that reaches the limit; without it the core may overrun by up to 32 instructions. */
void core_run_cycles(struct core *core, uint64_t limit, bool lockstep);
void core_run_loose(struct core *core, uint64_t limit, bool lockstep);
static inline void core_run(struct core *core, uint64_t limit, bool lockstep) {
    (core->loose ? core_run_loose : core_run_cycles)(core, limit, lockstep);
}

/* Tells a blocked core that the tile has pushed this many words of the row that the core is at. The core can push the
 * next group at `time`. */
void core_pushed(struct core *core, unsigned count, uint64_t time);

/* Wakes a blocked or polling core because of an event at `time`. A blocked core repeats its access. A polling core
 * continues with the first iteration whose load, `offset` cycles into the iteration, is not before `time`. */
void core_wake(struct core *core, uint64_t time, uint32_t offset);
/* Sets *time and *retired to the core's time and instruction count when the tile is at `now`, including the iterations
 * of a sleeping core. */
void core_observe(const struct core *core, uint64_t now, uint64_t *time, uint64_t *retired);
/* Record executed instructions (note.c). Precondition: core->steps is not NULL. step: the instruction at pc is about to
 * be executed, or tried again. waited: the core has slept since `start`, when `retired` instructions had retired.
 * settle: the last instruction is complete, provided that it has retired. */
void core_note_step(struct core *core);
void core_note_waited(struct core *core, uint64_t start, uint64_t retired);
void core_note_settle(struct core *core);
/* Brings the profile, if there is one, up to the core's time. */
void core_settle_profile(const struct core *core);
/* Enters an interrupt handler (PIC.md) at `time`. Precondition: the core is BRISC or NCRISC, and repeats no access. */
void core_interrupt(struct core *core, uint32_t handler_pc, uint64_t time);

/* Raises a fault: records core, pc and time, stops the core and reports to the tile. */
void core_fault(struct core *core, enum bh_fault_kind kind, uint32_t insn, uint64_t address, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Access a CSR; csr_peek reads without side effects. They return false if there is no such CSR. */
bool csr_read(struct core *core, unsigned csr, uint32_t *value);
bool csr_peek(const struct core *core, unsigned csr, uint32_t *value);
bool csr_write(struct core *core, unsigned csr, uint32_t value);
/* Returns whether the core has the CSR. Unlike csr_peek, does not ask the tile. */
bool csr_exists(const struct core *core, unsigned csr);
/* Returns whether an access to the CSR reads the state of the tile. */
bool csr_shows_tile(const struct core *core, unsigned csr);
/* Returns whether the CSR is a half of minstret or instret. */
bool csr_counts_instructions(unsigned csr);

/* Recomputes the members that follow from cfg0 and pmacfg. */
void core_configured(struct core *core);
/* Drops the decoded code of some blocks of the core's instruction cache. entries: a bit for each entry of the cache. */
void core_forget_blocks(struct core *core, uint32_t entries);
/* Empties the instruction cache of the core. */
void core_invalidate(struct core *core);
/* Drops the decoded code of [address, address + size). */
void core_forget(struct rv_slot *slots, uint8_t *marks, uint32_t address, uint32_t size);

/* Returns whether the branch is taken, given its operands; false for other instructions. */
static inline bool core_branches(enum rv_id id, uint32_t a, uint32_t b) {
    switch (id) {
    case RV_BEQ: return a == b;
    case RV_BNE: return a != b;
    case RV_BLT: return (int32_t)a < (int32_t)b;
    case RV_BGE: return (int32_t)a >= (int32_t)b;
    case RV_BLTU: return a < b;
    case RV_BGEU: return a >= b;
    default: return false;
    }
}

#endif
