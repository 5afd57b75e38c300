/* Rows of 16 data between the layouts of Src and of Dst, eight data at a time (any host has vectors of 128 bits).
 *
 *     Src        mantissas: sign 15, mantissa 9:0             exponents: 7:0
 *     Dst, BF16  sign 15, mantissa 9:3 in 14:8, exponent 7:0     FP16  sign 15, mantissa in 14:5, exponent 4:0
 *     Dst, TF32  the upper half like BF16, the lower: mantissa 2:0 in 15:13
 *
 * Sources: MOVA2D.md, MOVD2A.md, MatrixUnit.md (WH), Dst.md (BH). */
#ifndef NUMERIC_MATRIX_MOVE_H
#define NUMERIC_MATRIX_MOVE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MATRIX_ROW = 16, MATRIX_HALF_ROW = 8 };

typedef uint16_t matrix_eight __attribute__((vector_size(2 * MATRIX_HALF_ROW)));

#define MATRIX_INLINE static inline __attribute__((always_inline))

MATRIX_INLINE matrix_eight matrix_eight_get(const uint16_t *p) {
    matrix_eight v;
    memcpy(&v, p, sizeof v);
    return v;
}

MATRIX_INLINE void matrix_eight_put(uint16_t *p, matrix_eight v) {
    memcpy(p, &v, sizeof v);
}

/* ---- From Src ----------------------------------------------------------------------------------- */

/* Ones where the datum stays: everywhere, or (keep is 0) where the exponent is not zero. */
MATRIX_INLINE matrix_eight matrix_stays(matrix_eight exponents, uint16_t keep) {
    return (matrix_eight)(exponents != 0) | keep;
}

MATRIX_INLINE matrix_eight matrix_to_bf16(matrix_eight m, matrix_eight e, uint16_t keep) {
    return ((m & 0x8000) | (m & 0x3F8) << 5 | e) & matrix_stays(e, keep);
}

MATRIX_INLINE matrix_eight matrix_to_fp16(matrix_eight m, matrix_eight e, uint16_t keep) {
    return ((m & 0x8000) | (m & 0x3FF) << 5 | (e & 0x1F)) & matrix_stays(e, keep);
}

/* The lower half of TF32. */
MATRIX_INLINE matrix_eight matrix_to_low(matrix_eight m, matrix_eight e, uint16_t keep) {
    return m << 13 & matrix_stays(e, keep);
}

/* ---- To Src: the mantissas; exponents are the lowest eight bits, of FP16 five ---------------------------------- */

MATRIX_INLINE matrix_eight matrix_from_bf16(matrix_eight d) {
    return (d & 0x8000) | (d >> 5 & 0x3F8);
}

MATRIX_INLINE matrix_eight matrix_from_fp16(matrix_eight d) {
    return (d & 0x8000) | (d >> 5 & 0x3FF);
}

MATRIX_INLINE matrix_eight matrix_from_tf32(matrix_eight d, matrix_eight low) {
    return matrix_from_bf16(d) | low >> 13;
}

/* What TF32 leaves off of 32 bits: five bits of mantissa, and an exponent. */
MATRIX_INLINE matrix_eight matrix_from_rest(matrix_eight low) {
    return low >> 8 & 0x1F;
}

#endif
