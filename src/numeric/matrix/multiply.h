/* Dst += SrcB * SrcA: MVMUL, DOTPV, GAPOOL.
 *
 * Eight products p (12 bits) with exponents e are to be rounded at the greatest of the exponents, ties away from zero,
 * and added up. The host's doubles do both at once: to a number whose last place is that exponent's unit, each p * 2^e
 * is added and so rounded to nearest. There are no ties: SrcA's factors are greater by 2^-13 of themselves, which takes
 * a tie beyond it and, as it is less than half of p's last place (p < 2^12), nothing else to it. The factors have 18
 * and 7 bits, so that products are exact, fused or not, and doubles hold any sum of two exponents. The sum of eight is
 * in the last 32 bits of the result.
 *
 *     SrcA's value   8193 * selected * 2^(e - UNIT)     SrcB's value   selected * 2^e
 *
 * A product whose selected bits are zero has an exponent nonetheless; only a zero operand has none. */
#ifndef NUMERIC_MATRIX_MULTIPLY_H
#define NUMERIC_MATRIX_MULTIPLY_H

#include "numeric/matrix/accumulate.h"

enum { ZERO_EXPONENT = -8192, DOUBLE_BIAS = 1023, UNIT = 300 };
/* The upper 16 bits of 1.0 and of 1.5 * 2^52: to that, integers are added as they are. */
enum { UPPER_ONE = DOUBLE_BIAS << 4, UPPER_INTEGER = (DOUBLE_BIAS + 52) << 4 | 8 };

/* ---- Operands -------------------------------------------------------------------------------------------------- */

struct split {
    vec_int magnitude, negative, exponent, present;
};

VEC_INLINE struct split split_src(const uint16_t *mantissa, const uint16_t *exponent, enum matrix_style style) {
    vec_int m = vec_from_u16(mantissa), e = vec_from_u16(exponent);
    if (style == MATRIX_FP16)
        e &= 0x1F;
    return (struct split){ m & (style == MATRIX_BF16 ? 0x3F8 : 0x3FF), -(m >> 15), e, e != 0 };
}

/* Of SrcA's 11 bits the upper five or the next five; of SrcB's the upper seven or the last four. */
VEC_INLINE vec_int select_a(vec_int significand, unsigned phase) {
    return phase & 1 ? significand >> 1 & 0x1F : significand >> 6;
}

VEC_INLINE vec_int select_b(vec_int significand, unsigned phase) {
    return phase & 2 ? (significand & 0xF) << 3 : significand >> 4;
}

VEC_INLINE int32_t integer_bits_a(unsigned phase) {
    return phase & 1 ? 0x1F : 0xE0;
}

VEC_INLINE int32_t integer_bits_b(unsigned phase) {
    return phase & 2 ? 0x00F : 0x3F0;
}

/* 16 integers times powers of two, of which upper has the upper bits. */
VEC_INLINE void store_values(double *p, const int32_t *integers, const uint16_t *upper) {
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_DOUBLES) {
        vec_half_int n;
        memcpy(&n, integers + i, sizeof n);
        vec_double_store(p + i, __builtin_convertvector(n, vec_double) * vec_double_upper(upper + i));
    }
}

static void prepare_row_a(struct matrix_a *a, unsigned row, struct matrix_src src, const struct matrix_mode *mode) {
    int32_t integers[MATRIX_COLUMNS];
    uint16_t upper[MATRIX_COLUMNS];
    bool integer = mode->a == MATRIX_INT8;
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
        unsigned at = row * MATRIX_COLUMNS + i;
        struct split s = split_src(src.mantissa + at, src.exponent + at, mode->a);
        vec_int bits = select_a(s.magnitude | 0x400, mode->phase);
        bits = integer ? s.magnitude & integer_bits_a(mode->phase) : bits << 13 | bits;
        vec_int power = integer ? vec_int_all(UPPER_ONE) : (s.exponent + (DOUBLE_BIAS - UNIT)) << 4;
        vec_int value = negate_if(bits, s.negative) & s.present;
        memcpy(integers + i, &value, sizeof value);
        vec_to_u16(upper + i, power);
        vec_to_u16((uint16_t *)a->exponent[row] + i, vec_pick(s.present, s.exponent, vec_int_all(ZERO_EXPONENT)));
    }
    store_values(a->value[row], integers, upper);
}

