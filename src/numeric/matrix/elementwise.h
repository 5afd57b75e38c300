/* ELWMUL, ELWADD, ELWSUB (ELWMUL.md, ELWADD.md, WH): element by element, a vector of columns at a time. The results
 * equal those of model.c for every input. */
#ifndef NUMERIC_MATRIX_ELEMENTWISE_H
#define NUMERIC_MATRIX_ELEMENTWISE_H

#include "numeric/matrix/model.h"
#include "numeric/matrix/multiply.h"

/* A row of SrcB whose first column replaces all columns. */
struct spread {
    uint16_t mantissa[MATRIX_COLUMNS], exponent[MATRIX_COLUMNS];
};

static struct matrix_src row_of_b(struct spread *s, struct matrix_src b, unsigned row, unsigned broadcast) {
    unsigned at = broadcast & MATRIX_ONE_ROW ? 0 : row * MATRIX_COLUMNS;
    b = (struct matrix_src){ b.mantissa + at, b.exponent + at };
    if (!(broadcast & MATRIX_ONE_COLUMN))
        return b;
    for (unsigned i = 0; i < MATRIX_COLUMNS; i++) {
        s->mantissa[i] = b.mantissa[0];
        s->exponent[i] = b.exponent[0];
    }
    return (struct matrix_src){ s->mantissa, s->exponent };
}

/* A row of Dst, of SrcA and of SrcB. */
struct row_operands {
    uint16_t *dst;
    const uint16_t *a_mantissa, *a_exponent, *b_mantissa, *b_exponent;
    vec_int valid;
};

VEC_INLINE struct row_operands operands_of(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b,
                                           unsigned row, unsigned broadcast, struct spread *spread) {
    struct matrix_src y = row_of_b(spread, b, row, broadcast);
    unsigned at = row * MATRIX_COLUMNS;
    return (struct row_operands){ dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS,
                                  a.mantissa + at,
                                  a.exponent + at,
                                  y.mantissa,
                                  y.exponent,
                                  valid_mask(dst, row) };
}

/* ---- ELWMUL ---------------------------------------------------------------------------------------------------- */

struct scaling {
    struct reading a, b;
    vec_int adjust, least;
    int32_t places; /* places by which a product, times four, is shifted right */
};

VEC_INLINE void scale_lanes(struct row_operands at, unsigned i, const struct scaling *s, enum matrix_result result,
                            const struct sum_constants *k) {
    struct split x = split_src(at.a_mantissa + i, at.a_exponent + i, &s->a);
    struct split y = split_src(at.b_mantissa + i, at.b_exponent + i, &s->b);
    vec_int present = x.present & y.present, negative = x.negative ^ y.negative;
    vec_int p = (x.magnitude | s->a.hidden) & s->a.selected, q = (y.magnitude | s->b.hidden) & s->b.selected;
    vec_int product = negate_if(vec_int_product(p, q), negative);
    if (result == MATRIX_TO_INT32) {
        add_integers(at.dst + i, at.valid, product & present);
        return;
    }
    vec_int exponent = vec_int_max((x.exponent + y.exponent) & present, s->least);
    struct matrix_sum sum = { product << 2 >> s->places & (exponent > s->least), exponent + s->adjust };
    add_sums(at.dst + i, at.valid, &sum, 1, result, k);
}

VEC_INLINE void scale_rows(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                           const struct scaling *s, enum matrix_result result) {
    const struct sum_constants *k = constants_of(result);
    for (unsigned row = 0; row < MATRIX_ROWS; row++) {
        if (!(dst->mask >> row & 1))
            continue;
        struct spread spread;
        struct row_operands at = operands_of(dst, a, b, row, broadcast, &spread);
        for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES)
            scale_lanes(at, i, s, result, k);
    }
}

static void matrix_scale(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                         const struct matrix_mode *mode) {
    int32_t adjust = product_adjust(mode);
    const struct scaling s = { reading_a(mode), reading_b(mode), vec_int_all(adjust),
                               vec_int_all(least_exponent(adjust)), 2 + places_a(mode) + places_b(mode) };
    switch (result_of(mode)) {
    case MATRIX_TO_BF16: scale_rows(dst, a, b, broadcast, &s, MATRIX_TO_BF16); break;
    case MATRIX_TO_FP16: scale_rows(dst, a, b, broadcast, &s, MATRIX_TO_FP16); break;
    case MATRIX_TO_FP32: scale_rows(dst, a, b, broadcast, &s, MATRIX_TO_FP32); break;
    case MATRIX_TO_INT32: scale_rows(dst, a, b, broadcast, &s, MATRIX_TO_INT32); break;
    }
}

/* ---- ELWADD, ELWSUB -------------------------------------------------------------------------------------------- */

struct adding {
    struct reading a, b;
    vec_int subtract, accumulate;
    vec_int bias, zero_bias; /* added to exponents; added to the exponent of a zero */
    const struct matrix_mode *mode;
    bool subtracts;
};

/* Adds two numbers; the smaller one is aligned to the greater. Exponent, significand and sign in one integer tell which
 * is which. (The sign does not matter for equal numbers: their sum is twice one of them, or zero.) */
