/* FP16 and BF16: against real numbers in double, rounded here by scaling to an integer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>

#include <cmocka.h>

#include "numeric/fp16.h"
#include "support/float_bits.h"
#include "support/float_ops.h"
#include "support/random.h"

enum { ROUNDS = 400000 };

static int fraction_bits(enum fp16_mode mode) {
    return mode == FP16_HALF ? 10 : 7;
}

static int bias(enum fp16_mode mode) {
    return mode == FP16_HALF ? 15 : 127;
}

static int exponent_field(enum fp16_mode mode, uint16_t x) {
    return (x & 0x7FFF) >> fraction_bits(mode);
}

static double value_of(enum fp16_mode mode, uint16_t x) {
    int bits = fraction_bits(mode), field = exponent_field(mode, x), fraction = x & ((1 << bits) - 1);
    double magnitude;
    if (field == 2 * bias(mode) + 1)
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (field == 0)
        magnitude = ldexp(fraction, 1 - bias(mode) - bits);
    else
        magnitude = ldexp(fraction + (1 << bits), field - bias(mode) - bits);
    return x & FP16_SIGN ? -magnitude : magnitude;
}

static double as_double(uint32_t bits) {
    return (double)as_float(bits);
}

/* The representation of a real number, with denormals unless they are flushed. */
static uint16_t represent(enum fp16_mode mode, double x, bool flush, uint32_t *flags) {
    uint16_t sign = signbit(x) ? FP16_SIGN : 0;
    if (isnan(x))
        return fp16_nan(mode);
    if (isinf(x))
        return sign | fp16_inf(mode);
    if (x == 0)
        return sign;
    int exponent, bits = fraction_bits(mode), least = 1 - bias(mode);
    frexp(x, &exponent); /* x = f * 2^exponent, 0.5 <= |f| < 1 */
    int unit = (exponent - 1 < least ? least : exponent - 1) - bits;
    double scaled = ldexp(fabs(x), -unit), whole = mode == FP16_BRAIN_CHOP ? trunc(scaled) : rint(scaled);
    double rounded = ldexp(whole, unit), limit = ldexp(1, bias(mode) + 1), smallest = ldexp(1, least);
    if (rounded >= limit) {
        *flags |= FP_OVERFLOW | FP_INEXACT;
        return sign | (uint16_t)(fp16_inf(mode) - (mode == FP16_BRAIN_CHOP));
    }
    if (rounded < smallest && flush) {
        *flags |= FP_UNDERFLOW | FP_INEXACT;
        return sign;
    }
    if (whole != scaled)
        *flags |= FP_INEXACT | (rounded < smallest ? FP_UNDERFLOW : 0);
    /* The integer carries into the exponent by itself. */
    return sign | (uint16_t)(((unit + bits - least) << bits) + (int)whole);
}

static uint16_t flushed(enum fp16_mode mode, uint16_t x) {
    return exponent_field(mode, x) ? x : x & FP16_SIGN;
}

/* a * b + c in the FP32 datapath: the sum is exact but for the product out of range and for an operand below
 * the last of 27 bits. Both terms fit 22 bits, so what is left of the sum fits a double. */
static uint16_t reference(enum fp16_mode mode, uint16_t a, uint16_t b, uint16_t c, uint32_t *flags) {
    a = flushed(mode, a), b = flushed(mode, b), c = flushed(mode, c);
    double x = value_of(mode, a), y = value_of(mode, b), z = value_of(mode, c), product = x * y;
    if (fp16_is_snan(mode, a) || fp16_is_snan(mode, b) || fp16_is_snan(mode, c))
        *flags |= FP_INVALID;
    if (isnan(product) && !isnan(x) && !isnan(y))
        *flags |= FP_INVALID;
    if (!isfinite(product) || !isfinite(z)) {
        if (isnan(product + z) && !isnan(product) && !isnan(z))
            *flags |= FP_INVALID;
        return represent(mode, product + z, true, flags);
    }
    int power = exponent_field(mode, a) + exponent_field(mode, b) - 2 * bias(mode);
    if (product != 0 && power >= 128) {
        *flags |= FP_OVERFLOW | FP_INEXACT;
        uint16_t magnitude = (uint16_t)(fp16_inf(mode) - (mode == FP16_BRAIN_CHOP));
        return magnitude | (signbit(product) ? FP16_SIGN : 0);
    }
    if (product != 0 && power < -127) {
        *flags |= FP_UNDERFLOW | FP_INEXACT;
        product = copysign(0.0, product);
    }
    if (product != 0 && z != 0) {
        bool keep_z = fabs(z) >= ldexp(1, power - 26);
        bool keep_product = fabs(product) >= ldexp(1, exponent_field(mode, c) - bias(mode) - 26);
        assert_true(keep_z || keep_product);
        *flags |= keep_z && keep_product ? 0 : FP_INEXACT;
        product = keep_product ? product : 0;
        z = keep_z ? z : 0;
    }
    return represent(mode, product == 0 && z != 0 ? z : z == 0 && product != 0 ? product : product + z, true, flags);
}

