/* Dst += SrcB * SrcA: MVMUL, DOTPV, GAPOOL (MVMUL.md, WH). The results equal those of model.c for every input.
 *
 * Eight products p (12 bits) with exponents e have to be rounded at the greatest of the exponents, ties away from zero,
 * and added. The host's doubles do both at once: each p * 2^e is added to a number whose last place is the unit of the
 * greatest exponent, and the addition rounds it to nearest. Ties do not occur: SrcB's factors are greater by 2^-13 of
 * themselves. That moves a tie away from zero, and because it is less than half of p's last place (p < 2^12) it moves
 * nothing else across a tie. The factors have 5 and 20 bits, so products are exact, fused or not, and doubles can hold
 * any sum of two exponents. The sum of eight is in the last 32 bits of the result. The host must round to nearest,
 * which is its default.
 *
 *     SrcA's value   selected * 2^e     SrcB's value   8193 * selected * 2^(e - UNIT)
 *
 * A product whose selected bits are zero still has an exponent; only a zero operand has none. */
#ifndef NUMERIC_MATRIX_MULTIPLY_H
#define NUMERIC_MATRIX_MULTIPLY_H

#include "numeric/matrix/accumulate.h"

enum { ZERO_EXPONENT = -8192, DOUBLE_BIAS = 1023, UNIT = 300 };
/* The upper 16 bits of 1.5 * 2^52, to which integers are added exactly. */
enum { UPPER_INTEGER = (DOUBLE_BIAS + 52) << 4 | 8 };

/* ---- Operands -------------------------------------------------------------------------------------------------- */

/* How data are read: masks of the mantissa and the exponent, the hidden bit, and the bits that the phase selects. */
struct reading_bits {
    int32_t mantissa, exponent, hidden, selected;
    int32_t keep; /* all ones if an exponent of 0 does not make a zero */
};

struct reading {
    vec_int mantissa, exponent, hidden, selected, keep;
};

struct split {
    vec_int magnitude, negative, exponent, present;
};

VEC_INLINE struct split split_src(const uint16_t *mantissa, const uint16_t *exponent, const struct reading *r) {
    vec_int m = vec_from_u16(mantissa), e = vec_from_u16(exponent) & r->exponent;
    return (struct split){ m & r->mantissa, -(m >> 15), e, (e != 0) | r->keep };
}

VEC_INLINE struct reading_bits bits_of(enum matrix_style style, int32_t selected) {
    return (struct reading_bits){ .mantissa = style == MATRIX_BF16 ? 0x3F8 : 0x3FF,
                                  .exponent = style == MATRIX_FP16 ? 0x1F : 0xFF,
                                  .hidden = style == MATRIX_INT8 ? 0 : 0x400,
                                  .selected = selected };
}

/* The bits that a phase selects. SrcA: of 11 bits the upper five, or the next five if bit 0 of the phase is set; of an
 * integer's ten bits 7:5, or 4:0. SrcB: of 11 bits the upper seven, or the last four if bit 1 is set; of an integer
 * 9:4, or 3:0. */
VEC_INLINE struct reading_bits bits_a(const struct matrix_mode *mode) {
    if (mode->a == MATRIX_INT8)
        return bits_of(mode->a, mode->phase & 1 ? 0x1F : 0xE0);
    return bits_of(mode->a, mode->phase & 1 ? 0x03E : 0x7C0);
}

VEC_INLINE struct reading_bits bits_b(const struct matrix_mode *mode) {
    bool low = mode->phase & 2, integer = mode->a == MATRIX_INT8;
    struct reading_bits bits = bits_of(integer ? MATRIX_INT8 : mode->b, low ? 0x00F : integer ? 0x3F0 : 0x7F0);
    bits.keep = -(int32_t)mode->keep_b;
    return bits;
}

/* Leaves only the selected bits of a mantissa. */
VEC_INLINE struct reading_bits selected_bits(struct reading_bits bits) {
    bits.mantissa &= bits.selected;
    bits.hidden &= bits.selected;
    return bits;
}

VEC_INLINE struct reading reading_of(struct reading_bits bits) {
    return (struct reading){ vec_int_all(bits.mantissa), vec_int_all(bits.exponent), vec_int_all(bits.hidden),
                             vec_int_all(bits.selected), vec_int_all(bits.keep) };
}

VEC_INLINE struct reading reading_a(const struct matrix_mode *mode) {
    return reading_of(bits_a(mode));
}

VEC_INLINE struct reading reading_b(const struct matrix_mode *mode) {
    return reading_of(bits_b(mode));
}

