/* What multiply_floats.h needs of a level, with AVX: exponents and sums are words. */
#ifndef NUMERIC_MATRIX_FLOAT_WORDS_H
#define NUMERIC_MATRIX_FLOAT_WORDS_H

#include "numeric/matrix/float_scale.h"

#if VEC_ROWS

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

/* How eight rows are converted to floats. */
struct float_form {
    struct reading reading; /* reads the bits that the phase selects */
    vec_int rebias, scale;  /* added to an exponent; added to that for the float */
    bool factor;            /* multiply by 8193 */
};

VEC_INLINE struct float_form float_form_of(struct reading_bits bits, int32_t rebias, int32_t scale, bool factor) {
    return (struct float_form){ reading_of(selected_bits(bits)), vec_int_all(rebias), vec_int_all(scale), factor };
}

/* Returns the exponent, 0 where there is no number. Sets *present to ones where there is one. */
VEC_INLINE vec_int float_exponent(const uint16_t *exponent, const struct float_form *f, vec_int *present) {
    vec_int e = vec_from_u16(exponent) & f->reading.exponent;
    *present = (e != 0) | f->reading.keep;
    return (e + f->rebias) & *present;
}

/* Returns the greatest exponent, or 0 if any, except those of zeros, is less than `least`. */
VEC_INLINE int32_t greatest_float(const uint16_t *exponents, const struct float_form *f, int32_t least) {
    vec_int greatest = vec_int_all(least), smallest = vec_int_all(INT16_MAX), present;
    VEC_UNROLL
    for (unsigned i = 0; i < MATRIX_ROWS * MATRIX_COLUMNS; i += VEC_LANES) {
        vec_int e = float_exponent(exponents + i, f, &present);
        greatest = vec_int_max(greatest, e);
        smallest = vec_int_min(smallest, e | (~present & INT16_MAX));
    }
    return vec_int_least(smallest) < least ? 0 : vec_int_greatest(greatest);
}

