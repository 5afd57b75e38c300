/* Adds sums to Dst, a vector of lanes at a time: the accumulation of model.c for BF16, FP16, FP32 and integers. Where
 * the result is the same, one step here replaces several steps of alignment and rounding there. */
#ifndef NUMERIC_MATRIX_ACCUMULATE_H
#define NUMERIC_MATRIX_ACCUMULATE_H

#include "numeric/matrix/kernels.h"
#include "numeric/simd.h"

/* Formats of Dst. */
enum matrix_result { MATRIX_TO_BF16, MATRIX_TO_FP16, MATRIX_TO_FP32, MATRIX_TO_INT32 };

/* A sum to add to Dst: a value of at most 16 bits, in units of 2^-10 at the exponent. */
struct matrix_sum {
    vec_int value, exponent;
};

VEC_INLINE enum matrix_result result_of(const struct matrix_mode *mode) {
    if (mode->a == MATRIX_INT8)
        return MATRIX_TO_INT32;
    return mode->wide ? MATRIX_TO_FP32 : mode->a == MATRIX_FP16 ? MATRIX_TO_FP16 : MATRIX_TO_BF16;
}

/* Returns all ones if the row is valid, else zeros. */
VEC_INLINE vec_int valid_mask(const struct matrix_dst *dst, unsigned row) {
    return vec_int_all((int32_t)(dst->invalid >> row & 1) - 1);
}

VEC_INLINE vec_int negate_if(vec_int x, vec_int mask) {
    return (x ^ mask) - mask;
}

VEC_INLINE vec_int greatest_exponent(vec_int exponent, const struct matrix_sum *sums, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        exponent = vec_int_max(exponent, sums[i].exponent);
    return exponent;
}

/* Returns ones in the lanes that have a result: its own exponent, and the one at which it was summed, are above 0. */
VEC_INLINE vec_int result_present(vec_int total, vec_int own, vec_int exponent) {
    return (total != 0) & (own > 0) & (exponent > 0);
}

struct sum_constants {
    vec_int exponent, mantissa, hidden, one; /* fields of a datum of Dst */
    vec_int half, round, bias, fraction, most, infinity, sign;
};

static const struct sum_constants bf16_constants = {
    .exponent = VEC_SAME(0xFF),
    .mantissa = VEC_SAME(0x3F8),
    .hidden = VEC_SAME(0x400),
    .one = VEC_SAME(1),
    .half = VEC_SAME(8193),
    .round = VEC_SAME(0x8000),
    .bias = VEC_SAME(127 + 10),
    .fraction = VEC_SAME(0x7F00),
    .most = VEC_SAME(254),
    .infinity = VEC_SAME(0xFF),
    .sign = VEC_SAME(0x8000),
};

static const struct sum_constants fp16_constants = {
    .exponent = VEC_SAME(0x1F),
    .mantissa = VEC_SAME(0x3FF),
    .hidden = VEC_SAME(0x400),
    .one = VEC_SAME(1),
    .half = VEC_SAME(8193),
    .round = VEC_SAME(0x1000),
    .bias = VEC_SAME(127 + 10),
    .fraction = VEC_SAME(0x7FE0),
    .most = VEC_SAME(31),
    .infinity = VEC_SAME(0x7FFF),
    .sign = VEC_SAME(0x8000),
};

static const struct sum_constants fp32_constants = {
    .exponent = VEC_SAME(0xFF),
    .mantissa = VEC_SAME(0x7F00),
    .hidden = VEC_SAME(0x800000),
    .one = VEC_SAME(1),
    .half = VEC_SAME(1),
    .round = VEC_SAME(0xFFFFFF),
    .bias = VEC_SAME(127 + 24),
    .fraction = VEC_SAME(0x7F00),
    .most = VEC_SAME(254),
    .infinity = VEC_SAME(0xFF),
    .sign = VEC_SAME(0x8000),
};

VEC_INLINE const struct sum_constants *constants_of(enum matrix_result result) {
    switch (result) {
    case MATRIX_TO_FP16: return vec_constants(&fp16_constants);
    case MATRIX_TO_FP32: return vec_constants(&fp32_constants);
    default: return vec_constants(&bf16_constants);
    }
}

/* Adds to 16-bit Dst. A shifted sum with 14 fractional places rounds in two steps, to 13 places and then to none, ties
 * upward: (((x + 1) >> 1) + 2^12) >> 13. Dst has 11 bits, all of which are shifted out before the first step would lose
 * anything. The total has 17 bits and is exact as a float; the conversion normalises it. */