static uint16_t pattern(enum fp16_mode mode, uint64_t *seed) {
    uint16_t x = (uint16_t)random_next(seed);
    uint16_t fraction = (uint16_t)((1 << fraction_bits(mode)) - 1);
    switch (random_below(seed, 8)) {
    case 0: return x & (uint16_t)~fraction;
    case 1: return x | fraction;
    case 2: return (uint16_t)(x & (fraction | FP16_SIGN)) | (uint16_t)(random_below(seed, 3) << fraction_bits(mode));
    case 3: return (uint16_t)(x & FP16_SIGN) | (uint16_t)(fp16_inf(mode) + 1 - random_below(seed, 4));
    case 4:
    case 5:
        return (uint16_t)((x & (fraction | FP16_SIGN)) | (bias(mode) - 7 + (int)random_below(seed, 15))
                                                             << fraction_bits(mode));
    default: return x;
    }
}

static void report(const char *what, unsigned mode, uint32_t a, uint32_t b, uint32_t c, uint32_t got, uint32_t want) {
    fail_msg("%s mode %u %04x %04x %04x: %x, not %x", what, mode, a, b, c, got, want);
}

static void check_arithmetic(enum fp16_mode mode, uint16_t a, uint16_t b, uint16_t c) {
    const uint16_t one = mode == FP16_HALF ? 0x3C00 : 0x3F80;
    uint32_t want_flags = 0, flags = 0;
    uint16_t want = reference(mode, a, b, c, &want_flags), got = fp16_fma_flags(mode, a, b, c, &flags);
    if (got != want || flags != want_flags)
        report("fma", mode, a, b, c, got | flags << 16, want | want_flags << 16);
    want_flags = flags = 0;
    want = reference(mode, a, one, c, &want_flags), got = fp16_add_flags(mode, a, c, &flags);
    if (got != want || flags != want_flags)
        report("add", mode, a, c, 0, got | flags << 16, want | want_flags << 16);
    if (fp16_sub(mode, a, c ^ FP16_SIGN) != want)
        report("sub", mode, a, c, 0, fp16_sub(mode, a, c ^ FP16_SIGN), want);
    want_flags = flags = 0;
    want = reference(mode, a, b, (a ^ b) & FP16_SIGN, &want_flags), got = fp16_mul_flags(mode, a, b, &flags);
    if (got != want || flags != want_flags)
        report("mul", mode, a, b, 0, got | flags << 16, want | want_flags << 16);
}

static void arithmetic_rounds_the_sum_once(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (enum fp16_mode mode = 0; mode <= FP16_BRAIN_NEAREST; mode++)
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint16_t a = pattern(mode, &seed), b = pattern(mode, &seed), c = pattern(mode, &seed);
            if (round % 4 == 0) /* cancels but for a few units */
                c = (uint16_t)((fp16_mul(mode, a, b) ^ FP16_SIGN) + random_below(&seed, 5) - 2);
            if (round % 4 == 1)
                c = (uint16_t)((a ^ FP16_SIGN) + random_below(&seed, 5) - 2);
            if (round % 4 == 2) { /* the other factor brings the product to the ends of the range */
                int field = (round & 4 ? 3 : 1) * bias(mode) - exponent_field(mode, a) + (int)random_below(&seed, 4);
                b = (uint16_t)((b & (FP16_SIGN | 7)) | ((unsigned)field << fraction_bits(mode) & 0x7FFF));
            }
            check_arithmetic(mode, a, b, c);
        }
}

