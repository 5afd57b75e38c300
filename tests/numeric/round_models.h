/* Conversions, random numbers and approximations of the Vector Unit as plain code, to compare with.
 *
 * Pages: VectorUnit.md, SFPSTOCHRND_*.md, SFPCAST_*.md, SFPARECIP.md (BH). */
#ifndef TESTS_NUMERIC_ROUND_MODELS_H
#define TESTS_NUMERIC_ROUND_MODELS_H

#include <stdint.h>

#include "support/float_bits.h"

/* The state after this one. */
static inline uint32_t model_step(uint32_t state) {
    unsigned parity = (state ^ state >> 1 ^ state >> 21 ^ state >> 31) & 1;
    return (uint32_t)!parity << 31 | state >> 1;
}

/* ---- SFP_STOCH_RND: a threshold has 23 bits ------------------------------------------------------ */

static inline uint32_t model_shorten(uint32_t c, unsigned lost, uint32_t threshold) {
    uint32_t unit = 1u << lost, rest = c % unit, exponent = c >> 23 & 255;
    if (exponent == 0)
        return 0;
    if (exponent == 255)
        return c >> 23 << 23;
    return c / unit * unit + (rest >= threshold >> (23 - lost) ? unit : 0);
}

/* A number with 23 bits behind the point, as an integer. */
static inline uint32_t model_round(uint64_t fixed, uint32_t sign, uint32_t most, uint32_t threshold) {
    uint64_t magnitude = (fixed >> 23) + ((fixed & 0x7FFFFF) >= threshold);
    if (magnitude == 0)
        return 0;
    return (magnitude < most ? (uint32_t)magnitude : most) | sign;
}

static inline uint32_t model_to_integer(uint32_t c, uint32_t sign_bits, uint32_t most, uint32_t threshold) {
    int exponent = (int)(c >> 23 & 255) - 127;
    uint64_t significand = (c & 0x7FFFFF) | 0x800000;
    if (exponent < -1)
        return 0;
    if (exponent > 15)
        return most | (c & sign_bits);
    return model_round(significand << (exponent + 1) >> 1, c & sign_bits, most, threshold);
}

static inline uint32_t model_descale(uint32_t c, uint32_t count, uint32_t sign_bits, uint32_t most,
                                     uint32_t threshold) {
    return model_round(((uint64_t)(c & 0x7FFFFFFF) << 23) >> (count & 31), c & sign_bits, most, threshold);
}

/* ---- SFPCAST ------------------------------------------------------------------------------------- */

/* The 24 bits from the highest one on, and the eight behind them. */
static inline uint32_t model_to_float_cut(uint32_t c, uint32_t *behind) {
    uint64_t magnitude = c & 0x7FFFFFFF;
    uint32_t exponent = 127 + 31;
    *behind = 0;
    if (magnitude == 0)
        return c;
    for (; magnitude < 0x80000000; magnitude *= 2)
        exponent--;
    *behind = magnitude & 255;
    return (c & 0x80000000) | exponent << 23 | (magnitude >> 8 & 0x7FFFFF);
}

static inline uint32_t model_to_float(uint32_t c) {
    uint32_t behind, cut = model_to_float_cut(c, &behind);
    return cut + (behind > 128 || (behind == 128 && cut % 2));
}

static inline uint32_t model_to_float_random(uint32_t c, uint32_t state) {
    uint32_t behind, cut = model_to_float_cut(c, &behind);
    return cut + (behind / 2 > (state >> 10 & 127));
}

static inline uint32_t model_complement(uint32_t c) {
    return c & 0x80000000 ? 0x80000000 | (0x80000000 - (c & 0x7FFFFFFF)) : c;
}

/* ---- SFPARECIP ----------------------------------------------------------------------------------- */

static inline uint32_t model_reciprocal(uint32_t c) {
    static const uint8_t table[128] = {
        127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96, 94, 93, 91,
        90,  88,  87,  85,  84,  83,  81,  80,  79,  77,  76,  75,  74,  72,  71,  70,  69, 68, 66, 65, 64, 63,
        62,  61,  60,  59,  58,  57,  56,  55,  54,  53,  52,  51,  50,  49,  48,  47,  46, 45, 44, 43, 42, 41,
        40,  40,  39,  38,  37,  36,  35,  35,  34,  33,  32,  31,  31,  30,  29,  28,  28, 27, 26, 25, 25, 24,
        23,  23,  22,  21,  21,  20,  19,  19,  18,  17,  17,  16,  15,  15,  14,  14,  13, 12, 12, 11, 11, 10,
        9,   9,   8,   8,   7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,  0,
    };
    uint32_t sign = c & 0x80000000, exponent = c >> 23 & 255;
    if (exponent == 0)
        return sign | 0x7F800000;
    if (exponent > 252)
        return sign;
    return sign | (253 - exponent) << 23 | (uint32_t)table[c >> 16 & 127] << 16;
}

static inline uint32_t model_reciprocal_if_negative(uint32_t b, uint32_t c) {
    return b >> 31 ? model_reciprocal(c & 0x7FFFFFFF) : c;
}

/* The upper half of e^x in FP32, rounded down, for x with this upper half, from 1/64 up to 2. */
static inline uint32_t model_exponential_upper(uint32_t upper) {
    double x = (double)as_float(upper << 16), sum = 1, term = 1;
    for (int n = 1; n < 40; n++)
        sum += term *= x / n;
    return as_bits((float)(uint32_t)(sum * 128) / 128) >> 16;
}

static inline uint32_t model_exponential(uint32_t c) {
    uint32_t sign = c & 0x80000000, upper = c >> 16 & 0x7FFF, lower = c & 0xFFFF;
    if (upper < 0x80)
        return sign | 0x3F800000;
    if (upper < 0x3C80)
        return sign | 0x3F810000 | lower;
    if (upper < 0x4000)
        return sign | model_exponential_upper(upper) << 16 | lower;
    return sign | 0x40800000 | lower;
}

#endif
