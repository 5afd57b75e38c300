/* The Tensix coprocessor of a tile: three threads, the units after their gates, and the registers that they share.
 *
 *     core -> FIFO -> MOP expander -> FIFO -> Replay expander -> FIFO -> Wait Gate -> unit      (frontend/)
 *
 * Time. The model is exact to the cycle, but it costs time only for events: every thread knows the next cycle in which
 * its first instruction may pass its gate (`due`), and the earliest one is executed next. A thread that waits for
 * something without a known time has no due time until tensix_wake gives it one. A cycle sees the effects of earlier
 * cycles: an instruction that passes in cycle c changes the state that is seen from c + 1 on, or later where the
 * documents say so (tensix_land). If several threads are due in one cycle, the one that has waited longest goes first.
 *
 * The coprocessor does not run ahead of a core (tile.c). An access of a core at its time t takes effect from cycle t +
 * 1 on. A core reads or changes the coprocessor only when all other cores have reached its time, and after the
 * coprocessor has run up to that time (tensix_run). A TRISC may push words early: each word carries its first cycle in
 * the FIFO.
 *
 * Sources: Blackhole and Wormhole TensixCoprocessor/README.md and the pages that the folders list. */
#ifndef TENSIX_TENSIX_H
#define TENSIX_TENSIX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/state.h"
#include "bhemu.h"
#include "isa/access.h"
#include "isa/push.h"
#include "isa/tensix.h"
#include "isa/wait.h"
#include "hazard/hazard.h"
#include "observe/observe.h"
#include "tensix/config/config.h"
#include "tensix/count.h"
#include "tensix/frontend/frontend.h"
#include "tensix/frontend/gate.h"
#include "tensix/matrix/matrix.h"
#include "tensix/misc/misc.h"
#include "tensix/mover/mover.h"
#include "tensix/pack/pack.h"
#include "tensix/regs/adc.h"
#include "tensix/regs/dst.h"
#include "tensix/regs/packer.h"
#include "tensix/regs/rwc.h"
#include "tensix/regs/src.h"
#include "tensix/scalar/scalar.h"
#include "tensix/sync/sync.h"
#include "tensix/unpack/unpack.h"
#include "tensix/vector/vector.h"

#define TENSIX_NEVER UINT64_MAX

enum {
    TENSIX_THREADS = 3,
    TENSIX_GPRS = 64,
    TENSIX_LANDINGS = 64,
    TENSIX_SHARED = 256 /* loose: cycles for which a word of BRISC binds its thread (loose_order.h) */
};

struct tensix;

/* Functions that the tile provides to the coprocessor. Registers are those from 0xFFB11000 on, as BRISC sees them. */
struct tensix_port {
    struct access (*read)(void *owner, uint32_t address, uint64_t time, uint32_t *value);
    struct access (*write)(void *owner, uint32_t address, uint64_t time, uint32_t value);
    /* Reads a register of an overlay stream, without side effects. */
    struct access (*stream)(void *owner, unsigned stream, unsigned index, uint32_t *value);
    /* Announces a write to L1, so that an agent that has lent these bytes can copy them first. With loose timing
     * only. */
    void (*l1_changes)(void *owner, uint32_t address, uint32_t size);
    /* Reports that a unit has written L1. Wakes polling cores and discards decoded code. */
    void (*l1_written)(void *owner, enum bh_track unit, uint32_t address, uint32_t size, uint64_t time);
    /* Asks for a call of tensix_l1_written after every write to these bytes, by any agent. There is one range at a
     * time; size 0 ends the watch. */
    void (*watch_l1)(void *owner, uint32_t address, uint32_t size);
    /* Reports a change for which blocked or polling cores (a mask) may be waiting. They can see it from this time
     * on. */
    void (*event)(void *owner, uint64_t time, unsigned cores);
    void (*fault)(void *owner, const struct bh_fault *fault);
    /* Reports that `count` words of the thread's row have been pushed on behalf of its core, which can push the next
     * group at `time`. last: no words are left, and the core continues. Precondition: the core is blocked. */
    void (*row_pushed)(void *owner, unsigned thread, unsigned count, uint64_t time, bool last);
    /* Empties the instruction caches of these cores (a mask), after a write to RISCV_IC_INVALIDATE. */
    void (*invalidate)(void *owner, unsigned cores);
    /* Returns the time of a core, or TENSIX_NEVER if the core does not run. With loose timing only. */
    uint64_t (*core_time)(void *owner, enum bh_core core);
};

