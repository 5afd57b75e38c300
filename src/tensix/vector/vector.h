/* The Vector Unit (SFPU): 32 lanes of 32 bits, five sub-units, one regular instruction a cycle from all threads.
 *
 *     load | simple | MAD | round | store        SFPLOADMACRO schedules instructions for the last four (macro.c)
 *
 * issue.c  when an instruction passes, what it sees of results on their way, backdoor loads
 * config.c SFPCONFIG; flags.c predication; load.c, store.c Dst; mad.c, simple.c, swap.c, round.c, shift2.c the rest
 * The arithmetic is in numeric/lanes.
 *
 * Sources: VectorUnit.md, LReg.md, SFP*.md (BH).
 */
#ifndef TENSIX_VECTOR_VECTOR_H
#define TENSIX_VECTOR_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "numeric/lanes/lanes.h"

enum {
    VECTOR_COLUMNS = 8,  /* lane = 8 * row + column; configuration is the same in all rows of a column */
    VECTOR_LREGS = 17,   /* 16 is for scheduled instructions only */
    VECTOR_NOWHERE = 17, /* takes results that have no register */
    VECTOR_STACK = 8,
    VECTOR_TEMPLATES = 4,
    VECTOR_MACROS = 4,
    VECTOR_LATE = 32, /* two cycles of results that go to eight LRegs, and some */
};

enum vector_sub_unit { VECTOR_SIMPLE, VECTOR_MAD, VECTOR_ROUND, VECTOR_STORE, VECTOR_SCHEDULED, VECTOR_LOAD = 4 };

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

struct vector {
    /* Saved state */
    uint32_t lreg[VECTOR_LREGS + 1][LANES] __attribute__((aligned(64)));
    uint32_t random[LANES];
    uint32_t flags, use_flags; /* LaneFlags, UseLaneFlagsForLaneEnable: a bit for each lane */
    struct vector_flags {
        uint32_t occupied, flags, use_flags; /* lanes whose stack reaches to here, and what they have there */
    } stack[VECTOR_STACK];
    uint32_t lane_config[VECTOR_COLUMNS];
    struct vector_macro_config {
        uint32_t template[VECTOR_TEMPLATES], sequence[VECTOR_MACROS];
        uint32_t misc;
    } macro[VECTOR_COLUMNS];

    uint64_t free_at;        /* the first cycle in which it takes a regular instruction */
    bool only_nop;           /* that of the cycle before keeps everything out but SFPNOP */
    unsigned late_at, lates; /* a ring */
    struct vector_late late[VECTOR_LATE];

    /* Follows from the above (vector_derive) */
    uint32_t rows_on;                                                              /* lanes that ROW_MASK leaves on */
    uint32_t enabled;                                                              /* LaneEnabled */
    uint32_t no_backdoor, dest_index, exchange, fp16_inf, block_write, block_read; /* bits of LaneConfig by lane */
    uint32_t read_exchange, write_exchange;
    uint32_t capture_index; /* DEST_INDEX and CAPTURE_INDEX */

    /* Wiring */
    const struct lanes *lanes;
};

struct tensix;

/* An instruction under way. */
struct vector_turn {
    struct tensix *x;
    struct vector *v;
    uint32_t (*in)[LANES]; /* LRegs as it reads them */
    uint64_t now;
    uint32_t word;
    uint32_t lanes; /* in which it acts, as far as that follows from its VD: all, but for backdoor loads */
    uint8_t thread; /* whose instruction it is */
    uint8_t va, vb, vc, vd, mod;
    uint16_t address; /* in Dst: SFPLOAD and SFPSTORE leave it here; a scheduled SFPSTORE finds it here */
    bool scheduled;   /* by SFPLOADMACRO */
    bool refused;     /* vector_refuse has been called */
};

void vector_init(struct vector *v);
/* SOFT_RESET_0 holds the unit. */
void vector_reset(struct vector *v);
/* PRNG_SEED is written. */
void vector_seed(struct vector *v, uint32_t seed);
/* After any change to flags, use_flags or lane_config. */
void vector_derive(struct vector *v);
/* After a change to flags or use_flags only. */
static inline void vector_derive_enabled(struct vector *v) {
    v->enabled = (v->flags | ~v->use_flags) & v->rows_on;
}

/* The LReg that results go to: VECTOR_NOWHERE if nothing may be written there. What is on its way to the same lanes is
 * forgotten. */
uint32_t *vector_out(struct vector_turn *turn, unsigned lreg, uint32_t lanes);
/* The same for a result that takes two cycles: a place for the values of these lanes. */
uint32_t *vector_out_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes);

/* LRegs as they are read in the cycle after this one, by what takes two. From then on turn->in is no longer what it
 * was: the reads of the first cycle come before. */
uint32_t (*vector_next_cycle(struct vector_turn *turn))[LANES];

/* The instruction does not execute: its thread faults. Nothing may have been written yet. */
void vector_refuse(struct vector_turn *turn, enum bh_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A lane of an LReg as an instruction of this cycle would read it, if it waits for nothing. */
uint32_t vector_peek(const struct vector *v, unsigned lreg, unsigned lane, uint64_t now);

/* What an instruction does in its cycle: vector_SFPMAD(turn) ..., for each row of vector.def. */
typedef void vector_action(struct vector_turn *turn);
#define VECTOR_OP(name, ...) vector_action vector_##name;
#include "tensix/vector/vector.def"

#endif
