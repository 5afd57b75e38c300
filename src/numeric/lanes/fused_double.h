/* fused_any, a * b + c for hosts without a fused multiply-add, in double precision. See fused.h for the words.
 *
 * The product is exact there, and so is the sum of product and addend once they are jammed, so that its conversion to
 * single precision is what rounds S. NaN, infinities, and results around the smallest normal number go lane by lane. */
#ifndef NUMERIC_LANES_FUSED_DOUBLE_H
#define NUMERIC_LANES_FUSED_DOUBLE_H

#include "numeric/lanes/fused.h"

#define FUSED_SIGN64 (UINT64_C(1) << 63)

/* unit: one, and 1.5 * 2^52 of them is magic. The sign of a zero is kept. */
VEC_INLINE vec_double fused_jam(vec_double x, vec_double unit, vec_double magic) {
    vec_double near = x + magic, error = x - (near - magic);
    vec_long floor = (vec_long)near + (vec_long)(error < 0);
    vec_double whole = (vec_double)(floor | (vec_long)(error != 0) >> 63) - magic;
    vec_long some = (vec_long)((vec_double)((vec_long)x & ~FUSED_SIGN64) >= unit);
    return (vec_double)(((vec_long)whole & some) | ((vec_long)x & FUSED_SIGN64));
}

/* Exponents are those of double precision, in the upper halves. */
VEC_INLINE vec_double fused_sum(vec_double a, vec_double b, vec_double c, vec_double unit, vec_double magic) {
    return fused_jam(a * b, unit, magic) + fused_jam(c, unit, magic);
}

VEC_INLINE vec fused_any(vec a, vec b, vec c, uint32_t lanes) {
    vec_int ea = fused_exponent(a), eb = fused_exponent(b), ec = fused_exponent(c);
    vec special = (vec)((ea == KI(infinity)) | (eb == KI(infinity)) | (ec == KI(infinity)));
    vec over = (vec)((vec_int)(((vec)ea + (vec)eb) >> 1) >= EXPONENTS(191));
    vec gone = (vec)(fused_gone(ea, eb) | (ea == 0) | (eb == 0));
    vec_int m = vec_max((vec_int)(((vec)ea + (vec)eb - K(bias)) & ~(gone | over)), ec);

    vec_float fa = (vec_float)(a & (~gone | FP32_SIGN)), fb = (vec_float)fused_flush(b), fc = (vec_float)fused_flush(c);
    vec unit = ((vec)m >> 3) + ((1023 - 127 - 26) << 20), magic = unit + ((52 << 20) + 0x80000);
    vec_double low = fused_sum(vec_low(fa), vec_low(fb), vec_low(fc), vec_upper_low(unit), vec_upper_low(magic));
    vec_double high = fused_sum(vec_high(fa), vec_high(fb), vec_high(fc), vec_upper_high(unit), vec_upper_high(magic));
    vec d = (vec)vec_narrow(low, high);

    vec tiny = (vec)(fused_exponent(d) < EXPONENTS(2)) & (vec)(d + d != 0) & ~gone;
    d = vec_select(over, ((a ^ b) & FP32_SIGN) | FP32_INF, d);
    uint32_t rest = vec_bits(special | (tiny & ~over)) & lanes;
    return __builtin_expect(rest != 0, 0) ? fused_lanes(a, b, c, d, rest) : d;
}

#endif
