/* Kernels of the MAD sub-unit. */
#ifndef NUMERIC_LANES_MAD_KERNELS_H
#define NUMERIC_LANES_MAD_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* The operands of a multiply-add that are negated first, as in Mod1 of SFPMAD; other bits do not matter. */
enum { MAD_NEGATE_A = 1, MAD_NEGATE_C = 2 };

/* Tables of coefficients for SFPLUTFP32, by ranges of |LReg3|. */
enum mad_table {
    MAD_TABLE_FP32,   /* three ranges: LReg0..2 and LReg4..6 */
    MAD_TABLE_FP16,   /* three ranges: the high and low halves of LReg0..2 */
    MAD_TABLE_FP16_3, /* six ranges: one half of LReg0..2 and of LReg4..6 each, the last two divided at 3.0 */
    MAD_TABLE_FP16_4, /* the same, divided at 4.0 */
};

/* The way of computing a multiply-add that succeeded last time, for operands in the same registers. Kernels keep these
 * notes for speed only: results do not depend on them. The caller owns the notes, initially all zero, and passes the
 * same ones to calls on the same registers. */
enum { MAD_HABITS = 64 };
struct mad_habit {
    uint8_t way, left; /* left: calls until the kernel tests again whether a faster way would do */
};

/* Packs the signs and the mask of `mad` into one word, so that six arguments suffice, which fit into the registers of
 * every host. */
static inline uint64_t mad_how(uint32_t signs, uint32_t mask) {
    return (uint64_t)signs << 32 | mask;
}

struct mad_kernels {
    /* The following return 0, so that a handler can end with a call of one. d = a * b + c with the partially fused
     * multiply-add (numeric/fma.h). how: mad_how(), with MAD_NEGATE_... as signs. habits: MAD_HABITS of them. */
    uint64_t (*mad)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t how,
                    struct mad_habit *habits);
    /* The same with 1.0 as one factor, and with zero as the addend. */
    uint64_t (*add)(uint32_t *d, const uint32_t *a, const uint32_t *c, uint32_t signs, uint32_t mask);
    uint64_t (*mul)(uint32_t *d, const uint32_t *a, const uint32_t *b, uint32_t signs, uint32_t mask);
    /* value * 1.0 + c, and value * b + 0. signs: MAD_NEGATE_C, MAD_NEGATE_A */
    uint64_t (*add_all)(uint32_t *d, uint32_t value, const uint32_t *c, uint32_t signs, uint32_t mask);
    uint64_t (*mul_all)(uint32_t *d, uint32_t value, const uint32_t *b, uint32_t signs, uint32_t mask);

    /* SFPLUT and SFPLUTFP32 on LReg0..LReg6; keep_sign: the result gets the sign of LReg3. */
    void (*lut)(uint32_t *d, const uint32_t (*lreg)[32], bool keep_sign, uint32_t mask, struct mad_habit *habits);
    void (*lut_wide)(uint32_t *d, const uint32_t (*lreg)[32], enum mad_table table, bool keep_sign, uint32_t mask,
                     struct mad_habit *habits);

    /* SFPMUL24: the high or low 23 bits of the product, to which c is added. */
    void (*mul24)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, bool high, uint32_t mask);

    /* d = lreg[index & 15], lane by lane. */
    void (*pick)(uint32_t *d, const uint32_t (*lreg)[32], const uint32_t *index, uint32_t mask);
    /* Returns the lanes of the mask in which index & 15 is `is`. */
    uint32_t (*which)(const uint32_t *index, uint32_t is, uint32_t mask);
};

#endif
