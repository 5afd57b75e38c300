/* fused_all: a * b + c of all lanes, for hosts with AArch64's vectors of four lanes. fused.h explains the terms.
 *
 * All lanes fill eight registers, and a test of one register costs as much as a good part of its arithmetic. So all
 * lanes are tested together, and computed in the same way. Four ways are tried in this order:
 *
 * - fused_plainly: takes the host's result X if it is right in all lanes. Besides the case of fused_ieee.h, X is right
 *   if the products are floats: then P is whole, or the addend is a multiple of eight units and much larger, and at
 *   most one of the two is jammed; where almost nothing is left of the sum, neither is.
 * - fused_closely: numbers that are near enough to one for every part to be a float; no addend loses bits.
 * - fused_in_parts: numbers that are near enough, with any addend.
 * - fused_whole: any numbers, in whole units. Infinities, NaN and denormal results are computed again.
 *
 * "Near enough" means: factors are below 2^32; product or addend is at least 2^-63, so that a denormal factor or
 * addend, or a product that ought to vanish, is too small to matter to the other; and X is finite. Or addend and X are
 * zero; then X has the right sign, unless it is -0 and the addend is +0, which happens if the product is negative and
 * too small. */
#ifndef NUMERIC_LANES_FUSED_NEON_H
#define NUMERIC_LANES_FUSED_NEON_H

#include "numeric/lanes/fused.h"
#include "numeric/lanes/lanes.h"

enum { FUSED_REGISTERS = LANES / VEC_LANES };

/* The operands before negation. negate_...: the sign bit, or 0. */
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

VEC_INLINE void fused_put(uint32_t *d, const uint32_t *result, uint32_t mask) {
    if (mask == LANES_ALL) {
        memcpy(d, result, LANES * sizeof *d);
        return;
    }
    VEC_EACH(i)
    vec_store_masked(d + i, vec_load(result + i), mask >> i);
}

/* ---- The host's result ------------------------------------------------------------------------------ */

/* How far the host's results can be used, as far as the lanes have been tested. */
enum fused_fit { FUSED_SAME, FUSED_NEAR, FUSED_FAR };

/* Extremes over the lanes so far. They are taken from the upper halves of numbers without their signs, which hold the
 * exponent and eight bits of fraction; one vector holds those of two registers. The halves are subtracted as integers,
 * and P is the rounded product, so the limits are strict enough to be sure about exponents. */
struct fused_seen {
    vec_ushort gap, left; /* greatest distance of a product above its addend; of a result below the larger of the two */
    vec_ushort top;       /* largest result */
    vec_ushort low, zero; /* smallest maximum of product and addend; low: minus 1, which makes 0 large */
    vec_ushort factor;    /* largest factor */
    vec rest;             /* nonzero if a product is not a float */
};

VEC_INLINE vec_ushort fused_upper(vec first, vec second) {
    vec_ushort upper = vec_ushort_odd((vec_ushort)first, (vec_ushort)second);
    return upper + upper;
}

/* Computes and tests two registers. x: gets the results of lanes [i, i + 2 * VEC_LANES). */
VEC_INLINE void fused_look(struct fused_seen *seen, const struct fused_terms *t, unsigned i, vec_float *x) {
    vec a[2], b[2], c[2], product[2];
    VEC_UNROLL
    for (unsigned r = 0; r < 2; r++) {
        unsigned lane = i + r * VEC_LANES;
        a[r] = fused_a(t, lane), b[r] = fused_b(t, lane), c[r] = fused_c(t, lane);
        x[r] = vec_fused((vec_float)a[r], (vec_float)b[r], (vec_float)c[r]);
        product[r] = (vec)((vec_float)a[r] * (vec_float)b[r]);
        seen->rest |= (vec)vec_fused_less((vec_float)product[r], (vec_float)a[r], (vec_float)b[r]);
    }
    vec_ushort p = fused_upper(product[0], product[1]), addend = fused_upper(c[0], c[1]);
    vec_ushort result = fused_upper((vec)x[0], (vec)x[1]), larger = vec_ushort_max(p, addend);
    seen->gap = vec_ushort_max(seen->gap, vec_ushort_sub_sat(p, addend));
    seen->left = vec_ushort_max(seen->left, vec_ushort_sub_sat(larger, result));
    seen->top = vec_ushort_max(seen->top, result);
    seen->low = vec_ushort_min(seen->low, larger - 1);
    seen->zero = vec_ushort_min(seen->zero, larger);
    seen->factor = vec_ushort_max(seen->factor, vec_ushort_max(fused_upper(a[0], a[1]), fused_upper(b[0], b[1])));
}

