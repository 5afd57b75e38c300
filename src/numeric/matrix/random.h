/* Sums and products of the Matrix Unit that round at random (ALU_ROUNDING_MODE_Fpu_srnd_en), for floats.
 *
 * tt-llk says that every accumulation rounds so; no document says how. Assumed: the sum that a 32-bit Dst would get,
 * with all its bits, is rounded to the bits of Dst, away from zero if the lost bits are greater than a random number of
 * as many bits. The average is the sum itself, and what needs no rounding stays as it is. The random numbers are a
 * function of the number of roundings so far, which the caller keeps. */
#ifndef NUMERIC_MATRIX_RANDOM_H
#define NUMERIC_MATRIX_RANDOM_H

#include "numeric/matrix/kernels.h"

/* MVMUL, DOTPV and GAPOOL. a: rows 0..7 and rows 8..15; b: eight rows, or with one_row a single one for all of Dst's.
 */
void matrix_random_multiply(const struct matrix_dst *dst, const struct matrix_src a[2], struct matrix_src b,
                            bool one_row, struct matrix_mode mode, uint64_t *roundings);
/* ELWMUL, ELWADD and ELWSUB, as in struct matrix_kernels. */
void matrix_random_scale(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                         struct matrix_mode mode, uint64_t *roundings);
void matrix_random_add(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                       bool subtract, bool accumulate, struct matrix_mode mode, uint64_t *roundings);

#endif