/* Return by how many places the selected bits are further left than in a number of five bits (SrcA) or seven (SrcB). */
VEC_INLINE int32_t places_a(const struct matrix_mode *mode) {
    return mode->phase & 1 ? 1 : 6;
}

VEC_INLINE int32_t places_b(const struct matrix_mode *mode) {
    return mode->phase & 2 ? -3 : 4;
}

/* How the upper halves of doubles are made: selected bits times a power of two. The exponent of the converted float is
 * rebiased. The lower halves are zero, because 20 bits of mantissa are enough. For integers the power is 1. Where no
 * bit is selected, the result is not zero but 2^-127 times the power, which is lost in any sum. */
struct scale {
    vec_int exponent, bias;
};

VEC_INLINE struct scale scale_of(const struct matrix_mode *mode, int32_t bias) {
    int32_t from_float = DOUBLE_BIAS - 127;
    if (mode->a == MATRIX_INT8)
        return (struct scale){ vec_int_all(0), vec_int_all(from_float << 20) };
    return (struct scale){ vec_int_all(0xFF << 20), vec_int_all((from_float + bias) * (1 << 20)) };
}

VEC_INLINE vec_int upper_halves(const uint16_t *mantissa, const uint16_t *exponent, const struct reading *r,
                                const struct scale *scale, vec_int factor) {
    vec_int m = vec_from_u16(mantissa), e = vec_from_u16(exponent) & r->exponent;
    vec_int bits = ((m & r->mantissa) | r->hidden) & r->selected;
    vec_int number = (vec_int) __builtin_convertvector(bits + (bits << 13 & factor), vec_float);
    vec_int upper = (number >> 3) + (e << 20 & scale->exponent) + scale->bias;
    return (upper | (m << 16 & INT32_MIN)) & ((e != 0) | r->keep);
}

VEC_INLINE void prepare_values(double *p, const uint16_t *mantissa, const uint16_t *exponent, const struct reading *r,
                               const struct scale *scale, vec_int factor) {
    VEC_UNROLL
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES)
        vec_double_widen(p + i, upper_halves(mantissa + i, exponent + i, r, scale, factor));
}

static void matrix_prepare_a(struct matrix_a *a, struct matrix_src src, const struct matrix_mode *mode) {
    struct reading reading = reading_a(mode);
    struct scale scale = scale_of(mode, -places_a(mode));
    vec_short bits = vec_short_all_of_pair(mode->a == MATRIX_FP16 ? 0x1F001F : 0xFF00FF);
    for (unsigned row = 0; row < MATRIX_ROWS; row++) {
        const uint16_t *m = src.mantissa + row * MATRIX_COLUMNS, *e = src.exponent + row * MATRIX_COLUMNS;
        VEC_UNROLL
        for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_SHORTS) {
            vec_short exponent = vec_short_load(e + i) & bits;
            vec_short_store(a->exponent[row] + i, exponent | ((exponent == 0) & ZERO_EXPONENT));
        }
        prepare_values(a->value[row], m, e, &reading, &scale, vec_int_all(0));
    }
}

static void matrix_prepare_b(struct matrix_b *b, struct matrix_src src, const struct matrix_mode *mode) {
    struct reading reading = reading_b(mode);
    struct scale scale = scale_of(mode, -UNIT - places_b(mode));
    vec_int factor = vec_int_all(mode->a == MATRIX_INT8 ? 0 : -1);
    for (unsigned row = 0; row < MATRIX_ROWS; row++) {
        const uint16_t *m = src.mantissa + row * MATRIX_COLUMNS, *e = src.exponent + row * MATRIX_COLUMNS;
        VEC_UNROLL
        for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
            vec_int exponent = vec_from_u16(e + i) & reading.exponent;
            exponent |= (exponent == 0) & ~reading.keep & (ZERO_EXPONENT & 0xFFFF);
            vec_int_store(b->exponent[row] + i, exponent | exponent << 16);
        }
        prepare_values(b->value[row], m, e, &reading, &scale, factor);
    }
}

/* ---- Products -------------------------------------------------------------------------------------------------- */

enum { QUAD = 4 };

/* Four rows of the product of eight rows of SrcA with eight columns of SrcB. */
struct group {
    int32_t sum[QUAD][MATRIX_COLUMNS];
    int16_t exponent[QUAD][MATRIX_COLUMNS]; /* the greatest sum of two exponents, or the least that counts */
    uint16_t unit[QUAD][MATRIX_COLUMNS];    /* the upper bits of a double whose last place is the exponent's unit */
};

