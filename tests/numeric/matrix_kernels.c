/* The Matrix Unit's kernels at every level of this host against the integer model: all styles, phases and widths, with
 * exponents far apart and close together, zeros, denormals, the greatest numbers, and sums that cancel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "matrix_blocks.h"
#include "numeric/lanes/lanes.h"
#include "numeric/matrix/model.h"

static unsigned rounds = 60; /* for each mode */

/* ---- The model ----------------------------------------------------------------------------------------------- */

static void model_multiply(struct block *x, const struct matrix_mode *mode, unsigned mask) {
    for (unsigned row = 0; row < 8; row++)
        for (unsigned column = 0; column < 16 && mask >> row & 1; column++) {
            uint32_t a[16], b[16];
            for (unsigned k = 0; k < 16; k++) {
                a[k] = datum(&x->a, k, column);
                b[k] = datum(&x->b, row, k);
            }
            put_dst(x, mode, row, column, matrix_model_dot(mode, a, b, get_dst(x, mode, row, column)));
        }
}

static void model_elements(struct block *x, const struct matrix_mode *mode, unsigned mask, unsigned broadcast, bool add,
                           bool subtract, bool accumulate) {
    for (unsigned row = 0; row < 8; row++)
        for (unsigned column = 0; column < 16 && mask >> row & 1; column++) {
            uint32_t a = datum(&x->a, row, column);
            uint32_t b = datum(&x->b, broadcast & 2 ? 0 : row, broadcast & 1 ? 0 : column);
            uint32_t dst = get_dst(x, mode, row, column);
            dst = !add ? matrix_model_multiply(mode, a, b, dst)
                       : matrix_model_add(mode, a, b, subtract, accumulate ? dst : 0);
            put_dst(x, mode, row, column, dst);
        }
}

static void model_maximum(struct block *x, const struct matrix_mode *mode, bool index) {
    bool wide = is_wide(mode);
    for (unsigned column = 0; column < 16; column++) {
        uint32_t a[16], b[16], dst = get_dst(x, mode, 0, column);
        if (x->invalid & 1)
            dst = wide ? 0xFFFFFFFF : 0xFFFF;
        for (unsigned k = 0; k < 16; k++) {
            a[k] = datum(&x->a, k, column);
            b[k] = datum(&x->b, 0, k);
        }
        dst = matrix_model_maximum(mode, a, b, index, wide ? dst : dst << 16);
        put_dst(x, mode, 0, column, wide ? dst : dst >> 16);
        for (unsigned row = 1; row < 4; row++) {
            uint32_t old = x->invalid >> row & 1 ? 0xFFFFFFFF : get_dst(x, mode, row, column);
            put_dst(x, mode, row, column, wide && index ? (old + 0x100) & 0xF00 : 0);
        }
    }
}

/* ---- The kernels of a level ------------------------------------------------------------------------------------- */

static struct matrix_dst dst_of(struct block *x, unsigned mask) {
    return (struct matrix_dst){ { x->dst[0], x->dst[FAR] }, x->invalid, mask };
}

static struct matrix_src src_of(const struct src *s, unsigned row) {
    return (struct matrix_src){ s->mantissa[row], s->exponent[row] };
}

static void run_multiply(const struct matrix_kernels *k, struct block *x, const struct matrix_mode *mode,
                         unsigned mask) {
    struct matrix_a a[2];
    struct matrix_b b;
    k->prepare_a(&a[0], src_of(&x->a, 0), mode);
    k->prepare_a(&a[1], src_of(&x->a, 8), mode);
    k->prepare_b(&b, src_of(&x->b, 0), mode);
    struct matrix_dst dst = dst_of(x, mask);
    k->multiply(&dst, (const struct matrix_a *[2]){ &a[0], &a[1] }, &b, mode);
}

/* ---- Comparison ------------------------------------------------------------------------------------------------- */

enum operation { MULTIPLY, SCALE, ADD, SUBTRACT, ASSIGN_ADD, ASSIGN_SUBTRACT, MAXIMUM, MAXIMUM_INDEX, OPERATIONS };
static const char *const names[OPERATIONS] = { "MVMUL",  "ELWMUL", "ELWADD +=", "ELWSUB +=",
                                               "ELWADD", "ELWSUB", "GMPOOL",    "GMPOOL index" };

struct task {
    enum operation operation;
    unsigned mask, broadcast;
};

static bool subtracts(enum operation o) {
    return o == SUBTRACT || o == ASSIGN_SUBTRACT;
}

