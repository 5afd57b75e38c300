/* FP32 of the baby cores: against the host's IEEE arithmetic where it is IEEE, against ttsim's results elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "numeric/fp32.h"
#include "support/float_bits.h"
#include "support/float_ops.h"
#include "support/random.h"

enum { ROUNDS = 500000 };

static const uint32_t edges[] = {
    0x00000000, 0x00000001, 0x00400000, 0x007FFFFF, 0x00800000, 0x00800001, 0x00FFFFFF, 0x01000000, 0x1FFFFFFF,
    0x20000000, 0x33000000, 0x33800000, 0x33FFFFFF, 0x34000000, 0x3EFFFFFF, 0x3F000000, 0x3F000001, 0x3F7FFFFF,
    0x3F800000, 0x3F800001, 0x3FBFFFFF, 0x3FC00000, 0x40200000, 0x4B000001, 0x4B7FFFFF, 0x4B800000, 0x4EFFFFFF,
    0x4F000000, 0x4F000001, 0x4F7FFFFF, 0x4F800000, 0x5F800000, 0x7F000000, 0x7F7FFFFE, 0x7F7FFFFF, 0x7F800000,
    0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FC00001, 0x7FFFFFFF,
};
enum { EDGES = sizeof edges / sizeof edges[0], PAIRS = 4 * EDGES * EDGES };

static uint32_t flushed(uint32_t x) {
    return fp32_exponent(x) ? x : x & FP32_SIGN;
}

/* The host's result and flags after flushing. */
static uint32_t finish(float value, uint32_t *flags) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    uint32_t bits = as_bits(value);
    *flags = 0;
    if (fp32_is_nan(bits)) {
        *flags = raised & FE_INVALID ? FP_INVALID : 0;
        return FP32_NAN;
    }
    bool vanished = bits << 1 == 0 && raised & FE_UNDERFLOW;
    if (vanished || (fp32_exponent(bits) == 0 && bits << 1)) {
        *flags = FP_UNDERFLOW | FP_INEXACT;
        return bits & FP32_SIGN;
    }
    *flags |= raised & FE_OVERFLOW ? FP_OVERFLOW : 0;
    *flags |= raised & FE_INEXACT ? FP_INEXACT : 0;
    return bits;
}

static uint32_t pattern(uint64_t *state) {
    uint32_t x = (uint32_t)random_next(state);
    switch (random_below(state, 6)) {
    case 0: return x;
    case 1: return edges[x % EDGES] | (x & FP32_SIGN);
    case 2: return (x & ~FP32_INF) | random_below(state, 4) << 23;
    case 3: return (x & ~FP32_INF) | (252 + random_below(state, 4)) << 23;
    default: return (x & ~FP32_INF) | (112 + random_below(state, 32)) << 23;
    }
}

/* First all pairs of edges with all signs, then random ones, half of them with exponents close together. */
static void pair(uint64_t *state, unsigned round, uint32_t *a, uint32_t *b) {
    if (round < PAIRS) {
        *a = edges[round / 4 % EDGES] | (round & 1) << 31;
        *b = edges[round / 4 / EDGES] | (round & 2) << 30;
        return;
    }
    *a = pattern(state);
    *b = pattern(state);
    if (round & 1)
        *b = (*b & ~FP32_INF) | ((*a >> 23) + random_below(state, 56) + 228) % 256 << 23;
}

static void report(const char *what, uint32_t a, uint32_t b, uint32_t c, uint32_t got, uint32_t want) {
    fail_msg("%s %08x %08x %08x: %08x, not %08x", what, a, b, c, got, want);
}

static void addition_is_ieee_with_flushed_denormals(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t a, b, want_flags, flags = 0;
        pair(&seed, round, &a, &b);
        volatile float x = as_float(flushed(a)), y = as_float(flushed(b));
        feclearexcept(FE_ALL_EXCEPT);
        volatile float sum = x + y;
        uint32_t want = finish(sum, &want_flags), got = fp32_add_flags(a, b, &flags);
        if (got != want || fp32_add(a, b) != want)
            report("add", a, b, 0, got, want);
        if (flags != want_flags)
            report("add flags", a, b, 0, flags, want_flags);
        feclearexcept(FE_ALL_EXCEPT);
        volatile float difference = x - y;
        want = finish(difference, &want_flags);
        flags = 0;
        got = fp32_sub_flags(a, b, &flags);
        if (got != want || flags != want_flags)
            report("sub", a, b, flags, got, want);
    }
}

