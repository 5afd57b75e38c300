/* T1: functions of every datum of a tile in Dst, by the Vector Unit. ISA pages VectorUnit, SFPLOAD, SFPMAD and others.
 *
 * The unit has 32 lanes: a load takes 4 rows and 8 columns of Dst, the even or the odd ones, so that a tile is 32
 * steps. A function is at most 30 instructions from L0 to L0, loaded by sfpu_load() and run over a tile by sfpu_run().
 * L9 is 0, L10 is 1; L11 to L14 are for constants. */
#ifndef KIT_SFPU_H
#define KIT_SFPU_H

#include "kit/math.h"

enum { L0, L1, L2, L3, L4, L5, L6, L7, LREG_ZERO = 9, LREG_ONE = 10, L11, L12, L13, L14 };
enum { SFPU_SLOT = 7 }; /* advances to the next step */

/* Returns the mode in which SFPLOAD and SFPSTORE access data in Dst. */
static inline unsigned sfpu_format(enum tile_format in_dst) {
    return in_dst == FP32 ? 3 : in_dst == BF16 ? 2 : in_dst == FP16 ? 1 : 4 /* INT32 */;
}

/* Constants: two instructions load one into any LReg; sfpu_constant() loads L11 to L14, by way of L0. */
#define SFPU_HIGH(lreg, bits) TT_OP(SFPLOADI, lreg, 8, (bits) >> 16)
#define SFPU_LOW(lreg, bits)  TT_OP(SFPLOADI, lreg, 10, (bits)&0xFFFF)
#define SFPU_BF16(lreg, half) TT_OP(SFPLOADI, lreg, 0, half) /* one instruction, if the lower half is 0 */

static inline void sfpu_constant(unsigned lreg, unsigned bits) {
    push(SFPU_LOW(L0, bits));
    push(SFPU_HIGH(L0, bits));
    TT_SFPCONFIG(0, lreg, 0);
}

/* d = a * b + c, a * b - c, c - a * b */
#define SFPU_MAD(d, a, b, c)  TT_OP(SFPMAD, a, b, c, d, 0)
#define SFPU_MSUB(d, a, b, c) TT_OP(SFPMAD, a, b, c, d, 2)
#define SFPU_NMAD(d, a, b, c) TT_OP(SFPMAD, a, b, c, d, 1)
/* The smaller value goes to low, the greater one to high. */
#define SFPU_SORT(low, high) TT_OP(SFPSWAP, 0, high, low, 1)

/* Loads a function for data of this format in Dst. */
static inline void sfpu_load(const unsigned *function, unsigned count, enum tile_format in_dst) {
    unsigned mode = sfpu_format(in_dst), words[32];
    TTI_SETC16(ADDR_MOD_AB_SEC7_SrcAIncr_ADDR32, 0);
    TTI_SETC16(ADDR_MOD_DST_SEC7_DestIncr_ADDR32, 2);
    math_slot(0, 0, 0, 0);
    words[0] = TT_OP_SFPLOAD(L0, mode, 0, 0);
    for (unsigned i = 0; i < count; i++)
        words[1 + i] = function[i];
    words[1 + count] = TT_OP_SFPSTORE(L0, mode, SFPU_SLOT, 0);
    replay_load(words, count + 2);
    mop_load((struct mop){ .outer = 1, .inner = 8, .first = TT_OP_REPLAY(0, count + 2, 0, 0) });
}

/* Runs the function over a tile, face by face, after everything that the Matrix Unit is doing. */
static inline void sfpu_run(unsigned tile) {
    TTI_STALLWAIT(STALL_SFPU | STALL_CONFIG, UNTIL_MATH);
    math_run(tile);
    for (unsigned face = 1; face < 4; face++)
        mop_run();
    TTI_SETRWC(0, 0, 0, 0, 0, SET_ALL);
    TTI_STALLWAIT(STALL_MATH | STALL_CONFIG, UNTIL_SFPU);
}

/* ---- Functions ---------------------------------------------------------------------------------------------------
 * 2^x: a polynomial for the fraction, to whose exponent the integer part is added. SFPU_ROUNDER + x has the integer
 * part in its low bits. x is from -126 to 126.
 */
#define SFPU_ROUNDER 0x4B400000u /* 1.5 * 2^23 */

/* L4 = 2^L1. Uses L2, L3, L5; L13 is SFPU_ROUNDER, L14 is 0x3F317BCD (0.6933) */
#define SFPU_EXP2 \
    SFPU_BF16(L2, 0x42FC), /* 126 */ \
        SFPU_SORT(L1, L2), SFPU_BF16(L2, 0xC2FC), SFPU_SORT(L2, L1), SFPU_MAD(L2, L1, LREG_ONE, L13), \
        SFPU_BF16(L4, 0x3D61), SFPU_MSUB(L3, L2, LREG_ONE, L13), SFPU_HIGH(L5, 0x3E780757), \
        SFPU_MSUB(L3, L1, LREG_ONE, L3), SFPU_LOW(L5, 0x3E780757), SFPU_MAD(L4, L4, L3, L5), \
        SFPU_MAD(L4, L4, L3, L14), SFPU_MAD(L4, L4, L3, LREG_ONE), TT_OP(SFPSHFT, 23, L2, L2, 5), \
        TT_OP(SFPIADD, 0, L2, L4, 4)

/* Gaussian error linear unit, in its form with tanh: x / (1 + e^(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3). */
static inline void gelu_init(enum tile_format in_dst) {
    static const unsigned function[] = {
        SFPU_MAD(L1, L0, L0, LREG_ZERO),      SFPU_MAD(L1, L1, L11, L12),
        SFPU_MAD(L1, L1, L0, LREG_ZERO),      SFPU_EXP2,
        SFPU_MAD(L4, L4, LREG_ONE, LREG_ONE), SFPU_BF16(L3, 0x4000), /* 2 */
        TT_OP(SFPARECIP, 0, L4, L1, 0),       SFPU_NMAD(L2, L4, L1, L3),
        SFPU_MAD(L1, L1, L2, LREG_ZERO),      SFPU_NMAD(L2, L4, L1, L3),
        SFPU_MAD(L1, L1, L2, LREG_ZERO),      SFPU_MAD(L0, L0, L1, LREG_ZERO),
    };
    sfpu_constant(L11, 0xBDD2D3E8); /* -0.10294 */
    sfpu_constant(L12, 0xC0135761); /* -2.30221 = -2 sqrt(2 / pi) / ln 2 */
    sfpu_constant(L13, SFPU_ROUNDER);
    sfpu_constant(L14, 0x3F317BCD);
    sfpu_load(function, sizeof function / sizeof *function, in_dst);
}

static inline void exp_init(enum tile_format in_dst) {
    static const unsigned function[] = { SFPU_MAD(L1, L0, L11, LREG_ZERO), SFPU_EXP2, TT_OP(SFPMOV, 0, L4, L0, 0) };
    sfpu_constant(L11, 0x3FB8AA3B); /* 1 / ln 2 */
    sfpu_constant(L13, SFPU_ROUNDER);
    sfpu_constant(L14, 0x3F317BCD);
    sfpu_load(function, sizeof function / sizeof *function, in_dst);
}

#endif
