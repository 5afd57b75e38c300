/* Kernels of the Matrix Unit's moves: rows of 16 data that lie one behind the other, between the layouts of Src and
 * Dst.
 *
 *     Src        mantissas: sign 15, mantissa 9:0                exponents: 7:0
 *     Dst, BF16  sign 15, mantissa 9:3 in 14:8, exponent 7:0     FP16  sign 15, mantissa in 14:5, exponent 4:0
 *     Dst, TF32  the upper half like BF16, the lower: mantissa 2:0 in 15:13
 *
 * Sources: MOVA2D.md, MOVD2A.md, MatrixUnit.md (WH), Dst.md (BH). */
#ifndef NUMERIC_MATRIX_ROWS_KERNELS_H
#define NUMERIC_MATRIX_ROWS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* REST, of Dst only: what TF32 leaves off of 32 bits, five bits of mantissa and an exponent. */
enum rows_layout { ROWS_BF16, ROWS_FP16, ROWS_TF32, ROWS_REST, ROWS_LAYOUTS };

/* One row, four or eight. To Dst; lower halves MATRIX_LOW elements on. keep: ones, or zero: data with an exponent of
 * zero become zero. */
typedef void rows_put(uint16_t *to, const uint16_t *mantissa, const uint16_t *exponent, unsigned rows, uint16_t keep);
/* To Src; REST is given the lower halves themselves. */
typedef void rows_get(uint16_t *mantissa, uint16_t *exponent, const uint16_t *from, unsigned rows);

/* From Src to Src: exponents lie ROWS_PLANE elements behind mantissas. Returns 0, for those of which it is the last
 * thing to do. */
enum { ROWS_PLANE = 64 * 16 };
typedef uint64_t rows_copy(uint16_t *to, const uint16_t *from, unsigned rows);

struct rows_kernels {
    rows_put *put[ROWS_REST];
    rows_get *get[ROWS_LAYOUTS];
    rows_copy *copy[2]; /* the second keeps data with an exponent of zero */
    /* Of one plane: the first row in place of all, the first column, or both. */
    void (*spread)(uint16_t *to, const uint16_t *from, unsigned rows, bool one_row, bool one_column);
    /* 16 rows of one plane, in place. */
    void (*transpose)(uint16_t *rows);
};

#endif
