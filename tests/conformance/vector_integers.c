/* Integers, conversions, choices, and moving things between lanes. */
#include "vector_routines.h"

#include <math.h>

#include "support/float_bits.h"

enum { TO_BF16 = 1, TO_INT8 = 3, TO_UINT16 = 6, TO_INT16 = 7 }; /* modes of SFP_STOCH_RND */

/* ---- Conversions ------------------------------------------------------------------------------------- */

/* Towards zero; what does not fit becomes the greatest number. */
static void to_int32(struct vector_stream *s) {
    v_exponent(s, L1, L0);
    v_mantissa(s, L2, L0, true);
    v_iaddi(s, L3, L1, -23);
    v_shift_by(s, L2, L3, false);
    v_if(s, L1, IF_NEGATIVE);
    v_set(s, L2, 0);
    v_end(s);
    v_iaddi(s, L3, L1, -31);
    v_if(s, L3, IF_NOT_NEGATIVE);
    v_set(s, L2, 0x7FFFFFFF);
    v_end(s);
    v_if(s, L0, IF_NEGATIVE);
    v_isub_from(s, L2, ZERO);
    v_end(s);
    v_mov(s, L0, L2);
}
static uint32_t to_int32_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    int64_t magnitude = (a >> 23 & 0xFF) >= 127 + 31 ? 0x7FFFFFFF : (int64_t)fabsf(as_float(a));
    return (uint32_t)(a >> 31 ? -magnitude : magnitude);
}

static void from_int32(struct vector_stream *s) {
    v_to_sign_magnitude(s, L0, L0);
    v_to_float(s, L0, L0);
}
static uint32_t from_int32_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    return a == 0x80000000u ? a : as_bits((float)(int32_t)a); /* the least number has no magnitude */
}

static void from_uint32(struct vector_stream *s) {
    v_set_sign(s, L1, L0, 0);
    v_to_float(s, L1, L1);
    v_if(s, L0, IF_NEGATIVE);
    v_addi(s, L1, 0x4F00); /* 2^31 */
    v_end(s);
    v_mov(s, L0, L1);
}
static uint32_t from_uint32_bits(uint32_t a, uint32_t b, uint32_t c) { /* rounded twice */
    (void)b, (void)c;
    float lower = (float)(a & 0x7FFFFFFF);
    return as_bits(a >> 31 ? (float)((double)lower + 2147483648.0) : lower);
}

static void to_uint16(struct vector_stream *s) {
    v_if(s, L0, IF_NEGATIVE);
    v_set(s, L0, 0);
    v_end(s);
    v_round_to(s, L0, L0, TO_UINT16);
}
static uint32_t to_uint16_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    float x = as_float(a);
    return a >> 31 ? 0 : x >= 65535 ? 65535 : (uint32_t)(x + 0.5);
}

/* To two's complement. */
static void to_int8(struct vector_stream *s) {
    v_round_to(s, L0, L0, TO_INT8);
    v_to_sign_magnitude(s, L0, L0);
}
static uint32_t to_int8_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    float x = fabsf(as_float(a));
    int magnitude = x >= 127 ? 127 : (int)(x + 0.5);
    return (uint32_t)(a >> 31 ? -magnitude : magnitude);
}

static void to_int16(struct vector_stream *s) {
    v_round_to(s, L0, L0, TO_INT16);
}

static void to_bf16(struct vector_stream *s) {
    v_round_to(s, L0, L0, TO_BF16);
}
static uint32_t to_bf16_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    return (a + 0x8000) & 0xFFFF0000u;
}

/* ((x / scale) rounded to 8 bits) * scale */
static void quantise(struct vector_stream *s) {
    v_set(s, L1, 0x41A00000); /* 20 */
    v_mul(s, L0, L0, L1);
    v_round_to(s, L0, L0, TO_INT8);
    v_to_float(s, L0, L0);
    v_set(s, L1, 0x3D4CCCCD); /* 1 / 20 */
    v_mul(s, L0, L0, L1);
}
static double quantised(double a, double b) {
    (void)b;
    return fmin(fmax(round(a * 20), -127), 127) / 20;
}

