/* The Matrix Unit (FPU): arithmetic and moves between SrcA, SrcB and Dst. All threads together issue one instruction a
 * cycle.
 *
 *     matrix.def                        traits of each instruction
 *     issue.h                           when an instruction passes, and what others wait for afterwards
 *     format.h                          formats of operands
 *     math.c pool.c move.c shift.c zero.c (rows.h)   what instructions do; the arithmetic is in numeric/matrix
 *     rwc.c, banks.c                    counters of rows; owners of banks
 *
 * Time. An instruction reads and writes in the cycle in which it passes. Other instructions can read its result in Dst
 * `latency` cycles later; one that reads the same eight rows before that waits (matrix_dst_ready), and the unit accepts
 * nothing meanwhile. The Vector Unit does not wait (matrix_block_fresh).
 *
 * Sources: MatrixUnit.md, the pages of the instructions, Dst.md, RWCs.md, SrcASrcB.md (WH, with their Blackhole
 * branches), SFPLOAD.md and SoftReset.md (BH). */
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
    MATRIX_WRITES = 8, /* length of the list of recent writes to Dst; no write delays a reader for more than five
                        * cycles */
    MATRIX_BLOCK = 8,  /* rows of Dst that become readable together */
};

/* Classes of instructions, for the windows after moves (matrix.def). */
enum matrix_window { MATRIX_OTHER, MATRIX_READER, MATRIX_TO_D, MATRIX_TO_A, MATRIX_TO_B };

struct matrix {
    uint64_t free_at;      /* first cycle in which the unit accepts an instruction, of any thread */
    uint64_t only_until;   /* before this cycle the unit accepts only instructions of class `only` */
    uint64_t readers_from; /* before this cycle the unit accepts no READER */
    uint64_t dst_ready_at; /* first cycle in which all of Dst can be read */
    uint64_t vector_from;  /* the same for the Vector Unit */
    uint64_t banks_at;     /* the cycle in which the last change of owners of Src's banks became visible */
    uint64_t roundings;    /* how many sums were rounded at random since the last reset; the next random number follows
                            * from it */
    /* The most recent writes to Dst, at most one a cycle: the cycle, the block of eight rows, and the latency after
     * which the block can be read. */
    uint64_t written[MATRIX_WRITES];
    uint8_t block[MATRIX_WRITES], latency[MATRIX_WRITES];
    uint8_t only;       /* enum matrix_window */
    uint8_t last_a_row; /* SrcA row of the last arithmetic or move between registers, for SHIFTXA */
};

struct tensix;
struct tensix_landing;
struct rwc;

/* An instruction while its handler runs it. */
struct matrix_turn {
    struct tensix *x;
    const uint32_t *config; /* the thread's bank of Config */
    const uint16_t *own;    /* the thread's ThreadConfig */
    struct rwc *rwc;
    uint64_t now;
    uint32_t word;
    uint16_t row; /* DstRow of the documentation: bits 9:0 of the word plus counters and bases, not aligned */
    uint8_t thread;
    bool refused; /* matrix_refuse has been called */
};

/* Executes an accepted instruction: matrix_MVMUL(turn) and so on, one function for each row of matrix.def, in the file
 * that has its MATRIX_EXECUTE. The windows, the waits, the ADDR_MOD and the hand-over of banks are the work of
 * issue.h. */
typedef void matrix_action(struct matrix_turn *turn);

