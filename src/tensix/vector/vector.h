/* The Vector Unit (SFPU): 32 lanes of 32 bits, five sub-units, one regular instruction a cycle from all threads.
 *
 *     load | simple | MAD | round | store        SFPLOADMACRO schedules instructions for the last four (macro.c)
 *
 *     issue.c issue.h   when an instruction passes, late results, backdoor loads
 *     state.c           reset, derived members
 *     config.c flags.c move.c mad.c simple.c shift2.c swap.c round.c   the instructions; the arithmetic is in
 * numeric/lanes
 *
 * Sources: VectorUnit.md, LReg.md, SFP*.md (BH).
 */
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
    VECTOR_LREGS = 17,   /* 16 is for scheduled instructions only */
    VECTOR_NOWHERE = 17, /* receives results without a register */
    VECTOR_STACK = 8,
    VECTOR_TEMPLATES = 4,
    VECTOR_MACROS = 4,
    VECTOR_DELAYS = 8,
    VECTOR_LATE = 32, /* as many as there are registers, in two cycles */
};

/* Cycles of everything that takes more than one: results of the MAD sub-unit, SFPSWAP, SFPSHFT2 across lanes (issue.c).
 */
enum { VECTOR_LATENCY = TENSIX_LATENCY_SFPMAD };

/* The first four in the order of sequences. */
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

/* A result that can be read from cycle `at` on, in these lanes. */
struct vector_late {
    uint64_t at;
    uint32_t lanes;
    uint8_t lreg;
    uint32_t value[LANES] __attribute__((aligned(64)));
};

/* An instruction that SFPLOADMACRO has scheduled. */
struct vector_scheduled {
    uint32_t word;
    uint16_t address; /* of the load, for SFPSTORE */
    uint8_t vb, vc, vd, mod, thread;
};

/* Scheduled instructions of one column, or of all columns if these are equal. Sets have a byte for each sub-unit with a
 * bit for each delay: instructions with delay 0 execute in cycle vector.clock. */
struct vector_schedule {
    uint32_t waiting, by_instruction; /* by_instruction: those that count issued instructions, not cycles */
    uint32_t executing, left;         /* in vector.open_at, bit 0 of each byte; left: not executed yet */
    unsigned first;                   /* index of delay 0 in the rings */
    struct vector_scheduled ring[VECTOR_SCHEDULED][VECTOR_DELAYS];
    struct vector_scheduled now[VECTOR_SCHEDULED]; /* those that execute in vector.open_at */
};

/* The plan of a thread's loads and stores (plan.h, move.c). Its key is the thread, and VECTOR_MOVES_ROWS if all enabled
 * lanes move and Dst has no remapping; else the slow path finds rows one by one. */
enum { VECTOR_MOVES_ROWS = 4 };
struct vector_plan {
    struct plan of;
    uint32_t base;      /* added to the address and the counter */
    uint8_t format[16]; /* by Mod0, as in `formats` of move.c */
    uint16_t step[8];   /* of the counter, by ADDR_MOD; VECTOR_NO_STEP: the ADDR_MOD does more */
};
enum { VECTOR_NO_STEP = 0x400 };

struct vector {
    /* Saved state; what is big is last */
    uint64_t free_at;    /* first cycle in which it accepts a regular instruction; TENSIX_NEVER: in soft reset */
    uint64_t plain_from; /* from this cycle on no result is in flight and nothing is scheduled. TENSIX_NEVER: not
                          * known */
    uint64_t nop_at;     /* a cycle before free_at in which it accepts SFPNOP */
    uint64_t written_at; /* the cycle in which readers of these LRegs stall: */
    uint32_t written;
    uint32_t second; /* a mask of sub-units that what takes two cycles still has in cycle */
    uint64_t second_at;
    uint64_t unsure_at; /* cycle in which the new DISABLE_BACKDOOR_LOAD may or may not count */
    /* A forwarded result of the MAD sub-unit is in its LReg already. Instructions may not read it before this cycle:
     * until then `old_value` is what the LReg holds for them. */
    uint64_t forwarded_until;
    uint8_t forwarded;         /* the LReg */
    bool macros;               /* there are scheduled instructions (macro.c) */
    bool open;                 /* cycle open_at, which has scheduled instructions, is not over */
    uint16_t ticks;            /* cycles modulo 16 that have a landing queued */
    unsigned schedules;        /* one for all columns, or for each of them */
    uint64_t clock, open_at;   /* schedules hold the state at the start of cycle `clock` */
    unsigned late_at, lates;   /* a ring, in order of time */
    uint32_t flags, use_flags; /* LaneFlags, UseLaneFlagsForLaneEnable: a bit for each lane */

