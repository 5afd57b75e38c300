/* Loads and stores of all lanes with AArch64's vectors, which part and join the halves of words in one instruction
 * each.
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

/* Eight lanes of a mask. */
VEC_INLINE halves halves_mask(uint32_t lanes) {
    static const uint16_t bit[8] = { 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80 };
    return vtstq_u16(vdupq_n_u16((uint16_t)lanes), vld1q_u16(bit));
}

VEC_INLINE uint64_t load_words(uint32_t *d, const uint16_t *dst, uint32_t mask, bool odd, bool wide) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        halves upper = halves_from_dst(halves_of_dst(dst + 2 * i, odd));
        halves lower = wide ? halves_of_dst(dst + MOVE_LOW + 2 * i, odd) : vdupq_n_u16(0);
        vec_put(d, i, (vec)vzip1q_u16(lower, upper), mask);
        vec_put(d, i + VEC_LANES, (vec)vzip2q_u16(lower, upper), mask);
    }
    return 0;
}

VEC_INLINE void halves_put(uint16_t *dst, halves value, bool odd, uint32_t mask, unsigned i) {
    if (mask != LANES_ALL)
        value = vbslq_u16(halves_mask(mask >> i), value, halves_of_dst(dst, odd));
    halves_to_dst(dst, value, odd);
}

/* flush: denormals lose their mantissa. */
VEC_INLINE uint64_t store_words(uint16_t *dst, const uint32_t *s, uint32_t mask, bool odd, bool wide, bool flush) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        halves first = (halves)vec_load(s + i), second = (halves)vec_load(s + i + VEC_LANES);
        halves upper = halves_take(first, second, true), lower = halves_take(first, second, false);
        if (flush) {
            halves normal = vtstq_u16(upper, vdupq_n_u16(0x7F80));
            upper = vandq_u16(upper, vorrq_u16(normal, vdupq_n_u16(0x8000)));
            lower = vandq_u16(lower, normal);
        }
        halves_put(dst + 2 * i, halves_as_in_dst(upper), odd, mask, i);
        if (wide)
            halves_put(dst + MOVE_LOW + 2 * i, lower, odd, mask, i);
    }
    return 0;
}

/* Lanes of some rows' even and odd columns are rare. */
#define MOVE_LOAD_WORDS(name, wide) \
    static uint64_t load_even_##name(uint32_t *d, const uint16_t *dst, uint32_t infinity) { \
        (void)infinity; \
        return load_words(d, dst, LANES_ALL, false, wide); \
    } \
    static uint64_t load_odd_##name(uint32_t *d, const uint16_t *dst, uint32_t infinity) { \
        (void)infinity; \
        return load_words(d, dst, LANES_ALL, true, wide); \
    } \
    static uint64_t load_##name(uint32_t *d, const uint16_t *dst, const uint32_t *old, uint32_t odd, \
                                uint32_t infinity, uint32_t mask) { \
        if (odd == 0 || odd == LANES_ALL) \
            return odd ? load_words(d, dst, mask, true, wide) : load_words(d, dst, mask, false, wide); \
        load_mixed(d, dst, old, odd, infinity, mask, wide, decode_##name); \
        return 0; \
    }
#define MOVE_STORE_WORDS(name, wide, flush) \
    static uint64_t store_even_##name(uint16_t *dst, const uint32_t *s) { \
        return store_words(dst, s, LANES_ALL, false, wide, flush); \
    } \
    static uint64_t store_odd_##name(uint16_t *dst, const uint32_t *s) { \
        return store_words(dst, s, LANES_ALL, true, wide, flush); \
    } \
    static uint64_t store_##name(uint16_t *dst, const uint32_t *s, uint32_t odd, uint32_t mask) { \
        if (odd == 0 || odd == LANES_ALL) \
            return odd ? store_words(dst, s, mask, true, wide, flush) : store_words(dst, s, mask, false, wide, flush); \
        store_mixed(dst, s, odd, mask, wide, encode_##name); \
        return 0; \
    }
MOVE_LOAD_WORDS(BF16, false)
MOVE_LOAD_WORDS(FP32, true)
MOVE_STORE_WORDS(BF16, false, true)
MOVE_STORE_WORDS(FP32, true, true)
MOVE_STORE_WORDS(INT32, true, false)

#endif
