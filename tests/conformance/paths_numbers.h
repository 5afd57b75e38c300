/* Numbers in the formats of tiles, for the host: encoded, decoded, in tiles or in rows. */
#ifndef CONFORMANCE_PATHS_NUMBERS_H
#define CONFORMANCE_PATHS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kit/tile.h"

/* A tensor of rows by columns data, with what each datum is. */
struct tensor {
    unsigned rows, columns; /* data; multiples of 32 */
    double *value;
};

/* Bytes that the tensor takes in L1; plain: rows of data instead of tiles. */
size_t numbers_size(const struct tensor *tensor, enum tile_format format);
void numbers_encode(const struct tensor *tensor, enum tile_format format, bool plain, uint8_t *bytes);
void numbers_decode(struct tensor *tensor, enum tile_format format, bool plain, const uint8_t *bytes);

#endif
