/* fused_any, a * b + c for hosts with the fused multiply-add of IEEE754. See fused.h for the words.
 *
 * The host gives X, the exact sum of the unjammed product and the addend, rounded. Where the gap is at most 2 the
 * addend is an even number of whole units, so S is odd wherever it differs from X, and X lies between the same two even
 * numbers. If |X| >= 2^25 all limits between results of rounding are even: both round alike. (A product that vanishes
 * as a whole is less than a quarter of the addend's last place, and makes no difference to X.)
 *
 * Else the sum is made of parts: the product's nearest float, a rest that is jammed, the addend jammed.
 * - Gap of 3 and more: the nearest float is a multiple of eight units and not less than the addend. Their sum and its
 *   error (Dekker's) are whole, the error and the jammed rest are small, so that the last addition is the only one to
 *   round: it rounds S.
 * - Cancellation, |X| < 2^25 with a gap of at most 2: then p and c are no more than two apart and the nearest float is
 *   an even number of units, so that jamming the rest jams the product. Its sum with the addend is exact (Sterbenz). */
#ifndef NUMERIC_LANES_FUSED_IEEE_H
#define NUMERIC_LANES_FUSED_IEEE_H

#include "numeric/lanes/fused.h"

/* Up to a gap of 3 everything of the addend is whole, from 27 on nothing is. */
VEC_INLINE vec fused_align(vec c, vec_int gap) {
    vec below = vec_shift_right(vec_all(UINT32_MAX), (FUSED(thirty_five) - (vec)gap) >> 23); /* gap - 3 ones */
    /* With a gap of 26 the last unit is the leading one, which is odd. */
    vec jam = ((c & below) + below) & ~FUSED(infinity);
    return ((c | jam) & ~below) & (vec)(FUSED_INT(twenty_seven) > gap);
}

/* magic: 1.5 * 2^23 units. */
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

/* Any operands. Lanes that are not asked for may get anything. Small numbers are moved up by 64 first: not all that
 * their parts are made of could be represented, and hosts are slow with denormals. */
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

    /* Back down. What is denormal is zero, except that all ones in front are rounded up once more. */
    vec tiny = (vec)(up != 0) & (vec)(fused_exponent(d) <= (vec_int)up);
    vec unsure = tiny & (vec)(((d + 1) & (FP32_FRACTION - 1)) == 0) & (vec)(d + d != 0);
    unsure |= apart & (vec)(m >= FUSED_INT(high)); /* the product may not be a float */
    d = fused_canonical((vec_float)vec_select(tiny, d & FUSED(sign), d - up));
    d = vec_select(over, ((a ^ b) & FUSED(sign)) | FUSED(infinity), d);
    uint32_t rest = vec_bits(unsure) & lanes;
    return rest ? fused_lanes(a, b, c, d, rest) : d;
}

/* The common case: exponents in the middle of the range. Factors may be zero, and the addend as well; a denormal one
 * makes no difference to a product as large as that.
 * in_parts: some lanes so far were; from then on it is not asked again, as the answer could only be guessed wrong. */
VEC_INLINE vec fused_any(vec a, vec b, vec c, uint32_t lanes, bool *in_parts) {
    vec_int ea = fused_exponent(a), eb = fused_exponent(b), ec = fused_exponent(c);
    vec some = (vec)(vec_int_min(ea, eb) > 0);
    vec_int ep = (vec_int)(((vec)ea + (vec)eb - FUSED(bias)) & some); /* negative also where it is above 255 */
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
