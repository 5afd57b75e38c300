/* Conversions, and the random numbers that some of them use. Pages: VectorUnit.md, SFPSTOCHRND_*.md, SFPCAST_*.md
 * (BH). */
#include "numeric/lanes/approximate.h"
#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

static void random_step(uint32_t *d, uint32_t *state, uint32_t mask) {
    VEC_EACH(i) {
        vec s = vec_load(state + i);
        vec_put(d, i, s, mask);
        vec_put(state, i, RANDOM_NEXT(s), mask);
    }
}

/* Returns the thresholds of lanes i on. The generators advance even if no result depends on them. */
VEC_INLINE vec thresholds(uint32_t *random, const struct rounding *how, unsigned i, uint32_t mask) {
    vec s = vec_load(random + i);
    vec_put(random, i, RANDOM_NEXT(s), mask);
    return (s & how->random) | how->fixed;
}

/* ---- SFP_STOCH_RND ----------------------------------------------------------------------------- */

static void shorten(uint32_t *d, const uint32_t *c, uint32_t *random, const struct rounding *how, unsigned lost,
                    uint32_t mask) {
    VEC_EACH(i) {
        vec x = vec_load(c + i), exponent = x & 0x7F800000;
        vec cut = x & ((1u << lost) - 1);
        vec up = (vec)((vec_int)cut >= (vec_int)(thresholds(random, how, i, mask) >> (23 - lost)));
        vec finite = x - cut + (up & 1u << lost);
        vec result = vec_select((vec)(exponent == 0x7F800000), x & 0xFF800000, finite);
        vec_put(d, i, result & (vec)(exponent != 0), mask);
    }
}

VEC_INLINE vec at_most(vec x, uint32_t most) {
    return vec_select((vec)((vec_int)x > (vec_int)vec_all(most)), vec_all(most), x);
}

/* Returns an integer as sign and magnitude; zero has no sign. */
VEC_INLINE vec bounded(vec magnitude, vec sign, const struct rounding *how) {
    return at_most(magnitude, how->most) | (sign & how->sign & (vec)(magnitude != 0));
}

/* The host's floating point is exact here: the whole part has at most 17 bits, the rest of x fits into 24 bits, and so
 * does its product with a power of two. The conversion to an integer loses the last bit only of a number below 1, as
 * the page demands. From 65536 on every number saturates, so 65536 stands for all of them. */
static void to_integer(uint32_t *d, const uint32_t *c, uint32_t *random, const struct rounding *how, uint32_t mask) {
    VEC_EACH(i) {
        vec x = vec_load(c + i), bits = at_most(x & 0x7FFFFFFF, 0x47800000);
        vec_float value = (vec_float)bits;
        vec_int whole = __builtin_convertvector(value, vec_int);
        vec_float rest = (value - __builtin_convertvector(whole, vec_float)) * 0x1p23f;
        vec up = (vec)(__builtin_convertvector(rest, vec_int) >= (vec_int)thresholds(random, how, i, mask));
        vec magnitude = ((vec)whole - up) & (vec)((vec_int)bits >= 0x3F000000);
        vec_put(d, i, bounded(magnitude, x, how), mask);
    }
}

/* The lost bits of c become the upper ones of 23 bits: shifted left, or right if more than 23 are lost. The magnitude
 * is bounded twice, because 2^31 would be negative. */
static void descale(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t *random, const struct rounding *how,
                    uint32_t mask) {
    VEC_EACH(i) {
        vec x = vec_load(c + i), magnitude = x & 0x7FFFFFFF, count = vec_load(b + i) & 31;
        vec far = (vec)((vec_int)count > 23);
        vec lost = magnitude << ((23 - count) & ~far) >> ((count - 23) & far) & 0x7FFFFF;
        vec up = (vec)((vec_int)lost >= (vec_int)thresholds(random, how, i, mask));
        vec_put(d, i, bounded(at_most(magnitude >> count, how->most) - up, x, how), mask);
    }
}

/* ---- SFPCAST ----------------------------------------------------------------------------------- */

/* The host rounds to nearest even, as SFPCAST does. */
static void to_float(uint32_t *d, const uint32_t *c, uint32_t mask) {
    VEC_EACH(i) {
        vec x = vec_load(c + i);
        vec value = (vec) __builtin_convertvector((vec_int)(x & 0x7FFFFFFF), vec_float);
        vec_put(d, i, value | (x & 0x80000000), mask);
    }
}

/* Shifts x left by `step` if its upper `step` bits are zero, and adds the places to *steps. */
VEC_INLINE void normalise(vec *x, vec *steps, uint32_t step) {
    vec low = (vec)(*x >> (32 - step) == 0);
    *x = vec_select(low, *x << step, *x);
    *steps += low & step;
}

/* Eight bits are lost, of which seven count; they round up if they exceed bits 15:9 of the generator. */
static void to_float_random(uint32_t *d, const uint32_t *c, uint32_t *random, uint32_t mask) {
    static const struct rounding all = { .random = UINT32_MAX };
    VEC_EACH(i) {
        vec x = vec_load(c + i), significand = x & 0x7FFFFFFF, zeros = vec_all(0);
        vec is_zero = (vec)(significand == 0);
        for (uint32_t step = 16; step; step /= 2)
            normalise(&significand, &zeros, step);
        vec value = ((157 - zeros) << 23) + (significand >> 8);
        vec threshold = thresholds(random, &all, i, mask) >> 9 & 0xFE;
        value -= (vec)((vec_int)(significand & 0xFE) > (vec_int)threshold);
        vec_put(d, i, (value & ~is_zero) | (x & 0x80000000), mask);
    }
}

static void complement(uint32_t *d, const uint32_t *c, uint32_t mask) {
    VEC_EACH(i) {
        vec x = vec_load(c + i), sign = x & 0x80000000;
        vec_put(d, i, sign | vec_select((vec)((vec_int)x < 0), -x, x), mask);
    }
}

/* ---- SFPSHFT2 ---------------------------------------------------------------------------------- */

/* Copies from an array that has one lane before the first. */
VEC_INLINE void put_right(uint32_t *d, const uint32_t *c, const uint32_t *first, uint32_t mask) {
    uint32_t moved[LANES + 1];
    memcpy(moved + 1, c, sizeof(uint32_t[LANES]));
    for (unsigned row = 0; row < LANES; row += 8)
        moved[row] = first[row];
    VEC_EACH(i)
    vec_put(d, i, vec_load(moved + i), mask);
}

static void rotate(uint32_t *d, const uint32_t *c, uint32_t mask) {
    put_right(d, c, c + 7, mask);
}

static void move_right(uint32_t *d, const uint32_t *c, uint32_t mask) {
    static const uint32_t zeros[LANES];
    put_right(d, c, zeros, mask);
}

static void move_up(uint32_t *d, const uint32_t *c, uint32_t mask) {
    uint32_t moved[LANES] = { 0 };
    memcpy(moved, c + 8, sizeof(uint32_t[LANES - 8]));
    VEC_EACH(i)
    vec_put(d, i, vec_load(moved + i), mask);
}

#define ROUND_KERNELS \
    { \
        .random = random_step, .shorten = shorten, .to_integer = to_integer, .descale = descale, .to_float = to_float, \
        .to_float_random = to_float_random, .complement = complement, .reciprocal = reciprocal, \
        .reciprocal_if_negative = reciprocal_if_negative, .exponential = exponential, .rotate = rotate, \
        .move_right = move_right, .move_up = move_up \
    }
