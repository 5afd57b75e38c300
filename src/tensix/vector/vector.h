/* The Vector Unit (SFPU): 32 lanes of 32 bits, five sub-units, one regular instruction a cycle from all threads.
 *
 *     load | simple | MAD | round | store        SFPLOADMACRO schedules instructions for the last four (macro.c)
 *
 * issue.c, issue.h when an instruction passes, what it sees of results on their way, backdoor loads; state.c its state
 * config.c SFPCONFIG; flags.c predication; move.c Dst and immediates; mad.c, simple.c, swap.c, round.c the rest
 * The arithmetic is in numeric/lanes.
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
    VECTOR_NOWHERE = 17, /* takes results that have no register */
    VECTOR_STACK = 8,
    VECTOR_TEMPLATES = 4,
    VECTOR_MACROS = 4,
    VECTOR_DELAYS = 8,
    VECTOR_LATE = 32, /* as many as there are registers, in two cycles */
};

/* Cycles of whatever takes more than one: results of the MAD sub-unit, SFPSWAP, SFPSHFT2 across lanes (issue.c). */
enum { VECTOR_LATENCY = TENSIX_LATENCY_SFPMAD };

/* The first four in the order of sequences. */
enum vector_sub_unit { VECTOR_SIMPLE, VECTOR_MAD, VECTOR_ROUND, VECTOR_STORE, VECTOR_SCHEDULED, VECTOR_LOAD = 4 };

/* What the programmable constants are at first. */
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
    uint16_t address; /* that SFPLOADMACRO has loaded from, for SFPSTORE */
    uint8_t vb, vc, vd, mod, thread;
};

/* What is scheduled in a column, or in all of them alike. Sets have a byte for each sub-unit, and there a bit for each
 * delay: those with delay 0 execute in cycle vector.clock. */
struct vector_schedule {
    uint32_t waiting, by_instruction; /* the latter wait for instructions to be issued, not for cycles */
    uint32_t executing, left;         /* in vector.open_at: bit 0 of each byte; not done yet */
    unsigned first;                   /* place of delay 0 in the rings */
    struct vector_scheduled ring[VECTOR_SCHEDULED][VECTOR_DELAYS];
    struct vector_scheduled now[VECTOR_SCHEDULED]; /* those that execute in vector.open_at */
};

/* What loads and stores of a thread have in common (plan.h, move.c). Its key is the thread, and VECTOR_MOVES_ROWS if
 * all enabled lanes move, and rows of Dst are where instructions name them: else they are found one by one. */
enum { VECTOR_MOVES_ROWS = 4 };
struct vector_plan {
    struct plan of;
    uint32_t base;      /* that is added to an address and the counter */
    uint8_t format[16]; /* by Mod0, as in `formats` of move.c */
    uint16_t step[8];   /* of the counter, by ADDR_MOD; VECTOR_NO_STEP: there is more to it */
};
enum { VECTOR_NO_STEP = 0x400 };

struct vector {
    /* Saved state; what is big is last */
    uint64_t free_at;    /* the first cycle in which it takes a regular instruction; TENSIX_NEVER: in soft reset */
    uint64_t plain_from; /* from this cycle on a regular instruction has nothing to look at but itself: nothing is in
                          * flight or scheduled. TENSIX_NEVER: it has to be found out */
    uint64_t nop_at;     /* a cycle before free_at in which it takes SFPNOP */
    uint64_t written_at; /* the cycle in which readers of these LRegs stall: */
    uint32_t written;
    uint32_t second; /* a mask of sub-units that what takes two cycles still has in cycle */
    uint64_t second_at;
    uint64_t unsure_at; /* a cycle in which DISABLE_BACKDOOR_LOAD may be seen or not */
    /* A result of the MAD sub-unit that is alone in flight is in its LReg at once. Before this cycle it cannot be read:
     * then `was` is what the LReg held. */
    uint64_t forwarded_until;
    uint8_t forwarded;         /* the LReg */
    bool macros;               /* there are scheduled instructions (macro.c) */
    bool open;                 /* cycle open_at, which has some, is not over */
    uint16_t ticks;            /* landings on their way: cycles modulo 16 */
    unsigned schedules;        /* one for all columns, or for each of them */
    uint64_t clock, open_at;   /* schedules are those at the start of `clock` */
    unsigned late_at, lates;   /* a ring, in order of time */
    uint32_t flags, use_flags; /* LaneFlags, UseLaneFlagsForLaneEnable: a bit for each lane */

