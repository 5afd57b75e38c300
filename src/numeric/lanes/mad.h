/* The arithmetic of the MAD sub-unit. Sources: SFPMAD.md, SFPLUT.md, SFPLUTFP32.md, SFPMUL24.md (BH). */
#include "numeric/lanes/fused.h"
#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

VEC_INLINE uint32_t negate_a(uint32_t signs) {
    return signs << 31;
}

VEC_INLINE uint32_t negate_c(uint32_t signs) {
    return (signs >> 1) << 31;
}

#if FUSED_ALL
static uint64_t mad_any(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t how,
                        struct mad_habit *habits) {
    uint32_t signs = (uint32_t)(how >> 32), mask = (uint32_t)how;
    bool plain = !(signs & (MAD_NEGATE_A | MAD_NEGATE_C)) && mask == LANES_ALL;
    if (__builtin_expect(plain, 1))
        fused_all(d, &(struct fused_terms){ a, b, c, 0, 0 }, LANES_ALL, habits);
    else
        fused_all(d, &(struct fused_terms){ a, b, c, negate_a(signs), negate_c(signs) }, mask, habits);
    return 0;
}
#else
static uint64_t mad_any(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t how,
                        struct mad_habit *habits) {
    uint32_t signs = (uint32_t)(how >> 32), mask = (uint32_t)how;
    bool in_parts = false;
    (void)habits;
    VEC_EACH(i) {
        vec x = vec_load(a + i) ^ negate_a(signs), y = vec_load(b + i), z = vec_load(c + i) ^ negate_c(signs);
        vec_put(d, i, fused_any(x, y, z, mask >> i, &in_parts), mask);
    }
    return 0;
}
#endif

static __attribute__((noinline)) void mad_add_exactly(uint32_t *d, const uint32_t *a, const uint32_t *c, uint32_t signs,
                                                      uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, fused_add(vec_load(a + i) ^ negate_a(signs), vec_load(c + i) ^ negate_c(signs)), mask);
}

/* Stores the host's sums and returns true, if all of them are right. */
VEC_INLINE bool mad_add_quickly(uint32_t *d, const uint32_t *a, const uint32_t *c, uint32_t signs) {
    vec_float sum[LANES / VEC_LANES];
    struct fused_sums sums = { (vec_int)vec_all(0), vec_all(0) };
    VEC_UNROLL
    VEC_EACH(i) {
        vec x = vec_load(a + i) ^ negate_a(signs), z = vec_load(c + i) ^ negate_c(signs);
        sum[i / VEC_LANES] = (vec_float)x + (vec_float)z;
        fused_look_at_sum(&sums, sum[i / VEC_LANES]);
    }
    if (__builtin_expect(!fused_sums_same(&sums), 0))
        return false;
    VEC_UNROLL
    VEC_EACH(i)
    vec_store(d + i, (vec)sum[i / VEC_LANES]);
    return true;
}

static uint64_t mad_add(uint32_t *d, const uint32_t *a, const uint32_t *c, uint32_t signs, uint32_t mask) {
    bool plain = !(signs & (MAD_NEGATE_A | MAD_NEGATE_C)), all = mask == LANES_ALL;
    if (__builtin_expect(plain && all, 1) ? !mad_add_quickly(d, a, c, 0) : !all || !mad_add_quickly(d, a, c, signs))
        mad_add_exactly(d, a, c, signs, mask);
    return 0;
}

/* Returns the first factor of lanes i on. all: every lane has that of lane 0. */
VEC_INLINE vec mad_factor(const uint32_t *a, unsigned i, bool all) {
    return all ? vec_all(*a) : vec_load(a + i);
}

VEC_INLINE void mad_mul_exactly(uint32_t *d, const uint32_t *a, bool all, const uint32_t *b, uint32_t signs,
                                uint32_t mask) {
    VEC_EACH(i) {
        vec x = mad_factor(a, i, all) ^ negate_a(signs);
        vec_put(d, i, fused_mul(x, vec_load(b + i), negate_c(signs)), mask);
    }
}

