/* The rows of Src and Dst that arithmetic reads and writes. */
#ifndef TENSIX_MATRIX_ROWS_H
#define TENSIX_MATRIX_ROWS_H

#include "tensix/tensix.h"

/* Masks of rows of Dst: all of an aligned eight, or an aligned four. */
enum { ALL_ROWS = 0xFF, UPPER_ROWS = 0x0F };

static inline struct matrix_src rows_of_src(const struct src *src, unsigned file, unsigned row) {
    const struct src_bank *bank = src_matrix_bank(src, file);
    return (struct matrix_src){ bank->mantissa[row], bank->exponent[row] };
}

/* Returns the position in storage of the first of four aligned rows. */
static inline unsigned rows_at(const struct matrix_turn *turn, unsigned row, bool wide) {
    return wide ? dst_row32(turn->config, row) : dst_row16(&turn->x->dst, turn->config, row);
}

/* Returns the rows of Dst that the instruction uses: eight, or four if mask is UPPER_ROWS. The two fours of eight are
 * consecutive in storage unless Dst is swizzled. */
static inline __attribute__((always_inline)) struct matrix_dst rows_of_dst(const struct matrix_turn *turn,
                                                                           unsigned mask, bool wide) {
    struct dst *dst = &turn->x->dst;
    unsigned row = turn->row & (mask == UPPER_ROWS ? ~3u : ~7u), first = rows_at(turn, row, wide), second = first;
    if (mask != UPPER_ROWS)
        second = BH_UNLIKELY(CONFIG_GET(turn->config, DEST_ACCESS_CFG_swizzle_32b)) ? rows_at(turn, row + 4, wide)
                                                                                    : first + 4;
    return (struct matrix_dst){ .rows = { dst->bits[first], dst->bits[second] },
                                .invalid = dst_invalid4(dst, first) | dst_invalid4(dst, second) << 4,
                                .mask = mask };
}

static inline void rows_written(const struct matrix_turn *turn, const struct matrix_dst *rows) {
    struct dst *dst = &turn->x->dst;
    for (unsigned i = 0; i < 2; i++) {
        unsigned row = (unsigned)(rows->rows[i] - dst->bits[0]) / DST_COLUMNS;
        if (BH_UNLIKELY(rows->invalid))
            dst_validate(dst, row, rows->mask >> 4 * i & 15);
        dst_touch(dst, row);
    }
}

#endif