/* Pipelines that STALLWAIT, FLUSHDMA, bstatus and the done checks can see. */
enum tensix_busy {
    TENSIX_BUSY_SCALAR, /* the Scalar Unit itself */
    TENSIX_BUSY_MEMORY, /* outstanding memory requests of the Scalar Unit: condition C0 */
    TENSIX_BUSY_UNPACK0,
    TENSIX_BUSY_UNPACK1,
    TENSIX_BUSY_PACK,
    TENSIX_BUSY_MATRIX,
    TENSIX_BUSY_VECTOR,
    TENSIX_BUSY_CONFIG,
    TENSIX_BUSY_MOVER,
    TENSIX_BUSY_MISC,
    TENSIX_BUSY_COUNT
};

/* Stage 0 of a thread: a row of words that its TRISC pushes in groups, one group a cycle. While words are left the row
 * is attached: the core is blocked at the first of them, the FIFO has no room, and only a pass can make room. A pass
 * that makes room pulls one group, in the cycle in which the core would have pushed it (push.c). The row is derived
 * state: without it the core would be woken in that cycle and push the group itself. */
struct push_row {
    uint64_t time;                                /* first cycle in which the core can push the next group */
    uint32_t pc;                                  /* pc of the first word */
    uint8_t at, end;                              /* index of the next word, and number of words; equal: no row is
                                                   * attached */
    uint8_t counted;                              /* number of words that the core has counted as pushed */
    uint8_t group;                                /* FRONTEND_GROUP, or 1 */
    bool plain;                                   /* all words are plain (tensix_is_plain) */
    bool core_waits;                              /* the core is blocked; if false, its push is in progress */
    uint32_t word[PUSH_ROW_MAX + FRONTEND_GROUP]; /* padded, so that a whole group can be read at the last word */
};

static inline bool tensix_row_attached(const struct push_row *row) {
    return row->at < row->end;
}

struct tensix_thread {
    uint64_t due;          /* next cycle in which the first instruction may pass; TENSIX_NEVER: no instruction, or
                            * unknown */
    uint64_t frozen_until; /* no instruction of the thread passes before this cycle, because the Scalar Unit or the
                            * address stage of an unpacker still has one */
    uint64_t idle_at; /* first cycle in which no pipeline has an instruction of the thread: the maximum of busy[] */
    uint64_t busy[TENSIX_BUSY_COUNT]; /* first cycle in which the pipeline has nothing of this thread */
    struct gate gate;
    union {
        struct {
            bool room_wanted; /* a core waits for room in the FIFO */
            bool pass_wanted; /* a core waits until the next instruction has passed */
            bool idle_wanted; /* a core waits until the last instruction is done */
        };
        uint32_t wanted; /* the three flags above, the first in the lowest byte; nonzero: port->event wakes the cores */
    };
    bool faulted;
    bool by_brisc;         /* loose: the current turn executes a word that BRISC has pushed */
    uint32_t pc;           /* loose: pc of the core's instruction that pushed the current or last word */
    uint8_t batch_backoff; /* number of turns for which no batch is tried (turn.c) */
    uint64_t clock;        /* loose: the thread's clock, which counts the cycles of its own words (loose_order.h) */
    uint64_t shared_at;    /* loose: clock of the last word that BRISC or the debug bus has pushed; 0: not recently */
    uint64_t shared[TENSIX_SHARED / 64]; /* loose: bit c % TENSIX_SHARED is set if such a word has been pushed at clock
                                          * c, one of the last TENSIX_SHARED clocks up to shared_at */
    uint64_t room_at;                    /* with room_wanted: before this cycle only a pass can make room; 0: unknown */
    uint8_t waits_on; /* enum wait: why the first instruction did not pass at its last attempt; WAIT_NONE: no attempt
                       * yet */
    struct frontend frontend;
    struct bh_fault fault; /* valid when faulted */
    struct push_row row;   /* derived */
    uint8_t unused[8];     /* padding, so that a shift gives the address of a thread */
};
_Static_assert(sizeof(struct tensix_thread) == 2048, "a power of two");

