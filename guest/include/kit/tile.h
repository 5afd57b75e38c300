/* Tiles and their number formats in L1.
 *
 * A tile is 32 rows of 32 data, stored as four faces of 16 rows of 16: upper left, upper right, lower left, lower
 * right. Block floats (BFP*) have one exponent for each 16 data of a row of a face: all 64 exponents of the tile come
 * first, then the data. Tiles begin at multiples of 16 bytes.
 *
 *     face 0  face 1          datum (row, column) is datum
 *     face 2  face 3          (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16
 *
 * Nothing here needs a core: programs on the host may include this file, too. */
#ifndef KIT_TILE_H
#define KIT_TILE_H

enum { TILE_ROWS = 32, TILE_DATA = 1024, FACE_ROWS = 16, FACE_DATA = 256, TILE_EXPONENTS = 64 };

/* The numbers of formats in tile descriptors and configuration registers. */
enum tile_format {
    FP32 = 0,
    FP16 = 1,
    TF32 = 4, /* in registers; FP32 in L1 */
    BF16 = 5,
    BFP8 = 6, /* sign and 7 bits */
    BFP4 = 7,
    INT32 = 8, /* integers are sign and magnitude */
    INT16 = 9,
    FP8 = 10,
    INT8 = 14,
    BFP2 = 15,
};

static inline unsigned format_is_block(enum tile_format format) {
    return format == BFP8 || format == BFP4 || format == BFP2;
}

static inline unsigned format_is_integer(enum tile_format format) {
    return format == INT32 || format == INT16 || format == INT8;
}

/* Returns the number of bits of a datum in L1. */
static inline unsigned format_bits(enum tile_format format) {
    static const unsigned char narrow[4] = { 32, 16, 8, 4 };
    return format == BFP2 ? 2 : narrow[format & 3];
}

/* Returns the bytes of a datum for strides of address counters, where less than a byte counts as one. */
static inline unsigned format_stride(enum tile_format format) {
    return format_bits(format) > 8 ? format_bits(format) / 8 : 1;
}

static inline unsigned tile_bytes(enum tile_format format) {
    return TILE_DATA * format_bits(format) / 8 + (format_is_block(format) ? TILE_EXPONENTS : 0);
}

static inline unsigned tile_datum(unsigned row, unsigned column) {
    return (row / 16 * 2 + column / 16) * FACE_DATA + row % 16 * 16 + column % 16;
}

/* Returns the format that data of a format have in SrcA and SrcB. */
static inline enum tile_format format_in_src(enum tile_format format) {
    return format == FP32 ? TF32 : format;
}

#endif
