/* ELWMUL, ELWADD, ELWSUB. */
#ifndef NUMERIC_MATRIX_ELEMENTWISE_H
#define NUMERIC_MATRIX_ELEMENTWISE_H

#include "numeric/matrix/model.h"
#include "numeric/matrix/multiply.h"

/* SrcB with its first row or column in place of all. */
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

VEC_INLINE void scale_row(uint16_t *p, int32_t valid, struct matrix_src a, struct matrix_src b,
                          const struct matrix_mode *mode, enum matrix_result result) {
    int32_t adjust = product_adjust(mode), least = least_exponent(adjust);
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
        struct split x = split_src(a.mantissa + i, a.exponent + i, mode->a);
        struct split y = split_src(b.mantissa + i, b.exponent + i, mode->b);
        vec_int present = x.present & (y.present | -(int32_t)mode->keep_b), negative = x.negative ^ y.negative;
        if (result == MATRIX_TO_INT32) {
            vec_int product = (x.magnitude & integer_bits_a(mode->phase)) * (y.magnitude & integer_bits_b(mode->phase));
            add_integers(p + i, valid, negate_if(product, negative) & present);
            continue;
        }
        vec_int product = select_a(x.magnitude | 0x400, mode->phase) * select_b(y.magnitude | 0x400, mode->phase);
        vec_int exponent = vec_most((x.exponent + y.exponent) & present, vec_int_all(least));
        struct matrix_sum sum = { negate_if(product, negative) & (exponent > least), exponent + adjust };
        add_sums(p + i, valid, &sum, 1, result);
    }
}

static void matrix_scale(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                         const struct matrix_mode *mode) {
    for (unsigned row = 0; row < MATRIX_ROWS; row++, a.mantissa += MATRIX_COLUMNS, a.exponent += MATRIX_COLUMNS) {
        if (!(dst->mask >> row & 1))
            continue;
        struct spread spread;
        struct matrix_src y = row_of_b(&spread, b, row, broadcast);
        uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
        int32_t valid = valid_mask(dst, row);
        switch (result_of(mode)) {
        case MATRIX_TO_BF16: scale_row(p, valid, a, y, mode, MATRIX_TO_BF16); break;
        case MATRIX_TO_FP16: scale_row(p, valid, a, y, mode, MATRIX_TO_FP16); break;
        case MATRIX_TO_FP32: scale_row(p, valid, a, y, mode, MATRIX_TO_FP32); break;
        case MATRIX_TO_INT32: scale_row(p, valid, a, y, mode, MATRIX_TO_INT32); break;
        }
    }
}

/* ---- ELWADD, ELWSUB -------------------------------------------------------------------------------------------- */

/* Of SrcB a zero that counts as a number has its hidden bit, unless it is +0. */
VEC_INLINE struct matrix_sum add_or_subtract(struct split x, struct split y, bool keep_b) {
    if (keep_b)
        y.present |= (y.magnitude | y.negative) != 0;
    vec_int p = (x.magnitude | 0x400) & x.present, q = (y.magnitude | 0x400) & y.present;
    vec_int e = x.exponent, f = y.exponent & y.present;
    vec_int swap = (e << 11) + p < (f << 11) + q;
    vec_int great = vec_pick(swap, q, p), small = vec_pick(swap, p, q);
    vec_int negative = vec_pick(swap, y.negative, x.negative);
    vec_int exponent = vec_most(e, f), distance = vec_pick(swap, f - e, e - f);
    small = (vec_down(small * 2, distance) + 1) >> 1;
    vec_int value = great + negate_if(small, x.negative ^ y.negative);
    return (struct matrix_sum){ negate_if(value, negative), exponent };
}

/* Exponents of FP16 get the bias of FP32, zero that of a product of zeros. */
VEC_INLINE vec_int sum_exponent(vec_int exponent, const struct matrix_mode *mode, enum matrix_result result) {
    if (result == MATRIX_TO_FP32 && mode->a == MATRIX_FP16)
        exponent += vec_pick(exponent != 0, vec_int_all(127 - 15), vec_int_all(127 - 2 * 15));
    return exponent - (mode->phase & 1 ? 5 : 0) - (mode->phase & 2 ? 7 : 0);
}

