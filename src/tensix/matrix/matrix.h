/* The Matrix Unit (FPU): arithmetic and moves between SrcA, SrcB and Dst, one instruction a cycle from all threads.
 *
 *     matrix.def                        traits of each instruction
 *     issue.h                           when an instruction passes, and what others wait for afterwards
 *     format.h                          formats of operands
 *     math.c pool.c move.c shift.c zero.c (rows.h)   what instructions do; the arithmetic is in numeric/matrix
 *     rwc.c, banks.c                    counters of rows; owners of banks
 *
 * Time. An instruction reads and writes in the cycle in which it passes. Its result in Dst can be read `latency` cycles
 * later; earlier readers of the same eight rows wait (matrix_dst_ready), and the unit takes nothing meanwhile. The
 * Vector Unit does not wait (matrix_block_fresh).
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
#include "tensix/regs/dst.h"
#include "tensix/regs/src.h"

enum {
    MATRIX_WRITES = 8, /* writes that are remembered; those older than five cycles do not count */
    MATRIX_BLOCK = 8,  /* rows of Dst that share one wait */
};

/* Classes of instructions, for the windows after moves (matrix.def). */
enum matrix_window { MATRIX_OTHER, MATRIX_READER, MATRIX_TO_D, MATRIX_TO_A, MATRIX_TO_B };

struct matrix {
    uint64_t free_at;      /* first cycle in which it accepts an instruction of any thread */
    uint64_t only_until;   /* before this cycle it accepts only window `only` */
    uint64_t readers_from; /* before this cycle it accepts no READER */
    uint64_t dst_ready_at; /* all of Dst can be read from this cycle on */
    uint64_t vector_from;  /* likewise for the Vector Unit */
    uint64_t banks_at;     /* cycle that first saw the last change of owners of Src's banks */
    /* The last writes to Dst, one a cycle: the cycle, the block of eight rows, and the cycles until it can be read. */
    uint64_t written[MATRIX_WRITES];
    uint8_t block[MATRIX_WRITES], latency[MATRIX_WRITES];
    uint8_t only;       /* enum matrix_window */
    uint8_t last_a_row; /* row of SrcA of the last arithmetic or move between registers (SHIFTXA) */
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
    uint16_t row; /* the page's DstRow: bits 9:0 of the word plus counters and bases, not aligned */
    uint8_t thread;
    bool refused; /* matrix_refuse has been called */
};

/* Executes an accepted instruction: matrix_MVMUL(turn) ..., one for each row of matrix.def, in a file that has a
 * MATRIX_EXECUTE for it (issue.h). issue.h does windows, waits, the ADDR_MOD and the hand-over of banks. */
typedef void matrix_action(struct matrix_turn *turn);

/* Faults the thread instead of executing the instruction. Precondition: it has written nothing. */
void matrix_refuse(struct matrix_turn *turn, enum bh_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Changes owners of banks, visible from the next cycle on (banks.c). */
void matrix_change_banks(struct tensix *x, struct src_change change, uint64_t now);
void matrix_land_banks(struct tensix *x, const struct tensix_landing *landing);

/* Returns the cycle of the next attempt of an instruction that waits for a bank: the next one if owners change in this
 * cycle, else TENSIX_NEVER. */
static inline uint64_t matrix_banks_again(const struct matrix *m, uint64_t now) {
    return m->banks_at > now ? m->banks_at : UINT64_MAX;
}

/* Switches the Matrix Unit to the other bank of some files. The unpackers get the old bank, unless the thread's
 * CLR_DVALID (own: its ThreadConfig) keeps it. Visible from the next cycle on. */
void matrix_hand_back(struct tensix *x, const uint16_t *own, unsigned files, uint64_t now);

/* Returns the row of Dst that a word names, with the thread's configuration and its counter of Dst. */
static inline uint16_t matrix_named_row(uint32_t word, const uint16_t *own, const uint32_t *config, unsigned counter) {
    unsigned row = (word & 0x3FF) + CONFIG_GET(own, DEST_TARGET_REG_CFG_MATH_Offset);
    return (uint16_t)((row + counter + CONFIG_GET(config, DEST_REGW_BASE_Base)) & (DST_ROWS - 1));
}

/* Returns whether the block of a row is among the last writes. */
static inline bool matrix_block_known(const struct matrix *m, unsigned row) {
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t blocks;
    memcpy(&blocks, m->block, sizeof blocks);
    blocks ^= each * (row / MATRIX_BLOCK);
    return (blocks - each) & ~blocks & each << 7; /* set for a zero byte, maybe also for bytes above one */
}

/* Returns the first cycle in which the Matrix Unit and the packer can read a block, if that is in the future. row: any
 * of its eight rows, as instructions number them. */
uint64_t matrix_block_ready(const struct matrix *m, unsigned row);

static inline uint64_t matrix_dst_ready(const struct matrix *m, unsigned row, uint64_t now) {
    return now < m->dst_ready_at && matrix_block_known(m, row) ? matrix_block_ready(m, row) : 0;
}

/* Returns whether the Matrix Unit has written rows so recently that the Vector Unit would read old data; nothing holds
 * the Vector Unit then. Callers test vector_from first: after that cycle no row is fresh. */
bool matrix_block_fresh(const struct matrix *m, unsigned row, uint64_t now);

/* The plan of moves of a thread (plan.h, move.c). */
enum matrix_move { MATRIX_A_TO_D, MATRIX_B_TO_D, MATRIX_D_TO_A, MATRIX_D_TO_B, MATRIX_B_TO_A, MATRIX_MOVES };
struct matrix_plan {
    struct plan of;
    union {
        rows_put *put; /* moves whole rows; NULL: each instruction takes the slow path */
        rows_get *get; /* likewise */
        rows_copy *copy;
    };
    bool wide;          /* Dst has 32 bits */
    bool many;          /* four rows; counters stay and nothing has to be cleared */
    uint16_t denormals; /* to Dst: ones if they stay */
};

/* The plan of a thread's ZEROACCs of 16 rows (plan.h, zero.c). */
struct matrix_zero_plan {
    struct plan of;
    bool runs;      /* rows become invalid, and no bank changes its owner; else each instruction takes the slow path */
    bool stays;     /* counters stay */
    uint16_t base;  /* added to the counter of Dst */
    uint16_t upper; /* a sum with one of these bits is in the second half of Dst */
};

/* ---- Arithmetic (format.c, math.c) ---------------------------------------------------------------------- */

/* Finds the mode of arithmetic. Returns false if it is undefined; then the instruction has been refused. A maximum does
 * not round. */
bool matrix_mode(struct matrix_turn *turn, struct matrix_mode *mode);
bool matrix_mode_of_maximum(struct matrix_turn *turn, struct matrix_mode *mode);

/* Operands of MVMUL prepared from Src; src.prepared says which rows are prepared, and for what. */
struct matrix_prepared {
    struct matrix_a a[8]; /* of eight rows each */
    struct matrix_b b[8];
};

#endif
