/* How L1 adds at every level of this host, against plain code: pairs of 16 bits at random and all edges with all
 * patterns, and a table of sums that the official simulator has computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "numeric/lanes/lanes.h"
#include "pack_models.h"
#include "support/random.h"

enum { PIECES = 8, HALVES = PIECES * 8, WORDS = PIECES * 4 };

static uint16_t model_half(enum pack_out out, uint16_t l1, uint16_t data) {
    return out == PACK_TO_BF16 ? model_add_bf16(l1, data) : model_add_fp16(l1, data);
}

static void compare_halves(const struct lanes *lanes, enum pack_out out, const uint16_t *l1, const uint16_t *data,
                           unsigned pieces) {
    uint16_t sum[HALVES];
    memcpy(sum, l1, sizeof sum);
    lanes->pack.add[out]((uint8_t *)sum, (const uint8_t *)data, pieces);
    for (unsigned i = 0; i < HALVES; i++) {
        uint16_t want = i < pieces * 8 ? model_half(out, l1[i], data[i]) : l1[i];
        if (sum[i] != want)
            fail_msg("%s, format %u: 0x%x + 0x%x gives 0x%x, not 0x%x", lanes->level, out, l1[i], data[i], sum[i],
                     want);
    }
}

static const uint16_t edges[] = { 0,      1,      0x7F,   0x80,   0x81,   0x3FF,  0x400,  0x401,  0x7BFF, 0x7C00,
                                  0x7F7F, 0x7F80, 0x7F81, 0x7FFF, 0x3C00, 0x3F80, 0x7800, 0x7400, 0x77FF, 0x7F00 };

static void all_with_edges(const struct lanes *lanes, enum pack_out out) {
    uint16_t l1[HALVES], data[HALVES];
    for (unsigned e = 0; e < 2 * sizeof edges / sizeof edges[0]; e++) {
        uint16_t edge = (uint16_t)(edges[e / 2] | e % 2 << 15);
        for (unsigned first = 0; first < 65536; first += HALVES) {
            for (unsigned i = 0; i < HALVES; i++)
                l1[i] = edge, data[i] = (uint16_t)(first + i);
            compare_halves(lanes, out, l1, data, PIECES);
            compare_halves(lanes, out, data, l1, PIECES);
        }
    }
}

/* Half of them close to each other, and of any number of pieces. */
static void halves_at_random(const struct lanes *lanes, enum pack_out out) {
    uint16_t l1[HALVES], data[HALVES];
    uint64_t seed = out;
    for (unsigned turn = 0; turn < 16000; turn++) {
        for (unsigned i = 0; i < HALVES; i++) {
            l1[i] = (uint16_t)random_next(&seed);
            data[i] = (uint16_t)random_next(&seed);
            if (random_below(&seed, 2))
                data[i] = (uint16_t)((l1[i] ^ 0x8000) + random_below(&seed, 512) - 256);
        }
        compare_halves(lanes, out, l1, data, 1 + random_below(&seed, PIECES));
    }
}

static void halves(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        all_with_edges(lanes, PACK_TO_BF16);
        all_with_edges(lanes, PACK_TO_FP16);
        halves_at_random(lanes, PACK_TO_BF16);
        halves_at_random(lanes, PACK_TO_FP16);
    }
}

static uint32_t near_word(uint64_t *seed, uint32_t x) {
    uint32_t y = (uint32_t)random_next(seed);
    switch (random_below(seed, 4)) {
    case 0: return y;
    case 1: return x ^ 0x80000000 ^ random_below(seed, 4);
    case 2: return (y & 0x807FFFFF) | (x & 0x7F800000);
    default: return (y & 0x80000000) | (y & 0x7FFFFFFF) >> random_below(seed, 31);
    }
}

static void words_at_random(const struct lanes *lanes, enum pack_out out) {
    uint32_t l1[WORDS], data[WORDS], sum[WORDS];
    uint64_t seed = 10 + out;
    for (unsigned turn = 0; turn < 30000; turn++) {
        unsigned pieces = 1 + random_below(&seed, PIECES);
        for (unsigned i = 0; i < WORDS; i++) {
            sum[i] = l1[i] = near_word(&seed, random_below(&seed, 2) ? 0x7F800000 : 0x3F800000);
            data[i] = near_word(&seed, l1[i]);
        }
        lanes->pack.add[out]((uint8_t *)sum, (const uint8_t *)data, pieces);
        for (unsigned i = 0; i < WORDS; i++) {
            uint32_t want = out == PACK_TO_FP32 ? model_add_fp32(l1[i], data[i]) : model_add_int32(l1[i], data[i]);
            assert_int_equal(sum[i], i < pieces * 4 ? want : l1[i]);
        }
    }
}

static void words(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        words_at_random(lanes, PACK_TO_FP32);
        words_at_random(lanes, PACK_TO_INT32);
    }
}

/* Saturation, and what is and what is not zero. */
static void integers(void **state) {
    static const uint32_t cases[][3] = {
        { 0x7FFFFFFF, 1, 0x7FFFFFFF },
        { 0xFFFFFFFF, 0x80000001, 0xFFFFFFFF },
        { 5, 0x80000005, 0 },
        { 0x80000005, 5, 0 },
        { 0x80000000, 0x80000000, 0 },
        { 5, 0x80000007, 0x80000002 },
        { 0xC0000000, 0xC0000000, 0xFFFFFFFF },
        { 0x80000007, 5, 0x80000002 },
        { 3, 4, 7 },
    };
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            uint32_t l1[4] = { 1, 1, cases[i][0], 1 }, data[4] = { 2, 2, cases[i][1], 2 };
            lanes->pack.add[PACK_TO_INT32]((uint8_t *)l1, (const uint8_t *)data, 1);
            assert_int_equal(l1[2], cases[i][2]);
            assert_int_equal(l1[3], 3);
        }
    }
}

/* The old contents of L1, the addend and the sum, from the official simulator. */
static const struct recorded {
    enum pack_out out;
    uint32_t l1, data, sum;
} recorded[] = {
#include "data/pack_sums.inc"
};

static void sums(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
            const struct recorded *r = &recorded[i];
            uint32_t l1[4] = { r->l1, 0, 0, r->l1 }, data[4] = { r->data, 0, 0, r->data };
            lanes->pack.add[r->out]((uint8_t *)l1, (const uint8_t *)data, 1);
            assert_int_equal(l1[0], r->sum);
            assert_int_equal(l1[3], r->sum);
        }
    }
}

static void table(void **state) {
    const struct lanes *lanes = lanes_best();
    (void)state;
    for (unsigned out = 0; out < PACK_OUTS; out++)
        assert_int_equal(lanes->pack.add[out] != NULL,
                         out == PACK_TO_FP32 || out == PACK_TO_FP16 || out == PACK_TO_BF16 || out == PACK_TO_INT32);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(table), cmocka_unit_test(halves), cmocka_unit_test(words),
                                        cmocka_unit_test(integers), cmocka_unit_test(sums) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
