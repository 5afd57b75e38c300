/* The kernels between LRegs and Dst at every level of this host, against SFPLOAD.md, SFPSTORE.md and Dst.md for one
 * datum: all 16-bit patterns in Dst, all upper halves in LRegs, even, odd and mixed columns, masks of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numeric/lanes/lanes.h"
#include "support/random.h"

enum { COLUMNS = 16, ROWS = 12, DATA = ROWS * COLUMNS }; /* upper halves, four rows of others, lower halves */

static bool is_wide_load(unsigned format) {
    return format == MOVE_FP32 || format == MOVE_INT32 || format == MOVE_INT32_ALL || format == MOVE_INT32_SM;
}

static bool is_wide_store(unsigned format) {
    return is_wide_load(format) || format == MOVE_HI16 || format == MOVE_LO16;
}

/* ---- One datum --------------------------------------------------------------------------------------------- */

static uint32_t fp32_of(unsigned sign, unsigned exponent, unsigned mantissa) {
    return (uint32_t)sign << 31 | (uint32_t)exponent << 23 | mantissa;
}

static uint32_t loaded_fp16(uint16_t h, bool infinity) {
    unsigned sign = h >> 15, mantissa = h / 32 % 1024, exponent = h % 32;
    if (infinity && exponent == 31 && mantissa == 1023)
        return fp32_of(sign, 255, 0);
    return fp32_of(sign, exponent ? exponent + 112 : 0, mantissa * 8192);
}

static uint32_t loaded_bf16(uint16_t h) {
    return fp32_of(h >> 15, h % 256, (uint32_t)(h / 256 % 128) * 65536);
}

static uint32_t signed_magnitude(unsigned sign, uint32_t magnitude) {
    return sign ? 0x80000000 + magnitude : magnitude;
}

static uint32_t loaded(unsigned format, uint16_t h, uint16_t low, uint32_t old, bool infinity) {
    switch (format) {
    case MOVE_FP16: return loaded_fp16(h, infinity);
    case MOVE_BF16: return loaded_bf16(h);
    case MOVE_INT8: return signed_magnitude(h >> 15, h / 32 % 256);
    case MOVE_INT8_COMP: return signed_magnitude(h >> 15, h / 32 % 1024);
    case MOVE_INT16: return signed_magnitude(h >> 15, h % 32768);
    case MOVE_UINT16:
    case MOVE_LO16: return h;
    case MOVE_HI16: return h * 65536u;
    case MOVE_LO16_ONLY: return old - old % 65536 + h;
    case MOVE_HI16_ONLY: return old % 65536 + h * 65536u;
    case MOVE_ZERO: return 0;
    default: return loaded_bf16(h) + low;
    }
}

static uint32_t flushed(uint32_t x) {
    return x / 0x800000 % 256 ? x : x - x % 0x800000;
}

/* Both halves as Dst holds them. */
static uint32_t shuffled(uint32_t x) {
    uint32_t sign = x >> 31, exponent = x / 0x800000 % 256, high = x / 65536 % 128;
    return (sign * 32768 + high * 256 + exponent) * 65536 + x % 65536;
}

static uint16_t fp16_in_dst(uint32_t x) {
    unsigned sign = x >> 31, exponent = x / 0x800000 % 256, mantissa = x % 0x800000 / 8192;
    if (exponent <= 112)
        exponent = mantissa = 0;
    else if (exponent > 112 + 31)
        exponent = 31, mantissa = 1023;
    else
        exponent -= 112;
    return (uint16_t)(sign * 32768 + mantissa * 32 + exponent);
}

static uint32_t stored(unsigned format, uint32_t x) {
    switch (format) {
    case MOVE_FP16: return (uint32_t)fp16_in_dst(x) << 16;
    case MOVE_BF16:
    case MOVE_FP32: return shuffled(flushed(x));
    case MOVE_INT8:
    case MOVE_INT8_COMP: return ((x >> 31) * 32768 + x % 1024 * 32 + 16) * 65536;
    case MOVE_INT16: return ((x >> 31) * 32768 + x % 32768) * 65536;
    case MOVE_UINT16:
    case MOVE_LO16_ONLY: return x % 65536 * 65536;
    case MOVE_HI16_ONLY:
    case MOVE_HI16: return x;
    case MOVE_LO16: return x % 65536 * 65536 + x / 65536;
    case MOVE_ZERO: return 0;
    default: return shuffled(x);
    }
}

