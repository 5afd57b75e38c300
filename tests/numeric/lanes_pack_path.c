/* The packer's data between its two conversions, at every level of this host; the kernels for each configuration; and
 * rows that the official simulator has packed, from Dst to L1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "numeric/lanes/lanes.h"
#include "numeric/lanes/pack_paths.h"
#include "pack_models.h"
#include "support/random.h"

/* ---- Data ------------------------------------------------------------------------------------------------------ */

static uint32_t get(const union pack_data *data, unsigned kind, unsigned i) {
    return pack_is_words((enum pack_kind)kind) ? data->word[i] : data->half[i];
}

static void put(union pack_data *data, unsigned kind, unsigned i, uint32_t x) {
    if (pack_is_words((enum pack_kind)kind))
        data->word[i] = x;
    else
        data->half[i] = (uint16_t)x;
}

/* Of words some are close to a number, and some small; of bytes the upper half is zero. */
static void some_data(union pack_data *data, unsigned kind, uint32_t close, uint64_t *seed) {
    for (unsigned i = 0; i < PACK_DATA; i++) {
        uint32_t x = (uint32_t)random_next(seed);
        if (random_below(seed, 3) == 0)
            x = close + random_below(seed, 5) - 2;
        else if (random_below(seed, 3) == 0)
            x &= 0x80FF80FF;
        put(data, kind, i, kind >= PACK_INT8 ? x & 0xFF : x);
    }
}

static void same(const struct lanes *lanes, const char *what, unsigned kind, const union pack_data *before,
                 const union pack_data *data, unsigned i, uint32_t want) {
    if (get(data, kind, i) != want)
        fail_msg("%s, %s, kind %u: datum %u, 0x%x, gives 0x%x, not 0x%x", lanes->level, what, kind, i,
                 get(before, kind, i), get(data, kind, i), want);
}

/* ---- Masks, ReLU, exponents ------------------------------------------------------------------------------------ */

static void mask(void **state) {
    const struct lanes *lanes;
    uint64_t seed = 1;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned turn = 0; turn < 20000; turn++) {
            unsigned kind = turn % PACK_KINDS, rows = 1 + random_below(&seed, PACK_ROWS);
            uint16_t keep[PACK_ROWS];
            union pack_data data, before;
            uint32_t other = pack_is_words((enum pack_kind)kind) ? 0xFF800000 : 0xFF80;
            for (unsigned r = 0; r < PACK_ROWS; r++)
                keep[r] = (uint16_t)random_next(&seed);
            some_data(&before, kind, 0, &seed);
            data = before;
            lanes->pack.mask[kind](&data, keep, other, rows);
            for (unsigned i = 0; i < PACK_DATA; i++)
                same(lanes, "mask", kind, &before, &data, i,
                     i >= rows * 16 || keep[i / 16] >> i % 16 & 1 ? get(&before, kind, i) : other);
        }
    }
}

static void relu(void **state) {
    const struct lanes *lanes;
    uint64_t seed = 2;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned turn = 0; turn < 60000; turn++) {
            unsigned kind = turn % PACK_KINDS, rows = 1 + random_below(&seed, PACK_ROWS);
            unsigned mode = is_float((enum pack_kind)kind) ? 1 + random_below(&seed, 3) : 1;
            uint32_t threshold = random_below(&seed, 4) ? random_below(&seed, 0x8000) : random_below(&seed, 2) * 0x7FFF;
            uint32_t close = kind < PACK_BF16 ? threshold << 16 | (random_below(&seed, 2) ? 0x2000 : 0) : threshold;
            union pack_data data, before;
            some_data(&before, kind, close, &seed);
            data = before;
            lanes->pack.relu[kind](&data, mode, threshold, rows);
            for (unsigned i = 0; i < PACK_DATA; i++) {
                uint32_t x = get(&before, kind, i);
                same(lanes, "ReLU", kind, &before, &data, i,
                     i < rows * 16 ? model_relu((enum pack_kind)kind, mode, threshold, x) : x);
            }
        }
    }
}

