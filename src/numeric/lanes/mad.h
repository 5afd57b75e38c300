/* The MAD sub-unit's arithmetic. */
#include "numeric/fp32.h"
#include "numeric/lanes/lanes.h"
#include "numeric/lanes/vec.h"

#define MAD_EACH(i, mask) \
    for (unsigned i = 0; i < LANES; i++) \
        if ((mask) >> i & 1)

static void mad_any(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t signs,
                    uint32_t mask) {
    MAD_EACH(i, mask)
    d[i] = fp32_fma(a[i] ^ signs << 31, b[i], c[i] ^ (signs >> 1) << 31);
}

static void mad_add(uint32_t *d, const uint32_t *a, const uint32_t *c, uint32_t signs, uint32_t mask) {
    MAD_EACH(i, mask)
    d[i] = fp32_fma(a[i] ^ signs << 31, FP32_ONE, c[i] ^ (signs >> 1) << 31);
}

static void mad_mul(uint32_t *d, const uint32_t *a, const uint32_t *b, uint32_t signs, uint32_t mask) {
    MAD_EACH(i, mask)
    d[i] = fp32_fma(a[i] ^ signs << 31, b[i], (signs >> 1) << 31);
}

static void mad_add_all(uint32_t *d, uint32_t value, const uint32_t *c, uint32_t signs, uint32_t mask) {
    MAD_EACH(i, mask)
    d[i] = fp32_fma(value, FP32_ONE, c[i] ^ (signs >> 1) << 31);
}

static void mad_mul_all(uint32_t *d, uint32_t value, const uint32_t *b, uint32_t signs, uint32_t mask) {
    MAD_EACH(i, mask)
    d[i] = fp32_fma(value ^ signs << 31, b[i], 0);
}

/* Eight bits: sign, exponent as 127 - e, four bits of fraction; 0xFF is zero. */
static uint32_t from_lut8(uint32_t x) {
    x &= 0xFF;
    return x == 0xFF ? 0 : (x >> 7) << 31 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
}

/* Like FP16, but without denormals, and the largest exponent is zero. */
static uint32_t from_lut16(uint32_t x) {
    uint32_t exponent = x >> 10 & 31;
    return (x >> 15 & 1) << 31 | (exponent == 31 ? 0 : 112 + exponent) << 23 | (x & 0x3FF) << 13;
}

static uint32_t lut_sign(uint32_t value, uint32_t x, bool keep_sign) {
    return keep_sign ? (value & ~FP32_SIGN) | (x & FP32_SIGN) : value;
}

static unsigned lut_range(uint32_t x) {
    return x < 0x3F800000 ? 0 : x < 0x40000000 ? 1 : 2;
}

static void mad_lut(uint32_t *d, const uint32_t (*lreg)[LANES], bool keep_sign, uint32_t mask) {
    MAD_EACH(i, mask) {
        uint32_t x = lreg[3][i] & ~FP32_SIGN, pair = lreg[lut_range(x)][i];
        d[i] = lut_sign(fp32_fma(from_lut8(pair >> 8), x, from_lut8(pair)), lreg[3][i], keep_sign);
    }
}

static unsigned lut_half(uint32_t x, enum mad_table table) {
    uint32_t last = table == MAD_TABLE_FP16_4 ? 0x40800000 : 0x40400000;
    return x < 0x3F000000 ? 0 : x < 0x3F800000 ? 16 : x < 0x3FC00000 ? 0 : x < 0x40000000 ? 16 : x < last ? 0 : 16;
}

static void mad_lut_wide(uint32_t *d, const uint32_t (*lreg)[LANES], enum mad_table table, bool keep_sign,
                         uint32_t mask) {
    MAD_EACH(i, mask) {
        uint32_t x = lreg[3][i] & ~FP32_SIGN, a = lreg[lut_range(x)][i], c = lreg[4 + lut_range(x)][i];
        unsigned half = lut_half(x, table);
        if (table == MAD_TABLE_FP16)
            c = from_lut16(a), a = from_lut16(a >> 16);
        else if (table != MAD_TABLE_FP32)
            a = from_lut16(a >> half), c = from_lut16(c >> half);
        d[i] = lut_sign(fp32_fma(a, x, c), lreg[3][i], keep_sign);
    }
}

static uint32_t mul24_add(uint32_t product, uint32_t c) {
    uint32_t e = c >> 23 & 255;
    if (!e)
        return product;
    uint32_t significand = ((c & 0x7FFFFF) | 0x800000) << 3;
    if (e > 129)
        product >>= (e - 129) & 31;
    unsigned right = e < 129 ? (129 - e) & 31 : 0;
    uint32_t kept = significand >> right;
    if (!kept)
        return product;
    uint32_t lost = significand - (kept << right);
    return (product + kept + (lost > 0xFFFF ? 0x10000 : 0)) & 0x7FFFFF;
}

static void mad_mul24(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, bool high, uint32_t mask) {
    MAD_EACH(i, mask) {
        uint64_t product = (uint64_t)(a[i] & 0x7FFFFF) * (b[i] & 0x7FFFFF);
        d[i] = mul24_add((uint32_t)(high ? product >> 23 : product & 0x7FFFFF), c[i]);
    }
}

static void mad_pick(uint32_t *d, const uint32_t (*lreg)[LANES], const uint32_t *index, uint32_t mask) {
    MAD_EACH(i, mask)
    d[i] = lreg[index[i] & 15][i];
}

static uint32_t mad_which(const uint32_t *index, uint32_t is, uint32_t mask) {
    uint32_t found = 0;
    MAD_EACH(i, mask)
    found |= (uint32_t)((index[i] & 15) == is) << i;
    return found;
}

#define MAD_KERNELS \
    { \
        .mad = mad_any, .add = mad_add, .mul = mad_mul, .add_all = mad_add_all, .mul_all = mad_mul_all, \
        .lut = mad_lut, .lut_wide = mad_lut_wide, .mul24 = mad_mul24, .pick = mad_pick, .which = mad_which \
    }
