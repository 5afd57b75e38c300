/* Random operands for the Matrix Unit's arithmetic. */
#ifndef TESTS_NUMERIC_MATRIX_BLOCKS_H
#define TESTS_NUMERIC_MATRIX_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/matrix/kernels.h"
#include "support/random.h"

struct src {
    uint16_t mantissa[16][16], exponent[16][16];
};

/* Rows 0..3 of a block of Dst are rows 0..3 here, rows 4..7 lie from FAR on; lower halves eight rows on. */
enum { FAR = 20, ROWS = 40 };

struct block {
    struct src a, b;
    uint16_t dst[ROWS][16];
    unsigned invalid;
};

static inline unsigned dst_row(unsigned row) {
    return row < 4 ? row : FAR + row - 4;
}

static inline uint32_t datum(const struct src *s, unsigned row, unsigned column) {
    uint32_t mantissa = s->mantissa[row][column];
    return (mantissa & 0x8000) << 3 | (mantissa & 0x3FF) << 8 | s->exponent[row][column];
}

static inline bool is_wide(const struct matrix_mode *mode) {
    return mode->wide || mode->a == MATRIX_INT8;
}

static inline uint32_t get_dst(const struct block *x, const struct matrix_mode *mode, unsigned row, unsigned column) {
    uint32_t upper = x->dst[dst_row(row)][column];
    if (x->invalid >> row & 1)
        return 0;
    return is_wide(mode) ? upper << 16 | x->dst[dst_row(row) + 8][column] : upper;
}

static inline void put_dst(struct block *x, const struct matrix_mode *mode, unsigned row, unsigned column,
                           uint32_t value) {
    x->dst[dst_row(row)][column] = (uint16_t)(is_wide(mode) ? value >> 16 : value);
    if (is_wide(mode))
        x->dst[dst_row(row) + 8][column] = (uint16_t)value;
}

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

/* Exponents around a centre, with a share of zeros and of ends. */
struct spread_of {
    unsigned centre, span, top, zeros; /* zeros: in 64 */
};

static inline struct spread_of draw_spread(uint64_t *seed, unsigned top) {
    static const unsigned spans[] = { 1, 2, 4, 8, 12, 20, 40, 256 };
    static const unsigned zeros[] = { 0, 0, 2, 8, 32, 60 };
    return (struct spread_of){ random_below(seed, top + 1), spans[random_below(seed, 8)], top,
                               zeros[random_below(seed, 6)] };
}

static inline unsigned draw_exponent(const struct spread_of *s, uint64_t *seed) {
    if (random_below(seed, 64) < s->zeros)
        return 0;
    int e = (int)s->centre + (int)random_below(seed, s->span) - (int)(s->span / 2);
    return e < 1 ? 1 : (unsigned)e > s->top ? s->top : (unsigned)e;
}

/* Any bits, few bits, all bits. */
static inline unsigned draw_mantissa(uint64_t *seed, unsigned bits) {
    uint32_t word = (uint32_t)random_next(seed), mask = (1u << bits) - 1;
    switch (random_below(seed, 8)) {
    case 0: return 0;
    case 1: return mask;
    case 2: return word & word >> 8 & word >> 16 & mask;
    case 3: return 1u << word % bits;
    default: return word & mask;
    }
}

static inline void draw_src(struct src *s, const struct matrix_mode *mode, enum matrix_style style, unsigned centre,
                            uint64_t *seed) {
    struct spread_of spread = draw_spread(seed, style == MATRIX_FP16 ? 31 : 255);
    if (centre <= spread.top)
        spread.centre = centre;
    bool mixed = random_below(seed, 8) == 0;
    for (unsigned row = 0; row < 16; row++)
        for (unsigned column = 0; column < 16; column++) {
            if (mixed && column == 0)
                spread = draw_spread(seed, spread.top);
            uint32_t sign = random_below(seed, 2) << 15;
            s->mantissa[row][column] = (uint16_t)(sign | draw_mantissa(seed, 10));
            s->exponent[row][column] = (uint16_t)draw_exponent(&spread, seed);
            if (mode->a == MATRIX_INT8 && s->exponent[row][column])
                s->exponent[row][column] = 16;
            if (random_below(seed, 64) == 0) /* the zeros that are none, perhaps */
                s->exponent[row][column] = 0, s->mantissa[row][column] = (uint16_t)sign;
        }
}

static inline void draw_dst(struct block *x, const struct matrix_mode *mode, unsigned centre, uint64_t *seed) {
    bool half = mode->a == MATRIX_FP16 && !mode->wide;
    struct spread_of spread = draw_spread(seed, half ? 31 : 255);
    if (centre <= spread.top)
        spread.centre = centre;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < 16; column++) {
            uint32_t sign = random_below(seed, 2) << 15;
            uint32_t mantissa = half ? draw_mantissa(seed, 10) << 5 : draw_mantissa(seed, 7) << 8;
            x->dst[row][column] = (uint16_t)(sign | mantissa | draw_exponent(&spread, seed));
            if (row / 8 % 2 && is_wide(mode)) /* lower halves */
                x->dst[row][column] = (uint16_t)draw_mantissa(seed, 16);
        }
    x->invalid = random_below(seed, 4) ? 0 : random_below(seed, 256);
}

/* Mostly operands of similar size: the product's exponent close to Dst's, an addend's close to the other's. */
static inline void draw_block(struct block *x, const struct matrix_mode *mode, uint64_t *seed) {
    bool half = mode->a == MATRIX_FP16;
    unsigned a = random_below(seed, half ? 32 : 256), b = random_below(seed, half ? 32 : 256);
    int bias = half ? mode->wide ? 97 : -15 : -127;
    int dst = (int)(a + b) + bias + (int)random_below(seed, 9) - 4;
    switch (random_below(seed, 4)) {
    case 0: a = b = 999, dst = 999; break;
    case 1:
        b = a + random_below(seed, 5) - 2; /* for sums */
        dst = (int)a + (half && mode->wide ? 112 : 0) + (int)random_below(seed, 9) - 4;
        break;
    default: break;
    }
    draw_src(&x->a, mode, mode->a, a, seed);
    draw_src(&x->b, mode, mode->b, b, seed);
    draw_dst(x, mode, dst < 0 ? 0 : (unsigned)dst, seed);
}

#endif
