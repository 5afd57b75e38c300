/* FP16 and BF16 of the Zfh instructions (BabyRISCV/InstructionSet.md, CSRs.md).
 *
 * Both formats fit into FP32: operands are widened exactly, and the FP32 datapath of fma.h computes the sum. That sum,
 * not its FP32 rounding, is rounded to 16 bits, so there is no double rounding. With 11 or 8 significant bits the
 * product is exact. Two properties of the "partly fused" datapath remain: an operand that is 27 places below the other
 * is lost, and for BF16 the product itself must stay in range. */
#include "numeric/fp16.h"

#include "numeric/fma.h"

struct format {
    unsigned fraction_bits;
    int32_t bias_below; /* 127 - bias */
    int32_t top;        /* exponent of infinity */
};

static struct format format_of(enum fp16_mode mode) {
    if (mode == FP16_HALF)
        return (struct format){ .fraction_bits = 10, .bias_below = 112, .top = 31 };
    return (struct format){ .fraction_bits = 7, .bias_below = 0, .top = 255 };
}

static uint16_t sign_of(uint32_t fp32_sign) {
    return (uint16_t)(fp32_sign >> 16) & FP16_SIGN;
}

/* Returns the result of an overflow: infinity when rounding to nearest, the largest finite number when rounding toward
 * zero. */
static uint16_t overflow(enum fp16_mode mode, uint32_t *flags) {
    *flags |= FP_OVERFLOW | FP_INEXACT;
    return mode == FP16_BRAIN_CHOP ? fp16_inf(mode) - 1 : fp16_inf(mode);
}

/* Rounds a magnitude with FMA_ONE <= significand < 2 * FMA_ONE and an exponent biased as in FP32. Returns it without a
 * sign. */
static uint16_t round_to(enum fp16_mode mode, int32_t exponent, uint32_t significand, bool flush, uint32_t *flags) {
    struct format f = format_of(mode);
    unsigned drop = 26 - f.fraction_bits;
    exponent -= f.bias_below;
    if (exponent >= f.top)
        return overflow(mode, flags);
    if (exponent <= 0) {
        unsigned more = exponent < -30 ? 31 : (unsigned)(1 - exponent);
        significand = fma_shift_sticky(significand, more);
        exponent = 1;
    }
    uint32_t kept = significand >> drop, lost = significand & ((UINT32_C(1) << drop) - 1);
    uint32_t half = UINT32_C(1) << (drop - 1);
    if (mode != FP16_BRAIN_CHOP && (lost > half || (lost == half && (kept & 1))))
        kept++;
    /* kept includes its leading bit, unless the result is denormal. */
    uint32_t packed = ((uint32_t)(exponent - 1) << f.fraction_bits) + kept;
    if (packed >= (uint32_t)f.top << f.fraction_bits)
        return overflow(mode, flags);
    bool tiny = packed < UINT32_C(1) << f.fraction_bits;
    if (tiny && flush) {
        *flags |= FP_UNDERFLOW | FP_INEXACT;
        return 0;
    }
    if (lost)
        *flags |= FP_INEXACT | (tiny ? FP_UNDERFLOW : 0);
    return (uint16_t)packed;
}

uint32_t fp16_to_fp32_flags(enum fp16_mode mode, uint16_t x, uint32_t *flags) {
    struct format f = format_of(mode);
    if (fp16_is_nan(mode, x)) {
        *flags |= fp16_is_snan(mode, x) ? FP_INVALID : 0;
        return FP32_NAN;
    }
    uint32_t sign = (uint32_t)(x & FP16_SIGN) << 16, magnitude = x & 0x7FFF;
    if (magnitude == fp16_inf(mode))
        return sign | FP32_INF;
    /* BF16 is the upper half of FP32, including denormals. */
    if (mode != FP16_HALF || magnitude == 0)
        return sign | magnitude << 16;
    if (magnitude >> f.fraction_bits)
        return sign | ((magnitude << (23 - f.fraction_bits)) + ((uint32_t)f.bias_below << 23));
    unsigned left = (unsigned)__builtin_clz(magnitude) - 21; /* moves the leading bit to bit 10 */
    return sign | ((uint32_t)(f.bias_below + 1) - left) << 23 | (magnitude << (13 + left) & FP32_FRACTION);
}

uint16_t fp16_from_fp32_flags(enum fp16_mode mode, uint32_t x, uint32_t *flags) {
    if (fp32_is_nan(x)) {
        *flags |= fp32_is_snan(x) ? FP_INVALID : 0;
        return fp16_nan(mode);
    }
    uint16_t sign = sign_of(x);
    if (fp32_is_inf(x))
        return sign | fp16_inf(mode);
    int32_t exponent = (int32_t)fp32_exponent(x);
    uint32_t significand = x & FP32_FRACTION;
    if (exponent)
        significand |= FP32_FRACTION + 1;
    else if (significand == 0)
        return sign;
    int left = __builtin_clz(significand) - 5;
    exponent = (exponent ? exponent : 1) + 3 - left;
    return sign | round_to(mode, exponent, significand << left, false, flags);
}

/* Returns an operand of arithmetic as FP32: denormals become zeros. */
static uint32_t operand(enum fp16_mode mode, uint16_t x, uint32_t *flags) {
    bool denormal = (x & 0x7FFF) < 1 << format_of(mode).fraction_bits;
    /* A signaling NaN must be reported here, because FP32 gets a quiet one. */
    return fp16_to_fp32_flags(mode, denormal ? x & FP16_SIGN : x, flags);
}

