/* The Matrix Unit's arithmetic: what was recorded of ttsim, by the integer model and by the kernels of every level; and
 * what makes it special, one case each, by the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "matrix_recorded.h"
#include "numeric/lanes/lanes.h"
#include "numeric/matrix/model.h"

static const struct recorded_blocks blocks[] = {
#include "data/matrix_blocks.inc"
};
static const struct recorded_element elements[] = {
#include "data/matrix_elements.inc"
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0], ELEMENTS = sizeof elements / sizeof elements[0] };

/* ---- Recorded ---------------------------------------------------------------------------------------------------- */

static uint32_t model_element(const struct recorded_blocks *r, const struct block *x, unsigned broadcast, unsigned row,
                              unsigned column) {
    struct matrix_mode mode = recorded_mode(r);
    uint32_t a[16], b[16], dst = get_dst(x, &mode, row, column);
    for (unsigned k = 0; k < 16; k++) {
        a[k] = datum(&x->a, k, column);
        b[k] = datum(&x->b, row, k);
    }
    uint32_t one = datum(&x->a, row, column), other = datum(&x->b, broadcast & 2 ? 0 : row, broadcast & 1 ? 0 : column);
    switch (r->operation) {
    case MVMUL:
    case GAPOOL: return matrix_model_dot(&mode, a, b, dst);
    case ELWMUL: return matrix_model_multiply(&mode, one, other, dst);
    case ELWADD:
    case ELWSUB: return matrix_model_add(&mode, one, other, r->operation == ELWSUB, r->accumulate ? dst : 0);
    default: break;
    }
    if (row > 0)
        return 0;
    if (x->invalid & 1)
        dst = UINT32_MAX;
    dst = matrix_model_maximum(&mode, a, b, false, mode.wide ? dst : dst << 16);
    return mode.wide ? dst : dst >> 16;
}

static void model_block(const struct recorded_blocks *r, struct block *x, unsigned broadcast) {
    struct matrix_mode mode = recorded_mode(r);
    for (unsigned row = 0; row < recorded_rows(r->operation); row++)
        for (unsigned column = 0; column < 16; column++)
            put_dst(x, &mode, row, column, model_element(r, x, broadcast, row, column));
}

static void run_block(const struct matrix_kernels *k, const struct recorded_blocks *r, struct block *x,
                      unsigned broadcast) {
    struct matrix_mode mode = recorded_mode(r);
    struct matrix_dst dst = { { x->dst[0], x->dst[FAR] }, x->invalid, (1u << recorded_rows(r->operation)) - 1 };
    struct matrix_src a = { x->a.mantissa[0], x->a.exponent[0] }, b = { x->b.mantissa[0], x->b.exponent[0] };
    struct matrix_a prepared_a[2];
    struct matrix_b prepared_b;
    switch (r->operation) {
    case ELWMUL: k->scale(&dst, a, b, broadcast, &mode); return;
    case ELWADD:
    case ELWSUB: k->add(&dst, a, b, broadcast, r->operation == ELWSUB, r->accumulate, &mode); return;
    case GMPOOL: k->maximum(&dst, a, b, false, &mode); return;
    default: break;
    }
    k->prepare_a(&prepared_a[0], a, &mode);
    k->prepare_a(&prepared_a[1], (struct matrix_src){ x->a.mantissa[8], x->a.exponent[8] }, &mode);
    k->prepare_b(&prepared_b, b, &mode);
    k->multiply(&dst, (const struct matrix_a *[2]){ &prepared_a[0], &prepared_a[1] }, &prepared_b, &mode);
}

/* kernels: NULL for the model. */
static uint64_t hash_of(const struct recorded_blocks *r, const struct matrix_kernels *kernels) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < RECORDED_BLOCKS; i++) {
        struct block x;
        unsigned broadcast = draw_recorded(&x, r, i);
        if (kernels)
            run_block(kernels, r, &x, broadcast);
        else
            model_block(r, &x, broadcast);
        x.invalid = 0;
        hash = recorded_hash(hash, &x, r);
    }
    return hash;
}

static void test_recorded_blocks(void **state) {
    (void)state;
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (hash_of(&blocks[i], NULL) != blocks[i].hash)
            fail_msg("the model differs from line %u", i + 2);
        for (unsigned level = 0; lanes_at(level); level++)
            if (hash_of(&blocks[i], &lanes_at(level)->matrix) != blocks[i].hash)
                fail_msg("%s differs from line %u", lanes_at(level)->level, i + 2);
    }
}

