/* The kernels of the simple sub-unit at every level of this host, against plain code for one lane: edges of every
 * format, all high halves, random words; masks of all kinds; results on top of operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numeric/lanes/lanes.h"
#include "support/random.h"

enum { ROUNDS = 4000 };

static const uint32_t edges[] = {
    0,          0x80000000, 1,          0x80000001, 0x7FFFFFFF, 0xFFFFFFFF, 0x007FFFFF, 0x807FFFFF,
    0x00800000, 0x80800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
    0x7F800001, 0xFF800001, 0x7FC00000, 0xFFC00000, 31,         32,         33,         0xFFFFFFE0,
    0xFFFFFFE1, 0xFFFFFFDF, 255,        256,        0x40000000, 0xC0000000, 0x00FFFFFF, 0x01000001,
};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* An edge, something close to one, a word with few bits, or any word. */
static uint32_t draw(uint64_t *seed) {
    uint32_t word = (uint32_t)random_next(seed);
    switch (random_below(seed, 5)) {
    case 0: return edges[word % EDGES];
    case 1: return edges[word % EDGES] + random_below(seed, 5) - 2;
    case 2: return word >> random_below(seed, 32);
    case 3: return word & (uint32_t)random_next(seed) & (uint32_t)random_next(seed);
    default: return word;
    }
}

static uint32_t draw_mask(uint64_t *seed) {
    uint32_t word = (uint32_t)random_next(seed);
    switch (random_below(seed, 4)) {
    case 0: return UINT32_MAX;
    case 1: return 1u << word % 32;
    default: return word;
    }
}

/* ---- One lane ------------------------------------------------------------------------------------------ */

static uint32_t shifted(uint32_t x, int64_t amount, bool arithmetic) {
    bool ones = arithmetic && x >> 31;
    bool right = amount < 0;
    for (unsigned n = (unsigned)((right ? -amount : amount) % 32); n; n--)
        x = right ? x >> 1 | (ones ? 0x80000000u : 0) : x << 1;
    return x;
}

static uint32_t zeros_before(uint32_t x) {
    uint32_t n = 0;
    while (n < 32 && !(x >> (31 - n) & 1))
        n++;
    return n;
}

static uint32_t magnitude(uint32_t x) {
    return (int32_t)x < 0 && x != 0x80000000 ? (uint32_t) - (int32_t)x : x;
}

static uint32_t float_magnitude(uint32_t x) {
    bool nan = (x >> 23 & 255) == 255 && (x & 0x7FFFFF) != 0;
    return nan ? x : x & 0x7FFFFFFF;
}

static uint32_t exponent_plus(uint32_t x, uint32_t value) {
    uint32_t e = x >> 23 & 255;
    return e == 255 ? x : (x & 0x807FFFFF) | (e + value) % 256 << 23;
}

static bool below(uint32_t a, uint32_t b) {
    int64_t x = a & 0x7FFFFFFF, y = b & 0x7FFFFFFF;
    x = a >> 31 ? -1 - x : x;
    y = b >> 31 ? -1 - y : y;
    return x < y;
}

/* ---- Kernels ------------------------------------------------------------------------------------------ */

/* With the operands that any of them has: all is the same for all lanes. */
#define KERNELS(K) \
    K(copy, (d, c, mask), c) \
    K(flip, (d, c, all, mask), c ^ all) \
    K(keep_and_set, (d, c, all, more, mask), (c & all) | more) \
    K(merge, (d, b, c, all, mask), (c & all) | (b & ~all)) \
    K(bit_and, (d, b, c, mask), b &c) \
    K(bit_or, (d, b, c, mask), b | c) \
    K(bit_xor, (d, b, c, mask), b ^ c) \
    K(shift, (d, b, c, mask), shifted(b, (int32_t)c, false)) \
    K(shift_signed, (d, b, c, mask), shifted(b, (int32_t)c, true)) \
    K(shift_all, (d, c, (int32_t)all, mask), shifted(c, (int32_t)all, false)) \
    K(shift_all_signed, (d, c, (int32_t)all, mask), shifted(c, (int32_t)all, true)) \
    K(leading_zeros, (d, c, all, mask), zeros_before(c &all)) \
    K(add, (d, b, c, mask), b + c) \
    K(subtract, (d, b, c, mask), c - b) \
    K(add_all, (d, c, all, mask), c + all) \
    K(absolute, (d, c, mask), magnitude(c)) \
    K(absolute_float, (d, c, mask), float_magnitude(c)) \
    K(exponent, (d, c, all, mask), (c >> 23 & 255) - all) \
    K(set_exponent, (d, b, c, mask), (c & 0x807FFFFF) | (b & 255) << 23) \
    K(add_exponent, (d, c, all & 255, mask), exponent_plus(c, all & 255))

struct operands {
    uint32_t b[LANES], c[LANES], d[LANES], all, more, mask;
};

typedef void apply(const struct simple_kernels *k, uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t all,
                   uint32_t more, uint32_t mask);
typedef uint32_t expect(uint32_t b, uint32_t c, uint32_t all, uint32_t more);

#define K(name, arguments, ...) \
    static void apply_##name(const struct simple_kernels *k, uint32_t *d, const uint32_t *b, const uint32_t *c, \
                             uint32_t all, uint32_t more, uint32_t mask) { \
        (void)b, (void)all, (void)more; \
        k->name arguments; \
    } \
    static uint32_t expect_##name(uint32_t b, uint32_t c, uint32_t all, uint32_t more) { \
        (void)b, (void)all, (void)more; \
        return __VA_ARGS__; \
    }