enum tensix_where {
    TENSIX_LAND_WORD, /* a plain word of a bank of Config (config_is_plain) */
    TENSIX_LAND_GPR,
    TENSIX_LAND_CONFIG,
    TENSIX_LAND_STREAM,
    TENSIX_LAND_ADC,
    TENSIX_LAND_MISC,  /* not a result: an instruction of the Miscellaneous Unit */
    TENSIX_LAND_BANKS, /* a change to the owners of Src's banks (struct src_change) */
    TENSIX_LAND_VECTOR /* not a result: a cycle of the Vector Unit with scheduled instructions, or the one after it */
};

/* A landing: a result that is written at the beginning of cycle `time`. */
struct tensix_landing {
    uint64_t time;
    union {
        struct {
            uint8_t where; /* enum tensix_where */
            uint8_t owner; /* thread, or bank of Config (CONFIG_BOTH: both) */
            uint8_t index; /* first GPR or word of Config, or number of a counter (adc_set_flop) */
            uint8_t size;  /* bytes: 1, 2, 4 or 16; Config: 4 or 16 */
            bool by_rmw;   /* Config: RMWCIB writes it */
            bool by_core;  /* Config: a core's store writes it */
        };
        uint64_t key; /* the members above as one number, the first in the lowest byte */
    };
    uint32_t value[4]; /* for TENSIX_LAND_STREAM, which is not a result yet: stream and register */
};

static inline uint64_t landing_key(unsigned where, unsigned owner, unsigned index, unsigned size) {
    return where | owner << 8 | index << 16 | size << 24;
}
#define LANDING_BY_RMW  (UINT64_C(1) << 32)
#define LANDING_BY_CORE (UINT64_C(1) << 40)

/* A batch: words of a lane that try to pass one after the other, after which the frontend is updated once. */
struct tensix_batch {
    struct frontend *frontend;
    struct tensix_thread *thread; /* the thread that owns the words, and its number */
    unsigned number;
    struct push_row *row;           /* attached row whose groups are pushed as room becomes free; NULL: none */
    bool paced;                     /* a word may reach the gate only after its predecessor has passed, so words cannot
                                     * pass as a row (batch.h) */
    uint64_t mop_free;              /* frontend.mop_free after the words that have passed */
    unsigned size, left;            /* number of words, and number of those that have not passed */
    uint64_t after[FRONTEND_FIRST]; /* for each pass, the cycle after it; the index is the number of words left after
                                     * the pass */
};

struct tensix {
    /* Members that every instruction uses come first, within the reach of one host instruction; large ones come last.
     * Saved state */
    uint64_t time;         /* every cycle before this one has been run */
    uint64_t look_at;      /* no latched wait has to be tested before this cycle */
    uint64_t next_landing; /* time of the first landing, or TENSIX_NEVER */
    uint64_t last_landing; /* no landing is later than this */
    uint64_t data_due;     /* the earlier of unpack.due and pack.due */
    uint64_t alarm;        /* cycle in which waiting cores are woken; TENSIX_NEVER: none */
    uint32_t held;         /* the value of SOFT_RESET_0 */
    uint8_t undecided;     /* a mask of threads whose latched waits have not been met yet */
    uint8_t debug_owns; /* a mask of threads whose FIFO the debug bus has (INSTRN_BUF_CTRL0): cores' pushes are lost */

    /* Valid while tensix_run runs */
    bool running;                /* tensix_run is running */
    uint8_t direct_push_mask;    /* loose: a mask of threads whose next word, if it is plain, needs nothing but its
                                  * handler, as long as handler_only_until is TENSIX_NEVER */
    uint64_t until;              /* the run ends before this cycle */
    uint64_t next_other_event;   /* before this cycle only the thread whose turn it is acts (clock.h) */
    uint64_t handler_only_until; /* before this cycle the words of that thread need nothing but their handlers
                                  * (clock.h) */
    uint64_t lead;               /* loose: `time` minus the clock of the thread or core that acts */
    uint64_t yield_at;           /* loose: no word has to let another thread go first up to this cycle */
    uint64_t limit;              /* loose: clock at which the current turn ends */
    uint64_t core_clock;         /* loose: first cycle in which the last push of a core is visible */
    uint64_t event_at;           /* loose: clock of the last change for which threads may wait */
    uint64_t handed_at;          /* loose: clock of the last hand-over of a bank of Src to the Matrix Unit; 0: the
                                  * Matrix Unit has seen it */
    uint8_t handed_by;           /* loose: the thread that unpacked that bank */
    bool src_bound;              /* loose: in the current turn, words that use Src check the other threads first */
    struct tensix_batch *batch;  /* the current batch, or NULL */

