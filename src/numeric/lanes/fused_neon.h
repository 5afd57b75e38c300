/* fused_all, a * b + c of all lanes for hosts with AArch64's vectors of four. See fused.h for the words.
 *
 * There are eight registers of lanes, and to ask about one of them costs as much as a good part of its arithmetic. So
 * all lanes go one way, and are asked about together. Each way is tried by what the one before has seen:
 *
 * - fused_plainly: the host's result X, where it is the same in all lanes. Besides where fused_ieee.h says so it is if
 *   the products are floats: then P is whole, or the addend is a multiple of eight units and much larger, and one of
 *   the two is jammed at most; where all but nothing is left of the sum, neither is.
 * - fused_in_parts: of numbers that are near enough to one for every part to be one too.
 * - fused_whole: any numbers but infinities and NaN, in whole units. What comes out denormal goes lane by lane.
 *
 * "Near enough": factors are below 2^32; product or addend is 2^-63 and more, so that a denormal factor or addend, or
 * a product that ought to vanish, is too small to matter to the other; and X is finite. Or X and the addend are zero,
 * and not -0: so is the product, or too small and positive. */
#ifndef NUMERIC_LANES_FUSED_NEON_H
#define NUMERIC_LANES_FUSED_NEON_H

#include "numeric/lanes/fused.h"
#include "numeric/lanes/lanes.h"

#define FUSED_ALL 1

enum { FUSED_REGISTERS = LANES / VEC_LANES };

/* The operands as they are to be used. negate_...: a sign or nothing. */
struct fused_terms {
    const uint32_t *a, *b, *c;
    uint32_t negate_a, negate_c;
};

VEC_INLINE vec fused_a(const struct fused_terms *t, unsigned i) {
    return vec_load(t->a + i) ^ t->negate_a;
}

VEC_INLINE vec fused_b(const struct fused_terms *t, unsigned i) {
    return vec_load(t->b + i);
}

VEC_INLINE vec fused_c(const struct fused_terms *t, unsigned i) {
    return vec_load(t->c + i) ^ t->negate_c;
}

VEC_INLINE bool fused_some(vec mask) {
    return vmaxvq_u32((uint32x4_t)mask) != 0;
}

VEC_INLINE vec fused_least(vec a, vec b) {
    return (vec)vminq_u32((uint32x4_t)a, (uint32x4_t)b);
}

VEC_INLINE vec fused_most(vec a, vec b) {
    return (vec)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b);
}

/* The same as vec_select, of which gcc makes three instructions. */
VEC_INLINE vec fused_choose(vec mask, vec a, vec b) {
    return (vec)vbslq_u32((uint32x4_t)mask, (uint32x4_t)a, (uint32x4_t)b);
}

/* a * b - product, or the other way round: p - a * b. */
VEC_INLINE vec_float fused_lack(vec_float p, vec_float a, vec_float b) {
    return (vec_float)vfmsq_f32((float32x4_t)p, (float32x4_t)a, (float32x4_t)b);
}

/* ---- The host's result ------------------------------------------------------------------------------ */

enum fused_fit { FUSED_SAME, FUSED_NEAR, FUSED_FAR };

/* What has been seen of all lanes. m and gap are those of the rounded product here, which may be one more. */
struct fused_seen {
    vec_int gap, left; /* the largest gap, the smallest of X's exponent less m */
    vec top;           /* the largest exponent of X */
    vec low;           /* the smallest m, but of lanes in which addend and X are zero, not -0 */
    vec factor;        /* twice the largest factor */
    vec rest;          /* of products that are no floats */
};

#define FUSED_NOTHING_SEEN { .low = vec_all(UINT32_MAX) }

