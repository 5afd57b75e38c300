/* The unpackers' kernels at every level of this host, against UNPACR_Regular.md for one datum: all patterns of eight
 * bits and less with all exponents, all patterns of 16 bits, of 32 bits all upper halves and two million at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numeric/lanes/lanes.h"
#include "support/random.h"
#include "unpack_models.h"

enum { ROWS = 64, DATA = ROWS * UNPACK_ROW };
static const struct path {
    const char *name;
    enum unpack_path path;
    unsigned bits;
    bool shared;
    enum unpack_layout layout;
} paths[] = {
    { "FP32 to TF32", UNPACK_TF32, 32, false, LIKE_TF32 },
    { "FP32 to BF16", UNPACK_FP32_BF16, 32, false, LIKE_BF16 },
    { "FP32 to FP16", UNPACK_FP32_FP16, 32, false, LIKE_FP16 },
    { "BF16", UNPACK_BF16, 16, false, LIKE_BF16 },
    { "FP16", UNPACK_FP16, 16, false, LIKE_FP16 },
    { "INT16", UNPACK_INT16, 16, false, LIKE_INT16 },
    { "FP8 e5m2", UNPACK_E5M2, 8, false, LIKE_FP16 },
    { "FP8 e4m3", UNPACK_E4M3, 8, false, LIKE_FP16 },
    { "INT8", UNPACK_INT8, 8, false, LIKE_FP16 },
    { "UINT8", UNPACK_UINT8, 8, false, LIKE_FP16 },
    { "BFP8", UNPACK_BFP8, 8, true, LIKE_BF16 },
    { "BFP4", UNPACK_BFP4, 4, true, LIKE_BF16 },
    { "BFP2", UNPACK_BFP2, 2, true, LIKE_BF16 },
    { "BFP8a", UNPACK_BFP8A, 8, true, LIKE_FP16 },
    { "BFP4a", UNPACK_BFP4A, 4, true, LIKE_FP16 },
    { "BFP2a", UNPACK_BFP2A, 2, true, LIKE_FP16 },
    { "32 bits", UNPACK_WORD, 32, false, LIKE_WORD },
};
enum { PATHS = sizeof paths / sizeof paths[0] };

/* ---- Rows ------------------------------------------------------------------------------------------------- */

struct rows {
    uint8_t raw[DATA * 4 + 64];
    uint8_t exponents[ROWS];
    uint32_t datum[DATA];
    unsigned step;
};

static void pack(struct rows *r, const struct path *path) {
    memset(r->raw, 0xEE, sizeof r->raw);
    if (path->bits < 8)
        memset(r->raw, 0, DATA * path->bits / 8);
    for (unsigned i = 0; i < DATA; i++) {
        if (path->bits < 8)
            r->raw[i * path->bits / 8] |= (uint8_t)(r->datum[i] << i * path->bits % 8);
        else
            memcpy(r->raw + i * path->bits / 8, &r->datum[i], path->bits / 8);
    }
}

static void differs(const struct lanes *lanes, const struct path *path, const struct rows *r, unsigned i,
                    const char *to, uint32_t got, uint32_t want) {
    fail_msg("%s, %s to %s: 0x%x with exponent 0x%x gives 0x%x, not 0x%x", lanes->level, path->name, to, r->datum[i],
             r->exponents[i / 16 * r->step], got, want);
}

