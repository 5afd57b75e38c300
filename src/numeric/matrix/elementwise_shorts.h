/* ELWMUL, ELWADD and ELWSUB in lanes of 16 bits, for hosts that can shift each lane by its own count. It does what
 * elementwise.h does, which still handles integers. The results equal those of model.c for every input. */
#ifndef NUMERIC_MATRIX_ELEMENTWISE_SHORTS_H
#define NUMERIC_MATRIX_ELEMENTWISE_SHORTS_H

#include "numeric/matrix/accumulate_shorts.h"
#include "numeric/matrix/elementwise.h"

#if VEC_NEON

struct short_reading {
    vec_short mantissa, exponent, hidden, keep;
};

struct short_split {
    vec_short significand, exponent, present;
    vec_short sign; /* in bit 15 */
};

VEC_INLINE struct short_reading short_reading_of(struct reading_bits bits) {
    return (struct short_reading){ vec_short_all(bits.mantissa), vec_short_all(bits.exponent),
                                   vec_short_all(bits.hidden), vec_short_all(bits.keep) };
}

VEC_INLINE struct short_split short_split(const uint16_t *mantissa, const uint16_t *exponent,
                                          const struct short_reading *r) {
    vec_short m = vec_short_load(mantissa), e = vec_short_load(exponent) & r->exponent;
    return (struct short_split){ vec_short_select_bits(r->mantissa, m, r->hidden), e, vec_short_some(e) | r->keep, m };
}

/* A row's results are stored after all of its arithmetic, so that one vector need not wait for the other. */
enum { ROW_SHORTS = MATRIX_COLUMNS / VEC_SHORTS };

VEC_INLINE void short_store_row(uint16_t *p, const struct short_datum data[ROW_SHORTS], enum matrix_result result) {
    VEC_UNROLL
    for (unsigned i = 0; i < ROW_SHORTS; i++)
        short_store(p + i * VEC_SHORTS, data[i], result);
}

/* Combines two data in each of the lanes i to i + VEC_SHORTS. how: parameters of the combination. */
typedef struct short_sum short_of_two(struct row_operands at, unsigned i, const void *how, enum matrix_result result);

VEC_INLINE void short_rows(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                           short_of_two *of_two, const void *how, bool accumulate, enum matrix_result result) {
    for (unsigned row = 0; row < MATRIX_ROWS; row++) {
        if (!(dst->mask >> row & 1))
            continue;
        struct spread spread;
        struct row_operands at = operands_of(dst, a, b, row, broadcast, &spread);
        struct short_datum data[ROW_SHORTS];
        VEC_UNROLL
        for (unsigned i = 0; i < ROW_SHORTS; i++) {
            unsigned column = i * VEC_SHORTS;
            struct short_sum sum = of_two(at, column, how, result);
            data[i] =
                accumulate ? short_add(at.dst + column, (vec_short)at.valid, sum, result) : short_alone(sum, result);
        }
        short_store_row(at.dst, data, result);
    }
}

/* ---- ELWMUL ------------------------------------------------------------------------------------------------------ */

/* The readings contain only the bits that the phase selects. */
struct short_scaling {
    struct short_reading a, b;
    vec_short places_a, places_b; /* shift counts to the left */
    vec_short adjust, least;
};

VEC_INLINE struct short_sum short_product(struct row_operands at, unsigned i, const void *how,
                                          enum matrix_result result) {
    const struct short_scaling *s = how;
    (void)result;
    struct short_split x = short_split(at.a_mantissa + i, at.a_exponent + i, &s->a);
    struct short_split y = short_split(at.b_mantissa + i, at.b_exponent + i, &s->b);
    vec_short product =
        vec_short_shift_round(x.significand, s->places_a) * vec_short_shift_round(y.significand, s->places_b);
    vec_short exponent = vec_short_max((x.exponent + y.exponent) & x.present & y.present, s->least);
    product = short_negate_if(product, (x.sign ^ y.sign) < 0);
    return (struct short_sum){ product & (exponent > s->least), exponent + s->adjust };
}