enum {
    FUSED_UPPER = 1 << 8, /* exponent 1 in such an upper half */
    FUSED_GAP_END = 2 * FUSED_UPPER,
    FUSED_LEFT_END = FUSED_UPPER + 1,
    FUSED_FACTOR_END = (127 + 32) * FUSED_UPPER,
    FUSED_LOW_END = 64 * FUSED_UPPER - 1,
    FUSED_TOP_END = 255 * FUSED_UPPER,
};

VEC_INLINE vec fused_is_apart(const struct fused_seen *seen) {
    return (vec)(seen->gap >= FUSED_GAP_END) | (vec)(seen->left >= FUSED_LEFT_END);
}

VEC_INLINE vec fused_is_far(const struct fused_seen *seen) {
    vec top = (vec)(seen->top >= FUSED_TOP_END), factor = (vec)(seen->factor >= FUSED_FACTOR_END);
    return top | factor | (vec)(seen->low < FUSED_LOW_END);
}

/* Returns nonzero in lanes where a result is nearly zero although the addend is not zero, or is -0 with an addend of
 * +0: the product ought to vanish but is not zero to the host. */
VEC_INLINE vec fused_no_zeros(const struct fused_terms *t, const vec_float *x) {
    vec other = vec_all(0);
    VEC_UNROLL
    VEC_EACH(i) {
        vec result = (vec)x[i / VEC_LANES], c = fused_c(t, i);
        other |= ((result | c) << 1 | (result & ~c)) & ~(vec)(fused_exponent(result) != 0);
    }
    return other;
}

/* apart, far: the results of fused_is_apart and fused_is_far. */
static __attribute__((noinline)) enum fused_fit fused_judge(vec apart, vec far, vec rest) {
    if (vec_any(far))
        return FUSED_FAR;
    return vec_any(apart) && vec_any(rest) ? FUSED_NEAR : FUSED_SAME;
}

/* Stores the host's results if all are right. The first lanes decide whether testing the others is worthwhile. */
VEC_INLINE enum fused_fit fused_plainly(uint32_t *d, const struct fused_terms *t, uint32_t mask) {
    vec_float x[FUSED_REGISTERS];
    vec_ushort most = vec_ushort_all(UINT16_MAX);
    struct fused_seen seen = { .low = most, .zero = most };
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        fused_look(&seen, t, i, &x[i / VEC_LANES]);
        bool last = i + 2 * VEC_LANES == LANES;
        if (i != 0 && !last)
            continue;
        vec apart = fused_is_apart(&seen), far = fused_is_far(&seen), zero = (vec)(seen.zero == 0);
        if (__builtin_expect(vec_any(last ? apart | far | zero : apart | far), 0)) {
            if (last && vec_any(zero))
                far |= fused_no_zeros(t, x);
            enum fused_fit fit = fused_judge(apart, far, seen.rest);
            if (fit != FUSED_SAME)
                return fit;
        }
    }
    VEC_UNROLL
    VEC_EACH(i)
    vec_put(d, i, (vec)x[i / VEC_LANES], mask);
    return FUSED_SAME;
}

/* ---- In parts --------------------------------------------------------------------------------------- */

/* Four registers advance together, step by step, because each is a long chain of dependent operations. The compiler
 * must not mix the steps, which would take more registers than there are. */
enum { FUSED_BATCH = 4 };
#define FUSED_EACH(r) \
    VEC_UNROLL \
    for (unsigned r = 0; r < FUSED_BATCH; r++)
#define FUSED_STEP(r) \
    __asm__ volatile(""); \
    FUSED_EACH(r)

/* Returns the largest whole number that is not above. near: the nearest whole number, plus magic; rest: what near
 * lacks. */
VEC_INLINE vec_float fused_floor(vec_float near, vec_float rest) {
    return (vec_float)((vec_int)near + ((vec_int)rest >> 31));
}

VEC_INLINE vec_float fused_jam(vec_float floor, vec_float rest) {
    return (vec_float)((vec)floor | vec_min((vec)rest, vec_all(1)));
}

/* Extremes of the exponents of all lanes: the largest factor and addend, the smallest m. above: the greatest distance
 * of a product above its addend. */
struct fused_range {
    vec factor, addend, least, above;
};

VEC_INLINE vec fused_is_over(const struct fused_range *range) {
    return (vec)(range->factor >= FUSED(factor_end)) | (vec)(range->addend == FUSED(infinity));
}