    /* Wiring */
    struct observer *observer;   /* NULL: no observer */
    struct hazard_tile *hazards; /* NULL: no search for hazards */
    struct vary_tile *vary;      /* NULL: nothing varies */
    const struct tensix_port *port;
    void *owner;
    uint8_t *l1;
    struct internal_error *error;
    bool loose; /* loose timing: words are executed when they are pushed (loose.c) */

    /* Saved state */
    uint8_t counting;              /* a mask of the banks of performance counters that run (count.h) */
    unsigned landing_at, landings; /* first element and length of the ring */
    struct rwc rwc[TENSIX_THREADS];
    struct matrix matrix;
    struct sync sync;
    struct scalar scalar;
    struct packer packer;
    struct mover mover;
    struct adc adc[TENSIX_THREADS][ADC_COUNT];
    struct config config;
    struct tensix_thread thread[TENSIX_THREADS];
    struct pack pack;
    struct unpack unpack;
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    struct tensix_landing landing[TENSIX_LANDINGS]; /* by time, then in the order in which they were queued
                                                     * (tensix_landing_place) */
    struct vector vector;
    struct src src;
    struct dst dst;
    struct count count;

    /* Derived */
    struct matrix_prepared prepared; /* derived from src */
    struct tensix_plans {
        struct pack_plan pack;
        struct unpack_plans unpack;
        struct vector_plan moves;
        struct matrix_plan matrix[MATRIX_MOVES];
        struct matrix_zero_plan zero;
    } plans; /* derived from the configuration (plan.h) */
};

void tensix_init(struct tensix *x); /* Precondition: the wiring is set. */
extern const struct state_table tensix_state;

/* Runs every cycle before `until`. Returns false if the run has stopped earlier because it has woken a core that may
 * push (tensix_stop_at). */
bool tensix_run(struct tensix *x, uint64_t until);
/* Returns the next cycle in which something happens in the coprocessor, or TENSIX_NEVER if only another agent can cause
 * anything. */
uint64_t tensix_due(const struct tensix *x);
/* Ends the current run before this cycle, because a core that has been woken may push in it. */
void tensix_stop_at(struct tensix *x, uint64_t time);
/* Returns whether neither the frontend nor any pipeline has an instruction of the thread. Precondition: every cycle
 * before `now` has been run. */
bool tensix_idle(struct tensix *x, unsigned thread, uint64_t now);

/* ---- For the units ------------------------------------------------------------------------- */

/* A handler: execute_<NAME>, one for each row of isa/tensix.def whose state is `done`. The instruction `word` is at the
 * gate of its thread and tries to enter its unit in cycle `now`. In check builds, clock_verify (clock.h) checks this
 * contract after every call. The functions in brackets make the announcements.
 *
 * A handler may assume:
 * - The state is that at the beginning of cycle `now`: results due by then have landed, units have done what was due
 *   before, and latched waits that could be met have been tested. Other threads may already have passed words in the
 *   same cycle.
 * - Neither the gate nor Auto TTSync holds the word. The thread has not faulted and is not frozen.
 * - `now` is the time, in both timings. x->time is not: it is the cycle at which the run began.
 * - The thread has no due time; the caller sets one from the returned value.
 * - If next_other_event > now, nothing else acts before next_other_event, so an effect of the next cycle may be stored
 *   at once. Otherwise another thread may still try in this cycle, and the effect has to land (matrix_change_banks).
 * - Nothing about the frontend of the thread: in a batch (x->batch) it still has words that have passed, and its stages
 *   are advanced only when something reads them. A handler that can show or change the frontend calls tensix_end_batch
 *   first.
 *
 * A handler returns
 * - TENSIX_PASSED: everything that the instruction does has been done or is queued.
 * - TENSIX_PASSED_NEXT: the same for cycle now + 1. Precondition: nothing else happens before the end of that cycle
 *   (clock_nothing_else_next).
 * - BATCH_ROW_PASSED (batch.h), in a batch only: words after it have passed as well.
 * - A later cycle, from tensix_hold, which records the reason: the instruction tries again in that cycle. It has
 *   changed nothing: no register, counter, semaphore, latched wait or landing. (What a unit records about the attempt
 *   itself may change.)
 * - TENSIX_NEVER: from tensix_hold, if only an event (tensix_wake) lets the word try again; from tensix_fault, if it
 *   never does.
 *
 * Before it returns, a handler announces every later effect of its word:
 * - a result that others see in a later cycle than the next (tensix_land; time > now);
 * - that the thread passes nothing before a later cycle than the next (tensix_freeze), or latches a wait (gate.c);
 * - a job, and any other change of a unit's due time (tensix_data_due, mover_set_due, tensix_alarm);
 * - a change for which held threads, latched waits, unpackers or cores may be waiting (tensix_wake, from now + 1 on);
 * - the end of the time for which a pipeline has something of the thread, if that is more than this cycle
 *   (tensix_busy_until);
 * - changed words of configuration (config_changed), and writes to L1 (tensix_l1_changes, port->l1_written). */