VEC_INLINE void add_16(uint16_t *p, vec_int valid, const struct matrix_sum *sums, unsigned n,
                       const struct sum_constants *k) {
    vec_int old = vec_from_u16(p) & valid, old_exponent = old & k->exponent;
    vec_int exponent = greatest_exponent(old_exponent, sums, n);
    vec_int significand = ((old >> 5 & k->mantissa) | k->hidden) & (old_exponent != 0);
    vec_int total = (vec_int_shift_right(significand + significand, exponent - old_exponent) + k->one) >> 1;
    total = negate_if(total, -(old >> 15));
    VEC_UNROLL
    for (unsigned i = 0; i < n; i++)
        total += (vec_int_shift_right(sums[i].value << 14, exponent - sums[i].exponent) + k->half) >> 14;

    vec_int negative = total >> 31;
    vec_float magnitude = __builtin_convertvector(negate_if(total, negative), vec_float);
    vec_int bits = (vec_int)magnitude + k->round;
    vec_int own = (bits >> 23) + exponent - k->bias;
    vec_int result = (bits >> 8 & k->fraction) | own;
    result = vec_int_select(own > k->most, k->infinity, result);
    vec_to_u16(p, (result | (negative & k->sign)) & result_present(total, own, exponent));
}

/* Adds to 32-bit Dst; a sum has 13 fractional places. If the total has 25 bits or more, half of the last place must
 * round up, but the host rounds to even. The conversion therefore takes twice the magnitude plus one, which is never a
 * tie. */
VEC_INLINE void add_32(uint16_t *p, vec_int valid, const struct matrix_sum *sums, unsigned n,
                       const struct sum_constants *k) {
    vec_int upper = vec_from_u16(p) & valid, lower = vec_from_u16(p + MATRIX_LOW) & valid;
    vec_int old_exponent = upper & k->exponent;
    vec_int exponent = greatest_exponent(old_exponent, sums, n);
    vec_int significand = ((upper & k->mantissa) << 8 | lower | k->hidden) & (old_exponent != 0);
    vec_int total = (vec_int_shift_right(significand + significand, exponent - old_exponent) + k->one) >> 1;
    total = negate_if(total, -(upper >> 15));
    VEC_UNROLL
    for (unsigned i = 0; i < n; i++)
        total += (vec_int_shift_right(sums[i].value << 14, exponent - sums[i].exponent) + k->half) >> 1;

    vec_int negative = total >> 31, magnitude = negate_if(total, negative);
    vec_int bits = (vec_int) __builtin_convertvector(magnitude + magnitude - (magnitude > k->round), vec_float);
    vec_int own = (bits >> 23) + exponent - k->bias;
    vec_int over = own > k->most, some = result_present(total, own, exponent);
    vec_int result = vec_int_select(over, k->infinity, (bits >> 8 & k->fraction) | own);
    vec_to_u16(p, (result | (negative & k->sign)) & some);
    vec_to_u16(p + MATRIX_LOW, bits & 0xFFFF & some & ~over);
}

/* Adds integers to Dst. An integer there is its sign, bits 22:16 and 30:23 of the magnitude in the upper half, and 15:0
 * in the lower. The sum saturates at 31 bits of magnitude. */
VEC_INLINE void add_integers(uint16_t *p, vec_int valid, vec_int x) {
    vec_int upper = vec_from_u16(p) & valid, lower = vec_from_u16(p + MATRIX_LOW) & valid;
    vec_int old = (upper & 0xFF) << 23 | (upper & 0x7F00) << 8 | lower;
    old = negate_if(old, -(upper >> 15));
    vec_int sum = (vec_int)((vec)old + (vec)x);
    vec_int over = ((old ^ sum) & (x ^ sum)) >> 31;
    sum = vec_int_max(vec_int_select(over, (old >> 31) ^ INT32_MAX, sum), vec_int_all(-INT32_MAX));

    vec_int negative = sum >> 31, magnitude = negate_if(sum, negative);
    vec_to_u16(p, (negative & 0x8000) | (magnitude >> 8 & 0x7F00) | magnitude >> 23);
    vec_to_u16(p + MATRIX_LOW, magnitude & 0xFFFF);
}

VEC_INLINE void add_sums(uint16_t *p, vec_int valid, const struct matrix_sum *sums, unsigned n,
                         enum matrix_result result, const struct sum_constants *k) {
    if (result == MATRIX_TO_FP32)
        add_32(p, valid, sums, n, k);
    else
        add_16(p, valid, sums, n, k);
}

#endif