/* Adds the exponents of a register's operands to the range. Returns m, with a bias of its own. */
VEC_INLINE vec fused_take(struct fused_range *range, vec a, vec b, vec c, vec infinity, vec bias) {
    vec ea = a & infinity, eb = b & infinity, ec = c & infinity, addend = ec + bias, m = vec_max(ea + eb, addend);
    range->factor = vec_max(range->factor, vec_max(ea, eb));
    range->addend = vec_max(range->addend, ec);
    range->least = vec_min(range->least, m);
    range->above = vec_max(range->above, m - addend);
    return m;
}

/* Computes lanes with a gap of at most 2. The result is X, or, where that is below 2^25, the sum of the float nearest
 * to the product and the addend, which is exact, plus the jammed rest of the product. See fused_ieee.h. */
VEC_INLINE void fused_of_close(struct fused_range *range, const struct fused_terms *t, unsigned first, uint32_t *d) {
    vec m[FUSED_BATCH], c[FUSED_BATCH], large[FUSED_BATCH];
    vec_float a[FUSED_BATCH], b[FUSED_BATCH], product[FUSED_BATCH], sum[FUSED_BATCH], near[FUSED_BATCH];
    const struct fused_constants *k = &fused_constant;
    __asm__("" : "+r"(k)); /* constants are loaded where they are needed, to save registers */
    vec infinity = vec_load(k->infinity), bias = vec_load(k->bias);
    FUSED_EACH(r) {
        unsigned i = first + r * VEC_LANES;
        a[r] = (vec_float)fused_a(t, i), b[r] = (vec_float)fused_b(t, i), c[r] = fused_c(t, i);
        product[r] = a[r] * b[r];
        m[r] = fused_take(range, (vec)a[r], (vec)b[r], c[r], infinity, bias);
    }
    __asm__("" : "+r"(k));
    vec half = vec_load(k->half), magic = vec_load(k->magic); /* relative to m: 2^25 units, 1.5 * 2^23 units */
    FUSED_STEP(r) {
        sum[r] = product[r] + (vec_float)c[r];
        VEC_NOW(sum[r]);
    }
    FUSED_STEP(r) {
        product[r] = vec_fused_less(product[r], a[r], b[r]);
        a[r] = vec_fused(a[r], b[r], (vec_float)c[r]);
    }
    FUSED_STEP(r) {
        large[r] = vec_float_reaches(a[r], (vec_float)(m[r] - half));
        m[r] = vec_sub_sat(m[r], magic);
    }
    FUSED_STEP(r)
    near[r] = product[r] + (vec_float)m[r];
    FUSED_STEP(r)
    product[r] += (vec_float)m[r] - near[r];
    FUSED_STEP(r)
    near[r] = fused_floor(near[r], product[r]);
    FUSED_STEP(r)
    near[r] = fused_jam(near[r], product[r]) - (vec_float)m[r];
    FUSED_STEP(r) {
        vec result = vec_select_bits(large[r], (vec)a[r], (vec)(sum[r] - near[r]));
        vec_store(d + first + r * VEC_LANES, result);
    }
}

/* Computes lanes in parts: the sum of the float nearest to the product and the addend, the rest of the addend (Dekker's
 * error), and the rest of the product. The float is an even number of units, and so is the sum if the addend is not
 * whole; so jamming the two rests jams product and addend. Both rests are small then, and the last addition is the only
 * one that rounds. Nothing is left of an addend of less than a unit; the sum is the product then.
 *
 * The error is exact if the addend is not larger than the product, or if so much cancels that the sum is not larger
 * than the product. Otherwise |X| >= 2^25 and the gap is at most 0, so X is right. X is also right without a product,
 * because the addend is larger than the number in its place. Where addend and X are zero, all parts are +0 except the
 * sum, which is X; the order of the subtractions ensures that none is -0. */