/* Exponents that add up to less than the smallest give zero before significands are looked at. That is no deviation:
 * their product stays below 4 - 2^-21, and only from 4 - 2^-22 on would it round to 2^-126. */
static void multiplication_is_ieee_with_flushed_denormals(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t a, b, want_flags, flags = 0;
        pair(&seed, round, &a, &b);
        if (round % 8 == 7) { /* around 2^-126 */
            a = 0x7FFFF0 | (a & ~FP32_INF) | (1 + random_below(&seed, 125)) << 23;
            b = 0x7FFFF0 | (b & ~FP32_INF) | (125 - fp32_exponent(a) + random_below(&seed, 4)) << 23;
        }
        if (round % 8 == 5) { /* trailing zeros: ties, and products with a single bit below */
            a &= ~FP32_FRACTION | FP32_FRACTION << random_below(&seed, 24);
            b &= ~FP32_FRACTION | FP32_FRACTION << random_below(&seed, 24);
        }
        a = flushed(a), b = flushed(b);
        volatile float x = as_float(a), y = as_float(b);
        feclearexcept(FE_ALL_EXCEPT);
        volatile float product = x * y;
        uint32_t want = finish(product, &want_flags), got = fp32_mul_flags(a, b, &flags);
        if (got != want)
            report("mul", a, b, 0, got, want);
        if (flags != want_flags)
            report("mul flags", a, b, 0, flags, want_flags);
    }
}

static void denormal_operands_are_zeros_of_their_sign(void **state) {
    (void)state;
    assert_int_equal(fp32_add(0x007FFFFF, 0x007FFFFF), 0);
    assert_int_equal(fp32_add(0x80000001, 0x807FFFFF), FP32_SIGN);
    assert_int_equal(fp32_mul(0x807FFFFF, 0x7F7FFFFF), FP32_SIGN);
    assert_int_equal(fp32_mul(0x00000001, FP32_INF), FP32_NAN);
    assert_int_equal(fp32_fma(FP32_ONE, FP32_ONE, 0x00400000), FP32_ONE);
}

/* Products of 12-bit significands need no more than FP32 has, so nothing is left that could be partly fused. */
static void short_products_make_a_fused_multiply_add(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t a = ((uint32_t)random_next(&seed) & 0x807FF000) | (70 + random_below(&seed, 40)) << 23;
        uint32_t b = ((uint32_t)random_next(&seed) & 0x807FF000) | (130 + random_below(&seed, 40)) << 23;
        uint32_t exponent = fp32_exponent(a) + fp32_exponent(b) - 127;
        uint32_t c = ((uint32_t)random_next(&seed) & ~FP32_INF) | (exponent - 30 + random_below(&seed, 60)) << 23;
        uint32_t want = as_bits(fmaf(as_float(a), as_float(b), as_float(c))), got = fp32_fma(a, b, c);
        if (got != want)
            report("fma", a, b, c, got, want);
    }
}

static void fma_gives_what_the_cores_give(void **state) {
    (void)state;
    static const uint32_t cases[][4] = {
#include "data/fp32_fma.inc"
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t *c = cases[i];
        uint32_t flags = 0, got = fp32_fma(c[0], c[1], c[2]);
        if (got != c[3] || fp32_fma_flags(c[0], c[1], c[2], &flags) != got)
            report("fma", c[0], c[1], c[2], got, c[3]);
        bool nan_in = fp32_is_nan(c[0]) || fp32_is_nan(c[1]) || fp32_is_nan(c[2]);
        if (!nan_in && fp32_is_nan(got) != !!(flags & FP_INVALID))
            report("fma flags", c[0], c[1], c[2], flags, got);
    }
}

