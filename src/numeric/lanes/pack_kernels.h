/* Kernels of the packer: rows of 16 data from Dst or L1 to the formats of L1. An instruction calls them in this order:
 *
 *     Dst rows --------------------------------------------- one step --------------------------------------------- L1
 *     Dst rows -- early -- mask -- relu -- most, pack_histogram -- below -+- pack_select -- pack_compress -- late -- L1
 *     L1 bytes -- load ---------------------------------------------------'                                 add --'
 *
 * Between early and late a datum has one of ten kinds. pack_paths.h says which kernels a configuration asks for. */
#ifndef NUMERIC_LANES_PACK_KERNELS_H
#define NUMERIC_LANES_PACK_KERNELS_H

#include <stdint.h>

enum { PACK_ROW = 16, PACK_ROWS = 4 /* at once */, PACK_DATA = PACK_ROW * PACK_ROWS };

/* Floats are sign, exponent, mantissa from the highest bit down; integers sign and magnitude. */
enum pack_kind {
    PACK_FP32,  /* words */
    PACK_TF32,  /* like FP32; the lowest 13 bits are zero unless they come from Dst as they are */
    PACK_INT32, /* words */
    PACK_BF16,  /* halves: of E8M6 too, with a lowest bit of zero */
    PACK_FP16,  /* halves */
    PACK_E5M7,  /* like FP16, with lowest bits of zero: E5M7 and E5M6 */
    PACK_E5M2,  /* like FP16, with lowest bits of zero */
    PACK_INT16, /* halves */
    PACK_INT8,  /* halves, of which the lower bytes count; the upper ones are zero */
    PACK_UINT8, /* the same without a sign */
    PACK_KINDS
};

union pack_data {
    uint32_t word[PACK_DATA];
    uint16_t half[PACK_DATA];
} __attribute__((aligned(64)));

/* ---- Dst --------------------------------------------------------------------------------------------------------- */

/* From 32 or 16 bits of Dst to the kind behind the name. RAW: bits are cut off, nothing else happens. The others round
 * to nearest, ties away from zero, after which denormals are +0, and NaNs are infinite. */
enum pack_early {
    PACK_32, /* FP32, INT32 (and TF32) as they are */
    PACK_32_TF32,
    PACK_32_BF16,
    PACK_32_BF16_RAW,
    PACK_32_E8M6,     /* to PACK_BF16 */
    PACK_32_INT16,    /* the upper half as it is stored */
    PACK_32_INT8,     /* the magnitude shifted right, rounded, at most 127 */
    PACK_32_UINT8,    /* likewise, at most 255; what is negative is zero */
    PACK_32_INT8_RAW, /* the lowest bits of the magnitude */
    PACK_32_UINT8_RAW,
    PACK_16_TF32, /* of BF16 */
    PACK_16_BF16,
    PACK_16_BF16_RAW,
    PACK_16_E8M6,      /* of BF16, to PACK_BF16 */
    PACK_16_BF16_FP16, /* of BF16, to FP16 */
    PACK_16_FP16,
    PACK_16_FP16_RAW,
    PACK_16_E5M7, /* of FP16, cut off */
    PACK_16_E5M6, /* of FP16, to PACK_E5M7; never more than the greatest */
    PACK_16_E5M2, /* of FP16, cut off */
    PACK_16_INT16,
    PACK_16_SIGN, /* to PACK_INT8: 0x80 or 0 */
    PACK_EARLIES
};

struct pack_rounding {
    uint32_t *random; /* states of 16 generators (RANDOM_NEXT), which make a step with each row, or NULL: to nearest */
    unsigned shift;   /* 0..31, of INT8 and UINT8 that are not raw */
};

/* row: where each row is stored (its upper half; the lower one of 32 bits is 8 * 16 halves on). A row that is not valid
 * must be one of zeros. */
typedef void pack_early_rows(union pack_data *out, const uint16_t *const *row, unsigned rows,
                             const struct pack_rounding *how);

/* Rows that are stored one after the other, to L1, if it gets them as they are then. Nothing is random. Returns the
 * greatest exponent (pack_most_rows). */
