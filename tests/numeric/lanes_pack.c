/* The packer's two conversions at every level of this host, against the pages for one datum: of 16 bits all patterns,
 * of 32 bits all upper halves and many at random, with and without random numbers for rounding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "numeric/lanes/lanes.h"
#include "numeric/lanes/pack_paths.h"
#include "pack_models.h"
#include "support/random.h"

enum { AT_RANDOM = 1000000 };

/* ---- Patterns -------------------------------------------------------------------------------------------------- */

/* Exponents and mantissas at the edges of formats more often than by chance. */
static uint32_t some_word(uint64_t *seed) {
    static const uint32_t exponents[] = { 0, 1, 111, 112, 113, 127, 142, 143, 144, 253, 254, 255 };
    static const uint32_t edges[] = { 0,       1,       0xFFF,   0x1000,   0x1FFF,   0x7FFF,   0x8000,   0xFFFF,
                                      0x10000, 0x18000, 0x1FFFF, 0x7F7FFF, 0x7F8000, 0x7EFFFF, 0x7F0000, 0x7FFFFF };
    uint32_t x = (uint32_t)random_next(seed), path = random_below(seed, 4);
    if (path == 0)
        return x;
    if (path == 1)
        return (x & 0x80000000) | (x & 0x7FFFFFFF) >> random_below(seed, 31);
    x = (x & 0x807FFFFF) | exponents[random_below(seed, 12)] << 23;
    return random_below(seed, 2) ? x : (x & 0xFF800000) | edges[random_below(seed, 16)];
}

static void some_states(uint32_t states[16], uint64_t *seed) {
    for (unsigned i = 0; i < 16; i++)
        states[i] = (uint32_t)random_next(seed) >> (i % 4 ? 0 : 26);
}

/* ---- Early ----------------------------------------------------------------------------------------------------- */

struct dst_rows {
    uint16_t stored[16][16]; /* upper halves of four rows, lower ones eight rows on */
    uint32_t random[16];
};

static bool is_wide(unsigned path) {
    return path < PACK_16_TF32;
}

static uint32_t datum_of(enum pack_kind kind, const union pack_data *data, unsigned i) {
    return pack_is_words(kind) ? data->word[i] : data->half[i];
}

static void compare_early(const struct lanes *lanes, enum pack_early path, const struct dst_rows *dst, unsigned rows,
                          unsigned shift, bool random) {
    enum pack_kind kind = pack_early_kind(path, PACK_TO_FP32);
    union pack_data out;
    uint32_t states[16];
    const uint16_t *row[PACK_ROWS] = { dst->stored[0], dst->stored[1], dst->stored[2], dst->stored[3] };
    memcpy(states, dst->random, sizeof states);
    memset(&out, 0x77, sizeof out);
    lanes->pack.early[path](&out, row, rows, &(struct pack_rounding){ random ? states : NULL, shift });
    memcpy(states, dst->random, sizeof states);
    for (unsigned i = 0; i < rows * 16; i++) {
        uint32_t x = dst->stored[i / 16][i % 16], want;
        x = is_wide(path) ? x << 16 | dst->stored[i / 16 + 8][i % 16] : x;
        want = model_early(path, x, shift, random ? &states[i % 16] : NULL);
        if (datum_of(kind, &out, i) != want)
            fail_msg("%s, way %u, shift %u: 0x%x gives 0x%x, not 0x%x", lanes->level, path, shift, x,
                     datum_of(kind, &out, i), want);
        states[i % 16] = RANDOM_NEXT(states[i % 16]);
    }
    if (rows < PACK_ROWS)
        assert_int_equal(datum_of(kind, &out, rows * 16), pack_is_words(kind) ? 0x77777777 : 0x7777);
}

/* Equals the three kernels that it replaces. */
static void compare_one_step(const struct lanes *lanes, enum pack_early path, const struct dst_rows *dst,
                             unsigned rows) {
    enum pack_kind kind = pack_early_kind(path, PACK_TO_FP32);
    enum pack_out to = kind == PACK_BF16 ? PACK_TO_BF16 : PACK_TO_FP16;
    const uint16_t *row[PACK_ROWS] = { dst->stored[0], dst->stored[1], dst->stored[2], dst->stored[3] };
    uint8_t want[PACK_DATA * 2 + 1], got[PACK_DATA * 2 + 1];
    union pack_data out;
    memset(want, 0x77, sizeof want);
    memset(got, 0x77, sizeof got);
    lanes->pack.early[path](&out, row, rows, &(struct pack_rounding){ NULL, 0 });
    lanes->pack.late[kind][to](want, NULL, &out, rows, NULL);
    assert_int_equal(lanes->pack.one_step[path](got, dst->stored[0], rows), lanes->pack.most[kind](&out, rows));
    assert_memory_equal(got, want, sizeof want);
}

