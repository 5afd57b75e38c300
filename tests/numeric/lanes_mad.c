/* The MAD kernels of every level that this host runs, lane by lane against fp32_fma and the pages' own words.
 *
 * With a number as argument the random rounds are as many times as long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/fp32.h"
#include "numeric/lanes/lanes.h"
#include "support/random.h"

enum { ROUNDS = 40000, MAD_HABIT = 18 };

static struct mad_habit habits[MAD_HABITS];
static unsigned times = 1;

static const uint32_t edges[] = {
    0x00000000, 0x00000001, 0x007FFFFF, 0x00800000, 0x00FFFFFF, 0x01000000, 0x0DFFFFFF, 0x1FFFFFFF,
    0x20000000, 0x33800000, 0x33FFFFFF, 0x3EFFFFFF, 0x3F000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
    0x3FFFFFFF, 0x40000000, 0x40400000, 0x4B7FFFFF, 0x4B800000, 0x5F7FFFFF, 0x5F800000, 0x7E800000,
    0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF,
};
enum { EDGES = sizeof edges / sizeof edges[0], SIGNED_EDGES = 2 * EDGES };

static uint32_t signed_edge(unsigned i) {
    return edges[i / 2] | (i & 1) << 31;
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* An exponent of its own from a range, and anything else. */
static uint32_t ranged(uint64_t *state, uint32_t from, uint32_t count) {
    uint32_t x = (uint32_t)random_next(state);
    return (x & ~FP32_INF) | (from + random_below(state, count)) << 23;
}

/* Few bits of fraction, so that sums end on a tie or come out exact. */
static uint32_t short_fraction(uint64_t *state, uint32_t x) {
    return x & ~(FP32_FRACTION >> random_below(state, 24));
}

static uint32_t with_exponent(uint32_t x, int exponent) {
    exponent = exponent < 0 ? 0 : exponent > 255 ? 255 : exponent;
    return (x & ~FP32_INF) | (uint32_t)exponent << 23;
}

static int product_exponent(uint32_t a, uint32_t b) {
    return (int)fp32_exponent(a) + (int)fp32_exponent(b) - 127;
}

struct triple {
    uint32_t a, b, c;
};

/* The addend is the product's nearest neighbour, or some units beside it. */
static uint32_t cancelling(uint64_t *state, uint32_t a, uint32_t b) {
    uint32_t c = fp32_fma(a, b, 0) ^ FP32_SIGN;
    return random_below(state, 3) ? c + random_below(state, 1u << random_below(state, 24)) - 3 : c;
}

/* Sums that are denormal and begin with 24 ones, which are rounded up all the way to the smallest normal number. */
static struct triple draw_ones(uint64_t *state) {
    static const uint32_t sums[] = { 0xFFFFFF, 0x1FFFFFE, 0x1FFFFFF, 0x3FFFFFC, 0x3FFFFFF };
    for (;;) {
        uint32_t exponent = 1 + random_below(state, 3), sum = sums[random_below(state, 5)];
        struct triple t = { .a = ranged(state, 64, 64) };
        t.b = with_exponent((uint32_t)random_next(state), 127 + (int)exponent - (int)fp32_exponent(t.a));
        uint64_t product = (uint64_t)((t.a & FP32_FRACTION) | 0x800000) * ((t.b & FP32_FRACTION) | 0x800000);
        uint32_t units = (uint32_t)(product >> 20) | ((product & 0xFFFFF) != 0);
        uint32_t addend = random_below(state, 2) ? units + sum : units - sum;
        t.c = (~(t.a ^ t.b) & FP32_SIGN) | exponent << 23 | (addend >> 3 & FP32_FRACTION);
        if (addend % 8 == 0 && addend >> 26 == 1)
            return t;
    }
}

/* The first are near one, or zero, or come to nothing beside an addend that is. */
enum kind {
    ORDINARY,
    NARROW,
    CLOSE,
    GAP,
    ZEROS,
    SUM,
    EXACT,
    LOST,
    GONE,
    NEAR_KINDS,
    BITS = NEAR_KINDS,
    EDGE,
    CANCEL,
    TINY,
    LARGE,
    PRODUCT,
    ONES,
    KINDS
};