/* One operand fixed, all of the other. */
static void addition_and_multiplication_of_every_pattern(void **state) {
    (void)state;
    for (enum fp16_mode mode = 0; mode <= FP16_BRAIN_NEAREST; mode++) {
        const uint16_t one = mode == FP16_HALF ? 0x3C00 : 0x3F80, inf = fp16_inf(mode);
        const uint16_t fixed[] = { 0, 1, one, one + 1, inf - 1, inf, inf + 1, (uint16_t)(1 << fraction_bits(mode)) };
        for (unsigned i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
            for (uint32_t x = 0; x < 0x10000; x++)
                check_arithmetic(mode, fixed[i], (uint16_t)x, (uint16_t)(x * 40503u));
    }
}

/* Results that distinguish this model from a fused multiply-add and from one rounded to FP32 first. */
static void the_datapath_shows(void **state) {
    (void)state;
    /* The product is a tie of 11 bits that goes up. What is subtracted breaks it 26 places below, not 28. */
    assert_int_equal(fp16_mul(FP16_HALF, 0x7801, 0x3E00), 0x7A02);
    assert_int_equal(fp16_fma(FP16_HALF, 0x7801, 0x3E00, 0x9000), 0x7A01);
    assert_int_equal(fp16_fma(FP16_HALF, 0x7801, 0x3E00, 0x8800), 0x7A02);
    /* A product beyond FP16 is no overflow by itself ... */
    assert_int_equal(fp16_fma(FP16_HALF, 0x7800, 0x4000, 0xF800), 0x7800);
    /* ... and one below it no underflow; of BF16, with the range of FP32, both are. */
    assert_int_equal(fp16_fma(FP16_HALF, 0x0400, 0x3800, 0x0400), 0x0600);
    assert_int_equal(fp16_fma(FP16_BRAIN_NEAREST, 0x7F00, 0x4000, 0xFF00), 0x7F80);
    assert_int_equal(fp16_fma(FP16_BRAIN_CHOP, 0x7F00, 0x4000, 0xFF00), 0x7F7F);
    assert_int_equal(fp16_fma(FP16_BRAIN_NEAREST, 0x0080, 0x3E80, 0x0080), 0x0080);
    /* 17/16 squared is a tie of 8 bits, and 2^-26 is above it; FP32 in between would have lost that. */
    assert_int_equal(fp16_fma(FP16_BRAIN_NEAREST, 0x3F88, 0x3F88, 0x3280), 0x3F91);
    assert_int_equal(fp16_fma(FP16_BRAIN_NEAREST, 0x3F88, 0x3F88, 0x3200), 0x3F90);
    /* Toward zero, 1 - 2^-26 is below 1, and of 1 - 2^-27 nothing is left to see. */
    assert_int_equal(fp16_sub(FP16_BRAIN_CHOP, 0x3F80, 0x3280), 0x3F7F);
    assert_int_equal(fp16_sub(FP16_BRAIN_CHOP, 0x3F80, 0x3200), 0x3F80);
    assert_int_equal(fp16_sub(FP16_BRAIN_NEAREST, 0x3F80, 0x3280), 0x3F80);
}

static void widening_is_exact(void **state) {
    (void)state;
    for (enum fp16_mode mode = 0; mode <= FP16_BRAIN_NEAREST; mode++)
        for (uint32_t x = 0; x < 0x10000; x++) {
            uint32_t flags = 0, wide = fp16_to_fp32_flags(mode, (uint16_t)x, &flags);
            double value = value_of(mode, (uint16_t)x);
            assert_int_equal(flags, fp16_is_snan(mode, (uint16_t)x) ? FP_INVALID : 0);
            assert_int_equal(fp16_to_fp32(mode, (uint16_t)x), wide);
            if (isnan(value)) {
                assert_int_equal(wide, FP32_NAN);
                assert_int_equal(fp16_from_fp32(mode, wide), fp16_nan(mode));
                continue;
            }
            assert_true(as_double(wide) == value && wide >> 31 == x >> 15);
            assert_int_equal(fp16_from_fp32(mode, wide), x);
        }
}

static void check_narrowing(enum fp16_mode mode, uint32_t x) {
    uint32_t want_flags = fp32_is_snan(x) ? FP_INVALID : 0, flags = 0;
    uint16_t want = represent(mode, as_double(x), false, &want_flags), got = fp16_from_fp32_flags(mode, x, &flags);
    if (fp32_is_nan(x))
        want = fp16_nan(mode);
    if (got != want || flags != want_flags)
        report("narrow", mode, x >> 16, x & 0xFFFF, flags, got, want);
}

/* Around every 16-bit value and around the middle between it and the next. */
static void narrowing_rounds_once(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (enum fp16_mode mode = 0; mode <= FP16_BRAIN_NEAREST; mode++) {
        uint32_t step = UINT32_C(1) << (23 - fraction_bits(mode));
        for (uint32_t x = 0; x < 0x10000; x++) {
            uint32_t wide = fp16_to_fp32(mode, (uint16_t)x);
            for (uint32_t d = 0; d < 3; d++) {
                check_narrowing(mode, wide + d - 1);
                check_narrowing(mode, wide + step / 2 + d - 1);
            }
            check_narrowing(mode, (uint32_t)random_next(&seed));
            check_narrowing(mode, ((uint32_t)random_next(&seed) & ~FP32_INF) | (100 + random_below(&seed, 45)) << 23);
        }
    }
}

static void check_integers(enum fp16_mode mode, uint16_t x) {
    double value = value_of(mode, x), whole = mode == FP16_BRAIN_CHOP ? trunc(value) : rint(value);
    uint32_t inexact = whole != value ? FP_INEXACT : 0, flags = 0;
    bool high = isnan(value) || whole > INT32_MAX, low = whole < INT32_MIN;
    uint32_t got = fp16_to_i32_flags(mode, x, &flags);
    uint32_t want = high ? INT32_MAX : low ? UINT32_C(0x80000000) : (uint32_t)(int32_t)whole;
    if (got != want || flags != (high || low ? FP_INVALID : inexact))
        report("to i32", mode, x, flags, 0, got, want);
    high = isnan(value) || whole > UINT32_MAX, low = whole < 0, flags = 0;
    got = fp16_to_u32_flags(mode, x, &flags);
    want = high ? UINT32_MAX : low ? 0 : (uint32_t)whole;
    if (got != want || flags != (high || low ? FP_INVALID : inexact))
        report("to u32", mode, x, flags, 0, got, want);
}

static void check_from_integers(enum fp16_mode mode, uint32_t x) {
    uint32_t want_flags = 0, flags = 0;
    uint16_t want = represent(mode, (double)(int32_t)x, false, &want_flags), got = fp16_from_i32_flags(mode, x, &flags);
    if (got != want || flags != want_flags)
        report("from i32", mode, x >> 16, x & 0xFFFF, flags, got, want);
    want_flags = flags = 0;
    want = represent(mode, (double)x, false, &want_flags), got = fp16_from_u32_flags(mode, x, &flags);
    if (got != want || flags != want_flags)
        report("from u32", mode, x >> 16, x & 0xFFFF, flags, got, want);
}

static void integers_convert_in_the_rounding_of_the_mode(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (enum fp16_mode mode = 0; mode <= FP16_BRAIN_NEAREST; mode++)
        for (uint32_t x = 0; x < 0x10000; x++) {
            check_integers(mode, (uint16_t)x);
            check_from_integers(mode, x);
            check_from_integers(mode, 0 - x);
            check_from_integers(mode, (uint32_t)random_next(&seed) >> random_below(&seed, 32));
        }
}

static uint32_t class_of(enum fp16_mode mode, uint16_t x) {
    double value = value_of(mode, x);
    int quiet = x >> (fraction_bits(mode) - 1) & 1, place = 0;
    if (isnan(value))
        return quiet ? FP_CLASS_QUIET : FP_CLASS_SIGNALING;
    if (isinf(value))
        place = 3;
    else if (fabs(value) >= ldexp(1, 1 - bias(mode)))
        place = 2;
    else if (value != 0)
        place = 1;
    return 1u << (signbit(value) ? 3 - place : 4 + place);
}

static void comparison_and_classes(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (enum fp16_mode mode = 0; mode <= FP16_BRAIN_NEAREST; mode++)
        for (uint32_t i = 0; i < 4 * 0x10000; i++) {
            uint16_t a = (uint16_t)i, b = pattern(mode, &seed);
            if (i >> 16)
                b = (uint16_t)(a + (i >> 16) - 2) ^ (uint16_t)(i >> 17 << 15);
            double x = value_of(mode, a), y = value_of(mode, b);
            assert_int_equal(fp16_classify(mode, a), class_of(mode, a));
            assert_int_equal(fp16_eq(mode, a, b), x == y);
            assert_int_equal(fp16_lt(mode, a, b), isless(x, y));
            assert_int_equal(fp16_le(mode, a, b), islessequal(x, y));
            assert_int_equal(fp16_signaling_flags(mode, a, b), isunordered(x, y) ? FP_INVALID : 0);
            bool signals = class_of(mode, a) == FP_CLASS_SIGNALING || class_of(mode, b) == FP_CLASS_SIGNALING;
            assert_int_equal(fp16_quiet_flags(mode, a, b), signals ? FP_INVALID : 0);
            uint16_t low = isless(y, x) || isnan(x) ? b : a, high = isless(x, y) || isnan(x) ? b : a;
            if (isnan(x) && isnan(y))
                low = high = fp16_nan(mode);
            if (((a | b) & 0x7FFF) == 0)
                low = a | b, high = a & b;
            assert_int_equal(fp16_min(mode, a, b), low);
            assert_int_equal(fp16_max(mode, a, b), high);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_the_sum_once),
        cmocka_unit_test(addition_and_multiplication_of_every_pattern),
        cmocka_unit_test(the_datapath_shows),
        cmocka_unit_test(widening_is_exact),
        cmocka_unit_test(narrowing_rounds_once),
        cmocka_unit_test(integers_convert_in_the_rounding_of_the_mode),
        cmocka_unit_test(comparison_and_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