static void one_step(void **state) {
    const struct lanes *lanes;
    static struct dst_rows dst;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++)
        for (unsigned path = 0; path < PACK_EARLIES; path++)
            for (unsigned first = 0; lanes->pack.one_step[path] && first < 65536 + PACK_DATA; first += 7) {
                for (unsigned i = 0; i < PACK_DATA; i++)
                    dst.stored[i / 16][i % 16] = (uint16_t)((first + i) * 3);
                compare_one_step(lanes, (enum pack_early)path, &dst, 1 + first % PACK_ROWS);
            }
    assert_non_null(lanes_best()->pack.one_step[PACK_16_BF16]);
}

static void all_upper_halves(const struct lanes *lanes, enum pack_early path) {
    static struct dst_rows dst;
    uint64_t seed = path;
    for (unsigned first = 0; first < 65536; first += PACK_DATA) {
        for (unsigned i = 0; i < PACK_DATA; i++) {
            dst.stored[i / 16][i % 16] = (uint16_t)(first + i);
            dst.stored[i / 16 + 8][i % 16] = (uint16_t)random_next(&seed);
        }
        some_states(dst.random, &seed);
        compare_early(lanes, path, &dst, PACK_ROWS, first / PACK_DATA % 32, false);
        compare_early(lanes, path, &dst, PACK_ROWS, first / PACK_DATA % 32, true);
    }
}

static void early_at_random(const struct lanes *lanes, enum pack_early path) {
    static struct dst_rows dst;
    uint64_t seed = 99 + path;
    for (unsigned done = 0; done < AT_RANDOM; done += PACK_DATA) {
        for (unsigned i = 0; i < PACK_DATA; i++) {
            uint32_t x = some_word(&seed);
            dst.stored[i / 16][i % 16] = (uint16_t)((x >> 16 & 0x8000) | (x >> 16 & 0x7F) << 8 | (x >> 23 & 0xFF));
            dst.stored[i / 16 + 8][i % 16] = (uint16_t)x;
        }
        some_states(dst.random, &seed);
        unsigned rows = 1 + random_below(&seed, PACK_ROWS), shift = random_below(&seed, 32);
        compare_early(lanes, path, &dst, rows, shift, random_below(&seed, 4) == 0);
    }
}

static void early(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned path = 0; path < PACK_EARLIES; path++) {
            all_upper_halves(lanes, (enum pack_early)path);
            if (is_wide(path))
                early_at_random(lanes, (enum pack_early)path);
        }
    }
}

/* ---- Late ------------------------------------------------------------------------------------------------------ */

/* Which formats a kind has ways to: bits of enum pack_out. */
static uint32_t outs_of(enum pack_kind kind) {
    uint32_t shared = 1 << PACK_TO_BFP8 | 1 << PACK_TO_BFP4 | 1 << PACK_TO_BFP2 | 1 << PACK_TO_BFP8A |
                      1 << PACK_TO_BFP4A | 1 << PACK_TO_BFP2A;
    uint32_t floats =
        shared | 1 << PACK_TO_FP32 | 1 << PACK_TO_BF16 | 1 << PACK_TO_FP16 | 1 << PACK_TO_E5M2 | 1 << PACK_TO_E4M3;
    switch (kind) {
    case PACK_FP32: return floats;
    case PACK_INT32: return 1 << PACK_TO_INT32;
    case PACK_INT16: return 1 << PACK_TO_INT16;
    case PACK_INT8:
    case PACK_UINT8: return 1 << PACK_TO_INT8;
    default: return floats | 1 << PACK_TO_TF32;
    }
}

static uint32_t kind_mask(enum pack_kind kind) {
    switch (kind) {
    case PACK_E5M7: return 0xFFF8;
    case PACK_E5M2: return 0xFF00;
    case PACK_INT8:
    case PACK_UINT8: return 0xFF;
    default: return pack_is_words(kind) ? UINT32_MAX : 0xFFFF;
    }
}

static uint32_t datum_in_l1(const uint8_t *bytes, unsigned bits, unsigned i) {
    uint32_t x = 0;
    memcpy(&x, bytes + i * bits / 8, bits < 8 ? 1 : bits / 8);
    return bits < 8 ? x >> i * bits % 8 & (power(bits) - 1) : x;
}

static void late_differs(const struct lanes *lanes, enum pack_kind kind, enum pack_out out, const uint32_t *x,
                         unsigned i, uint32_t got, uint32_t want) {
    fail_msg("%s, kind %u to format %u: datum %u, 0x%x, gives 0x%x, not 0x%x", lanes->level, kind, out, i, x[i], got,
             want);
}

