/* GMPOOL: the maximum of columns, with the steps of model.c, a vector of columns at a time. A datum is one integer of
 * sign, nine bits of exponent and ten of mantissa. */
#ifndef NUMERIC_MATRIX_MAXIMUM_H
#define NUMERIC_MATRIX_MAXIMUM_H

#include "numeric/matrix/accumulate.h"

enum pool_result { POOL_INT32, POOL_FP16, POOL_BF16, POOL_TF32 };
enum { POOL_SIGN = 1 << 19, POOL_LEAST = (1 << 20) - 1 };

static enum pool_result pool_result(const struct matrix_mode *mode, bool index) {
    if (mode->a == MATRIX_INT8 || (mode->a == MATRIX_TF32 && index))
        return POOL_INT32;
    if (mode->wide && !index)
        return POOL_TF32;
    return mode->a == MATRIX_FP16 ? POOL_FP16 : POOL_BF16;
}

VEC_INLINE vec_int pool_read(vec_int upper, vec_int lower, enum pool_result result) {
    vec_int sign = (upper & 0x8000) << 4;
    switch (result) {
    case POOL_INT32: return sign | (upper & 0x700) << 8 | lower;
    case POOL_FP16: return sign | ((upper & 0x1F) + 15) << 10 | (upper >> 5 & 0x3FF);
    case POOL_BF16: return sign | ((upper & 0xFF) + 127) << 10 | (upper >> 5 & 0x3F8);
    default: return sign | ((upper & 0xFF) + 127) << 10 | (upper >> 5 & 0x3F8) | lower >> 13;
    }
}

/* Returns the upper half of the datum for Dst. */
VEC_INLINE vec_int pool_upper(vec_int datum, enum pool_result result) {
    vec_int sign = datum >> 4 & 0x8000, exponent = datum >> 10 & 0x1FF;
    switch (result) {
    case POOL_INT32: return sign;
    case POOL_FP16: return (sign | (datum & 0x3FF) << 5 | ((exponent - 15) & 0x1F)) & ((exponent & 0x3F) != 0);
    default: return (sign | (datum & 0x3F8) << 5 | ((exponent - 127) & 0xFF)) & (exponent != 0);
    }
}

VEC_INLINE vec_int pool_lower(vec_int datum, enum pool_result result) {
    switch (result) {
    case POOL_INT32: return datum & 0x1FFF;
    case POOL_TF32: return (datum & 7) << 13 & ((datum & 0x7FC00) != 0);
    default: return vec_int_all(0);
    }
}

VEC_INLINE vec_int pool_order(vec_int datum) {
    return negate_if(datum & (POOL_SIGN - 1), -(datum >> 19));
}

/* The bits of a datum that count. */
struct pool_reading {
    vec_int mantissa, exponent, sum, sign;
};

VEC_INLINE struct pool_reading pool_reading(enum matrix_style style) {
    return (struct pool_reading){ .mantissa = vec_int_all(style == MATRIX_BF16 ? 0x3F8 : 0x3FF),
                                  .exponent = vec_int_all(style == MATRIX_FP16 ? 0x1F : 0xFF),
                                  .sum = vec_int_all(style == MATRIX_INT8 ? 0 : 0x1FF << 10),
                                  .sign = vec_int_all(POOL_SIGN) };
}

/* Returns a datum of SrcA, scaled by a power of two. A zero of SrcB makes it less than any other. */
VEC_INLINE vec_int pool_scaled(const uint16_t *mantissa, const uint16_t *exponent, uint32_t scale,
                               const struct pool_reading *r) {
    if (scale == 0)
        return vec_int_all(POOL_LEAST);
    vec_int m = vec_from_u16(mantissa), e = vec_from_u16(exponent);
    vec_int sum = (e & r->exponent) + (vec_int_all((int32_t)scale) & r->exponent);
    return ((m << 4 & r->sign) | (sum << 10 & r->sum) | (m & r->mantissa)) & (e != 0);
}

struct pool {
    vec_int greatest, order, count, where;
};

VEC_INLINE struct pool pool_columns(struct pool pool, struct matrix_src a, const uint16_t *scales, unsigned column,
                                    const struct pool_reading *r, bool index) {
    for (unsigned i = 0; i < 16; i++) {
        unsigned row = i < 8 ? i ^ 4 : i, at = row * MATRIX_COLUMNS + column;
        vec_int datum = pool_scaled(a.mantissa + at, a.exponent + at, scales[row], r), order = pool_order(datum);
        vec_int old = order < pool.order;
        pool.greatest = vec_int_select(old, pool.greatest, datum);
        pool.order = vec_int_max(pool.order, order);
        if (index && row < 8)
            pool.where = vec_int_select(old, pool.where, pool.count >> 4 | (int32_t)(3 * row % 8));
    }
    return pool;
}

/* Clears one of the other three rows; with index, its count stays. */
VEC_INLINE void clear_row(const struct matrix_dst *dst, unsigned row, unsigned column, bool index, bool wide) {
    uint16_t *p = dst->rows[0] + row * MATRIX_COLUMNS + column;
    vec_to_u16(p, vec_int_all(0));
    if (!wide)
        return;
    vec_int lower = vec_from_u16(p + MATRIX_LOW) | ~valid_mask(dst, row);
    vec_to_u16(p + MATRIX_LOW, (lower + 0x100) & (index ? 0xF00 : 0));
}

static void matrix_maximum(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, bool index,
                           const struct matrix_mode *mode) {
    enum pool_result result = pool_result(mode, index);
    struct pool_reading reading = pool_reading(mode->a);
    bool wide = mode->wide || mode->a == MATRIX_INT8;
    for (unsigned i = 0; i < MATRIX_COLUMNS; i += VEC_LANES) {
        uint16_t *p = dst->rows[0] + i;
        vec_int unknown = ~valid_mask(dst, 0) & 0xFFFF;
        vec_int upper = vec_from_u16(p) | unknown, lower = vec_int_all(0);
        if (wide)
            lower = vec_from_u16(p + MATRIX_LOW) | unknown;
        vec_int datum = pool_read(upper, lower, result);
        struct pool pool = { datum, pool_order(datum), (lower + 0x100) & 0xF00, lower & 0xFF };
        if (index)
            pool = pool_columns(pool, a, b.exponent, i, &reading, true);
        else
            pool = pool_columns(pool, a, b.exponent, i, &reading, false);
        bool value = !index || result != POOL_INT32;
        upper = value ? pool_upper(pool.greatest, result) : vec_int_all(0);
        lower = value ? pool_lower(pool.greatest, result) : vec_int_all(0);
        if (index)
            lower |= pool.count | pool.where;
        vec_to_u16(p, upper);
        if (wide)
            vec_to_u16(p + MATRIX_LOW, lower);
        for (unsigned row = 1; row < 4; row++)
            clear_row(dst, row, i, index, wide);
    }
}

#endif
