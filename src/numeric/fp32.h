/* FP32 as the baby RISC-V cores compute it, on bit patterns, with integer arithmetic only.
 *
 * Sources: Blackhole BabyRISCV/InstructionSet.md and SFPMAD.md. Rounding is always to nearest, ties to even. Arithmetic
 * treats denormal operands as zeros, and gives a zero of the same sign instead of a denormal result; a NaN result is
 * always FP32_NAN. Comparison, minimum, maximum, classification and conversion use denormals as they are. Each function
 * that can raise flags has a form that ORs them into *flags; docs/riscv-float.md says which. */
#ifndef NUMERIC_FP32_H
#define NUMERIC_FP32_H

#include <stdbool.h>
#include <stdint.h>

#define FP32_SIGN     UINT32_C(0x80000000)
#define FP32_INF      UINT32_C(0x7F800000)
#define FP32_NAN      UINT32_C(0x7FC00000)
#define FP32_QUIET    UINT32_C(0x00400000)
#define FP32_FRACTION UINT32_C(0x007FFFFF)
#define FP32_ONE      UINT32_C(0x3F800000)

/* Exception flags at their bits in fcsr. There is no division, so bit 3 is never raised. */
enum { FP_INEXACT = 1, FP_UNDERFLOW = 2, FP_OVERFLOW = 4, FP_INVALID = 16 };

/* Results of fclass: one of ten bits. */
enum {
    FP_CLASS_MINUS_INF = 1 << 0,
    FP_CLASS_MINUS_NORMAL = 1 << 1,
    FP_CLASS_MINUS_DENORMAL = 1 << 2,
    FP_CLASS_MINUS_ZERO = 1 << 3,
    FP_CLASS_PLUS_ZERO = 1 << 4,
    FP_CLASS_PLUS_DENORMAL = 1 << 5,
    FP_CLASS_PLUS_NORMAL = 1 << 6,
    FP_CLASS_PLUS_INF = 1 << 7,
    FP_CLASS_SIGNALING = 1 << 8,
    FP_CLASS_QUIET = 1 << 9,
};

static inline uint32_t fp32_exponent(uint32_t x) {
    return x >> 23 & 255;
}

static inline bool fp32_is_nan(uint32_t x) {
    return (x & ~FP32_SIGN) > FP32_INF;
}

static inline bool fp32_is_snan(uint32_t x) {
    return fp32_is_nan(x) && !(x & FP32_QUIET);
}

static inline bool fp32_is_inf(uint32_t x) {
    return (x & ~FP32_SIGN) == FP32_INF;
}

/* Returns a * b + c, partly fused (fma.h). SFPMAD computes the same. */
uint32_t fp32_fma(uint32_t a, uint32_t b, uint32_t c);
uint32_t fp32_fma_flags(uint32_t a, uint32_t b, uint32_t c, uint32_t *flags);

/* Sum, difference and product: the multiply-add with one as a factor, or with a zero of the product's sign as the
 * addend. */
static inline uint32_t fp32_add(uint32_t a, uint32_t b) {
    return fp32_fma(a, FP32_ONE, b);
}

static inline uint32_t fp32_add_flags(uint32_t a, uint32_t b, uint32_t *flags) {
    return fp32_fma_flags(a, FP32_ONE, b, flags);
}

static inline uint32_t fp32_sub_flags(uint32_t a, uint32_t b, uint32_t *flags) {
    return fp32_fma_flags(a, FP32_ONE, b ^ FP32_SIGN, flags);
}

static inline uint32_t fp32_mul_flags(uint32_t a, uint32_t b, uint32_t *flags) {
    return fp32_fma_flags(a, b, (a ^ b) & FP32_SIGN, flags);
}

/* Comparisons are false if an operand is NaN. */
bool fp32_eq(uint32_t a, uint32_t b);
bool fp32_lt(uint32_t a, uint32_t b);
bool fp32_le(uint32_t a, uint32_t b);

/* Minimum and maximum return the other operand if one is NaN; -0 is less than +0. */
uint32_t fp32_min(uint32_t a, uint32_t b);
uint32_t fp32_max(uint32_t a, uint32_t b);

/* Return the flags of a comparison: eq, min and max raise invalid only for signaling NaNs, lt and le for every NaN. */
static inline uint32_t fp32_quiet_flags(uint32_t a, uint32_t b) {
    return fp32_is_snan(a) || fp32_is_snan(b) ? FP_INVALID : 0;
}

static inline uint32_t fp32_signaling_flags(uint32_t a, uint32_t b) {
    return fp32_is_nan(a) || fp32_is_nan(b) ? FP_INVALID : 0;
}

/* Returns the FP_CLASS_... bit of a number. */
uint32_t fp32_classify(uint32_t x);

/* Convert to integers: values out of range saturate, NaN gives the largest integer. */
uint32_t fp32_to_i32_flags(uint32_t x, uint32_t *flags);
uint32_t fp32_to_u32_flags(uint32_t x, uint32_t *flags);
/* Convert likewise, but round toward zero. */
uint32_t fp32_to_i32_chop_flags(uint32_t x, uint32_t *flags);
uint32_t fp32_to_u32_chop_flags(uint32_t x, uint32_t *flags);

/* Convert integers, rounding to nearest even. */
uint32_t fp32_from_i32_flags(uint32_t x, uint32_t *flags);
uint32_t fp32_from_u32_flags(uint32_t x, uint32_t *flags);

#endif
