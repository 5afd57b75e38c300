/* The Matrix Unit's kernels, for one level. */
#ifndef NUMERIC_MATRIX_MATRIX_H
#define NUMERIC_MATRIX_MATRIX_H

#include "numeric/matrix/elementwise.h"
#include "numeric/matrix/elementwise_shorts.h"
#include "numeric/matrix/maximum.h"
#include "numeric/matrix/multiply.h"
#include "numeric/matrix/multiply_floats.h"

#if VEC_NEON
#define MATRIX_SCALE matrix_scale_shorts
#define MATRIX_ADD   matrix_add_shorts
#else
#define MATRIX_SCALE matrix_scale
#define MATRIX_ADD   matrix_add
#endif
#if VEC_FUSED
#define MATRIX_MULTIPLY  matrix_multiply_floats
#define MATRIX_PREPARE_A matrix_prepare_a_floats
#define MATRIX_PREPARE_B matrix_prepare_b_floats
#else
#define MATRIX_MULTIPLY  matrix_multiply
#define MATRIX_PREPARE_A matrix_prepare_a
#define MATRIX_PREPARE_B matrix_prepare_b
#endif

#define MATRIX_KERNELS \
    { \
        .prepare_a = MATRIX_PREPARE_A, .prepare_b = MATRIX_PREPARE_B, .multiply = MATRIX_MULTIPLY, \
        .scale = MATRIX_SCALE, .add = MATRIX_ADD, .maximum = matrix_maximum \
    }

#endif
