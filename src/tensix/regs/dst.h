/* Dst: 1024 rows of 16 columns of 16 bits; or 512 rows of 32 bits, whose two halves are stored eight rows apart.
 *
 * Clients number rows as they see them; dst_row16 and dst_row32 translate to stored rows:
 *
 *     row           9   8 7 6 5 4   3 2 1 0     the bits' new order:
 *     remap_addrs   9   8 7 6 3 5   4 2 1 0     for every access
 *     swizzle_32b   9   8 7 6 5 4 4^2 3 1 0     then, for 32 bits only
 *     32 bits       9|8 7 6 5 4 3   0 2 1 0     the upper half; the lower is eight rows on
 *
 * Four aligned rows stay consecutive in every mode.
 *
 * Inexact: Dst is zero at power-on, and with bit 11 of DBG_FEATURE_DISABLE a 16-bit write keeps the lower half;
 * hardware gives unpredictable values in both cases. Sources: Dst.md (BH and WH), ZEROACC.md (WH). */
#ifndef TENSIX_REGS_DST_H
#define TENSIX_REGS_DST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "isa/config.h"

enum { DST_ROWS = 1024, DST_COLUMNS = 16, DST_LOW = 8 /* rows from the upper to the lower half of 32 bits */ };

struct dst {
    uint32_t invalid[DST_ROWS / 32]; /* a bit for each row: the row reads as the identity element of the reader's
                                      * operation, mostly 0 */
    uint32_t touched;                /* a bit for each 32 rows: one of them has been written since power-on */
    bool halves;                     /* bit 11 of DBG_FEATURE_DISABLE: 16-bit rows are upper halves of 32-bit rows */
    /* In the layout of the hardware: BF16 is sign, mantissa 14:8, exponent 7:0; FP16 is sign, mantissa 14:5, exponent
     * 4:0; the upper half of 32 bits has the layout of BF16, the lower half is as it is. */
    uint16_t bits[DST_ROWS][DST_COLUMNS] __attribute__((aligned(64)));
};

/* Applies a value of DBG_FEATURE_DISABLE. */
static inline void dst_feature_disable(struct dst *dst, uint32_t value) {
    dst->halves = value >> 11 & 1;
}

static inline unsigned dst_remapped(const uint32_t *config, unsigned row) {
    if (BH_UNLIKELY(CONFIG_GET(config, DEST_ACCESS_CFG_remap_addrs)))
        row = (row & 0x3C7) | (row >> 1 & 0x18) | (row << 2 & 0x20);
    return row;
}

/* Returns the stored row of the upper half of a 32-bit row. */
static inline unsigned dst_wide_row(unsigned row) {
    return (row << 1 & 0x3F0) | (row & 0x207);
}

/* Returns the stored row of the upper half of a row of the 32-bit view. config: either bank of Config, since the banks
 * share the word. */
static inline unsigned dst_row32(const uint32_t *config, unsigned row) {
    row = dst_remapped(config, row);
    if (BH_UNLIKELY(CONFIG_GET(config, DEST_ACCESS_CFG_swizzle_32b)))
        row = (row & 0x3F3) | (row >> 1 & 4) | ((row >> 1 ^ row << 1) & 8);
    return dst_wide_row(row);
}

/* Returns the stored row of a row of the 16-bit view. */
static inline unsigned dst_row16(const struct dst *dst, const uint32_t *config, unsigned row) {
    return BH_UNLIKELY(dst->halves) ? dst_row32(config, row) : dst_remapped(config, row);
}

/* Returns which of four aligned stored rows are invalid, in bits 0..3. For 32 bits, pass the row of the upper
 * halves. */
static inline unsigned dst_invalid4(const struct dst *dst, unsigned row) {
    return dst->invalid[row / 32] >> row % 32 & 15;
}

static inline bool dst_is_invalid(const struct dst *dst, unsigned row) {
    return dst->invalid[row / 32] >> row % 32 & 1;
}

/* Makes rows valid. rows: a bit for each row, starting with `row`, all in the same aligned 32. */
static inline void dst_validate(struct dst *dst, unsigned row, uint32_t rows) {
    dst->invalid[row / 32] &= ~(rows << row % 32);
}

/* Records that the row has been written. A 32-bit row needs one call: its lower half is in the same 32 rows. */
static inline void dst_touch(struct dst *dst, unsigned row) {
    dst->touched |= UINT32_C(1) << row / 32;
}

/* Convert between the layouts of Dst and those of other blocks. */
static inline uint16_t dst_decode_bf16(uint16_t x) {
    return (uint16_t)((x & 0x8000) | (x & 0xFF) << 7 | (x >> 8 & 0x7F));
}

static inline uint16_t dst_encode_bf16(uint16_t x) {
    return (uint16_t)((x & 0x8000) | (x & 0x7F) << 8 | (x >> 7 & 0xFF));
}

static inline uint16_t dst_decode_fp16(uint16_t x) {
    return (uint16_t)((x & 0x8000) | (x & 0x1F) << 10 | (x >> 5 & 0x3FF));
}

static inline uint16_t dst_encode_fp16(uint16_t x) {
    return (uint16_t)((x & 0x8000) | (x & 0x3FF) << 5 | (x >> 10 & 0x1F));
}

/* For FP32 and integers. */
static inline uint32_t dst_decode32(uint32_t x) {
    return (uint32_t)dst_decode_bf16((uint16_t)(x >> 16)) << 16 | (x & 0xFFFF);
}

static inline uint32_t dst_encode32(uint32_t x) {
    return (uint32_t)dst_encode_bf16((uint16_t)(x >> 16)) << 16 | (x & 0xFFFF);
}

/* Return 16 or 32 bits of a stored row; zero if the row is invalid. */
static inline uint16_t dst_get16(const struct dst *dst, unsigned row, unsigned column) {
    return dst_is_invalid(dst, row) ? 0 : dst->bits[row][column];
}

static inline uint32_t dst_get32(const struct dst *dst, unsigned row, unsigned column) {
    if (dst_is_invalid(dst, row))
        return 0;
    return (uint32_t)dst->bits[row][column] << 16 | dst->bits[row + DST_LOW][column];
}

static inline void dst_put16(struct dst *dst, unsigned row, unsigned column, uint16_t value) {
    dst->bits[row][column] = value;
    dst_validate(dst, row, 1);
    dst_touch(dst, row);
}

static inline void dst_put32(struct dst *dst, unsigned row, unsigned column, uint32_t value) {
    dst->bits[row + DST_LOW][column] = (uint16_t)value;
    dst_put16(dst, row, column, (uint16_t)(value >> 16));
}

#endif
