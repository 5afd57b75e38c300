/* Encoding rounds to nearest, ties to even; what a format cannot hold is not asked for. Block floats are made as the
 * largest of sixteen asks. */
#include "paths_numbers.h"

#include <math.h>
#include <string.h>

#include "support/float_bits.h"

static uint32_t to_bf16(double value) {
    uint32_t bits = as_bits((float)value);
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

/* Normal numbers; smaller ones become zero. */
static uint32_t to_fp16(double value) {
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* 0.5 .. 1 */
    if (value == 0 || exponent < -13)
        return 0;
    uint32_t mantissa = (uint32_t)lrint(ldexp(fraction, 11)); /* 1024 .. 2048 */
    return (signbit(value) ? 0x8000u : 0) + ((uint32_t)(exponent + 14 - 1) << 10) + mantissa;
}

static double from_fp16(uint32_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double value = exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : ldexp(bits & 1023, -24);
    return bits & 0x8000 ? -value : value;
}

static uint32_t sign_magnitude(double value, unsigned bits) {
    return (uint32_t)fabs(value) | (value < 0 ? 1u << (bits - 1) : 0);
}

static double from_sign_magnitude(uint32_t word, unsigned bits) {
    uint32_t sign = 1u << (bits - 1);
    return word & sign ? -(double)(word & (sign - 1)) : (double)word;
}

static uint32_t encode(double value, enum tile_format format) {
    switch (format) {
    case BF16: return to_bf16(value);
    case FP16: return to_fp16(value);
    case INT8: return sign_magnitude(value, 8);
    case INT32: return sign_magnitude(value, 32);
    default: return as_bits((float)value);
    }
}

static double decode(uint32_t word, enum tile_format format) {
    switch (format) {
    case BF16: return (double)as_float(word << 16);
    case FP16: return from_fp16(word);
    case INT8: return from_sign_magnitude(word, 8);
    case INT32: return from_sign_magnitude(word, 32);
    default: return (double)as_float(word);
    }
}

size_t numbers_size(const struct tensor *tensor, enum tile_format format) {
    return (size_t)tensor->rows * tensor->columns / TILE_DATA * tile_bytes(format);
}

/* Datum number in L1 of (row, column). */
static size_t place(const struct tensor *tensor, bool plain, unsigned row, unsigned column) {
    if (plain)
        return (size_t)row * tensor->columns + column;
    size_t tile = (size_t)(row / 32) * (tensor->columns / 32) + column / 32;
    return tile * TILE_DATA + tile_datum(row % 32, column % 32);
}

/* A shared exponent, biased by 127, and sixteen times sign and 7 bits below the binary point. */
static void encode_block(const double *value, uint8_t *exponent, uint8_t *data) {
    int largest = -126;
    for (unsigned i = 0; i < 16; i++) {
        int e;
        if (value[i] != 0 && (frexp(value[i], &e), e - 1 > largest))
            largest = e - 1;
    }
    *exponent = (uint8_t)(largest + 127);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t magnitude = (uint32_t)lrint(ldexp(fabs(value[i]), 6 - largest));
        magnitude = magnitude > 127 ? 127 : magnitude;
        data[i] = (uint8_t)(magnitude | (value[i] < 0 && magnitude ? 128 : 0));
    }
}

static void decode_block(double *value, uint8_t exponent, const uint8_t *data) {
    for (unsigned i = 0; i < 16; i++) {
        double magnitude = ldexp(data[i] & 127, exponent - 127 - 6);
        value[i] = data[i] & 128 ? -magnitude : magnitude;
    }
}

/* Where the exponent and the data of the block with (row, column) are. */
static size_t block_exponent(const struct tensor *tensor, unsigned row, unsigned column, size_t *data) {
    size_t datum = place(tensor, false, row, column), tile = datum / TILE_DATA * tile_bytes(BFP8);
    *data = tile + TILE_EXPONENTS + datum % TILE_DATA;
    return tile + datum % TILE_DATA / 16;
}

static void encode_blocks(const struct tensor *tensor, uint8_t *bytes) {
    for (unsigned row = 0; row < tensor->rows; row++)
        for (unsigned column = 0; column < tensor->columns; column += 16) {
            size_t data, exponent = block_exponent(tensor, row, column, &data);
            encode_block(&tensor->value[(size_t)row * tensor->columns + column], bytes + exponent, bytes + data);
        }
}

static void decode_blocks(struct tensor *tensor, const uint8_t *bytes) {
    for (unsigned row = 0; row < tensor->rows; row++)
        for (unsigned column = 0; column < tensor->columns; column += 16) {
            size_t data, exponent = block_exponent(tensor, row, column, &data);
            decode_block(&tensor->value[(size_t)row * tensor->columns + column], bytes[exponent], bytes + data);
        }
}

void numbers_encode(const struct tensor *tensor, enum tile_format format, bool plain, uint8_t *bytes) {
    size_t size = format_bits(format) / 8;
    if (format == BFP8) {
        encode_blocks(tensor, bytes);
        return;
    }
    for (unsigned row = 0; row < tensor->rows; row++)
        for (unsigned column = 0; column < tensor->columns; column++) {
            uint32_t word = encode(tensor->value[(size_t)row * tensor->columns + column], format);
            memcpy(bytes + place(tensor, plain, row, column) * size, &word, size);
        }
}

void numbers_decode(struct tensor *tensor, enum tile_format format, bool plain, const uint8_t *bytes) {
    size_t size = format_bits(format) / 8;
    if (format == BFP8) {
        decode_blocks(tensor, bytes);
        return;
    }
    for (unsigned row = 0; row < tensor->rows; row++)
        for (unsigned column = 0; column < tensor->columns; column++) {
            uint32_t word = 0;
            memcpy(&word, bytes + place(tensor, plain, row, column) * size, size);
            tensor->value[(size_t)row * tensor->columns + column] = decode(word, format);
        }
}