static void prepare_row_b(struct matrix_b *b, unsigned row, struct matrix_src src, const struct matrix_mode *mode) {
    int32_t integers[MATRIX_COLUMNS];
    uint16_t upper[MATRIX_COLUMNS];
    bool integer = mode->a == MATRIX_INT8;
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
        unsigned at = row * MATRIX_COLUMNS + i;
        struct split s = split_src(src.mantissa + at, src.exponent + at, mode->b);
        s.present |= vec_int_all(-(int32_t)mode->keep_b);
        vec_int bits = select_b(s.magnitude | 0x400, mode->phase);
        bits = integer ? s.magnitude & integer_bits_b(mode->phase) : bits;
        vec_int power = integer ? vec_int_all(UPPER_ONE) : (s.exponent + DOUBLE_BIAS) << 4;
        vec_int value = negate_if(bits, s.negative) & s.present;
        memcpy(integers + i, &value, sizeof value);
        vec_to_u16(upper + i, power);
        vec_int exponent = vec_pick(s.present, s.exponent, vec_int_all(ZERO_EXPONENT));
        exponent = (exponent & 0xFFFF) | exponent << 16;
        memcpy(b->exponent[row] + i, &exponent, sizeof exponent);
    }
    store_values(b->value[row], integers, upper);
}

static void matrix_prepare_a(struct matrix_a *a, struct matrix_src src, const struct matrix_mode *mode) {
    for (unsigned row = 0; row < MATRIX_ROWS; row++)
        prepare_row_a(a, row, src, mode);
}

static void matrix_prepare_b(struct matrix_b *b, struct matrix_src src, const struct matrix_mode *mode) {
    for (unsigned row = 0; row < MATRIX_ROWS; row++)
        prepare_row_b(b, row, src, mode);
}

/* ---- Products -------------------------------------------------------------------------------------------------- */

enum { QUAD = 4 };

/* Four rows of the product of eight rows of SrcA with eight columns of SrcB. */
struct group {
    int32_t sum[QUAD][MATRIX_COLUMNS];
    int16_t exponent[QUAD][MATRIX_COLUMNS]; /* the greatest of sums of two, or the least that counts */
    uint16_t unit[QUAD][MATRIX_COLUMNS];    /* the upper bits of a double whose last place is the exponent's unit */
};

VEC_INLINE void find_exponents(struct group *g, const struct matrix_a *a, const uint32_t (*b)[MATRIX_COLUMNS],
                               int32_t least) {
    for (unsigned row = 0; row < QUAD; row++)
        for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_SHORTS) {
            vec_short most = vec_short_all((uint32_t)least << 16 | (uint32_t)least);
            for (unsigned k = 0; k < MATRIX_ROWS; k++)
                most = vec_short_most(most, vec_short_load(a->exponent[k] + i) + vec_short_all(b[row][k]));
            vec_short_store(g->exponent[row] + i, most);
            vec_short_store(g->unit[row] + i, (most << 4) + (((DOUBLE_BIAS + 52 + 13 - UNIT) << 4) | 8));
        }
}

/* As many rows at a time as eight registers hold. */
enum { ROW_VECTORS = MATRIX_COLUMNS / VEC_DOUBLES, ROWS_AT_ONCE = ROW_VECTORS > 8 ? 1 : 8 / ROW_VECTORS };

VEC_INLINE void add_up(struct group *g, const struct matrix_a *a, const double (*b)[MATRIX_COLUMNS], unsigned first) {
    vec_double sum[ROWS_AT_ONCE][ROW_VECTORS];
    for (unsigned row = 0; row < ROWS_AT_ONCE; row++)
        for (unsigned i = 0; i < ROW_VECTORS; i++)
            sum[row][i] = vec_double_upper(g->unit[first + row] + i * VEC_DOUBLES);
    for (unsigned k = 0; k < MATRIX_ROWS; k++)
        for (unsigned row = 0; row < ROWS_AT_ONCE; row++)
            for (unsigned i = 0; i < ROW_VECTORS; i++)
                sum[row][i] = vec_fma(vec_double_load(a->value[k] + i * VEC_DOUBLES), vec_double_all(b[first + row][k]),
                                      sum[row][i]);
    for (unsigned row = 0; row < ROWS_AT_ONCE; row++)
        for (unsigned i = 0; i < ROW_VECTORS; i++)
            vec_double_lower(g->sum[first + row] + i * VEC_DOUBLES, sum[row][i]);
}