typedef uint64_t tensix_handler(struct tensix *x, unsigned thread, uint32_t word, uint64_t now);

#define TENSIX_OP(opcode, name, ...) tensix_handler execute_##name;
#include "isa/tensix.def"

#define TENSIX_PASSED      UINT64_C(0)
#define TENSIX_PASSED_NEXT UINT64_C(1)

/* Records why an instruction does not pass. Returns `until`, the cycle in which it may try again; TENSIX_NEVER: only
 * after an event. */
static inline uint64_t tensix_hold(struct tensix *x, unsigned thread, uint64_t until, enum wait why) {
    x->thread[thread].waits_on = (uint8_t)why;
    return until;
}

/* Records that the pipeline has an instruction of the thread until this cycle. For instructions that end in the cycle
 * in which they pass, no call is needed: nothing can look before the next cycle. */
static inline void tensix_busy_until(struct tensix *x, unsigned thread, enum tensix_busy pipeline, uint64_t until) {
    struct tensix_thread *t = &x->thread[thread];
    if (until > t->idle_at)
        t->idle_at = t->busy[pipeline] = until;
    else if (until > t->busy[pipeline])
        t->busy[pipeline] = until;
}

/* Does what tensix_busy_until does, but the time may be earlier than the recorded one. */
void tensix_set_busy(struct tensix_thread *t, enum tensix_busy pipeline, uint64_t until);
/* Records that from this cycle on the pipeline has no instruction of any thread. */
void tensix_forget_busy(struct tensix *x, enum tensix_busy pipeline, uint64_t until);

/* Announces a change that can be seen from this cycle on. Threads that wait without a due time try again, latched waits
 * are tested again, and cores that wait for registers of the tile are woken. */
void tensix_wake(struct tensix *x, uint64_t time);

/* Ends the batch: brings the frontend of the current thread to the state that it would have without one. Instructions
 * that can show the frontend call it first. */
void tensix_end_batch(struct tensix *x);

/* Faults the thread, which stops. Returns TENSIX_NEVER, for handlers. */
uint64_t tensix_fault(struct tensix *x, unsigned thread, enum bh_fault_kind kind, uint32_t word, uint64_t address,
                      uint64_t now, const char *format, ...) __attribute__((format(printf, 7, 8)));

/* Returns the context that an UNPACR uses. */
static inline unsigned unpack_context(const struct tensix *x, unsigned thread, unsigned unpacker, uint32_t word) {
    struct tensix_UNPACR op = tensix_decode_UNPACR(word);
    const uint16_t *own = x->config.thread[thread];
    unsigned offset = unpacker ? CONFIG_GET(own, UNPACK_MISC_CFG_CfgContextOffset_1)
                               : CONFIG_GET(own, UNPACK_MISC_CFG_CfgContextOffset_0);
    unsigned context = op.AutoIncContextID ? x->config.context_count[thread][unpacker] : op.CfgContextId;
    return op.OvrdThreadId ? (context + offset) & 7 : 0;
}

/* Returns whether every attempt of an instruction has to be reported. */
static inline bool tensix_is_watched(const struct tensix *x) {
    return x->observer || x->hazards;
}

/* Returns a 16-bit half of the thread's GPRs: 2 * n is the low half of GPR n, as in the memory of a little-endian
 * host. */
static inline uint16_t tensix_half(const struct tensix *x, unsigned thread, unsigned half) {
    uint16_t value;
    memcpy(&value, (const uint8_t *)x->gpr[thread] + sizeof value * half, sizeof value);
    return value;
}

static inline void tensix_set_half(struct tensix *x, unsigned thread, unsigned half, uint16_t value) {
    memcpy((uint8_t *)x->gpr[thread] + sizeof value * half, &value, sizeof value);
}