/* Stores the host's products and returns true, if they and their factors are all far from denormal. */
VEC_INLINE bool mad_mul_quickly(uint32_t *d, const uint32_t *a, bool all, const uint32_t *b) {
    vec_float product[LANES / VEC_LANES];
    struct fused_sums seen = { (vec_int)vec_all(0), vec_all(0) };
    VEC_UNROLL
    VEC_EACH(i) {
        vec_float x = (vec_float)mad_factor(a, i, all), y = (vec_float)vec_load(b + i);
        vec_float *p = &product[i / VEC_LANES];
        *p = x * y + (vec_float)vec_all(0); /* -0 becomes 0 */
        if (!all || i == 0)
            fused_look_at(&seen, x);
        fused_look_at(&seen, y);
        fused_look_at_sum(&seen, *p);
    }
    if (__builtin_expect(!fused_sums_same(&seen), 0))
        return false;
    VEC_UNROLL
    VEC_EACH(i)
    vec_store(d + i, (vec)product[i / VEC_LANES]);
    return true;
}

static uint64_t mad_mul(uint32_t *d, const uint32_t *a, const uint32_t *b, uint32_t signs, uint32_t mask) {
    bool plain = !(signs & (MAD_NEGATE_A | MAD_NEGATE_C)) && mask == LANES_ALL;
    if (__builtin_expect(!plain, 0) || !mad_mul_quickly(d, a, false, b))
        mad_mul_exactly(d, a, false, b, signs, mask);
    return 0;
}

static uint64_t mad_add_all(uint32_t *d, uint32_t value, const uint32_t *c, uint32_t signs, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, fused_add(vec_all(value), vec_load(c + i) ^ negate_c(signs)), mask);
    return 0;
}

static uint64_t mad_mul_all(uint32_t *d, uint32_t value, const uint32_t *b, uint32_t signs, uint32_t mask) {
    uint32_t a = value ^ negate_a(signs);
    if (__builtin_expect(mask != LANES_ALL, 0) || !mad_mul_quickly(d, &a, true, b))
        mad_mul_exactly(d, &a, true, b, 0, mask);
    return 0;
}

/* ---- Look-ups -------------------------------------------------------------------------------- */

/* Decodes eight bits: sign, exponent as 127 - e, four bits of fraction; 0xFF is zero. */
VEC_INLINE vec from_lut8(vec x) {
    vec value = FP32_ONE + ((x & 15) << 19) - ((x & 0x70) << 19);
    return (value | (x & 0x80) << 24) & (vec)((x & 0xFF) != 0xFF);
}

/* Decodes 16 bits like FP16, but without denormals; the largest exponent means zero. */
VEC_INLINE vec from_lut16(vec x) {
    vec value = ((x & 0x7FFF) << 13) + (112 << 23);
    return (value & (vec)((x & 0x7C00) != 0x7C00)) | (x & 0x8000) << 16;
}

/* Returns ones where x is below a limit, given as the bit pattern of 1.0, 2.0 ...; NaN is not below. */
VEC_INLINE vec is_below(vec x, int32_t limit) {
    return (vec)((vec_int)x < limit);
}

enum {
    LUT_0_5 = 0x3F000000,
    LUT_1 = 0x3F800000,
    LUT_1_5 = 0x3FC00000,
    LUT_2 = 0x40000000,
    LUT_3 = 0x40400000,
    LUT_4 = 0x40800000
};

/* Returns the entry for the range that x is in, from one of three LRegs that begin with this one. */
VEC_INLINE vec lut_entry(const uint32_t (*lreg)[LANES], unsigned i, vec x) {
    vec high = vec_select(is_below(x, LUT_2), vec_load(lreg[1] + i), vec_load(lreg[2] + i));
    return vec_select(is_below(x, LUT_1), vec_load(lreg[0] + i), high);
}

/* Finds the coefficients of lanes [i, i + VEC_LANES). */
typedef void lut_find(const uint32_t (*lreg)[LANES], unsigned i, vec *a, vec *c);