/* The greatest exponent among small ones, at any position. */
static void most(void **state) {
    const struct lanes *lanes;
    uint64_t seed = 3;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned turn = 0; turn < 40000; turn++) {
            unsigned kind = turn % PACK_KINDS, rows = 1 + random_below(&seed, PACK_ROWS), want = 0;
            union pack_data data = { .word = { 0 } };
            for (unsigned i = 0; i < PACK_DATA; i++)
                put(&data, kind, i, turn & 1 ? (uint32_t)random_next(&seed) : 0);
            put(&data, kind, random_below(&seed, PACK_DATA), (uint32_t)random_next(&seed));
            for (unsigned i = 0; i < rows * 16; i++) {
                unsigned exponent = model_exponent((enum pack_kind)kind, get(&data, kind, i));
                want = exponent > want ? exponent : want;
            }
            assert_int_equal(lanes->pack.most[kind](&data, rows), want);
        }
    }
}

static void below(void **state) {
    const struct lanes *lanes;
    uint64_t seed = 4;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned turn = 0; turn < 40000; turn++) {
            unsigned kind = turn % PACK_KINDS, rows = 1 + random_below(&seed, PACK_ROWS);
            unsigned smaller = random_below(&seed, 6), threshold = random_below(&seed, 256) >> smaller;
            union pack_data data, before;
            assert_int_equal(lanes->pack.below[kind] != NULL, is_float((enum pack_kind)kind));
            if (!lanes->pack.below[kind])
                continue;
            some_data(&before, kind, threshold << (kind < PACK_BF16 ? 23 : kind == PACK_BF16 ? 7 : 10), &seed);
            data = before;
            lanes->pack.below[kind](&data, threshold, rows);
            for (unsigned i = 0; i < PACK_DATA; i++) {
                uint32_t x = get(&before, kind, i);
                bool small = i < rows * 16 && model_exponent((enum pack_kind)kind, x) < threshold;
                same(lanes, "threshold", kind, &before, &data, i, small ? 0 : x);
            }
        }
    }
}

static void histogram(void **state) {
    union pack_data data = { .word = { 0 } };
    uint8_t counts[32] = { [3] = 254 };
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        data.half[i] = (uint16_t)((i < 4 ? 0x43 : i) << 7);
    pack_histogram(counts, &data, PACK_BF16, 10);
    assert_int_equal(counts[3], 255);
    assert_int_equal(counts[4], 1);
    assert_int_equal(counts[9], 1);
    assert_int_equal(counts[10], 0);
    data.word[0] = 63u << 23;
    pack_histogram(counts, &data, PACK_INT32, 1);
    assert_int_equal(counts[31], 1);
    data.half[0] = 0x7C00;
    pack_histogram(counts, &data, PACK_E5M2, 1);
    assert_int_equal(counts[31], 2);
    data.half[0] = 0x7C25;
    pack_histogram(counts, &data, PACK_INT16, 1);
    assert_int_equal(counts[5], 2);
}

/* ---- From L1 --------------------------------------------------------------------------------------------------- */

static uint32_t model_load(unsigned path, uint32_t x) {
    switch (path) {
    case PACK_LOAD_8_BF16: return (x & 0x80) << 8 | (x & 0x7F);
    case PACK_LOAD_8_E5M7: return (x & 0x80) << 8 | (x & 0x7F) << 3;
    case PACK_LOAD_8_E5M2:
    case PACK_LOAD_8_INT16: return x << 8;
    case PACK_LOAD_32_INT16: return x >> 16;
    case PACK_LOAD_16_INT8: return x >> 8;
    case PACK_LOAD_16_INT32: return x << 16;
    case PACK_LOAD_8_INT32: return x << 24;
    default: return x;
    }
}

