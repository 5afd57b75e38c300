/* FP32 arithmetic, comparison and conversion of the baby RISC-V cores (BabyRISCV/InstructionSet.md, SFPMAD.md).
 * fma.h has the multiply-add; this file rounds its sum to FP32. */
#include "numeric/fp32.h"

#include "numeric/fma.h"

/* Rounds off three bits, ties to even. */
static uint32_t round_grs(uint32_t value) {
    uint32_t kept = value >> 3;
    return kept + ((value & 7) + (kept & 1) > 4);
}

/* Rounds a sum below the smallest normal exponent. The datapath shifts it by only one place, however small it is:
 * exponent 0 means the same as exponent 1. So a sum whose bits are all set can still round to 2^-126; all others are
 * flushed. */
static uint32_t round_tiny(uint32_t significand) {
    uint32_t rounded = round_grs(fma_shift_sticky(significand, 1));
    return rounded > FP32_FRACTION ? rounded : 0;
}

static inline uint32_t round_sum(const struct fma_result *sum, uint32_t *flags) {
    if (sum->exponent >= 255) {
        *flags |= FP_OVERFLOW | FP_INEXACT;
        return FP32_INF;
    }
    if (sum->exponent <= 0) {
        uint32_t tiny = round_tiny(sum->significand);
        *flags |= FP_INEXACT | (tiny ? 0 : FP_UNDERFLOW);
        return tiny;
    }
    if (sum->significand & 7)
        *flags |= FP_INEXACT;
    /* The leading bit of the significand adds one to the exponent, and so does a carry out of rounding. */
    uint32_t packed = ((uint32_t)(sum->exponent - 1) << 23) + round_grs(sum->significand);
    if (packed == FP32_INF)
        *flags |= FP_OVERFLOW;
    return packed;
}

static inline uint32_t fma_any(uint32_t a, uint32_t b, uint32_t c, uint32_t *flags) {
    struct fma_result r = fma_compute(a, b, c);
    *flags |= r.flags;
    switch (r.kind) {
    case FMA_NAN: return FP32_NAN;
    case FMA_INFINITE:
    case FMA_OVERFLOW: return r.sign | FP32_INF;
    case FMA_ADDEND: return c;
    case FMA_ZERO: return r.sign;
    case FMA_SUM: break;
    }
    return r.sign | round_sum(&r, flags);
}

uint32_t fp32_fma(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t unused = 0;
    return fma_any(a, b, c, &unused);
}

uint32_t fp32_fma_flags(uint32_t a, uint32_t b, uint32_t c, uint32_t *flags) {
    return fma_any(a, b, c, flags);
}

/* Maps the order of FP32 to the order of signed integers; both zeros map to 0. */
static int64_t order(uint32_t x) {
    int64_t magnitude = x & ~FP32_SIGN;
    return x & FP32_SIGN ? -magnitude : magnitude;
}

static bool ordered(uint32_t a, uint32_t b) {
    return !fp32_is_nan(a) && !fp32_is_nan(b);
}

bool fp32_eq(uint32_t a, uint32_t b) {
    return ordered(a, b) && order(a) == order(b);
}

bool fp32_lt(uint32_t a, uint32_t b) {
    return ordered(a, b) && order(a) < order(b);
}

bool fp32_le(uint32_t a, uint32_t b) {
    return ordered(a, b) && order(a) <= order(b);
}

uint32_t fp32_min(uint32_t a, uint32_t b) {
    if (fp32_is_nan(a))
        return fp32_is_nan(b) ? FP32_NAN : b;
    if (fp32_is_nan(b))
        return a;
    /* Equal operands differ only in the sign of zero, if at all. */
    if (order(a) == order(b))
        return a | b;
    return order(a) < order(b) ? a : b;
}

uint32_t fp32_max(uint32_t a, uint32_t b) {
    if (fp32_is_nan(a))
        return fp32_is_nan(b) ? FP32_NAN : b;
    if (fp32_is_nan(b))
        return a;
    if (order(a) == order(b))
        return a & b;
    return order(a) > order(b) ? a : b;
}

