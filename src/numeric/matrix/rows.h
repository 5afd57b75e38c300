/* The kernels of rows_kernels.h; only lanes.c includes this file. */
#ifndef NUMERIC_MATRIX_ROWS_H
#define NUMERIC_MATRIX_ROWS_H

#include "numeric/matrix/kernels.h"
#include "numeric/matrix/rows_kernels.h"
#include "numeric/simd.h"

/* Loops over one, four or eight rows, each unrolled. They read some vectors before they write any: the compiler cannot
 * know that source and destination do not overlap. */
enum { ROWS_TOGETHER = 4 };
#define ROWS_EACH(i, rows) VEC_UNROLL for (unsigned i = 0; i < (rows)*MATRIX_COLUMNS; i += ROWS_TOGETHER * VEC_SHORTS)
#define ROWS_SOME(j, rows) VEC_UNROLL for (unsigned j = 0; j < rows_together(rows); j += VEC_SHORTS)

VEC_INLINE unsigned rows_together(unsigned rows) {
    return rows * MATRIX_COLUMNS < ROWS_TOGETHER * VEC_SHORTS ? rows * MATRIX_COLUMNS : ROWS_TOGETHER * VEC_SHORTS;
}

#define ROWS_BY_NUMBER(rows, move, ...) \
    ((rows) == 4 ? move(4, __VA_ARGS__) : (rows) == 8 ? move(8, __VA_ARGS__) : move(1, __VA_ARGS__))

/* ---- Src to Dst --------------------------------------------------------------------------------------- */

/* Returns the datum, or zero where the exponent is zero, unless denormals are kept. */
VEC_INLINE vec_ushort rows_flushed(vec_ushort datum, vec_ushort exponent, vec_ushort flush) {
    return datum & ~((vec_ushort)(exponent == 0) & flush);
}

VEC_INLINE void rows_put_as(unsigned rows, uint16_t *to, const uint16_t *mantissa, const uint16_t *exponent,
                            uint16_t keep, enum rows_layout layout) {
    vec_ushort flush = vec_ushort_all((uint16_t)~keep);
    ROWS_EACH(i, rows) {
        vec_ushort upper[ROWS_TOGETHER], lower[ROWS_TOGETHER];
        ROWS_SOME(j, rows) {
            vec_ushort m = vec_ushort_load(mantissa + i + j), e = vec_ushort_load(exponent + i + j);
            vec_ushort d = layout == ROWS_FP16 ? (m << 5 & 0x7FE0) | (e & 0x1F) : (m << 5 & 0x7F00) | e;
            upper[j / VEC_SHORTS] = rows_flushed((m & 0x8000) | d, e, flush);
            lower[j / VEC_SHORTS] = rows_flushed(m << 13, e, flush);
        }
        ROWS_SOME(j, rows)
        vec_ushort_store(to + i + j, upper[j / VEC_SHORTS]);
        if (layout == ROWS_TF32)
            ROWS_SOME(j, rows)
        vec_ushort_store(to + MATRIX_LOW + i + j, lower[j / VEC_SHORTS]);
    }
}

static void rows_put_bf16(uint16_t *to, const uint16_t *mantissa, const uint16_t *exponent, unsigned rows,
                          uint16_t keep) {
    ROWS_BY_NUMBER(rows, rows_put_as, to, mantissa, exponent, keep, ROWS_BF16);
}

static void rows_put_fp16(uint16_t *to, const uint16_t *mantissa, const uint16_t *exponent, unsigned rows,
                          uint16_t keep) {
    ROWS_BY_NUMBER(rows, rows_put_as, to, mantissa, exponent, keep, ROWS_FP16);
}

static void rows_put_tf32(uint16_t *to, const uint16_t *mantissa, const uint16_t *exponent, unsigned rows,
                          uint16_t keep) {
    ROWS_BY_NUMBER(rows, rows_put_as, to, mantissa, exponent, keep, ROWS_TF32);
}

/* ---- Dst to Src --------------------------------------------------------------------------------------- */

VEC_INLINE void rows_get_as(unsigned rows, uint16_t *mantissa, uint16_t *exponent, const uint16_t *from,
                            enum rows_layout layout) {
    ROWS_EACH(i, rows) {
        vec_ushort m[ROWS_TOGETHER], e[ROWS_TOGETHER];
        ROWS_SOME(j, rows) {
            vec_ushort d = vec_ushort_load(from + i + j), bits = (vec_ushort)((vec_short)d >> 5); /* with its sign */
            if (layout == ROWS_REST)
                m[j / VEC_SHORTS] = d >> 8 & 0x1F;
            else
                m[j / VEC_SHORTS] = layout == ROWS_FP16 ? bits & 0x83FF : bits & 0x83F8;
            if (layout == ROWS_TF32)
                m[j / VEC_SHORTS] |= vec_ushort_load(from + MATRIX_LOW + i + j) >> 13;
            e[j / VEC_SHORTS] = layout == ROWS_FP16 ? d & 0x1F : d & 0xFF;
        }
        ROWS_SOME(j, rows)
        vec_ushort_store(mantissa + i + j, m[j / VEC_SHORTS]);
        ROWS_SOME(j, rows)
        vec_ushort_store(exponent + i + j, e[j / VEC_SHORTS]);
    }
}

static void rows_get_bf16(uint16_t *mantissa, uint16_t *exponent, const uint16_t *from, unsigned rows) {
    ROWS_BY_NUMBER(rows, rows_get_as, mantissa, exponent, from, ROWS_BF16);
}

