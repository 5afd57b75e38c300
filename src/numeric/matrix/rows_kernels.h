/* Kernels of the Matrix Unit's moves: consecutive rows of 16 data, between the layouts of Src and Dst.
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

/* ROWS_REST occurs only in Dst: the bits of a 32-bit datum that TF32 leaves out, as five bits of mantissa and an
 * exponent. */
enum rows_layout { ROWS_BF16, ROWS_FP16, ROWS_TF32, ROWS_REST, ROWS_LAYOUTS };

/* Moves one, four or eight rows to Dst. Lower halves are MATRIX_LOW elements after the upper ones. keep: all ones, or
 * zero to turn data with exponent 0 into zeros. */
typedef void rows_put(uint16_t *to, const uint16_t *mantissa, const uint16_t *exponent, unsigned rows, uint16_t keep);
/* Moves rows to Src. For ROWS_REST `from` points to the lower halves. */
typedef void rows_get(uint16_t *mantissa, uint16_t *exponent, const uint16_t *from, unsigned rows);

/* Copies rows from Src to Src. Exponents are ROWS_PLANE elements after mantissas. Returns 0, so that a caller can end
 * with a call. */
enum { ROWS_PLANE = 64 * 16 };
typedef uint64_t rows_copy(uint16_t *to, const uint16_t *from, unsigned rows);

struct rows_kernels {
    rows_put *put[ROWS_REST];
    rows_get *get[ROWS_LAYOUTS];
    rows_copy *copy[2]; /* the second keeps data with exponent 0 */
    /* Copies rows of one plane with the first row in place of all rows, the first column in place of all columns, or
     * both. */
    void (*spread)(uint16_t *to, const uint16_t *from, unsigned rows, bool one_row, bool one_column);
    /* Transposes 16 rows of one plane, in place. */
    void (*transpose)(uint16_t *rows);
};

#endif