VEC_INLINE void fused_of_parts(struct fused_range *range, const struct fused_terms *t, unsigned first, uint32_t *d) {
    vec c[FUSED_BATCH], m[FUSED_BATCH], sure[FUSED_BATCH];
    vec_float product[FUSED_BATCH], sum[FUSED_BATCH], x[FUSED_BATCH];
    vec_float error[FUSED_BATCH], lack[FUSED_BATCH], near_error[FUSED_BATCH], near_lack[FUSED_BATCH];
    const struct fused_constants *k = &fused_constant;
    __asm__("" : "+r"(k)); /* constants are loaded where they are needed, to save registers */
    vec infinity = vec_load(k->infinity), bias = vec_load(k->bias);
    FUSED_EACH(r) {
        unsigned i = first + r * VEC_LANES;
        vec a = fused_a(t, i), b = fused_b(t, i);
        c[r] = fused_c(t, i);
        product[r] = (vec_float)a * (vec_float)b;
        x[r] = vec_fused((vec_float)a, (vec_float)b, (vec_float)c[r]);
        lack[r] = vec_fused_less(product[r], (vec_float)a, (vec_float)b);
        m[r] = fused_take(range, a, b, c[r], infinity, bias);
    }
    __asm__("" : "+r"(k));
    vec unit = vec_load(k->unit), magic = vec_load(k->magic); /* relative to m: 1 unit, 1.5 * 2^23 units */
    FUSED_STEP(r)
    sum[r] = product[r] + (vec_float)c[r];
    FUSED_STEP(r) {
        error[r] = sum[r] - product[r];
        sure[r] = vec_float_reaches(product[r], (vec_float)c[r]) | vec_float_reaches(product[r], sum[r]);
    }
    FUSED_STEP(r) {
        error[r] = (vec_float)c[r] - error[r];
        c[r] = vec_float_reaches((vec_float)c[r], (vec_float)(m[r] + unit)) & sure[r];
        m[r] = vec_sub_sat(m[r], magic);
    }
    FUSED_STEP(r) {
        error[r] = (vec_float)((vec)error[r] & c[r]), lack[r] = (vec_float)((vec)lack[r] & sure[r]);
        sum[r] = (vec_float)vec_select_bits(sure[r], (vec)sum[r], (vec)x[r]);
    }
    FUSED_STEP(r)
    near_error[r] = error[r] + (vec_float)m[r], near_lack[r] = lack[r] + (vec_float)m[r];
    FUSED_STEP(r)
    lack[r] += (vec_float)m[r] - near_lack[r], m[r] = (vec)((vec_float)m[r] - near_error[r]);
    FUSED_STEP(r)
    error[r] += (vec_float)m[r], near_lack[r] = fused_floor(near_lack[r], lack[r]);
    FUSED_STEP(r)
    near_error[r] = fused_floor(near_error[r], error[r]), near_lack[r] = fused_jam(near_lack[r], lack[r]);
    FUSED_STEP(r)
    near_error[r] = fused_jam(near_error[r], error[r]);
    FUSED_STEP(r)
    near_error[r] = near_lack[r] - near_error[r];
    FUSED_STEP(r)
    vec_store(d + first + r * VEC_LANES, (vec)(sum[r] - near_error[r]));
}

/* Returns nonzero in lanes that fail the tests. Lanes without an addend are exceptions: they count as close, and as
 * near enough if their result is zero, whose sign is right then. */
static __attribute__((noinline)) vec fused_exceptions(const struct fused_terms *t, const uint32_t *d, bool close) {
    vec other = vec_all(0);
    VEC_EACH(i) {
        struct fused_range range = { .least = vec_all(UINT32_MAX) };
        vec result = vec_load(d + i), c = fused_c(t, i);
        vec m = fused_take(&range, fused_a(t, i), fused_b(t, i), c, FUSED(infinity), FUSED(bias));
        other |= (result | c) << 1 & (vec)(m < FUSED(low_end));
        if (close)
            other |= c << 1 & (vec)(range.above > FUSED(two));
    }
    return other;
}

/* Returns whether d is one of the operands: results must not be stored there before all operands have been read. */
VEC_INLINE bool fused_has(const struct fused_terms *t, const uint32_t *d) {
    return d == t->a || d == t->b || d == t->c;
}

VEC_INLINE bool fused_in_parts_of(uint32_t *d, const struct fused_terms *t, uint32_t mask, bool close) {
    uint32_t result[LANES] __attribute__((aligned(64)));
    uint32_t *to = mask == LANES_ALL && !fused_has(t, d) ? d : result;
    struct fused_range range = { .least = vec_all(UINT32_MAX) };
    for (unsigned i = 0; i < LANES; i += FUSED_BATCH * VEC_LANES)
        close ? fused_of_close(&range, t, i, to) : fused_of_parts(&range, t, i, to);
    vec over = fused_is_over(&range), other = (vec)(range.least < FUSED(low_end));
    if (close)
        other |= (vec)(range.above > FUSED(two));
    if (__builtin_expect(vec_any(over | other), 0))
        if (vec_any(over) || vec_any(fused_exceptions(t, to, close)))
            return false;
    if (to != d)
        fused_put(d, result, mask);
    return true;
}

