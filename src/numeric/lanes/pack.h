/* The tables of the packer's kernels: which kernel serves which kind and format. */
#include "numeric/lanes/pack_early.h"
#include "numeric/lanes/pack_path.h"
#include "numeric/lanes/pack_late.h"
#include "numeric/lanes/pack_add.h"

#define PACK_EARLY_OF(path) [PACK_##path] = pack_early_##path
#define PACK_LOAD_OF(path)  [PACK_LOAD_##path] = pack_load_##path
#define PACK_EARLY_ALL \
    { \
        PACK_EARLY_OF(32), PACK_EARLY_OF(32_TF32), PACK_EARLY_OF(32_BF16), PACK_EARLY_OF(32_BF16_RAW), \
            PACK_EARLY_OF(32_E8M6), PACK_EARLY_OF(32_INT16), PACK_EARLY_OF(32_INT8), PACK_EARLY_OF(32_UINT8), \
            PACK_EARLY_OF(32_INT8_RAW), PACK_EARLY_OF(32_UINT8_RAW), PACK_EARLY_OF(16_TF32), PACK_EARLY_OF(16_BF16), \
            PACK_EARLY_OF(16_BF16_RAW), PACK_EARLY_OF(16_E8M6), PACK_EARLY_OF(16_BF16_FP16), PACK_EARLY_OF(16_FP16), \
            PACK_EARLY_OF(16_FP16_RAW), PACK_EARLY_OF(16_E5M7), PACK_EARLY_OF(16_E5M6), PACK_EARLY_OF(16_E5M2), \
            PACK_EARLY_OF(16_INT16), PACK_EARLY_OF(16_SIGN) \
    }
#define PACK_LOAD_ALL \
    { \
        PACK_LOAD_OF(32), PACK_LOAD_OF(16), PACK_LOAD_OF(8), PACK_LOAD_OF(8_BF16), PACK_LOAD_OF(8_E5M7), \
            PACK_LOAD_OF(8_E5M2), PACK_LOAD_OF(32_INT16), PACK_LOAD_OF(16_INT8), PACK_LOAD_OF(16_INT32), \
            PACK_LOAD_OF(8_INT32), PACK_LOAD_OF(8_INT16) \
    }

/* A table with entries for words, BF16, the kinds that are like FP16, INT16, INT8 and UINT8. */
#define PACK_BY_KIND(words, int32, bf16, fp16, int16, int8, uint8) \
    { \
        [PACK_FP32] = words, [PACK_TF32] = words, [PACK_INT32] = int32, [PACK_BF16] = bf16, [PACK_FP16] = fp16, \
        [PACK_E5M7] = fp16, [PACK_E5M2] = fp16, [PACK_INT16] = int16, [PACK_INT8] = int8, [PACK_UINT8] = uint8 \
    }

/* Entries for the formats with shared exponents of eight and of five bits. */
#define PACK_TO_SHARED(name, name_a) \
    [PACK_TO_BFP8] = pack_late_##name##_bfp8, [PACK_TO_BFP4] = pack_late_##name##_bfp4, \
    [PACK_TO_BFP2] = pack_late_##name##_bfp2, [PACK_TO_BFP8A] = pack_late_##name_a##_bfpa8, \
    [PACK_TO_BFP4A] = pack_late_##name_a##_bfpa4, [PACK_TO_BFP2A] = pack_late_##name_a##_bfpa2
#define PACK_OF_WORDS \
    PACK_TO_SHARED(words, words), [PACK_TO_FP32] = pack_late_words, [PACK_TO_FP16] = pack_late_words_fp16, \
                                  [PACK_TO_BF16] = pack_late_words_bf16, [PACK_TO_E5M2] = pack_late_words_e5m2, \
                                  [PACK_TO_E4M3] = pack_late_words_e4m3
#define PACK_OF_FP16 \
    [PACK_TO_FP32] = pack_late_fp16_words, [PACK_TO_TF32] = pack_late_fp16_words, \
    [PACK_TO_FP16] = pack_late_halves_as_is, [PACK_TO_E4M3] = pack_late_fp16_e4m3

#define PACK_LATE \
    { \
        [PACK_FP32] = { PACK_OF_WORDS }, [PACK_TF32] = { PACK_OF_WORDS, [PACK_TO_TF32] = pack_late_tf32 }, \
        [PACK_BF16] = { PACK_TO_SHARED(bf16, bf16), \
                        [PACK_TO_FP32] = pack_late_bf16_words, \
                        [PACK_TO_TF32] = pack_late_bf16_words, \
                        [PACK_TO_BF16] = pack_late_halves_as_is, \
                        [PACK_TO_FP16] = pack_late_bf16_fp16, \
                        [PACK_TO_E5M2] = pack_late_bf16_e5m2, \
                        [PACK_TO_E4M3] = pack_late_bf16_e4m3 }, \
        [PACK_FP16] = { PACK_TO_SHARED(fp16, fp16), \
                        PACK_OF_FP16, [PACK_TO_BF16] = pack_late_fp16_bf16, [PACK_TO_E5M2] = pack_late_fp16_e5m2 }, \
        [PACK_E5M7] = { PACK_TO_SHARED(fp16, e5m7), \
                        PACK_OF_FP16, [PACK_TO_BF16] = pack_late_e5m7_bf16, [PACK_TO_E5M2] = pack_late_fp16_e5m2 }, \
        [PACK_E5M2] = { PACK_TO_SHARED(e5m7, e5m7), \
                        PACK_OF_FP16, [PACK_TO_BF16] = pack_late_e5m7_bf16, [PACK_TO_E5M2] = pack_late_e5m2_e5m2 }, \
        [PACK_INT32] = { [PACK_TO_INT32] = pack_late_words }, \
        [PACK_INT16] = { [PACK_TO_INT16] = pack_late_halves_as_is }, \
        [PACK_INT8] = { [PACK_TO_INT8] = pack_late_int8 }, [PACK_UINT8] = { [PACK_TO_INT8] = pack_late_int8 }, \
    }

#define PACK_KERNELS \
    { \
        .early = PACK_EARLY_ALL, .load = PACK_LOAD_ALL, \
        .one_step = { [PACK_16_BF16] = pack_one_step_16_BF16, [PACK_16_FP16] = pack_one_step_16_FP16 }, \
        .mask = PACK_BY_KIND(pack_mask_words, pack_mask_words, pack_mask_halves, pack_mask_halves, pack_mask_halves, \
                             pack_mask_halves, pack_mask_halves), \
        .relu = PACK_BY_KIND(pack_relu_words, pack_relu_words, pack_relu_halves, pack_relu_halves, pack_relu_halves, \
                             pack_relu_bytes, pack_relu_none), \
        .most = PACK_BY_KIND(pack_most_words, pack_most_words, pack_most_bf16, pack_most_fp16, pack_most_int16, \
                             pack_most_bytes, pack_most_bytes), \
        .below = PACK_BY_KIND(pack_below_words, NULL, pack_below_bf16, pack_below_fp16, NULL, NULL, NULL), \
        .to_fp16 = pack_to_fp16, .late = PACK_LATE, \
        .add = { [PACK_TO_FP32] = pack_add_fp32, \
                 [PACK_TO_FP16] = pack_add_fp16, \
                 [PACK_TO_BF16] = pack_add_bf16, \
                 [PACK_TO_INT32] = pack_add_int32 }, \
    }
