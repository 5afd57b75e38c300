/* The MAD sub-unit's arithmetic. */
#include "numeric/fp32.h"
#include "numeric/lanes/lanes.h"
#include "numeric/lanes/vec.h"

static void mad(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t mask) {
    for (unsigned i = 0; i < LANES; i++)
        if (mask >> i & 1)
            d[i] = fp32_fma(a[i], b[i], c[i]);
}

#define MAD_KERNELS { .mad = mad }
