/* fused_any: a * b + c in double precision, for hosts without a fused multiply-add. fused.h explains the terms.
 *
 * As a double the product is exact, and so is the sum of product and addend after both are jammed; converting that sum
 * to single precision rounds S. A product of less than a unit ought to be zero but is jammed like any other: one unit
 * makes no difference to an addend that is so much larger. NaN, infinities, and results near the smallest normal number
 * are computed lane by lane. */
#ifndef NUMERIC_LANES_FUSED_DOUBLE_H
#define NUMERIC_LANES_FUSED_DOUBLE_H

#include "numeric/lanes/fused.h"

/* Jams x to whole units. magic: 1.5 * 2^52 units. */
VEC_INLINE vec_double fused_jam(vec_double x, vec_double magic) {
    vec_double near = x + magic, error = x - (near - magic);
    vec_long floor = (vec_long)near + (vec_long)(error < 0);
    return (vec_double)(floor | (vec_long)(error != 0) >> 63) - magic;
}

VEC_INLINE vec_double fused_sum(vec_double a, vec_double b, vec_double c, vec_double magic) {
    return fused_jam(a * b, magic) + fused_jam(c, magic);
}

VEC_INLINE vec fused_any(vec a, vec b, vec c, uint32_t lanes, bool *in_parts) {
    (void)in_parts;
    vec_int ea = fused_exponent(a), eb = fused_exponent(b), ec = fused_exponent(c);
    vec special = (vec)((ea == FUSED_INT(infinity)) | (eb == FUSED_INT(infinity)) | (ec == FUSED_INT(infinity)));
    vec over = (vec)((vec_int)(((vec)ea + (vec)eb) >> 1) >= FUSED_INT(half_over));
    vec gone = (vec)(fused_gone(ea, eb) | (ea == 0) | (eb == 0));
    vec_int ep = (vec_int)(((vec)ea + (vec)eb - FUSED(bias)) & ~(gone | over)), gap = ep - ec;
    vec_int m = ec + (gap & (gap > 0));

    vec_float fa = (vec_float)(a & ~gone), fb = (vec_float)fused_flush(b);
    vec_float fc = (vec_float)(c & (vec)((ec > 0) & (gap < FUSED_INT(twenty_seven))));
    vec magic = ((vec)m >> 3) + (((1023 - 127 - 26 + 52) << 20) + 0x80000);
    vec_double low = fused_sum(vec_double_from_low(fa), vec_double_from_low(fb), vec_double_from_low(fc),
                               vec_double_upper_low(magic));
    vec_double high = fused_sum(vec_double_from_high(fa), vec_double_from_high(fb), vec_double_from_high(fc),
                                vec_double_upper_high(magic));
    vec sum = (vec)vec_float_narrow(low, high);

    vec tiny = (vec)(fused_exponent(sum) < FUSED_INT(two)) & (vec)(sum + sum != 0) & ~(gone | over);
    vec d = vec_select(over, ((a ^ b) & FUSED(sign)) | FUSED(infinity), sum | ((a ^ b) & c & FUSED(sign)));
    uint32_t rest = vec_bits(special | tiny) & lanes;
    return __builtin_expect(rest != 0, 0) ? fused_lanes(a, b, c, d, rest) : d;
}

#endif