static struct triple draw(uint64_t *state, enum kind kind) {
    struct triple t = { ranged(state, 115, 24), ranged(state, 115, 24), ranged(state, 115, 24) };
    switch (kind) {
    case BITS:
        return (struct triple){ (uint32_t)random_next(state), (uint32_t)random_next(state),
                                (uint32_t)random_next(state) };
    case EDGE:
        t.a = signed_edge(random_below(state, SIGNED_EDGES));
        if (random_below(state, 2))
            t.b = signed_edge(random_below(state, SIGNED_EDGES));
        if (random_below(state, 2))
            t.c = signed_edge(random_below(state, SIGNED_EDGES));
        break;
    case NARROW: t = (struct triple){ ranged(state, 126, 2), ranged(state, 126, 2), ranged(state, 125, 4) }; break;
    case CLOSE: /* nothing is lost of the addend */
        t.c = random_below(state, 2) ? with_exponent(t.c, product_exponent(t.a, t.b) - 2 + (int)random_below(state, 6))
                                     : cancelling(state, t.a, t.b);
        break;
    case CANCEL: t.a = ranged(state, 1, 254), t.b = ranged(state, 1, 254), t.c = cancelling(state, t.a, t.b); break;
    case TINY: /* products around the smallest exponents */
        t.b = with_exponent(t.b, 124 - (int)fp32_exponent(t.a) + (int)random_below(state, 40));
        t.c = ranged(state, 0, 34);
        break;
    case LARGE: /* products around the largest exponents */
        t.a = ranged(state, 130, 100);
        t.b = with_exponent(t.b, 127 + 248 - (int)fp32_exponent(t.a) + (int)random_below(state, 10));
        t.c = ranged(state, 249, 7);
        break;
    case GAP: t.c = with_exponent(t.c, product_exponent(t.a, t.b) + (int)random_below(state, 64) - 34); break;
    case ZEROS:
        t.a &= random_below(state, 2) ? FP32_SIGN : UINT32_MAX;
        t.b &= random_below(state, 2) ? FP32_SIGN : UINT32_MAX;
        t.c &= random_below(state, 2) ? FP32_SIGN : UINT32_MAX;
        break;
    case SUM:
        t.a = FP32_ONE, t.c = with_exponent(t.c, (int)fp32_exponent(t.b) + (int)random_below(state, 64) - 32);
        break;
    case EXACT: /* products that are floats */
        t.a &= 0xFFFFF000u << random_below(state, 8), t.b &= 0xFFFFF000u << random_below(state, 8);
        t.c = with_exponent(t.c, product_exponent(t.a, t.b) + (int)random_below(state, 64) - 34);
        return t;
    case LOST: /* products that are too small, or of denormal factors */
        t.a = ranged(state, 0, random_below(state, 2) ? 1 : 64);
        t.b = ranged(state, 0, random_below(state, 2) ? 160 : 64);
        t.c = random_below(state, 2) ? t.c & FP32_SIGN : ranged(state, 60, 40);
        break;
    case GONE: /* nothing is left but signs, of which the product's does not count */
        return (struct triple){ ranged(state, 1, 32), ranged(state, 1, 32), t.c & FP32_SIGN };
    case ONES: return draw_ones(state);
    case PRODUCT: t.b = ranged(state, 0, 256), t.a = ranged(state, 0, 256), t.c &= FP32_SIGN; break;
    default: break;
    }
    if (random_below(state, 3) == 0)
        t = (struct triple){ short_fraction(state, t.a), short_fraction(state, t.b), short_fraction(state, t.c) };
    return t;
}

struct operands {
    uint32_t a[LANES], b[LANES], c[LANES], d[LANES], mask;
};

/* Nothing cancels, and all lanes have the same gap. */
static struct triple draw_alike(uint64_t *state, int gap) {
    struct triple t = draw(state, ORDINARY);
    t.c = with_exponent(t.c, product_exponent(t.a, t.b) - gap);
    t.c = (t.c & ~FP32_SIGN) | ((t.a ^ t.b) & FP32_SIGN);
    return t;
}

/* Lanes of one kind, of all, or of all that are near one: kernels choose their way by what they find in some lanes
 * together. */
