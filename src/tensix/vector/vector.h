/* The Vector Unit (SFPU): 32 lanes of 32 bits and five sub-units. All threads together issue one regular instruction a
 * cycle.
 *
 *     load | simple | MAD | round | store        SFPLOADMACRO schedules instructions for the last four (macro.c)
 *
 *     issue.c issue.h   when an instruction passes, late results, backdoor loads
 *     state.c           reset, derived members
 *     config.c flags.c move.c mad.c simple.c shift2.c swap.c round.c   the instructions; numeric/lanes has the
 * arithmetic
 *
 * Sources: VectorUnit.md, LReg.md, SFP*.md (BH). */
#ifndef TENSIX_VECTOR_VECTOR_H
#define TENSIX_VECTOR_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "bhemu.h"
#include "isa/tensix.h"
#include "numeric/lanes/lanes.h"
#include "tensix/plan.h"

enum {
    VECTOR_COLUMNS = 8,  /* lane = 8 * row + column; configuration is the same in all rows of a column */
    VECTOR_LREGS = 17,   /* LReg16 is for scheduled instructions only */
    VECTOR_NOWHERE = 17, /* a dummy that receives results for read-only registers */
    VECTOR_STACK = 8,
    VECTOR_TEMPLATES = 4,
    VECTOR_MACROS = 4,
    VECTOR_DELAYS = 8,
    VECTOR_LATE = 32, /* the most late results in flight: one for each register, in each of two cycles */
};

/* The number of cycles of everything that takes more than one: results of the MAD sub-unit, SFPSWAP, SFPSHFT2 across
 * lanes (issue.c). */
enum { VECTOR_LATENCY = TENSIX_LATENCY_SFPMAD };

/* The first four are in the order of a macro's sequence. */
enum vector_sub_unit { VECTOR_SIMPLE, VECTOR_MAD, VECTOR_ROUND, VECTOR_STORE, VECTOR_SCHEDULED, VECTOR_LOAD = 4 };

/* The programmable constants at reset. */
#define VECTOR_LREG11 0xBF800000u /* -1 */
#define VECTOR_LREG12 0x3B000000u /* 1/512 */
#define VECTOR_LREG13 0xBF2CC4C7u
#define VECTOR_LREG14 0xBEB08FF9u

/* Bits of LaneConfig. */
enum vector_lane_config {
    LANE_FP16A_INF = 1 << 0,
    LANE_NO_BACKDOOR = 1 << 1,
    LANE_DEST_INDEX = 1 << 2,
    LANE_CAPTURE_INDEX = 1 << 3,
    LANE_BLOCK_DEST_WRITE = 1 << 4,
    LANE_BLOCK_DEST_READ = 1 << 5,
    LANE_READ_EXCHANGE = 1 << 6,
    LANE_WRITE_EXCHANGE = 1 << 7,
    LANE_EXCHANGE_B_C = 1 << 8,
    LANE_BLOCK_DEST_MOV = 3 << 9,
    LANE_ROW_MASK = 15 << 12,
    LANE_CONFIG_BITS = 18,
};

/* A late result: from cycle `at` on it can be read, in these lanes. */
struct vector_late {
    uint64_t at;
    uint32_t lanes;
    uint8_t lreg;
    uint32_t value[LANES] __attribute__((aligned(64)));
};

/* An instruction that SFPLOADMACRO has scheduled. */
struct vector_scheduled {
    uint32_t word;
    uint16_t address; /* the load's address, for SFPSTORE */
    uint8_t vb, vc, vd, mod, thread;
};

/* The scheduled instructions of one column, or of all columns if their configurations are equal. A set has a byte for
 * each sub-unit with a bit for each delay: instructions with delay 0 execute in cycle vector.clock. */
struct vector_schedule {
    uint32_t waiting, by_instruction; /* by_instruction: the subset of `waiting` whose delays count issued instructions,
                                       * not cycles */
    uint32_t executing, left;         /* those of cycle vector.open_at, bit 0 of each byte; left: those that have not
                                       * executed yet */
    unsigned first;                   /* index of delay 0 in the rings */
    struct vector_scheduled ring[VECTOR_SCHEDULED][VECTOR_DELAYS];
    struct vector_scheduled now[VECTOR_SCHEDULED]; /* the instructions that execute in vector.open_at */
};

/* The plan of a thread's loads and stores (plan.h, move.c). The key is the thread, plus VECTOR_MOVES_ROWS if the plan
 * applies: all enabled lanes move their own columns, and Dst has no remapping. Otherwise the slow path finds each
 * instruction's rows. */
enum { VECTOR_MOVES_ROWS = 4 };
struct vector_plan {
    struct plan of;
    uint32_t base;      /* value to add to the address and the counter */
    uint8_t format[16]; /* by Mod0, as in `formats` of move.c */
    uint16_t step[8];   /* step of the counter, by ADDR_MOD; VECTOR_NO_STEP: the ADDR_MOD does more than add */
};
enum { VECTOR_NO_STEP = 0x400 };

