/* T1: the Matrix Unit, from SrcA and SrcB to Dst. ISA pages MatrixUnit, RWCs, MVMUL, ELWADD, GAPOOL, GMPOOL, MOVA2D.
 *
 * Every operation works on whole tiles and has two parts: an _init function that loads a program, and math_run(tile),
 * which runs it. A program is a pass over the tile, which fits into the replay buffer, and a MOP that plays the pass
 * once for each fidelity phase and then gives SrcA and SrcB back. In a pass, the instructions contain the rows of Dst;
 * counters, which the slots of ADDR_MOD advance, contain those of SrcA and SrcB.
 *
 * The halves of Dst alternate between T1 and T2: SEM_DST counts those that are full. A half has eight tiles of 16 bits
 * or four of 32. */
#ifndef KIT_MATH_H
#define KIT_MATH_H

#include "kit/config.h"
#include "kit/mop.h"
#include "kit/tile.h"

/* The number of partial products that are added up: a factor has two parts, the upper 5 bits (SrcA) or 7 bits (SrcB)
 * and the rest, so that there are four products. */
enum fidelity { LOFI = 1, HIFI2 = 2, HIFI3 = 3, HIFI4 = 4 };
enum broadcast { BROADCAST_NONE, BROADCAST_COLUMN, BROADCAST_ROW, BROADCAST_SCALAR }; /* of SrcB; the numbers of ELW* */
enum eltwise { ELTWISE_ADD, ELTWISE_SUB, ELTWISE_MUL };
enum reduce { REDUCE_ROWS, REDUCE_COLUMNS, REDUCE_SCALAR }; /* reduce every row, every column, or all to one datum */

enum { CLEAR_A = 1, CLEAR_B = 2, CLEAR_AB = 3 };                           /* banks that go back to the unpackers */
enum { SET_A = 1, SET_B = 2, SET_D = 4, SET_FIDELITY = 8, SET_ALL = 0xF }; /* SETRWC */
enum { ALL_OF_DST = 3, HALF_OF_DST = 2 };                                  /* ZEROACC */

static unsigned math_half;

/* Prepares for math. dst32: floats have 32 bits in Dst; integers always have. */
static inline void math_init(unsigned dst32, unsigned integers) {
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_MATH);
    CONFIG_SET(ALU_ACC_CTRL_Fp32_enabled, dst32);
    CONFIG_SET(ALU_ACC_CTRL_SFPU_Fp32_enabled, dst32);
    CONFIG_SET(ALU_ACC_CTRL_INT8_math_enabled, integers);
    TTI_SEMINIT(2, 0, 1 << SEM_DST);
    TTI_SEMINIT(1, 0, 1 << SEM_DST_FREE);
    TTI_SETRWC(0, 0, 0, 0, 0, SET_ALL);
    TTI_ZEROACC(ALL_OF_DST, 0, 0, 0, 0);
    math_half = 0;
}

/* ---- Halves of Dst -----------------------------------------------------------------------------------------------
 * A half belongs to T1 until math_dst_done(), then to T2 until pack_dst_done(). */

static inline void math_wait_for_dst(void) {
    TTI_SEMWAIT(STALL_MATH | STALL_SFPU | STALL_SYNC, 1 << SEM_DST, WHILE_MAXIMUM);
}

static inline void math_dst_done(void) {
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH | UNTIL_SFPU);
    TTI_SEMPOST(1 << SEM_DST);
    math_half ^= 1;
}

/* For unpack_to_dst(), after math_wait_for_dst(): lets T0 write to Dst, and waits until T0 has written. */
static inline void math_lend_dst(void) {
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH | UNTIL_SFPU); /* the half may still be written, or cleared by math_init() */
    TTI_SEMPOST(1 << SEM_DST_FREE);
}

static inline void math_take_dst(void) {
    TTI_SEMWAIT(STALL_MATH | STALL_SFPU | STALL_SYNC, 1 << SEM_DST_FILLED, WHILE_ZERO);
    TTI_SEMGET(1 << SEM_DST_FILLED);
}

/* ---- Programs ----------------------------------------------------------------------------------------------------
 * An _init function loads one; math_run() runs it. */

/* Sets the steps of instructions with this slot: of the counters of SrcA and SrcB (6 bits), of the fidelity phase. */
static inline void math_slot(unsigned slot, unsigned a, unsigned b, unsigned phase) {
    TT_SETC16(ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + slot, (a & 63) | (b & 63) << ADDR_MOD_AB_SEC0_SrcBIncr_SHAMT);
    TT_SETC16(ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + slot, phase << ADDR_MOD_DST_SEC0_FidelityIncr_SHAMT);
}

/* Loads a program that plays the words `phases` times, then gives the banks in `clear` back. */
static inline void math_load(const unsigned *words, unsigned count, unsigned phases, unsigned clear) {
    replay_load(words, count);
    mop_load((struct mop){
        .outer = 1,
        .inner = phases,
        .first = TT_OP_REPLAY(0, count, 0, 0),
        .end = TT_OP_SETRWC(clear, 0, 0, 0, 0, SET_ALL),
    });
}

