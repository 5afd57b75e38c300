/* Dst and RWCs as Dst.md and RWCs.md describe them, one datum and one counter at a time, to compare with. */
#ifndef TESTS_TENSIX_DST_MODEL_H
#define TESTS_TENSIX_DST_MODEL_H

#include "support/random.h"
#include "support/tensix_box.h"

/* ---- Configuration ---------------------------------------------------------------------------------------- */

static inline void dm_set(uint32_t *words, unsigned word, unsigned shift, unsigned width, uint32_t value) {
    uint32_t mask = width < 32 ? (1u << width) - 1 : UINT32_MAX;
    words[word] = (words[word] & ~(mask << shift)) | (value & mask) << shift;
}
#define DM_SET(words, name, value) dm_set(words, CONFIG_WORD_##name, CONFIG_SHIFT_##name, CONFIG_WIDTH_##name, value)

/* A word of both banks, as those that they share are. */
static inline void dm_access(struct tensix *x, bool remap, bool swizzle) {
    for (unsigned bank = 0; bank < 2; bank++) {
        DM_SET(x->config.bank[bank], DEST_ACCESS_CFG_remap_addrs, remap);
        DM_SET(x->config.bank[bank], DEST_ACCESS_CFG_swizzle_32b, swizzle);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------------------- */

static inline unsigned dm_bit(unsigned row, unsigned bit) {
    return row >> bit & 1;
}

/* The row of the 16-bit view, bit by bit. */
static inline unsigned dm_adj16(const struct tensix *x, unsigned row) {
    static const uint8_t from[10] = { 0, 1, 2, 4, 5, 3, 6, 7, 8, 9 };
    unsigned result = 0;
    if (!(x->config.bank[0][220] >> 1 & 1))
        return row;
    for (unsigned i = 0; i < 10; i++)
        result |= dm_bit(row, from[i]) << i;
    return result;
}

/* The row of a 32-bit datum's upper half. */
static inline unsigned dm_adj32(const struct tensix *x, unsigned row) {
    unsigned r = dm_adj16(x, row);
    if (x->config.bank[0][220] & 1)
        r = (r & ~12u) | dm_bit(r, 3) << 2 | (dm_bit(r, 4) ^ dm_bit(r, 2)) << 3;
    unsigned upper = 0;
    for (unsigned i = 3; i < 9; i++)
        upper |= dm_bit(r, i) << (i + 1);
    return upper | dm_bit(r, 9) << 9 | (r & 7);
}

static inline unsigned dm_row(const struct tensix *x, const struct dst *dst, unsigned row, bool wide) {
    return wide || dst->halves ? dm_adj32(x, row) : dm_adj16(x, row);
}

static inline bool dm_invalid(const struct dst *dst, unsigned row) {
    return dst->invalid[row / 32] >> row % 32 & 1;
}

/* 16 bits in the upper half, or 32. What is invalid reads as zero. */
static inline uint32_t dm_get(const struct tensix *x, const struct dst *dst, unsigned row, unsigned column, bool wide) {
    unsigned r = dm_row(x, dst, row, wide);
    if (dm_invalid(dst, r))
        return 0;
    return (uint32_t)dst->bits[r][column] << 16 | (wide ? dst->bits[r + 8][column] : 0u);
}

static inline void dm_put(const struct tensix *x, struct dst *dst, unsigned row, unsigned column, bool wide,
                          uint32_t value) {
    unsigned r = dm_row(x, dst, row, wide);
    dst->bits[r][column] = (uint16_t)(value >> 16);
    if (wide)
        dst->bits[r + 8][column] = (uint16_t)value;
    dst->invalid[r / 32] &= ~(1u << r % 32);
    dst->touched |= 1u << r / 32;
}

/* ---- Counters ----------------------------------------------------------------------------------------------- */

static inline void dm_step(unsigned modulus, unsigned *counter, unsigned *cr, unsigned increment, bool clear,
                           bool to_cr, bool from_cr) {
    if (clear) {
        *counter = *cr = 0;
    } else if (to_cr) {
        *counter = (*counter + increment) % modulus;
        *cr = *counter;
    } else if (from_cr) {
        *cr = (*cr + increment) % modulus;
        *counter = *cr;
    } else {
        *counter = (*counter + increment) % modulus;
    }
}

static inline struct rwc dm_apply(struct rwc rwc, const uint16_t *config, unsigned i, bool fidelity) {
    unsigned ab = config[12 + i], d = config[28 + i];
    unsigned a = rwc.src_a, a_cr = rwc.src_a_cr, b = rwc.src_b, b_cr = rwc.src_b_cr, dst = rwc.dst, dst_cr = rwc.dst_cr;
    dm_step(64, &a, &a_cr, ab % 64, ab >> 7 & 1, false, ab >> 6 & 1);
    dm_step(64, &b, &b_cr, ab / 256 % 64, ab >> 15, false, ab >> 14 & 1);
    dm_step(1024, &dst, &dst_cr, d % 1024, d >> 11 & 1, d >> 12 & 1, d >> 10 & 1);
    rwc.src_a = (uint8_t)a, rwc.src_a_cr = (uint8_t)a_cr, rwc.src_b = (uint8_t)b, rwc.src_b_cr = (uint8_t)b_cr;
    rwc.dst = (uint16_t)dst, rwc.dst_cr = (uint16_t)dst_cr;
    if (fidelity)
        rwc.fidelity = d >> 15 ? 0 : (rwc.fidelity + (d >> 13 & 3)) % 4;
    return rwc;
}

/* ---- States ------------------------------------------------------------------------------------------------- */

static inline void dm_draw_rwc(struct rwc *rwc, uint64_t *seed) {
    *rwc = (struct rwc){
        .dst = random_below(seed, 1024) & 0x3FF,
        .dst_cr = random_below(seed, 1024) & 0x3FF,
        .sp = random_below(seed, 4) ? random_below(seed, 1024) & 0x3FF : 0,
        .src_a = random_below(seed, 64) & 63,
        .src_a_cr = random_below(seed, 64) & 63,
        .src_b = random_below(seed, 64) & 63,
        .src_b_cr = random_below(seed, 64) & 63,
        .fidelity = random_below(seed, 4) & 3,
    };
}

static inline void dm_draw_dst(struct dst *dst, uint64_t *seed) {
    for (unsigned row = 0; row < DST_ROWS; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            dst->bits[row][column] = (uint16_t)random_next(seed);
    for (unsigned i = 0; i < DST_ROWS / 32; i++)
        dst->invalid[i] = random_below(seed, 2) ? 0 : (uint32_t)random_next(seed);
}

static inline void dm_assert_same(const struct dst *dst, const struct dst *want, uint32_t word) {
    for (unsigned row = 0; row < DST_ROWS; row++)
        if (memcmp(dst->bits[row], want->bits[row], sizeof dst->bits[row]))
            for (unsigned column = 0; column < DST_COLUMNS; column++)
                if (dst->bits[row][column] != want->bits[row][column])
                    fail_msg("%08x: Dst[%u][%u] is %04x, not %04x", word, row, column, dst->bits[row][column],
                             want->bits[row][column]);
    assert_memory_equal(dst->invalid, want->invalid, sizeof dst->invalid);
    assert_int_equal(dst->touched, want->touched);
}

#endif
