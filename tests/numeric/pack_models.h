/* The packer's conversion of one datum (or of 16 that share an exponent), written from Packers/FormatConversion.md,
 * ReLU.md, ExponentThresholding.md (WH) and L1.md; plain code for numbers of sign, exponent and mantissa. */
#ifndef TESTS_NUMERIC_PACK_MODELS_H
#define TESTS_NUMERIC_PACK_MODELS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "numeric/lanes/pack_kernels.h"

struct float_type {
    unsigned exponent, mantissa; /* bits */
};
static const struct float_type type_fp32 = { 8, 23 }, type_tf32 = { 8, 10 }, type_bf16 = { 8, 7 }, type_e8m6 = { 8, 6 },
                               type_fp16 = { 5, 10 }, type_e5m7 = { 5, 7 }, type_e5m6 = { 5, 6 }, type_e5m2 = { 5, 2 };

struct number {
    uint32_t sign, exponent, mantissa;
};

static inline uint32_t power(unsigned n) {
    return UINT32_C(1) << n;
}

/* A number that stands in the upper bits of 16 or 32. */
static inline struct number number_of(uint32_t x, struct float_type type, unsigned bits) {
    x >>= bits - 1 - type.exponent - type.mantissa;
    return (struct number){ x >> (type.exponent + type.mantissa) & 1, x >> type.mantissa & (power(type.exponent) - 1),
                            x & (power(type.mantissa) - 1) };
}

static inline uint32_t bits_of(struct number n, struct float_type type, unsigned bits) {
    uint32_t x = n.sign << (type.exponent + type.mantissa) | n.exponent << type.mantissa | n.mantissa;
    return x << (bits - 1 - type.exponent - type.mantissa);
}

/* As Dst stores them: sign, mantissa, exponent. */
static inline struct number number_in_dst(uint32_t x, struct float_type type) {
    unsigned half = type.exponent == 5 ? 5 : 8; /* bits of the exponent */
    if (type.mantissa <= 10)
        return (struct number){ x >> 15, x % power(half), x % 0x8000 >> half };
    return (struct number){ x >> 31, x >> 16 & 0xFF, (x >> 24 & 0x7F) << 16 | (x & 0xFFFF) };
}

/* ---- Early --------------------------------------------------------------------------------------------------- */

/* Half a unit, or with random numbers: away from zero where what is lost is no less than the random number. */
static inline bool model_rounds_up(uint64_t lost, unsigned bits, const uint32_t *random) {
    if (!bits)
        return false;
    if (!random)
        return lost >= UINT64_C(1) << bits >> 1;
    uint64_t noise = *random % power(23);
    return lost >= (bits <= 23 ? noise >> (23 - bits) : noise << (bits - 23));
}

/* late_zero: denormals become zero only after they had a chance to become normal. */
static inline struct number model_round(struct number n, struct float_type from, struct float_type to, bool late_zero,
                                        const uint32_t *random) {
    unsigned lost = from.mantissa > to.mantissa ? from.mantissa - to.mantissa : 0;
    uint32_t top = power(to.exponent) - 1, whole;
    struct number most = { n.sign, top, from.exponent == 8 ? 0 : power(to.mantissa) - 1 };
    if (!n.exponent && !late_zero)
        return (struct number){ 0, 0, 0 };
    if (from.exponent == 8 && n.exponent == top)
        return most;
    whole = n.exponent << from.mantissa | n.mantissa;
    whole = (whole >> lost) + model_rounds_up(whole % power(lost), lost, random);
    if (from.mantissa < to.mantissa)
        whole <<= to.mantissa - from.mantissa;
    n.exponent = whole >> to.mantissa;
    n.mantissa = whole % power(to.mantissa);
    if (n.exponent > top)
        return most;
    return n.exponent ? n : (struct number){ 0, 0, 0 };
}

static inline struct number model_cut(struct number n, struct float_type from, struct float_type to) {
    n.mantissa = n.mantissa >> (from.mantissa - to.mantissa);
    return n;
}