/* ---- Four rows ------------------------------------------------------------------------------------------------ */

static unsigned datum_of(unsigned lane, uint32_t odd) {
    return lane / 8 * COLUMNS + lane % 8 * 2 + (odd >> lane & 1);
}

/* Equal columns of all lanes have kernels of their own. */
static bool is_all(uint32_t odd, uint32_t mask) {
    return mask == UINT32_MAX && (odd == 0 || odd == UINT32_MAX);
}

static void check_load(const struct lanes *level, unsigned format, const uint16_t *dst, const uint32_t *old,
                       uint32_t odd, uint32_t infinity, uint32_t mask) {
    uint32_t got[LANES];
    memcpy(got, old, sizeof got);
    level->move.load[format](got, dst, got, odd, infinity, mask);
    if (is_all(odd, mask)) {
        uint32_t all[LANES];
        memcpy(all, old, sizeof all);
        assert_int_equal(level->move.load_all[odd & 1][format](all, dst, infinity), 0);
        assert_memory_equal(all, got, sizeof all);
    }
    for (unsigned i = 0; i < LANES; i++) {
        unsigned at = datum_of(i, odd);
        uint32_t want = mask >> i & 1 ? loaded(format, dst[at], dst[MOVE_LOW + at], old[i], infinity >> i & 1) : old[i];
        if (got[i] != want)
            fail_msg("%s: format %u lane %u odd %08x mask %08x: %04x is loaded as %08x, not %08x", level->level, format,
                     i, odd, mask, dst[at], got[i], want);
    }
}

static void check_store(const struct lanes *level, unsigned format, const uint16_t *dst, const uint32_t *s,
                        uint32_t odd, uint32_t mask) {
    uint16_t got[DATA], want[DATA];
    memcpy(got, dst, sizeof got);
    memcpy(want, dst, sizeof want);
    level->move.store[format](got, s, odd, mask);
    if (is_all(odd, mask)) {
        uint16_t all[DATA];
        memcpy(all, dst, sizeof all);
        assert_int_equal(level->move.store_all[odd & 1][format](all, s), 0);
        assert_memory_equal(all, got, sizeof all);
    }
    for (unsigned i = 0; i < LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        unsigned at = datum_of(i, odd);
        want[at] = (uint16_t)(stored(format, s[i]) >> 16);
        if (is_wide_store(format))
            want[MOVE_LOW + at] = (uint16_t)stored(format, s[i]);
    }
    for (unsigned i = 0; i < DATA; i++)
        if (got[i] != want[i])
            fail_msg("%s: format %u odd %08x mask %08x: datum %u is %04x, not %04x", level->level, format, odd, mask, i,
                     got[i], want[i]);
}

static uint32_t draw_lanes(uint64_t *seed) {
    switch (random_below(seed, 5)) {
    case 0: return 0;
    case 1: return random_below(seed, 256) * 0x01010101u;
    case 2: return (uint32_t)random_next(seed);
    default: return UINT32_MAX;
    }
}

static uint32_t draw_word(uint64_t *seed) {
    uint32_t word = (uint32_t)random_next(seed);
    switch (random_below(seed, 4)) {
    case 0: return word & 0x807FFFFF;                                                          /* denormal */
    case 1: return (word & 0x807FFFFF) | (108 + random_below(seed, 40)) << 23;                 /* around FP16's range */
    case 2: return random_below(seed, 2) ? word & 0x80000000 : 0x7F800000 | (word >> 1 << 31); /* zero, infinity */
    default: return word;
    }
}

static void every_level(void (*check)(const struct lanes *level)) {
    unsigned i = 0;
    for (const struct lanes *level; (level = lanes_at(i)); i++)
        check(level);
    assert_true(i > 0);
}