/* One by one. */
static void add_slowly(uint16_t *p, int32_t valid, struct matrix_src a, struct matrix_src b, bool subtract,
                       const struct matrix_mode *mode) {
    for (unsigned i = 0; i < VEC_LANES; i++) {
        uint32_t x = (a.mantissa[i] & 0x8000u) << 3 | (a.mantissa[i] & 0x3FFu) << 8 | a.exponent[i];
        uint32_t y = (b.mantissa[i] & 0x8000u) << 3 | (b.mantissa[i] & 0x3FFu) << 8 | b.exponent[i];
        uint32_t old = mode->wide ? (uint32_t)p[i] << 16 | p[i + MATRIX_LOW] : p[i];
        uint32_t result = matrix_model_add(mode, x, y, subtract, old & (uint32_t)valid);
        p[i] = (uint16_t)(mode->wide ? result >> 16 : result);
        if (mode->wide)
            p[i + MATRIX_LOW] = (uint16_t)result;
    }
}

/* Where a zero less a -0 that counts as a number makes a magnitude wrap around (model.c): in no vector of sums. */
VEC_INLINE bool wraps(struct split x, struct split y) {
    return vec_bits((vec)(~x.present & ~y.present & y.negative & (y.magnitude == 0))) != 0;
}

VEC_INLINE void add_lanes(uint16_t *p, int32_t valid, struct matrix_src a, struct matrix_src b, bool subtract,
                          const struct matrix_mode *mode, enum matrix_result result) {
    struct split x = split_src(a.mantissa, a.exponent, mode->a);
    struct split y = split_src(b.mantissa, b.exponent, mode->b);
    y.negative ^= -(int32_t)subtract;
    if (result == MATRIX_TO_INT32) {
        vec_int sum = negate_if(x.magnitude, x.negative) & x.present;
        sum += negate_if(y.magnitude, y.negative) & (y.present | -(int32_t)mode->keep_b);
        add_integers(p, valid, sum);
        return;
    }
    if (mode->keep_b && wraps(x, y)) {
        add_slowly(p, valid, a, b, subtract, mode);
        return;
    }
    struct matrix_sum sum = add_or_subtract(x, y, mode->keep_b);
    sum.exponent = sum_exponent(sum.exponent, mode, result);
    add_sums(p, valid, &sum, 1, result);
}

VEC_INLINE void add_row(uint16_t *p, int32_t valid, struct matrix_src a, struct matrix_src b, bool subtract,
                        const struct matrix_mode *mode, enum matrix_result result) {
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
        struct matrix_src x = { a.mantissa + i, a.exponent + i }, y = { b.mantissa + i, b.exponent + i };
        add_lanes(p + i, valid, x, y, subtract, mode, result);
    }
}

static void matrix_add(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                       bool subtract, bool accumulate, const struct matrix_mode *mode) {
    for (unsigned row = 0; row < MATRIX_ROWS; row++, a.mantissa += MATRIX_COLUMNS, a.exponent += MATRIX_COLUMNS) {
        if (!(dst->mask >> row & 1))
            continue;
        struct spread spread;
        struct matrix_src y = row_of_b(&spread, b, row, broadcast);
        uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
        int32_t valid = accumulate ? valid_mask(dst, row) : 0;
        switch (result_of(mode)) {
        case MATRIX_TO_BF16: add_row(p, valid, a, y, subtract, mode, MATRIX_TO_BF16); break;
        case MATRIX_TO_FP16: add_row(p, valid, a, y, subtract, mode, MATRIX_TO_FP16); break;
        case MATRIX_TO_FP32: add_row(p, valid, a, y, subtract, mode, MATRIX_TO_FP32); break;
        case MATRIX_TO_INT32: add_row(p, valid, a, y, subtract, mode, MATRIX_TO_INT32); break;
        }
    }
}

#endif