static void fma_flags_say_what_was_lost(void **state) {
    (void)state;
    static const struct {
        uint32_t a, b, c, result, flags;
    } cases[] = {
        { FP32_ONE, FP32_ONE, FP32_ONE, 0x40000000, 0 },
        { FP32_ONE, FP32_ONE, 0x33800000, FP32_ONE, FP_INEXACT },
        { FP32_ONE, FP32_ONE, 0x00800000, FP32_ONE, FP_INEXACT },                   /* all shifted out */
        { 0x00800000, 0x00800000, FP32_ONE, FP32_ONE, FP_UNDERFLOW | FP_INEXACT },  /* only the product */
        { 0x7F000000, 0x7F000000, 0xFF7FFFFF, FP32_INF, FP_OVERFLOW | FP_INEXACT }, /* only the product */
        { 0x7F000000, 0x40000000, 0xFF7FFFFF, FP32_INF, FP_OVERFLOW | FP_INEXACT }, /* by one place */
        { 0x7F000000, 0x7F000000, 0xFF800000, 0xFF800000, 0 },
        { 0x7F7FFFFF, FP32_ONE, 0x7F7FFFFF, FP32_INF, FP_OVERFLOW | FP_INEXACT },
        { 0x7F7FFFFF, FP32_ONE, 0x73000000, FP32_INF, FP_OVERFLOW | FP_INEXACT }, /* by rounding */
        { 0x00800001, FP32_ONE, 0x80800000, 0, FP_UNDERFLOW | FP_INEXACT },
        { FP32_INF, 0, 0x7FC00000, FP32_NAN, FP_INVALID },
        { FP32_INF, FP32_ONE, 0xFF800000, FP32_NAN, FP_INVALID },
        { FP32_ONE, 0x7FC00000, FP32_ONE, FP32_NAN, 0 },
        { FP32_ONE, 0x7F800001, FP32_ONE, FP32_NAN, FP_INVALID },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t flags = 0;
        assert_int_equal(fp32_fma_flags(cases[i].a, cases[i].b, cases[i].c, &flags), cases[i].result);
        assert_int_equal(flags, cases[i].flags);
    }
}

static void comparison_is_ieee_and_sees_denormals(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t a, b;
        pair(&seed, round, &a, &b);
        float x = as_float(a), y = as_float(b);
        assert_int_equal(fp32_eq(a, b), x == y);
        assert_int_equal(fp32_lt(a, b), isless(x, y));
        assert_int_equal(fp32_le(a, b), islessequal(x, y));
        assert_int_equal(fp32_signaling_flags(a, b), isunordered(x, y) ? FP_INVALID : 0);
        uint32_t low = isless(y, x) || isnan(x) ? b : a, high = isless(x, y) || isnan(x) ? b : a;
        if (isnan(x) && isnan(y))
            low = high = FP32_NAN;
        if (((a | b) & ~FP32_SIGN) == 0)
            low = a | b, high = a & b;
        assert_int_equal(fp32_min(a, b), low);
        assert_int_equal(fp32_max(a, b), high);
    }
    assert_int_equal(fp32_quiet_flags(0x7F800001, 0), FP_INVALID);
    assert_int_equal(fp32_quiet_flags(0, 0xFFBFFFFF), FP_INVALID);
    assert_int_equal(fp32_quiet_flags(FP32_NAN, FP32_INF), 0);
}

static void classes_are_one_bit_each(void **state) {
    (void)state;
    static const uint32_t first_of_class[][2] = {
        { 0xFF800000, 0 }, { 0xFF7FFFFF, 1 }, { 0x80800000, 1 }, { 0x807FFFFF, 2 },
        { 0x80000001, 2 }, { 0x80000000, 3 }, { 0x00000000, 4 }, { 0x00000001, 5 },
        { 0x007FFFFF, 5 }, { 0x00800000, 6 }, { 0x7F7FFFFF, 6 }, { 0x7F800000, 7 },
        { 0x7F800001, 8 }, { 0xFFBFFFFF, 8 }, { 0x7FC00000, 9 }, { 0xFFFFFFFF, 9 },
    };
    for (size_t i = 0; i < sizeof first_of_class / sizeof first_of_class[0]; i++)
        assert_int_equal(fp32_classify(first_of_class[i][0]), 1u << first_of_class[i][1]);
}

