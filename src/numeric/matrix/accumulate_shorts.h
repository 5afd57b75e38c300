/* Adds to Dst as accumulate.h does, but in lanes of 16 bits, of which a vector has twice as many; for hosts that can
 * shift each lane by its own count (VEC_NEON). A rounding shift is one step of model.c's alignment. The number of
 * leading zeros says how far to shift a total to normalise it. */
#ifndef NUMERIC_MATRIX_ACCUMULATE_SHORTS_H
#define NUMERIC_MATRIX_ACCUMULATE_SHORTS_H

#include "numeric/matrix/accumulate.h"

#if VEC_NEON

/* A sum in units of 2^-10 at the exponent. A sum of several products may have 16 bits, any other has 13. */
struct short_sum {
    vec_short value, exponent;
};

enum { EXTRA_PLACES = 13 }; /* places that a significand of 32-bit Dst has below those of a sum */

/* The total, normalised, with its exponent as a number of its own. */
struct short_result {
    vec_short sign;     /* in bit 15 */
    vec_short upper;    /* significand, rounded to the bits that count, plus a carry: 8 bits, or 11 for FP16 */
    vec_short own;      /* exponent of the number, without the carry of rounding */
    vec_short exponent; /* exponent at which it was summed */
    vec_short all;      /* significand before rounding */
};

VEC_INLINE vec_short short_negate_if(vec_short x, vec_short mask) {
    return (x ^ mask) - mask;
}

VEC_INLINE vec_short short_valid_mask(const struct matrix_dst *dst, unsigned row) {
    return vec_short_all((int32_t)(dst->invalid >> row & 1) - 1);
}

/* Returns the distance from one exponent to another that is not less, as a count for vec_short_shift_round. 64 stands
 * for every larger distance: nothing is left then. */
VEC_INLINE vec_short short_distance(vec_short from, vec_short to) {
    return vec_short_max(from - to, vec_short_all(-64));
}

/* Returns ones where there is a result. own: the exponent including the carry. */
VEC_INLINE vec_short short_present(const struct short_result *r, vec_short own) {
    return vec_short_min(r->upper, vec_short_min(own, r->exponent)) > 0;
}

/* A datum for Dst: 16 bits in `upper`, or the upper and lower halves. */
struct short_datum {
    vec_short upper, lower;
};

VEC_INLINE void short_store(uint16_t *p, struct short_datum datum, enum matrix_result result) {
    vec_short_store(p, datum.upper);
    if (result == MATRIX_TO_FP32)
        vec_short_store(p + MATRIX_LOW, datum.lower);
}

/* Returns the datum for Dst. lower: its lower half if the result is neither zero nor infinite. */
VEC_INLINE struct short_datum short_written(const struct short_result *r, vec_short lower, enum matrix_result result) {
    bool half = result == MATRIX_TO_FP16;
    vec_short own = half ? vec_short_add_upper(r->own, r->upper, 11) : vec_short_add_upper(r->own, r->upper, 8);
    vec_short present = short_present(r, own), over = own > vec_short_all(half ? 31 : 254);
    vec_short number = half ? vec_short_insert_left(own, r->upper, 5) : vec_short_insert_left(own, r->upper, 8);
    number = vec_short_select_bits(over, vec_short_all(half ? 0x7FFF : 0xFF), number);
    return (struct short_datum){ vec_short_select_bits(vec_short_all(INT16_MIN), r->sign, number) & present,
                                 lower & present & ~over };
}

/* ---- 16 bits ----------------------------------------------------------------------------------------------------- */

/* Normalises a signed total of 16 bits. */
VEC_INLINE struct short_result short_normalised(vec_short total, vec_short exponent, enum matrix_result result) {
    vec_short magnitude = vec_short_abs(total), zeros = vec_short_zeros(magnitude);
    vec_short all = vec_short_shift_round(magnitude, zeros);
    return (struct short_result){ total, result == MATRIX_TO_FP16 ? vec_short_round(all, 5) : vec_short_round(all, 8),
                                  exponent + 5 - zeros, exponent, all };
}

/* Normalises a total of more bits, in words. */
VEC_INLINE struct short_result short_normalised_words(const struct vec_words *total, vec_short exponent,
                                                      enum matrix_result result) {
    vec_int zeros[2], all[2];
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++) {
        vec_int magnitude = vec_int_abs(total->v[i]);
        zeros[i] = vec_int_zeros(magnitude);
        all[i] = vec_int_shift_round(magnitude, zeros[i]);
    }
    vec_short upper = vec_short_high(all[0], all[1]); /* there are no bits that count below */
    return (struct short_result){ vec_short_high(total->v[0], total->v[1]),
                                  result == MATRIX_TO_FP16 ? vec_short_round(upper, 5) : vec_short_round(upper, 8),
                                  exponent + 21 - vec_short_low(zeros[0], zeros[1]), exponent, upper };
}

struct short_old {
    vec_short significand, negative, exponent;
};

VEC_INLINE struct short_old short_read(const uint16_t *p, vec_short valid, enum matrix_result result) {
    bool half = result == MATRIX_TO_FP16;
    vec_short old = vec_short_load(p) & valid, exponent = old & vec_short_all(half ? 0x1F : 0xFF);
    vec_short significand = vec_short_select_bits(vec_short_all(half ? 0x3FF : 0x3F8), old >> 5, vec_short_all(0x400));
    return (struct short_old){ significand & vec_short_some(exponent), old < 0, exponent };
}