static void fill(struct operands *o, uint64_t *state, unsigned round) {
    unsigned mixed = round % 4 == 3 ? KINDS : round % 4 == 2 ? NEAR_KINDS : 0;
    int gap = (int)random_below(state, 16) - 6;
    enum kind kind = random_below(state, KINDS);
    for (unsigned i = 0; i < LANES; i++) {
        struct triple t =
            round % 16 == 4 ? draw_alike(state, gap) : draw(state, mixed ? random_below(state, mixed) : kind);
        o->a[i] = t.a, o->b[i] = t.b, o->c[i] = t.c, o->d[i] = (uint32_t)random_next(state);
    }
    if (mixed == NEAR_KINDS && random_below(state, 2)) { /* but one */
        struct triple t = draw(state, random_below(state, 2) ? EDGE : BITS);
        unsigned i = random_below(state, LANES);
        o->a[i] = random_below(state, 2) ? t.a : o->a[i], o->b[i] = random_below(state, 2) ? t.b : o->b[i];
        o->c[i] = random_below(state, 2) ? t.c : o->c[i];
    }
    o->mask = random_below(state, 3) ? LANES_ALL : (uint32_t)random_next(state);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static void compare(const char *what, const struct lanes *lanes, const struct operands *o, const uint32_t *got,
                    const uint32_t *want) {
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t expected = o->mask >> i & 1 ? want[i] : o->d[i];
        if (got[i] != expected)
            fail_msg("%s, %s, lane %u: %08X %08X %08X gives %08X, not %08X", what, lanes->level, i, o->a[i], o->b[i],
                     o->c[i], got[i], expected);
    }
}

/* As often as it takes a kernel to look again at what it does with the same operands. */
static void check_mad(const struct lanes *lanes, const struct operands *o, uint32_t signs) {
    uint32_t got[LANES], want[LANES], negate_a = signs << 31, negate_c = (signs >> 1) << 31;
    for (unsigned i = 0; i < LANES; i++)
        want[i] = fp32_fma(o->a[i] ^ negate_a, o->b[i], o->c[i] ^ negate_c);
    for (unsigned i = 0; i < MAD_HABIT; i++) {
        memcpy(got, o->d, sizeof got);
        lanes->mad.mad(got, o->a, o->b, o->c, mad_how(signs, o->mask), habits);
        compare("mad", lanes, o, got, want);
    }
}

static void check_add(const struct lanes *lanes, const struct operands *o, uint32_t signs) {
    uint32_t got[LANES], want[LANES], negate_a = signs << 31, negate_c = (signs >> 1) << 31;
    for (unsigned i = 0; i < LANES; i++)
        want[i] = fp32_fma(o->b[i] ^ negate_a, FP32_ONE, o->c[i] ^ negate_c);
    memcpy(got, o->d, sizeof got);
    lanes->mad.add(got, o->b, o->c, signs, o->mask);
    compare("add", lanes, o, got, want);

    for (unsigned i = 0; i < LANES; i++)
        want[i] = fp32_fma(o->b[0], FP32_ONE, o->c[i] ^ negate_c);
    memcpy(got, o->d, sizeof got);
    lanes->mad.add_all(got, o->b[0], o->c, signs & MAD_NEGATE_C, o->mask);
    compare("add_all", lanes, o, got, want);
}

static void check_mul(const struct lanes *lanes, const struct operands *o, uint32_t signs) {
    uint32_t got[LANES], want[LANES], negate_a = signs << 31, negate_c = (signs >> 1) << 31;
    for (unsigned i = 0; i < LANES; i++)
        want[i] = fp32_fma(o->a[i] ^ negate_a, o->b[i], negate_c);
    memcpy(got, o->d, sizeof got);
    lanes->mad.mul(got, o->a, o->b, signs, o->mask);
    compare("mul", lanes, o, got, want);

    for (unsigned i = 0; i < LANES; i++)
        want[i] = fp32_fma(o->a[0] ^ negate_a, o->b[i], 0);
    memcpy(got, o->d, sizeof got);
    lanes->mad.mul_all(got, o->a[0], o->b, signs & MAD_NEGATE_A, o->mask);
    compare("mul_all", lanes, o, got, want);
}