/* ---- Arithmetic -------------------------------------------------------------------------------------- */

/* The low 32 bits of the product: halves of 16 bits, and 23 of the product at a time. */
static void multiply(struct vector_stream *s) {
    v_set(s, L4, 0xFFFF);
    v_shift(s, L2, L0, -16);
    v_shift(s, L3, L1, -16);
    v_and(s, L0, L4);
    v_and3(s, L1, L1, L4);
    v_mul24(s, L2, L2, L1, false);
    v_mul24(s, L3, L3, L0, false);
    v_iadd(s, L2, L3);
    v_shift(s, L2, L2, 16);
    v_mul24(s, L3, L0, L1, false);
    v_mul24(s, L0, L0, L1, true);
    v_shift(s, L0, L0, 23);
    v_or(s, L0, L3);
    v_iadd(s, L0, L2);
}
static uint32_t product_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return a * b;
}

static void add_and_subtract(struct vector_stream *s) {
    v_mov(s, L3, L2);
    v_isub_from(s, L3, L1); /* b - c */
    v_iadd(s, L0, L3);
}
static uint32_t sum_bits(uint32_t a, uint32_t b, uint32_t c) {
    return a + b - c;
}

static void bitwise(struct vector_stream *s) {
    v_and3(s, L3, L0, L1);
    v_or(s, L0, L1);
    v_xor(s, L0, L2);
    v_not(s, L3, L3);
    v_and(s, L0, L3);
}
static uint32_t bitwise_bits(uint32_t a, uint32_t b, uint32_t c) {
    return ((a | b) ^ c) & ~(a & b);
}

static void shift_left(struct vector_stream *s) {
    v_set(s, L2, 31);
    v_and(s, L1, L2);
    v_shift_by(s, L0, L1, false);
}
static void shift_right(struct vector_stream *s, bool arithmetic) {
    v_set(s, L2, 31);
    v_and(s, L1, L2);
    v_isub_from(s, L1, ZERO);
    v_shift_by(s, L0, L1, arithmetic);
}
static void shift_right_logical(struct vector_stream *s) {
    shift_right(s, false);
}
static void shift_right_arithmetic(struct vector_stream *s) {
    shift_right(s, true);
}
static uint32_t left_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return a << (b & 31);
}
static uint32_t right_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return a >> (b & 31);
}
static uint32_t arithmetic_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return (uint32_t)((int64_t)(int32_t)a >> (b & 31));
}

/* Ones in a word: in pairs, in fours, in eights; then all. */
static void population(struct vector_stream *s) {
    static const uint32_t masks[] = { 0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF };
    for (unsigned i = 0; i < 5; i++) {
        v_set(s, L2, masks[i]);
        v_shift(s, L1, L0, -(1 << i));
        v_and(s, L0, L2);
        v_and(s, L1, L2);
        v_iadd(s, L0, L1);
    }
}
static uint32_t population_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    return (uint32_t)__builtin_popcount(a);
}

static void bit_length(struct vector_stream *s) {
    vector_push(s, VT(SFPLZ, 0, L0, L0, 0));
    v_set(s, L1, 32);
    v_isub_from(s, L0, L1);
}
static uint32_t bit_length_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    return a ? 32 - (uint32_t)__builtin_clz(a) : 0;
}

/* ---- Choosing -------------------------------------------------------------------------------------------- */

/* -NaN below all, then the numbers, NaN. */
static int64_t place(uint32_t a) {
    int64_t magnitude = a & 0x7FFFFFFF;
    return a >> 31 ? -1 - magnitude : magnitude;
}

static void minimum(struct vector_stream *s) {
    v_sort(s, L1, L0);
}
static void maximum(struct vector_stream *s) {
    v_sort(s, L0, L1);
}
static uint32_t minimum_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return place(a) < place(b) ? a : b;
}
static uint32_t maximum_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return place(a) < place(b) ? b : a;
}