/* Nothing is left of a group whose exponent is not above the least one. */
VEC_INLINE void add_groups(const struct matrix_dst *dst, const struct group groups[2], unsigned row, int32_t adjust,
                           int32_t least, enum matrix_result result) {
    uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
        struct matrix_sum sums[2];
        for (unsigned g = 0; g < 2; g++) {
            vec_int exponent = vec_from_i16(groups[g].exponent[row % QUAD] + i);
            sums[g].value = vec_from_i32(groups[g].sum[row % QUAD] + i) & (exponent > least);
            sums[g].exponent = exponent + adjust;
        }
        add_sums(p + i, valid_mask(dst, row), sums, 2, result);
    }
}

VEC_INLINE void add_integer_groups(const struct matrix_dst *dst, const struct group groups[2], unsigned row) {
    uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES)
        add_integers(p + i, valid_mask(dst, row),
                     vec_from_i32(groups[0].sum[row % QUAD] + i) + vec_from_i32(groups[1].sum[row % QUAD] + i));
}

/* What two exponents' sum lacks to have Dst's bias, and what the phase's bits are worth. */
VEC_INLINE int32_t product_adjust(const struct matrix_mode *mode) {
    int32_t bias = mode->a != MATRIX_FP16 ? -127 : mode->wide ? 127 - 2 * 15 : -15;
    return bias - (mode->phase & 1 ? 5 : 0) - (mode->phase & 2 ? 7 : 0);
}

VEC_INLINE int32_t least_exponent(int32_t adjust) {
    return adjust < 0 ? -adjust : 0;
}

static void multiply_group(struct group *g, const struct matrix_a *a, const struct matrix_b *b, unsigned row,
                           unsigned column, int32_t least) {
    const double(*values)[MATRIX_COLUMNS] = (const double(*)[MATRIX_COLUMNS])(b->value[row] + column);
    const uint32_t(*exponents)[MATRIX_COLUMNS] = (const uint32_t(*)[MATRIX_COLUMNS])(b->exponent[row] + column);
    find_exponents(g, a, exponents, least);
    for (unsigned first = 0; first < QUAD; first += ROWS_AT_ONCE)
        add_up(g, a, values, first);
}

static void multiply_integers(struct group *g, const struct matrix_a *a, const struct matrix_b *b, unsigned row,
                              unsigned column) {
    const double(*values)[MATRIX_COLUMNS] = (const double(*)[MATRIX_COLUMNS])(b->value[row] + column);
    for (unsigned i = 0; i < QUAD * MATRIX_COLUMNS; i++)
        g->unit[i / MATRIX_COLUMNS][i % MATRIX_COLUMNS] = UPPER_INTEGER;
    for (unsigned first = 0; first < QUAD; first += ROWS_AT_ONCE)
        add_up(g, a, values, first);
}

VEC_INLINE void multiply_quad(const struct matrix_dst *dst, const struct matrix_a *const a[2], const struct matrix_b *b,
                              unsigned first, int32_t adjust, enum matrix_result result) {
    struct group groups[2];
    int32_t least = least_exponent(adjust);
    for (unsigned g = 0; g < 2; g++)
        if (result == MATRIX_TO_INT32)
            multiply_integers(&groups[g], a[g], b, first, 8 * g);
        else
            multiply_group(&groups[g], a[g], b, first, 8 * g, least);
    for (unsigned row = first; row < first + QUAD; row++)
        if (!(dst->mask >> row & 1))
            continue;
        else if (result == MATRIX_TO_INT32)
            add_integer_groups(dst, groups, row);
        else
            add_groups(dst, groups, row, adjust, least, result);
}

static void matrix_multiply(const struct matrix_dst *dst, const struct matrix_a *const a[2], const struct matrix_b *b,
                            const struct matrix_mode *mode) {
    int32_t adjust = product_adjust(mode);
    for (unsigned first = 0; first < MATRIX_ROWS; first += QUAD) {
        if (!(dst->mask >> first & 15))
            continue;
        switch (result_of(mode)) {
        case MATRIX_TO_BF16: multiply_quad(dst, a, b, first, adjust, MATRIX_TO_BF16); break;
        case MATRIX_TO_FP16: multiply_quad(dst, a, b, first, adjust, MATRIX_TO_FP16); break;
        case MATRIX_TO_FP32: multiply_quad(dst, a, b, first, adjust, MATRIX_TO_FP32); break;
        case MATRIX_TO_INT32: multiply_quad(dst, a, b, first, adjust, MATRIX_TO_INT32); break;
        }
    }
}

#endif