VEC_INLINE void lut_put(uint32_t *d, const uint32_t (*lreg)[LANES], unsigned i, vec result, bool keep_sign,
                        uint32_t mask) {
    uint32_t kept = keep_sign ? FP32_SIGN : 0;
    vec_put(d, i, (result & ~kept) | (vec_load(lreg[3] + i) & kept), mask);
}

#if FUSED_ALL
VEC_INLINE void lut_any(uint32_t *d, const uint32_t (*lreg)[LANES], lut_find *find, bool keep_sign, uint32_t mask,
                        struct mad_habit *habits) {
    uint32_t a[LANES] __attribute__((aligned(64))), x[LANES] __attribute__((aligned(64)));
    uint32_t c[LANES] __attribute__((aligned(64)));
    VEC_EACH(i) {
        vec factor, addend;
        find(lreg, i, &factor, &addend);
        vec_store(a + i, factor), vec_store(c + i, addend);
        vec_store(x + i, vec_load(lreg[3] + i) & ~FP32_SIGN);
    }
    fused_all(x, &(struct fused_terms){ a, x, c, 0, 0 }, LANES_ALL, habits);
    VEC_EACH(i)
    lut_put(d, lreg, i, vec_load(x + i), keep_sign, mask);
}
#else
VEC_INLINE void lut_any(uint32_t *d, const uint32_t (*lreg)[LANES], lut_find *find, bool keep_sign, uint32_t mask,
                        struct mad_habit *habits) {
    bool in_parts = false;
    (void)habits;
    VEC_EACH(i) {
        vec a, c;
        find(lreg, i, &a, &c);
        lut_put(d, lreg, i, fused_any(a, vec_load(lreg[3] + i) & ~FP32_SIGN, c, mask >> i, &in_parts), keep_sign, mask);
    }
}
#endif

VEC_INLINE vec lut_x(const uint32_t (*lreg)[LANES], unsigned i) {
    return vec_load(lreg[3] + i) & ~FP32_SIGN;
}

VEC_INLINE void find_fp8(const uint32_t (*lreg)[LANES], unsigned i, vec *a, vec *c) {
    vec pair = lut_entry(lreg, i, lut_x(lreg, i));
    *a = from_lut8(pair >> 8), *c = from_lut8(pair);
}

VEC_INLINE void find_fp32(const uint32_t (*lreg)[LANES], unsigned i, vec *a, vec *c) {
    vec x = lut_x(lreg, i);
    *a = lut_entry(lreg, i, x), *c = lut_entry(lreg + 4, i, x);
}

VEC_INLINE void find_fp16(const uint32_t (*lreg)[LANES], unsigned i, vec *a, vec *c) {
    vec pair = lut_entry(lreg, i, lut_x(lreg, i));
    *a = from_lut16(pair >> 16), *c = from_lut16(pair);
}

/* Finds coefficients in three ranges of two halves each; the last range is divided at `last`. */
VEC_INLINE void find_half(const uint32_t (*lreg)[LANES], unsigned i, int32_t last, vec *a, vec *c) {
    vec x = lut_x(lreg, i);
    vec low =
        is_below(x, LUT_0_5) | (~is_below(x, LUT_1) & is_below(x, LUT_1_5)) | (~is_below(x, LUT_2) & is_below(x, last));
    vec first = lut_entry(lreg, i, x), second = lut_entry(lreg + 4, i, x);
    *a = from_lut16(vec_select(low, first, first >> 16)), *c = from_lut16(vec_select(low, second, second >> 16));
}

VEC_INLINE void find_half_3(const uint32_t (*lreg)[LANES], unsigned i, vec *a, vec *c) {
    find_half(lreg, i, LUT_3, a, c);
}

VEC_INLINE void find_half_4(const uint32_t (*lreg)[LANES], unsigned i, vec *a, vec *c) {
    find_half(lreg, i, LUT_4, a, c);
}

#define LUT(name, find) \
    static void name(uint32_t *d, const uint32_t(*lreg)[LANES], bool keep_sign, uint32_t mask, \
                     struct mad_habit *habits) { \
        lut_any(d, lreg, find, keep_sign, mask, habits); \
    }
