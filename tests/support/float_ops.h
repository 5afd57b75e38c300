/* Arithmetic of src/numeric for tests that do not ask for exception flags. */
#ifndef SUPPORT_FLOAT_OPS_H
#define SUPPORT_FLOAT_OPS_H

#include "numeric/fp16.h"

static inline uint32_t fp32_mul(uint32_t a, uint32_t b) {
    uint32_t unused = 0;
    return fp32_mul_flags(a, b, &unused);
}

static inline uint16_t fp16_fma(enum fp16_mode mode, uint16_t a, uint16_t b, uint16_t c) {
    uint32_t unused = 0;
    return fp16_fma_flags(mode, a, b, c, &unused);
}

static inline uint16_t fp16_sub(enum fp16_mode mode, uint16_t a, uint16_t b) {
    uint32_t unused = 0;
    return fp16_sub_flags(mode, a, b, &unused);
}

static inline uint16_t fp16_mul(enum fp16_mode mode, uint16_t a, uint16_t b) {
    uint32_t unused = 0;
    return fp16_mul_flags(mode, a, b, &unused);
}

#endif
