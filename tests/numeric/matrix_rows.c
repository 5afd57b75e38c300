/* The kernels of the Matrix Unit's moves at every level, datum by datum, and that they keep to their rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "numeric/lanes/lanes.h"
#include "support/random.h"

enum { ROUNDS = 2000, ROW = 16, ROOM = 24 * ROW, GUARD = 0x5A5A };

struct planes {
    uint16_t mantissa[ROWS_PLANE], exponent[ROOM];
};

static const unsigned counts[] = { 1, 4, 8 };

static struct planes draw_planes(uint64_t *seed) {
    struct planes p;
    for (unsigned i = 0; i < ROOM; i++) {
        p.mantissa[i] = (uint16_t)random_next(seed) & 0x83FF;
        p.exponent[i] = random_below(seed, 4) ? (uint16_t)random_below(seed, 256) : 0;
    }
    return p;
}

/* A datum of Dst: the upper half, or the lower one of TF32. */
static uint16_t put_one(uint16_t m, uint16_t e, bool keep, enum rows_layout layout, bool low) {
    unsigned sign = m >> 15, mantissa = m & 0x3FF;
    if (!keep && e == 0)
        return 0;
    if (low)
        return (uint16_t)((mantissa & 7) << 13);
    if (layout == ROWS_FP16)
        return (uint16_t)(sign << 15 | mantissa << 5 | (e & 31));
    return (uint16_t)(sign << 15 | mantissa >> 3 << 8 | e);
}

static void test_put(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (unsigned n = 0; n < ROUNDS * ROWS_REST; n++) {
        for (unsigned level = 0; lanes_at(level); level++) {
            enum rows_layout layout = (enum rows_layout)(n % ROWS_REST);
            unsigned rows = counts[random_below(&seed, 3)];
            bool keep = random_below(&seed, 2);
            struct planes from = draw_planes(&seed);
            uint16_t to[ROOM];
            for (unsigned i = 0; i < ROOM; i++)
                to[i] = GUARD;
            lanes_at(level)->rows.put[layout](to, from.mantissa, from.exponent, rows, keep ? 0xFFFF : 0);
            for (unsigned i = 0; i < ROOM; i++) {
                bool low = layout == ROWS_TF32 && i >= MATRIX_LOW && i < MATRIX_LOW + rows * ROW;
                unsigned k = low ? i - MATRIX_LOW : i;
                uint16_t want = put_one(from.mantissa[k], from.exponent[k], keep, layout, low);
                assert_int_equal(to[i], low || i < rows * ROW ? want : GUARD);
            }
        }
    }
}

static void test_get(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (unsigned n = 0; n < ROUNDS * ROWS_LAYOUTS; n++) {
        for (unsigned level = 0; lanes_at(level); level++) {
            enum rows_layout layout = (enum rows_layout)(n % ROWS_LAYOUTS);
            unsigned rows = counts[random_below(&seed, 3)];
            uint16_t from[ROOM];
            struct planes to;
            memset(&to, 0x5A, sizeof to);
            for (unsigned i = 0; i < ROOM; i++)
                from[i] = (uint16_t)random_next(&seed);
            lanes_at(level)->rows.get[layout](to.mantissa, to.exponent, from, rows);
            for (unsigned i = 0; i < ROOM; i++) {
                unsigned d = from[i], sign = d & 0x8000;
                unsigned exponent = layout == ROWS_FP16 ? d % 32 : d % 256, mantissa = d >> 5 & 0x3FF;
                if (layout == ROWS_REST)
                    sign = 0, mantissa = d >> 8 & 31;
                else if (layout != ROWS_FP16)
                    mantissa = (d >> 8 & 127) << 3;
                if (layout == ROWS_TF32 && i < rows * ROW)
                    mantissa |= from[i + MATRIX_LOW] >> 13;
                assert_int_equal(to.mantissa[i], i < rows * ROW ? sign | mantissa : GUARD);
                assert_int_equal(to.exponent[i], i < rows * ROW ? exponent : GUARD);
            }
        }
    }
}

static void test_copy_and_spread(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned n = 0; n < ROUNDS; n++) {
        for (unsigned level = 0; lanes_at(level); level++) {
            unsigned rows = counts[random_below(&seed, 3)];
            bool keep = random_below(&seed, 2), one_row = random_below(&seed, 2), one_column = random_below(&seed, 2);
            struct planes from = draw_planes(&seed), to, spread;
            memset(&to, 0x5A, sizeof to);
            memset(&spread, 0x5A, sizeof spread);
            lanes_at(level)->rows.copy[keep](to.mantissa, from.mantissa, rows);
            lanes_at(level)->rows.spread(spread.mantissa, from.mantissa, rows, one_row, one_column);
            for (unsigned i = 0; i < ROOM; i++) {
                bool inside = i < rows * ROW, gone = !keep && !from.exponent[i];
                unsigned k = (one_row ? 0 : i / ROW * ROW) + (one_column ? 0 : i % ROW);
                assert_int_equal(to.mantissa[i], !inside ? GUARD : gone ? 0 : from.mantissa[i]);
                assert_int_equal(to.exponent[i], inside ? from.exponent[i] : GUARD);
                assert_int_equal(spread.mantissa[i], inside ? from.mantissa[k] : GUARD);
            }
        }
    }
}

static void test_transpose(void **state) {
    (void)state;
    uint16_t rows[16 * ROW + ROW];
    for (unsigned level = 0; lanes_at(level); level++) {
        for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
            rows[i] = (uint16_t)i;
        lanes_at(level)->rows.transpose(rows);
        for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
            assert_int_equal(rows[i], i < 256 ? i % 16 * 16 + i / 16 : i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_copy_and_spread),
        cmocka_unit_test(test_transpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
