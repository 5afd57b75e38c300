/* The 16-bit formats of the Zfh instructions: FP16, or BF16 when cfg0.EnBFloat is set.
 *
 *   FP16: sign 1, exponent 5 (bias 15), fraction 10        BF16: sign 1, exponent 8 (bias 127), fraction 7
 *
 * Sources: Blackhole BabyRISCV/InstructionSet.md and CSRs.md. FP16 rounds to nearest even, BF16 toward zero or to
 * nearest even (cfg0.EnBFloatRTNE). Arithmetic flushes denormal operands and results, as for FP32. The pages say no
 * more; docs/riscv-float.md lists what is assumed. Functions with *flags OR their flags into it, as in fp32.h. */
#ifndef NUMERIC_FP16_H
#define NUMERIC_FP16_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/fp32.h"

enum fp16_mode { FP16_HALF, FP16_BRAIN_CHOP, FP16_BRAIN_NEAREST };

#define FP16_SIGN UINT16_C(0x8000)

static inline uint16_t fp16_inf(enum fp16_mode mode) {
    return mode == FP16_HALF ? 0x7C00 : 0x7F80;
}

/* Returns the NaN that arithmetic gives. */
static inline uint16_t fp16_nan(enum fp16_mode mode) {
    return mode == FP16_HALF ? 0x7E00 : 0x7FC0;
}

static inline bool fp16_is_nan(enum fp16_mode mode, uint16_t x) {
    return (x & 0x7FFF) > fp16_inf(mode);
}

static inline bool fp16_is_snan(enum fp16_mode mode, uint16_t x) {
    uint16_t quiet = mode == FP16_HALF ? 0x0200 : 0x0040;
    return fp16_is_nan(mode, x) && !(x & quiet);
}

/* Converts exactly, including denormals; every NaN gives FP32_NAN. */
uint32_t fp16_to_fp32(enum fp16_mode mode, uint16_t x);
uint32_t fp16_to_fp32_flags(enum fp16_mode mode, uint16_t x, uint32_t *flags);
/* Converts with one rounding; the result may be denormal. */
uint16_t fp16_from_fp32(enum fp16_mode mode, uint32_t x);
uint16_t fp16_from_fp32_flags(enum fp16_mode mode, uint32_t x, uint32_t *flags);

/* Returns a * b + c: computed by the datapath of FP32 (fma.h), rounded once to 16 bits. */
uint16_t fp16_fma_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint16_t c, uint32_t *flags);
uint16_t fp16_add_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint32_t *flags);
uint16_t fp16_sub_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint32_t *flags);
uint16_t fp16_mul_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint32_t *flags);

/* Comparison, minimum, maximum, classification and their flags, as in fp32.h. */
bool fp16_eq(enum fp16_mode mode, uint16_t a, uint16_t b);
bool fp16_lt(enum fp16_mode mode, uint16_t a, uint16_t b);
bool fp16_le(enum fp16_mode mode, uint16_t a, uint16_t b);
uint16_t fp16_min(enum fp16_mode mode, uint16_t a, uint16_t b);
uint16_t fp16_max(enum fp16_mode mode, uint16_t a, uint16_t b);
uint32_t fp16_classify(enum fp16_mode mode, uint16_t x);

static inline uint32_t fp16_quiet_flags(enum fp16_mode mode, uint16_t a, uint16_t b) {
    return fp16_is_snan(mode, a) || fp16_is_snan(mode, b) ? FP_INVALID : 0;
}

static inline uint32_t fp16_signaling_flags(enum fp16_mode mode, uint16_t a, uint16_t b) {
    return fp16_is_nan(mode, a) || fp16_is_nan(mode, b) ? FP_INVALID : 0;
}

/* Conversions between numbers and integers, with the rounding of the mode. */
uint32_t fp16_to_i32_flags(enum fp16_mode mode, uint16_t x, uint32_t *flags);
uint32_t fp16_to_u32_flags(enum fp16_mode mode, uint16_t x, uint32_t *flags);
uint16_t fp16_from_i32_flags(enum fp16_mode mode, uint32_t x, uint32_t *flags);
uint16_t fp16_from_u32_flags(enum fp16_mode mode, uint32_t x, uint32_t *flags);

#endif
