/* Kernels of the MAD sub-unit. */
#ifndef NUMERIC_LANES_MAD_KERNELS_H
#define NUMERIC_LANES_MAD_KERNELS_H

#include <stdint.h>

struct mad_kernels {
    /* d = a * b + c with the partially fused multiply-add (numeric/fma.h). */
    void (*mad)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t mask);
};

#endif