static void test_arithmetic(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        uint64_t seed = 41;
        for (unsigned round = 0; round < ROUNDS * times; round++) {
            struct operands o;
            fill(&o, &seed, round);
            check_mad(lanes, &o, round & 3);
            check_add(lanes, &o, round & 3);
            check_mul(lanes, &o, round & 3);
        }
    }
}

/* Every triple of edges with every sign. */
static void test_edges(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        struct operands o = { .mask = LANES_ALL };
        unsigned lane = 0;
        for (unsigned i = 0; i < SIGNED_EDGES * SIGNED_EDGES * SIGNED_EDGES; i++) {
            o.a[lane] = signed_edge(i % SIGNED_EDGES);
            o.b[lane] = signed_edge(i / SIGNED_EDGES % SIGNED_EDGES);
            o.c[lane] = signed_edge(i / SIGNED_EDGES / SIGNED_EDGES);
            lane = (lane + 1) % LANES;
            if (lane)
                continue;
            check_mad(lanes, &o, 0);
            check_add(lanes, &o, 0);
            check_mul(lanes, &o, i >> 5 & 3);
        }
    }
}

/* All lanes but one have an ordinary sum, so that this one decides whether the host's is right: sums of every exponent
 * from the smallest on, of denormal numbers too. */
static void test_small_sums(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        uint64_t seed = 47;
        for (unsigned round = 0; round < 64 * 1024; round++) {
            struct operands o = { .mask = LANES_ALL };
            for (unsigned i = 0; i < LANES; i++)
                o.b[i] = ranged(&seed, 100, 50), o.c[i] = round & 1 ? 0 : ranged(&seed, 100, 50) & ~FP32_SIGN;
            unsigned lane = random_below(&seed, LANES), exponent = round / 4 % 64;
            o.b[lane] = ranged(&seed, exponent, 1);
            o.c[lane] = random_below(&seed, 3) ? ranged(&seed, random_below(&seed, 3), 1)
                                               : (o.b[lane] ^ FP32_SIGN) - random_below(&seed, 3);
            if (random_below(&seed, 8) == 0)
                o.c[lane] = signed_edge(random_below(&seed, SIGNED_EDGES));
            check_add(lanes, &o, round >> 1 & 3);
        }
    }
}

/* The result may be any of the operands. */
static void test_in_place(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        uint64_t seed = 43;
        for (unsigned round = 0; round < 4 * KINDS * 6; round++) {
            struct operands o, copy;
            uint32_t want[LANES];
            fill(&o, &seed, round);
            for (unsigned i = 0; i < LANES; i++)
                want[i] = fp32_fma(o.a[i], o.b[i], o.c[i]);
            uint32_t *place = round % 3 == 0 ? copy.a : round % 3 == 1 ? copy.b : copy.c;
            for (unsigned i = 0; i < MAD_HABIT; i++) {
                copy = o;
                memcpy(o.d, place, sizeof o.d);
                lanes->mad.mad(place, copy.a, copy.b, copy.c, mad_how(0, o.mask), habits);
                compare("mad in place", lanes, &o, place, want);
            }

            for (unsigned i = 0; i < LANES; i++)
                want[i] = fp32_fma(o.b[i], FP32_ONE, o.c[i]);
            copy = o;
            place = round & 1 ? copy.b : copy.c;
            memcpy(o.d, place, sizeof o.d);
            lanes->mad.add(place, copy.b, copy.c, 0, o.mask);
            compare("add in place", lanes, &o, place, want);
        }
    }
}

/* ---- Look-ups -------------------------------------------------------------------------------- */

static uint32_t lut8(uint32_t x) {
    uint32_t value = (x & 0x80) << 24 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
    return x == 0xFF ? 0 : value;
}

static uint32_t lut16(uint32_t x) {
    uint32_t rest = (x & 0x8000) << 16 | (x & 0x3FF) << 13, exponent = x >> 10 & 31;
    return exponent == 31 ? rest : rest | (exponent + 112) << 23;
}

static float magnitude(uint32_t x) {
    float value;
    x &= ~FP32_SIGN;
    memcpy(&value, &x, sizeof value);
    return value;
}

