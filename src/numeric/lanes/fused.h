/* The partially fused multiply-add of numeric/fma.h on VEC_LANES lanes, with the host's floating point.
 *
 * Exponents are in place here, in bits 30:23. p and c are the exponents of product and addend, m is the larger of the
 * two, the gap is p - c. A unit is 2^(m - 26), the last place of the model's adder. The adder gets the product P and
 * the addend C as whole units. If bits of either are lost, it becomes odd ("jammed": of the two whole numbers next to
 * it, the odd one), unless no whole unit is left, in which case it is zero. Their sum S is rounded to 24 bits, to
 * nearest, ties to even.
 *
 * fused_neon.h and fused_ieee.h are for hosts with a fused multiply-add, fused_double.h for others. Sums and products
 * alone need neither:
 * - With a factor of one the product is not jammed. Let X be the host's sum of the product and the unchanged addend.
 *   Where S differs from X, S is odd, and X lies between the same two even numbers. The points at which rounding
 *   changes are even, because an addend that can be jammed cancels at most one bit. So S and X round to the same
 *   result.
 * - With an addend of zero only the product is jammed, so the same holds.
 * - A product with p < 0 is dropped; one with p >= 255 is infinite, and so is the host's. With p = 0 and a significand
 *   below two, both round to a denormal number, or to the smallest normal one if the first 24 bits are ones. */
#ifndef NUMERIC_LANES_FUSED_H
#define NUMERIC_LANES_FUSED_H

#include "numeric/fp32.h"
#include "numeric/lanes/constants.h"
#include "numeric/simd.h"

#define FUSED(name)     vec_load(fused_constant.name)
#define FUSED_INT(name) ((vec_int)FUSED(name))

VEC_INLINE vec_int fused_exponent(vec x) {
    return (vec_int)(x & FUSED(infinity));
}

/* Turns denormals into zeros of the same sign. */
VEC_INLINE vec fused_flush(vec x) {
    return x & ((vec)(fused_exponent(x) > 0) | FUSED(sign));
}

/* Replaces every NaN by the one that the hardware gives. */
VEC_INLINE vec fused_canonical(vec_float x) {
    return vec_select((vec)(x != x), FUSED(nan), (vec)x); /* NOLINT(misc-redundant-expression): a NaN is not itself */
}

/* Returns ones where a * b leaves only a sign: a factor is zero, or p < 0. The sum of exponents is halved so that it
 * fits. */
VEC_INLINE vec_int fused_gone(vec_int ea, vec_int eb) {
    return (vec_int)(((vec)ea + (vec)eb) >> 1) < FUSED_INT(half_bias);
}

VEC_INLINE vec fused_add(vec a, vec c) {
    vec_float sum = (vec_float)fused_flush(a) + (vec_float)fused_flush(c);
    return fused_flush(fused_canonical(sum));
}

/* Finds out whether the host's sums of unchanged operands are right. A sum is if it is zero, infinite, or at least
 * 2^-95: then a denormal operand is less than half of its last place. A product is, if the same is true of it and of
 * both factors. most: the greatest bit pattern of 2 |x| - 2 * 2^-95 so far, signed, in which order zero is the largest
 * of the good numbers. nan: lanes with a NaN. */
struct fused_sums {
    vec_int most;
    vec nan;
};

VEC_INLINE void fused_look_at(struct fused_sums *sums, vec_float x) {
    vec twice = (vec)x + (vec)x;
    sums->most = vec_int_max(sums->most, (vec_int)(twice + FUSED(sum_zero)));
}

VEC_INLINE void fused_look_at_sum(struct fused_sums *sums, vec_float sum) {
    fused_look_at(sums, sum);
    sums->nan |= (vec)(sum != sum); /* NOLINT(misc-redundant-expression): a NaN is not itself */
}

VEC_INLINE bool fused_sums_same(const struct fused_sums *sums) {
    return !vec_bits(sums->nan | (vec)(sums->most > FUSED_INT(sum_zero)));
}

/* Returns a * b + zero. zero: the addend, +0 or -0. */
VEC_INLINE vec fused_mul(vec a, vec b, uint32_t zero) {
    vec kept = ~(vec)fused_gone(fused_exponent(a), fused_exponent(b)) | FUSED(sign);
    vec_float product = (vec_float)(fused_flush(a) & kept) * (vec_float)fused_flush(b);
    return fused_flush(fused_canonical(product + (vec_float)vec_all(zero)));
}

/* FUSED_ALL: fused_all computes all lanes in one call; otherwise fused_any computes the lanes of one register. */
#if VEC_NEON
#define FUSED_ALL 1
#include "numeric/lanes/fused_neon.h"
#else
#define FUSED_ALL 0

/* Computes these lanes one by one. */
static __attribute__((noinline)) vec fused_lanes(vec a, vec b, vec c, vec d, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctz(lanes);
        d[i] = fp32_fma(a[i], b[i], c[i]);
    }
    return d;
}

#if VEC_FUSED
#include "numeric/lanes/fused_ieee.h"
#else
#include "numeric/lanes/fused_double.h"
#endif
#endif

#endif