/* Returns false if some lanes are not near enough, or not close where that is required. The operands are unchanged
 * then, but other contents of d may be lost. */
VEC_INLINE bool fused_in_parts_any(uint32_t *d, const struct fused_terms *t, uint32_t mask, bool close) {
    if (__builtin_expect(!(t->negate_a | t->negate_c), 1))
        return fused_in_parts_of(d, &(struct fused_terms){ t->a, t->b, t->c, 0, 0 }, mask, close);
    return fused_in_parts_of(d, &(struct fused_terms){ t->a, t->b, t->c, t->negate_a, t->negate_c }, mask, close);
}

static __attribute__((noinline)) bool fused_closely(uint32_t *d, const struct fused_terms *t, uint32_t mask) {
    return fused_in_parts_any(d, t, mask, true);
}

static __attribute__((noinline)) bool fused_in_parts(uint32_t *d, const struct fused_terms *t, uint32_t mask) {
    return fused_in_parts_any(d, t, mask, false);
}

/* ---- In whole units --------------------------------------------------------------------------------- */

/* Returns the significand, in which 1.0 is 2^23. */
VEC_INLINE vec fused_significand(vec x) {
    return vec_select_bits(FUSED(fraction), x, FUSED(one));
}

/* Returns P in units of its own exponent: 24 times 24 bits become 28, the last of which is sticky. The lower half of
 * the same product holds the lost bits, and the last bit itself, which does no harm. */
VEC_INLINE vec fused_product(vec a, vec b) {
    vec x = fused_significand(a) << 7, y = fused_significand(b) << 4;
    return (vec)vec_int_twice_product_upper((vec_int)x, (vec_int)y) | vec_min(x * y, vec_all(1));
}

/* Shifts right and jams. Nothing is left of a number that is shifted out completely. */
VEC_INLINE vec fused_shift_jam(vec x, vec_int n) {
    vec kept = vec_shift(x, -n), lost = vec_shift(x, 32 - n);
    return kept | vec_min(vec_min(lost, vec_all(1)), kept);
}

/* Computes in whole units. special: gets the largest exponent. tiny: nonzero if a result is denormal, or would be. */
VEC_INLINE vec fused_of_units(vec a, vec b, vec c, vec *special, vec *tiny) {
    vec ea = (vec)fused_exponent(a), eb = (vec)fused_exponent(b), has_c = (vec)(fused_exponent(c) != 0);
    vec none = (vec)(vec_min(ea, eb) == 0);
    vec_int ep = ((vec_int)((ea + eb) >> 23) - 127) | (vec_int)none, ec = (vec_int)((vec)fused_exponent(c) >> 23);
    vec_int gap = vec_int_distance(ep, ec), m = vec_int_max(ep, ec);
    vec product = fused_product(a, b) & ~(vec)(ep < 0), addend = (fused_significand(c) << 3) & has_c;

    vec first = (vec)(ep > ec), large = vec_select_bits(first, product, addend);
    vec small = fused_shift_jam(vec_select_bits(first, addend, product), vec_int_min(gap, (vec_int)vec_all(31)));
    vec signs = a ^ b ^ c, large_sign = vec_select_bits(first, a ^ b, c), minus = (vec)((vec_int)signs >> 31);
    vec_int sum = (vec_int)(large + ((small ^ minus) - minus));

    /* Results are infinite from exponent 255 on, and zero with m = 0, which `tiny` reports. A zero sum is -0 if both
     * operands are negative. */
    vec scale = vec_min((vec)m, vec_all(255)) << 23;
    vec zero = (signs ^ large_sign) & FUSED(sign);
    vec_float d = vec_fused(vec_float_from_fixed(sum, 26), (vec_float)vec_select_bits(FUSED(sign), large_sign, scale),
                            (vec_float)zero);
    vec normal = (vec)(fused_exponent((vec)d) != 0);
    *special = vec_max(*special, vec_max(vec_max(ea, eb), (vec)fused_exponent(c)));
    *tiny |= (vec)(sum != 0) & ~normal;
    return (vec)d;
}

VEC_INLINE vec fused_special(vec a, vec b, vec c) {
    vec_int most = vec_int_max(vec_int_max(fused_exponent(a), fused_exponent(b)), fused_exponent(c));
    return (vec)(most == FUSED_INT(infinity));
}