struct vector {
    /* Saved state; big members are last */
    uint64_t free_at;    /* first cycle in which the unit accepts a regular instruction; TENSIX_NEVER: in soft reset */
    uint64_t plain_from; /* from this cycle on no result is in flight and nothing is scheduled; TENSIX_NEVER: unknown */
    uint64_t nop_at;     /* a cycle before free_at in which the unit accepts SFPNOP */
    uint64_t written_at; /* the cycle in which readers of the LRegs in `written` stall */
    uint32_t written;
    uint32_t second; /* mask of the sub-units that an instruction of two cycles still occupies in second_at */
    uint64_t second_at;
    uint64_t unsure_at; /* cycle in which the hardware may use the old or the new DISABLE_BACKDOOR_LOAD */
    /* A forwarded result of the MAD sub-unit is in its LReg already, but instructions may not read it before this
     * cycle: until then they have to read `old_value`. */
    uint64_t forwarded_until;
    uint8_t forwarded;         /* the LReg that has the forwarded result */
    bool macros;               /* instructions are scheduled, or the second cycle of one is to come (macro.c) */
    bool open;                 /* cycle open_at has scheduled instructions and is not over */
    uint16_t ticks;            /* cycles modulo 16 that have a landing queued */
    unsigned schedules;        /* 1 if all columns share a schedule, else VECTOR_COLUMNS */
    uint64_t clock, open_at;   /* schedules hold the state at the start of cycle `clock` */
    unsigned late_at, lates;   /* first element and length of the ring `late`, which is in order of time */
    uint32_t flags, use_flags; /* LaneFlags, UseLaneFlagsForLaneEnable: a bit for each lane */

    /* Derived (vector_derive) */
    uint32_t enabled, rows_on; /* LaneEnabled; lanes that ROW_MASK leaves enabled */
    uint32_t no_backdoor, dest_index, exchange, fp16_inf, block_write, block_read; /* bits of LaneConfig, by lane */
    uint32_t read_exchange, write_exchange;
    uint32_t capture_index; /* a subset of dest_index */
    uint16_t block_mov;     /* a bit for each of 16 columns that moves of the Matrix Unit must not change */
    uint16_t special_vd;    /* the LRegs for which VD may mark a template, or the erratum of ENABLE_DEST_INDEX
                             * applies */
    uint8_t rare_vd;        /* mask for bits 7:4 of a word: a common bit means that VD may be in special_vd, or above
                             * LReg7 */
    bool columns_differ;    /* the columns' configurations of macros (`macro`) differ */
    bool moves_differ;      /* loads or stores skip lanes, or use other columns of Dst than the address selects */

    /* Wiring */
    const struct lanes *lanes;

    /* Saved state */
    uint32_t lreg[VECTOR_LREGS + 1][LANES] __attribute__((aligned(64)));
    uint32_t old_value[LANES] __attribute__((aligned(64)));
    uint32_t random[LANES];
    struct vector_flags {
        uint32_t occupied, flags, use_flags; /* lanes whose stack has this level, and their flags at it */
    } stack[VECTOR_STACK];
    uint32_t lane_config[VECTOR_COLUMNS];
    struct vector_macro_config {
        uint32_t template[VECTOR_TEMPLATES], sequence[VECTOR_MACROS];
        uint32_t misc;
    } macro[VECTOR_COLUMNS];
    struct vector_late late[VECTOR_LATE];
    struct vector_schedule schedule[VECTOR_COLUMNS];
    uint32_t before[VECTOR_LREGS][LANES] __attribute__((aligned(64))); /* the LRegs at the start of cycle open_at */

    /* Derived: statistics of the kernels, which only affect the speed of the host */
    struct mad_habit habits[MAD_HABITS];
};

/* Returns whether the macro of this SFPLOADMACRO includes a store. All columns agree, or the instruction faults. */
bool vector_macro_stores(const struct vector *v, uint32_t word);

/* The use that an instruction makes of LRegs (one bit each) and of the lane flags. changes: LRegs that it may read,
 * write, or both (touch.c). */
struct vector_touch {
    uint32_t reads, writes, changes;
    bool uses_flags, sets_flags;
};
/* Returns the use that a word makes of LRegs and lane flags when it executes. */
struct vector_touch vector_touches(uint32_t word);
/* Returns whether the word only becomes a template, in all columns. */
bool vector_is_template(const struct vector *v, uint32_t word);

struct tensix;

/* An instruction while its handler runs it. */
struct vector_turn {
    struct tensix *x;
    struct vector *v;
    uint32_t (*in)[LANES]; /* LRegs as the instruction reads them */
    uint64_t now;
    uint32_t word;
    uint32_t lanes;  /* the lanes in which the instruction acts, flags aside: all of them, except where it is a
                      * template */
    unsigned thread; /* the thread of the instruction */
    unsigned va, vb, vc, vd, mod;
    unsigned address; /* address in Dst: SFPLOAD and SFPSTORE set it; a scheduled SFPSTORE uses it as it is */
    bool plain;       /* nothing is in flight (plain_from is past) */
    bool scheduled;   /* SFPLOADMACRO has scheduled it */
    bool refused;     /* vector_refuse has been called */
};