    /* Follows from the rest (vector_derive) */
    uint32_t enabled, rows_on; /* LaneEnabled; lanes that ROW_MASK leaves on */
    uint32_t no_backdoor, dest_index, exchange, fp16_inf, block_write, block_read; /* bits of LaneConfig by lane */
    uint32_t read_exchange, write_exchange;
    uint32_t capture_index; /* with dest_index */
    uint16_t block_mov;     /* a bit for each of 16 columns, which moves of the Matrix Unit keep as they are */
    uint16_t special_vd;    /* LRegs: an instruction that writes there may be a template, or an erratum's victim */
    uint8_t rare_vd;     /* bits 7:4 of a word with VD there: one of these is set if VD is in special_vd, or no LReg */
    bool columns_differ; /* in `macro` */
    bool moves_differ;   /* loads or stores leave out lanes, or columns of Dst differ from those of the address */

    /* Wiring */
    const struct lanes *lanes;

    /* Saved state */
    uint32_t lreg[VECTOR_LREGS + 1][LANES] __attribute__((aligned(64)));
    uint32_t old_value[LANES] __attribute__((aligned(64)));
    uint32_t random[LANES];
    struct vector_flags {
        uint32_t occupied, flags, use_flags; /* lanes whose stack reaches to here, and what they have there */
    } stack[VECTOR_STACK];
    uint32_t lane_config[VECTOR_COLUMNS];
    struct vector_macro_config {
        uint32_t template[VECTOR_TEMPLATES], sequence[VECTOR_MACROS];
        uint32_t misc;
    } macro[VECTOR_COLUMNS];
    struct vector_late late[VECTOR_LATE];
    struct vector_schedule schedule[VECTOR_COLUMNS];
    uint32_t before[VECTOR_LREGS][LANES] __attribute__((aligned(64))); /* LRegs at the start of open_at */

    /* Derived: notes that the kernels keep for speed */
    struct mad_habit habits[MAD_HABITS];
};

struct tensix;

/* An instruction under way. */
struct vector_turn {
    struct tensix *x;
    struct vector *v;
    uint32_t (*in)[LANES]; /* LRegs as it reads them */
    uint64_t now;
    uint32_t word;
    uint32_t lanes;  /* in which it acts, as far as that follows from its VD: all, but for backdoor loads */
    unsigned thread; /* whose instruction it is */
    unsigned va, vb, vc, vd, mod;
    unsigned address; /* in Dst: SFPLOAD and SFPSTORE leave it here; a scheduled SFPSTORE finds it here */
    bool plain;       /* plain_from is past: nothing is on its way */
    bool scheduled;   /* by SFPLOADMACRO */
    bool refused;     /* vector_refuse has been called */
};

void vector_init(struct vector *v);
/* SOFT_RESET_0 holds the unit from this cycle on; it leaves it, and takes instructions from this cycle on. */
void vector_hold(struct vector *v, uint64_t time);
void vector_leave(struct vector *v, uint64_t time);
/* PRNG_SEED is written. */
void vector_seed(struct vector *v, uint32_t seed);
/* After any change to flags, use_flags, lane_config or macro. */
void vector_derive(struct vector *v);

/* After any change to flags or use_flags. */
static inline void vector_flags_changed(struct vector *v) {
    v->enabled = (v->flags | ~v->use_flags) & v->rows_on;
}

/* Lanes whose stack of flags ends at this level. */
static inline uint32_t vector_top_lanes(const struct vector *v, unsigned level) {
    uint32_t above = level + 1 < VECTOR_STACK ? v->stack[level + 1].occupied : 0;
    return v->stack[level].occupied & ~above;
}

