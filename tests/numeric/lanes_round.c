/* Conversions, random numbers, approximations and moves on 32 lanes: every level of the host against scalar models, for
 * all 2^16 upper halves with several lower ones, and for random patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/exponential.h"
#include "numeric/lanes/lanes.h"
#include "support/random.h"
#include "round_models.h"

enum { ROUNDS = 65536 };

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

/* ---- Models and kernels -------------------------------------------------------------------------- */

static uint32_t threshold(const struct operation *o, uint32_t state) {
    return (state & o->how.random) | o->how.fixed;
}

#define MODEL(name, value) \
    static uint32_t name##_model(const struct operation *o, uint32_t b, uint32_t c, uint32_t state) { \
        (void)o, (void)b, (void)c, (void)state; \
        return value; \
    }
MODEL(random, state)
MODEL(shorten, model_shorten(c, o->lost, threshold(o, state)))
MODEL(to_integer, model_to_integer(c, o->how.sign, o->how.most, threshold(o, state)))
MODEL(descale, model_descale(c, b, o->how.sign, o->how.most, threshold(o, state)))
MODEL(to_float, model_to_float(c))
MODEL(to_float_random, model_to_float_random(c, state))
MODEL(complement, model_complement(c))
MODEL(reciprocal, model_reciprocal(c))
MODEL(reciprocal_if_negative, model_reciprocal_if_negative(b, c))
MODEL(exponential, model_exponential(c))

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

struct results {
    uint32_t d[LANES], random[LANES];
};

static const struct results untouched = { .d = { 0xA5A5A5A5, 0x5A5A5A5A } };

static struct results modelled(const struct operation *o, const struct operands *in, uint32_t mask) {
    struct results r = untouched;
    for (unsigned i = 0; i < LANES; i++) {
        bool active = mask >> i & 1;
        r.random[i] = active && o->draws ? model_step(in->random[i]) : in->random[i];
        if (active)
            r.d[i] = o->model(o, in->b[i], in->c[i], in->random[i]);
    }
    return r;
}

static struct results computed(const struct operation *o, const struct operands *in, uint32_t mask,
                               const struct lanes *level) {
    struct results r = untouched;
    memcpy(r.random, in->random, sizeof r.random);
    o->run(o, &level->round, r.d, in->b, in->c, r.random, mask);
    return r;
}

static void compare(const struct operation *o, const struct operands *in, uint32_t mask) {
    struct results want = modelled(o, in, mask);
    const struct lanes *level;
    for (unsigned j = 0; (level = lanes_at(j)); j++) {
        struct results r = computed(o, in, mask, level);
        for (unsigned i = 0; i < LANES; i++)
            if (r.d[i] != want.d[i] || r.random[i] != want.random[i])
                fail_msg("%s, %s, lane %u: b %08x c %08x random %08x: %08x and %08x, not %08x and %08x", level->level,
                         o->name, i, in->b[i], in->c[i], in->random[i], r.d[i], r.random[i], want.d[i], want.random[i]);
    }
}

static void compare_all(const struct operands *in, uint32_t mask) {
    for (unsigned i = 0; i < OPERATIONS; i++)
        compare(&operations[i], in, mask);
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

/* Below 127, the three numbers that SFPSTOCHRND_FloatInt.md says are not rounded to zero. */
static void test_round_to_zero_bug(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (uint32_t c = 0x3F000000; c < 0x42FE0000; c++) {
        uint32_t whole = ((c & 0x7FFFFF) | 0x800000) >> (150 - (c >> 23));
        wrong += model_to_integer(c, 0, 127, 0x7FFFFF) != whole;
    }
    assert_int_equal(wrong, 3);
    assert_int_equal(model_to_integer(0x3F7FFFFE, 0, 127, 0x7FFFFF), 1);
    assert_int_equal(model_to_integer(0x3F7FFFFF, 0, 127, 0x7FFFFF), 1);
    assert_int_equal(model_to_integer(0x3FFFFFFF, 0, 127, 0x7FFFFF), 2);
}

/* ApproxRecip(1.0) and ApproxExp(1.0) as the page has them, and the table against e^x itself. */
static void test_approximations(void **state) {
    (void)state;
    assert_int_equal(model_reciprocal(0x3F800000), 0x3F7F0000);  /* 0.99609375 */
    assert_int_equal(model_exponential(0x3F800000), 0x402D0000); /* 2.703125 */
    for (uint32_t i = 0; i < EXPONENTIAL_ENTRIES; i++) {
        uint32_t base = i + EXPONENTIAL_FIRST < EXPONENTIAL_TWO ? 0x3F80 : 0x4000;
        assert_int_equal(base + exponential_table[i], model_exponential_upper(i + EXPONENTIAL_FIRST));
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