    /* Derived (vector_derive) */
    uint32_t enabled, rows_on; /* LaneEnabled; lanes that ROW_MASK leaves on */
    uint32_t no_backdoor, dest_index, exchange, fp16_inf, block_write, block_read; /* bits of LaneConfig by lane */
    uint32_t read_exchange, write_exchange;
    uint32_t capture_index; /* with dest_index */
    uint16_t block_mov;     /* a bit for each of 16 columns that moves of the Matrix Unit leave unchanged */
    uint16_t special_vd;    /* LRegs: an instruction that writes one may be a template, or meet the erratum */
    uint8_t rare_vd;        /* mask of bits 7:4 of a word: nonzero with VD if VD is in special_vd or no LReg */
    bool columns_differ;    /* in `macro` */
    bool moves_differ;      /* loads or stores skip lanes, or use other columns of Dst than those of the address */

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
    uint32_t before[VECTOR_LREGS][LANES] __attribute__((aligned(64))); /* LRegs at the start of open_at */

    /* Derived: statistics of the kernels, for speed */
    struct mad_habit habits[MAD_HABITS];
};

/* Returns whether the macro that this SFPLOADMACRO names has a store. */
bool vector_macro_stores(const struct vector *v, uint32_t word);

/* What an instruction does to LRegs, by bits, and to the lane flags. changes: reads or writes, or may (touch.c). */
struct vector_touch {
    uint32_t reads, writes, changes;
    bool uses_flags, sets_flags;
};
struct vector_touch vector_touches(uint32_t word);

struct tensix;

/* An instruction under way. */
struct vector_turn {
    struct tensix *x;
    struct vector *v;
    uint32_t (*in)[LANES]; /* LRegs as the instruction reads them */
    uint64_t now;
    uint32_t word;
    uint32_t lanes;  /* in which it acts, as far as VD decides: all, except for backdoor loads */
    unsigned thread; /* of the instruction */
    unsigned va, vb, vc, vd, mod;
    unsigned address; /* in Dst: SFPLOAD and SFPSTORE set it; a scheduled SFPSTORE uses it */
    bool plain;       /* plain_from is past: nothing is in flight */
    bool scheduled;   /* by SFPLOADMACRO */
    bool refused;     /* vector_refuse has been called */
};

void vector_init(struct vector *v);
/* Put the unit into soft reset, or release it, from this cycle on. */
void vector_hold(struct vector *v, uint64_t time);
void vector_leave(struct vector *v, uint64_t time);
/* Seeds the random numbers: PRNG_SEED has been written. */
void vector_seed(struct vector *v, uint32_t seed);
/* Call after every change of flags, use_flags, lane_config or macro. */
void vector_derive(struct vector *v);

/* Call after every change of flags or use_flags. */
static inline void vector_flags_changed(struct vector *v) {
    v->enabled = (v->flags | ~v->use_flags) & v->rows_on;
}

/* Returns the lanes whose stack of flags ends at this level. */
static inline uint32_t vector_top_lanes(const struct vector *v, unsigned level) {
    uint32_t above = level + 1 < VECTOR_STACK ? v->stack[level + 1].occupied : 0;
    return v->stack[level].occupied & ~above;
}

/* Returns the i-th late result. */
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

/* Undoes the forward and queues the result normally: the old value is needed. */
void vector_undo_forward(struct vector *v);

/* vector_forget_late drops late results for these lanes of the LReg that land before or in cycle `until`.
 * vector_find_late returns the late result for the LReg that lands in that cycle, or NULL. */
void vector_forget_late(struct vector *v, unsigned lreg, uint32_t lanes, uint64_t until);
struct vector_late *vector_find_late(struct vector *v, unsigned lreg, uint64_t at);

/* Returns the LReg for a result: VECTOR_NOWHERE if it is not writable. Drops late results that would land together with
 * it in the same lanes. */
static inline uint32_t *vector_out(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    if (!turn->plain && turn->v->lates)
        vector_forget_late(turn->v, lreg, lanes, turn->now + 1);
    return turn->v->lreg[vector_target(lreg)];
}

/* Returns room for the values of a result in these lanes that takes VECTOR_LATENCY. Precondition: the instruction is
 * the only one in its cycle. */
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

/* Likewise, for any instruction. Returns the same room again for the same LReg. */
static inline uint32_t *vector_out_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    struct vector_late *late = vector_find_late(turn->v, vector_target(lreg), turn->now + VECTOR_LATENCY);
    if (!late)
        return vector_new_late(turn, lreg, lanes);
    late->lanes |= lanes;
    return late->value;
}

/* Returns the LRegs as an instruction of two cycles reads them in its second one. Changes turn->in: reads of the first
 * cycle must come before. */
uint32_t (*vector_next_cycle(struct vector_turn *turn))[LANES];

/* Faults the thread instead of executing the instruction. Precondition: it has written nothing. */
void vector_refuse(struct vector_turn *turn, enum bh_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns a lane of an LReg as an instruction of this cycle that does not wait would read it. */
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

/* Starts a cycle in which scheduled instructions execute, or the cycle after one (macro.c). */
void vector_tick(struct tensix *x, uint64_t now);
/* Lets a regular instruction enter while instructions are scheduled. Returns false if it is discarded or refused. */
bool vector_join(struct vector_turn *turn, enum vector_sub_unit unit, bool executes);

/* Executes an instruction in its cycle: vector_SFPMAD(turn) ..., one for each row of vector.def. */
typedef void vector_action(struct vector_turn *turn);
#define VECTOR_OP(name, ...) vector_action vector_##name;
#include "tensix/vector/vector.def"

#endif