static inline void math_run(unsigned tile) {
    TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, math_half * 512 + tile * 64);
    mop_run();
}

/* ---- Copies ------------------------------------------------------------------------------------------------------
 *
 * From SrcA, by MOVA2D. Transposed: faces 1 and 2 change places, after unpack_transpose(1). */
static inline void copy_init(unsigned transposed) {
    unsigned words[8];
    math_slot(0, 0, 0, 0);
    for (unsigned i = 0; i < 8; i++) {
        unsigned face = i / 2, from = transposed ? face / 2 + face % 2 * 2 : face;
        words[i] = TT_OP_MOVA2D(0, from * 16 + i % 2 * 8, 0, 2, i * 8);
    }
    math_load(words, 8, 1, CLEAR_A);
}

/* Copies by ELWADD with zeros in SrcB (unpack_a_and_zeros): for 32 bits of Dst, and for integers. */
static inline void copy_by_adding_init(unsigned transposed) {
    static const unsigned char slots[2][8] = { { 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 1, 0, 2, 0, 1, 0, 0 } };
    unsigned words[8];
    math_slot(0, 8, 0, 0);
    math_slot(1, 24, 0, 0);
    math_slot(2, -24u, 0, 0);
    for (unsigned i = 0; i < 8; i++)
        words[i] = TT_OP_ELWADD(0, 0, 0, slots[transposed][i], i * 8);
    math_load(words, 8, 1, CLEAR_AB);
}

/* Copies from SrcB by MOVB2D; with a broadcast, its first column, row or datum is used for all. */
static inline void copy_b_init(enum broadcast broadcast) {
    static const unsigned char mode[4] = { 4, 5, 2,
                                           3 }; /* 4 rows, 4 rows of column 0, 8 times a row, 8 times a datum */
    unsigned words[16], rows = broadcast == BROADCAST_NONE || broadcast == BROADCAST_COLUMN ? 4 : 8, count = 64 / rows;
    math_slot(0, 0, 0, 0);
    for (unsigned i = 0; i < count; i++) {
        unsigned row = i * rows, from = row;
        if (broadcast == BROADCAST_COLUMN)
            from = row & ~16u; /* faces 0, 0, 2, 2 */
        else if (broadcast == BROADCAST_ROW)
            from = row & 16; /* the first rows of faces 0, 1, 0, 1 */
        else if (broadcast == BROADCAST_SCALAR)
            from = 0;
        words[i] = TT_OP_MOVB2D(0, from, 0, mode[broadcast], row);
    }
    math_load(words, count, 1, CLEAR_B);
}

/* ---- SrcA + SrcB, SrcA - SrcB, SrcA * SrcB, element by element ---------------------------------------------------
 *
 * Sums need one phase. Products are added to the contents of Dst, which are 0 after packing. */
static inline unsigned eltwise_word(enum eltwise operation, unsigned broadcast, unsigned slot, unsigned dst) {
    if (operation == ELTWISE_MUL)
        return TT_OP_ELWMUL(0, 0, broadcast, slot, dst);
    return operation == ELTWISE_SUB ? TT_OP_ELWSUB(0, 0, broadcast, slot, dst)
                                    : TT_OP_ELWADD(0, 0, broadcast, slot, dst);
}

static inline void eltwise_init(enum eltwise operation, enum broadcast broadcast, enum fidelity fidelity) {
    /* Steps of SrcB after eight rows of two faces: on; back to the same face; to face 1's first row; back to face 0. */
    static const signed char step[4][4] = { { 8, 8, 8, 8 }, { 8, -8, 8, 24 }, { 0, 16, 0, -16 }, { 0, 0, 0, 0 } };
    unsigned words[8];
    for (unsigned i = 0; i < 4; i++)
        math_slot(i, 8, (unsigned)step[broadcast][i], 0);
    math_slot(4, 8, (unsigned)step[broadcast][3], 1);
    for (unsigned i = 0; i < 8; i++)
        words[i] = eltwise_word(operation, broadcast, i == 7 ? 4 : i % 4, i * 8);
    math_load(words, 8, operation == ELTWISE_MUL ? fidelity : 1, CLEAR_AB);
}

/* ---- Dst += SrcB x SrcA: matrix product of tiles -----------------------------------------------------------------
 *
 * The left factor is in SrcB. MVMUL multiplies 8 rows by a face: D0 += B0 A0, D2 += B2 A0;  D1 += B0 A1, D3 += B2 A1;
 * D0 += B1 A2, D2 += B3 A2;  D1 += B1 A3, D3 += B3 A3 */
