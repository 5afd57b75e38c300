/* The arithmetic of the simple sub-unit. */
#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

#define SIMPLE_EXPONENT 0x7F800000u

/* A kernel with one or two operands whose result is an expression of c (and b). */
#define SIMPLE_C(name, result) \
    static void name(uint32_t *d, const uint32_t *c_, uint32_t mask) { \
        VEC_UNROLL VEC_EACH(i) { \
            vec c = vec_load(c_ + i); \
            vec_put(d, i, result, mask); \
        } \
    }
#define SIMPLE_C_ALL(name, type, all, result) \
    static void name(uint32_t *d, const uint32_t *c_, type all, uint32_t mask) { \
        VEC_UNROLL VEC_EACH(i) { \
            vec c = vec_load(c_ + i); \
            vec_put(d, i, result, mask); \
        } \
    }
#define SIMPLE_B_C(name, result) \
    static void name(uint32_t *d, const uint32_t *b_, const uint32_t *c_, uint32_t mask) { \
        VEC_UNROLL VEC_EACH(i) { \
            vec b = vec_load(b_ + i), c = vec_load(c_ + i); \
            vec_put(d, i, result, mask); \
        } \
    }

VEC_INLINE vec simple_below_zero(vec x) {
    return (vec)((vec_int)x >> 31);
}

/* ---- Bits --------------------------------------------------------------------------------------------- */

SIMPLE_C(copy, c)
SIMPLE_C_ALL(flip, uint32_t, bits, c ^ bits)
SIMPLE_B_C(bit_and, b &c)
SIMPLE_B_C(bit_or, b | c)
SIMPLE_B_C(bit_xor, b ^ c)

static void keep_and_set(uint32_t *d, const uint32_t *c, uint32_t keep, uint32_t set, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, (vec_load(c + i) & keep) | set, mask);
}

static void merge(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t keep, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, (vec_load(c + i) & keep) | (vec_load(b + i) & ~keep), mask);
}

SIMPLE_B_C(shift, vec_select(simple_below_zero(c), b >> (-c & 31), b << (c & 31)))
SIMPLE_B_C(shift_signed, vec_select(simple_below_zero(c), (vec)((vec_int)b >> (vec_int)(-c & 31)), b << (c & 31)))

/* Returns how far a negative amount shifts to the right. */
VEC_INLINE int32_t simple_down(int32_t amount) {
    return (int32_t)((0u - (uint32_t)amount) & 31);
}

SIMPLE_C_ALL(shift_all, int32_t, amount, amount < 0 ? c >> simple_down(amount) : c << (amount & 31))
SIMPLE_C_ALL(shift_all_signed, int32_t, amount,
             amount < 0 ? (vec)((vec_int)c >> simple_down(amount)) : c << (amount & 31))

/* The exponent of the host's float tells the number of zeros. The bit after each one bit is cleared first, so that the
 * conversion cannot round up to the next power of two. */
VEC_INLINE vec simple_leading_zeros(vec x) {
    vec_float f = __builtin_convertvector((vec_int)(x & ~(x >> 1)), vec_float);
    vec zeros = 158 - ((vec)f >> 23);
    zeros &= ~simple_below_zero(x);
    return vec_select((vec)(x == 0), vec_all(32), zeros);
}
SIMPLE_C_ALL(leading_zeros, uint32_t, keep, simple_leading_zeros(c &keep))

/* ---- Integers and FP32 ---------------------------------------------------------------------------------- */

SIMPLE_B_C(add, c + b)
SIMPLE_B_C(subtract, c - b)
SIMPLE_C_ALL(add_all, uint32_t, value, c + value)
SIMPLE_C(absolute, (c ^ simple_below_zero(c)) - simple_below_zero(c))
SIMPLE_C(absolute_float, c & ~((vec)((c & 0x7FFFFFFF) <= SIMPLE_EXPONENT) & 0x80000000))

SIMPLE_C_ALL(exponent, uint32_t, bias, (c >> 23 & 0xFF) - bias)
SIMPLE_B_C(set_exponent, (c & ~SIMPLE_EXPONENT) | (b << 23 & SIMPLE_EXPONENT))

VEC_INLINE vec simple_add_exponent(vec c, uint32_t value) {
    vec sum = (c & ~SIMPLE_EXPONENT) | ((c + (value << 23)) & SIMPLE_EXPONENT);
    return vec_select((vec)((c & SIMPLE_EXPONENT) == SIMPLE_EXPONENT), c, sum);
}
SIMPLE_C_ALL(add_exponent, uint32_t, value, simple_add_exponent(c, value))

/* ---- Lanes ------------------------------------------------------------------------------------------- */

static uint32_t negative(const uint32_t *c) {
    vec found[LANES / VEC_LANES];
    VEC_UNROLL
    VEC_EACH(i)
    found[i / VEC_LANES] = vec_load(c + i);
    return vec_bits_all(found);
}

static uint32_t non_zero(const uint32_t *c, uint32_t keep) {
    vec found[LANES / VEC_LANES];
    VEC_UNROLL
    VEC_EACH(i)
    found[i / VEC_LANES] = (vec)((vec_load(c + i) & keep) != 0);
    return vec_bits_all(found);
}

/* Converts sign and magnitude to two's complement numbers in the same order. */
VEC_INLINE vec_int simple_ordered(vec x) {
    return (vec_int)(x ^ simple_below_zero(x) >> 1);
}

static uint32_t smaller(const uint32_t *c, const uint32_t *b) {
    vec found[LANES / VEC_LANES];
    VEC_UNROLL
    VEC_EACH(i)
    found[i / VEC_LANES] = (vec)(simple_ordered(vec_load(c + i)) < simple_ordered(vec_load(b + i)));
    return vec_bits_all(found);
}

static void spread(uint32_t *d, uint32_t lanes, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, vec_mask(lanes >> i), mask);
}

static void transpose(uint32_t (*d)[LANES], uint32_t (*c)[LANES], uint32_t mask) {
    uint32_t t[4][LANES];
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4; j++)
            memcpy(&t[i][8 * j], &c[j][8 * i], 8 * sizeof t[0][0]);
    for (unsigned i = 0; i < 4; i++)
        copy(d[i], t[i], mask);
}

#define SIMPLE_KERNELS \
    { \
        .copy = copy, .flip = flip, .keep_and_set = keep_and_set, .merge = merge, .bit_and = bit_and, \
        .bit_or = bit_or, .bit_xor = bit_xor, .shift = shift, .shift_signed = shift_signed, .shift_all = shift_all, \
        .shift_all_signed = shift_all_signed, .leading_zeros = leading_zeros, .add = add, .subtract = subtract, \
        .add_all = add_all, .absolute = absolute, .absolute_float = absolute_float, .exponent = exponent, \
        .set_exponent = set_exponent, .add_exponent = add_exponent, .negative = negative, .non_zero = non_zero, \
        .smaller = smaller, .spread = spread, .transpose = transpose \
    }