VEC_INLINE struct matrix_sum add_or_subtract(struct split x, struct split y, const struct adding *s) {
    vec_int p = (x.exponent << 12 | (x.magnitude | s->a.hidden) << 1) & x.present;
    vec_int q = (y.exponent << 12 | (y.magnitude | s->b.hidden) << 1) & y.present;
    vec_int great = vec_int_max(p - x.negative, q - y.negative), small = vec_int_min(p - x.negative, q - y.negative);
    vec_int exponent = great >> 12, below = small & 0xFFE;
    vec_int aligned = (vec_int_shift_right(below, exponent - (small >> 12)) + 1) >> 1;
    vec_int value = (great >> 1 & 0x7FF) + negate_if(aligned, x.negative ^ y.negative);
    return (struct matrix_sum){ negate_if(value, -(great & 1)), exponent };
}

/* Computes the lanes one by one with model.c. */
static void add_slowly(uint16_t *p, struct row_operands at, unsigned first, const struct adding *s) {
    bool wide = s->mode->wide;
    for (unsigned i = first; i < first + VEC_LANES; i++) {
        uint32_t x = (at.a_mantissa[i] & 0x8000u) << 3 | (at.a_mantissa[i] & 0x3FFu) << 8 | at.a_exponent[i];
        uint32_t y = (at.b_mantissa[i] & 0x8000u) << 3 | (at.b_mantissa[i] & 0x3FFu) << 8 | at.b_exponent[i];
        uint32_t old = wide ? (uint32_t)p[i] << 16 | p[i + MATRIX_LOW] : p[i];
        uint32_t result = matrix_model_add(s->mode, x, y, s->subtracts, old & (uint32_t)at.valid[0]);
        p[i] = (uint16_t)(wide ? result >> 16 : result);
        if (wide)
            p[i + MATRIX_LOW] = (uint16_t)result;
    }
}

/* Returns whether in any lane a magnitude wraps around, because SrcA is zero and SrcB, with its sign, a -0 that counts
 * as a number (model.c). Nothing else wraps. */
VEC_INLINE bool wraps(struct split x, struct split y) {
    return vec_bits((vec)(~x.present & y.negative & ((y.magnitude | y.exponent) == 0))) != 0;
}

VEC_INLINE void add_lanes(struct row_operands at, unsigned i, const struct adding *s, enum matrix_result result,
                          const struct sum_constants *k) {
    struct split x = split_src(at.a_mantissa + i, at.a_exponent + i, &s->a);
    struct split y = split_src(at.b_mantissa + i, at.b_exponent + i, &s->b);
    y.negative ^= s->subtract;
    if (result == MATRIX_TO_INT32) {
        vec_int sum = negate_if(x.magnitude, x.negative) & x.present;
        add_integers(at.dst + i, at.valid, sum + (negate_if(y.magnitude, y.negative) & y.present));
        return;
    }
    if (s->mode->keep_b) {
        if (wraps(x, y)) {
            add_slowly(at.dst, at, i, s);
            return;
        }
        y.present &= (y.magnitude | y.negative | y.exponent) != 0; /* a kept +0 has no hidden bit */
    }
    struct matrix_sum sum = add_or_subtract(x, y, s);
    if (result == MATRIX_TO_FP32) /* for other results both biases are equal */
        sum.exponent += vec_int_select(sum.exponent != 0, s->bias, s->zero_bias);
    else
        sum.exponent += s->bias;
    add_sums(at.dst + i, at.valid, &sum, 1, result, k);
}

VEC_INLINE void add_rows(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                         const struct adding *s, enum matrix_result result) {
    const struct sum_constants *k = constants_of(result);
    for (unsigned row = 0; row < MATRIX_ROWS; row++) {
        if (!(dst->mask >> row & 1))
            continue;
        struct spread spread;
        struct row_operands at = operands_of(dst, a, b, row, broadcast, &spread);
        at.valid &= s->accumulate;
        for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES)
            add_lanes(at, i, s, result, k);
    }
}

/* Numbers to add to the exponents of sums: for FP16 the difference to the bias of FP32, for a zero the exponent of a
 * product of zeros. */
struct exponent_bias {
    int32_t number, zero;
};

VEC_INLINE struct exponent_bias sum_bias(const struct matrix_mode *mode) {
    int32_t phase = (mode->phase & 1 ? 5 : 0) + (mode->phase & 2 ? 7 : 0);
    bool rebias = result_of(mode) == MATRIX_TO_FP32 && mode->a == MATRIX_FP16;
    return (struct exponent_bias){ (rebias ? 127 - 15 : 0) - phase, (rebias ? 127 - 2 * 15 : 0) - phase };
}

static void matrix_add(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                       bool subtract, bool accumulate, const struct matrix_mode *mode) {
    enum matrix_result result = result_of(mode);
    struct exponent_bias bias = sum_bias(mode);
    const struct adding s = { .a = reading_a(mode),
                              .b = reading_b(mode),
                              .subtract = vec_int_all(-(int32_t)subtract),
                              .accumulate = vec_int_all(-(int32_t)accumulate),
                              .bias = vec_int_all(bias.number),
                              .zero_bias = vec_int_all(bias.zero),
                              .mode = mode,
                              .subtracts = subtract };
    switch (result) {
    case MATRIX_TO_BF16: add_rows(dst, a, b, broadcast, &s, MATRIX_TO_BF16); break;
    case MATRIX_TO_FP16: add_rows(dst, a, b, broadcast, &s, MATRIX_TO_FP16); break;
    case MATRIX_TO_FP32: add_rows(dst, a, b, broadcast, &s, MATRIX_TO_FP32); break;
    case MATRIX_TO_INT32: add_rows(dst, a, b, broadcast, &s, MATRIX_TO_INT32); break;
    }
}

#endif