static void load(void **state) {
    static const unsigned size[PACK_LOADS] = {
        [PACK_LOAD_32] = 4,       [PACK_LOAD_16] = 2,      [PACK_LOAD_8] = 1,        [PACK_LOAD_8_BF16] = 1,
        [PACK_LOAD_8_E5M7] = 1,   [PACK_LOAD_8_E5M2] = 1,  [PACK_LOAD_32_INT16] = 4, [PACK_LOAD_16_INT8] = 2,
        [PACK_LOAD_16_INT32] = 2, [PACK_LOAD_8_INT32] = 1, [PACK_LOAD_8_INT16] = 1,
    };
    const struct lanes *lanes;
    uint64_t seed = 6;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++) {
        for (unsigned turn = 0; turn < 5000; turn++) {
            unsigned path = turn % PACK_LOADS, rows = 1 + random_below(&seed, PACK_ROWS);
            unsigned kind = pack_load_kind((enum pack_load)path, PACK_TO_FP32);
            uint8_t bytes[PACK_DATA * 4];
            union pack_data data;
            for (unsigned i = 0; i < sizeof bytes; i++)
                bytes[i] = (uint8_t)random_next(&seed);
            memset(&data, 0x77, sizeof data);
            lanes->pack.load[path](&data, bytes, rows);
            for (unsigned i = 0; i < rows * 16; i++) {
                uint32_t x = 0, bits = pack_is_words((enum pack_kind)kind) ? UINT32_MAX : 0xFFFF;
                memcpy(&x, bytes + i * size[path], size[path]);
                assert_int_equal(get(&data, kind, i), model_load(path, x) & bits);
            }
            if (rows < PACK_ROWS)
                assert_int_equal(get(&data, kind, rows * 16) & 0xFFFF, 0x7777);
        }
    }
}

/* ---- Ways ------------------------------------------------------------------------------------------------------ */