/* Faults the thread instead of executing the instruction. Precondition: the instruction has not written anything. */
void matrix_refuse(struct matrix_turn *turn, enum bh_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Changes owners of banks; the change is visible from the next cycle on (banks.c). */
void matrix_change_banks(struct tensix *x, struct src_change change, uint64_t now);
void matrix_land_banks(struct tensix *x, const struct tensix_landing *landing);

/* Returns the cycle of the next attempt of an instruction that waits for a bank: the next cycle if owners change in
 * this one, else TENSIX_NEVER. */
static inline uint64_t matrix_banks_again(const struct matrix *m, uint64_t now) {
    return m->banks_at > now ? m->banks_at : UINT64_MAX;
}

/* Switches the Matrix Unit to the other bank of each file in `files`. The unpackers get the old bank, unless CLR_DVALID
 * in the thread's ThreadConfig (own) says to keep it. The change is visible from the next cycle on. */
void matrix_hand_back(struct tensix *x, const uint16_t *own, unsigned files, uint64_t now);

/* Returns the row of Dst that a word selects, given the thread's configuration and its counter of Dst. */
static inline uint16_t matrix_named_row(uint32_t word, const uint16_t *own, const uint32_t *config, unsigned counter) {
    unsigned row = (word & 0x3FF) + CONFIG_GET(own, DEST_TARGET_REG_CFG_MATH_Offset);
    return (uint16_t)((row + counter + CONFIG_GET(config, DEST_REGW_BASE_Base)) & (DST_ROWS - 1));
}

/* Returns whether the block of a row is in the list of recent writes. May also return true for a block that is not. */
static inline bool matrix_block_known(const struct matrix *m, unsigned row) {
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t blocks;
    memcpy(&blocks, m->block, sizeof blocks);
    blocks ^= each * (row / MATRIX_BLOCK);
    return (blocks - each) & ~blocks & each << 7; /* nonzero if a byte is zero; a zero byte may also mark bytes above
                                                   * it */
}

/* Returns the first cycle in which the Matrix Unit and the packer can read a block; a past cycle, or 0, if they can
 * already. row: any of the block's eight rows, numbered as in instructions. */
uint64_t matrix_block_ready(const struct matrix *m, unsigned row);

static inline uint64_t matrix_dst_ready(const struct matrix *m, unsigned row, uint64_t now) {
    return now < m->dst_ready_at && matrix_block_known(m, row) ? matrix_block_ready(m, row) : 0;
}

/* Returns whether the Matrix Unit has written the block of a row so recently that the Vector Unit would still read old
 * data. Nothing makes the Vector Unit wait. Callers test vector_from first: from that cycle on the answer is always
 * false. */
bool matrix_block_fresh(const struct matrix *m, unsigned row, uint64_t now);

/* The plan of a thread's moves of one kind (plan.h, move.c). */
enum matrix_move { MATRIX_A_TO_D, MATRIX_B_TO_D, MATRIX_D_TO_A, MATRIX_D_TO_B, MATRIX_B_TO_A, MATRIX_MOVES };
struct matrix_plan {
    struct plan of;
    union {
        rows_put *put; /* moves whole rows to Dst; NULL: each instruction takes the slow path */
        rows_get *get; /* the same, from Dst */
        rows_copy *copy;
    };
    bool wide;          /* the move uses Dst as 32 bits */
    bool many;          /* the plan can run many moves in a row: of four rows, without a change of counters, with
                         * nothing to clear */
    uint16_t denormals; /* for moves to Dst: all ones to keep denormals, 0 to flush them */
};

/* The plan of a thread's ZEROACCs that clear 16 rows (plan.h, zero.c). */
struct matrix_zero_plan {
    struct plan of;
    bool runs;      /* the fast path applies: rows become invalid, and no bank changes its owner */
    bool stays;     /* the counters do not change */
    uint16_t base;  /* value to add to the counter of Dst */
    uint16_t upper; /* bits of that sum: if any is set, the sum is in the second half of Dst */
};

/* ---- Arithmetic (format.c, math.c) ---------------------------------------------------------------------- */

/* Find the mode of arithmetic, of sums and products or of a maximum (which does not round). Return false if the mode is
 * undefined; the instruction has been refused then. */
bool matrix_mode(struct matrix_turn *turn, struct matrix_mode *mode);
bool matrix_mode_of_maximum(struct matrix_turn *turn, struct matrix_mode *mode);

/* Operands of MVMUL, prepared from Src. src.prepared has the mode that each block of rows was prepared for. */
struct matrix_prepared {
    struct matrix_a a[8]; /* a block of eight rows each */
    struct matrix_b b[8];
};

#endif
