/* The Matrix Unit's kernels of one level. */
#ifndef NUMERIC_MATRIX_MATRIX_H
#define NUMERIC_MATRIX_MATRIX_H

#include "numeric/matrix/elementwise.h"
#include "numeric/matrix/maximum.h"
#include "numeric/matrix/multiply.h"

#define MATRIX_KERNELS \
    { \
        .prepare_a = matrix_prepare_a, .prepare_b = matrix_prepare_b, .multiply = matrix_multiply, \
        .scale = matrix_scale, .add = matrix_add, .maximum = matrix_maximum \
    }

#endif