/* Which of three ranges; a NaN is in the last. */
static unsigned range_of(uint32_t x) {
    return magnitude(x) < 1.0f ? 0 : magnitude(x) < 2.0f ? 1 : 2;
}

/* ... and which half of it. */
static unsigned half_of(uint32_t x, float last) {
    static const float middle[] = { 0.5f, 1.5f };
    unsigned range = range_of(x);
    return magnitude(x) < (range == 2 ? last : middle[range]) ? 0 : 1;
}

static uint32_t signed_as(uint32_t value, uint32_t x) {
    return (value & ~FP32_SIGN) | (x & FP32_SIGN);
}

static uint32_t lut_model(const uint32_t (*lreg)[LANES], unsigned lane) {
    uint32_t x = lreg[3][lane], pair = lreg[range_of(x)][lane];
    return fp32_fma(lut8(pair >> 8 & 0xFF), x & ~FP32_SIGN, lut8(pair & 0xFF));
}

static uint32_t lut_wide_model(const uint32_t (*lreg)[LANES], unsigned lane, enum mad_table table) {
    uint32_t x = lreg[3][lane], b = x & ~FP32_SIGN, first = lreg[range_of(x)][lane],
             second = lreg[4 + range_of(x)][lane];
    unsigned shift = 16 * half_of(x, table == MAD_TABLE_FP16_4 ? 4.0f : 3.0f);
    switch (table) {
    case MAD_TABLE_FP32: return fp32_fma(first, b, second);
    case MAD_TABLE_FP16: return fp32_fma(lut16(first >> 16), b, lut16(first & 0xFFFF));
    default: return fp32_fma(lut16(first >> shift & 0xFFFF), b, lut16(second >> shift & 0xFFFF));
    }
}

/* LReg3 around the limits of the ranges, and everywhere. */
static uint32_t draw_x(uint64_t *state) {
    static const uint32_t limits[] = { 0x3F000000, 0x3F800000, 0x3FC00000, 0x40000000, 0x40400000, 0x40800000 };
    uint32_t sign = (uint32_t)random_next(state) & FP32_SIGN;
    switch (random_below(state, 8)) {
    case 0: return (uint32_t)random_next(state);
    case 1: return signed_edge(random_below(state, SIGNED_EDGES));
    case 2: return sign | (limits[random_below(state, 6)] + random_below(state, 5) - 2);
    default: return ranged(state, 122, 10);
    }
}

static void check_luts(const struct lanes *lanes, const uint32_t (*lreg)[LANES], struct operands *o, bool keep_sign) {
    uint32_t got[LANES], want[LANES];
    memcpy(o->a, lreg[0], sizeof o->a), memcpy(o->b, lreg[3], sizeof o->b), memcpy(o->c, lreg[4], sizeof o->c);
    for (unsigned i = 0; i < LANES; i++)
        want[i] = keep_sign ? signed_as(lut_model(lreg, i), lreg[3][i]) : lut_model(lreg, i);
    memcpy(got, o->d, sizeof got);
    lanes->mad.lut(got, lreg, keep_sign, o->mask, habits);
    compare("lut", lanes, o, got, want);
    for (enum mad_table table = MAD_TABLE_FP32; table <= MAD_TABLE_FP16_4; table++) {
        for (unsigned i = 0; i < LANES; i++) {
            want[i] = lut_wide_model(lreg, i, table);
            want[i] = keep_sign ? signed_as(want[i], lreg[3][i]) : want[i];
        }
        memcpy(got, o->d, sizeof got);
        lanes->mad.lut_wide(got, lreg, table, keep_sign, o->mask, habits);
        compare("lut_wide", lanes, o, got, want);
    }
}

static void test_luts(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        uint64_t seed = 47;
        for (unsigned round = 0; round < ROUNDS * times; round++) {
            uint32_t lreg[8][LANES];
            struct operands o;
            fill(&o, &seed, 2);
            for (unsigned r = 0; r < 8; r++)
                for (unsigned i = 0; i < LANES; i++)
                    lreg[r][i] = r == 3      ? draw_x(&seed)
                                 : round & 1 ? ranged(&seed, 110, 32)
                                             : (uint32_t)random_next(&seed);
            check_luts(lanes, (const uint32_t(*)[LANES])lreg, &o, round >> 1 & 1);
        }
    }
}

