/* The adder beside L1: against sums in double, and the edges by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <math.h>

#include <cmocka.h>

#include "numeric/l1_add.h"
#include "support/float_bits.h"
#include "support/random.h"

enum { ROUNDS = 2000000 };

/* ---- Sums in double ------------------------------------------------------------------------------------- */

/* With infinity's exponent as one more, and denormals as zeros. */
static double value_of(uint16_t x, int fraction_bits, int bias) {
    int exponent = (x & 0x7FFF) >> fraction_bits, fraction = x & ((1 << fraction_bits) - 1);
    double magnitude = exponent ? ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits) : 0.0;
    return x & 0x8000 ? -magnitude : magnitude;
}

/* Rounds to the format; *exponent is the biased one before rounding. */
static uint32_t magnitude_of(double value, int fraction_bits, int bias, int *exponent) {
    int e;
    double fraction = frexp(fabs(value), &e); /* in [0.5, 1) */
    *exponent = e - 1 + bias;
    return (uint32_t)((*exponent - 1) * (1 << fraction_bits) + (int)rint(ldexp(fraction, fraction_bits + 1)));
}

static uint16_t sum_bf16(uint16_t a, uint16_t b) {
    double sum = value_of(a, 7, 127) + value_of(b, 7, 127);
    uint16_t sign = signbit(sum) ? 0x8000 : 0;
    int exponent;
    if (sum == 0)
        return sign;
    uint32_t magnitude = magnitude_of(sum, 7, 127, &exponent);
    if (exponent <= 0)
        return sign;
    return sign | (uint16_t)(magnitude > 0x7F80 ? 0x7F80 : magnitude);
}

static uint16_t sum_fp16(uint16_t a, uint16_t b) {
    float sum = (float)(value_of(a, 10, 15) + value_of(b, 10, 15));
    uint16_t sign = signbit(sum) ? 0x8000 : 0;
    int exponent;
    if (sum == 0)
        return sign | ((a & 0x7FFF) >> 10 >= 30 ? 0x7FFF : 0);
    uint32_t magnitude = magnitude_of((double)sum, 10, 15, &exponent);
    if (exponent <= 0)
        return sign | (exponent < 0 ? 0x7FFF : 0);
    return sign | (uint16_t)(magnitude > 0x7FFF ? 0x7FFF : magnitude);
}

static uint32_t sum_fp32(uint32_t a, uint32_t b) {
    a = a & 0x7F800000 ? a : a & 0x80000000;
    b = b & 0x7F800000 ? b : b & 0x80000000;
    float sum = as_float(a) + as_float(b);
    uint32_t bits = as_bits(sum);
    if (isnan(sum))
        return 0x7FC00000;
    return bits & 0x7F800000 ? bits : bits & 0x80000000;
}

/* ---- Random operands, half of them near each other ------------------------------------------------------ */

static void numbers_of_fp32(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t a = (uint32_t)random_next(&seed), b = (uint32_t)random_next(&seed);
        if (i % 2)
            b = (b & 0x807FFFFF) | ((a + (b % 61 << 23) - (30u << 23)) & 0x7F800000);
        assert_int_equal(l1_add_fp32(a, b), sum_fp32(a, b));
    }
}

static bool is_number(uint16_t x) {
    return (x & 0x7F80) != 0x7F80;
}

static void numbers_of_bf16(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint16_t a = (uint16_t)(uint32_t)random_next(&seed), b = (uint16_t)(uint32_t)random_next(&seed);
        if (i % 2)
            b = (uint16_t)((b & 0x807F) | ((a + (b % 21u << 7) - (10u << 7)) & 0x7F80));
        if (is_number(a) && is_number(b))
            assert_int_equal(l1_add_bf16(a, b), sum_bf16(a, b));
    }
}

static void numbers_of_fp16(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint16_t a = (uint16_t)(uint32_t)random_next(&seed), b = (uint16_t)(uint32_t)random_next(&seed);
        if (i % 2)
            b = (uint16_t)((b & 0x83FF) | (a & 0x7C00));
        assert_int_equal(l1_add_fp16(a, b), sum_fp16(a, b));
    }
}

/* ---- Edges ---------------------------------------------------------------------------------------------- */

static void edges_of_bf16(void **state) {
    (void)state;
    static const uint16_t row[][3] = {
        { 0x7F80, 0xFF80, 0x7FC0 }, /* opposed infinities */
        { 0xFF80, 0x7F80, 0x7FC0 }, { 0x7F80, 0x7F80, 0x7F80 }, { 0x3F80, 0xFF80, 0xFF80 },
        { 0x7FC1, 0x3F80, 0x7F80 },                             /* a NaN in memory is huge ... */
        { 0xFFC1, 0xC000, 0xFF80 }, { 0x7FC1, 0xFF80, 0xFF80 }, /* ... but not infinite */
        { 0xFF81, 0x7FFF, 0xFF80 },                             /* and larger than one that is added, */
        { 0x3F80, 0x7FC1, 0x7F80 },                             /* too large by itself, */
        { 0xFF7F, 0x7F81, 0x7C40 },                             /* but not always in a sum */
        { 0x8000, 0x8000, 0x8000 },                             /* zeros */
        { 0x8000, 0x0000, 0x0000 }, { 0x3F80, 0xBF80, 0x0000 }, { 0x0001, 0x3F80, 0x3F80 }, /* denormals */
        { 0x807F, 0x8001, 0x8000 }, { 0x0081, 0x8080, 0x0000 },                             /* a denormal result */
        { 0x8081, 0x0080, 0x8000 }, { 0x7F7F, 0x7F7F, 0x7F80 },                             /* overflow */
        { 0x7F7F, 0x7B00, 0x7F80 },                                                         /* by rounding */
        { 0x3F80, 0x3B80, 0x3F80 },                                                         /* ties to even */
        { 0x3F81, 0x3B80, 0x3F82 },
    };
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_int_equal(l1_add_bf16(row[i][0], row[i][1]), row[i][2]);
}

static void edges_of_fp16(void **state) {
    (void)state;
    static const uint16_t row[][3] = {
        { 0x7BFF, 0x7BFF, 0x7FFF }, /* 131008 has exponent 31, there is nothing above */
        { 0x7FFF, 0x3C00, 0x7FFF }, { 0x7C00, 0x3C00, 0x7C00 }, { 0xFFFF, 0xFFFF, 0xFFFF },
        { 0x7C00, 0xFC00, 0x7FFF }, /* numbers of exponent 30 and 31 that cancel */
        { 0x7800, 0xF800, 0x7FFF }, { 0xF800, 0x7800, 0x7FFF }, { 0x77FF, 0xF7FF, 0x0000 }, /* and of 29 */
        { 0x0401, 0x8400, 0x7FFF },                                                         /* a sum of 2^-24 */
        { 0x8401, 0x0400, 0xFFFF }, { 0x0600, 0x8400, 0x0000 }, /* one of 2^-15, the exponent below the first */
        { 0x8600, 0x0400, 0x8000 }, { 0x0001, 0x03FF, 0x0000 }, { 0x8001, 0x83FF, 0x8000 },
        { 0x3C00, 0x1000, 0x3C00 }, { 0x3C01, 0x1000, 0x3C02 }, /* ties to even */
    };
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_int_equal(l1_add_fp16(row[i][0], row[i][1]), row[i][2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_fp32), cmocka_unit_test(numbers_of_bf16), cmocka_unit_test(numbers_of_fp16),
        cmocka_unit_test(edges_of_bf16),   cmocka_unit_test(edges_of_fp16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
