/* What multiply_floats.h needs of a level, with NEON: exponents and sums are lanes of 16 bits. */
#ifndef NUMERIC_MATRIX_FLOAT_SHORTS_H
#define NUMERIC_MATRIX_FLOAT_SHORTS_H

#include "numeric/matrix/accumulate_shorts.h"
#include "numeric/matrix/elementwise_shorts.h"
#include "numeric/matrix/float_scale.h"

#if VEC_NEON

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

/* How eight rows are converted to floats. */
struct float_form {
    struct short_reading reading; /* reads the bits that the phase selects */
    vec_short rebias, scale;      /* added to an exponent; added to that for the float */
    bool factor;                  /* multiply by 8193 */
};

VEC_INLINE struct float_form float_form_of(struct reading_bits bits, int32_t rebias, int32_t scale, bool factor) {
    return (struct float_form){ short_reading_of(selected_bits(bits)), vec_short_all(rebias), vec_short_all(scale),
                                factor };
}

/* Returns the exponent, 0 where there is no number. Sets *present to ones where there is one. */
VEC_INLINE vec_short float_exponent(const uint16_t *exponent, const struct float_form *f, vec_short *present) {
    vec_short e = vec_short_load(exponent) & f->reading.exponent;
    *present = vec_short_some(e) | f->reading.keep;
    return (e + f->rebias) & *present;
}

/* Returns the greatest exponent, or 0 if any, except those of zeros, is less than `least`. */
VEC_INLINE int32_t greatest_float(const uint16_t *exponents, const struct float_form *f, int32_t least) {
    vec_short greatest = vec_short_all(0), smallest = vec_short_all(INT16_MAX), present;
    for (unsigned i = 0; i < MATRIX_ROWS * MATRIX_COLUMNS; i += VEC_SHORTS) {
        vec_short e = float_exponent(exponents + i, f, &present);
        greatest = vec_short_max(greatest, e);
        smallest = vec_short_min(smallest, vec_short_select_bits(present, e, vec_short_all(INT16_MAX)));
    }
    return vec_short_least(smallest) < least ? 0 : vec_short_greatest(vec_short_max(greatest, vec_short_all(least)));
}

/* Converts a vector. Returns how far its exponents are below the greatest one. */
VEC_INLINE vec_short make_floats(float *to, struct matrix_src src, const struct float_form *f, vec_short most) {
    vec_short m = vec_short_load(src.mantissa), present, e = float_exponent(src.exponent, f, &present);
    vec_short bits = vec_short_select_bits(f->reading.mantissa, m, f->reading.hidden) & present;
    vec_short upper = ((e + f->scale) << 7 ^ (m & INT16_MIN)) & vec_short_some(bits);
    struct vec_words number =
        f->factor ? vec_words_zip(bits | bits << 13, bits >> 3) : vec_words_zip(bits, vec_short_all(0));
    struct vec_words scale = vec_words_zip(vec_short_all(0), upper);
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++)
        vec_store((uint32_t *)to + i * VEC_LANES,
                  (vec) __builtin_convertvector(number.v[i], vec_float) + (vec)scale.v[i]);
    return (most - e) | ~present;
}