/* Returns the bank of Config that a thread uses. */
static inline unsigned tensix_bank(const struct tensix *x, unsigned thread) {
    return CONFIG_GET(x->config.thread[thread], CFG_STATE_ID_StateID);
}

/* Writes a word of Config. Precondition: the word is plain (config_is_plain). */
static inline void tensix_store_plain(struct tensix *x, unsigned bank, unsigned index, uint32_t value) {
    if (BH_LIKELY(!config_discards(x->held, index))) {
        x->config.bank[bank][index] = value & ~config_missing[index];
        config_changed(&x->config);
    }
}

/* Returns the stream that a selector of 0..3 in STREAMWAIT and STREAMWRCFG stands for. */
static inline unsigned tensix_stream(const struct tensix *x, unsigned thread, unsigned select) {
    return x->config.thread[thread][CONFIG_WORD_STREAM_ID_SYNC_SEC0_BankSel + select] & 63;
}

/* ---- For the tile -------------------------------------------------------------------------- */

/* Reports a write to watched bytes of L1 (port->watch_l1), which is visible from this cycle on. */
void tensix_l1_written(struct tensix *x, uint32_t address, uint32_t size, uint64_t time);
/* Applies a new value of SOFT_RESET_0. */
void tensix_soft_reset(struct tensix *x, uint32_t value, uint64_t time);

/* Accesses of cores, at the time of the core; everything before that time is run first (window.c). Threads are 0..2. */
/* Words that a core pushes (push.c). */
struct tensix_push {
    const uint32_t *words;
    unsigned shape;   /* isa/push.h */
    uint32_t pc;      /* pc of the first word */
    uint64_t time;    /* cycle in which the core pushes the first group; on return, that in which it can push the next
                       * one */
    uint64_t limit;   /* the core pushes only the first group from this cycle on */
    uint64_t horizon; /* no other agent acts before this cycle: the coprocessor may run up to it */
    bool in_turn;     /* no other core is at an earlier time: the coprocessor may run up to `time` */
    bool attaches;    /* a row that has to wait may stay attached */
    unsigned pushed;  /* on return: number of words in the FIFO, even if the rest of the row waits */
};
/* Pushes as many words as there is room for. ACCESS_DONE: all of them; otherwise the core waits or tries again. */
struct access tensix_push(struct tensix *x, enum bh_core core, unsigned thread, struct tensix_push *push);
/* Pushes all words of a row for the thread's own TRISC, if they are plain and there is room for all of them before
 * the limit. Returns their number; 0 if it has done nothing. With cycle timing only. */
unsigned tensix_put(struct tensix *x, unsigned thread, const uint32_t *words, unsigned shape, uint32_t pc,
                    uint64_t time, uint64_t limit);
/* Does the same for one plain word. Returns false if it has done nothing. */
bool tensix_put_word(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t time);
/* Pulls a group of the attached row after a pass, which has made room from cycle `room` on. Returns false if there is
 * no row, or another agent may act before the core does. */
bool tensix_pull(struct tensix *x, unsigned thread, uint64_t room);
/* Lets the core count the words that have been pulled so far. The row stays attached. */
void tensix_count_row(struct tensix *x, unsigned thread);
/* Detaches the row: when it is woken, the core pushes the rest itself. */
void tensix_detach_row(struct tensix *x, unsigned thread);
/* Says whether the thread's TRISC can push several words at once. */
void tensix_core_fuses(struct tensix *x, unsigned thread, bool fuses);
/* Executes words of a TRISC with loose timing, or queues them behind a word that waits (loose.c). Returns how many; 0:
 * the core is woken when there is room. */
unsigned loose_push(struct tensix *x, unsigned thread, const uint32_t *words, unsigned shape, uint32_t pc,
                    uint64_t time);
