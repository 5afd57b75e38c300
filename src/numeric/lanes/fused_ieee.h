/* fused_any: a * b + c for hosts with the fused multiply-add of IEEE 754. fused.h explains the terms.
 *
 * The host gives X, the exact sum of the unjammed product and the addend, rounded. Where the gap is at most 2, the
 * addend is an even number of whole units, so S is odd wherever it differs from X, and X lies between the same two even
 * numbers. If |X| >= 2^25, all points at which rounding changes are even, and S and X round to the same result. (A
 * product that vanishes completely is less than a quarter of the addend's last place, and makes no difference to X.)
 *
 * Otherwise the sum is made of parts: the float nearest to the product, the jammed rest of the product, the jammed
 * addend.
 * - Gap of 3 or more: the nearest float is a multiple of eight units and not less than the addend. The sum of the two
 *   and its error (Dekker's) are whole; the error and the jammed rest are small, so the last addition is the only one
 *   that rounds, and it rounds S.
 * - Cancellation, |X| < 2^25 with a gap of at most 2: p and c are at most two apart, and the nearest float is an even
 *   number of units, so jamming the rest jams the product. Its sum with the addend is exact (Sterbenz). */
#ifndef NUMERIC_LANES_FUSED_IEEE_H
#define NUMERIC_LANES_FUSED_IEEE_H

#include "numeric/lanes/fused.h"

/* Jams the addend to whole units. Up to a gap of 3 all of it is whole, from 27 on nothing is. */
VEC_INLINE vec fused_align(vec c, vec_int gap) {
    vec below = vec_shift_right(vec_all(UINT32_MAX), (FUSED(thirty_five) - (vec)gap) >> 23); /* gap - 3 ones */
    /* With a gap of 26 the last unit is the leading bit, which makes the number odd. */
    vec jam = ((c & below) + below) & ~FUSED(infinity);
    return ((c | jam) & ~below) & (vec)(FUSED_INT(twenty_seven) > gap);
}

/* Jams the rest of a product. magic: 1.5 * 2^23 units. */
VEC_INLINE vec_float fused_jam(vec_float rest, vec_float magic) {
    vec_float near = rest + magic;
    vec_float error = rest - (near - magic);
    vec floor = (vec)near + (vec)((vec_int)error >> 31);
    return (vec_float)(floor | (vec)(error != 0) >> 31) - magic;
}

VEC_INLINE vec_float fused_parts(vec_float a, vec_float b, vec_float c, vec_int m) {
    vec_float product = a * b, rest = vec_fused(a, b, -product);
    vec_float sum = product + c, error = c - (sum - product);
    vec_float magic = (vec_float)(((vec)m - FUSED(three)) | FUSED(quiet));
    return sum + (error + fused_jam(rest, magic));
}

/* Computes any operands; lanes that are not in the mask may get any value. Small numbers are first multiplied by 2^64:
 * some of their parts could not be represented otherwise, and hosts are slow with denormals. */
static __attribute__((noinline)) vec fused_slow(vec a, vec b, vec c, uint32_t lanes) {
    vec_int ea = fused_exponent(a), eb = fused_exponent(b), ec = fused_exponent(c);
    vec special = (vec)(vec_int_max(vec_int_max(ea, eb), ec) == FUSED_INT(infinity));
    vec over = (vec)((vec_int)(((vec)ea + (vec)eb) >> 1) >= FUSED_INT(half_over)) & ~special;
    vec gone = (vec)(fused_gone(ea, eb) | (vec_int_min(ea, eb) == 0));
    vec_int ep = (vec_int)(((vec)ea + (vec)eb - FUSED(bias)) & ~gone);
    vec_int gap = (vec_int)((vec)ep - (vec)ec), m = vec_int_max(ep, ec);
    vec up = (vec)(m < FUSED_INT(sixty_four)) & ~(gone | special | over) & FUSED(sixty_four);

    vec addend = fused_flush(vec_select(special, c, fused_align(c, gap)));
    vec_float fc = (vec_float)(addend + (up & (vec)(fused_exponent(addend) > 0)));
    vec_float fb = (vec_float)fused_flush(b);
    vec_float fa = (vec_float)((fused_flush(a) & (~gone | special | FUSED(sign))) + up);
    vec d = (vec)vec_fused(fa, fb, fc);
    vec_int top = m + (vec_int)up;
    vec apart = (vec)((fused_exponent(d) < top - FUSED_INT(one)) | (gap > FUSED_INT(two))) & ~(gone | special | over);
    if (vec_bits(apart) & lanes)
        d = vec_select(apart, (vec)fused_parts((vec_float)((vec)fa & apart), fb, fc, top), d);

    /* Scales back down. A denormal result is zero, except that one whose leading bits are all ones is rounded up once
     * more. */
    vec tiny = (vec)(up != 0) & (vec)(fused_exponent(d) <= (vec_int)up);
    vec unsure = tiny & (vec)(((d + 1) & (FP32_FRACTION - 1)) == 0) & (vec)(d + d != 0);
    unsure |= apart & (vec)(m >= FUSED_INT(high)); /* the product may not be a float */
    d = fused_canonical((vec_float)vec_select(tiny, d & FUSED(sign), d - up));
    d = vec_select(over, ((a ^ b) & FUSED(sign)) | FUSED(infinity), d);
    uint32_t rest = vec_bits(unsure) & lanes;
    return rest ? fused_lanes(a, b, c, d, rest) : d;
}

/* Computes the common case, in which exponents are in the middle of the range. Factors and the addend may be zero; a
 * denormal addend makes no difference to a product of that size. in_parts: some lanes had to be computed in parts; from
 * then on all are, because a branch would be predicted wrong too often. */
VEC_INLINE vec fused_any(vec a, vec b, vec c, uint32_t lanes, bool *in_parts) {
    vec_int ea = fused_exponent(a), eb = fused_exponent(b), ec = fused_exponent(c);
    vec some = (vec)(vec_int_min(ea, eb) > 0);
    vec_int ep = (vec_int)(((vec)ea + (vec)eb - FUSED(bias)) & some); /* also negative where it exceeds 255 */
    vec_int m = vec_int_max(ep, ec);
    vec wild = (vec)ep | ((vec)vec_int_max(vec_int_max(ea, eb), m) + FUSED(thirty_five)),
        small = (vec)m - FUSED(thirty_five);
    if (__builtin_expect((vec_bits(wild | small) & lanes) != 0, 0)) {
        vec nothing = ~some & (vec)(c + c == 0);
        if (vec_bits(wild | (small & ~nothing)) & lanes)
            return fused_slow(a, b, c, lanes);
    }
    vec_float fa = (vec_float)(a & (some | FUSED(sign))), fb = (vec_float)b;
    vec_float sum = vec_fused(fa, fb, (vec_float)c);
    vec gap = (vec)ep - (vec)ec;
    vec apart = ((vec)fused_exponent((vec)sum) - (vec)m + FUSED(one)) | (FUSED(two) - gap);
    if (!*in_parts && !(vec_bits(apart) & lanes))
        return (vec)sum;
    *in_parts = true;
    vec_float parts = fused_parts(fa, fb, (vec_float)fused_align(c, (vec_int)gap), m);
    return vec_select((vec)((vec_int)apart >> 31), (vec)parts, (vec)sum);
}

#endif
