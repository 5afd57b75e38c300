/* Kernels of the simple sub-unit. */
#ifndef NUMERIC_LANES_SIMPLE_KERNELS_H
#define NUMERIC_LANES_SIMPLE_KERNELS_H

#include <stdint.h>

struct simple_kernels {
    void (*copy)(uint32_t *d, const uint32_t *c, uint32_t mask);
};

#endif