/* The nearest integer to x inside [low, high], and the flags. */
static double clamp(float x, double rounded, double low, double high, uint32_t *flags) {
    *flags = FP_INVALID;
    if (isnan(x) || rounded > high)
        return high;
    if (rounded < low)
        return low;
    *flags = rounded != (double)x ? FP_INEXACT : 0;
    return rounded;
}

static void check_to_integers(uint32_t bits) {
    float x = as_float(bits);
    uint32_t want_flags, flags = 0;
    double near = rint((double)x), chop = trunc((double)x);
    uint32_t want = (uint32_t)(int32_t)clamp(x, near, INT32_MIN, INT32_MAX, &want_flags);
    uint32_t got = fp32_to_i32_flags(bits, &flags);
    if (got != want || flags != want_flags)
        report("to i32", bits, flags, want_flags, got, want);
    want = (uint32_t)clamp(x, near, 0, UINT32_MAX, &want_flags);
    flags = 0;
    got = fp32_to_u32_flags(bits, &flags);
    if (got != want || flags != want_flags)
        report("to u32", bits, flags, want_flags, got, want);
    want = (uint32_t)(int32_t)clamp(x, chop, INT32_MIN, INT32_MAX, &want_flags);
    flags = 0;
    if (fp32_to_i32_chop_flags(bits, &flags) != want || flags != want_flags)
        report("chop to i32", bits, flags, want_flags, 0, want);
    want = (uint32_t)clamp(x, chop, 0, UINT32_MAX, &want_flags);
    flags = 0;
    if (fp32_to_u32_chop_flags(bits, &flags) != want || flags != want_flags)
        report("chop to u32", bits, flags, want_flags, 0, want);
}

static void check_from_integers(uint32_t x) {
    uint32_t flags = 0, want = as_bits((float)(int32_t)x);
    bool inexact = (double)as_float(want) != (double)(int32_t)x;
    uint32_t got = fp32_from_i32_flags(x, &flags);
    if (got != want || flags != (inexact ? FP_INEXACT : 0))
        report("from i32", x, 0, flags, got, want);
    flags = 0, want = as_bits((float)x);
    inexact = (double)as_float(want) != (double)x;
    got = fp32_from_u32_flags(x, &flags);
    if (got != want || flags != (inexact ? FP_INEXACT : 0))
        report("from u32", x, 0, flags, got, want);
}

static void conversions_round_to_nearest_and_saturate(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (unsigned i = 0; i < 2 * EDGES; i++)
        check_to_integers(edges[i / 2] | i << 31);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t x = (uint32_t)random_next(&seed);
        check_to_integers(x);
        check_to_integers((x & ~FP32_INF) | (120 + random_below(&seed, 42)) << 23);
        check_from_integers(x);
        check_from_integers(x >> random_below(&seed, 32));
        check_from_integers(UINT32_C(0x80000000) + random_below(&seed, 512) - 256);
    }
    for (uint32_t x = 0; x < 64; x++) {
        check_from_integers(x - 32);
        check_to_integers(as_bits((float)x / 4 - 8));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addition_is_ieee_with_flushed_denormals),
        cmocka_unit_test(multiplication_is_ieee_with_flushed_denormals),
        cmocka_unit_test(denormal_operands_are_zeros_of_their_sign),
        cmocka_unit_test(short_products_make_a_fused_multiply_add),
        cmocka_unit_test(fma_gives_what_the_cores_give),
        cmocka_unit_test(fma_flags_say_what_was_lost),
        cmocka_unit_test(comparison_is_ieee_and_sees_denormals),
        cmocka_unit_test(classes_are_one_bit_each),
        cmocka_unit_test(conversions_round_to_nearest_and_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