static void rows_get_fp16(uint16_t *mantissa, uint16_t *exponent, const uint16_t *from, unsigned rows) {
    ROWS_BY_NUMBER(rows, rows_get_as, mantissa, exponent, from, ROWS_FP16);
}

static void rows_get_tf32(uint16_t *mantissa, uint16_t *exponent, const uint16_t *from, unsigned rows) {
    ROWS_BY_NUMBER(rows, rows_get_as, mantissa, exponent, from, ROWS_TF32);
}

static void rows_get_rest(uint16_t *mantissa, uint16_t *exponent, const uint16_t *from, unsigned rows) {
    ROWS_BY_NUMBER(rows, rows_get_as, mantissa, exponent, from, ROWS_REST);
}

/* ---- Src to Src --------------------------------------------------------------------------------------- */

VEC_INLINE void rows_copy_as(unsigned rows, uint16_t *to, const uint16_t *from, bool keep) {
    ROWS_EACH(i, rows) {
        vec_ushort m[ROWS_TOGETHER], e[ROWS_TOGETHER];
        ROWS_SOME(j, rows) {
            m[j / VEC_SHORTS] = vec_ushort_load(from + i + j);
            e[j / VEC_SHORTS] = vec_ushort_load(from + ROWS_PLANE + i + j);
        }
        ROWS_SOME(j, rows)
        vec_ushort_store(to + i + j,
                         keep ? m[j / VEC_SHORTS] : m[j / VEC_SHORTS] & (vec_ushort)(e[j / VEC_SHORTS] != 0));
        ROWS_SOME(j, rows)
        vec_ushort_store(to + ROWS_PLANE + i + j, e[j / VEC_SHORTS]);
    }
}

static uint64_t rows_copy_flushed(uint16_t *to, const uint16_t *from, unsigned rows) {
    ROWS_BY_NUMBER(rows, rows_copy_as, to, from, false);
    return 0;
}

static uint64_t rows_copy_kept(uint16_t *to, const uint16_t *from, unsigned rows) {
    ROWS_BY_NUMBER(rows, rows_copy_as, to, from, true);
    return 0;
}

/* Copies rows with the first row in place of all rows, the first column in place of all columns, or both. */
static void rows_spread(uint16_t *to, const uint16_t *from, unsigned rows, bool one_row, bool one_column) {
    for (unsigned i = 0; i < rows; i++, to += MATRIX_COLUMNS, from += one_row ? 0 : MATRIX_COLUMNS) {
        vec_ushort all = vec_ushort_all(from[0]);
        for (unsigned j = 0; j < MATRIX_COLUMNS; j += VEC_SHORTS)
            vec_ushort_store(to + j, one_column ? all : vec_ushort_load(from + j));
    }
}

/* ---- Transposition ------------------------------------------------------------------------------------ */

enum { ROWS_EIGHT = 8 };

/* Interleaving each row with the row four further on, three times, transposes eight rows of eight. It is written out
 * because compilers would keep the rows in memory. */
#define ROWS_INTERLEAVE(to, from, i) \
    to[2 * (i)] = __builtin_shufflevector(from[i], from[(i) + 4], 0, 8, 1, 9, 2, 10, 3, 11); \
    to[2 * (i) + 1] = __builtin_shufflevector(from[i], from[(i) + 4], 4, 12, 5, 13, 6, 14, 7, 15)
#define ROWS_INTERLEAVE_ALL(to, from) \
    ROWS_INTERLEAVE(to, from, 0); \
    ROWS_INTERLEAVE(to, from, 1); \
    ROWS_INTERLEAVE(to, from, 2); \
    ROWS_INTERLEAVE(to, from, 3)

VEC_INLINE void rows_transpose_eight(uint16_t *to, const uint16_t *from) {
    vec_eight a[ROWS_EIGHT], b[ROWS_EIGHT];
#define ROWS_LOAD(i)  a[i] = vec_eight_load(from + (i)*MATRIX_COLUMNS)
#define ROWS_STORE(i) memcpy(to + (i)*MATRIX_COLUMNS, &b[i], sizeof b[i])
#define ROWS_DO(what) what(0), what(1), what(2), what(3), what(4), what(5), what(6), what(7)
    ROWS_DO(ROWS_LOAD);
    ROWS_INTERLEAVE_ALL(b, a);
    ROWS_INTERLEAVE_ALL(a, b);
    ROWS_INTERLEAVE_ALL(b, a);
    ROWS_DO(ROWS_STORE);
}

static void rows_transpose(uint16_t *rows) {
    enum { RIGHT = ROWS_EIGHT, BELOW = ROWS_EIGHT * MATRIX_COLUMNS };
    uint16_t old[MATRIX_COLUMNS * MATRIX_COLUMNS];
    memcpy(old, rows, sizeof old);
    rows_transpose_eight(rows, old);
    rows_transpose_eight(rows + RIGHT, old + BELOW);
    rows_transpose_eight(rows + BELOW, old + RIGHT);
    rows_transpose_eight(rows + BELOW + RIGHT, old + BELOW + RIGHT);
}

#define ROWS_KERNELS \
    { \
        .put = { rows_put_bf16, rows_put_fp16, rows_put_tf32 }, \
        .get = { rows_get_bf16, rows_get_fp16, rows_get_tf32, rows_get_rest }, \
        .copy = { rows_copy_flushed, rows_copy_kept }, .spread = rows_spread, .transpose = rows_transpose, \
    }

#endif