static void model(struct block *x, const struct matrix_mode *mode, struct task t) {
    bool accumulate = t.operation < ASSIGN_ADD;
    if (t.operation == MULTIPLY)
        model_multiply(x, mode, t.mask);
    else if (t.operation >= MAXIMUM)
        model_maximum(x, mode, t.operation == MAXIMUM_INDEX);
    else
        model_elements(x, mode, t.mask, t.broadcast, t.operation != SCALE, subtracts(t.operation), accumulate);
}

static void run(const struct matrix_kernels *k, struct block *x, const struct matrix_mode *mode, struct task t) {
    struct matrix_dst dst = dst_of(x, t.mask);
    struct matrix_src a = src_of(&x->a, 0), b = src_of(&x->b, 0);
    if (t.operation == MULTIPLY)
        run_multiply(k, x, mode, t.mask);
    else if (t.operation == SCALE)
        k->scale(&dst, a, b, t.broadcast, mode);
    else if (t.operation >= MAXIMUM)
        k->maximum(&dst, a, b, t.operation == MAXIMUM_INDEX, mode);
    else
        k->add(&dst, a, b, t.broadcast, subtracts(t.operation), t.operation < ASSIGN_ADD, mode);
}

static void compare(const struct block *x, const struct block *got, const struct block *want,
                    const struct matrix_mode *mode, struct task t, const char *level) {
    if (memcmp(got->dst, want->dst, sizeof want->dst) == 0)
        return;
    for (unsigned row = 0; row < 8; row++)
        for (unsigned column = 0; column < 16; column++) {
            uint32_t w = get_dst(want, mode, row, column), g = get_dst(got, mode, row, column);
            if (w != g)
                fail_msg(
                    "%s %s, styles %u %u phase %u wide %u keep %u broadcast %u: row %u column %u is %08x, not %08x "
                    "(was %08x, invalid %02x, a %05x b %05x)",
                    level, names[t.operation], mode->a, mode->b, mode->phase, mode->wide, mode->keep_b, t.broadcast,
                    row, column, g, w, get_dst(x, mode, row, column), x->invalid, datum(&x->a, row, column),
                    datum(&x->b, row, column));
        }
    fail_msg("%s %s: something else than the block's rows is written", level, names[t.operation]);
}

static void check(const struct block *x, const struct matrix_mode *mode, struct task t, struct block *want) {
    *want = *x;
    model(want, mode, t);
    for (unsigned level = 0; lanes_at(level); level++) {
        struct block got = *x;
        run(&lanes_at(level)->matrix, &got, mode, t);
        compare(x, &got, want, mode, t, lanes_at(level)->level);
    }
}

/* The result again, with other signs: sums that cancel. */
static void check_twice(struct block *x, const struct matrix_mode *mode, struct task t, uint64_t *seed) {
    struct block want;
    check(x, mode, t, &want);
    memcpy(x->dst, want.dst, sizeof x->dst);
    x->invalid = 0;
    for (unsigned row = 0; row < 8; row++)
        for (unsigned column = 0; column < 16; column++)
            if (random_below(seed, 2))
                x->dst[dst_row(row)][column] ^= 0x8000;
    check(x, mode, t, &want);
}

static void check_modes(enum operation operation, unsigned seed_number) {
    static const unsigned masks[] = { 0xFF, 0xFF, 0x0F, 0x55, 0xF0, 0x80 };
    uint64_t seed = seed_number;
    for (unsigned choice = 0; choice < 4 * 3 * 4 * 2 * 2; choice++) {
        struct matrix_mode mode = { .a = choice % 4, .phase = choice / 12 % 4, .wide = choice / 48 % 2 };
        mode.keep_b = choice / 96 % 2;
        mode.b = (mode.a + choice / 4) % 3; /* each with each; does not matter to integers */
        if (mode.a == MATRIX_INT8)
            mode.wide = true;
        for (unsigned round = 0; round < rounds; round++) {
            struct block x;
            draw_block(&x, &mode, &seed);
            struct task t = { operation, masks[random_below(&seed, 6)], random_below(&seed, 4) };
            check_twice(&x, &mode, t, &seed);
        }
    }
}

static void test_multiply(void **state) {
    (void)state;
    check_modes(MULTIPLY, 1);
}

static void test_scale(void **state) {
    (void)state;
    check_modes(SCALE, 2);
}

static void test_add(void **state) {
    (void)state;
    for (enum operation o = ADD; o <= ASSIGN_SUBTRACT; o++)
        check_modes(o, 3 + o);
}

static void test_maximum(void **state) {
    (void)state;
    check_modes(MAXIMUM, 10);
    check_modes(MAXIMUM_INDEX, 11);
}

/* ---- Where 16 bits are rounded twice ----------------------------------------------------------------------------- */

