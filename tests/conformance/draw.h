/* Seeded random numbers for programs. */
#ifndef CONFORMANCE_DRAW_H
#define CONFORMANCE_DRAW_H

#include "support/random.h"

static inline uint32_t draw_next(uint64_t *state) {
    return (uint32_t)(random_next(state) >> 32);
}

static inline unsigned draw_below(uint64_t *state, unsigned limit) {
    return draw_next(state) % limit;
}

/* A number that is likely to show an error of arithmetic. */
static inline uint32_t draw_integer(uint64_t *state) {
    static const uint32_t edges[] = { 0,          1,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF,
                                      0x80000001, 0x0000FFFF, 0xFFFF0000, 0x00008000, 0x000000FF };
    switch (draw_below(state, 4)) {
    case 0: return edges[draw_below(state, sizeof edges / sizeof *edges)];
    case 1: return draw_below(state, 64) - 32;
    case 2: return 1u << draw_below(state, 32);
    default: return draw_next(state);
    }
}

#endif