/* Adds a sum of 13 bits, of which nothing is left before the second step of rounding could matter. */
VEC_INLINE struct short_datum short_add_16(const uint16_t *p, vec_short valid, struct short_sum sum,
                                           enum matrix_result result) {
    struct short_old old = short_read(p, valid, result);
    vec_short exponent = vec_short_max(old.exponent, sum.exponent);
    vec_short total = vec_short_shift_round(old.significand, short_distance(old.exponent, exponent));
    total = short_negate_if(total, old.negative);
    total += vec_short_shift_round(sum.value, short_distance(sum.exponent, exponent));
    struct short_result r = short_normalised(total, exponent, result);
    return short_written(&r, total, result);
}

/* Aligns a sum of 16 bits, which rounds in two steps: the second takes up to 13 places. */
VEC_INLINE vec_short short_rounded_twice(struct short_sum sum, vec_short to) {
    vec_short count = short_distance(sum.exponent, to), second = vec_short_max(count, vec_short_all(-EXTRA_PLACES));
    return vec_short_shift_round(vec_short_shift_round(sum.value, count - second), second);
}

VEC_INLINE struct short_datum short_add_16_twice(const uint16_t *p, vec_short valid, const struct short_sum sums[2],
                                                 enum matrix_result result) {
    struct short_old old = short_read(p, valid, result);
    vec_short exponent = vec_short_max(old.exponent, vec_short_max(sums[0].exponent, sums[1].exponent));
    vec_short significand = vec_short_shift_round(old.significand, short_distance(old.exponent, exponent));
    struct vec_words total = vec_words_widen(short_negate_if(significand, old.negative));
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++) {
        struct vec_words x = vec_words_widen(short_rounded_twice(sums[i], exponent));
        total.v[0] += x.v[0];
        total.v[1] += x.v[1];
    }
    struct short_result r = short_normalised_words(&total, exponent, result);
    return short_written(&r, r.all, result);
}

/* ---- 32 bits ----------------------------------------------------------------------------------------------------- */

VEC_INLINE struct vec_words short_scaled(vec_short value, vec_short exponent, vec_short to) {
    vec_short count = short_distance(exponent, to);
    struct vec_words x = vec_words_zip(vec_short_all(0), value), counts = vec_words_zip(count, count);
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++)
        x.v[i] = vec_int_shift_round(x.v[i] >> 3, counts.v[i]);
    return x;
}

VEC_INLINE struct short_datum short_add_32(const uint16_t *p, vec_short valid, const struct short_sum *sums,
                                           unsigned n) {
    vec_short upper = vec_short_load(p) & valid, old_exponent = upper & 0xFF, exponent = old_exponent;
    VEC_UNROLL
    for (unsigned i = 0; i < n; i++)
        exponent = vec_short_max(exponent, sums[i].exponent);
    vec_short some = vec_short_some(old_exponent), count = short_distance(old_exponent, exponent);
    struct vec_words total = vec_words_zip(vec_short_load(p + MATRIX_LOW) & some, ((upper >> 8 & 0x7F) | 0x80) & some);
    struct vec_words counts = vec_words_zip(count, count), negative = vec_words_zip(upper < 0, upper < 0);
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++)
        total.v[i] = negate_if(vec_int_shift_round(total.v[i], counts.v[i]), negative.v[i]);
    VEC_UNROLL
    for (unsigned i = 0; i < n; i++) {
        struct vec_words x = short_scaled(sums[i].value, sums[i].exponent, exponent);
        total.v[0] += x.v[0];
        total.v[1] += x.v[1];
    }

    vec_int zeros[2], all[2];
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++) {
        vec_int magnitude = vec_int_abs(total.v[i]);
        zeros[i] = vec_int_zeros(magnitude);
        all[i] = vec_int_round(vec_int_shift_round(magnitude, zeros[i]), 8);
    }
    vec_short low = vec_short_low(all[0], all[1]);
    struct short_result r = { vec_short_high(total.v[0], total.v[1]), vec_short_high(all[0], all[1]),
                              exponent + 8 - vec_short_low(zeros[0], zeros[1]), exponent, low };
    return short_written(&r, low, MATRIX_TO_FP32);
}

/* ---- One sum, added to Dst or alone ------------------------------------------------------------------------------ */

VEC_INLINE struct short_datum short_add(const uint16_t *p, vec_short valid, struct short_sum sum,
                                        enum matrix_result result) {
    return result == MATRIX_TO_FP32 ? short_add_32(p, valid, &sum, 1) : short_add_16(p, valid, sum, result);
}

/* Converts a sum to a datum of Dst. It only rounds to the 8 or 11 bits that count. */
VEC_INLINE struct short_datum short_alone(struct short_sum sum, enum matrix_result result) {
    struct short_result r = short_normalised(sum.value, sum.exponent, result);
    if (result != MATRIX_TO_FP32)
        return short_written(&r, r.all, result);
    r.upper = (vec_short)((vec_half)r.all >> 8);
    return short_written(&r, r.all << 8, result);
}

#endif
#endif
