/* Conversions, random numbers, approximations and moves on 32 lanes: every level of the host against scalar models, for
 * all 2^16 upper halves with several lower ones, and for random patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/exponential.h"
#include "numeric/lanes/lanes.h"
#include "random.h"

enum { ROUNDS = 100000 };

/* An operation on a lane, as a model and as a kernel. */
struct operation {
    const char *name;
    uint32_t (*model)(const struct operation *o, uint32_t b, uint32_t c, uint32_t state);
    void (*run)(const struct operation *o, const struct round_kernels *k, uint32_t *d, const uint32_t *b,
                const uint32_t *c, uint32_t *random, uint32_t mask);
    bool draws; /* the generator makes a step */
    unsigned lost;
    struct rounding how;
};

/* ---- Models -------------------------------------------------------------------------------------- */

static uint32_t threshold(const struct operation *o, uint32_t state) {
    return (state & o->how.random) | o->how.fixed;
}

static uint32_t step(uint32_t state) {
    unsigned parity = (state ^ state >> 1 ^ state >> 21 ^ state >> 31) & 1;
    return (uint32_t)!parity << 31 | state >> 1;
}

static uint32_t random_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)o, (void)b, (void)c;
    return state;
}

static uint32_t shorten_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)b;
    uint32_t unit = 1u << o->lost, rest = c % unit, exponent = c >> 23 & 255;
    if (exponent == 0)
        return 0;
    if (exponent == 255)
        return c >> 23 << 23;
    return c / unit * unit + (rest >= threshold(o, state) >> (23 - o->lost) ? unit : 0);
}

/* A number with 23 bits behind the point, as an integer. */
static uint32_t round_fixed(const struct operation *o, uint64_t fixed, uint32_t sign, uint32_t state) {
    uint64_t magnitude = (fixed >> 23) + ((fixed & 0x7FFFFF) >= threshold(o, state));
    if (magnitude == 0)
        return 0;
    return (magnitude < o->how.most ? (uint32_t)magnitude : o->how.most) | (sign & o->how.sign);
}

static uint32_t to_integer_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)b;
    int exponent = (int)(c >> 23 & 255) - 127;
    uint64_t significand = (c & 0x7FFFFF) | 0x800000;
    if (exponent < -1)
        return 0;
    if (exponent > 15)
        return o->how.most | (c & o->how.sign);
    return round_fixed(o, significand << (exponent + 1) >> 1, c, state);
}

static uint32_t descale_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    return round_fixed(o, ((uint64_t)(c & 0x7FFFFFFF) << 23) >> (b & 31), c, state);
}

/* The 24 bits from the highest one on, and the eight behind them. */
static uint32_t to_float_cut(uint32_t c, uint32_t *behind) {
    uint64_t magnitude = c & 0x7FFFFFFF;
    uint32_t exponent = 127 + 31;
    *behind = 0;
    if (magnitude == 0)
        return c;
    for (; magnitude < 0x80000000; magnitude *= 2)
        exponent--;
    *behind = magnitude & 255;
    return (c & 0x80000000) | exponent << 23 | (magnitude >> 8 & 0x7FFFFF);
}

static uint32_t to_float_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)o, (void)b, (void)state;
    uint32_t behind, cut = to_float_cut(c, &behind);
    return cut + (behind > 128 || (behind == 128 && cut % 2));
}

static uint32_t to_float_random_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)o, (void)b;
    uint32_t behind, cut = to_float_cut(c, &behind);
    return cut + (behind / 2 > (state >> 10 & 127));
}

static uint32_t complement_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)o, (void)b, (void)state;
    return c & 0x80000000 ? 0x80000000 | (0x80000000 - (c & 0x7FFFFFFF)) : c;
}

static const uint8_t reciprocals[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96, 94, 93, 91,
    90,  88,  87,  85,  84,  83,  81,  80,  79,  77,  76,  75,  74,  72,  71,  70,  69, 68, 66, 65, 64, 63,
    62,  61,  60,  59,  58,  57,  56,  55,  54,  53,  52,  51,  50,  49,  48,  47,  46, 45, 44, 43, 42, 41,
    40,  40,  39,  38,  37,  36,  35,  35,  34,  33,  32,  31,  31,  30,  29,  28,  28, 27, 26, 25, 25, 24,
    23,  23,  22,  21,  21,  20,  19,  19,  18,  17,  17,  16,  15,  15,  14,  14,  13, 12, 12, 11, 11, 10,
    9,   9,   8,   8,   7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,  0,
};

