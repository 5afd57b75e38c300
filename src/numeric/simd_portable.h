/* The operations of simd.h for which a level has no better instructions. The levels of AVX have their own versions of
 * operations that have a fixed number of lanes here. */
#ifndef NUMERIC_SIMD_PORTABLE_H
#define NUMERIC_SIMD_PORTABLE_H

/* Operations that only some levels have: vec_fused, the fused a * b + c of IEEE 754, and those of NEON
 * (simd_neon.h). */
#ifndef VEC_FUSED
#define VEC_FUSED 0
#endif
#ifndef VEC_ROWS
#define VEC_ROWS 0
#endif
#ifndef VEC_NEON
#define VEC_NEON 0
#endif

#ifndef VEC_SAME_LANES
#define VEC_SAME_LANES(x) x, x, x, x
#endif

/* ---- Selection: a where the mask has ones, b where it has zeros ------------------------------------------------- */

VEC_INLINE vec vec_select(vec mask, vec a, vec b) {
    return (a & mask) | (b & ~mask);
}

VEC_INLINE vec_int vec_int_select(vec_int mask, vec_int a, vec_int b) {
    return (a & mask) | (b & ~mask);
}

VEC_INLINE vec_ushort vec_ushort_select(vec_ushort mask, vec_ushort a, vec_ushort b) {
    return (a & mask) | (b & ~mask);
}

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* Return the greater and the lesser number in each lane. */
#ifndef vec_int_max
VEC_INLINE vec_int vec_int_max(vec_int a, vec_int b) {
    return (vec_int)vec_select((vec)(a > b), (vec)a, (vec)b);
}

VEC_INLINE vec_int vec_int_min(vec_int a, vec_int b) {
    return (vec_int)vec_select((vec)(a < b), (vec)a, (vec)b);
}
#endif

/* x >> n; the result is 0 from n = 32 on. */
#ifndef vec_shift_right
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    for (unsigned i = 0; i < 5; i++)
        x = vec_select((vec)((n >> i & 1) != 0), x >> (1u << i), x);
    return x & (vec)(n < 32);
}
#endif

/* x >> n for signed x; only the sign is left from n = 31 on. Precondition: n >= 0. */
#ifndef vec_int_shift_right
VEC_INLINE vec_int vec_int_shift_right(vec_int x, vec_int n) {
    return x >> vec_int_select(n > 31, vec_int_all(31), n);
}
#endif

/* Returns a * b. Precondition: both numbers have at most 15 bits. */
#ifndef vec_int_product
VEC_INLINE vec_int vec_int_product(vec_int a, vec_int b) {
    return a * b;
}
#endif

/* Collects bit 31 of each lane into a mask, lane 0 in bit 0. */
#ifndef vec_bits
VEC_INLINE uint32_t vec_bits(vec v) {
    v = v >> 31 << (vec){ 0, 1, 2, 3 };
    return v[0] | v[1] | v[2] | v[3];
}
#endif

/* Collects bit 31 of 32 lanes likewise. */
#ifndef vec_bits_all
VEC_INLINE uint32_t vec_bits_all(const vec *v) {
    uint32_t lanes = 0;
    VEC_UNROLL
    VEC_EACH(i)
    lanes |= vec_bits(v[i / VEC_LANES]) << i;
    return lanes;
}
#endif

/* Combines the lower halves of one vector's lanes with the upper halves of the other's. */
#ifndef vec_halves
VEC_INLINE vec vec_halves(vec low, vec high) {
    return (low & 0xFFFF) | (high & 0xFFFF0000);
}
#endif

/* Convert elements of 16 bits to lanes, and back. Precondition of vec_to_u16: lanes are 0..0xFFFF. */
#ifndef vec_from_u16
VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    return (vec_int){ p[0], p[1], p[2], p[3] };
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    return (vec_int){ p[0], p[1], p[2], p[3] };
}

VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    for (unsigned i = 0; i < VEC_LANES; i++)
        p[i] = (uint16_t)v[i];
}
#endif

/* ---- Doubles ---------------------------------------------------------------------------------------------------- */

/* Returns a * b + c. Precondition: the product is exact, so that it does not matter whether the operation is fused. */
#ifndef vec_double_fma
VEC_INLINE vec_double vec_double_fma(vec_double a, vec_double b, vec_double c) {
    return a * b + c;
}
#endif

/* Loads elements of 16 bits as the upper bits of doubles. */
#ifndef vec_double_upper
VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    return (vec_double)(vec_long){ (uint64_t)p[0] << 48, (uint64_t)p[1] << 48 };
}
#endif