/* Factors of 5 and 7 bits for up to eight products with a given sum; how many. */
static unsigned draw_products(uint32_t sum, uint32_t factors[8][2], uint64_t *seed) {
    for (unsigned n = 0;;) {
        for (uint32_t a = 16; a < 32; a++)
            if (sum % a == 0 && sum / a >= 64 && sum / a < 128) {
                factors[n][0] = a;
                factors[n][1] = sum / a;
                return n + 1;
            }
        uint32_t a = 16 + random_below(seed, 16), b = 64 + random_below(seed, 64);
        if (n == 7 || sum < a * b + 1024)
            return 0;
        factors[n][0] = a;
        factors[n++][1] = b;
        sum -= a * b;
    }
}

/* 1 - 1 and a sum from 13 to 16 places below, close to where it becomes the last place. */
static void test_rounds_twice(void **state) {
    (void)state;
    const struct matrix_mode mode = { .a = MATRIX_BF16, .b = MATRIX_TF32 };
    uint64_t seed = 20;
    unsigned seen = 0;
    for (unsigned round = 0; round < 4000; round++) {
        uint32_t places = 13 + random_below(&seed, 4), factors[8][2];
        unsigned n = draw_products((1u << (places - 1)) - 4 + random_below(&seed, 8), factors, &seed);
        struct block x = { 0 }, want;
        uint32_t sign = random_below(&seed, 2) << 15;
        x.a.exponent[0][0] = x.b.exponent[0][0] = 127;
        x.dst[0][0] = 0x807F;
        for (unsigned i = 0; i < n; i++) {
            x.a.exponent[8 + i][0] = 127;
            x.a.mantissa[8 + i][0] = (uint16_t)((factors[i][0] & 15) << 6);
            x.b.exponent[0][8 + i] = (uint16_t)(127 - places);
            x.b.mantissa[0][8 + i] = (uint16_t)(sign | (factors[i][1] & 63) << 4);
        }
        check(&x, &mode, (struct task){ MULTIPLY, 0xFF, 0 }, &want);
        seen += want.dst[0][0] != 0;
    }
    assert_in_range(seen, 100, 3900);
}

/* ---- Where a float's exponents end ------------------------------------------------------------------------------- */

static void draw_near(struct src *s, unsigned centre, unsigned zeros, uint64_t *seed) {
    for (unsigned i = 0; i < 256; i++) {
        unsigned e = centre + random_below(seed, 4);
        s->mantissa[i / 16][i % 16] = (uint16_t)(random_below(seed, 2) << 15 | draw_mantissa(seed, 10));
        s->exponent[i / 16][i % 16] = (uint16_t)(e > 255 ? 255 : random_below(seed, 64) < zeros ? 0 : e);
    }
}

/* Operands whose exponents, or whose products' greatest one, are just within what floats have room for, or just not. */
static void test_ends_of_floats(void **state) {
    (void)state;
    uint64_t seed = 30;
    for (unsigned round = 0; round < 6000; round++) {
        struct matrix_mode mode = { .a = random_below(&seed, 2), .b = random_below(&seed, 2) };
        mode.phase = random_below(&seed, 4), mode.wide = random_below(&seed, 2);
        mode.keep_b = random_below(&seed, 8) == 0;
        unsigned a, b;
        switch (random_below(&seed, 4)) {
        case 0: a = 5 + random_below(&seed, 8), b = 112 + random_below(&seed, 40); break;
        case 1: b = 9 + random_below(&seed, 8), a = 108 + random_below(&seed, 40); break;
        case 2: a = 120 + random_below(&seed, 134), b = 370 + random_below(&seed, 16) - a; break;
        default: a = 20 + random_below(&seed, 100), b = 120 + random_below(&seed, 30) - a; break; /* next to nothing */
        }
        struct block x, want;
        draw_near(&x.a, a, random_below(&seed, 3) * 20, &seed);
        draw_near(&x.b, b > 255 ? 252 : b, random_below(&seed, 3) * 20, &seed);
        if (random_below(&seed, 4) == 0) /* only one of them */
            x.a.exponent[random_below(&seed, 16)][random_below(&seed, 16)] = (uint16_t)random_below(&seed, 256);
        int dst = (int)(a + b) - 127 + (int)random_below(&seed, 9) - 4;
        draw_dst(&x, &mode, dst < 0 ? 0 : (unsigned)dst, &seed);
        check(&x, &mode, (struct task){ MULTIPLY, 0xFF, 0 }, &want);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiply), cmocka_unit_test(test_scale),        cmocka_unit_test(test_add),
        cmocka_unit_test(test_maximum),  cmocka_unit_test(test_rounds_twice), cmocka_unit_test(test_ends_of_floats),
    };
    if (argc > 1)
        rounds = (unsigned)strtoul(argv[1], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