static uint32_t reciprocal_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)o, (void)b, (void)state;
    uint32_t sign = c & 0x80000000, exponent = c >> 23 & 255;
    if (exponent == 0)
        return sign | 0x7F800000;
    if (exponent > 252)
        return sign;
    return sign | (253 - exponent) << 23 | (uint32_t)reciprocals[c >> 16 & 127] << 16;
}

static uint32_t reciprocal_if_negative_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    return b >> 31 ? reciprocal_model(o, b, c & 0x7FFFFFFF, state) : c;
}

/* The upper half of e^x in FP32, rounded down, for x with this upper half. */
static uint32_t exponential_upper(uint32_t upper) {
    uint32_t bits = upper << 16;
    float x, y;
    memcpy(&x, &bits, sizeof x);
    y = (float)(floor(exp((double)x) * 0x1p40) / 0x1p40);
    memcpy(&bits, &y, sizeof bits);
    return bits >> 16;
}

static uint32_t exponential_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) {
    (void)o, (void)b, (void)state;
    uint32_t sign = c & 0x80000000, upper = c >> 16 & 0x7FFF, lower = c & 0xFFFF;
    if (upper < 0x80)
        return sign | 0x3F800000;
    if (upper < 0x3C80)
        return sign | 0x3F810000 | lower;
    if (upper < 0x4000)
        return sign | exponential_upper(upper) << 16 | lower;
    return sign | 0x40800000 | lower;
}

/* ---- Kernels ------------------------------------------------------------------------------------- */

#define RUN(name, call) \
    static void name##_run(const struct operation *o, const struct round_kernels *k, uint32_t *d, const uint32_t *b, \
                           const uint32_t *c, uint32_t *random, uint32_t mask) { \
        (void)o, (void)b, (void)c, (void)random; \
        k->name call; \
    }
RUN(random, (d, random, mask))
RUN(shorten, (d, c, random, &o->how, o->lost, mask))
RUN(to_integer, (d, c, random, &o->how, mask))
RUN(descale, (d, b, c, random, &o->how, mask))
RUN(to_float, (d, c, mask))
RUN(to_float_random, (d, c, random, mask))
RUN(complement, (d, c, mask))
RUN(reciprocal, (d, c, mask))
RUN(reciprocal_if_negative, (d, b, c, mask))
RUN(exponential, (d, c, mask))

#define NEAREST .fixed = 0x400000
#define ZERO    .fixed = 0x7FFFFF
#define RANDOM  .random = 0x7FFFFF
#define SIGNED  .sign = 0x80000000
#define ROUNDED(name, n, ...) \
    { #name " to nearest", name##_model, name##_run, true, n, { NEAREST, __VA_ARGS__ } }, \
        { #name " to zero", name##_model, name##_run, true, n, { ZERO, __VA_ARGS__ } }, { \
#name " at random", name##_model, name##_run, true, n, { \
            RANDOM, __VA_ARGS__ \
        } \
    }
#define PLAIN(name, draws) \
    { \
#name, name##_model, name##_run, draws, 0, { \
            .random = 0 \
        } \
    }

