/* Numbers of the host as the bits that they are. */
#ifndef SUPPORT_FLOAT_BITS_H
#define SUPPORT_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline float as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t as_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
