/* Expansions word by word against a straight reading of the functional model of MOPExpander.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "isa/tensix.h"
#include "tensix/frontend/mop.h"

enum { LIMIT = 1 << 22 };

static uint32_t nop_or(unsigned bit, uint32_t tag) {
    return bit ? 0x60000000u | tag : (uint32_t)TENSIX_NOP << 24 | tag;
}

static bool nop(uint32_t word) {
    return word >> 24 == 0x02;
}

/* ---- The model ------------------------------------------------------------------------------ */

struct out {
    uint32_t *word;
    size_t count;
};

static void yield(struct out *out, uint32_t word) {
    assert_true(out->count < LIMIT);
    out->word[out->count++] = word;
}

static void model0(struct out *out, uint64_t mask, unsigned count1, const uint32_t *c) {
    for (unsigned i = 0; i < count1 + 1; i++, mask >>= 1) {
        if ((mask & 1) == 0) {
            yield(out, c[3]);
            if (c[1] & 2) {
                yield(out, c[4]);
                yield(out, c[5]);
                yield(out, c[6]);
            }
            if (c[1] & 1)
                yield(out, c[2]);
        } else {
            yield(out, c[7]);
            if (c[1] & 1)
                yield(out, c[8]);
        }
    }
}

static void model1(struct out *out, uint32_t mop, const uint32_t *c) {
    unsigned outer = mop >> 10 & 1023 ? mop >> 10 & 1023 : c[0] & 1023;
    unsigned inner = mop & 1023 ? mop & 1023 : c[1] & 1023;
    uint32_t loop = c[5], flip = 0;
    if (!nop(c[6])) {
        flip = c[5] ^ c[6];
        inner *= 2;
    }
    if (nop(c[2]) && inner == 0 && !nop(c[3])) {
        if (nop(c[4]))
            outer += 1;
        else if (outer == 1)
            outer += 1024;
    }
    for (unsigned j = 0; j < outer; j++) {
        if (!nop(c[2]))
            yield(out, c[2]);
        for (unsigned i = 0; i < inner; i++, loop ^= flip)
            yield(out, i != inner - 1 ? loop : j != outer - 1 ? c[8] : c[7]);
        if (!nop(c[3])) {
            yield(out, c[3]);
            if (!nop(c[4]))
                yield(out, c[4]);
        }
    }
}

static void same(uint32_t mop, uint16_t mask_high, const uint32_t *config) {
    static uint32_t words[LIMIT];
    struct out out = { .word = words };
    struct mop m = { .mask_high = mask_high };
    uint32_t word = 0;
    memcpy(m.config, config, sizeof m.config);
    if (mop >> 23 & 1)
        model1(&out, mop, config);
    else
        model0(&out, (uint64_t)mask_high << 16 | (mop & 0xFFFF), mop >> 16 & 127, config);
    mop_start(&m, mop);
    for (size_t i = 0; i < out.count; i++) {
        if (!mop_next(&m, &word) || word != words[i] || m.active != (i + 1 < out.count))
            fail_msg("MOP %08x, word %zu of %zu: 0x%08x instead of 0x%08x", mop, i, out.count, word, words[i]);
    }
    assert_false(mop_next(&m, &word));
    assert_false(m.active);
}

/* ---- Template 1 --------------------------------------------------------------------------------- */

/* Bits: Start, End0, End1, Loop, Loop1, Last, LastInner are no NOPs. */
static void config1(uint32_t *c, unsigned outer, unsigned inner, unsigned kinds) {
    c[0] = outer;
    c[1] = inner;
    for (unsigned i = 0; i < 7; i++)
        c[2 + i] = nop_or(kinds >> i & 1, 0x1000 + i);
}

static const uint16_t counts[] = { 0, 1, 2, 3, 127, 128, 1023 };
enum { COUNTS = sizeof counts / sizeof counts[0] };

static void test_loops(void **state) {
    (void)state;
    for (unsigned kinds = 0; kinds < 128; kinds++)
        for (unsigned o = 0; o < COUNTS; o++)
            for (unsigned i = 0; i < COUNTS; i++) {
                uint32_t config[MOP_WORDS];
                if (counts[o] * counts[i] > 127 * 128 && kinds % 8 != 7)
                    continue; /* the long ones only with all of start and end */
                config1(config, counts[o], counts[i], kinds);
                same(0x01800000, 0xFFFF, config);
            }
}

static void test_count_has_ten_bits(void **state) {
    uint32_t config[MOP_WORDS];
    (void)state;
    config1(config, 0xFFFFFC02, 0xFFFFFC03, 0x7F);
    same(0x01800000, 0, config);
}

static void test_inline_counts(void **state) {
    uint32_t config[MOP_WORDS];
    (void)state;
    config1(config, 2, 3, 0x7F);
    for (unsigned o = 0; o < COUNTS; o++)
        for (unsigned i = 0; i < COUNTS; i++)
            same(0x01800000u | (uint32_t)counts[o] << 10 | counts[i], 0, config);
    same(0x01F00000, 0, config); /* bits 22:20 do not matter */
}

/* Literal expectations, so that the model and the expander cannot be wrong together. */
static size_t length(uint32_t mop, const uint32_t *config) {
    struct mop m = { 0 };
    uint32_t word;
    size_t count = 0;
    memcpy(m.config, config, sizeof m.config);
    mop_start(&m, mop);
    while (mop_next(&m, &word))
        count++;
    return count;
}