/* Returns how many data were compared. */
static unsigned compare(const struct lanes *lanes, const struct path *path, struct rows *r, unsigned rows) {
    static uint16_t a[DATA + 16], b[DATA + 16];
    unpack_rows *to_src = lanes->unpack.to_src[path->path], *to_dst = lanes->unpack.to_dst[path->path];
    bool bad = false;
    pack(r, path);
    for (unsigned i = 0; i < rows * 16; i++)
        bad |= model_half_of(path->path, r->datum[i], r->exponents[i / 16 * r->step]) < 0 && path->bits < 16;
    for (unsigned dst = 0; dst < 2; dst++) {
        memset(a, 0x77, sizeof a);
        memset(b, 0x77, sizeof b);
        if (!(dst ? to_dst : to_src))
            continue;
        assert_int_equal((dst ? to_dst : to_src)(a, b, r->raw, r->exponents, r->step, rows) != 0, bad);
        assert_int_equal(a[rows * 16], 0x7777);
        assert_int_equal(b[rows * 16], 0x7777);
        for (unsigned i = 0; i < rows * 16; i++) {
            int half = model_half_of(path->path, r->datum[i], r->exponents[i / 16 * r->step]);
            if (half < 0 && path->bits < 16)
                continue;
            uint32_t got = (a[i] & 0x8000u) << 3 | (a[i] & 0x7FFFu) << 8 | b[i];
            uint32_t want = model_src_of(path->layout, (uint32_t)half);
            if (dst) {
                got = path->layout == LIKE_WORD ? (uint32_t)a[i] << 16 | b[i] : a[i];
                want = model_dst_of(path->layout, (uint32_t)half);
            }
            if (got != want)
                differs(lanes, path, r, i, dst ? "Dst" : "Src", got, want);
        }
    }
    return rows * 16;
}

/* ---- Patterns -------------------------------------------------------------------------------------------------- */

static void all_patterns(const struct lanes *lanes, const struct path *path) {
    static struct rows r;
    uint32_t patterns = 1u << (path->bits > 16 ? 16 : path->bits), at = 0;
    unsigned exponents = path->shared ? 256 : 1;
    r.step = 1;
    for (unsigned exponent = 0; exponent < exponents; exponent++) {
        for (uint32_t first = 0; first < patterns; first += DATA) {
            for (unsigned i = 0; i < DATA; i++) {
                uint32_t pattern = (first + i) % patterns;
                r.datum[i] = path->bits == 32 ? pattern << 16 | (at++ * 0x9E37u & 0xFFFF) : pattern;
            }
            memset(r.exponents, (int)exponent, sizeof r.exponents);
            compare(lanes, path, &r, ROWS);
        }
    }
}

/* Rows of any number, exponents of their own or one for all. */
static void at_random(const struct lanes *lanes, const struct path *path, unsigned least) {
    static struct rows r;
    uint64_t seed = path->path + 1u;
    for (unsigned done = 0; done < least;) {
        for (unsigned i = 0; i < DATA; i++)
            r.datum[i] = (uint32_t)random_next(&seed) & (UINT32_MAX >> (32 - path->bits));
        for (unsigned i = 0; i < ROWS; i++)
            r.exponents[i] = (uint8_t)(random_below(&seed, 2) ? random_below(&seed, 32) : random_below(&seed, 256));
        r.step = random_below(&seed, 4) != 0;
        done += compare(lanes, path, &r, random_below(&seed, 8) ? ROWS : random_below(&seed, ROWS) + 1);
    }
}

static void patterns(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++)
        for (unsigned i = 0; i < PATHS; i++)
            all_patterns(lanes, &paths[i]);
}

static void random_data(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++)
        for (unsigned i = 0; i < PATHS; i++)
            at_random(lanes, &paths[i], paths[i].bits == 32 ? 2000000 : 200000);
}

/* Which ways there are. */
static void table(void **state) {
    const struct lanes *lanes = lanes_best();
    (void)state;
    assert_int_equal(PATHS, UNPACK_PATHS);
    for (unsigned i = 0; i < PATHS; i++) {
        assert_int_equal(paths[i].path, i);
        assert_int_equal(lanes->unpack.to_src[i] != NULL, i != UNPACK_WORD);
        assert_int_equal(lanes->unpack.to_dst[i] != NULL, i != UNPACK_TF32);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(table), cmocka_unit_test(patterns),
                                        cmocka_unit_test(random_data) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
