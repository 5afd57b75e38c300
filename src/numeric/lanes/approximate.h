/* SFPARECIP: reciprocal and exponential, to about seven bits (SFPARECIP.md, BH). */
#include "numeric/exponential.h"
#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

/* Returns 1 / x. The page's table of 128 entries is 65536 / (257 + 2 i), rounded, without its top bit: the reciprocal
 * of the middle of each 128th part of the significand. No quotient is closer than 1/1022 to a point where rounding
 * changes, so the host's division finds the same entry. */
VEC_INLINE vec reciprocal_of(vec x, uint32_t sign) {
    vec bits = x & 0x7FFFFFFF, index = bits >> 16 & 0x7F;
    vec_float quotient = 65536.0f / __builtin_convertvector((vec_int)(257 + 2 * index), vec_float);
    vec top = (vec) __builtin_convertvector(quotient + 0.5f, vec_int);
    vec result = 0x7E000000 - (bits & 0x7F800000) + (top << 16);
    result = vec_select((vec)((vec_int)bits < 0x00800000), vec_all(0x7F800000), result);
    result &= (vec)((vec_int)bits < 0x7E800000);
    return result | (x & sign);
}

static void reciprocal(uint32_t *d, const uint32_t *c, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, reciprocal_of(vec_load(c + i), 0x80000000), mask);
}

static void reciprocal_if_negative(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask) {
    VEC_EACH(i) {
        vec x = vec_load(c + i);
        vec_put(d, i, vec_select((vec)((vec_int)vec_load(b + i) < 0), reciprocal_of(x, 0), x), mask);
    }
}

/* Looks up the entry of each lane; patterns outside the table get the first or the last entry. */
VEC_INLINE vec look_up_exponential(vec pattern) {
    vec_int index = (vec_int)pattern - EXPONENTIAL_FIRST;
    index &= ~(index >> 31);
    vec_int beyond = index >= EXPONENTIAL_ENTRIES;
    index = (index & ~beyond) | (beyond & (EXPONENTIAL_ENTRIES - 1));
    vec entry = vec_all(0);
    for (unsigned lane = 0; lane < VEC_LANES; lane++)
        entry[lane] = exponential_table[index[lane]];
    return entry;
}

/* Looks up the upper half; the lower half stays as it is. */
VEC_INLINE vec exponential_of(vec x) {
    vec bits = x & 0x7FFFFFFF, pattern = bits >> 16;
    vec_int place = (vec_int)pattern;
    vec upper =
        look_up_exponential(pattern) + vec_select((vec)(place >= EXPONENTIAL_TWO), vec_all(0x4000), vec_all(0x3F80));
    upper = vec_select((vec)(place < EXPONENTIAL_FIRST), vec_all(0x3F81), upper);
    upper = vec_select((vec)(place >= 0x4000), vec_all(0x4080), upper);
    vec result = upper << 16 | (bits & 0xFFFF);
    return vec_select((vec)(place < 0x0080), vec_all(0x3F800000), result) | (x & 0x80000000);
}

static void exponential(uint32_t *d, const uint32_t *c, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, exponential_of(vec_load(c + i)), mask);
}