static void compare_late(const struct lanes *lanes, enum pack_kind kind, enum pack_out out, const uint32_t *x,
                         unsigned rows, const uint32_t *random) {
    union pack_data data;
    uint8_t bytes[PACK_DATA * 4 + 1], exponents[PACK_ROWS + 1];
    uint32_t want[PACK_DATA], states[16];
    unsigned bits = pack_bits(out), size = rows * 16 * bits / 8;
    bool shared = pack_shares_exponents(out);
    memset(bytes, 0x77, sizeof bytes);
    memset(exponents, 0x77, sizeof exponents);
    for (unsigned i = 0; i < PACK_DATA; i++)
        if (pack_is_words(kind))
            data.word[i] = x[i];
        else
            data.half[i] = (uint16_t)x[i];
    if (random)
        memcpy(states, random, sizeof states);
    lanes->pack.late[kind][out](bytes, exponents, &data, rows, random ? states : NULL);
    if (random)
        memcpy(states, random, sizeof states);
    for (unsigned r = 0; r < rows; r++) {
        if (shared) {
            bool five = out == PACK_TO_BFP8A || out == PACK_TO_BFP4A || out == PACK_TO_BFP2A;
            unsigned exponent = model_shared(kind, five, bits, x + r * 16, random ? states : NULL, want + r * 16);
            assert_int_equal(exponents[r], exponent);
        }
        for (unsigned i = 0; i < 16; i++)
            states[i] = random ? RANDOM_NEXT(states[i]) : 0;
    }
    for (unsigned i = 0; i < rows * 16; i++) {
        if (!shared)
            want[i] = model_late_of(kind, out, x[i]);
        if (datum_in_l1(bytes, bits, i) != want[i])
            late_differs(lanes, kind, out, x, i, datum_in_l1(bytes, bits, i), want[i]);
    }
    assert_int_equal(bytes[size], 0x77);
    assert_int_equal(exponents[shared ? rows : 0], 0x77);
}

/* Every pattern of a half, in an order that brings others together each time. */
static void all_halves(const struct lanes *lanes, enum pack_kind kind, enum pack_out out) {
    uint32_t x[PACK_DATA], random[16];
    uint64_t seed = (uint64_t)kind * 100 + out;
    for (unsigned turn = 0; turn < 4; turn++) {
        uint32_t step = turn ? (uint32_t)random_next(&seed) | 1 : 1;
        for (unsigned first = 0; first < 65536; first += PACK_DATA) {
            for (unsigned i = 0; i < PACK_DATA; i++)
                x[i] = (first + i) * step & kind_mask(kind) & 0xFFFF;
            some_states(random, &seed);
            compare_late(lanes, kind, out, x, PACK_ROWS, turn == 3 ? random : NULL);
        }
    }
}

/* Exponents close together, so that shared ones leave something of the others. */
static void late_at_random(const struct lanes *lanes, enum pack_kind kind, enum pack_out out, unsigned data) {
    uint32_t x[PACK_DATA], random[16];
    uint64_t seed = (uint64_t)kind * 1000 + out;
    unsigned from = pack_is_words(kind) ? 23 : kind == PACK_BF16 ? 7 : 10, most = from == 10 ? 31 : 255;
    for (unsigned done = 0; done < data; done += PACK_DATA) {
        unsigned base = random_below(&seed, most + 1), spread = 1 + random_below(&seed, 12);
        bool close = random_below(&seed, 2);
        for (unsigned i = 0; i < PACK_DATA; i++) {
            x[i] = pack_is_words(kind) ? some_word(&seed) : (uint32_t)random_next(&seed) & 0xFFFF;
            if (close && is_float(kind))
                x[i] = (x[i] & ~(most << from)) | ((base + random_below(&seed, spread)) & most) << from;
            x[i] &= kind_mask(kind);
        }
        some_states(random, &seed);
        unsigned rows = 1 + random_below(&seed, PACK_ROWS);
        compare_late(lanes, kind, out, x, rows, random_below(&seed, 8) ? NULL : random);
    }
}

static void late(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned pair = 0; pair < PACK_KINDS * PACK_OUTS; pair++) {
            enum pack_kind kind = (enum pack_kind)(pair / PACK_OUTS);
            enum pack_out out = (enum pack_out)(pair % PACK_OUTS);
            assert_int_equal(lanes->pack.late[kind][out] != NULL, outs_of(kind) >> out & 1);
            if (!lanes->pack.late[kind][out])
                continue;
            if (!pack_is_words(kind))
                all_halves(lanes, kind, out);
            late_at_random(lanes, kind, out, pack_is_words(kind) ? AT_RANDOM : AT_RANDOM / 4);
        }
    }
}

/* In place. */
static void to_fp16(void **state) {
    const struct lanes *lanes;
    uint64_t seed = 5;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned done = 0; done < AT_RANDOM; done += PACK_DATA) {
            union pack_data data, before;
            for (unsigned i = 0; i < PACK_DATA; i++)
                before.word[i] = data.word[i] = some_word(&seed) & 0xFFFFE000;
            lanes->pack.to_fp16(&data, PACK_ROWS);
            for (unsigned i = 0; i < PACK_DATA; i++)
                assert_int_equal(data.half[i], model_late_of(PACK_TF32, PACK_TO_FP16, before.word[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(early), cmocka_unit_test(one_step), cmocka_unit_test(late),
                                        cmocka_unit_test(to_fp16) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