/* Exponents of eight bits to five, and mantissas of any length. */
static inline struct number model_narrow(struct number n, struct float_type from, struct float_type to) {
    if (n.exponent < 112)
        return (struct number){ n.sign, 0, 0 };
    if (n.exponent > 112 + 31)
        return (struct number){ n.sign, 31, power(to.mantissa) - 1 };
    n.mantissa = from.mantissa > to.mantissa ? n.mantissa >> (from.mantissa - to.mantissa)
                                             : n.mantissa << (to.mantissa - from.mantissa);
    n.exponent -= 112;
    return n;
}

static inline uint32_t model_integer(uint32_t x, unsigned shift, bool is_unsigned, const uint32_t *random) {
    uint64_t magnitude = x % power(31), most = is_unsigned ? 255 : 127;
    magnitude = (magnitude >> shift) + model_rounds_up(magnitude % power(shift), shift, random);
    if (is_unsigned && x >> 31)
        magnitude = 0;
    return (uint32_t)((magnitude > most ? most : magnitude) + (is_unsigned ? 0 : x >> 31 << 7));
}

/* dst: 16 bits as they are stored, or 32 with the upper half first. Halves are 16 bits, words 32. */
static inline uint32_t model_early(enum pack_early path, uint32_t dst, unsigned shift, const uint32_t *random) {
    struct number wide = number_in_dst(dst, type_fp32), b = number_in_dst(dst, type_bf16),
                  a = number_in_dst(dst, type_fp16);
    uint32_t word = bits_of(wide, type_fp32, 32);
    switch (path) {
    case PACK_32: return word;
    case PACK_32_TF32: return bits_of(model_round(wide, type_fp32, type_tf32, true, random), type_tf32, 32);
    case PACK_32_BF16: return bits_of(model_round(wide, type_fp32, type_bf16, true, random), type_bf16, 16);
    case PACK_32_BF16_RAW: return bits_of(model_cut(wide, type_fp32, type_bf16), type_bf16, 16);
    case PACK_32_E8M6: return bits_of(model_round(wide, type_fp32, type_e8m6, true, random), type_e8m6, 16);
    case PACK_32_INT16: return dst >> 16;
    case PACK_32_INT8: return model_integer(word, shift, false, random);
    case PACK_32_UINT8: return model_integer(word, shift, true, random);
    case PACK_32_INT8_RAW: return word >> 31 << 7 | word % 128;
    case PACK_32_UINT8_RAW: return word % 256;
    case PACK_16_TF32: return bits_of(model_round(b, type_bf16, type_tf32, false, NULL), type_tf32, 32);
    case PACK_16_BF16: return bits_of(model_round(b, type_bf16, type_bf16, false, NULL), type_bf16, 16);
    case PACK_16_BF16_RAW: return bits_of(b, type_bf16, 16);
    case PACK_16_E8M6: return bits_of(model_round(b, type_bf16, type_e8m6, false, random), type_e8m6, 16);
    case PACK_16_BF16_FP16: return bits_of(model_narrow(b, type_bf16, type_fp16), type_fp16, 16);
    case PACK_16_FP16: return bits_of(model_round(a, type_fp16, type_fp16, false, NULL), type_fp16, 16);
    case PACK_16_FP16_RAW: return bits_of(a, type_fp16, 16);
    case PACK_16_E5M7: return bits_of(model_cut(a, type_fp16, type_e5m7), type_e5m7, 16);
    case PACK_16_E5M6: return bits_of(model_round(a, type_fp16, type_e5m6, true, random), type_e5m6, 16);
    case PACK_16_E5M2: return bits_of(model_cut(a, type_fp16, type_e5m2), type_e5m2, 16);
    case PACK_16_SIGN: return dst >> 15 << 7;
    default: return dst;
    }
}

/* ---- Late ------------------------------------------------------------------------------------------------------ */

static inline struct float_type type_of_kind(enum pack_kind kind) {
    return kind == PACK_FP32   ? type_fp32
           : kind == PACK_TF32 ? type_tf32
           : kind == PACK_BF16 ? type_bf16
           : kind == PACK_FP16 ? type_fp16
           : kind == PACK_E5M7 ? type_e5m7
                               : type_e5m2;
}

static inline bool is_float(enum pack_kind kind) {
    return kind <= PACK_E5M2 && kind != PACK_INT32;
}