static const struct operation operations[] = {
    ROUNDED(shorten, 13, .most = 0),
    ROUNDED(shorten, 16, .most = 0),
    ROUNDED(to_integer, 0, .most = 255),
    ROUNDED(to_integer, 0, .most = 127, SIGNED),
    ROUNDED(to_integer, 0, .most = 65535),
    ROUNDED(to_integer, 0, .most = 32767, SIGNED),
    ROUNDED(descale, 0, .most = 255),
    ROUNDED(descale, 0, .most = 127, SIGNED),
    PLAIN(random, true),
    PLAIN(to_float, false),
    PLAIN(to_float_random, true),
    PLAIN(complement, false),
    PLAIN(reciprocal, false),
    PLAIN(reciprocal_if_negative, false),
    PLAIN(exponential, false),
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- Comparison ---------------------------------------------------------------------------------- */

struct operands {
    uint32_t b[LANES], c[LANES], random[LANES];
};

static void compare(const struct lanes *level, const struct operation *o, const struct operands *in, uint32_t mask) {
    uint32_t d[LANES], random[LANES];
    memset(d, 0xA5, sizeof d);
    memcpy(random, in->random, sizeof random);
    o->run(o, &level->round, d, in->b, in->c, random, mask);
    for (unsigned i = 0; i < LANES; i++) {
        bool active = mask >> i & 1;
        uint32_t wanted = active ? o->model(o, in->b[i], in->c[i], in->random[i]) : 0xA5A5A5A5;
        uint32_t state = active && o->draws ? step(in->random[i]) : in->random[i];
        if (d[i] != wanted || random[i] != state)
            fail_msg("%s, %s, lane %u: b %08x c %08x random %08x: %08x and %08x, not %08x and %08x", level->level,
                     o->name, i, in->b[i], in->c[i], in->random[i], d[i], random[i], wanted, state);
    }
}

static void compare_all(const struct operands *in, uint32_t mask) {
    const struct lanes *level;
    for (unsigned i = 0; (level = lanes_at(i)); i++)
        for (unsigned j = 0; j < OPERATIONS; j++)
            compare(level, &operations[j], in, mask);
}

/* Sometimes a threshold beside what a conversion of c loses, so that the comparison is put to the test. */
static uint32_t draw_state(uint64_t *seed, uint32_t b, uint32_t c) {
    uint32_t any = (uint32_t)random_next(seed), near = random_below(seed, 3) - 1;
    int exponent = (int)(c >> 23 & 255) - 127;
    uint32_t significand = (c & 0x7FFFFF) | 0x800000;
    switch (random_below(seed, 8)) {
    case 0: return (any & 0xFF800000) | ((((c & 0x1FFF) + near) << 10) & 0x7FFFFF) | (any & 0x3FF);
    case 1: return (any & 0xFF800000) | ((((c & 0xFFFF) + near) << 7) & 0x7FFFFF) | (any & 0x7F);
    case 2:
    case 3:
        if (exponent < -1 || exponent > 15)
            return any;
        return (any & 0xFF800000) | ((uint32_t)(((uint64_t)significand << (exponent + 1) >> 1) + near) & 0x7FFFFF);
    case 4: return (any & 0xFF800000) | ((uint32_t)(((uint64_t)(c & 0x7FFFFFFF) << 23 >> (b & 31)) + near) & 0x7FFFFF);
    case 5: return (any & 0xFF800000) | (random_below(seed, 2) ? 0x7FFFFF : 0);
    default: return any;
    }
}

static uint32_t draw_mask(uint64_t *seed) {
    return random_below(seed, 4) ? LANES_ALL : (uint32_t)random_next(seed);
}

static void draw_rest(struct operands *in, uint64_t *seed) {
    for (unsigned i = 0; i < LANES; i++) {
        in->b[i] = (uint32_t)random_next(seed);
        in->random[i] = draw_state(seed, in->b[i], in->c[i]);
    }
}

/* ---- Tests --------------------------------------------------------------------------------------- */

static void test_every_upper_half(void **state) {
    (void)state;
    static const uint32_t lower[] = { 0, 1, 0x0FFF, 0x1000, 0x1FFF, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF };
    enum { FIXED = sizeof lower / sizeof lower[0] };
    uint64_t seed = 1;
    struct operands in;
    for (uint32_t upper = 0; upper < 0x10000; upper += LANES)
        for (unsigned j = 0; j < FIXED + 4; j++) {
            for (unsigned i = 0; i < LANES; i++)
                in.c[i] = (upper + i) << 16 | (j < FIXED ? lower[j] : (uint32_t)random_next(&seed) >> 16);
            draw_rest(&in, &seed);
            compare_all(&in, draw_mask(&seed));
        }
}

/* Numbers of every length, and floats that become integers of 16 bits. */
static uint32_t draw_number(uint64_t *seed) {
    uint32_t any = (uint32_t)random_next(seed);
    switch (random_below(seed, 4)) {
    case 0: return (any & 0x80000000) | (any & 0x7FFFFFFF) >> random_below(seed, 31);
    case 1: return (any & 0x807FFFFF) | (125 + random_below(seed, 19)) << 23;
    case 2: return (any & 0x80000000) | (uint32_t)((1ull << random_below(seed, 32)) - random_below(seed, 2));
    default: return any;
    }
}

static void test_random_numbers(void **state) {
    (void)state;
    uint64_t seed = 2;
    struct operands in;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < LANES; i++)
            in.c[i] = draw_number(&seed);
        draw_rest(&in, &seed);
        compare_all(&in, draw_mask(&seed));
    }
}