/* Of two's complement: the order of sign and magnitude fails for two negative numbers, which are exchanged back. */
static void maximum_int32(struct vector_stream *s) {
    v_mov(s, L2, L0);
    v_and(s, L2, L1);
    v_sort(s, L0, L1);
    v_if(s, L2, IF_NEGATIVE);
    v_swap(s, L0, L1, 0);
    v_end(s);
}
static uint32_t maximum_int32_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return (int32_t)a > (int32_t)b ? a : b;
}

/* A condition that is often zero. */
static void where(struct vector_stream *s) {
    v_shift(s, L0, L0, -31);
    v_if(s, L0, IF_NOT_ZERO);
    v_mov(s, L0, L1);
    v_else(s);
    v_mov(s, L0, L2);
    v_end(s);
}
static uint32_t where_bits(uint32_t a, uint32_t b, uint32_t c) {
    return a >> 31 ? b : c;
}

static void is_greater(struct vector_stream *s) {
    vector_push(s, VT(SFPGT, 0, L1, L0, 8));
    v_set(s, L1, 0x3F800000);
    v_and(s, L0, L1);
}
static uint32_t is_greater_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    return place(a) > place(b) ? 0x3F800000 : 0;
}

/* 1 for infinities, 2 for NaN. */
static void classify(struct vector_stream *s) {
    v_exponent(s, L1, L0);
    v_mantissa(s, L2, L0, false);
    v_set(s, L0, 0);
    v_iaddi(s, L1, L1, -128);
    v_if(s, L1, IF_ZERO);
    v_set(s, L0, 1);
    v_and_if(s, L2, IF_NOT_ZERO);
    v_set(s, L0, 2);
    v_end(s);
}
static uint32_t classify_bits(uint32_t a, uint32_t b, uint32_t c) {
    (void)b, (void)c;
    return (a >> 23 & 0xFF) < 255 ? 0 : a & 0x7FFFFF ? 2 : 1;
}

/* Half of the values, scaled up; which ones the PRNG says. */
static void dropout(struct vector_stream *s) {
    v_random(s, L1);
    v_add(s, L0, L0, L0);
    v_if(s, L1, IF_NEGATIVE);
    v_set(s, L0, 0);
    v_end(s);
}

/* ---- Between lanes ---------------------------------------------------------------------------------------- */

/* Every lane gets the sum of its row. */
static void sum_of_row(struct vector_stream *s) {
    v_rotate(s, L1, L0);
    v_add(s, L0, L0, L1);
    v_rotate(s, L1, L0);
    v_rotate(s, L1, L1);
    v_add(s, L0, L0, L1);
    v_rotate(s, L1, L0);
    for (unsigned i = 0; i < 3; i++)
        v_rotate(s, L1, L1);
    v_add(s, L0, L0, L1);
}

/* Sums from the first row on, across four LRegs. */
static void running_sum(struct vector_stream *s) {
    v_transpose(s);
    for (unsigned i = L1; i <= L3; i++)
        v_add(s, i, i, i - 1);
    v_transpose(s);
    for (unsigned i = L4; i <= L7; i++)
        v_add(s, i - 4, i - 4, i);
}

static void set_up_sort(struct vector_stream *s) {
    vector_push(s, VT(SFPCONFIG, 4, 15, 1)); /* L4 to L7 go with L0 to L3 */
    vector_push(s, VT(SFPNOP, 0));
}

/* A step of a sort of four times eight columns, with indices: pairs, transposed, pairs, back. */
static void sort_step(struct vector_stream *s) {
    v_sort(s, L1, L0);
    v_swap(s, L3, L2, 9);
    v_sort(s, L2, L0);
    v_sort(s, L3, L1);
    v_transpose(s);
    v_swap(s, L1, L0, 2);
    v_swap(s, L3, L2, 3);
    v_transpose(s);
    v_swap(s, L2, L1, 1);
}

