/* Data formats as numbers of four bits, as ALU_FORMAT_SPEC, tile descriptors and implied formats encode them. 12 and 13
 * are unused. Sources: UNPACR_Regular.md, FloatBitPatterns.md (WH); where they disagree about INT8, this follows the
 * official simulator. */
#ifndef ISA_FORMATS_H
#define ISA_FORMATS_H

enum tensix_format {
    FORMAT_FP32,
    FORMAT_FP16,
    FORMAT_BFP8A,
    FORMAT_BFP4A,
    FORMAT_TF32,
    FORMAT_BF16,
    FORMAT_BFP8,
    FORMAT_BFP4,
    FORMAT_INT32,
    FORMAT_INT16,
    FORMAT_FP8,
    FORMAT_BFP2A,
    FORMAT_INT8 = 14,
    FORMAT_BFP2
};

/* Sets of formats, by the exponent that they have in 16 bits of Src and Dst: eight bits like BF16, or five like FP16.
 * TF32, with eight bits and a longer mantissa, is in neither set. */
enum {
    FORMATS_LIKE_BF16 = 1 << FORMAT_FP32 | 1 << FORMAT_BF16 | 1 << FORMAT_BFP8 | 1 << FORMAT_BFP4 | 1 << FORMAT_INT32 |
                        1 << FORMAT_INT16 | 1 << FORMAT_BFP2,
    FORMATS_LIKE_FP16 = 1 << FORMAT_FP16 | 1 << FORMAT_BFP8A | 1 << FORMAT_BFP4A | 1 << FORMAT_FP8 | 1 << FORMAT_BFP2A |
                        1 << FORMAT_INT8,
};

#endif