/* Every coefficient. */
static void test_lut_coefficients(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++)
        for (uint32_t first = 0; first < 0x10000; first += LANES) {
            uint32_t lreg[8][LANES];
            struct operands o = { .mask = LANES_ALL };
            for (unsigned i = 0; i < LANES; i++) {
                lreg[0][i] = (first + i) | (first + i) << 16, lreg[4][i] = ~lreg[0][i];
                lreg[1][i] = lreg[0][i], lreg[5][i] = lreg[4][i], lreg[2][i] = lreg[0][i], lreg[6][i] = lreg[4][i];
                lreg[3][i] = 0x3F1E3779 + (i << 22);
            }
            check_luts(lanes, (const uint32_t(*)[LANES])lreg, &o, false);
        }
}

/* ---- SFPMUL24, indices ----------------------------------------------------------------------- */

/* The adder of the floating-point path: the product stands at exponent 129, three bits are below c's significand. */
static uint32_t mul24_model(uint32_t a, uint32_t b, uint32_t c, bool high) {
    uint64_t whole = (uint64_t)(a & 0x7FFFFF) * (b & 0x7FFFFF);
    uint64_t product = high ? whole >> 23 : whole & 0x7FFFFF;
    uint32_t exponent = fp32_exponent(c), addend = (c << 3 & 0x3FFFFF8) | 0x4000000;
    if (exponent == 0)
        return (uint32_t)product;
    if (exponent >= 129)
        product = product >> (exponent - 129) % 32;
    unsigned down = exponent < 129 ? (129 - exponent) % 32 : 0;
    uint64_t kept = addend >> down, lost = addend % (UINT64_C(1) << down);
    if (kept)
        product = (product + kept + (lost >= 0x10000 ? 0x10000 : 0)) % 0x800000;
    return (uint32_t)product;
}

static void test_mul24(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        uint64_t seed = 53;
        for (unsigned round = 0; round < ROUNDS * times; round++) {
            struct operands o;
            uint32_t got[LANES], want[LANES];
            fill(&o, &seed, 0);
            for (unsigned i = 0; i < LANES; i++) {
                o.a[i] |= random_below(&seed, 8) ? 0 : 0x7FFFFF;
                o.b[i] |= random_below(&seed, 8) ? 0 : 0x7FFFFF;
                o.c[i] = round % 3 == 0 ? 0 : round % 3 == 1 ? o.c[i] : ranged(&seed, 95, 70);
                want[i] = mul24_model(o.a[i], o.b[i], o.c[i], round & 1);
            }
            memcpy(got, o.d, sizeof got);
            lanes->mad.mul24(got, o.a, o.b, o.c, round & 1, o.mask);
            compare("mul24", lanes, &o, got, want);
        }
    }
}

static void test_indices(void **state) {
    (void)state;
    const struct lanes *lanes;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        uint64_t seed = 59;
        for (unsigned round = 0; round < 200; round++) {
            uint32_t lreg[16][LANES], got[LANES], want[LANES], found[16] = { 0 };
            struct operands o;
            fill(&o, &seed, 0);
            for (unsigned i = 0; i < 16 * LANES; i++)
                lreg[i / LANES][i % LANES] = (uint32_t)random_next(&seed);
            for (unsigned i = 0; i < LANES; i++) {
                want[i] = lreg[o.a[i] % 16][i];
                found[o.a[i] % 16] |= (o.mask >> i & 1) << i;
            }
            memcpy(got, o.d, sizeof got);
            lanes->mad.pick(got, (const uint32_t(*)[LANES])lreg, o.a, o.mask);
            compare("pick", lanes, &o, got, want);
            for (unsigned i = 0; i < 16; i++)
                assert_int_equal(lanes->mad.which(o.a, i, o.mask), found[i]);
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_edges),   cmocka_unit_test(test_small_sums),
        cmocka_unit_test(test_in_place),   cmocka_unit_test(test_luts),    cmocka_unit_test(test_lut_coefficients),
        cmocka_unit_test(test_mul24),      cmocka_unit_test(test_indices),
    };
    times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