/* The tables of denormals: kept with an exponent of zero, or zero as soon as the mantissa gets shorter. */
static inline struct number model_late(struct number n, struct float_type from, struct float_type to) {
    if (to.exponent < from.exponent)
        return model_narrow(n, from, to);
    if (!n.exponent && to.mantissa < from.mantissa)
        return (struct number){ 0, 0, 0 };
    if (to.exponent > from.exponent && n.exponent)
        n.exponent += 112;
    n.mantissa = from.mantissa > to.mantissa ? n.mantissa >> (from.mantissa - to.mantissa)
                                             : n.mantissa << (to.mantissa - from.mantissa);
    return n;
}

static inline uint32_t model_e4m3(struct number n) {
    uint32_t sign = n.sign << 7;
    if (n.exponent < 9)
        return sign;
    return sign | (n.exponent > 23 ? 0x7F : (n.exponent - 8) << 3 | n.mantissa >> 7);
}

/* One datum of a format without shared exponents. */
static inline uint32_t model_late_of(enum pack_kind kind, enum pack_out out, uint32_t x) {
    struct float_type from = type_of_kind(kind);
    if (!is_float(kind))
        return x;
    struct number n = number_of(x, from, kind < PACK_BF16 ? 32 : 16);
    switch (out) {
    case PACK_TO_FP32: return kind < PACK_BF16 ? x : bits_of(model_late(n, from, type_fp32), type_fp32, 32);
    case PACK_TO_TF32: return bits_of(model_late(n, from, type_tf32), type_tf32, 32);
    case PACK_TO_BF16: return bits_of(model_late(n, from, type_bf16), type_bf16, 16);
    case PACK_TO_FP16: return bits_of(model_late(n, from, type_fp16), type_fp16, 16);
    case PACK_TO_E5M2: return bits_of(model_late(n, from, type_e5m2), type_e5m2, 8);
    default: return model_e4m3(model_late(n, from, type_fp16));
    }
}

/* 16 data that share an exponent; returns it. */
static inline unsigned model_shared(enum pack_kind kind, bool five_bits, unsigned bits, const uint32_t *x,
                                    const uint32_t *random, uint32_t *out) {
    struct number n[16];
    unsigned most = 0;
    for (unsigned i = 0; i < 16; i++) {
        struct float_type from = type_of_kind(kind);
        n[i] = model_late(number_of(x[i], from, kind < PACK_BF16 ? 32 : 16), from, five_bits ? type_e5m7 : type_bf16);
        if (kind == PACK_E5M7 && !five_bits && !n[i].exponent)
            n[i].sign = n[i].mantissa = 0; /* as the official simulator has it */
        most = n[i].exponent > most ? n[i].exponent : most;
    }
    for (unsigned i = 0; i < 16; i++) {
        unsigned significand = n[i].mantissa + (n[i].exponent ? 128 : 0), lost = most - n[i].exponent + 1, value = 0;
        if (lost <= 8)
            value =
                (significand >> lost) + model_rounds_up(significand % power(lost), lost, random ? random + i : NULL);
        value = (value > 127 ? 127 : value) >> (8 - bits);
        out[i] = value ? n[i].sign << (bits - 1) | value : 0;
    }
    return most;
}

/* ---- On the way, and in L1 ------------------------------------------------------------------------------------- */

static inline unsigned model_exponent(enum pack_kind kind, uint32_t x) {
    if (kind == PACK_INT16)
        return x % 256;
    if (kind == PACK_INT8 || kind == PACK_UINT8)
        return 0;
    return number_of(x, kind == PACK_INT32 ? type_fp32 : type_of_kind(kind), kind < PACK_BF16 ? 32 : 16).exponent;
}

/* Comparisons of numbers, of which FP32 above the threshold counts down to the tenth bit of its mantissa only. */
static inline uint32_t model_relu(enum pack_kind kind, unsigned mode, uint32_t threshold, uint32_t x) {
    bool word = kind < PACK_BF16;
    uint32_t sign = kind == PACK_INT8 ? 0x80 : word ? 0x80000000 : 0x8000, blur = word ? 13 : 0;
    if (kind == PACK_UINT8)
        return x;
    if (word)
        threshold <<= 16;
    if (x & sign)
        x = 0;
    if (mode == 2 && x <= threshold)
        return 0;
    return mode == 3 && x >> blur > threshold >> blur ? threshold : x;
}

