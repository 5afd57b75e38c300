/* Kernels of the MAD sub-unit. */
#ifndef NUMERIC_LANES_MAD_KERNELS_H
#define NUMERIC_LANES_MAD_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* Which operands of a multiply-add are negated first, as in Mod1 of SFPMAD; other bits do not matter. */
enum { MAD_NEGATE_A = 1, MAD_NEGATE_C = 2 };

/* Tables of coefficients for SFPLUTFP32, by ranges of |LReg3|. */
enum mad_table {
    MAD_TABLE_FP32,   /* three ranges: LReg0..2 and LReg4..6 */
    MAD_TABLE_FP16,   /* three ranges: the high and low halves of LReg0..2 */
    MAD_TABLE_FP16_3, /* six ranges: one half of LReg0..2 and of LReg4..6, the last two part at 3.0 */
    MAD_TABLE_FP16_4, /* ... at 4.0 */
};

/* Which way of computing a multiply-add led to its result last time, for operands at the same places. Kernels keep
 * these notes for speed only: results do not depend on them. The caller owns them, all zero at first, and gives the
 * same ones to calls on the same registers. */
enum { MAD_HABITS = 64 };
struct mad_habit {
    uint8_t way, left; /* left: calls until the kernel looks again whether a shorter way would do */
};

/* Signs and mask of `mad` in one word: six arguments fit into the registers of every host. */
static inline uint64_t mad_how(uint32_t signs, uint32_t mask) {
    return (uint64_t)signs << 32 | mask;
}

struct mad_kernels {
    /* These return 0, as handlers do that end with one of them.
     * d = a * b + c with the partially fused multiply-add (numeric/fma.h); how: mad_how, signs: MAD_NEGATE_...;
     * habits: MAD_HABITS of them */
    uint64_t (*mad)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t how,
                    struct mad_habit *habits);
    /* The same where one factor is 1.0, and where the addend is zero. */
    uint64_t (*add)(uint32_t *d, const uint32_t *a, const uint32_t *c, uint32_t signs, uint32_t mask);
    uint64_t (*mul)(uint32_t *d, const uint32_t *a, const uint32_t *b, uint32_t signs, uint32_t mask);
    /* value * 1.0 + c, value * b + 0; signs: MAD_NEGATE_C, MAD_NEGATE_A */
    uint64_t (*add_all)(uint32_t *d, uint32_t value, const uint32_t *c, uint32_t signs, uint32_t mask);
    uint64_t (*mul_all)(uint32_t *d, uint32_t value, const uint32_t *b, uint32_t signs, uint32_t mask);

    /* SFPLUT and SFPLUTFP32 on LReg0..LReg6; keep_sign: the result gets the sign of LReg3. */
    void (*lut)(uint32_t *d, const uint32_t (*lreg)[32], bool keep_sign, uint32_t mask, struct mad_habit *habits);
    void (*lut_wide)(uint32_t *d, const uint32_t (*lreg)[32], enum mad_table table, bool keep_sign, uint32_t mask,
                     struct mad_habit *habits);

    /* SFPMUL24: the high or low 23 bits of the product, and what c does to it. */
    void (*mul24)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, bool high, uint32_t mask);

    /* d = lreg[index & 15], lane by lane. */
    void (*pick)(uint32_t *d, const uint32_t (*lreg)[32], const uint32_t *index, uint32_t mask);
    /* The lanes of mask whose index & 15 is this one. */
    uint32_t (*which)(const uint32_t *index, uint32_t is, uint32_t mask);
};

#endif