VEC_INLINE vec_float fused_look(struct fused_seen *seen, vec a, vec b, vec c) {
    vec_float product = (vec_float)a * (vec_float)b, x = vec_fused((vec_float)a, (vec_float)b, (vec_float)c);
    vec_int ep = fused_exponent((vec)product), ec = fused_exponent(c), ex = fused_exponent((vec)x);
    vec m = fused_most((vec)ep, (vec)ec);
    seen->gap = vec_max(seen->gap, ep - ec);
    seen->left = vec_min(seen->left, ex - (vec_int)m);
    seen->top = fused_most(seen->top, (vec)ex);
    seen->low = fused_least(seen->low, m | (vec)(((vec)x | c) == 0));
    seen->factor = fused_most(seen->factor, fused_most(a + a, b + b));
    seen->rest |= (vec)fused_lack(product, (vec_float)a, (vec_float)b);
    return x;
}

VEC_INLINE vec fused_is_far(vec factor) {
    return (vec)(factor >= FUSED(factor_end));
}

VEC_INLINE enum fused_fit fused_judge(const struct fused_seen *seen) {
    vec apart = (vec)((seen->gap > FUSED_INT(two)) | (seen->left < -FUSED_INT(one)));
    vec far = fused_is_far(seen->factor) | (vec)(seen->low < FUSED(sixty_four)) | (vec)(seen->top == FUSED(infinity));
    if (__builtin_expect(!fused_some(far | (apart & (vec)(seen->rest != 0))), 1))
        return FUSED_SAME;
    return fused_some(far) ? FUSED_FAR : FUSED_NEAR;
}

/* Stores if they are the same. */
VEC_INLINE enum fused_fit fused_plainly(uint32_t *d, const struct fused_terms *t, uint32_t mask) {
    vec_float x[FUSED_REGISTERS];
    struct fused_seen seen = FUSED_NOTHING_SEEN;
    VEC_UNROLL
    VEC_EACH(i)
    x[i / VEC_LANES] = fused_look(&seen, fused_a(t, i), fused_b(t, i), fused_c(t, i));
    enum fused_fit fit = fused_judge(&seen);
    if (fit != FUSED_SAME)
        return fit;
    VEC_UNROLL
    VEC_EACH(i)
    vec_put(d, i, (vec)x[i / VEC_LANES], mask);
    return fit;
}

/* ---- In parts --------------------------------------------------------------------------------------- */

/* From 27 on nothing of the addend is whole, and with 26 its last unit is the leading one, which is odd. */
VEC_INLINE vec fused_align(vec c, vec_int gap) {
    vec below = (vec)vshlq_u32(vdupq_n_u32(UINT32_MAX), vsubq_s32((int32x4_t)(gap >> 23), vdupq_n_s32(35)));
    vec jam = ((c & below) + below) & ~FUSED(infinity); /* gap - 3 ones */
    return ((c | jam) & ~below) & (vec)(FUSED_INT(twenty_seven) > gap);
}

/* magic: 1.5 * 2^23 units. */
VEC_INLINE vec_float fused_jam(vec_float rest, vec_float magic) {
    vec_float near = rest + magic, error = rest - (near - magic);
    vec floor = (vec)vsraq_n_s32((int32x4_t)near, (int32x4_t)error, 31);
    return (vec_float)(floor | fused_least((vec)error, vec_all(1))) - magic;
}

/* Exponents of all lanes: the largest ones, and the smallest m. */
struct fused_range {
    vec_int factor, addend, least;
};

VEC_INLINE bool fused_is_near(const struct fused_range *range) {
    vec_int far = range->factor >= (vec_int)(FUSED(factor_end) >> 1);
    return !fused_some((vec)(far | (range->addend == FUSED_INT(infinity)) | (range->least < FUSED_INT(sixty_four))));
}

/* Down to a gap of -2 the nearest float of the product is an even number of units, so that to jam the rest is to jam
 * the product; all parts are whole then, and what the first sum loses (Knuth's) is small, so that the last addition is
 * the only one to round. Below that, and without a product, X is the same. */
