/* Kernels of the unpackers: rows of 16 data from the formats of L1 to those of Src and Dst. */
#ifndef NUMERIC_LANES_UNPACK_KERNELS_H
#define NUMERIC_LANES_UNPACK_KERNELS_H

#include <stdint.h>

enum { UNPACK_ROW = 16 };

/* Conversions of a datum. FP8 has two layouts, INT8 has a sign or none; the others are pairs of formats. */
enum unpack_path {
    UNPACK_TF32,      /* FP32 to TF32: only to Src */
    UNPACK_FP32_BF16, /* FP32 to BF16 */
    UNPACK_FP32_FP16,
    UNPACK_BF16,
    UNPACK_FP16,
    UNPACK_INT16,
    UNPACK_E5M2, /* FP8 to FP16 */
    UNPACK_E4M3,
    UNPACK_INT8, /* sign and magnitude */
    UNPACK_UINT8,
    UNPACK_BFP8, /* shared exponent of eight bits, to BF16 */
    UNPACK_BFP4,
    UNPACK_BFP2,
    UNPACK_BFP8A, /* shared exponent of five bits, to FP16 */
    UNPACK_BFP4A,
    UNPACK_BFP2A,
    UNPACK_WORD, /* FP32, TF32 or INT32 unchanged: only to 32-bit Dst */
    UNPACK_PATHS
};

/* Unpacks consecutive rows of 16 data. To Src: a gets sign and mantissa, b exponents (struct src_bank). To Dst: a gets
 * rows as Dst stores them; for 32-bit data b gets the lower halves. exponents: for formats with shared exponents, the
 * exponent of the first row; each further row has its own, `step` (0 or 1) bytes after the previous one. Returns
 * nonzero if a datum has an exponent that does not fit its format. */
typedef uint32_t unpack_rows(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, unsigned step,
                             unsigned rows);

struct unpack_kernels {
    unpack_rows *to_src[UNPACK_PATHS]; /* NULL: no such conversion */
    unpack_rows *to_dst[UNPACK_PATHS];
    /* Fills rows with a value. Precondition: rows is a multiple of eight. */
    void (*fill)(uint16_t *to, uint16_t value, unsigned rows);
};

#endif
