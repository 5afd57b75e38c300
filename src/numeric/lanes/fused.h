/* The partially fused multiply-add of numeric/fma.h on VEC_LANES lanes, with the host's floating point.
 *
 * Exponents are in place here. p and c are those of product and addend, m is the larger of the two, the gap is p - c. A
 * unit is 2^(m - 26): what the model's adder counts in. The adder gets the product P and the addend C as whole units;
 * what is lost of either leaves it odd ("jammed": the odd one of the two whole numbers next to it), unless nothing
 * whole is left: then it is zero. Their sum S is rounded to 24 bits, to nearest, ties to even.
 *
 * fused_neon.h and fused_ieee.h are for hosts with a fused multiply-add, fused_double.h for others. Sums and products
 * alone need neither:
 * - With a factor of one the product is not jammed. Let X be the host's sum, with the addend as it is. Where S differs
 *   from X it is odd, and X lies between the same two even numbers; limits between results of rounding are even, as an
 *   addend that can be jammed cancels one bit at most. So both round alike.
 * - With an addend of zero only the product is jammed, so that the same holds.
 * - A product with p < 0 is dropped, one with p >= 255 is infinite, and so is the host's. With p = 0 and a significand
 *   below two both round to a denormal number, or to the smallest normal one if its first 24 bits are ones. */
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

/* Denormals are zero. */
VEC_INLINE vec fused_flush(vec x) {
    return x & ((vec)(fused_exponent(x) > 0) | FUSED(sign));
}

/* There is one NaN only. */
VEC_INLINE vec fused_canonical(vec_float x) {
    return vec_select((vec)(x != x), FUSED(nan), (vec)x); /* NOLINT(misc-redundant-expression): a NaN is not itself */
}

/* a * b leaves nothing but a sign: a factor is zero, or p < 0. The sum of exponents is halved to have room. */
VEC_INLINE vec_int fused_gone(vec_int ea, vec_int eb) {
    return (vec_int)(((vec)ea + (vec)eb) >> 1) < FUSED_INT(half_bias);
}

VEC_INLINE vec fused_add(vec a, vec c) {
    vec_float sum = (vec_float)fused_flush(a) + (vec_float)fused_flush(c);
    return fused_flush(fused_canonical(sum));
}

/* The host's sum of both as they are is the same if it is zero, infinite, or a number of 2^-95 and more: to that a
 * denormal one is less than half of the last place. So is the product of two that are zero, infinite or no smaller than
 * that, if it is as well. Adds to what is known of sums so far: of these the number is 2
 * |sum| less 2^-95, zero the largest of all then, but not NaN. */
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

/* zero: the addend, a zero. */
VEC_INLINE vec fused_mul(vec a, vec b, uint32_t zero) {
    vec kept = ~(vec)fused_gone(fused_exponent(a), fused_exponent(b)) | FUSED(sign);
    vec_float product = (vec_float)(fused_flush(a) & kept) * (vec_float)fused_flush(b);
    return fused_flush(fused_canonical(product + (vec_float)vec_all(zero)));
}

/* FUSED_ALL: fused_all does all lanes in one call; else fused_any does the lanes of one register. */
#if VEC_NEON
#define FUSED_ALL 1
#include "numeric/lanes/fused_neon.h"
#else
#define FUSED_ALL 0

/* Lane by lane. */
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