static void test_recorded_elements(void **state) {
    (void)state;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        const struct recorded_element *r = &elements[i];
        struct matrix_mode mode = {
            .a = r->style, .b = r->style, .phase = r->phase, .wide = r->wide, .keep_b = r->keep_b
        };
        uint32_t dst = r->accumulate ? r->dst : 0;
        uint32_t got = r->operation == ELWMUL ? matrix_model_multiply(&mode, r->a, r->b, dst)
                                              : matrix_model_add(&mode, r->a, r->b, r->operation == ELWSUB, dst);
        if (got != r->want)
            fail_msg("line %u: %08x, not %08x", i + 3, got, r->want);
    }
}

/* ---- One by one -------------------------------------------------------------------------------------------------- */

/* A datum of Src: exponent and ten bits of mantissa. */
static uint32_t number(uint32_t exponent, uint32_t mantissa) {
    return mantissa << 8 | exponent;
}

#define NEGATIVE (UINT32_C(1) << 18)
#define ONE      number(127, 0)

/* As Dst has them. */
static uint32_t fp32_dst(uint32_t bits) {
    return (bits & 0x80000000) | (bits >> 16 & 0x7F) << 24 | (bits >> 23 & 0xFF) << 16 | (bits & 0xFFFF);
}

static uint32_t bf16_dst(uint32_t bits) {
    return (bits & 0x8000) | (bits & 0x7F) << 8 | (bits >> 7 & 0xFF);
}

static const struct matrix_mode bf16 = { .a = MATRIX_BF16, .b = MATRIX_BF16 };
static const struct matrix_mode fp32 = { .a = MATRIX_BF16, .b = MATRIX_BF16, .wide = true };
static const struct matrix_mode half = { .a = MATRIX_FP16, .b = MATRIX_FP16 };
static const struct matrix_mode int8 = { .a = MATRIX_INT8, .b = MATRIX_INT8, .wide = true, .phase = 3 };

struct terms {
    uint32_t a[16], b[16];
};

static uint32_t dot(const struct matrix_mode *mode, struct terms t, uint32_t dst) {
    return matrix_model_dot(mode, t.a, t.b, dst);
}

static void test_simple(void **state) {
    (void)state;
    struct terms t = { { ONE, number(128, 0x200) }, { ONE, ONE } }; /* 1 + 3 */
    assert_int_equal(dot(&bf16, t, 0), bf16_dst(0x4080));
    assert_int_equal(dot(&fp32, t, fp32_dst(0x3F800000)), fp32_dst(0x40A00000));
    struct terms h = { { number(15, 0) }, { number(16, 0x200) } };
    assert_int_equal(dot(&half, h, 0), 0x200 << 5 | 16);
    struct matrix_mode wide = half;
    wide.wide = true;
    assert_int_equal(dot(&wide, h, 0), fp32_dst(0x40400000));
}

/* Half of a unit (2^-10): away from zero among eight products. */
static void test_tie_of_products(void **state) {
    (void)state;
    struct terms t = { { ONE, ONE }, { ONE, number(127 - 11, 0) } };
    assert_int_equal(dot(&fp32, t, 0), fp32_dst(0x3F802000));
    t.b[1] |= NEGATIVE;
    assert_int_equal(dot(&fp32, t, 0), fp32_dst(0x3F7FC000));
    t.b[1]--;
    assert_int_equal(dot(&fp32, t, 0), fp32_dst(0x3F800000));
}

/* Half of a unit (2^-23): upward for a group of eight, away from zero for Dst. */
static void test_tie_of_sums(void **state) {
    (void)state;
    struct terms t = { { [0] = ONE, [8] = ONE }, { [0] = ONE, [8] = number(127 - 24, 0) } };
    assert_int_equal(dot(&fp32, t, 0), fp32_dst(0x3F800001));
    t.b[8] |= NEGATIVE;
    assert_int_equal(dot(&fp32, t, 0), fp32_dst(0x3F800000));
    struct terms one = { { ONE }, { ONE } };
    uint32_t tiny = UINT32_C(103) << 23;
    assert_int_equal(dot(&fp32, one, fp32_dst(tiny)), fp32_dst(0x3F800001));
    tiny |= 0x80000000;
    assert_int_equal(dot(&fp32, one, fp32_dst(tiny)), fp32_dst(0x3F7FFFFE));
}

