/* Rounding at random, one element at a time (random.h). */
#include "numeric/matrix/random.h"

#include "base/mix.h"
#include "numeric/matrix/model.h"

static uint32_t datum(struct matrix_src src, unsigned row, unsigned column) {
    unsigned at = row * MATRIX_COLUMNS + column;
    uint32_t mantissa = src.mantissa[at];
    return mantissa >> 15 << 18 | (mantissa & 0x3FF) << 8 | (src.exponent[at] & 0xFF);
}

static uint16_t *place(const struct matrix_dst *dst, unsigned row, unsigned column) {
    return dst->rows[row / 4] + row % 4 * MATRIX_COLUMNS + column;
}

static uint32_t get(const struct matrix_dst *dst, unsigned row, unsigned column, bool wide) {
    const uint16_t *at = place(dst, row, column);
    if (dst->invalid >> row & 1)
        return 0;
    return wide ? (uint32_t)at[0] << 16 | at[MATRIX_LOW] : at[0];
}

static void put(const struct matrix_dst *dst, unsigned row, unsigned column, bool wide, uint32_t value) {
    uint16_t *at = place(dst, row, column);
    at[0] = (uint16_t)(wide ? value >> 16 : value);
    if (wide)
        at[MATRIX_LOW] = (uint16_t)value;
}

static uint32_t next(uint64_t *roundings) {
    return (uint32_t)(mix(mix(0, ++*roundings), 0) >> 32);
}

void matrix_random_multiply(const struct matrix_dst *dst, const struct matrix_src a[2], struct matrix_src b,
                            bool one_row, struct matrix_mode mode, uint64_t *roundings) {
    for (unsigned row = 0; row < MATRIX_ROWS; row++) {
        uint32_t factors[16], column[16];
        if (!(dst->mask >> row & 1))
            continue;
        for (unsigned k = 0; k < 16; k++)
            factors[k] = datum(b, one_row ? 0 : row, k);
        for (unsigned j = 0; j < MATRIX_COLUMNS; j++) {
            for (unsigned k = 0; k < 16; k++)
                column[k] = datum(a[k / 8], k % 8, j);
            mode.noise = next(roundings);
            put(dst, row, j, mode.wide, matrix_model_dot(&mode, column, factors, get(dst, row, j, mode.wide)));
        }
    }
}

enum operation { SCALE, ADD, SUBTRACT };

static void elementwise(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                        enum operation operation, bool accumulate, struct matrix_mode mode, uint64_t *roundings) {
    for (unsigned row = 0; row < MATRIX_ROWS; row++)
        for (unsigned j = 0; j < MATRIX_COLUMNS && dst->mask >> row & 1; j++) {
            uint32_t x = datum(a, row, j);
            uint32_t y = datum(b, broadcast & MATRIX_ONE_ROW ? 0 : row, broadcast & MATRIX_ONE_COLUMN ? 0 : j);
            uint32_t old = accumulate ? get(dst, row, j, mode.wide) : 0;
            mode.noise = next(roundings);
            put(dst, row, j, mode.wide,
                operation == SCALE ? matrix_model_multiply(&mode, x, y, old)
                                   : matrix_model_add(&mode, x, y, operation == SUBTRACT, old));
        }
}

void matrix_random_scale(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                         struct matrix_mode mode, uint64_t *roundings) {
    elementwise(dst, a, b, broadcast, SCALE, true, mode, roundings);
}

void matrix_random_add(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                       bool subtract, bool accumulate, struct matrix_mode mode, uint64_t *roundings) {
    elementwise(dst, a, b, broadcast, subtract ? SUBTRACT : ADD, accumulate, mode, roundings);
}
