/* Between LRegs and Dst. */
#include "numeric/lanes/lanes.h"
#include "numeric/lanes/vec.h"

static void fill(uint32_t *d, uint32_t value, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, vec_all(value), mask);
}

#define MOVE_KERNELS { .fill = fill }