VEC_INLINE void prepare_floats(struct matrix_narrow *to, struct matrix_src src, const struct float_form *f,
                               int32_t most) {
    vec_short greatest = vec_short_all(most);
    for (unsigned row = 0; row < MATRIX_ROWS; row++) {
        vec_ushort below[2];
        VEC_UNROLL
        for (unsigned i = 0; i < 2; i++) {
            unsigned at = row * MATRIX_COLUMNS + i * VEC_SHORTS;
            struct matrix_src part = { src.mantissa + at, src.exponent + at };
            below[i] = (vec_ushort)make_floats(to->value[row] + i * VEC_SHORTS, part, f, greatest);
        }
        vec_byte bytes = vec_byte_narrow(below);
        memcpy(to->below[row], &bytes, sizeof bytes);
    }
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* Four rows of the product of eight rows of SrcA with eight columns of SrcB, ready to be added to Dst. */
struct float_group {
    struct short_sum sum[QUAD][ROW_SHORTS];
};

/* Returns by how much the greatest sum of two exponents is below the sum of the greatest exponents. */
VEC_INLINE vec_byte least_below(const struct matrix_narrow *a, const uint8_t *b) {
    vec_byte least = (vec_byte){ 0 } + NO_EXPONENT, row = vec_byte_load_half(b);
#define LEAST_BELOW(k) least = vec_byte_min(least, vec_byte_add_sat(vec_byte_load(a->below[k]), vec_byte_lane(row, k)))
    LEAST_BELOW(0), LEAST_BELOW(1), LEAST_BELOW(2), LEAST_BELOW(3);
    LEAST_BELOW(4), LEAST_BELOW(5), LEAST_BELOW(6), LEAST_BELOW(7);
#undef LEAST_BELOW
    return least;
}

enum { ROW_FLOATS = MATRIX_COLUMNS / VEC_LANES };

struct float_sums {
    vec_float v[QUAD][ROW_FLOATS];
};

VEC_INLINE void add_float_products(struct float_sums *sums, const float *a, const vec_float y[QUAD], bool second) {
    VEC_UNROLL
    for (unsigned i = 0; i < ROW_FLOATS; i++) {
        vec_float x = vec_float_load(a + i * VEC_LANES);
        VEC_UNROLL
        for (unsigned row = 0; row < QUAD; row++)
            sums->v[row][i] =
                second ? vec_fused_lane(x, y[row], 1, sums->v[row][i]) : vec_fused_lane(x, y[row], 0, sums->v[row][i]);
    }
}

/* Not unrolled: besides the sums, registers hold no more than two rows of SrcA. */
VEC_INLINE void add_up_floats(struct float_sums *sums, const struct matrix_narrow *a,
                              const float (*b)[MATRIX_COLUMNS]) {
    VEC_NO_UNROLL
    for (unsigned k = 0; k < MATRIX_ROWS; k += 2) {
        vec_float y[QUAD];
        VEC_UNROLL
        for (unsigned row = 0; row < QUAD; row++)
            y[row] = vec_float_load_half(b[row] + k);
        add_float_products(sums, a->value[k], y, false);
        add_float_products(sums, a->value[k + 1], y, true);
    }
}

/* Exponents with Dst's bias. */
struct float_bias {
    vec_short greatest; /* sum of the two greatest exponents */
    vec_short least;    /* exponent of a product with a zero */
    vec_short unit;     /* upper bits of a float whose last place is the unit of exponent 0 */
};

VEC_INLINE struct float_bias float_bias_of(int32_t greatest, int32_t least, int32_t unit) {
    return (struct float_bias){ vec_short_all(greatest), vec_short_all(least), vec_short_all(unit * 128 + 64) };
}

static void multiply_float_group(struct float_group *g, const struct matrix_narrow *a, const struct matrix_narrow *b,
                                 unsigned row, unsigned column, struct float_bias bias) {
    struct float_sums sums;
    vec_short exponent[QUAD][ROW_SHORTS];
    VEC_UNROLL
    for (unsigned i = 0; i < QUAD; i++) {
        vec_byte below = least_below(a, b->below[row + i] + column);
        exponent[i][0] = vec_short_max(vec_short_less_first(bias.greatest, below), bias.least);
        exponent[i][1] = vec_short_max(vec_short_less_last(bias.greatest, below), bias.least);
        VEC_UNROLL
        for (unsigned j = 0; j < ROW_SHORTS; j++) {
            struct vec_words units = vec_words_zip(vec_short_all(0), (exponent[i][j] << 7) + bias.unit);
            sums.v[i][2 * j] = (vec_float)units.v[0];
            sums.v[i][2 * j + 1] = (vec_float)units.v[1];
        }
    }
    VEC_UNROLL
    for (unsigned i = 0; i < QUAD * ROW_SHORTS; i++)
        g->sum[i / ROW_SHORTS][i % ROW_SHORTS].exponent = exponent[i / ROW_SHORTS][i % ROW_SHORTS];
    add_up_floats(&sums, a, (const float(*)[MATRIX_COLUMNS])(b->value[row] + column));
    VEC_UNROLL
    for (unsigned i = 0; i < QUAD; i++) {
        VEC_UNROLL
        for (unsigned j = 0; j < ROW_SHORTS; j++) {
            vec_short sum = vec_short_low((vec_int)sums.v[i][2 * j], (vec_int)sums.v[i][2 * j + 1]);
            g->sum[i][j].value = sum & (g->sum[i][j].exponent > bias.least);
        }
    }
}

VEC_INLINE void add_float_groups(const struct matrix_dst *dst, const struct float_group groups[2], unsigned row,
                                 enum matrix_result result) {
    uint16_t *p = dst->rows[row / QUAD] + row % QUAD * MATRIX_COLUMNS;
    vec_short valid = short_valid_mask(dst, row);
    struct short_datum data[ROW_SHORTS];
    VEC_UNROLL
    for (unsigned i = 0; i < ROW_SHORTS; i++) {
        struct short_sum sums[2] = { groups[0].sum[row % QUAD][i], groups[1].sum[row % QUAD][i] };
        if (result == MATRIX_TO_FP32)
            data[i] = short_add_32(p + i * VEC_SHORTS, valid, sums, 2);
        else
            data[i] = short_add_16_twice(p + i * VEC_SHORTS, valid, sums, result);
    }
    short_store_row(p, data, result);
}

VEC_INLINE void multiply_float_quad(const struct matrix_dst *dst, const struct matrix_a *const a[2],
                                    const struct matrix_b *b, unsigned first, struct float_bias bias,
                                    enum matrix_result result) {
    struct float_group groups[2];
    for (unsigned g = 0; g < 2; g++) {
        struct float_bias own = bias;
        own.greatest += vec_short_all(a[g]->most + b->most);
        multiply_float_group(&groups[g], &a[g]->narrow, &b->narrow, first, 8 * g, own);
    }
    for (unsigned row = first; row < first + QUAD; row++)
        if (dst->mask >> row & 1)
            add_float_groups(dst, groups, row, result);
}

#endif
#endif