VEC_INLINE vec fused_of_parts(struct fused_range *range, vec a, vec b, vec c) {
    vec_int ea = fused_exponent(a), eb = fused_exponent(b), ec = fused_exponent(c);
    vec gone = (vec)(vec_min(ea, eb) == 0);
    vec_int ep = (vec_int)fused_choose(gone, FUSED(less_three), (vec)(ea - FUSED_INT(bias) + eb));
    vec_int gap = ep - ec, m = vec_max(ep, ec);
    range->factor = vec_max(range->factor, vec_max(ea, eb));
    range->addend = vec_max(range->addend, ec);
    range->least = vec_min(range->least, m);
    vec_float x = vec_fused((vec_float)a, (vec_float)b, (vec_float)c);

    vec_float product = (vec_float)a * (vec_float)b, lack = fused_lack(product, (vec_float)a, (vec_float)b);
    vec_float jammed = fused_jam(lack, (vec_float)((vec)m + FUSED(magic)));
    vec_float addend = (vec_float)fused_align(c, gap), sum = product + addend, other = sum - product;
    vec_float error = (product - (sum - other)) + (addend - other);
    return fused_choose((vec)(gap > FUSED_INT(less_three)), (vec)(sum + (error - jammed)), (vec)x);
}

/* False, and nothing stored, if some lanes are not near enough. */
static __attribute__((noinline)) bool fused_in_parts(uint32_t *d, const struct fused_terms *terms, uint32_t mask) {
    uint32_t result[LANES] __attribute__((aligned(64)));
    struct fused_terms t = *terms;
    struct fused_range range = { .least = FUSED_INT(infinity) };
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) { /* by two, as each is a long chain */
        unsigned j = i + VEC_LANES;
        vec first = fused_of_parts(&range, fused_a(&t, i), fused_b(&t, i), fused_c(&t, i));
        vec second = fused_of_parts(&range, fused_a(&t, j), fused_b(&t, j), fused_c(&t, j));
        vec_store(result + i, first), vec_store(result + j, second);
    }
    if (__builtin_expect(!fused_is_near(&range), 0))
        return false;
    VEC_EACH(i)
    vec_put(d, i, vec_load(result + i), mask);
    return true;
}

/* ---- In whole units --------------------------------------------------------------------------------- */

VEC_INLINE vec fused_shift(vec x, vec_int n) {
    return (vec)vshlq_u32((uint32x4_t)x, (int32x4_t)n);
}

/* 1.0 is 2^23. */
VEC_INLINE vec fused_significand(vec x) {
    return fused_choose(FUSED(fraction), x, FUSED(one));
}

/* P in units of its own exponent: 24 and 24 bits make 28, the last of which tells of those behind it. The lower half of
 * the same product has these, and the last one itself, which is no harm. */
VEC_INLINE vec fused_product(vec a, vec b) {
    int32x4_t x = (int32x4_t)(fused_significand(a) << 7), y = (int32x4_t)(fused_significand(b) << 4);
    return (vec)vqdmulhq_s32(x, y) | fused_least((vec)vmulq_s32(x, y), vec_all(1));
}

/* Nothing is left of what is shifted out as a whole. */
VEC_INLINE vec fused_shift_jam(vec x, vec_int n) {
    vec kept = fused_shift(x, -n), lost = fused_shift(x, 32 - n);
    return kept | fused_least(fused_least(lost, vec_all(1)), kept);
}

/* special: the largest exponent; tiny: some result is denormal, or would be. */
VEC_INLINE vec fused_of_units(vec a, vec b, vec c, vec *special, vec *tiny) {
    vec ea = (vec)fused_exponent(a), eb = (vec)fused_exponent(b), has_c = (vec)(fused_exponent(c) != 0);
    vec none = (vec)(fused_least(ea, eb) == 0);
    vec_int ep = ((vec_int)((ea + eb) >> 23) - 127) | (vec_int)none, ec = (vec_int)((vec)fused_exponent(c) >> 23);
    vec_int gap = (vec_int)vabdq_s32((int32x4_t)ep, (int32x4_t)ec), m = vec_max(ep, ec);
    vec product = fused_product(a, b) & ~(vec)(ep < 0), addend = (fused_significand(c) << 3) & has_c;

    vec first = (vec)(ep > ec), large = fused_choose(first, product, addend);
    vec small = fused_shift_jam(fused_choose(first, addend, product), vec_min(gap, (vec_int)vec_all(31)));
    vec signs = a ^ b ^ c, large_sign = fused_choose(first, a ^ b, c), minus = (vec)((vec_int)signs >> 31);
    vec_int sum = (vec_int)(large + ((small ^ minus) - minus));

    /* Infinite from 255 on. 2^-127 is denormal. A sum of nothing is -0 if both are negative. */
    vec scale = (vec)vec_max((vec_int)(fused_least((vec)m, vec_all(255)) << 23), (vec_int)FUSED(quiet));
    vec zero = (signs ^ large_sign) & FUSED(sign);
    vec_float d = vec_fused((vec_float)vcvtq_n_f32_s32((int32x4_t)sum, 26),
                            (vec_float)fused_choose(FUSED(sign), large_sign, scale), (vec_float)zero);
    vec normal = (vec)(fused_exponent((vec)d) != 0);
    *special = fused_most(*special, fused_most(fused_most(ea, eb), (vec)fused_exponent(c)));
    *tiny |= (vec)(sum != 0) & ~normal;
    return (vec)d & (normal | FUSED(sign));
}

