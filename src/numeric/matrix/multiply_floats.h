/* Dst += SrcB * SrcA as in multiply.h, but with floats instead of doubles, for hosts that have a fused multiply-add of
 * floats. The results equal those of model.c for every input.
 *
 * A fused multiply-add rounds once, and 24 bits are enough: eight products of 12 bits have 15. But floats cannot hold
 * all exponents. Floats serve if every product is exact and the greatest sum of two exponents is an exponent of a
 * float; other operands, and integers, are left to multiply.h.
 *
 *     SrcA's value   selected * 2^(e - SCALE_A)     SrcB's value   8193 * selected * 2^(e - SCALE_B)
 *
 * Exponents of FP16 are first converted to the bias of the other formats. How a level converts operands and adds
 * products is in float_shorts.h (NEON) and float_words.h (AVX). */
#ifndef NUMERIC_MATRIX_MULTIPLY_FLOATS_H
#define NUMERIC_MATRIX_MULTIPLY_FLOATS_H

#include "numeric/matrix/float_shorts.h"
#include "numeric/matrix/float_words.h"

#if VEC_FUSED

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

static void matrix_prepare_a_floats(struct matrix_a *a, struct matrix_src src, const struct matrix_mode *mode) {
    const struct float_form f = float_form_of(bits_a(mode), rebias_of(mode->a), -SCALE_A - places_a(mode), false);
    a->most = mode->a == MATRIX_INT8 ? 0 : greatest_float(src.exponent, &f, LEAST_A);
    if (a->most)
        prepare_floats(&a->narrow, src, &f, a->most);
    else
        matrix_prepare_a(a, src, mode);
}

static void matrix_prepare_b_floats(struct matrix_b *b, struct matrix_src src, const struct matrix_mode *mode) {
    const struct float_form f = float_form_of(bits_b(mode), rebias_of(mode->b), -SCALE_B - places_b(mode), true);
    b->most = mode->a == MATRIX_INT8 ? 0 : greatest_float(src.exponent, &f, LEAST_B);
    if (b->most)
        prepare_floats(&b->narrow, src, &f, b->most);
    else
        matrix_prepare_b(b, src, mode);
}

/* Converts prepared floats to the doubles of multiply.h. */
static void widen_values(double *to, const float *from, int32_t scale) {
    uint64_t bits = (uint64_t)(DOUBLE_BIAS + scale) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    for (unsigned i = 0; i < MATRIX_ROWS * MATRIX_COLUMNS; i++)
        to[i] = (double)from[i] * factor;
}

static int32_t widened_exponent(const struct matrix_narrow *from, unsigned i, int32_t most, int32_t rebias) {
    int32_t below = from->below[i / MATRIX_COLUMNS][i % MATRIX_COLUMNS];
    return below == NO_EXPONENT ? ZERO_EXPONENT : most - below - rebias;
}

static const struct matrix_a *widened_a(struct matrix_a *to, const struct matrix_a *a, const struct matrix_mode *mode) {
    int32_t rebias = rebias_of(mode->a);
    if (a->most == 0)
        return a;
    widen_values(to->value[0], a->narrow.value[0], SCALE_A - rebias);
    for (unsigned i = 0; i < MATRIX_ROWS * MATRIX_COLUMNS; i++)
        to->exponent[i / MATRIX_COLUMNS][i % MATRIX_COLUMNS] =
            (int16_t)widened_exponent(&a->narrow, i, a->most, rebias);
    return to;
}

static const struct matrix_b *widened_b(struct matrix_b *to, const struct matrix_b *b, const struct matrix_mode *mode) {
    int32_t rebias = rebias_of(mode->b);
    if (b->most == 0)
        return b;
    widen_values(to->value[0], b->narrow.value[0], SCALE_B - UNIT - rebias);
    for (unsigned i = 0; i < MATRIX_ROWS * MATRIX_COLUMNS; i++) {
        uint32_t exponent = (uint32_t)widened_exponent(&b->narrow, i, b->most, rebias) & 0xFFFF;
        to->exponent[i / MATRIX_COLUMNS][i % MATRIX_COLUMNS] = exponent | exponent << 16;
    }
    return to;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

static bool are_floats(const struct matrix_a *a, const struct matrix_b *b) {
    return a->most && b->most && a->most + b->most <= MOST;
}

__attribute__((noinline)) static void multiply_widened(const struct matrix_dst *dst, const struct matrix_a *const a[2],
                                                       const struct matrix_b *b, const struct matrix_mode *mode) {
    struct matrix_a wide_a[2];
    struct matrix_b wide_b;
    const struct matrix_a *const wide[2] = { widened_a(&wide_a[0], a[0], mode), widened_a(&wide_a[1], a[1], mode) };
    matrix_multiply(dst, wide, widened_b(&wide_b, b, mode), mode);
}

/* Products that are not above the least exponent do not count, so their unit need not be representable as a float. */
static void matrix_multiply_floats(const struct matrix_dst *dst, const struct matrix_a *const a[2],
                                   const struct matrix_b *b, const struct matrix_mode *mode) {
    int32_t adjust = product_adjust(mode), least = adjust > 0 ? adjust : 0;
    int32_t bias = adjust - rebias_of(mode->a) - rebias_of(mode->b), unit = UNIT_BIAS - bias;
    if (!are_floats(a[0], b) || !are_floats(a[1], b) || least + unit < 0) {
        multiply_widened(dst, a, b, mode);
        return;
    }
    struct float_bias biases = float_bias_of(bias, least, unit);
    for (unsigned first = 0; first < MATRIX_ROWS; first += QUAD) {
        if (!(dst->mask >> first & 15))
            continue;
        switch (result_of(mode)) {
        case MATRIX_TO_BF16: multiply_float_quad(dst, a, b, first, biases, MATRIX_TO_BF16); break;
        case MATRIX_TO_FP16: multiply_float_quad(dst, a, b, first, biases, MATRIX_TO_FP16); break;
        default: multiply_float_quad(dst, a, b, first, biases, MATRIX_TO_FP32); break;
        }
    }
}

#endif
#endif