static void test_lengths(void **state) {
    uint32_t config[MOP_WORDS];
    (void)state;
    config1(config, 3, 4, 0x7F);
    assert_int_equal(length(0x01800000, config), 3 * (1 + 8 + 2));
    config1(config, 3, 4, 0x7F & ~0x12u); /* no End0, so no End1; no Loop1 */
    assert_int_equal(length(0x01800000, config), 3 * (1 + 4));
    config1(config, 1, 0, 0x06); /* only ends: the miscount */
    assert_int_equal(length(0x01800000, config), 1025 * 2);
    config1(config, 2, 0, 0x06);
    assert_int_equal(length(0x01800000, config), 2 * 2);
    config1(config, 2, 0, 0x02);
    assert_int_equal(length(0x01800000, config), 3);
    config1(config, 0, 0, 0x02);
    assert_int_equal(length(0x01800000, config), 1);
    config1(config, 1, 0, 0x07);
    assert_int_equal(length(0x01800000, config), 3);
    config1(config, 5, 0, 0x00);
    assert_int_equal(length(0x01800000, config), 0);
    config1(config, 1023, 1023, 0x7F);
    assert_int_equal(length(0x01800000, config), 1023 * (1 + 2046 + 2));
}

/* Which words of its configuration it makes. */
static void assert_order(struct mop *m, uint32_t word, const uint32_t *expected, size_t count) {
    for (unsigned i = 2; i < MOP_WORDS; i++)
        m->config[i] = 0x60000000u | i;
    mop_start(m, word);
    for (size_t i = 0; i < count; i++) {
        uint32_t made = 0;
        assert_true(mop_next(m, &made));
        assert_int_equal(made & 0xFF, expected[i]);
    }
    assert_false(m->active);
}

static void test_order(void **state) {
    static const uint32_t expected[] = { 2, 5, 6, 5, 8, 3, 4, 2, 5, 6, 5, 7, 3, 4 };
    struct mop m = { .config = { 2, 2 } };
    (void)state;
    assert_order(&m, 0x01800000, expected, sizeof expected / sizeof expected[0]);
}

/* ---- Template 0 ------------------------------------------------------------------------------------ */

static void test_lists(void **state) {
    static const uint32_t masks[] = { 0, 1, 0xFFFFFFFF, 0xAAAAAAAA, 0x80000001, 0x0000FFFF, 0x12345678 };
    (void)state;
    for (unsigned flags = 0; flags < 8; flags++)
        for (unsigned count = 0; count < 128; count++)
            for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
                uint32_t config[MOP_WORDS] = { 77, flags };
                for (unsigned k = 2; k < MOP_WORDS; k++)
                    config[k] = nop_or((count + k) % 3, k); /* a NOP is a word like any other here */
                same(0x01000000u | count << 16 | (masks[i] & 0xFFFF), (uint16_t)(masks[i] >> 16), config);
            }
}

static void test_list_order(void **state) {
    static const uint32_t expected[] = { 3, 4, 5, 6, 2, 7, 8, 3, 4, 5, 6, 2 };
    struct mop m = { .config = { 0, 3 } };
    (void)state;
    assert_order(&m, 0x01020002, expected, sizeof expected / sizeof expected[0]);
}

/* ---- Configuration that changes under way ------------------------------------------------------------- */

static void test_config_is_read_as_it_goes(void **state) {
    struct mop m = { 0 };
    uint32_t word = 0;
    (void)state;
    config1(m.config, 2, 3, 0x7F & ~0x10u);
    mop_start(&m, 0x01800000);
    assert_true(mop_next(&m, &word)); /* Start */
    assert_true(mop_next(&m, &word)); /* Loop */
    assert_int_equal(word, m.config[5]);
    m.config[5] = 0x61000000;
    assert_true(mop_next(&m, &word));
    assert_int_equal(word, 0x61000000);
    m.config[8] = 0x62000000;
    assert_true(mop_next(&m, &word));
    assert_int_equal(word, 0x62000000);
    m.config[3] = (uint32_t)TENSIX_NOP << 24; /* no end any more */
    m.config[2] = 0x63000000;
    assert_true(mop_next(&m, &word));
    assert_int_equal(word, 0x63000000);
    m.config[0] = m.config[1] = 0; /* the counts are those of the start */
    for (unsigned i = 0; i < 3; i++)
        assert_true(mop_next(&m, &word));
    assert_int_equal(word, m.config[7]);
    assert_false(m.active);
}

static void test_the_end_can_vanish(void **state) {
    struct mop m = { 0 };
    uint32_t word = 0;
    (void)state;
    config1(m.config, 1, 1, 0x7F & ~0x14u);
    mop_start(&m, 0x01800000);
    assert_true(mop_next(&m, &word));
    assert_true(mop_next(&m, &word));
    assert_true(m.active);
    m.config[3] = (uint32_t)TENSIX_NOP << 24;
    assert_false(mop_next(&m, &word));
    assert_false(m.active);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_count_has_ten_bits),
        cmocka_unit_test(test_inline_counts),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_list_order),
        cmocka_unit_test(test_config_is_read_as_it_goes),
        cmocka_unit_test(test_the_end_can_vanish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
