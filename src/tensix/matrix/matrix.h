/* The Matrix Unit (FPU): arithmetic and moves between SrcA, SrcB and Dst, one instruction a cycle from all threads.
 *
 * matrix.def how each instruction issues, issue.h when it passes and what others have to wait for afterwards
 * format.h the formats that an instruction takes its operands to have
 * math.c, pool.c (rows.h), move.c, shift.c, zero.c what they do; rwc.c the counters of rows; banks.c the hand-over of
 * banks. The arithmetic is in numeric/matrix.
 *
 * Time. An instruction reads and writes in the cycle in which it passes. What it writes to Dst can be read `latency`
 * cycles later; who reads the same eight rows before waits (matrix_dst_ready) and keeps the unit from taking others,
 * but for the Vector Unit (matrix_block_fresh).
 *
 * Sources: MatrixUnit.md, the pages of the instructions, Dst.md, RWCs.md, SrcASrcB.md (WH, with their Blackhole
 * branches), SFPLOAD.md and SoftReset.md (BH).
 */
#ifndef TENSIX_MATRIX_MATRIX_H
#define TENSIX_MATRIX_MATRIX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bhemu.h"
#include "numeric/matrix/rows_kernels.h"
#include "numeric/matrix/kernels.h"
#include "tensix/plan.h"
#include "tensix/regs/src.h"

enum {
    MATRIX_WRITES = 8, /* that are remembered; the oldest that counts is five cycles old */
    MATRIX_BLOCK = 8,  /* rows of Dst that are written and waited for as one */
};

/* Who is taken after what (matrix.def). */
enum matrix_window { MATRIX_OTHER, MATRIX_READER, MATRIX_TO_D, MATRIX_TO_A, MATRIX_TO_B };

struct matrix {
    uint64_t free_at;      /* the first cycle in which it takes an instruction, of whatever thread */
    uint64_t only_until;   /* before this cycle it takes but those of window `only` */
    uint64_t readers_from; /* before this cycle it takes no READER */
    uint64_t settled_at;   /* from this cycle on all of Dst can be read */
    uint64_t vector_from;  /* and from this one on by the Vector Unit */
    uint64_t banks_at;     /* Src's banks last changed hands in the first moment of this cycle */
    /* The last writes to Dst, of a cycle each: when, which eight rows, and how many cycles until they can be read. */
    uint64_t written[MATRIX_WRITES];
    uint8_t block[MATRIX_WRITES], latency[MATRIX_WRITES];
    uint8_t only;       /* enum matrix_window */
    uint8_t last_a_row; /* of SrcA, as the last arithmetic or move between registers has computed it (SHIFTXA) */
};

struct tensix;
struct tensix_landing;
struct rwc;

/* An instruction under way. */
struct matrix_turn {
    struct tensix *x;
    const uint32_t *config; /* the thread's bank of Config */
    const uint16_t *own;    /* its ThreadConfig */
    struct rwc *rwc;
    uint64_t now;
    uint32_t word;
    uint16_t row; /* of Dst: bits 9:0 of the word with the counters and bases, as the page's DstRow, not aligned */
    uint8_t thread;
    bool refused; /* matrix_refuse has been called */
};

/* What an instruction does once it is taken: matrix_MVMUL(turn) ..., for each row of matrix.def, in a file that has a
 * MATRIX_EXECUTE for it (issue.h). Windows, waits, the ADDR_MOD and the hand-over of banks are done for it. */
typedef void matrix_action(struct matrix_turn *turn);

/* The instruction does not execute: its thread faults. Nothing may have been written yet. */
void matrix_refuse(struct matrix_turn *turn, enum bh_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Banks change hands; everybody can see it from the next cycle on (banks.c). */
void matrix_change_banks(struct tensix *x, struct src_change change, uint64_t now);
void matrix_land_banks(struct tensix *x, const struct tensix_landing *landing);

/* Who waits for a bank tries again in this cycle: TENSIX_NEVER, unless a change of this cycle is to be seen in the
 * next.
 */
static inline uint64_t matrix_banks_again(const struct matrix *m, uint64_t now) {
    return m->banks_at > now ? m->banks_at : UINT64_MAX;
}

/* The Matrix Unit goes on with the other bank of some files; unless CLR_DVALID of the thread (own: its ThreadConfig)
 * keeps it, the unpackers get the bank used so far. Others can see it from the next cycle on. */
void matrix_hand_back(struct tensix *x, const uint16_t *own, unsigned files, uint64_t now);

/* Is the block of a row among those last written? */
static inline bool matrix_block_known(const struct matrix *m, unsigned row) {
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t blocks;
    memcpy(&blocks, m->block, sizeof blocks);
    blocks ^= each * (row / MATRIX_BLOCK);
    return (blocks - each) & ~blocks & each << 7; /* a byte that is zero, or more above one that is */
}

/* The first cycle in which the Matrix Unit and the packer can read a block of eight rows, as far as it is later than
 * `now`. row: any of them, as instructions name it. */
uint64_t matrix_block_ready(const struct matrix *m, unsigned row);

static inline uint64_t matrix_dst_ready(const struct matrix *m, unsigned row, uint64_t now) {
    return now < m->settled_at && matrix_block_known(m, row) ? matrix_block_ready(m, row) : 0;
}

/* Would the Vector Unit read rows that the Matrix Unit has written too few cycles ago? Nothing holds it. Not before
 * vector_from is past. */
bool matrix_block_fresh(const struct matrix *m, unsigned row, uint64_t now);

/* What moves of a thread that are alike have in common (plan.h, move.c). */
enum matrix_move { MATRIX_A_TO_D, MATRIX_B_TO_D, MATRIX_D_TO_A, MATRIX_D_TO_B, MATRIX_B_TO_A, MATRIX_MOVES };
struct matrix_plan {
    struct plan of;
    union {
        rows_put *put; /* whole rows; NULL: there is more to it, which is found out each time */
        rows_get *get; /* likewise */
        rows_copy *copy;
    };
    bool wide;          /* Dst has 32 bits */
    bool many;          /* four rows, after which counters stay and nothing has to be cleared */
    uint16_t denormals; /* to Dst: ones if they stay */
};

/* What a thread's ZEROACCs of 16 rows that are alike have in common (plan.h, zero.c). */
struct matrix_zero_plan {
    struct plan of;
    bool runs;      /* rows become invalid, and no banks are handed back: else it is found out each time what to do */
    bool stays;     /* counters stay */
    uint16_t base;  /* that is added to the counter of Dst */
    uint16_t upper; /* a sum with one of these bits is in the second half of Dst */
};

/* ---- Arithmetic (format.c, math.c) ---------------------------------------------------------------------- */

/* What arithmetic works on. False: nothing that is defined, and the instruction has been refused. A maximum does not
 * round. */
bool matrix_mode(struct matrix_turn *turn, struct matrix_mode *mode);
bool matrix_mode_of_maximum(struct matrix_turn *turn, struct matrix_mode *mode);

/* What MVMUL makes of Src before it multiplies; src.prepared says of which rows and for what. */
struct matrix_prepared {
    struct matrix_a a[8]; /* of eight rows each */
    struct matrix_b b[8];
};

#endif