/* 1 - 1 + 8191 * 2^-24: into 16 bits it is rounded twice, first to 4096 * 2^-23, then to 2^-10. */
static void test_rounds_twice(void **state) {
    (void)state;
    struct terms t = { { ONE }, { ONE } };
    static const uint32_t factors[3][2] = { { 16, 64 }, { 28, 122 }, { 31, 121 } };
    for (unsigned i = 0; i < 3; i++) {
        t.a[8 + i] = number(127, (factors[i][0] & 15) << 6);
        t.b[8 + i] = number(127 - 14, (factors[i][1] & 63) << 4);
    }
    assert_int_equal(dot(&bf16, t, bf16_dst(0xBF80)), bf16_dst(0x3A80));
    t.a[10] = number(127, (30 & 15) << 6); /* 8190 */
    t.b[10] = number(127 - 14, (125 & 63) << 4);
    assert_int_equal(dot(&bf16, t, bf16_dst(0xBF80)), 0);
}

/* A product of zero bits has an exponent: what is 30 places below is lost, in Dst too. A zero operand has none. */
static void test_zero_bits_count(void **state) {
    (void)state;
    struct matrix_mode low = bf16;
    low.phase = 1;
    struct terms t = { { number(127 + 35, 0) }, { ONE } };
    assert_int_equal(dot(&low, t, bf16_dst(0x3F80)), 0);
    t.a[0] = number(0, 0x3F8);
    assert_int_equal(dot(&low, t, bf16_dst(0x3F80)), bf16_dst(0x3F80));
}

static void test_ends(void **state) {
    (void)state;
    struct terms great = { { number(255, 0) }, { number(128, 0) } }, small = { { number(1, 0) }, { number(127, 0) } };
    assert_int_equal(dot(&bf16, great, 0), 0x00FF);
    great.a[0] |= NEGATIVE;
    assert_int_equal(dot(&bf16, great, 0), 0x80FF);
    assert_int_equal(dot(&bf16, small, 0), 1);
    small.b[0]--;
    assert_int_equal(dot(&bf16, small, 0), 0);
    struct terms h = { { number(31, 0) }, { number(15, 0x200) } };
    assert_int_equal(dot(&half, h, 0), 0x200 << 5 | 31);
    h.b[0]++;
    assert_int_equal(dot(&half, h, 0), 0x7FFF);
    struct terms nothing = { { 0 }, { 0 } };
    assert_int_equal(dot(&bf16, nothing, 0x8000), 0);
    assert_int_equal(dot(&bf16, nothing, 0x7F00), 0); /* a denormal in Dst */
}

/* 1.fff * 1.fff in four phases; SrcA's last bit of TF32 is in none. */
static void test_phases(void **state) {
    (void)state;
    struct matrix_mode mode = { .a = MATRIX_TF32, .b = MATRIX_TF32, .wide = true };
    struct terms t = { { number(127, 0x3FF) }, { number(127, 0x3FF) } };
    static const uint32_t want[4] = { 31 * 127, 31 * 127, 31 * 120, 31 * 120 };
    static const uint32_t down[4] = { 0, 5, 7, 12 };
    for (mode.phase = 0; mode.phase < 4; mode.phase++) {
        uint32_t fraction = want[mode.phase] << 12 & 0x7FFFFF; /* 12 bits: 2^11 is 2 */
        uint32_t bits = (128 - down[mode.phase]) << 23 | fraction;
        assert_int_equal(dot(&mode, t, 0), fp32_dst(bits));
    }
}

static void test_integers(void **state) {
    (void)state;
    struct matrix_mode mode = int8;
    uint32_t a = number(16, 0x3FF), b = number(16, 0x3FF), sum = 0;
    static const uint32_t want[4] = { 0xE0 * 0x3F0, 0x1F * 0x3F0, 0xE0 * 0xF, 0x1F * 0xF };
    for (mode.phase = 0; mode.phase < 4; mode.phase++) {
        assert_int_equal(matrix_model_multiply(&mode, a, b, 0), fp32_dst(want[mode.phase]));
        sum += want[mode.phase];
    }
    assert_int_equal(sum, 0xFF * 0x3FF);
    assert_int_equal(matrix_model_multiply(&int8, a | NEGATIVE, b, fp32_dst(100)), fp32_dst(0x80000000 + 365));
    assert_int_equal(matrix_model_multiply(&int8, a, b, fp32_dst(0x7FFFFFF0)), fp32_dst(0x7FFFFFFF));
    assert_int_equal(matrix_model_add(&int8, a, b | NEGATIVE, true, fp32_dst(0x7FFFFFF0)), fp32_dst(0x7FFFFFFF));
    assert_int_equal(matrix_model_multiply(&int8, a | NEGATIVE, b, fp32_dst(0xFFFFFFF0)), fp32_dst(0xFFFFFFFF));
    assert_int_equal(matrix_model_add(&int8, number(0, 5), number(16, 7), true, 0), fp32_dst(0x80000007));
}