static inline void matmul_init(enum fidelity fidelity) {
    static const unsigned char slots[16] = { 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 4 };
    unsigned words[16];
    math_slot(0, 0, 8, 0);     /* the second half of a face of SrcB */
    math_slot(1, 0, 24, 0);    /* the face below */
    math_slot(2, 16, 24, 0);   /* face 1 or 3 of SrcA; SrcB from the top again: 40 + 24 = 64 */
    math_slot(3, 16, -24u, 0); /* face 2 of SrcA; SrcB from face 1: 40 - 24 = 16 */
    math_slot(4, 16, 8, 1);    /* everything from the start, in the next phase */
    for (unsigned i = 0; i < 16; i++)
        words[i] = TT_OP_MVMUL(0, 0, slots[i], i / 4 % 2 * 16 + i / 2 % 2 * 32 + i % 2 * 8);
    math_load(words, 16, fidelity, CLEAR_AB);
}

/* ---- Sums and maxima ---------------------------------------------------------------------------------------------
 *
 * The tile is in SrcA; the first row of SrcB has the factor (1 for a maximum), the rest of SrcB is 0. GAPOOL and GMPOOL
 * make one row of a face. To reduce rows of the tile, every face arrives transposed (unpack_transpose), and the
 * resulting row goes through SrcB to become a column. The result is in the first column, row or datum of the tile; the
 * rest is 0. Dst must be clear before, as it is after packing.
 *
 *     math_run(tile), reduce_next(), math_run(tile), ... reduce_done()        for any number of tiles in SrcA, one SrcB
 */
static unsigned reduce_tail;

static inline unsigned pool_word(unsigned maximum, unsigned slot, unsigned dst) {
    return maximum ? TT_OP_GMPOOL(0, 1, slot, 0, dst) : TT_OP_GAPOOL(0, 1, slot, 0, dst);
}

/* Makes row `dst` of Dst the first column of SrcB's rows 16 to 31, all of which but the first were 0. */
static inline unsigned reduce_turn(unsigned *words, unsigned dst) {
    words[0] = TT_OP_MOVD2B(0, 16, 5, 0, dst);
    words[1] = TT_OP(GATESRCRST, 1, 1);
    words[2] = TT_OP(TRNSPSRCB);
    words[3] = TT_OP(GATESRCRST, 1, 1);
    return 4;
}

static inline unsigned reduce_to_column(unsigned *words, unsigned dst) {
    unsigned n = reduce_turn(words, dst);
    for (unsigned row = 0; row < 16; row += 4)
        words[n++] = TT_OP_MOVB2D(0, 16 + row, 5, 4, dst + row);
    words[n++] = TT_OP(TRNSPSRCB); /* transposes back, so that rows 17 to 31 are 0 again */
    return n;
}

/* Makes the row at Dst 4 a column of SrcA, and reduces it once more, to Dst 0. */
static inline unsigned reduce_to_datum(unsigned *words, unsigned maximum, unsigned phases) {
    unsigned n = reduce_turn(words, 4);
    for (unsigned row = 0; row < 16; row += 4)
        words[n++] = TT_OP_MOVB2A(row, 5, 2, 16 + row);
    words[n++] = TT_OP(GATESRCRST, 1, 1);
    words[n++] = TT_OP_ZEROACC(0, 0, 0, 5, 4);
    words[n++] = TT_OP_SETRWC(0, 0, 0, 0, 0, SET_FIDELITY);
    for (unsigned i = 0; i < phases; i++)
        words[n++] = pool_word(maximum, 6, 0);
    return n;
}

static inline void reduce_init(enum reduce reduce, unsigned maximum, enum fidelity fidelity) {
    static const unsigned char dst[3][4] = { { 0, 0, 32, 32 }, { 0, 16, 0, 16 }, { 4, 4, 4, 4 } };
    unsigned words[32], n = 4, phases = maximum ? 1 : fidelity;
    math_slot(0, 16, 0, 0);
    math_slot(4, 16, 0, 1);
    math_slot(5, 0, 0, 0);
    math_slot(6, 0, 0, 1);
    for (unsigned face = 0; face < 4; face++)
        words[face] = pool_word(maximum, face < 3 ? 0 : 4, dst[reduce][face]);
    if (reduce == REDUCE_ROWS) {
        n += reduce_to_column(words + n, 0);
        n += reduce_to_column(words + n, 32);
    } else if (reduce == REDUCE_SCALAR) {
        n += reduce_to_datum(words + n, maximum, phases);
    }
    replay_load(words, n);
    mop_load((struct mop){ .outer = 1, .inner = phases, .first = TT_OP(REPLAY, 0, 4, 0, 0) });
    reduce_tail = n - 4;
}

static inline void reduce_next(void) {
    TTI_SETRWC(CLEAR_A, 0, 0, 0, 0, SET_ALL);
}

static inline void reduce_done(void) {
    if (reduce_tail)
        TT_REPLAY(4, reduce_tail, 0, 0);
    TTI_SETRWC(CLEAR_AB, 0, 0, 0, 0, SET_ALL);
}

#endif
