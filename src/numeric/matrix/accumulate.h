/* Adds to Dst, a vector of lanes at a time. The model's two steps of alignment and rounding are one here. */
#ifndef NUMERIC_MATRIX_ACCUMULATE_H
#define NUMERIC_MATRIX_ACCUMULATE_H

#include "numeric/matrix/kernels.h"
#include "numeric/matrix/simd.h"

/* What Dst holds. */
enum matrix_result { MATRIX_TO_BF16, MATRIX_TO_FP16, MATRIX_TO_FP32, MATRIX_TO_INT32 };

/* Of 16 bits at most, in units of 2^-10 at the exponent. */
struct matrix_sum {
    vec_int value, exponent;
};

VEC_INLINE enum matrix_result result_of(const struct matrix_mode *mode) {
    if (mode->a == MATRIX_INT8)
        return MATRIX_TO_INT32;
    return mode->wide ? MATRIX_TO_FP32 : mode->a == MATRIX_FP16 ? MATRIX_TO_FP16 : MATRIX_TO_BF16;
}

/* All ones for a row that is valid. */
VEC_INLINE int32_t valid_mask(const struct matrix_dst *dst, unsigned row) {
    return (int32_t)(dst->invalid >> row & 1) - 1;
}

VEC_INLINE vec_int negate_if(vec_int x, vec_int mask) {
    return (x ^ mask) - mask;
}

VEC_INLINE vec_int greatest_exponent(vec_int exponent, const struct matrix_sum *sums, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        exponent = vec_most(exponent, sums[i].exponent);
    return exponent;
}

/* Where there is a result: its own exponent is above 0, and so is the one that it was summed at. */
VEC_INLINE vec_int result_present(vec_int total, vec_int own, vec_int exponent) {
    return (total != 0) & (own > 0) & (exponent > 0);
}

/* 16 bits. A shifted sum with 14 places behind the point rounds in two steps, to 13 places and to none, ties upward:
 * (((x + 1) >> 1) + 2^12) >> 13. Dst's 11 bits are gone before the first step would lose anything. A total of 17 bits
 * is exact as a float, which normalises it. */
VEC_INLINE void add_16(uint16_t *p, int32_t valid, const struct matrix_sum *sums, unsigned n, bool half) {
    vec_int old = vec_from_u16(p) & valid, old_exponent = old & (half ? 0x1F : 0xFF);
    vec_int exponent = greatest_exponent(old_exponent, sums, n);
    vec_int significand = ((old >> 5 & (half ? 0x3FF : 0x3F8)) | 0x400) & (old_exponent != 0);
    vec_int total = (vec_down(significand * 2, exponent - old_exponent) + 1) >> 1;
    total = negate_if(total, -(old >> 15));
    for (unsigned i = 0; i < n; i++)
        total += (vec_down(sums[i].value << 14, exponent - sums[i].exponent) + 8193) >> 14;

    vec_int negative = total >> 31;
    vec_float magnitude = __builtin_convertvector(negate_if(total, negative), vec_float);
    vec_int bits = (vec_int)magnitude + (half ? 0x1000 : 0x8000);
    vec_int own = (bits >> 23) + exponent - (127 + 10);
    vec_int result = (bits >> 8 & (half ? 0x7FE0 : 0x7F00)) | own;
    result = vec_pick(own > (half ? 31 : 254), vec_int_all(half ? 0x7FFF : 0x00FF), result);
    vec_to_u16(p, (result | (negative & 0x8000)) & result_present(total, own, exponent));
}

/* 32 bits: 13 places behind the point of a sum. From 25 bits on half of the last place must round up, where the host
 * rounds to even: twice the magnitude and one more is never a tie. */
VEC_INLINE void add_32(uint16_t *p, int32_t valid, const struct matrix_sum *sums, unsigned n) {
    vec_int upper = vec_from_u16(p) & valid, lower = vec_from_u16(p + MATRIX_LOW) & valid;
    vec_int old_exponent = upper & 0xFF;
    vec_int exponent = greatest_exponent(old_exponent, sums, n);
    vec_int significand = ((upper & 0x7F00) << 8 | lower | 0x800000) & (old_exponent != 0);
    vec_int total = (vec_down(significand * 2, exponent - old_exponent) + 1) >> 1;
    total = negate_if(total, -(upper >> 15));
    for (unsigned i = 0; i < n; i++)
        total += (vec_down(sums[i].value << 14, exponent - sums[i].exponent) + 1) >> 1;

    vec_int negative = total >> 31, magnitude = negate_if(total, negative);
    vec_int bits = (vec_int) __builtin_convertvector(magnitude * 2 - (magnitude > 0xFFFFFF), vec_float);
    vec_int own = (bits >> 23) + exponent - (127 + 24);
    vec_int over = own > 254, some = result_present(total, own, exponent);
    vec_int result = vec_pick(over, vec_int_all(0xFF), (bits >> 8 & 0x7F00) | own);
    vec_to_u16(p, (result | (negative & 0x8000)) & some);
    vec_to_u16(p + MATRIX_LOW, bits & some & ~over);
}

/* An integer is the sign, bits 22:16 of the magnitude and 30:23; 15:0. The sum stays within 31 bits of magnitude. */
VEC_INLINE void add_integers(uint16_t *p, int32_t valid, vec_int x) {
    vec_int upper = vec_from_u16(p) & valid, lower = vec_from_u16(p + MATRIX_LOW) & valid;
    vec_int old = (upper & 0xFF) << 23 | (upper & 0x7F00) << 8 | lower;
    old = negate_if(old, -(upper >> 15));
    vec_int sum = (vec_int)((vec)old + (vec)x);
    vec_int over = ((old ^ sum) & (x ^ sum)) >> 31;
    sum = vec_most(vec_pick(over, (old >> 31) ^ INT32_MAX, sum), vec_int_all(-INT32_MAX));

    vec_int negative = sum >> 31, magnitude = negate_if(sum, negative);
    vec_to_u16(p, (negative & 0x8000) | (magnitude >> 8 & 0x7F00) | magnitude >> 23);
    vec_to_u16(p + MATRIX_LOW, magnitude);
}

VEC_INLINE void add_sums(uint16_t *p, int32_t valid, const struct matrix_sum *sums, unsigned n,
                         enum matrix_result result) {
    if (result == MATRIX_TO_FP32)
        add_32(p, valid, sums, n);
    else
        add_16(p, valid, sums, n, result == MATRIX_TO_FP16);
}

#endif