static void test_add(void **state) {
    (void)state;
    assert_int_equal(matrix_model_add(&bf16, ONE, ONE, true, 0), 0);
    assert_int_equal(matrix_model_add(&bf16, ONE, number(128, 0x200), true, 0), bf16_dst(0xC000));
    /* 11 places down is half of the last place, 12 is nothing. */
    assert_int_equal(matrix_model_add(&fp32, number(127 + 11, 0), ONE, false, 0), fp32_dst(0x45002000));
    assert_int_equal(matrix_model_add(&fp32, number(127 + 12, 0), ONE, false, 0), fp32_dst(0x45800000));
    struct matrix_mode phase = fp32;
    phase.phase = 3;
    assert_int_equal(matrix_model_add(&phase, ONE, ONE, false, fp32_dst(0x3F800000)), fp32_dst(0x3F801000));
}

/* ---- GMPOOL (GMPOOL.md) ------------------------------------------------------------------------------------------ */

struct column {
    uint32_t a[16], b[16];
};

static struct column column_of(uint32_t scale) {
    struct column c = { { 0 }, { 0 } };
    for (unsigned i = 0; i < 16; i++)
        c.b[i] = scale;
    return c;
}

static uint32_t pool(const struct matrix_mode *mode, const struct column *c, bool index, uint32_t dst) {
    return matrix_model_maximum(mode, c->a, c->b, index, dst);
}

static void test_maximum(void **state) {
    (void)state;
    struct column c = column_of(ONE);
    for (unsigned i = 0; i < 16; i++)
        c.a[i] = number(120 + i, 0) | NEGATIVE;
    assert_int_equal(pool(&fp32, &c, false, UINT32_MAX), fp32_dst(0xBC000000));
    assert_int_equal(pool(&fp32, &c, false, fp32_dst(0x80000000)), fp32_dst(0x80000000));
    c.a[13] = number(0, 0x3FF) | NEGATIVE; /* counts as zero */
    assert_int_equal(pool(&fp32, &c, false, UINT32_MAX), 0);
    c.a[5] = number(130, 0x3F8);
    assert_int_equal(pool(&fp32, &c, false, 0), fp32_dst(0x417F0000));
    c.b[5] = number(129, 0x155); /* times 4: only the exponent counts */
    assert_int_equal(pool(&fp32, &c, false, 0), fp32_dst(0x427F0000));
    c.b[5] = number(0, 0x155); /* out of the way */
    assert_int_equal(pool(&bf16, &c, false, 0x8080u << 16), 0);
}

/* The index of the first eight rows is 3 * row; of equal values the last one in the order 4 5 6 7 0 1 2 3 decides. */
static void test_maximum_index(void **state) {
    (void)state;
    struct column c = column_of(ONE);
    c.a[2] = number(128, 0);
    assert_int_equal(pool(&fp32, &c, true, UINT32_MAX), 0x00800006);
    c.a[2] = ONE;
    assert_int_equal(pool(&fp32, &c, true, 0x00800006), 0x00800106);
    c.a[5] = number(128, 0);
    assert_int_equal(pool(&fp32, &c, true, 0x00800106), 0x00800227);
    c.a[3] = number(128, 0);
    assert_int_equal(pool(&fp32, &c, true, 0x00800106), 0x00800221);
    c.a[9] = number(129, 0x80);
    assert_int_equal(pool(&fp32, &c, true, 0x00800F06), 0x10810001);
    struct matrix_mode tf32 = fp32;
    tf32.a = tf32.b = MATRIX_TF32;
    assert_int_equal(pool(&tf32, &c, true, 0x00000306), 0x00000441);
}

static void test_maximum_of_others(void **state) {
    (void)state;
    struct column c = column_of(number(15, 0));
    c.a[1] = number(15, 0x123);
    assert_int_equal(pool(&half, &c, false, 0xFFFF0000), (0x123u << 5 | 15) << 16);
    c = column_of(number(16, 0));
    c.a[7] = number(16, 0x2FF);
    assert_int_equal(pool(&int8, &c, false, fp32_dst(0x80000005)), 0x2FF);
    assert_int_equal(pool(&int8, &c, false, fp32_dst(0x12345)), 0x345); /* 13 bits are left of it */
    assert_int_equal(pool(&int8, &c, true, 0x00000005), 0x115);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_blocks),
        cmocka_unit_test(test_recorded_elements),
        cmocka_unit_test(test_simple),
        cmocka_unit_test(test_tie_of_products),
        cmocka_unit_test(test_tie_of_sums),
        cmocka_unit_test(test_rounds_twice),
        cmocka_unit_test(test_zero_bits_count),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_maximum_index),
        cmocka_unit_test(test_maximum_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
