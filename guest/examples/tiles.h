/* For host programs of the examples: reads and writes files with tensors of bf16 in tiles. */
#ifndef EXAMPLES_TILES_H
#define EXAMPLES_TILES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/tile.h"

static inline uint16_t to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16); /* rounds to nearest, ties to even */
}

static inline float from_bf16(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the index of datum (row, column) in a tensor of tiles that is `columns` wide. */
static inline size_t tile_place(unsigned columns, unsigned row, unsigned column) {
    size_t tile = (size_t)(row / 32) * (columns / 32) + column / 32;
    return tile * TILE_DATA + tile_datum(row % 32, column % 32);
}

/* Writes a file of bf16 numbers: multiples of 1/8 between -4 and 4, drawn from a seed. */
static inline void tiles_write(const char *name, unsigned rows, unsigned columns, uint32_t seed) {
    FILE *file = fopen(name, "wb");
    for (size_t i = 0; file && i < (size_t)rows * columns; i++) {
        seed = seed * 1664525 + 1013904223;
        uint16_t half = to_bf16((float)(int32_t)(seed >> 26) / 8 - 4);
        fwrite(&half, sizeof half, 1, file);
    }
    if (!file || fclose(file)) {
        perror(name);
        exit(2);
    }
}

static inline void tiles_read(const char *name, unsigned rows, unsigned columns, float *value) {
    FILE *file = fopen(name, "rb");
    uint16_t *half = malloc((size_t)rows * columns * sizeof *half);
    if (!file || !half || fread(half, sizeof *half, (size_t)rows * columns, file) != (size_t)rows * columns) {
        perror(name);
        exit(2);
    }
    for (unsigned row = 0; row < rows; row++)
        for (unsigned column = 0; column < columns; column++)
            value[(size_t)row * columns + column] = from_bf16(half[tile_place(columns, row, column)]);
    free(half);
    fclose(file);
}

/* Prints how many data are as expected. Returns the exit status of the program. */
static inline int tiles_compare(const char *what, const float *got, const double *want, size_t count,
                                double tolerance) {
    size_t good = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(got[i] - want[i]) <= tolerance * (1 + fabs(want[i])))
            good++;
    printf("%s: %zu of %zu data are what the host computes\n", what, good, count);
    return good != count;
}

#endif