static inline double model_double(struct number n, int bias, unsigned mantissa, bool ones_are_numbers) {
    double value = ldexp(1.0 + ldexp((double)n.mantissa, -(int)mantissa), (int)n.exponent - bias);
    if (!n.exponent)
        value = 0;
    if (!ones_are_numbers && n.exponent == 255)
        value = n.mantissa ? NAN : INFINITY;
    return n.sign ? -value : value;
}

/* Of numbers with 8 bits of exponent and an exact sum: nearest even, no denormals. */
static inline uint32_t model_round_double(double x, struct float_type type, unsigned bits) {
    int exponent;
    double fraction = frexp(fabs(x), &exponent) * 2, scaled = ldexp(fraction, (int)type.mantissa);
    struct number n = { signbit(x) != 0, 0, 0 };
    if (x == 0 || exponent - 1 < -126)
        return bits_of(n, type, bits);
    if (isinf(x) || exponent - 1 > 127)
        return bits_of((struct number){ n.sign, 255, 0 }, type, bits);
    double whole = nearbyint(scaled);
    n.exponent = (uint32_t)(exponent - 1 + 127);
    n.mantissa = (uint32_t)whole - power(type.mantissa);
    if (n.mantissa == power(type.mantissa))
        n.mantissa = 0, n.exponent++;
    return bits_of(n, type, bits);
}

/* A NaN in L1 is greater than everything finite; a NaN from the packer is a number with exponent 255. */
static inline uint16_t model_add_bf16(uint16_t l1, uint16_t data) {
    struct number a = number_of(l1, type_bf16, 16), b = number_of(data, type_bf16, 16);
    double da = model_double(a, 127, 7, false), db = model_double(b, 127, 7, false);
    if (isnan(da))
        da = a.sign ? -0x1p1000 : 0x1p1000;
    if (isnan(db))
        db = model_double(b, 127, 7, true);
    if (isnan(da + db))
        return 0x7FC0;
    return (uint16_t)model_round_double(da + db, type_bf16, 16);
}

static inline uint32_t model_add_fp32(uint32_t l1, uint32_t data) {
    float a, b, sum;
    uint32_t x;
    l1 = l1 % power(31) < power(23) ? l1 & 0x80000000 : l1;
    data = data % power(31) < power(23) ? data & 0x80000000 : data;
    memcpy(&a, &l1, sizeof a);
    memcpy(&b, &data, sizeof b);
    sum = a + b;
    memcpy(&x, &sum, sizeof x);
    if (isnan(sum))
        return 0x7FC00000;
    return x % power(31) < power(23) ? x & 0x80000000 : x;
}

/* The sum is rounded twice, first to a float. Equal numbers with opposite signs, and what is too small. */
static inline uint16_t model_add_fp16(uint16_t l1, uint16_t data) {
    struct number a = number_of(l1, type_fp16, 16), b = number_of(data, type_fp16, 16);
    float sum = (float)model_double(a, 15, 10, true) + (float)model_double(b, 15, 10, true);
    uint16_t sign = signbit(sum) ? 0x8000 : 0;
    double size = fabs((double)sum);
    int exponent;
    if (size == 0)
        return sign | (a.exponent >= 30 ? 0x7FFF : 0);
    if (size < 0x1p-14)
        return sign | (size < 0x1p-15 ? 0x7FFF : 0);
    double fraction = frexp(size, &exponent) * 2048;
    double whole = nearbyint(fraction) - 1024 + (exponent + 14) * 1024.0;
    return sign | (uint16_t)(whole > 0x7FFF ? 0x7FFF : whole);
}

static inline uint32_t model_add_int32(uint32_t l1, uint32_t data) {
    int64_t a = (int64_t)(l1 % power(31)), b = (int64_t)(data % power(31)), most = INT32_MAX;
    int64_t sum = (l1 >> 31 ? -a : a) + (data >> 31 ? -b : b), size = sum < 0 ? -sum : sum;
    return (sum < 0 ? 0x80000000 : 0) | (uint32_t)(size > most ? most : size);
}

#endif