/* Stores doubles that have the lanes as their upper halves. */
#ifndef vec_double_widen
VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    for (unsigned i = 0; i < VEC_LANES; i++) {
        uint64_t bits = (uint64_t)upper[i] << 32;
        memcpy(p + i, &bits, sizeof bits);
    }
}
#endif

/* Stores the lower halves of doubles. */
#ifndef vec_double_lower
VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    for (unsigned i = 0; i < VEC_DOUBLES; i++)
        p[i] = (int32_t)((vec_long)v)[i];
}
#endif

/* For levels without a fused multiply-add: the lower or upper lanes as doubles; doubles as floats; lanes as the upper
 * halves of doubles. */
#if !VEC_FUSED
#ifndef vec_double_from_low
VEC_INLINE vec_double vec_double_from_low(vec_float x) {
    return (vec_double){ (double)x[0], (double)x[1] };
}

VEC_INLINE vec_double vec_double_from_high(vec_float x) {
    return (vec_double){ (double)x[2], (double)x[3] };
}

VEC_INLINE vec_float vec_float_narrow(vec_double low, vec_double high) {
    return (vec_float){ (float)low[0], (float)low[1], (float)high[0], (float)high[1] };
}
#endif

VEC_INLINE vec_double vec_double_upper_low(vec x) {
    return (vec_double)__builtin_shufflevector((vec){ 0 }, x, 0, 4, 1, 5);
}

VEC_INLINE vec_double vec_double_upper_high(vec x) {
    return (vec_double)__builtin_shufflevector((vec){ 0 }, x, 0, 6, 1, 7);
}
#endif

/* ---- 16 bits ---------------------------------------------------------------------------------------------------- */

#ifndef vec_short_max
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    vec_short mask = a > b;
    return (a & mask) | (b & ~mask);
}
#endif

#ifndef vec_short_min
VEC_INLINE vec_short vec_short_min(vec_short a, vec_short b) {
    vec_short mask = a > b;
    return (b & mask) | (a & ~mask);
}
#endif

/* Return every other element of a and b: those at even and those at odd positions. */
#ifndef vec_ushort_even
VEC_INLINE vec_ushort vec_ushort_even(vec_ushort a, vec_ushort b) {
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
}

VEC_INLINE vec_ushort vec_ushort_odd(vec_ushort a, vec_ushort b) {
    return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
#endif

/* Returns the greatest lane, in all lanes. Precondition: lanes are 0..0x7FFF. */
#ifndef vec_ushort_greatest
VEC_INLINE vec_ushort vec_ushort_greatest(vec_ushort v) {
    vec_short x = (vec_short)v;
    x = vec_short_max(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
    x = vec_short_max(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
    return (vec_ushort)vec_short_max(x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6));
}
#endif

/* Returns 1 << (7 - count), or 0 if count is 8 or more. Precondition: counts are 0..0x7FFF. */
#ifndef vec_ushort_power
VEC_INLINE vec_ushort vec_ushort_power(vec_ushort count) {
    vec_ushort power = vec_ushort_all(0x80);
    power = vec_ushort_select((vec_ushort)((count & 4) != 0), power >> 4, power);
    power = vec_ushort_select((vec_ushort)((count & 2) != 0), power >> 2, power);
    power = vec_ushort_select((vec_ushort)((count & 1) != 0), power >> 1, power);
    return power & ~(vec_ushort)((vec_short)count > vec_short_all(7));
}
#endif

/* Returns the lower halves of words. Precondition: lanes are 0..0xFFFF. */
#ifndef vec_ushort_narrow
VEC_INLINE vec_ushort vec_ushort_narrow(struct vec_words x) {
    return vec_ushort_even((vec_ushort)x.v[0], (vec_ushort)x.v[1]);
}
#endif

/* Returns whether a bit is set in any lane. */
VEC_INLINE bool vec_ushort_any(vec_ushort v) {
    vec_four any = (vec_four)v;
    uint64_t all = 0;
    for (unsigned i = 0; i < VEC_SHORTS / 4; i++)
        all |= any[i];
    return all != 0;
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

/* Interleaves the first elements of a and b. */
VEC_INLINE vec_byte vec_byte_zip(vec_byte a, vec_byte b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

/* Zero-extends the first bytes to 16 bits. */
#ifndef vec_ushort_widen
VEC_INLINE vec_ushort vec_ushort_widen(vec_byte v) {
    return (vec_ushort)vec_byte_zip(v, (vec_byte){ 0 });
}
#endif

/* Returns the lower bytes of 16 lanes, which are in one vector or two. Precondition: lanes are 0..0xFF. */
#ifndef vec_byte_narrow
VEC_INLINE vec_byte vec_byte_narrow(const vec_ushort *v) {
    return __builtin_shufflevector((vec_byte)v[0], (vec_byte)v[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                   28, 30);
}
#endif

#endif