static void matrix_scale_shorts(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b,
                                unsigned broadcast, const struct matrix_mode *mode) {
    int32_t adjust = product_adjust(mode);
    const struct short_scaling s = { .a = short_reading_of(selected_bits(bits_a(mode))),
                                     .b = short_reading_of(selected_bits(bits_b(mode))),
                                     .places_a = vec_short_all(-places_a(mode)),
                                     .places_b = vec_short_all(-places_b(mode)),
                                     .adjust = vec_short_all(adjust),
                                     .least = vec_short_all(least_exponent(adjust)) };
    switch (result_of(mode)) {
    case MATRIX_TO_BF16: short_rows(dst, a, b, broadcast, short_product, &s, true, MATRIX_TO_BF16); break;
    case MATRIX_TO_FP16: short_rows(dst, a, b, broadcast, short_product, &s, true, MATRIX_TO_FP16); break;
    case MATRIX_TO_FP32: short_rows(dst, a, b, broadcast, short_product, &s, true, MATRIX_TO_FP32); break;
    case MATRIX_TO_INT32: matrix_scale(dst, a, b, broadcast, mode); break;
    }
}

/* ---- ELWADD, ELWSUB ---------------------------------------------------------------------------------------------- */

struct short_adding {
    struct short_reading a, b;
    vec_short subtract, bias, zero_bias;
};

/* Adds two numbers at the greater exponent, ties away from zero. The number with that exponent stays as it is. */
VEC_INLINE struct short_sum short_sum_of(struct row_operands at, unsigned i, const void *how,
                                         enum matrix_result result) {
    const struct short_adding *s = how;
    struct short_split x = short_split(at.a_mantissa + i, at.a_exponent + i, &s->a);
    struct short_split y = short_split(at.b_mantissa + i, at.b_exponent + i, &s->b);
    vec_short exponent = vec_short_max(x.exponent, y.exponent);
    vec_short p = vec_short_shift_round(x.significand & x.present, short_distance(x.exponent, exponent));
    vec_short q = vec_short_shift_round(y.significand & y.present, short_distance(y.exponent, exponent));
    vec_short value = short_negate_if(p, x.sign < 0) + short_negate_if(q, (y.sign ^ s->subtract) < 0);
    if (result == MATRIX_TO_FP32)
        exponent += vec_short_select_bits(vec_short_some(exponent), s->bias, s->zero_bias);
    else
        exponent += s->bias;
    return (struct short_sum){ value, exponent };
}

VEC_INLINE void short_add_all(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b,
                              unsigned broadcast, const struct short_adding *s, bool accumulate,
                              enum matrix_result result) {
    if (accumulate)
        short_rows(dst, a, b, broadcast, short_sum_of, s, true, result);
    else
        short_rows(dst, a, b, broadcast, short_sum_of, s, false, result);
}

/* elementwise.h handles zeros of SrcB that count as numbers. */
static void matrix_add_shorts(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b,
                              unsigned broadcast, bool subtract, bool accumulate, const struct matrix_mode *mode) {
    struct exponent_bias bias = sum_bias(mode);
    const struct short_adding s = { .a = short_reading_of(bits_a(mode)),
                                    .b = short_reading_of(bits_b(mode)),
                                    .subtract = vec_short_all(-(int32_t)subtract),
                                    .bias = vec_short_all(bias.number),
                                    .zero_bias = vec_short_all(bias.zero) };
    if (mode->keep_b) {
        matrix_add(dst, a, b, broadcast, subtract, accumulate, mode);
        return;
    }
    switch (result_of(mode)) {
    case MATRIX_TO_BF16: short_add_all(dst, a, b, broadcast, &s, accumulate, MATRIX_TO_BF16); break;
    case MATRIX_TO_FP16: short_add_all(dst, a, b, broadcast, &s, accumulate, MATRIX_TO_FP16); break;
    case MATRIX_TO_FP32: short_add_all(dst, a, b, broadcast, &s, accumulate, MATRIX_TO_FP32); break;
    case MATRIX_TO_INT32: matrix_add(dst, a, b, broadcast, subtract, accumulate, mode); break;
    }
}

#endif
#endif