KERNELS(K)
#undef K

static const struct kernel {
    const char *name;
    apply *apply;
    expect *expect;
} kernels[] = {
#define K(name, ...) { #name, apply_##name, expect_##name },
    KERNELS(K)
#undef K
};
enum { KERNELS_COUNT = sizeof kernels / sizeof kernels[0] };

static void check(const struct lanes *lanes, const struct kernel *k, const struct operands *o, unsigned alias) {
    struct operands x = *o;
    uint32_t *d = alias == 0 ? x.d : alias == 1 ? x.b : x.c, before[LANES];
    memcpy(before, d, sizeof before);
    k->apply(&lanes->simple, d, x.b, x.c, o->all, o->more, o->mask);
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t want = o->mask >> i & 1 ? k->expect(o->b[i], o->c[i], o->all, o->more) : before[i];
        if (d[i] != want)
            fail_msg("%s %s(b %08x c %08x all %08x) gives %08x in lane %u of mask %08x, not %08x", lanes->level,
                     k->name, o->b[i], o->c[i], o->all, d[i], i, o->mask, want);
    }
}

static void test_random(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct operands o = { .all = draw(&seed), .more = draw(&seed), .mask = draw_mask(&seed) };
        for (unsigned i = 0; i < LANES; i++)
            o.b[i] = draw(&seed), o.c[i] = draw(&seed), o.d[i] = draw(&seed);
        for (unsigned level = 0; lanes_at(level); level++)
            for (unsigned k = 0; k < KERNELS_COUNT; k++)
                check(lanes_at(level), &kernels[k], &o, round % 3);
    }
}

/* c has every high half, with low halves that matter. */
static void test_high_halves(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (uint32_t half = 0; half < 0x10000; half += 8) {
        struct operands o = { .all = draw(&seed), .mask = UINT32_MAX };
        for (unsigned i = 0; i < LANES; i++) {
            static const uint32_t low[] = { 0, 1, 0xFFFF };
            o.c[i] = (half + i / 4) << 16 | (i % 4 < 3 ? low[i % 4] : (uint32_t)random_next(&seed) >> 16);
            o.b[i] = draw(&seed);
        }
        for (unsigned level = 0; lanes_at(level); level++)
            for (unsigned k = 0; k < KERNELS_COUNT; k++)
                check(lanes_at(level), &kernels[k], &o, 0);
    }
}

/* Every edge with every other, and every amount of a shift. */
static void test_edges(void **state) {
    (void)state;
    for (unsigned e = 0; e < EDGES; e++)
        for (int32_t amount = -70; amount <= 70; amount++) {
            struct operands o = { .all = (uint32_t)amount, .mask = UINT32_MAX };
            for (unsigned i = 0; i < LANES; i++) {
                o.b[i] = edges[i];
                o.c[i] = amount % 2 ? edges[e] : (uint32_t)amount;
            }
            for (unsigned level = 0; lanes_at(level); level++)
                for (unsigned k = 0; k < KERNELS_COUNT; k++)
                    check(lanes_at(level), &kernels[k], &o, 0);
        }
}

/* ---- Masks of lanes ------------------------------------------------------------------------------------ */

static void test_lane_masks(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < 10 * ROUNDS; round++) {
        uint32_t b[LANES], c[LANES], keep = draw(&seed), negative = 0, non_zero = 0, smaller = 0;
        for (unsigned i = 0; i < LANES; i++) {
            b[i] = draw(&seed);
            c[i] = random_below(&seed, 4) ? draw(&seed) : b[i] ^ 0x80000000 * random_below(&seed, 2);
            negative |= c[i] >> 31 << i;
            non_zero |= (uint32_t)((c[i] & keep) != 0) << i;
            smaller |= (uint32_t)below(c[i], b[i]) << i;
        }
        for (unsigned level = 0; lanes_at(level); level++) {
            const struct simple_kernels *k = &lanes_at(level)->simple;
            assert_int_equal(k->negative(c), negative);
            assert_int_equal(k->non_zero(c, keep), non_zero);
            assert_int_equal(k->smaller(c, b), smaller);
        }
    }
}

static void test_spread(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t old = draw(&seed), lanes = draw_mask(&seed), mask = draw_mask(&seed);
        for (unsigned level = 0; lanes_at(level); level++) {
            uint32_t d[LANES];
            for (unsigned i = 0; i < LANES; i++)
                d[i] = old + i;
            lanes_at(level)->simple.spread(d, lanes, mask);
            for (unsigned i = 0; i < LANES; i++)
                assert_int_equal(d[i], mask >> i & 1 ? (lanes >> i & 1 ? UINT32_MAX : 0) : old + i);
        }
    }
}

/* ---- Transposition ---------------------------------------------------------------------------------------- */

static void test_transpose(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t c[4][LANES], mask = draw_mask(&seed);
        for (unsigned i = 0; i < 4 * LANES; i++)
            c[i / LANES][i % LANES] = draw(&seed);
        for (unsigned level = 0; lanes_at(level); level++) {
            uint32_t d[4][LANES];
            memcpy(d, c, sizeof d);
            lanes_at(level)->simple.transpose(d, d, mask);
            for (unsigned n = 0; n < 4; n++)
                for (unsigned i = 0; i < LANES; i++)
                    assert_int_equal(d[n][i], mask >> i & 1 ? c[i / 8][8 * n + i % 8] : c[n][i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),     cmocka_unit_test(test_high_halves), cmocka_unit_test(test_edges),
        cmocka_unit_test(test_lane_masks), cmocka_unit_test(test_spread),      cmocka_unit_test(test_transpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
