/* The smaller and the larger of two numbers, mostly times. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

static inline uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

#endif