void vector_init(struct vector *v);
/* Put the unit into soft reset, or take it out, from this cycle on. */
void vector_hold(struct vector *v, uint64_t time);
void vector_leave(struct vector *v, uint64_t time);
/* Seeds the random numbers. The caller has seen a write to PRNG_SEED. */
void vector_seed(struct vector *v, uint32_t seed);
/* Recomputes the derived members. Call it after every change of flags, use_flags, lane_config or macro. */
void vector_derive(struct vector *v);

/* Recomputes the members that depend on flags. Call it after every change of flags or use_flags. */
static inline void vector_flags_changed(struct vector *v) {
    v->enabled = (v->flags | ~v->use_flags) & v->rows_on;
}

/* Returns the lanes whose stack of flags has its top at this level. */
static inline uint32_t vector_top_lanes(const struct vector *v, unsigned level) {
    uint32_t above = level + 1 < VECTOR_STACK ? v->stack[level + 1].occupied : 0;
    return v->stack[level].occupied & ~above;
}

/* Returns the i-th late result, the earliest first. */
static inline struct vector_late *vector_late_number(struct vector *v, unsigned i) {
    return &v->late[(v->late_at + i) % VECTOR_LATE];
}

static inline unsigned vector_target(unsigned lreg) {
    return lreg < 8 || lreg == 16 ? lreg : VECTOR_NOWHERE;
}

/* Returns whether LReg v->forwarded holds a result that may not be read in this cycle. */
static inline bool vector_is_forwarded(const struct vector *v, uint64_t now) {
    return now < v->forwarded_until;
}

/* Undoes the forward and queues the result normally. For an instruction that needs the old value. */
void vector_undo_forward(struct vector *v);

/* vector_forget_late discards late results for these lanes of the LReg that land in cycle `until` or earlier.
 * vector_find_late returns the late result for the LReg that lands in cycle `at`, or NULL. */
void vector_forget_late(struct vector *v, unsigned lreg, uint32_t lanes, uint64_t until);
struct vector_late *vector_find_late(struct vector *v, unsigned lreg, uint64_t at);

/* Returns the LReg for a result; the dummy VECTOR_NOWHERE if the LReg is read-only. Discards late results that would
 * land in the same lanes in the same cycle. */
static inline uint32_t *vector_out(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    if (!turn->plain && turn->v->lates)
        vector_forget_late(turn->v, lreg, lanes, turn->now + 1);
    return turn->v->lreg[vector_target(lreg)];
}

/* Queues a result that takes VECTOR_LATENCY and returns the buffer for its values. Precondition: no other instruction
 * executes in this cycle. */
static inline uint32_t *vector_new_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    struct vector *v = turn->v;
    BH_ASSERT(v->lates < VECTOR_LATE);
    struct vector_late *late = vector_late_number(v, v->lates++);
    v->plain_from = UINT64_MAX;
    late->at = turn->now + VECTOR_LATENCY;
    late->lanes = lanes;
    late->lreg = (uint8_t)vector_target(lreg);
    return late->value;
}

/* Does the same without that precondition. A second call for the same LReg returns the same buffer. */
static inline uint32_t *vector_out_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    struct vector_late *late = vector_find_late(turn->v, vector_target(lreg), turn->now + VECTOR_LATENCY);
    if (!late)
        return vector_new_late(turn, lreg, lanes);
    late->lanes |= lanes;
    return late->value;
}

/* Returns the LRegs as an instruction of two cycles reads them in its second one. May change the LRegs that turn->in
 * points to: do all reads of the first cycle before the call. */
uint32_t (*vector_next_cycle(struct vector_turn *turn))[LANES];

/* Faults the thread instead of executing the instruction. Precondition: the instruction has not written anything. */
void vector_refuse(struct vector_turn *turn, enum bh_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns a lane of an LReg as an instruction that does not wait would read it in this cycle. */
uint32_t vector_peek(const struct vector *v, unsigned lreg, unsigned lane, uint64_t now);

/* ---- Inside the unit ------------------------------------------------------------------------------- */

/* Writes late results that can be read in cycle `now` to their LRegs. Precondition: vector_has_arrived. */
void vector_take_late(struct vector *v, uint64_t now);

/* Returns whether a late result can be read in cycle `now`. */
static inline bool vector_has_arrived(const struct vector *v, uint64_t now) {
    return v->lates && v->late[v->late_at].at <= now;
}

static inline void vector_arrive(struct vector *v, uint64_t now) {
    if (vector_has_arrived(v, now))
        vector_take_late(v, now);
}

/* Starts a cycle in which scheduled instructions execute, or the cycle after one (macro.c). Does nothing if the cycle
 * has started already. */
void vector_tick(struct tensix *x, uint64_t now);
/* Prepares a regular instruction's entry while instructions are scheduled. Returns false if the instruction is
 * discarded or refused. executes: it is not just a template. */
bool vector_join(struct vector_turn *turn, enum vector_sub_unit unit, bool executes);

/* Executes an instruction in its cycle: vector_SFPMAD(turn) and so on, one function for each row of vector.def. */
typedef void vector_action(struct vector_turn *turn);
#define VECTOR_OP(name, ...) vector_action vector_##name;
#include "tensix/vector/vector.def"

#endif
