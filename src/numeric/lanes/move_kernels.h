/* Kernels that move between LRegs and Dst. */
#ifndef NUMERIC_LANES_MOVE_KERNELS_H
#define NUMERIC_LANES_MOVE_KERNELS_H

#include <stdint.h>

struct move_kernels {
    void (*fill)(uint32_t *d, uint32_t value, uint32_t mask);
};

#endif