/* Computes the lanes with infinities and NaN among their operands. */
static __attribute__((noinline)) void fused_put_special(uint32_t *d, const struct fused_terms *t) {
    VEC_EACH(i) {
        vec a = fused_a(t, i), b = fused_b(t, i), c = fused_c(t, i);
        vec_float x = vec_fused((vec_float)fused_flush(a), (vec_float)fused_flush(b), (vec_float)fused_flush(c));
        vec_store(d + i, vec_select_bits(fused_special(a, b, c), fused_canonical(x), vec_load(d + i)));
    }
}

/* Computes again the results that came out as zero or denormal. */
static __attribute__((noinline)) void fused_put_tiny(uint32_t *d, const struct fused_terms *t) {
    for (unsigned i = 0; i < LANES; i++)
        if (!(d[i] & FP32_INF))
            d[i] = fp32_fma(t->a[i] ^ t->negate_a, t->b[i], t->c[i] ^ t->negate_c);
}

VEC_INLINE void fused_whole_of(uint32_t *d, const struct fused_terms *t, uint32_t mask) {
    uint32_t result[LANES] __attribute__((aligned(64)));
    uint32_t *to = mask == LANES_ALL && !fused_has(t, d) ? d : result;
    vec special = vec_all(0), tiny = vec_all(0);
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        unsigned j = i + VEC_LANES;
        vec first = fused_of_units(fused_a(t, i), fused_b(t, i), fused_c(t, i), &special, &tiny);
        vec second = fused_of_units(fused_a(t, j), fused_b(t, j), fused_c(t, j), &special, &tiny);
        vec_store(to + i, first), vec_store(to + j, second);
    }
    if (__builtin_expect(vec_any(tiny), 0))
        fused_put_tiny(to, t);
    if (vec_any((vec)(special == FUSED(infinity))))
        fused_put_special(to, t);
    if (to != d)
        fused_put(d, result, mask);
}

static __attribute__((noinline)) void fused_whole(uint32_t *d, const struct fused_terms *t, uint32_t mask) {
    if (__builtin_expect(!(t->negate_a | t->negate_c), 1))
        fused_whole_of(d, &(struct fused_terms){ t->a, t->b, t->c, 0, 0 }, mask);
    else
        fused_whole_of(d, &(struct fused_terms){ t->a, t->b, t->c, t->negate_a, t->negate_c }, mask);
}

/* ---- All -------------------------------------------------------------------------------------------- */

/* A test that fails costs a good part of the arithmetic that follows it. So operands in the same registers are computed
 * in the way that succeeded last time, and fused_all tests again after FUSED_WHILE calls. */
enum fused_way { FUSED_PLAINLY, FUSED_CLOSELY, FUSED_IN_PARTS, FUSED_WHOLE };
enum { FUSED_WHILE = 15 };

VEC_INLINE struct mad_habit *fused_habit_of(struct mad_habit *habits, const uint32_t *d, const struct fused_terms *t) {
    uintptr_t places = (uintptr_t)t->a + 3 * (uintptr_t)t->b + 5 * (uintptr_t)t->c + 7 * (uintptr_t)d;
    return &habits[places / (LANES * sizeof *d) % MAD_HABITS];
}

/* Tries the ways, beginning with this one, until one succeeds. */
static __attribute__((noinline)) void fused_go(uint32_t *d, const struct fused_terms *t, uint32_t mask,
                                               enum fused_way way, struct mad_habit *habit) {
    if (way == FUSED_CLOSELY && !fused_closely(d, t, mask))
        way = FUSED_IN_PARTS;
    if (way == FUSED_IN_PARTS && !fused_in_parts(d, t, mask))
        way = FUSED_WHOLE;
    if (way == FUSED_WHOLE)
        fused_whole(d, t, mask);
    habit->way = (uint8_t)way;
}

VEC_INLINE void fused_all(uint32_t *d, const struct fused_terms *t, uint32_t mask, struct mad_habit *habits) {
    struct mad_habit *habit = fused_habit_of(habits, d, t);
    if (habit->left) {
        habit->left--;
        fused_go(d, t, mask, habit->way, habit);
        return;
    }
    enum fused_fit fit = fused_plainly(d, t, mask);
    if (fit == FUSED_SAME)
        return;
    habit->left = FUSED_WHILE;
    fused_go(d, t, mask, fit == FUSED_FAR ? FUSED_WHOLE : FUSED_CLOSELY, habit);
}

#endif