/* The result may be an operand. */
static void test_in_place(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned j = 0; j < OPERATIONS; j++)
        for (unsigned at = 0; lanes_at(at); at++)
            for (unsigned over_b = 0; over_b < 2; over_b++) {
                const struct operation *o = &operations[j];
                struct operands in, at_work;
                for (unsigned i = 0; i < LANES; i++)
                    in.c[i] = draw_number(&seed);
                draw_rest(&in, &seed);
                at_work = in;
                uint32_t *d = over_b ? at_work.b : at_work.c;
                o->run(o, &lanes_at(at)->round, d, at_work.b, at_work.c, at_work.random, LANES_ALL);
                for (unsigned i = 0; i < LANES; i++)
                    assert_int_equal(d[i], o->model(o, in.b[i], in.c[i], in.random[i]));
            }
}

/* The three numbers that SFPSTOCHRND_FloatInt.md says are not rounded to zero. */
static void test_round_to_zero_bug(void **state) {
    (void)state;
    struct operation o = { .how = { ZERO, .most = 127, SIGNED } };
    unsigned wrong = 0;
    for (uint32_t c = 0x3F000000; c < 0x47800000; c++) {
        uint32_t whole = ((c & 0x7FFFFF) | 0x800000) >> (150 - (c >> 23));
        wrong += whole < 127 && to_integer_model(&o, 0, c, 0) != whole;
    }
    assert_int_equal(wrong, 3);
    assert_int_equal(to_integer_model(&o, 0, 0x3F7FFFFE, 0), 1);
    assert_int_equal(to_integer_model(&o, 0, 0x3F7FFFFF, 0), 1);
    assert_int_equal(to_integer_model(&o, 0, 0x3FFFFFFF, 0), 2);
}

/* ApproxRecip(1.0) and ApproxExp(1.0) as the page has them, and the table against e^x itself. */
static void test_approximations(void **state) {
    (void)state;
    const struct operation none = { .lost = 0 };
    assert_int_equal(reciprocal_model(&none, 0, 0x3F800000, 0), 0x3F7F0000);  /* 0.99609375 */
    assert_int_equal(exponential_model(&none, 0, 0x3F800000, 0), 0x402D0000); /* 2.703125 */
    for (uint32_t i = 0; i < EXPONENTIAL_ENTRIES; i++) {
        uint32_t base = i + EXPONENTIAL_FIRST < EXPONENTIAL_TWO ? 0x3F80 : 0x4000;
        assert_int_equal(base + exponential_table[i], exponential_upper(i + EXPONENTIAL_FIRST));
    }
}

static void check_moves(const struct round_kernels *k, const uint32_t *c, uint32_t mask) {
    uint32_t rotated[LANES], right[LANES], up[LANES], old[LANES];
    for (unsigned i = 0; i < LANES; i++)
        rotated[i] = right[i] = up[i] = old[i] = 0xFFFF0000 + i;
    k->rotate(rotated, c, mask);
    k->move_right(right, c, mask);
    k->move_up(up, c, mask);
    for (unsigned row = 0; row < 4; row++)
        for (unsigned column = 0; column < 8; column++) {
            unsigned i = 8 * row + column;
            bool on = mask >> i & 1;
            assert_int_equal(rotated[i], on ? c[8 * row + (column + 7) % 8] : old[i]);
            assert_int_equal(right[i], !on ? old[i] : column ? c[i - 1] : 0);
            assert_int_equal(up[i], !on ? old[i] : row < 3 ? c[i + 8] : 0);
        }
}

static void test_moves(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (unsigned at = 0; lanes_at(at); at++)
        for (unsigned round = 0; round < 1000; round++) {
            uint32_t c[LANES], in_place[LANES], wanted[LANES];
            for (unsigned i = 0; i < LANES; i++)
                c[i] = in_place[i] = (uint32_t)random_next(&seed);
            check_moves(&lanes_at(at)->round, c, draw_mask(&seed));
            lanes_at(at)->round.rotate(wanted, c, LANES_ALL);
            lanes_at(at)->round.rotate(in_place, in_place, LANES_ALL);
            assert_memory_equal(in_place, wanted, sizeof wanted);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_upper_half), cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_in_place),         cmocka_unit_test(test_round_to_zero_bug),
        cmocka_unit_test(test_approximations),   cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