/* Announces a write of the coprocessor to L1 (tensix_port.l1_changes). */
static inline void tensix_l1_changes(struct tensix *x, uint32_t address, uint32_t size) {
    if (BH_UNLIKELY(x->loose))
        x->port->l1_changes(x->owner, address, size);
}
/* Converts a cycle of the coprocessor's time to the clock of the acting thread or core (loose.c). */
static inline uint64_t tensix_clock(const struct tensix *x, uint64_t cycle) {
    if (BH_LIKELY(!x->loose) || (!x->running && cycle > x->time))
        return cycle;
    return cycle > x->lead ? cycle - x->lead : 0;
}
/* Loose: records that a job of this thread has handed a bank of Src to the Matrix Unit, at this clock. */
static inline void tensix_note_hand_over(struct tensix *x, unsigned thread, uint64_t clock) {
    x->handed_at = clock;
    x->handed_by = (uint8_t)thread;
    x->event_at = clock > x->event_at ? clock : x->event_at;
    x->yield_at = 0;
}
/* Loose: records that BRISC or the debug bus has pushed to the thread, at this clock. */
void loose_shared(struct tensix *x, unsigned thread, uint64_t clock);
/* Loose: runs the threads that can continue. For a core that is about to write state which their words use. */
void loose_catch_up(struct tensix *x);
/* Loose: finishes landings and the work of units up to this cycle. */
void loose_finish(struct tensix *x, uint64_t until);
static inline void tensix_catch_up(struct tensix *x) {
    if (BH_UNLIKELY(x->loose))
        loose_catch_up(x);
}
struct access tensix_gpr_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value);
struct access tensix_gpr_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value);
struct access tensix_config_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value);
struct access tensix_config_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value);
struct access tensix_mop_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value);
struct access tensix_semaphore_read(struct tensix *x, uint32_t offset, uint64_t time, uint32_t *value);
struct access tensix_semaphore_peek(const struct tensix *x, uint32_t offset, uint32_t *value);
struct access tensix_semaphore_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time,
                                     uint32_t value);
/* Returns whether a core (enum bh_core) is a TRISC, which has a thread of its own: number core - BH_TRISC0. */
static inline bool tensix_has_thread(unsigned core) {
    return core - BH_TRISC0 < TENSIX_THREADS;
}

/* Auto TTSync: makes the access of a core that has a thread wait while words of that thread that touch the same
 * resources have not passed the gate. */
struct access tensix_sync_with_words(struct tensix *x, enum bh_core core, uint16_t resources, bool store,
                                     uint64_t time);
/* Makes a core's access wait for instructions of the thread. The next pass wakes the core, or the time at which the
 * wait may be over without one. Precondition: frontend_advance has been called. */
struct access tensix_wait_for_pass(struct tensix *x, unsigned thread, uint64_t time, enum wait why);
/* Does what tensix_idle does; if the thread is not idle, cores that wait are woken when it becomes idle. */
bool tensix_wait_idle(struct tensix *x, unsigned thread, uint64_t time);
/* Manual TTSync: executes CoprocessorDoneCheck (offset 0 from 0xFFE80004) and MOPExpanderDoneCheck (4). */
struct access tensix_done_check(struct tensix *x, unsigned thread, uint32_t offset, bool override, uint64_t time);
/* Makes this core's access to the TDMA-RISC registers wait if Auto TTSync holds it. */
struct access tensix_tdma_sync(struct tensix *x, enum bh_core core, bool store, uint64_t time);
/* Return tt_cfg_qstatus and tt_cfg_bstatus as a core sees them. */
uint32_t tensix_qstatus(struct tensix *x, enum bh_core core, uint64_t time);
uint32_t tensix_bstatus(struct tensix *x, enum bh_core core, uint64_t time);
/* Read INSTRN_BUF_STATUS; push a word for the debug bus, through INSTRN_BUF_CTRL0. */
uint32_t tensix_buf_status(struct tensix *x, uint64_t time);
void tensix_debug_control(struct tensix *x, uint32_t old_value, uint32_t value, uint32_t word, uint64_t time);

/* Access Dst as T0..T2 see it, with sizes of 1, 2 and 4 bytes (dst_window.c). offset: from the start of the window. */
struct access tensix_dst_read(struct tensix *x, enum bh_core core, uint32_t offset, unsigned size, uint64_t time,
                              uint32_t *value);
struct access tensix_dst_write(struct tensix *x, enum bh_core core, uint32_t offset, unsigned size, uint64_t time,
                               uint32_t value);
/* Applies a new value of DBG_FEATURE_DISABLE. */
void tensix_feature_disable(struct tensix *x, uint32_t value, uint64_t time);
/* Reads the value that DBG_ARRAY_RD_DATA shows for a value of DBG_ARRAY_RD_CMD (dst_window.c). */
struct access tensix_array_read(struct tensix *x, uint32_t command, uint64_t time, uint32_t *value);

/* ---- For reports (explain.c) ------------------------------------------------------------------ */