/* Converts eight rows. most: the greatest exponent. */
VEC_INLINE void prepare_floats(struct matrix_narrow *to, struct matrix_src src, const struct float_form *f,
                               int32_t most) {
    vec_int greatest = vec_int_all(most), present;
    for (unsigned at = 0; at < MATRIX_ROWS * MATRIX_COLUMNS; at += VEC_LANES) {
        vec_int m = vec_from_u16(src.mantissa + at), e = float_exponent(src.exponent + at, f, &present);
        vec_int bits = ((m & f->reading.mantissa) | f->reading.hidden) & present;
        vec_int upper = ((e + f->scale) << 23 ^ (m << 16 & INT32_MIN)) & (bits != 0);
        vec_int number = f->factor ? bits + (bits << 13) : bits;
        vec_store((uint32_t *)to->value[0] + at, (vec) __builtin_convertvector(number, vec_float) + (vec)upper);
        vec_to_u8(to->below[0] + at, (greatest - e) | ~present);
    }
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

enum { ROW_WORDS = MATRIX_COLUMNS / VEC_LANES };

/* Four rows of the product of eight rows of SrcA with eight columns of SrcB, ready to be added to Dst. */
struct float_group {
    struct matrix_sum sum[QUAD][ROW_WORDS];
};

/* Finds by how much the greatest sum of two exponents is below the sum of the greatest exponents. b: four rows. */
VEC_INLINE void find_least_below(uint8_t below[QUAD][MATRIX_COLUMNS], const struct matrix_narrow *a,
                                 const uint8_t (*b)[MATRIX_COLUMNS], unsigned column) {
    const vec_rows *lanes = vec_constants(vec_row_lanes);
    VEC_UNROLL
    for (unsigned first = 0; first < QUAD; first += VEC_ROWS) {
        vec_rows least = (vec_rows){ 0 } + NO_EXPONENT, rows = vec_rows_load(b[first]);
        VEC_UNROLL
        for (unsigned k = 0; k < MATRIX_ROWS; k++) {
            vec_rows factor = vec_rows_lane(rows, lanes, column + k);
            least = vec_rows_min(least, vec_rows_add_sat(vec_rows_all(a->below[k]), factor));
        }
        vec_rows_store(below[first], least);
    }
}

/* Exponents with Dst's bias. */
struct float_bias {
    vec_int greatest; /* sum of the two greatest exponents */
    vec_int least;    /* exponent of a product with a zero */
    vec_int unit;     /* a float whose last place is the unit of exponent 0 */
};

VEC_INLINE struct float_bias float_bias_of(int32_t greatest, int32_t least, int32_t unit) {
    return (struct float_bias){ vec_int_all(greatest), vec_int_all(least),
                                vec_int_all((int32_t)((uint32_t)(unit * 128 + 64) << 16)) };
}

VEC_INLINE void multiply_float_group(struct float_group *g, const struct matrix_narrow *a,
                                     const struct matrix_narrow *b, unsigned row, unsigned column,
                                     struct float_bias bias) {
    _Alignas(64) uint8_t below[QUAD][MATRIX_COLUMNS];
    vec_float sums[QUAD][ROW_WORDS];
    find_least_below(below, a, b->below + row, column);
    VEC_UNROLL
    for (unsigned i = 0; i < QUAD * ROW_WORDS; i++) {
        vec_int less = vec_from_u8(below[0] + i * VEC_LANES), exponent = vec_int_max(bias.greatest - less, bias.least);
        g->sum[i / ROW_WORDS][i % ROW_WORDS].exponent = exponent;
        sums[i / ROW_WORDS][i % ROW_WORDS] = (vec_float)((exponent << 23) + bias.unit);
    }
    VEC_NO_UNROLL
    for (unsigned k = 0; k < MATRIX_ROWS; k++) {
        VEC_UNROLL
        for (unsigned i = 0; i < QUAD * ROW_WORDS; i++) {
            vec_float x = vec_float_load(a->value[k] + i % ROW_WORDS * VEC_LANES);
            vec_float y = vec_float_all(&b->value[row + i / ROW_WORDS][column + k]);
            vec_float *sum = &sums[i / ROW_WORDS][i % ROW_WORDS];
            *sum = vec_fused(x, y, *sum);
        }
    }
    VEC_UNROLL
    for (unsigned i = 0; i < QUAD * ROW_WORDS; i++) {
        struct matrix_sum *sum = &g->sum[i / ROW_WORDS][i % ROW_WORDS];
        vec_int lower = (vec_int)sums[i / ROW_WORDS][i % ROW_WORDS] << 16 >> 16;
        sum->value = lower & (sum->exponent > bias.least);
    }
}

VEC_INLINE void add_float_groups(const struct matrix_dst *dst, const struct float_group groups[2], unsigned row,
                                 enum matrix_result result) {
    uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
    const struct sum_constants *constants = constants_of(result);
    vec_int valid = valid_mask(dst, row);
    VEC_UNROLL
    for (unsigned i = 0; i < ROW_WORDS; i++) {
        struct matrix_sum sums[2] = { groups[0].sum[row % QUAD][i], groups[1].sum[row % QUAD][i] };
        add_sums(p + i * VEC_LANES, valid, sums, 2, result, constants);
    }
}

VEC_INLINE void multiply_float_quad(const struct matrix_dst *dst, const struct matrix_a *const a[2],
                                    const struct matrix_b *b, unsigned first, struct float_bias bias,
                                    enum matrix_result result) {
    struct float_group groups[2];
    VEC_UNROLL
    for (unsigned g = 0; g < 2; g++) {
        struct float_bias own = bias;
        own.greatest += vec_int_all(a[g]->most + b->most);
        multiply_float_group(&groups[g], &a[g]->narrow, &b->narrow, first, 8 * g, own);
    }
    for (unsigned row = first; row < first + QUAD; row++)
        if (dst->mask >> row & 1)
            add_float_groups(dst, groups, row, result);
}

#endif
#endif