uint32_t fp32_classify(uint32_t x) {
    bool minus = x & FP32_SIGN;
    uint32_t magnitude = x & ~FP32_SIGN;
    if (magnitude > FP32_INF)
        return x & FP32_QUIET ? FP_CLASS_QUIET : FP_CLASS_SIGNALING;
    if (magnitude == FP32_INF)
        return minus ? FP_CLASS_MINUS_INF : FP_CLASS_PLUS_INF;
    if (magnitude > FP32_FRACTION)
        return minus ? FP_CLASS_MINUS_NORMAL : FP_CLASS_PLUS_NORMAL;
    if (magnitude)
        return minus ? FP_CLASS_MINUS_DENORMAL : FP_CLASS_PLUS_DENORMAL;
    return minus ? FP_CLASS_MINUS_ZERO : FP_CLASS_PLUS_ZERO;
}

/* Returns |x| as an integer, 2^32 for all larger numbers. Precondition: x is not NaN. */
static uint64_t magnitude_of(uint32_t x, bool chop, bool *inexact) {
    uint32_t exponent = fp32_exponent(x);
    *inexact = false;
    if (exponent >= 127 + 32)
        return UINT64_C(1) << 32;
    uint64_t significand = (x & FP32_FRACTION) | (exponent ? FP32_FRACTION + 1 : 0);
    if (exponent >= 150)
        return significand << (exponent - 150);
    /* Keeps two more bits: the half, and a sticky bit. Shifting by more than 26 places would give the same. */
    unsigned right = 150 - exponent < 26 ? 150 - exponent : 26;
    uint64_t kept = (significand << 2) >> right;
    bool below = kept << right != significand << 2;
    bool half = kept >> 1 & 1, rest = (kept & 1) || below;
    kept >>= 2;
    *inexact = half || rest;
    return kept + (!chop && half && (rest || (kept & 1)));
}

static uint32_t to_i32(uint32_t x, bool chop, uint32_t *flags) {
    bool inexact, minus = x & FP32_SIGN;
    if (fp32_is_nan(x)) {
        *flags |= FP_INVALID;
        return INT32_MAX;
    }
    uint64_t magnitude = magnitude_of(x, chop, &inexact);
    uint32_t limit = minus ? UINT32_C(0x80000000) : INT32_MAX;
    if (magnitude > limit) {
        *flags |= FP_INVALID;
        return limit;
    }
    *flags |= inexact ? FP_INEXACT : 0;
    return minus ? 0 - (uint32_t)magnitude : (uint32_t)magnitude;
}

static uint32_t to_u32(uint32_t x, bool chop, uint32_t *flags) {
    bool inexact;
    if (fp32_is_nan(x)) {
        *flags |= FP_INVALID;
        return UINT32_MAX;
    }
    uint64_t magnitude = magnitude_of(x, chop, &inexact);
    uint32_t limit = x & FP32_SIGN ? 0 : UINT32_MAX;
    if (magnitude > limit) {
        *flags |= FP_INVALID;
        return limit;
    }
    *flags |= inexact ? FP_INEXACT : 0;
    return (uint32_t)magnitude;
}

uint32_t fp32_to_i32_flags(uint32_t x, uint32_t *flags) {
    return to_i32(x, false, flags);
}

uint32_t fp32_to_u32_flags(uint32_t x, uint32_t *flags) {
    return to_u32(x, false, flags);
}

uint32_t fp32_to_i32_chop_flags(uint32_t x, uint32_t *flags) {
    return to_i32(x, true, flags);
}

uint32_t fp32_to_u32_chop_flags(uint32_t x, uint32_t *flags) {
    return to_u32(x, true, flags);
}

uint32_t fp32_from_u32_flags(uint32_t x, uint32_t *flags) {
    if (x == 0)
        return 0;
    int right = 5 - __builtin_clz(x);
    uint32_t significand = right <= 0 ? x << -right : fma_shift_sticky(x, (unsigned)right);
    *flags |= significand & 7 ? FP_INEXACT : 0;
    return ((uint32_t)(127 + 26 + right - 1) << 23) + round_grs(significand);
}

uint32_t fp32_from_i32_flags(uint32_t x, uint32_t *flags) {
    uint32_t sign = x & FP32_SIGN;
    return sign | fp32_from_u32_flags(sign ? 0 - x : x, flags);
}