/* Sets *head to the instruction at a thread's gate. Returns false if there is none. */
bool tensix_at_gate(const struct tensix *x, unsigned thread, struct frontend_word *head);
/* Returns whether an instruction is at the thread's gate that only another agent can let pass. */
bool tensix_waits(const struct tensix *x, unsigned thread);
/* Writes a line that explains why that instruction waits, "" if it does not: "held by SEMWAIT: semaphore 1 (MATH_PACK)
 * is 0; only T1 has posted it, and T1 has nothing to do". */
void tensix_explain(const struct tensix *x, unsigned thread, char *text, size_t size);
/* Writes the part of that line about the latched wait: its unmet conditions, "" if all are met. */
void tensix_explain_latch(const struct tensix *x, unsigned thread, char *text, size_t size);
/* Returns a constant text that names what holds the first instruction of the thread, which has just tried to pass. For
 * a latched wait it names the condition that lasts longest. */
const char *tensix_held_by(const struct tensix *x, unsigned thread, uint32_t word, uint64_t now);

/* ---- Readers for the library (peek.c) --------------------------------------------------------
 *
 * They show the state at the beginning of cycle x->time, and change nothing: they advance a copy of the frontend. */

/* Copies a thread's frontend and advances every stage of the copy. */
void tensix_peek_frontend(const struct tensix *x, unsigned thread, struct frontend *copy);
void tensix_peek_wait(const struct tensix *x, unsigned thread, struct bh_wait *wait);
void tensix_peek_adc(const struct tensix *x, unsigned thread, enum adc_user user, struct bh_adc *adc);
void tensix_peek_rwc(const struct tensix *x, unsigned thread, struct bh_rwc *rwc);
void tensix_peek_src(const struct tensix *x, unsigned file, struct bh_src_info *info);
void tensix_peek_mop(const struct tensix *x, unsigned thread, struct bh_mop_info *info);
void tensix_peek_replay(const struct tensix *x, unsigned thread, struct bh_replay_info *info);

/* ---- For observers (observe.c). Precondition: there is one --------------------------------------------- */

/* Returns the track of the unit that an instruction enters (for unpackers, of unpacker 0); BH_TRACK_COUNT if it enters
 * none. */
unsigned tensix_track_of(const struct tensix_row *row);

/* The state before an instruction passes, as far as the instruction may change it. */
struct tensix_before {
    uint16_t dst;    /* the thread's counter of Dst */
    uint8_t context; /* UNPACR: the context that it uses */
    uint8_t bank[2]; /* the banks of Src that the Matrix Unit has */
    uint8_t unpacker_bank[2];
    uint16_t config;  /* SETC16: the word of ThreadConfig that it changes */
    uint32_t address; /* LOADIND, STOREIND, atomics: the address in L1 */
};

/* Draws the delay of the next event of a kind, for this agent and an instruction of this thread (delays.c). Returns it
 * in cycles. */
uint32_t tensix_draw(struct tensix *x, enum bh_delay_kind kind, unsigned agent, unsigned thread, uint64_t now);
static inline uint32_t tensix_delay(struct tensix *x, enum bh_delay_kind kind, unsigned agent, unsigned thread,
                                    uint64_t now) {
    return BH_LIKELY(!x->vary) ? 0 : tensix_draw(x, kind, agent, thread, now);
}

/* Report an instruction that has passed to the search for hazards (hazards.c). ends: it is the last part of the word
 * that the core has pushed. Precondition: x->hazards is not NULL. */
struct tensix_before tensix_hazards_before(const struct tensix *x, unsigned thread, uint32_t word);
void tensix_hazards_passed(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, bool ends,
                           const struct tensix_before *before, uint64_t now);
/* Reports that an unpacker has done its first job, before it hands the job's bank of Src over. */
void tensix_hazards_unpacked(struct tensix *x, unsigned unpacker, const struct unpack_job *job, uint64_t now);

/* Reports an attempt to pass the gate in cycle `now`. again: the value that the handler returned. */
void tensix_observe(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t now, uint64_t again);
/* Reports jobs that the unpackers have begun or ended, if any. */
void tensix_observe_unpackers(struct tensix *x, uint64_t now);
/* Reports that the mover is busy from this cycle to mover.busy_until, with `tasks` new tasks. */
void tensix_observe_mover(struct tensix *x, uint64_t from, uint32_t tasks);

#endif
