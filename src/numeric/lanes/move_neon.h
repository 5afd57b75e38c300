/* Loads and stores of all lanes with AArch64's vectors, which part and join the halves of words in one instruction each.
 *
 * Halves of two registers' lanes are one register here: the upper halves of eight words, or their lower ones. */
#ifndef NUMERIC_LANES_MOVE_NEON_H
#define NUMERIC_LANES_MOVE_NEON_H

#include "numeric/lanes/lanes.h"
#include "numeric/lanes/vec.h"

typedef uint16x8_t halves;

/* Every other one of 16. */
VEC_INLINE halves halves_take(halves a, halves b, bool odd) {
    return odd ? vuzp2q_u16(a, b) : vuzp1q_u16(a, b);
}

VEC_INLINE halves halves_of_dst(const uint16_t *dst, bool odd) {
    return halves_take(vld1q_u16(dst), vld1q_u16(dst + 8), odd);
}

/* The others stay. */
VEC_INLINE void halves_to_dst(uint16_t *dst, halves value, bool odd) {
    halves other = halves_of_dst(dst, !odd), even = odd ? other : value, odds = odd ? value : other;
    vst1q_u16(dst, vzip1q_u16(even, odds));
    vst1q_u16(dst + 8, vzip2q_u16(even, odds));
}

VEC_INLINE halves halves_with_sign(halves x, halves sign) {
    return vbslq_u16(vdupq_n_u16(0x8000), sign, x);
}

/* S MMMMMMM EEEEEEEE to S EEEEEEEE MMMMMMM, and back. */
VEC_INLINE halves halves_from_dst(halves x) {
    return halves_with_sign(vsliq_n_u16(vshrq_n_u16(x, 8), x, 7), x);
}

VEC_INLINE halves halves_as_in_dst(halves x) {
    return halves_with_sign(vsriq_n_u16(vshlq_n_u16(x, 8), vaddq_u16(x, x), 8), x);
}

VEC_INLINE uint64_t load_words(uint32_t *d, const uint16_t *dst, bool odd, bool wide) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        halves upper = halves_from_dst(halves_of_dst(dst + 2 * i, odd));
        halves lower = wide ? halves_of_dst(dst + MOVE_LOW + 2 * i, odd) : vdupq_n_u16(0);
        vst1q_u32(d + i, (uint32x4_t)vzip1q_u16(lower, upper));
        vst1q_u32(d + i + VEC_LANES, (uint32x4_t)vzip2q_u16(lower, upper));
    }
    return 0;
}

/* flush: denormals lose their mantissa. */
VEC_INLINE uint64_t store_words(uint16_t *dst, const uint32_t *s, bool odd, bool wide, bool flush) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        halves first = (halves)vld1q_u32(s + i), second = (halves)vld1q_u32(s + i + VEC_LANES);
        halves upper = halves_take(first, second, true), lower = halves_take(first, second, false);
        if (flush) {
            halves normal = vtstq_u16(upper, vdupq_n_u16(0x7F80));
            upper = vandq_u16(upper, vorrq_u16(normal, vdupq_n_u16(0x8000)));
            lower = vandq_u16(lower, normal);
        }
        halves_to_dst(dst + 2 * i, halves_as_in_dst(upper), odd);
        if (wide)
            halves_to_dst(dst + MOVE_LOW + 2 * i, lower, odd);
    }
    return 0;
}

#define MOVE_WORDS(format, wide, flush) \
    static uint64_t load_even_##format(uint32_t *d, const uint16_t *dst, uint32_t infinity) { \
        (void)infinity; \
        return load_words(d, dst, false, wide); \
    } \
    static uint64_t load_odd_##format(uint32_t *d, const uint16_t *dst, uint32_t infinity) { \
        (void)infinity; \
        return load_words(d, dst, true, wide); \
    } \
    static uint64_t store_even_##format(uint16_t *dst, const uint32_t *s) { \
        return store_words(dst, s, false, wide, flush); \
    } \
    static uint64_t store_odd_##format(uint16_t *dst, const uint32_t *s) { \
        return store_words(dst, s, true, wide, flush); \
    }
MOVE_WORDS(BF16, false, true)
MOVE_WORDS(FP32, true, true)

static uint64_t store_even_INT32(uint16_t *dst, const uint32_t *s) {
    return store_words(dst, s, false, true, false);
}

static uint64_t store_odd_INT32(uint16_t *dst, const uint32_t *s) {
    return store_words(dst, s, true, true, false);
}

#endif