VEC_INLINE vec fused_special(vec a, vec b, vec c) {
    vec_int most = vec_max(vec_max(fused_exponent(a), fused_exponent(b)), fused_exponent(c));
    return (vec)(most == FUSED_INT(infinity));
}

/* Infinities and NaN among the operands. */
static __attribute__((noinline)) void fused_put_special(uint32_t *d, const struct fused_terms *t) {
    VEC_EACH(i) {
        vec a = fused_a(t, i), b = fused_b(t, i), c = fused_c(t, i);
        vec_float x = vec_fused((vec_float)fused_flush(a), (vec_float)fused_flush(b), (vec_float)fused_flush(c));
        vec_store(d + i, fused_choose(fused_special(a, b, c), fused_canonical(x), vec_load(d + i)));
    }
}

/* What came out as zero. */
static __attribute__((noinline)) void fused_put_tiny(uint32_t *d, const struct fused_terms *t) {
    for (unsigned i = 0; i < LANES; i++)
        if (!(d[i] & ~FP32_SIGN))
            d[i] = fp32_fma(t->a[i] ^ t->negate_a, t->b[i], t->c[i] ^ t->negate_c);
}

static __attribute__((noinline)) void fused_whole(uint32_t *d, const struct fused_terms *terms, uint32_t mask) {
    uint32_t result[LANES] __attribute__((aligned(64)));
    struct fused_terms t = *terms;
    vec special = vec_all(0), tiny = vec_all(0);
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        unsigned j = i + VEC_LANES;
        vec first = fused_of_units(fused_a(&t, i), fused_b(&t, i), fused_c(&t, i), &special, &tiny);
        vec second = fused_of_units(fused_a(&t, j), fused_b(&t, j), fused_c(&t, j), &special, &tiny);
        vec_store(result + i, first), vec_store(result + j, second);
    }
    if (__builtin_expect(fused_some(tiny), 0))
        fused_put_tiny(result, terms);
    if (fused_some((vec)(special == FUSED(infinity))))
        fused_put_special(result, terms);
    VEC_EACH(i)
    vec_put(d, i, vec_load(result + i), mask);
}

/* ---- All -------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void fused_otherwise(uint32_t *d, const struct fused_terms *t, uint32_t mask,
                                                      enum fused_fit fit) {
    if (fit == FUSED_FAR || !fused_in_parts(d, t, mask))
        fused_whole(d, t, mask);
}

/* The first lanes tell which way is worth trying. */
VEC_INLINE void fused_all(uint32_t *d, const struct fused_terms *t, uint32_t mask) {
    struct fused_seen seen = FUSED_NOTHING_SEEN;
    fused_look(&seen, fused_a(t, 0), fused_b(t, 0), fused_c(t, 0));
    enum fused_fit fit = fused_judge(&seen);
    if (__builtin_expect(fit == FUSED_SAME, 1))
        fit = fused_plainly(d, t, mask);
    if (fit != FUSED_SAME)
        fused_otherwise(d, t, mask, fit);
}

#endif
