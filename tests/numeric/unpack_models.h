/* The unpackers' conversion of one datum, written from UNPACR_Regular.md (WH); FP8 as on Blackhole. */
#ifndef TESTS_NUMERIC_UNPACK_MODELS_H
#define TESTS_NUMERIC_UNPACK_MODELS_H

#include <stdint.h>

#include "numeric/lanes/unpack_kernels.h"

enum unpack_layout { LIKE_BF16, LIKE_FP16, LIKE_INT16, LIKE_TF32, LIKE_WORD };

/* ---- Halves ------------------------------------------------------------------------------------------------ */

static inline unsigned model_leading_zeros(unsigned seven_bits) {
    unsigned zeros = 0;
    for (unsigned bit = 64; bit && !(seven_bits & bit); bit /= 2)
        zeros++;
    return zeros;
}

/* fraction: bits of mantissa of the half. Negative: it does not fit. */
static inline int model_of_shared(unsigned datum, unsigned exponent, unsigned fraction) {
    unsigned sign = datum >> 7, magnitude = datum % 128;
    if (!magnitude)
        return sign ? (fraction == 7 ? 0xFF80 : 0xFC00) : 0;
    unsigned zeros = model_leading_zeros(magnitude), e = (exponent - zeros) % 256;
    unsigned mantissa = (magnitude << zeros) % 64;
    if (fraction == 10 && e > 31)
        return -1;
    return (int)(sign * 32768 + (e << fraction) + (mantissa << (fraction - 6)));
}

static inline uint16_t model_of_e4m3(unsigned datum) {
    unsigned sign = datum / 128, e = datum / 8 % 16, mantissa = datum % 8;
    if (e == 15 && mantissa == 7)
        return (uint16_t)(sign * 32768 + 23 * 1024 + 1023);
    return (uint16_t)(sign * 32768 + (e ? e + 8 : 0) * 1024 + mantissa * 128);
}

static inline uint16_t model_fp16_of_fp32(uint32_t datum) {
    uint32_t sign = datum >> 31, mantissa = datum % (1u << 23) >> 13;
    int e = (int)(datum >> 23 & 255) - 112;
    uint32_t value = e < 0 ? 0 : e > 31 ? 0x7FFF : (uint32_t)e * 1024 + mantissa;
    return (uint16_t)(sign * 32768 + value);
}

static inline uint16_t model_of_magnitude(unsigned sign, unsigned magnitude) {
    return (uint16_t)(sign * 32768 + (magnitude ? 16 * 1024 + magnitude : 0));
}

/* The half of each way, but for TF32 and 32 bits. */
static inline int model_half_of(enum unpack_path path, uint32_t datum, unsigned exponent) {
    switch (path) {
    case UNPACK_FP32_BF16: return (int)((datum >> 23 & 255 ? datum : datum & 0x80000000) >> 16);
    case UNPACK_FP32_FP16: return model_fp16_of_fp32(datum);
    case UNPACK_E5M2: return (int)(datum * 256 + (datum % 128 == 127 ? 255 : 0));
    case UNPACK_E4M3: return model_of_e4m3(datum);
    case UNPACK_INT8: return model_of_magnitude(datum / 128, datum % 128);
    case UNPACK_UINT8: return model_of_magnitude(0, datum);
    case UNPACK_BFP8: return model_of_shared(datum, exponent, 7);
    case UNPACK_BFP4: return model_of_shared(datum * 16, exponent, 7);
    case UNPACK_BFP2: return model_of_shared(datum * 64, exponent, 7);
    case UNPACK_BFP8A: return model_of_shared(datum, exponent, 10);
    case UNPACK_BFP4A: return model_of_shared(datum * 16, exponent, 10);
    case UNPACK_BFP2A: return model_of_shared(datum * 64, exponent, 10);
    default: return (int)datum;
    }
}

/* 19 bits, as Src has them: sign, mantissa, exponent. */
static inline uint32_t model_src_of(enum unpack_layout layout, uint32_t half) {
    switch (layout) {
    case LIKE_TF32: return (half >> 31 << 18) + (half % (1u << 23) >> 13 << 8) + (half >> 23 & 255);
    case LIKE_BF16: return (half >> 15 << 18) + (half % 128 << 11) + (half / 128 % 256);
    case LIKE_FP16: return (half >> 15 << 18) + (half % 1024 << 8) + (half / 1024 % 32);
    default: return (half >> 8 << 11) + half % 256;
    }
}

static inline uint32_t model_dst_of(enum unpack_layout layout, uint32_t half) {
    switch (layout) {
    case LIKE_WORD: return (half & 0x8000FFFF) + ((half >> 16) % 128 << 24) + ((half >> 23 & 255) << 16);
    case LIKE_BF16: return (half & 0x8000) + half % 128 * 256 + half / 128 % 256;
    case LIKE_FP16: return (half & 0x8000) + half % 1024 * 32 + half / 1024 % 32;
    default: return half;
    }
}

#endif