LUT(mad_lut, find_fp8)
LUT(lut_fp32, find_fp32)
LUT(lut_fp16, find_fp16)
LUT(lut_fp16_3, find_half_3)
LUT(lut_fp16_4, find_half_4)

static void mad_lut_wide(uint32_t *d, const uint32_t (*lreg)[LANES], enum mad_table table, bool keep_sign,
                         uint32_t mask, struct mad_habit *habits) {
    switch (table) {
    case MAD_TABLE_FP32: lut_fp32(d, lreg, keep_sign, mask, habits); break;
    case MAD_TABLE_FP16: lut_fp16(d, lreg, keep_sign, mask, habits); break;
    case MAD_TABLE_FP16_3: lut_fp16_3(d, lreg, keep_sign, mask, habits); break;
    case MAD_TABLE_FP16_4: lut_fp16_4(d, lreg, keep_sign, mask, habits); break;
    }
}

/* ---- SFPMUL24 -------------------------------------------------------------------------------- */

/* Multiplies by parts of eleven and twelve bits. */
VEC_INLINE vec mul24_high(vec a, vec b) {
    vec a1 = a >> 12 & 0x7FF, a0 = a & 0xFFF, b1 = b >> 12 & 0x7FF, b0 = b & 0xFFF;
    vec middle = a1 * b0 + a0 * b1 + (a0 * b0 >> 12);
    return a1 * b1 * 2 + (middle >> 11);
}

/* Adds c to the product, as the adder after the multiplier does. The product counts as having exponent 129. */
VEC_INLINE vec mul24_add(vec product, vec c) {
    vec_int e = (vec_int)(c >> 23 & 255);
    vec below = (vec)(e < 129), none = (vec)(e == 0);
    vec addend = ((c & FP32_FRACTION) | (FP32_FRACTION + 1)) << 3;
    vec right = (vec)(129 - e) & below & 31;
    vec moved = vec_shift_right(product, (vec)(e - 129) & ~below & 31);
    vec kept = vec_shift_right(addend, right), lost = addend & vec_shift_right(vec_all(UINT32_MAX), 32 - right);
    vec sum = (moved + kept + ((vec)(lost > 0xFFFF) & 0x10000)) & FP32_FRACTION;
    return vec_select(none, product, vec_select((vec)(kept != 0), sum, moved));
}

static void mad_mul24(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, bool high, uint32_t mask) {
    VEC_EACH(i) {
        vec x = vec_load(a + i), y = vec_load(b + i), z = vec_load(c + i);
        vec product = high ? mul24_high(x, y) : (x * y) & FP32_FRACTION;
        if (vec_bits((vec)((z & FP32_INF) != 0)))
            product = mul24_add(product, z);
        vec_put(d, i, product, mask);
    }
}

/* ---- Indices --------------------------------------------------------------------------------- */

static void mad_pick(uint32_t *d, const uint32_t (*lreg)[LANES], const uint32_t *index, uint32_t mask) {
    VEC_EACH(i) {
        vec which = vec_load(index + i) & 15, picked = { 0 };
        for (unsigned r = 0; r < 16; r++)
            picked |= vec_load(lreg[r] + i) & (vec)(which == r);
        vec_put(d, i, picked, mask);
    }
}

static uint32_t mad_which(const uint32_t *index, uint32_t is, uint32_t mask) {
    vec found[LANES / VEC_LANES];
    VEC_UNROLL
    VEC_EACH(i)
    found[i / VEC_LANES] = (vec)((vec_load(index + i) & 15) == is);
    return vec_bits_all(found) & mask;
}

#define MAD_KERNELS \
    { \
        .mad = mad_any, .add = mad_add, .mul = mad_mul, .add_all = mad_add_all, .mul_all = mad_mul_all, \
        .lut = mad_lut, .lut_wide = mad_lut_wide, .mul24 = mad_mul24, .pick = mad_pick, .which = mad_which \
    }
