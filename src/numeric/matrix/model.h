/* The arithmetic of the Matrix Unit, one element at a time, in integers. The kernels must give the same results.
 *
 * A datum of Src is a number of 19 bits: sign, ten bits of mantissa, eight of exponent. A datum of Dst has 16 or 32
 * bits in the hardware's layout. All functions return the new value of dst. */
#ifndef NUMERIC_MATRIX_MODEL_H
#define NUMERIC_MATRIX_MODEL_H

#include "numeric/matrix/kernels.h"

/* MVMUL, DOTPV and GAPOOL: a is a column of SrcA, b a row of SrcB. */
uint32_t matrix_model_dot(const struct matrix_mode *mode, const uint32_t a[16], const uint32_t b[16], uint32_t dst);
/* ELWMUL. */
uint32_t matrix_model_multiply(const struct matrix_mode *mode, uint32_t a, uint32_t b, uint32_t dst);
/* ELWADD and ELWSUB. dst is zero if the instruction does not accumulate. */
uint32_t matrix_model_add(const struct matrix_mode *mode, uint32_t a, uint32_t b, bool subtract, uint32_t dst);
/* GMPOOL: a is a column of SrcA, b the row of SrcB. A 16-bit datum of Dst is in the upper half of dst. */
uint32_t matrix_model_maximum(const struct matrix_mode *mode, const uint32_t a[16], const uint32_t b[16], bool index,
                              uint32_t dst);

#endif
