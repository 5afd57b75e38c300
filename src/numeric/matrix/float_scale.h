/* How multiply_floats.h and its levels scale operands to floats. */
#ifndef NUMERIC_MATRIX_FLOAT_SCALE_H
#define NUMERIC_MATRIX_FLOAT_SCALE_H

#include "numeric/matrix/multiply.h"

enum {
    SCALE_A = 136,
    SCALE_B = 153,
    FLOAT_BIAS = 127,
    REBIAS = 127 - 15,
    LEAST_A = SCALE_A - 126,                              /* the least exponent with which a float has all bits */
    LEAST_B = SCALE_B - 13 - 126,                         /* the same for numbers times 2^13 */
    UNIT_BIAS = FLOAT_BIAS + 23 + 13 - SCALE_A - SCALE_B, /* bias of a float whose last place is the unit of a sum */
    MOST = 254 - UNIT_BIAS,                               /* greatest sum of two exponents */
    NO_EXPONENT = 255,
};

VEC_INLINE int32_t rebias_of(enum matrix_style style) {
    return style == MATRIX_FP16 ? REBIAS : 0;
}

#endif
