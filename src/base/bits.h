/* Small helpers for bit fields. They work on unsigned numbers and are defined for every argument, within the ranges
 * that the comments give. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>

/* Returns bits [low, low + width) of word. Precondition: width is 1..32. */
static inline uint32_t bits_get(uint32_t word, unsigned low, unsigned width) {
    return (uint32_t)((word >> low) & (UINT32_MAX >> (32 - width)));
}

/* Returns the low `width` bits of value, sign-extended. Precondition: width is 1..32. */
static inline int32_t bits_sign_extend(uint32_t value, unsigned width) {
    uint32_t sign = UINT32_C(1) << (width - 1);
    value &= UINT32_MAX >> (32 - width);
    return (int32_t)((value ^ sign) - sign);
}

static inline uint32_t bits_rotate_right(uint32_t value, unsigned count) {
    count &= 31;
    return count ? value >> count | value << (32 - count) : value;
}

static inline uint32_t bits_rotate_left(uint32_t value, unsigned count) {
    return bits_rotate_right(value, 32 - (count & 31));
}

#endif