typedef unsigned pack_one_step_rows(uint8_t *out, const uint16_t *in, unsigned rows);

/* ---- L1 ---------------------------------------------------------------------------------------------------------- */

/* From 32, 16 or 8 bits of L1. Reads whole rows. */
enum pack_load {
    PACK_LOAD_32,     /* as words, as they are */
    PACK_LOAD_16,     /* as halves, as they are */
    PACK_LOAD_8,      /* as PACK_INT8 */
    PACK_LOAD_8_BF16, /* sign and mantissa; the exponent is zero */
    PACK_LOAD_8_E5M7,
    PACK_LOAD_8_E5M2,
    PACK_LOAD_32_INT16, /* the upper half */
    PACK_LOAD_16_INT8,  /* the upper byte */
    PACK_LOAD_16_INT32, /* as the upper half of a word */
    PACK_LOAD_8_INT32,  /* as the highest byte of a word */
    PACK_LOAD_8_INT16,  /* as the upper byte of a half */
    PACK_LOADS
};

typedef void pack_load_rows(union pack_data *out, const uint8_t *in, unsigned rows);

/* ---- On the way -------------------------------------------------------------------------------------------------- */

/* Data whose bit in keep[row] is 0 become `other`. */
typedef void pack_mask_rows(union pack_data *data, const uint16_t *keep, uint32_t other, unsigned rows);

/* Sets negative data and -0 to 0. Mode 1 does no more; mode 2 also sets data up to the threshold to 0; mode 3 sets data
 * above the threshold to it. threshold: 16 bits in the kind's own layout, the upper half of words; 0..0x7FFF. */
typedef void pack_relu_rows(union pack_data *data, unsigned mode, unsigned threshold, unsigned rows);

/* The greatest exponent: of INT32 as if it were FP32, of INT16 the lowest eight bits, of bytes 0. */
typedef unsigned pack_most_rows(const union pack_data *data, unsigned rows);

/* Data with an exponent below the threshold become 0. */
typedef void pack_below_rows(union pack_data *data, unsigned threshold, unsigned rows);

/* ---- To L1 ------------------------------------------------------------------------------------------------------- */

/* The numbers of the formats, and one more for FP8 with four bits of exponent. */
enum pack_out {
    PACK_TO_FP32,
    PACK_TO_FP16,
    PACK_TO_BFP8A,
    PACK_TO_BFP4A,
    PACK_TO_TF32,
    PACK_TO_BF16,
    PACK_TO_BFP8,
    PACK_TO_BFP4,
    PACK_TO_INT32,
    PACK_TO_INT16,
    PACK_TO_E5M2,
    PACK_TO_BFP2A,
    PACK_TO_INT8 = 14,
    PACK_TO_BFP2,
    PACK_TO_E4M3,
    PACK_OUTS
};

/* Writes rows * 16 data, and of the formats with shared exponents one byte for each row to exponents (else it may be
 * NULL). random: as in struct pack_rounding, or NULL. out must not overlap in. */
typedef void pack_late_rows(uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows,
                            uint32_t *random);

/* l1 += data, pieces of 16 bytes. */
typedef void pack_add_pieces(uint8_t *l1, const uint8_t *data, unsigned pieces);

struct pack_kernels {
    pack_early_rows *early[PACK_EARLIES];
    pack_one_step_rows *one_step[PACK_EARLIES]; /* NULL: there is no such way */
    pack_load_rows *load[PACK_LOADS];
    pack_mask_rows *mask[PACK_KINDS];
    pack_relu_rows *relu[PACK_KINDS]; /* of integers mode 1 only */
    pack_most_rows *most[PACK_KINDS];
    pack_below_rows *below[PACK_KINDS];                /* of floats */
    void (*to_fp16)(union pack_data *, unsigned rows); /* PACK_TF32 to PACK_FP16, in place: for FP16 of 32-bit Dst */
    pack_late_rows *late[PACK_KINDS][PACK_OUTS];       /* NULL: there is no such way */
    pack_add_pieces *add[PACK_OUTS];                   /* NULL: L1 does not add this format */
};

#endif
