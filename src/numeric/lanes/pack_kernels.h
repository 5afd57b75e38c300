/* Kernels of the packer: rows of 16 data from Dst or L1 to the formats of L1. An instruction calls them in this order:
 *
 *     Dst rows -- early -- mask -- relu -- most, pack_histogram -- below -+- pack_select -- pack_compress -- late -- L1
 *     L1 bytes -- load ---------------------------------------------------'                                 add --'
 *
 * Between early and late a datum is of one of ten kinds. pack_paths.h says which kernels a configuration needs. */
#ifndef NUMERIC_LANES_PACK_KERNELS_H
#define NUMERIC_LANES_PACK_KERNELS_H

#include <stdint.h>

enum { PACK_ROW = 16, PACK_ROWS = 4 /* PACK_ROWS: rows at a time */, PACK_DATA = PACK_ROW * PACK_ROWS };

/* Kinds of data. Floats are sign, exponent, mantissa from the highest bit down; integers are sign and magnitude. */
enum pack_kind {
    PACK_FP32,  /* words */
    PACK_TF32,  /* like FP32; the lowest 13 bits are zero unless Dst had them */
    PACK_INT32, /* words */
    PACK_BF16,  /* halves; also E8M6, whose lowest bit is zero */
    PACK_FP16,  /* halves */
    PACK_E5M7,  /* like FP16, with the lowest bits zero: E5M7 and E5M6 */
    PACK_E5M2,  /* like FP16, with the lowest bits zero */
    PACK_INT16, /* halves */
    PACK_INT8,  /* halves whose lower bytes hold the datum; the upper bytes are zero */
    PACK_UINT8, /* the same without a sign */
    PACK_KINDS
};

union pack_data {
    uint32_t word[PACK_DATA];
    uint16_t half[PACK_DATA];
} __attribute__((aligned(64)));

/* ---- Dst --------------------------------------------------------------------------------------------------------- */

/* Conversions from 32 or 16 bits of Dst to the kind in the name. RAW: bits are only cut off. The others round to
 * nearest, ties away from zero; then denormals become +0, and NaNs infinite. */
enum pack_early {
    PACK_32, /* FP32, INT32 (and TF32) unchanged */
    PACK_32_TF32,
    PACK_32_BF16,
    PACK_32_BF16_RAW,
    PACK_32_E8M6,     /* to PACK_BF16 */
    PACK_32_INT16,    /* the upper half as Dst stores it */
    PACK_32_INT8,     /* the magnitude is shifted right and rounded, at most 127 */
    PACK_32_UINT8,    /* likewise, at most 255; negative data are zero */
    PACK_32_INT8_RAW, /* the lowest bits of the magnitude */
    PACK_32_UINT8_RAW,
    PACK_16_TF32, /* from BF16 */
    PACK_16_BF16,
    PACK_16_BF16_RAW,
    PACK_16_E8M6,      /* from BF16, to PACK_BF16 */
    PACK_16_BF16_FP16, /* from BF16, to FP16 */
    PACK_16_FP16,
    PACK_16_FP16_RAW,
    PACK_16_E5M7, /* from FP16, cut off */
    PACK_16_E5M6, /* from FP16, to PACK_E5M7; never more than the greatest number */
    PACK_16_E5M2, /* from FP16, cut off */
    PACK_16_INT16,
    PACK_16_SIGN, /* to PACK_INT8: 0x80 or 0 */
    PACK_EARLIES
};

struct pack_rounding {
    uint32_t *random; /* states of 16 generators (RANDOM_NEXT), which advance with each row; NULL: to nearest */
    unsigned shift;   /* 0..31, for INT8 and UINT8 that are not raw */
};

/* row: the address of each row in Dst (of its upper half; the lower half of 32-bit data is 8 * 16 halves further on). A
 * row that is not valid must point to zeros. */
typedef void pack_early_rows(union pack_data *out, const uint16_t *const *row, unsigned rows,
                             const struct pack_rounding *how);

/* Converts consecutive rows and writes them to L1, for data that L1 gets unchanged after `early`. There is no random
 * rounding. Returns the greatest exponent (pack_most_rows). */
typedef unsigned pack_one_step_rows(uint8_t *out, const uint16_t *in, unsigned rows);

/* ---- L1 ---------------------------------------------------------------------------------------------------------- */

/* Conversions of 32, 16 or 8 bits from L1. They read whole rows. */
enum pack_load {
    PACK_LOAD_32,     /* as words, unchanged */
    PACK_LOAD_16,     /* as halves, unchanged */
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

/* Sets data whose bit in keep[row] is 0 to `other`. */
typedef void pack_mask_rows(union pack_data *data, const uint16_t *keep, uint32_t other, unsigned rows);

/* Sets negative data and -0 to 0. Mode 1 does no more; mode 2 also sets data up to the threshold to 0; mode 3 sets data
 * above the threshold to it. threshold: 16 bits in the kind's own layout, the upper half of words; 0..0x7FFF. */
typedef void pack_relu_rows(union pack_data *data, unsigned mode, unsigned threshold, unsigned rows);

/* Returns the greatest exponent: INT32 counts as FP32, INT16 has its lowest eight bits as exponent, bytes have 0. */
typedef unsigned pack_most_rows(const union pack_data *data, unsigned rows);

/* Sets data with an exponent below the threshold to 0. */
typedef void pack_below_rows(union pack_data *data, unsigned threshold, unsigned rows);

/* ---- To L1 ------------------------------------------------------------------------------------------------------- */

/* The output formats, by their numbers in hardware, and one more for FP8 with four bits of exponent. */
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

/* Writes rows * 16 data to out and, for formats with shared exponents, one byte for each row to exponents (otherwise it
 * may be NULL). random: as in struct pack_rounding. Precondition: out does not overlap in. */
typedef void pack_late_rows(uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows,
                            uint32_t *random);

/* l1 += data, in pieces of 16 bytes. */
typedef void pack_add_pieces(uint8_t *l1, const uint8_t *data, unsigned pieces);

struct pack_kernels {
    pack_early_rows *early[PACK_EARLIES];
    pack_one_step_rows *one_step[PACK_EARLIES]; /* NULL: no such kernel */
    pack_load_rows *load[PACK_LOADS];
    pack_mask_rows *mask[PACK_KINDS];
    pack_relu_rows *relu[PACK_KINDS]; /* integers have mode 1 only */
    pack_most_rows *most[PACK_KINDS];
    pack_below_rows *below[PACK_KINDS];                /* only for floats */
    void (*to_fp16)(union pack_data *, unsigned rows); /* PACK_TF32 to PACK_FP16, in place: for FP16 from 32-bit Dst */
    pack_late_rows *late[PACK_KINDS][PACK_OUTS];       /* NULL: no such conversion */
    pack_add_pieces *add[PACK_OUTS];                   /* NULL: L1 does not add this format */
};

#endif