const struct routine vector_integers[] = {
    { "float to int32", ANY_FLOAT, 1, 1, NULL, to_int32, NULL, to_int32_bits, 0, 0 },
    { "float to int32, near one", NEAR_ONE, 1, 1, NULL, to_int32, NULL, to_int32_bits, 0, 0 },
    { "int32 to float", ANY_BITS, 1, 1, NULL, from_int32, NULL, from_int32_bits, 0, 0 },
    { "small int32 to float", SMALL_NUMBERS, 1, 1, NULL, from_int32, NULL, from_int32_bits, 0, 0 },
    { "uint32 to float", ANY_BITS, 1, 1, NULL, from_uint32, NULL, from_uint32_bits, 0, 0 },
    { "float to uint16", POSITIVE, 1, 1, NULL, to_uint16, NULL, to_uint16_bits, 0, 0 },
    { "float to int8", NEAR_ONE, 1, 1, NULL, to_int8, NULL, to_int8_bits, 0, 0 },
    { "float to int16", ANY_FLOAT, 1, 1, NULL, to_int16, NULL, NULL, 0, 0 },
    { "float to bf16", POSITIVE, 1, 1, NULL, to_bf16, NULL, to_bf16_bits, 0, 0 },
    { "float to bf16, all bits", ANY_BITS, 1, 1, NULL, to_bf16, NULL, NULL, 0, 0 },
    { "quantise", NEAR_ONE, 1, 1, NULL, quantise, quantised, NULL, 0, 1e-6 },
    { "multiply", ANY_BITS, 2, 1, NULL, multiply, NULL, product_bits, 0, 0 },
    { "add and subtract", ANY_BITS, 3, 1, NULL, add_and_subtract, NULL, sum_bits, 0, 0 },
    { "bitwise", ANY_BITS, 3, 1, NULL, bitwise, NULL, bitwise_bits, 0, 0 },
    { "shift left", ANY_BITS, 2, 1, NULL, shift_left, NULL, left_bits, 0, 0 },
    { "shift right", ANY_BITS, 2, 1, NULL, shift_right_logical, NULL, right_bits, 0, 0 },
    { "arithmetic shift", ANY_BITS, 2, 1, NULL, shift_right_arithmetic, NULL, arithmetic_bits, 0, 0 },
    { "population", ANY_BITS, 1, 1, NULL, population, NULL, population_bits, 0, 0 },
    { "bit length", SMALL_NUMBERS, 1, 1, NULL, bit_length, NULL, bit_length_bits, 0, 0 },
    { "min", ANY_BITS, 2, 1, NULL, minimum, NULL, minimum_bits, 0, 0 },
    { "max", ANY_FLOAT, 2, 1, NULL, maximum, NULL, maximum_bits, 0, 0 },
    { "max of int32", ANY_BITS, 2, 1, NULL, maximum_int32, NULL, maximum_int32_bits, 0, 0 },
    { "where", ANY_BITS, 3, 1, NULL, where, NULL, where_bits, 0, 0 },
    { "greater", ANY_BITS, 2, 1, NULL, is_greater, NULL, is_greater_bits, 0, 0 },
    { "infinite or NaN", ANY_FLOAT, 1, 1, NULL, classify, NULL, classify_bits, 0, 0 },
    { "dropout", NEAR_ONE, 1, 1, NULL, dropout, NULL, NULL, 0, 0 },
    { "sum of a row", NEAR_ONE, 1, 1, NULL, sum_of_row, NULL, NULL, 0, 0 },
    { "running sum", NEAR_ONE, 2, 4, NULL, running_sum, NULL, NULL, 0, 0 },
    { "sort", ANY_FLOAT, 2, 4, set_up_sort, sort_step, NULL, NULL, 0, 0 },
};
const unsigned vector_integers_count = sizeof vector_integers / sizeof *vector_integers;
