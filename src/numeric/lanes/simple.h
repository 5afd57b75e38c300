/* The simple sub-unit's arithmetic. */
#include "numeric/lanes/lanes.h"
#include "numeric/lanes/vec.h"

static void copy(uint32_t *d, const uint32_t *c, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, vec_load(c + i), mask);
}

#define SIMPLE_KERNELS { .copy = copy }