static uint16_t fma_wide(enum fp16_mode mode, uint32_t a, uint32_t b, uint32_t c, uint32_t *flags) {
    struct fma_result r = fma_compute(a, b, c);
    *flags |= r.flags;
    switch (r.kind) {
    case FMA_NAN: return fp16_nan(mode);
    case FMA_INFINITE: return sign_of(r.sign) | fp16_inf(mode);
    case FMA_OVERFLOW: return sign_of(r.sign) | overflow(mode, flags);
    case FMA_ADDEND: return fp16_from_fp32(mode, c);
    case FMA_ZERO: return sign_of(r.sign);
    case FMA_SUM: break;
    }
    return sign_of(r.sign) | round_to(mode, r.exponent, r.significand, true, flags);
}

uint16_t fp16_fma_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint16_t c, uint32_t *flags) {
    uint32_t x = operand(mode, a, flags), y = operand(mode, b, flags), z = operand(mode, c, flags);
    return fma_wide(mode, x, y, z, flags);
}

uint16_t fp16_add_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint32_t *flags) {
    return fma_wide(mode, operand(mode, a, flags), FP32_ONE, operand(mode, b, flags), flags);
}

uint16_t fp16_sub_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint32_t *flags) {
    return fp16_add_flags(mode, a, b ^ FP16_SIGN, flags);
}

uint16_t fp16_mul_flags(enum fp16_mode mode, uint16_t a, uint16_t b, uint32_t *flags) {
    uint32_t x = operand(mode, a, flags), y = operand(mode, b, flags);
    return fma_wide(mode, x, y, (x ^ y) & FP32_SIGN, flags);
}

static int order(uint16_t x) {
    int magnitude = x & 0x7FFF;
    return x & FP16_SIGN ? -magnitude : magnitude;
}

static bool ordered(enum fp16_mode mode, uint16_t a, uint16_t b) {
    return !fp16_is_nan(mode, a) && !fp16_is_nan(mode, b);
}

bool fp16_eq(enum fp16_mode mode, uint16_t a, uint16_t b) {
    return ordered(mode, a, b) && order(a) == order(b);
}

bool fp16_lt(enum fp16_mode mode, uint16_t a, uint16_t b) {
    return ordered(mode, a, b) && order(a) < order(b);
}

bool fp16_le(enum fp16_mode mode, uint16_t a, uint16_t b) {
    return ordered(mode, a, b) && order(a) <= order(b);
}

uint16_t fp16_min(enum fp16_mode mode, uint16_t a, uint16_t b) {
    if (fp16_is_nan(mode, a))
        return fp16_is_nan(mode, b) ? fp16_nan(mode) : b;
    if (fp16_is_nan(mode, b))
        return a;
    if (order(a) == order(b))
        return a | b;
    return order(a) < order(b) ? a : b;
}

uint16_t fp16_max(enum fp16_mode mode, uint16_t a, uint16_t b) {
    if (fp16_is_nan(mode, a))
        return fp16_is_nan(mode, b) ? fp16_nan(mode) : b;
    if (fp16_is_nan(mode, b))
        return a;
    if (order(a) == order(b))
        return a & b;
    return order(a) > order(b) ? a : b;
}

uint32_t fp16_classify(enum fp16_mode mode, uint16_t x) {
    bool minus = x & FP16_SIGN;
    unsigned magnitude = x & 0x7FFF;
    if (magnitude > fp16_inf(mode))
        return fp16_is_snan(mode, x) ? FP_CLASS_SIGNALING : FP_CLASS_QUIET;
    if (magnitude == fp16_inf(mode))
        return minus ? FP_CLASS_MINUS_INF : FP_CLASS_PLUS_INF;
    if (magnitude >> format_of(mode).fraction_bits)
        return minus ? FP_CLASS_MINUS_NORMAL : FP_CLASS_PLUS_NORMAL;
    if (magnitude)
        return minus ? FP_CLASS_MINUS_DENORMAL : FP_CLASS_PLUS_DENORMAL;
    return minus ? FP_CLASS_MINUS_ZERO : FP_CLASS_PLUS_ZERO;
}

uint32_t fp16_to_i32_flags(enum fp16_mode mode, uint16_t x, uint32_t *flags) {
    uint32_t wide = fp16_to_fp32(mode, x);
    return mode == FP16_BRAIN_CHOP ? fp32_to_i32_chop_flags(wide, flags) : fp32_to_i32_flags(wide, flags);
}

uint32_t fp16_to_u32_flags(enum fp16_mode mode, uint16_t x, uint32_t *flags) {
    uint32_t wide = fp16_to_fp32(mode, x);
    return mode == FP16_BRAIN_CHOP ? fp32_to_u32_chop_flags(wide, flags) : fp32_to_u32_flags(wide, flags);
}

uint16_t fp16_from_u32_flags(enum fp16_mode mode, uint32_t x, uint32_t *flags) {
    if (x == 0)
        return 0;
    int right = 5 - __builtin_clz(x);
    uint32_t significand = right <= 0 ? x << -right : fma_shift_sticky(x, (unsigned)right);
    return round_to(mode, 127 + 26 + right, significand, false, flags);
}

uint16_t fp16_from_i32_flags(enum fp16_mode mode, uint32_t x, uint32_t *flags) {
    uint32_t sign = x & FP32_SIGN;
    return sign_of(sign) | fp16_from_u32_flags(mode, sign ? 0 - x : x, flags);
}

uint32_t fp16_to_fp32(enum fp16_mode mode, uint16_t x) {
    uint32_t unused = 0;
    return fp16_to_fp32_flags(mode, x, &unused);
}

uint16_t fp16_from_fp32(enum fp16_mode mode, uint32_t x) {
    uint32_t unused = 0;
    return fp16_from_fp32_flags(mode, x, &unused);
}
