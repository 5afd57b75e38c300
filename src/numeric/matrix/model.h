/* The Matrix Unit's arithmetic, one element at a time, in integers: what the kernels must equal.
 *
 * A datum of Src is a number of 19 bits: sign, ten bits of mantissa, eight of exponent. A datum of Dst has 16 or 32
 * bits in the hardware's layout. */
#ifndef NUMERIC_MATRIX_MODEL_H
#define NUMERIC_MATRIX_MODEL_H

#include "numeric/matrix/kernels.h"

/* Return the new value of dst. MVMUL, DOTPV and GAPOOL: a is a column of SrcA, b a row of SrcB. */
uint32_t matrix_model_dot(const struct matrix_mode *mode, const uint32_t a[16], const uint32_t b[16], uint32_t dst);
uint32_t matrix_model_multiply(const struct matrix_mode *mode, uint32_t a, uint32_t b, uint32_t dst);
/* dst: zero where nothing accumulates. */
uint32_t matrix_model_add(const struct matrix_mode *mode, uint32_t a, uint32_t b, bool subtract, uint32_t dst);
/* GMPOOL: a is a column of SrcA, b the row of SrcB. 16 bits of Dst are the upper ones of 32. */
uint32_t matrix_model_maximum(const struct matrix_mode *mode, const uint32_t a[16], const uint32_t b[16], bool index,
                              uint32_t dst);

#endif