/* FormatConversion.md: how each conversion is asked for. */
static void early_paths(void **state) {
    static const struct {
        struct pack_read read;
        int path;
    } cases[] = {
        { { .wide = true, .format = PACK_TO_INT32 }, PACK_32 },
        { { .wide = true, .format = PACK_TO_INT32, .ten_bits = true, .raw = true }, PACK_32 },
        { { .wide = true, .format = PACK_TO_FP32 }, PACK_32 },
        { { .wide = true, .format = PACK_TO_FP32, .ten_bits = true, .raw = true }, PACK_32 },
        { { .wide = true, .format = PACK_TO_FP32, .ten_bits = true }, PACK_32_TF32 },
        { { .wide = true, .format = PACK_TO_TF32, .raw = true }, PACK_32 },
        { { .wide = true, .format = PACK_TO_TF32 }, PACK_32_TF32 },
        { { .wide = true, .format = PACK_TO_BF16, .out = PACK_TO_FP16, .ten_bits = true }, PACK_32_TF32 },
        { { .wide = true, .format = PACK_TO_BF16, .out = PACK_TO_BF16, .ten_bits = true }, PACK_32_BF16 },
        { { .wide = true, .format = PACK_TO_BF16, .out = PACK_TO_FP16 }, PACK_32_BF16 },
        { { .wide = true, .format = PACK_TO_BF16, .out = PACK_TO_FP16, .raw = true }, PACK_32_BF16_RAW },
        { { .wide = true, .format = PACK_TO_BF16, .out = PACK_TO_FP16, .raw = true, .ten_bits = true }, -1 },
        { { .wide = true, .format = PACK_TO_BFP8, .raw = true }, PACK_32_BF16_RAW },
        { { .wide = true, .format = PACK_TO_BFP8 }, PACK_32_E8M6 },
        { { .wide = true, .format = PACK_TO_FP16, .ten_bits = true }, PACK_32_TF32 },
        { { .wide = true, .format = PACK_TO_FP16 }, -1 },
        { { .wide = true, .format = PACK_TO_INT16 }, PACK_32_INT16 },
        { { .wide = true, .format = PACK_TO_INT8 }, PACK_32_INT8 },
        { { .wide = true, .format = PACK_TO_INT8, .is_unsigned = true }, PACK_32_UINT8 },
        { { .wide = true, .format = PACK_TO_INT8, .raw = true }, PACK_32_INT8_RAW },
        { { .wide = true, .format = PACK_TO_INT8, .raw = true, .is_unsigned = true }, PACK_32_UINT8_RAW },
        { { .wide = true, .format = PACK_TO_BFP8A }, -1 },
        { { .wide = true, .format = PACK_TO_E5M2, .raw = true }, -1 },
        { { .wide = true, .format = PACK_TO_BFP4 }, -1 },
        { { .format = PACK_TO_TF32 }, PACK_16_TF32 },
        { { .format = PACK_TO_TF32, .raw = true }, -1 },
        { { .format = PACK_TO_FP32, .ten_bits = true }, PACK_16_TF32 },
        { { .format = PACK_TO_FP32 }, -1 },
        { { .format = PACK_TO_BF16 }, PACK_16_BF16 },
        { { .format = PACK_TO_BF16, .out = PACK_TO_FP16, .ten_bits = true }, PACK_16_TF32 },
        { { .format = PACK_TO_BF16, .out = PACK_TO_BFP8A, .ten_bits = true }, PACK_16_BF16 },
        { { .format = PACK_TO_BF16, .raw = true }, PACK_16_BF16_RAW },
        { { .format = PACK_TO_BFP8, .raw = true }, PACK_16_BF16_RAW },
        { { .format = PACK_TO_BFP8 }, PACK_16_E8M6 },
        { { .format = PACK_TO_FP16 }, PACK_16_FP16 },
        { { .format = PACK_TO_FP16, .raw = true }, PACK_16_FP16_RAW },
        { { .format = PACK_TO_FP16, .ten_bits = true }, PACK_16_BF16_FP16 },
        { { .format = PACK_TO_BFP8A, .raw = true }, PACK_16_E5M7 },
        { { .format = PACK_TO_BFP8A }, PACK_16_E5M6 },
        { { .format = PACK_TO_E5M2, .raw = true }, PACK_16_E5M2 },
        { { .format = PACK_TO_E5M2 }, -1 },
        { { .format = PACK_TO_INT16 }, PACK_16_INT16 },
        { { .format = PACK_TO_INT8, .raw = true }, PACK_16_SIGN },
        { { .format = PACK_TO_INT8 }, -1 },
        { { .format = PACK_TO_INT8, .raw = true, .is_unsigned = true }, -1 },
        { { .format = PACK_TO_INT32 }, -1 },
        { { .format = PACK_TO_BFP2A }, -1 },
        { { .format = 13 }, -1 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (pack_early_path(&cases[i].read) != cases[i].path)
            fail_msg("case %u: way %d, not %d", i, pack_early_path(&cases[i].read), cases[i].path);
}

static void kinds(void **state) {
    (void)state;
    assert_int_equal(pack_early_kind(PACK_32, PACK_TO_INT32), PACK_INT32);
    assert_int_equal(pack_early_kind(PACK_32, PACK_TO_FP32), PACK_FP32);
    assert_int_equal(pack_early_kind(PACK_32, PACK_TO_TF32), PACK_TF32);
    assert_int_equal(pack_early_kind(PACK_32_E8M6, PACK_TO_BFP8), PACK_BF16);
    assert_int_equal(pack_early_kind(PACK_16_E5M6, PACK_TO_BFP8A), PACK_E5M7);
    assert_int_equal(pack_early_kind(PACK_16_BF16_FP16, PACK_TO_FP16), PACK_FP16);
    assert_int_equal(pack_early_kind(PACK_32_UINT8, PACK_TO_INT8), PACK_UINT8);
    assert_int_equal(pack_early_kind(PACK_16_SIGN, PACK_TO_INT8), PACK_INT8);
    assert_int_equal(pack_load_kind(PACK_LOAD_16, PACK_TO_FP16), PACK_FP16);
    assert_int_equal(pack_load_kind(PACK_LOAD_16, PACK_TO_INT16), PACK_INT16);
    assert_int_equal(pack_load_kind(PACK_LOAD_32, PACK_TO_INT32), PACK_INT32);
    assert_int_equal(pack_minus_infinity(PACK_TF32), 0xFF800000);
    assert_int_equal(pack_minus_infinity(PACK_BF16), 0xFF80);
    assert_int_equal(pack_minus_infinity(PACK_FP16), 0xFFFF);
    assert_int_equal(pack_minus_infinity(PACK_E5M2), 0xFF00);
}

static void load_paths(void **state) {
    static const int cases[][3] = {
        { PACK_TO_FP32, PACK_TO_BF16, PACK_LOAD_32 },         { PACK_TO_TF32, PACK_TO_TF32, -1 },
        { PACK_TO_BF16, PACK_TO_BF16, PACK_LOAD_16 },         { PACK_TO_FP16, PACK_TO_FP32, PACK_LOAD_16 },
        { PACK_TO_BFP8, PACK_TO_BFP8, PACK_LOAD_8_BF16 },     { PACK_TO_BFP8A, PACK_TO_BFP8A, PACK_LOAD_8_E5M7 },
        { PACK_TO_E5M2, PACK_TO_E5M2, PACK_LOAD_8_E5M2 },     { PACK_TO_BFP4, PACK_TO_BFP4, -1 },
        { PACK_TO_INT32, PACK_TO_INT32, PACK_LOAD_32 },       { PACK_TO_INT32, PACK_TO_INT16, PACK_LOAD_32_INT16 },
        { PACK_TO_INT16, PACK_TO_INT32, PACK_LOAD_16_INT32 }, { PACK_TO_INT16, PACK_TO_INT16, PACK_LOAD_16 },
        { PACK_TO_INT16, PACK_TO_INT8, PACK_LOAD_16_INT8 },   { PACK_TO_INT8, PACK_TO_INT32, PACK_LOAD_8_INT32 },
        { PACK_TO_INT8, PACK_TO_INT16, PACK_LOAD_8_INT16 },   { PACK_TO_INT8, PACK_TO_INT8, PACK_LOAD_8 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(pack_load_path((unsigned)cases[i][0], (unsigned)cases[i][1]), cases[i][2]);
}

static void sizes(void **state) {
    static const unsigned bits[PACK_OUTS] = { 32, 16, 8, 4, 32, 16, 8, 4, 32, 16, 8, 2, 0, 0, 8, 2, 8 };
    (void)state;
    for (unsigned out = 0; out < PACK_OUTS; out++)
        if (bits[out])
            assert_int_equal(pack_bits((enum pack_out)out), bits[out]);
}

/* ---- Selection and compression --------------------------------------------------------------------------------- */

static void selection(void **state) {
    uint16_t pattern = 0x8421;
    union pack_data data;
    (void)state;
    for (unsigned i = 0; i < PACK_DATA; i++)
        data.half[i] = (uint16_t)i;
    assert_int_equal(pack_select(&data, PACK_INT16, 40, &pattern), 10);
    static const uint16_t want[] = { 0, 5, 10, 15, 16, 21, 26, 31, 32, 37 };
    assert_memory_equal(data.half, want, sizeof want);
    assert_int_equal(pattern, 0x2184); /* turned by 40 */
    for (unsigned i = 0; i < PACK_DATA; i++)
        data.word[i] = 100 + i;
    pattern = 2;
    assert_int_equal(pack_select(&data, PACK_FP32, 18, &pattern), 2);
    assert_int_equal(data.word[0], 101);
    assert_int_equal(data.word[1], 117);
}

/* The data as a reader decodes it: values, each with its zeros. */
struct unpacked {
    uint32_t datum[4096];
    unsigned count, written, rows;
};

static void expand(struct unpacked *u, const union pack_data *data, unsigned kind, unsigned kept,
                   const uint8_t *zeros) {
    for (unsigned n = 0; n <= kept; n++) {
        if (n)
            u->datum[u->count++] = get(data, kind, n - 1);
        for (unsigned z = 0; z < zeros[n]; z++)
            u->datum[u->count++] = 0;
    }
    u->written += kept;
}

/* Rows in pieces of any length come back as they were; no counter is above 15; the last one is always written. */
static void compression(void **state) {
    uint64_t seed = 7;
    (void)state;
    for (unsigned turn = 0; turn < 3000; turn++) {
        static struct unpacked u;
        uint32_t all[4096];
        unsigned kind = turn % PACK_KINDS, total = 0, pieces = 1 + random_below(&seed, 5),
                 rare = random_below(&seed, 30);
        struct pack_run run = { .open = false };
        unsigned counter = 0;
        bool some = false;
        memset(&u, 0, sizeof u);
        for (unsigned p = 0; p < pieces; p++) {
            unsigned count = 1 + random_below(&seed, PACK_DATA), kept;
            uint8_t zeros[PACK_DATA + 1];
            union pack_data data;
            for (unsigned i = 0; i < count; i++) {
                uint32_t x = random_below(&seed, 30) < rare ? 1 + random_below(&seed, 255) : 0;
                put(&data, kind, i, all[total++] = x);
                some |= x != 0;
            }
            kept = pack_compress(&run, &data, (enum pack_kind)kind, count, p == pieces - 1, zeros);
            counter += zeros[0];
            assert_true(p || (kept && !zeros[0]));
            for (unsigned n = 1; n <= kept; n++) {
                assert_true(counter <= 15);
                counter = zeros[n];
            }
            assert_true(counter <= 15);
            expand(&u, &data, kind, kept, zeros);
            assert_true(p < pieces - 1 || (kept && !zeros[kept]));
        }
        assert_int_equal(u.count, total);
        assert_memory_equal(u.datum, all, total * sizeof all[0]);
        assert_int_equal(run.some, some);
        assert_false(run.open);
    }
}

/* 40 zeros are three data and the last: 1 + 15, 1 + 15, 1 + 6, 1. */
static void compression_of_zeros(void **state) {
    static const uint8_t want[] = { 0, 15, 15, 6, 0 };
    struct pack_run run = { .open = false, .some = true };
    union pack_data data = { .word = { 0 } };
    uint8_t zeros[PACK_DATA + 1];
    (void)state;
    assert_int_equal(pack_compress(&run, &data, PACK_BF16, 40, true, zeros), 4);
    assert_memory_equal(zeros, want, sizeof want);
    assert_false(run.some);
}

/* ---- Rows of the official simulator ----------------------------------------------------------------------------- */

static const struct recorded {
    struct pack_read read;
    enum pack_out out;
    unsigned relu, threshold, exponent;
    uint32_t in[16], want[16];
} recorded[] = {
#include "data/pack_rows.inc"
};

static uint16_t stored_half(const struct pack_read *read, uint32_t x) {
    if (read->format == PACK_TO_INT16)
        return (uint16_t)x;
    if ((read->format == PACK_TO_FP16 && !read->ten_bits) || read->format == PACK_TO_BFP8A)
        return (uint16_t)((x & 0x8000) | (x & 0x3FF) << 5 | (x >> 10 & 0x1F));
    return (uint16_t)((x & 0x8000) | (x & 0x7F) << 8 | (x >> 7 & 0xFF));
}

static void store(const struct recorded *r, uint16_t dst[9][16]) {
    for (unsigned i = 0; i < 16; i++) {
        uint32_t x = r->read.wide ? r->in[i] >> 16 : r->in[i];
        dst[8][i] = (uint16_t)r->in[i];
        dst[0][i] =
            r->read.wide ? (uint16_t)((x & 0x8000) | (x & 0x7F) << 8 | (x >> 7 & 0xFF)) : stored_half(&r->read, x);
    }
}

static void replay(const struct lanes *lanes, const struct recorded *r, unsigned number) {
    uint16_t dst[9][16];
    const uint16_t *row[] = { dst[0] };
    union pack_data data;
    uint8_t bytes[64], exponent = 0;
    int path = pack_early_path(&r->read);
    unsigned bits = pack_bits(r->out);
    assert_true(path >= 0);
    enum pack_kind kind = pack_early_kind((enum pack_early)path, r->read.format);
    store(r, dst);
    lanes->pack.early[path](&data, row, 1, &(struct pack_rounding){ .random = NULL });
    if (r->relu)
        lanes->pack.relu[kind](&data, r->relu, r->threshold, 1);
    if (r->read.wide && r->read.format == PACK_TO_FP16)
        lanes->pack.to_fp16(&data, 1), kind = PACK_FP16;
    lanes->pack.late[kind][r->out](bytes, &exponent, &data, 1, NULL);
    assert_int_equal(exponent, r->exponent);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t x = 0;
        memcpy(&x, bytes + i * bits / 8, bits < 8 ? 1 : bits / 8);
        x = bits < 8 ? x >> i * bits % 8 & (power(bits) - 1) : x;
        if (x != r->want[i])
            fail_msg("%s, row %u: 0x%x gives 0x%x, not 0x%x", lanes->level, number, r->in[i], x, r->want[i]);
    }
}

static void rows(void **state) {
    const struct lanes *lanes;
    (void)state;
    for (unsigned level = 0; (lanes = lanes_at(level)); level++)
        for (unsigned i = 0; i < sizeof recorded / sizeof recorded[0]; i++)
            replay(lanes, &recorded[i], i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mask),
        cmocka_unit_test(relu),
        cmocka_unit_test(most),
        cmocka_unit_test(below),
        cmocka_unit_test(histogram),
        cmocka_unit_test(load),
        cmocka_unit_test(early_paths),
        cmocka_unit_test(kinds),
        cmocka_unit_test(load_paths),
        cmocka_unit_test(sizes),
        cmocka_unit_test(selection),
        cmocka_unit_test(compression),
        cmocka_unit_test(compression_of_zeros),
        cmocka_unit_test(rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
