/* The multiply-add datapath that the F and Zfh instructions of the baby cores and the SFPU's MAD class share.
 *
 * Sources: Blackhole SFPMAD.md and Miscellaneous/FMA. It is not an IEEE fused multiply-add: the product keeps 27 bits
 * and a sticky bit; a product that leaves the range of FP32 is infinite or zero, whatever is added to it; and an
 * operand that alignment shifts out completely leaves no sticky bit. Rounding is left to the caller, so that the same
 * sum can be rounded to FP32, FP16 or BF16.
 *
 * A significand here has at least 27 bits: the 24 of FP32, then guard, round and sticky. 1.0 is FMA_ONE. The flags are
 * not documented; they say what this arithmetic lost or refused (docs/riscv-float.md). */
#ifndef NUMERIC_FMA_H
#define NUMERIC_FMA_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/fp32.h"

#define FMA_ONE (UINT32_C(1) << 26)

enum fma_kind {
    FMA_NAN,
    FMA_INFINITE, /* an operand was infinite */
    FMA_OVERFLOW, /* the product of finite operands is out of range */
    FMA_ADDEND,   /* the result is the addend, unchanged */
    FMA_ZERO,
    FMA_SUM, /* a number: FMA_ONE <= significand < 2 * FMA_ONE, bit 0 is sticky */
};

struct fma_result {
    enum fma_kind kind;
    uint32_t sign;        /* FP32_SIGN or 0 */
    int32_t exponent;     /* biased as in FP32, but it may be <= 0 or >= 255 */
    uint32_t significand; /* only with FMA_SUM */
    uint32_t flags;
};

/* Returns the significand of an FP32 number; 0 for denormals, which count as zero. */
static inline uint32_t fma_significand(uint32_t x) {
    return fp32_exponent(x) ? (x & FP32_FRACTION) | (FP32_FRACTION + 1) : 0;
}

/* Shifts right by count, and gathers the lost bits in bit 0. */
static inline uint32_t fma_shift_sticky(uint32_t value, unsigned count) {
    if (count > 31)
        return value != 0;
    uint32_t kept = value >> count;
    return kept | (kept << count != value);
}

/* Shifts right to align an operand. As fma_shift_sticky, except that nothing is left of a value that is shifted out
 * completely. */
static inline uint32_t fma_align(uint32_t value, unsigned count, uint32_t *flags) {
    uint32_t kept = count > 31 ? 0 : value >> count;
    if (!kept) {
        *flags |= value ? FP_INEXACT : 0;
        return 0;
    }
    return fma_shift_sticky(value, count);
}

/* Returns the result if an operand is infinite or NaN, or if the product of finite numbers is out of range. */
static inline struct fma_result fma_special(uint32_t a, uint32_t b, uint32_t c, uint32_t product_sign) {
    bool zero_times_infinite = (fp32_is_inf(a) && !fma_significand(b)) || (fp32_is_inf(b) && !fma_significand(a));
    bool product_infinite = fp32_is_inf(a) || fp32_is_inf(b);
    bool opposed = fp32_is_inf(c) && product_infinite && (c & FP32_SIGN) != product_sign;
    bool invalid = fp32_is_snan(a) || fp32_is_snan(b) || fp32_is_snan(c) || zero_times_infinite;
    bool nan = fp32_is_nan(a) || fp32_is_nan(b) || fp32_is_nan(c);
    uint32_t flags = invalid || (opposed && !nan) ? FP_INVALID : 0;

    if (nan || zero_times_infinite || opposed)
        return (struct fma_result){ .kind = FMA_NAN, .flags = flags };
    if (fp32_is_inf(c))
        return (struct fma_result){ .kind = FMA_INFINITE, .sign = c & FP32_SIGN };
    if (product_infinite)
        return (struct fma_result){ .kind = FMA_INFINITE, .sign = product_sign };
    return (struct fma_result){ .kind = FMA_OVERFLOW, .sign = product_sign, .flags = FP_OVERFLOW | FP_INEXACT };
}

/* Returns a * b + c for FP32 bit patterns. */
static inline struct fma_result fma_compute(uint32_t a, uint32_t b, uint32_t c) {
    int32_t ea = (int32_t)fp32_exponent(a), eb = (int32_t)fp32_exponent(b), ec = (int32_t)fp32_exponent(c);
    int32_t ep = ea + eb - 127;
    uint32_t sign = (a ^ b) & FP32_SIGN, addend_sign = c & FP32_SIGN;
    if (__builtin_expect(ea == 255 || eb == 255 || ec == 255 || ep >= 255, 0))
        return fma_special(a, b, c, sign);

    /* The product's 48 bits become 28: one more than FMA_ONE has, the last one sticky. */
    uint64_t product = (uint64_t)fma_significand(a) * fma_significand(b);
    uint32_t mp = (uint32_t)(product >> 20) | ((product & 0xFFFFF) != 0);
    uint32_t mc = fma_significand(c) << 3;
    uint32_t flags = 0;
    if (mp == 0 || ep < 0) {
        flags = mp ? FP_UNDERFLOW | FP_INEXACT : 0;
        if (mc)
            return (struct fma_result){ .kind = FMA_ADDEND, .flags = flags };
        return (struct fma_result){ .kind = FMA_ZERO, .sign = sign & addend_sign, .flags = flags };
    }

    int32_t e = ep > ec ? ep : ec;
    if (ep > ec)
        mc = fma_align(mc, (unsigned)(ep - ec), &flags);
    else
        mp = fma_align(mp, (unsigned)(ec - ep), &flags);

    uint32_t sum = sign == addend_sign ? mp + mc : mp >= mc ? mp - mc : mc - mp;
    if (sum == 0)
        return (struct fma_result){ .kind = FMA_ZERO, .sign = sign & addend_sign, .flags = flags };
    if (mp < mc)
        sign = addend_sign;

    /* The sum has at most 29 bits, so it is shifted right by at most two. */
    int right = 5 - __builtin_clz(sum);
    return (struct fma_result){
        .kind = FMA_SUM,
        .sign = sign,
        .exponent = e + right,
        .significand = right <= 0 ? sum << -right : fma_shift_sticky(sum, (unsigned)right),
        .flags = flags,
    };
}

#endif