/* Every pattern of 16 bits in Dst, in all kinds of lanes. */
static void all_loads(const struct lanes *level) {
    uint64_t seed = 1;
    for (unsigned format = 1; format < MOVE_FORMATS; format++)
        for (uint32_t first = 0; first < 0x10000; first += 4 * COLUMNS) {
            uint16_t dst[DATA];
            uint32_t old[LANES];
            for (unsigned i = 0; i < DATA; i++)
                dst[i] = (uint16_t)(i < 4 * COLUMNS ? first + i : random_next(&seed));
            for (unsigned i = 0; i < LANES; i++)
                old[i] = (uint32_t)random_next(&seed);
            uint32_t infinity = draw_lanes(&seed);
            check_load(level, format, dst, old, 0, infinity, UINT32_MAX);
            check_load(level, format, dst, old, UINT32_MAX, infinity, UINT32_MAX);
            check_load(level, format, dst, old, draw_lanes(&seed), infinity, draw_lanes(&seed));
        }
}

static void loads(void **state) {
    (void)state;
    every_level(all_loads);
}

/* Every upper half in an LReg, with random lower halves, and words that formats treat in their own way. */
static void all_stores(const struct lanes *level) {
    uint64_t seed = 2;
    for (unsigned format = 1; format < MOVE_FORMATS; format++)
        for (uint32_t first = 0; first < 0x10000; first += LANES) {
            uint16_t dst[DATA];
            uint32_t s[LANES], special[LANES];
            for (unsigned i = 0; i < DATA; i++)
                dst[i] = (uint16_t)random_next(&seed);
            for (unsigned i = 0; i < LANES; i++) {
                s[i] = (first + i) << 16 | (uint32_t)(random_next(&seed) & 0xFFFF);
                special[i] = draw_word(&seed);
            }
            check_store(level, format, dst, s, 0, UINT32_MAX);
            check_store(level, format, dst, s, UINT32_MAX, UINT32_MAX);
            check_store(level, format, dst, special, draw_lanes(&seed), draw_lanes(&seed));
        }
}

static void stores(void **state) {
    (void)state;
    every_level(all_stores);
}

/* Nothing but the four rows of 16-bit formats is read: the rows may be the last of Dst. */
static void no_lower_half(const struct lanes *level) {
    uint16_t dst[4 * COLUMNS] = { 1, 2, 3 };
    uint32_t d[LANES];
    for (unsigned format = 1; format < MOVE_FORMATS; format++) {
        if (!is_wide_load(format))
            level->move.load[format](d, dst, d, 5, 0, UINT32_MAX);
        if (!is_wide_store(format))
            level->move.store[format](dst, d, 5, UINT32_MAX);
    }
}

static void sixteen_bits_have_no_lower_half(void **state) {
    (void)state;
    every_level(no_lower_half);
}

static void all_others(const struct lanes *level) {
    uint64_t seed = 3;
    for (unsigned round = 0; round < 2000; round++) {
        uint32_t s[LANES], filled[LANES], index[LANES];
        uint32_t value = (uint32_t)random_next(&seed), mask = draw_lanes(&seed), odd = draw_lanes(&seed);
        unsigned row = random_below(&seed, 256) * 4;
        for (unsigned i = 0; i < LANES; i++)
            s[i] = filled[i] = index[i] = (uint32_t)random_next(&seed);
        level->move.fill(filled, value, mask);
        level->move.index(index, row, odd, mask);
        for (unsigned i = 0; i < LANES; i++) {
            bool on = mask >> i & 1;
            assert_int_equal(filled[i], on ? value : s[i]);
            assert_int_equal(index[i], on ? (row + i / 8) * 16 + i % 8 * 2 + (odd >> i & 1) : s[i]);
        }
    }
}

static void others(void **state) {
    (void)state;
    every_level(all_others);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads),
        cmocka_unit_test(stores),
        cmocka_unit_test(sixteen_bits_have_no_lower_half),
        cmocka_unit_test(others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