/* The i-th result on its way. */
static inline struct vector_late *vector_late_number(struct vector *v, unsigned i) {
    return &v->late[(v->late_at + i) % VECTOR_LATE];
}

static inline unsigned vector_place(unsigned lreg) {
    return lreg < 8 || lreg == 16 ? lreg : VECTOR_NOWHERE;
}

/* Is there a result in its LReg, v->forwarded, that cannot be read in this cycle? */
static inline bool vector_is_forwarded(const struct vector *v, uint64_t now) {
    return now < v->forwarded_until;
}

/* It gets on its way like others: somebody has to know what the LReg held. */
void vector_take_back(struct vector *v);

/* What arrives until then in these lanes of the LReg does not; one that arrives in that cycle in the LReg, or NULL. */
void vector_forget_late(struct vector *v, unsigned lreg, uint32_t lanes, uint64_t until);
struct vector_late *vector_find_late(struct vector *v, unsigned lreg, uint64_t at);

/* The LReg that results go to: VECTOR_NOWHERE if nothing may be written there. What would arrive together with it in
 * the same lanes is forgotten. */
static inline uint32_t *vector_out(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    if (!turn->plain && turn->v->lates)
        vector_forget_late(turn->v, lreg, lanes, turn->now + 1);
    return turn->v->lreg[vector_place(lreg)];
}

/* The same for a result that takes VECTOR_LATENCY, of an instruction that is the only one in its cycle: a place for the
 * values of these lanes. */
static inline uint32_t *vector_new_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    struct vector *v = turn->v;
    BH_ASSERT(v->lates < VECTOR_LATE);
    struct vector_late *late = vector_late_number(v, v->lates++);
    v->plain_from = UINT64_MAX;
    late->at = turn->now + VECTOR_LATENCY;
    late->lanes = lanes;
    late->lreg = (uint8_t)vector_place(lreg);
    return late->value;
}

/* Of any. Twice the same place for the same LReg. */
static inline uint32_t *vector_out_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    struct vector_late *late = vector_find_late(turn->v, vector_place(lreg), turn->now + VECTOR_LATENCY);
    if (!late)
        return vector_new_late(turn, lreg, lanes);
    late->lanes |= lanes;
    return late->value;
}

/* LRegs as they are read in the cycle after this one, by what takes two. From then on turn->in is no longer what it
 * was: the reads of the first cycle come before. */
uint32_t (*vector_next_cycle(struct vector_turn *turn))[LANES];

/* The instruction does not execute: its thread faults. Nothing may have been written yet. */
void vector_refuse(struct vector_turn *turn, enum bh_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A lane of an LReg as an instruction of this cycle would read it, if it waits for nothing. */
uint32_t vector_peek(const struct vector *v, unsigned lreg, unsigned lane, uint64_t now);

/* ---- Inside the unit ------------------------------------------------------------------------------- */

/* Results that can be read in cycle `now` come to their LRegs: the first of them can. */
void vector_take_late(struct vector *v, uint64_t now);

/* Are there any? */
static inline bool vector_has_arrived(const struct vector *v, uint64_t now) {
    return v->lates && v->late[v->late_at].at <= now;
}

static inline void vector_arrive(struct vector *v, uint64_t now) {
    if (vector_has_arrived(v, now))
        vector_take_late(v, now);
}

/* The first moment of a cycle in which scheduled instructions execute, or after one (macro.c). */
void vector_tick(struct tensix *x, uint64_t now);
/* A regular instruction enters while there are scheduled ones. False: it is discarded, or refused. */
bool vector_join(struct vector_turn *turn, enum vector_sub_unit unit, bool executes);

/* What an instruction does in its cycle: vector_SFPMAD(turn) ..., for each row of vector.def. */
typedef void vector_action(struct vector_turn *turn);
#define VECTOR_OP(name, ...) vector_action vector_##name;
#include "tensix/vector/vector.def"

#endif
