/* Kernels of the round sub-unit and other conversions. */
#ifndef NUMERIC_LANES_ROUND_KERNELS_H
#define NUMERIC_LANES_ROUND_KERNELS_H

#include <stdint.h>

struct round_kernels {
    /* d = state; then the generator of each lane of the mask makes a step. */
    void (*random)(uint32_t *d, uint32_t *state, uint32_t mask);
};

#endif