VEC_INLINE vec_short greatest_of_sums(const struct matrix_a *a, unsigned column, const uint32_t *b, int32_t least) {
    vec_short most = vec_short_all_of_pair((uint32_t)least << 16 | (uint32_t)least);
    VEC_UNROLL
    for (unsigned k = 0; k < MATRIX_ROWS; k++)
        most = vec_short_max(most, vec_short_load(a->exponent[k] + column) + vec_short_all_of_pair(b[k]));
    return most;
}

VEC_INLINE void find_exponents(struct group *g, const struct matrix_a *a, const uint32_t (*b)[MATRIX_COLUMNS],
                               int32_t least) {
    for (unsigned row = 0; row < QUAD; row++)
        for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_SHORTS) {
            vec_short most = greatest_of_sums(a, i, b[row], least);
            vec_short_store(g->exponent[row] + i, most);
            vec_short_store(g->unit[row] + i, (most << 4) + (((DOUBLE_BIAS + 52 + 13 - UNIT) << 4) | 8));
        }
}

/* As many rows at a time as fit into eight registers. */
enum { ROW_VECTORS = MATRIX_COLUMNS / VEC_DOUBLES, ROWS_AT_ONCE = ROW_VECTORS > 8 ? 1 : 8 / ROW_VECTORS };

struct sums {
    vec_double v[ROWS_AT_ONCE][ROW_VECTORS];
};

VEC_INLINE void add_products(struct sums *sums, const double *a, const double (*b)[MATRIX_COLUMNS], unsigned k) {
    VEC_UNROLL
    for (unsigned row = 0; row < ROWS_AT_ONCE; row++) {
        VEC_UNROLL
        for (unsigned i = 0; i < ROW_VECTORS; i++)
            sums->v[row][i] =
                vec_double_fma(vec_double_load(a + i * VEC_DOUBLES), vec_double_all(&b[row][k]), sums->v[row][i]);
    }
}

VEC_INLINE void add_up(struct group *g, const struct matrix_a *a, const double (*b)[MATRIX_COLUMNS], unsigned first) {
    struct sums sums;
    VEC_UNROLL
    for (unsigned i = 0; i < ROWS_AT_ONCE * ROW_VECTORS; i++)
        sums.v[i / ROW_VECTORS][i % ROW_VECTORS] =
            vec_double_upper(g->unit[first + i / ROW_VECTORS] + i % ROW_VECTORS * VEC_DOUBLES);
    VEC_UNROLL
    for (unsigned k = 0; k < MATRIX_ROWS; k++)
        add_products(&sums, a->value[k], b + first, k);
    VEC_UNROLL
    for (unsigned i = 0; i < ROWS_AT_ONCE * ROW_VECTORS; i++)
        vec_double_lower(g->sum[first + i / ROW_VECTORS] + i % ROW_VECTORS * VEC_DOUBLES,
                         sums.v[i / ROW_VECTORS][i % ROW_VECTORS]);
}

/* Adds two groups to a row of Dst. Nothing is left of a group whose exponent is not above the least one. */
VEC_INLINE void add_groups(const struct matrix_dst *dst, const struct group groups[2], unsigned row, int32_t adjust,
                           int32_t least, enum matrix_result result) {
    uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
    const struct sum_constants *constants = constants_of(result);
    vec_int valid = valid_mask(dst, row);
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
        struct matrix_sum sums[2];
        VEC_UNROLL
        for (unsigned g = 0; g < 2; g++) {
            vec_int exponent = vec_from_i16(groups[g].exponent[row % QUAD] + i);
            sums[g].value = vec_int_load(groups[g].sum[row % QUAD] + i) & (exponent > least);
            sums[g].exponent = exponent + adjust;
        }
        add_sums(p + i, valid, sums, 2, result, constants);
    }
}

VEC_INLINE void add_integer_groups(const struct matrix_dst *dst, const struct group groups[2], unsigned row) {
    uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES)
        add_integers(p + i, valid_mask(dst, row),
                     vec_int_load(groups[0].sum[row % QUAD] + i) + vec_int_load(groups[1].sum[row % QUAD] + i));
}

/* Returns the number to add to the sum of two exponents: it accounts for Dst's bias and for the weight of the phase's
 * bits. */
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
    for (unsigned i = 0; i < QUAD; i++)
        for (unsigned j = 0; j < MATRIX_COLUMNS; j += VEC_SHORTS)
            vec_short_store(g->unit[i] + j, vec_short_all_of_pair(UPPER_INTEGER << 16 | UPPER_INTEGER));
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
    for (unsigned row = first; row < first + QUAD; row++) {
        if (!(dst->mask >> row & 1))
            continue;
        if (result == MATRIX_TO_INT32)
            add_integer_groups(dst, groups, row);
        else
            add_groups(dst, groups, row, adjust, least, result);
    }
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
