/* Loads and stores of all lanes with AArch64's vectors, which split and join the halves of words in one instruction
 * each.
 *
 * A register holds the upper halves of eight words, or their lower halves: those of the lanes of two registers. */
#ifndef NUMERIC_LANES_MOVE_NEON_H
#define NUMERIC_LANES_MOVE_NEON_H

#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

VEC_INLINE vec_ushort halves_take(vec_ushort a, vec_ushort b, bool odd) {
    return odd ? vec_ushort_odd(a, b) : vec_ushort_even(a, b);
}

/* Loads every other one of 16 data. */
VEC_INLINE vec_ushort halves_of_dst(const uint16_t *dst, bool odd) {
    return halves_take(vec_ushort_load(dst), vec_ushort_load(dst + VEC_SHORTS), odd);
}

/* Stores every other one of 16 data; the others stay. */
VEC_INLINE void halves_to_dst(uint16_t *dst, vec_ushort value, bool odd) {
    vec_ushort other = halves_of_dst(dst, !odd), even = odd ? other : value, odds = odd ? value : other;
    vec_words_store(dst, vec_words_zip((vec_short)even, (vec_short)odds));
}

VEC_INLINE vec_ushort halves_with_sign(vec_ushort x, vec_ushort sign) {
    return vec_ushort_select_bits(vec_ushort_all(0x8000), sign, x);
}

/* Converts S MMMMMMM EEEEEEEE to S EEEEEEEE MMMMMMM, and back. */
VEC_INLINE vec_ushort halves_from_dst(vec_ushort x) {
    return halves_with_sign((vec_ushort)vec_short_insert_left(x >> 8, x, 7), x);
}

VEC_INLINE vec_ushort halves_as_in_dst(vec_ushort x) {
    return halves_with_sign(vec_ushort_insert_right(x << 8, x + x, 8), x);
}

VEC_INLINE uint64_t load_words(uint32_t *d, const uint16_t *dst, uint32_t mask, bool odd, bool wide) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        vec_ushort upper = halves_from_dst(halves_of_dst(dst + 2 * i, odd));
        vec_ushort lower = wide ? halves_of_dst(dst + MOVE_LOW + 2 * i, odd) : vec_ushort_all(0);
        struct vec_words words = vec_words_zip((vec_short)lower, (vec_short)upper);
        vec_put(d, i, (vec)words.v[0], mask);
        vec_put(d, i + VEC_LANES, (vec)words.v[1], mask);
    }
    return 0;
}

VEC_INLINE void halves_put(uint16_t *dst, vec_ushort value, bool odd, uint32_t mask, unsigned i) {
    if (mask != LANES_ALL)
        value = vec_ushort_select_bits(vec_ushort_mask(mask >> i), value, halves_of_dst(dst, odd));
    halves_to_dst(dst, value, odd);
}

/* flush: denormals lose their mantissa. */
VEC_INLINE uint64_t store_words(uint16_t *dst, const uint32_t *s, uint32_t mask, bool odd, bool wide, bool flush) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        vec_ushort first = (vec_ushort)vec_load(s + i), second = (vec_ushort)vec_load(s + i + VEC_LANES);
        vec_ushort upper = halves_take(first, second, true), lower = halves_take(first, second, false);
        if (flush) {
            vec_ushort normal = vec_ushort_test(upper, vec_ushort_all(0x7F80));
            upper &= normal | 0x8000;
            lower &= normal;
        }
        halves_put(dst + 2 * i, halves_as_in_dst(upper), odd, mask, i);
        if (wide)
            halves_put(dst + MOVE_LOW + 2 * i, lower, odd, mask, i);
    }
    return 0;
}

/* Lanes with a mixture of even and odd columns are rare, and left to the kernels of move.h. */
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
