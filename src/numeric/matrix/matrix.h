/* The Matrix Unit's kernels of one level. */
#ifndef NUMERIC_MATRIX_MATRIX_H
#define NUMERIC_MATRIX_MATRIX_H

#include "numeric/matrix/elementwise.h"
#include "numeric/matrix/elementwise_shorts.h"
#include "numeric/matrix/maximum.h"
#include "numeric/matrix/multiply.h"

#if VEC_SHORT_MOVES
#define MATRIX_SCALE matrix_scale_shorts
#define MATRIX_ADD   matrix_add_shorts
#else
#define MATRIX_SCALE matrix_scale
#define MATRIX_ADD   matrix_add
#endif

#define MATRIX_KERNELS \
    { \
        .prepare_a = matrix_prepare_a, .prepare_b = matrix_prepare_b, .multiply = matrix_multiply, \
        .scale = MATRIX_SCALE, .add = MATRIX_ADD, .maximum = matrix_maximum \
    }

#endif
