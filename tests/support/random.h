/* Seeded bit patterns, the same on every machine. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state) {
    /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static inline uint32_t random_below(uint64_t *state, uint32_t limit) {
    return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

#endif
