/* Operations of simd.h with AArch64's NEON, followed by operations that no other level has (VEC_NEON). Kernels in
 * lanes/ and matrix/ that use the latter have a second form for other levels. */
#ifndef NUMERIC_SIMD_NEON_H
#define NUMERIC_SIMD_NEON_H

/* ---- Words ------------------------------------------------------------------------------------------------------ */

#define vec_int_max vec_int_max
VEC_INLINE vec_int vec_int_max(vec_int a, vec_int b) {
    return (vec_int)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

VEC_INLINE vec_int vec_int_min(vec_int a, vec_int b) {
    return (vec_int)vminq_s32((int32x4_t)a, (int32x4_t)b);
}

#define vec_shift_right vec_shift_right
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    return (vec)vshlq_u32((uint32x4_t)x, vnegq_s32((int32x4_t)vminq_u32((uint32x4_t)n, vdupq_n_u32(32))));
}

#define vec_int_shift_right vec_int_shift_right
VEC_INLINE vec_int vec_int_shift_right(vec_int x, vec_int n) {
    int32x4_t bounded = vminq_s32((int32x4_t)n, vdupq_n_s32(31));
    return (vec_int)vshlq_s32((int32x4_t)x, vnegq_s32(bounded));
}

#define vec_bits vec_bits
VEC_INLINE uint32_t vec_bits(vec v) {
    return vaddvq_u32((uint32x4_t)(v >> 31 << (vec){ 0, 1, 2, 3 }));
}

/* Returns the highest bytes of 16 lanes. */
VEC_INLINE uint8x16_t vec_upper_bytes(const vec v[4]) {
    uint16x8_t low = vuzp2q_u16((uint16x8_t)v[0], (uint16x8_t)v[1]);
    uint16x8_t high = vuzp2q_u16((uint16x8_t)v[2], (uint16x8_t)v[3]);
    return vuzp2q_u8((uint8x16_t)low, (uint8x16_t)high);
}

#define vec_bits_all vec_bits_all
VEC_INLINE uint32_t vec_bits_all(const vec v[8]) {
    uint8x16_t bit = (uint8x16_t)vdupq_n_u64(0x8040201008040201);
    uint8x16_t first = vandq_u8(vcltzq_s8((int8x16_t)vec_upper_bytes(v)), bit);
    uint8x16_t second = vandq_u8(vcltzq_s8((int8x16_t)vec_upper_bytes(v + 4)), bit);
    uint8x16_t sum = vpaddq_u8(first, second);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u32((uint32x4_t)vpaddq_u8(sum, sum), 0);
}

#define vec_from_u16 vec_from_u16
VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    return (vec_int)vmovl_u16(vld1_u16(p));
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    return (vec_int)vmovl_s16(vld1_s16(p));
}

VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    vst1_u16(p, vmovn_u32((uint32x4_t)v));
}

/* ---- Floats and doubles ----------------------------------------------------------------------------------------- */

#define VEC_FUSED 1
VEC_INLINE vec_float vec_fused(vec_float a, vec_float b, vec_float c) {
    return (vec_float)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

#define vec_double_fma vec_double_fma
VEC_INLINE vec_double vec_double_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

#define vec_double_upper vec_double_upper
VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    uint32_t two;
    memcpy(&two, p, sizeof two);
    uint32x4_t words = vmovl_u16(vreinterpret_u16_u32(vdup_n_u32(two)));
    return (vec_double)vshlq_n_u64(vmovl_u32(vget_low_u32(words)), 48);
}

#define vec_double_widen vec_double_widen
VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    int32x4_t none = vdupq_n_s32(0);
    vec_double_store(p, (vec_double)vzip1q_s32(none, (int32x4_t)upper));
    vec_double_store(p + VEC_DOUBLES, (vec_double)vzip2q_s32(none, (int32x4_t)upper));
}

#define vec_double_lower vec_double_lower
VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    vst1_s32(p, vmovn_s64((int64x2_t)v));
}

/* ---- 16 bits ---------------------------------------------------------------------------------------------------- */

#define vec_short_max vec_short_max
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    return (vec_short)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}

#define vec_short_min vec_short_min
VEC_INLINE vec_short vec_short_min(vec_short a, vec_short b) {
    return (vec_short)vminq_s16((int16x8_t)a, (int16x8_t)b);
}

#define vec_ushort_even vec_ushort_even
VEC_INLINE vec_ushort vec_ushort_even(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b);
}

VEC_INLINE vec_ushort vec_ushort_odd(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vuzp2q_u16((uint16x8_t)a, (uint16x8_t)b);
}

/* ==== Only here ================================================================================================== */

#define VEC_NEON 1

/* Makes the compiler compute the value here, and not where it is used. */
#define VEC_NOW(value) __asm__ volatile("" : "+w"(value))

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* Does what vec_select does, in one instruction whatever the compiler knows about the mask. */
VEC_INLINE vec vec_select_bits(vec mask, vec a, vec b) {
    return (vec)vbslq_u32((uint32x4_t)mask, (uint32x4_t)a, (uint32x4_t)b);
}

VEC_INLINE vec vec_max(vec a, vec b) {
    return (vec)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b);
}

VEC_INLINE vec vec_min(vec a, vec b) {
    return (vec)vminq_u32((uint32x4_t)a, (uint32x4_t)b);
}

/* Returns a - b, or 0 if that is negative. */
VEC_INLINE vec vec_sub_sat(vec a, vec b) {
    return (vec)vqsubq_u32((uint32x4_t)a, (uint32x4_t)b);
}

/* Returns whether a bit is set in any lane. */
VEC_INLINE bool vec_any(vec v) {
    return vmaxvq_u32((uint32x4_t)v) != 0;
}

/* Shifts left, or right if n is negative. Only eight bits of n count. */
VEC_INLINE vec vec_shift(vec x, vec_int n) {
    return (vec)vshlq_u32((uint32x4_t)x, (int32x4_t)n);
}

/* Shifts signed numbers likewise; a right shift rounds, ties upward. Precondition: n >= -128. */
VEC_INLINE vec_int vec_int_shift_round(vec_int x, vec_int n) {
    return (vec_int)vrshlq_s32((int32x4_t)x, (int32x4_t)n);
}

/* Return |a - b| and |x|. */
VEC_INLINE vec_int vec_int_distance(vec_int a, vec_int b) {
    return (vec_int)vabdq_s32((int32x4_t)a, (int32x4_t)b);
}

VEC_INLINE vec_int vec_int_abs(vec_int x) {
    return (vec_int)vabsq_s32((int32x4_t)x);
}

/* Counts the leading zero bits of each lane. */
VEC_INLINE vec_int vec_int_zeros(vec_int x) {
    return (vec_int)vclzq_s32((int32x4_t)x);
}

/* Returns the upper half of 2 * a * b. */
VEC_INLINE vec_int vec_int_twice_product_upper(vec_int a, vec_int b) {
    return (vec_int)vqdmulhq_s32((int32x4_t)a, (int32x4_t)b);
}

/* x >> n for unsigned x, rounded, ties upward. */
#define vec_int_round(x, n) ((vec_int)vrshrq_n_u32((uint32x4_t)(x), n))

/* ---- Floats ----------------------------------------------------------------------------------------------------- */

/* Returns c - a * b, rounded once. */
VEC_INLINE vec_float vec_fused_less(vec_float c, vec_float a, vec_float b) {
    return (vec_float)vfmsq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

/* a * (one lane of b) + c, rounded once. */
#define vec_fused_lane(a, b, lane, c) \
    ((vec_float)vfmaq_laneq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b), lane))

/* Returns |a| >= |b|, in one instruction: gcc makes three of vcageq_f32. */
VEC_INLINE vec vec_float_reaches(vec_float a, vec_float b) {
    vec mask;
    __asm__("facge %0.4s, %1.4s, %2.4s" : "=w"(mask) : "w"(a), "w"(b));
    return mask;
}

/* x * 2^-n. */
#define vec_float_from_fixed(x, n) ((vec_float)vcvtq_n_f32_s32((int32x4_t)(x), n))

/* Loads two floats, followed by zeros. */
VEC_INLINE vec_float vec_float_load_half(const float *p) {
    return (vec_float)vcombine_f32(vld1_f32(p), vdup_n_f32(0));
}

/* ---- 16 bits ---------------------------------------------------------------------------------------------------- */

/* Selects as vec_select_bits does. */
VEC_INLINE vec_short vec_short_select_bits(vec_short mask, vec_short a, vec_short b) {
    return (vec_short)vbslq_s16((uint16x8_t)mask, (int16x8_t)a, (int16x8_t)b);
}

VEC_INLINE vec_ushort vec_ushort_select_bits(vec_ushort mask, vec_ushort a, vec_ushort b) {
    return (vec_ushort)vbslq_u16((uint16x8_t)mask, (uint16x8_t)a, (uint16x8_t)b);
}

VEC_INLINE vec_ushort vec_ushort_max(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vmaxq_u16((uint16x8_t)a, (uint16x8_t)b);
}

VEC_INLINE vec_ushort vec_ushort_min(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vminq_u16((uint16x8_t)a, (uint16x8_t)b);
}

/* Returns a - b, or 0 if that is negative. */
VEC_INLINE vec_ushort vec_ushort_sub_sat(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vqsubq_u16((uint16x8_t)a, (uint16x8_t)b);
}

/* Shifts left, or right if n is negative; a right shift rounds, ties upward. Precondition: n >= -128. */
VEC_INLINE vec_short vec_short_shift_round(vec_short x, vec_short n) {
    return (vec_short)vrshlq_s16((int16x8_t)x, (int16x8_t)n);
}

/* Return masks: lanes in which a and b have a bit in common; lanes that are not zero. */
VEC_INLINE vec_ushort vec_ushort_test(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vtstq_u16((uint16x8_t)a, (uint16x8_t)b);
}

VEC_INLINE vec_short vec_short_some(vec_short x) {
    return (vec_short)vtstq_s16((int16x8_t)x, (int16x8_t)x);
}

VEC_INLINE vec_short vec_short_abs(vec_short x) {
    return (vec_short)vabsq_s16((int16x8_t)x);
}

VEC_INLINE vec_short vec_short_zeros(vec_short x) {
    return (vec_short)vclzq_s16((int16x8_t)x);
}

/* Return the greatest and the least lane. */
VEC_INLINE int16_t vec_short_greatest(vec_short x) {
    return vmaxvq_s16((int16x8_t)x);
}

VEC_INLINE int16_t vec_short_least(vec_short x) {
    return vminvq_s16((int16x8_t)x);
}

/* x << n with the last n bits of `to` in the vacated bits; x >> n with the first n bits of `to`. */
#define vec_short_insert_left(to, x, n)   ((vec_short)vsliq_n_s16((int16x8_t)(to), (int16x8_t)(x), n))
#define vec_ushort_insert_right(to, x, n) ((vec_ushort)vsriq_n_u16((uint16x8_t)(to), (uint16x8_t)(x), n))
/* x >> n for unsigned x: rounded, ties upward; and added to `to`. */
#define vec_short_round(x, n)         ((vec_short)vrshrq_n_u16((uint16x8_t)(x), n))
#define vec_short_add_upper(to, x, n) ((vec_short)vsraq_n_u16((uint16x8_t)(to), (uint16x8_t)(x), n))

/* Return the lower and the upper halves of words. */
VEC_INLINE vec_short vec_short_low(vec_int first, vec_int last) {
    return (vec_short)vuzp1q_s16((int16x8_t)first, (int16x8_t)last);
}

VEC_INLINE vec_short vec_short_high(vec_int first, vec_int last) {
    return (vec_short)vuzp2q_s16((int16x8_t)first, (int16x8_t)last);
}

/* Makes words of lower and upper halves. */
VEC_INLINE struct vec_words vec_words_zip(vec_short low, vec_short high) {
    return (struct vec_words){ { (vec_int)vzip1q_s16((int16x8_t)low, (int16x8_t)high),
                                 (vec_int)vzip2q_s16((int16x8_t)low, (int16x8_t)high) } };
}

/* Stores both vectors. It uses vst1q because gcc makes one instruction of two such stores. */
VEC_INLINE void vec_words_store(uint16_t *p, struct vec_words words) {
    vst1q_u16(p, (uint16x8_t)words.v[0]);
    vst1q_u16(p + VEC_SHORTS, (uint16x8_t)words.v[1]);
}

/* Sign-extends numbers of 16 bits to words. */
VEC_INLINE struct vec_words vec_words_widen(vec_short x) {
    return (
        struct vec_words){ { (vec_int)vmovl_s16(vget_low_s16((int16x8_t)x)), (vec_int)vmovl_high_s16((int16x8_t)x) } };
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

/* Loads eight bytes, followed by zeros. */
VEC_INLINE vec_byte vec_byte_load_half(const uint8_t *p) {
    return (vec_byte)vcombine_u8(vld1_u8(p), vdup_n_u8(0));
}

VEC_INLINE vec_byte vec_byte_min(vec_byte a, vec_byte b) {
    return (vec_byte)vminq_u8((uint8x16_t)a, (uint8x16_t)b);
}

/* Returns a + b, or 255 if that is more. */
VEC_INLINE vec_byte vec_byte_add_sat(vec_byte a, vec_byte b) {
    return (vec_byte)vqaddq_u8((uint8x16_t)a, (uint8x16_t)b);
}

/* One lane, copied to all lanes. */
#define vec_byte_lane(b, lane) ((vec_byte)vdupq_laneq_u8((uint8x16_t)(b), lane))

/* Subtract the first or the last eight bytes from numbers of 16 bits. */
VEC_INLINE vec_short vec_short_less_first(vec_short x, vec_byte y) {
    return (vec_short)vsubw_u8((uint16x8_t)x, vget_low_u8((uint8x16_t)y));
}

VEC_INLINE vec_short vec_short_less_last(vec_short x, vec_byte y) {
    return (vec_short)vsubw_high_u8((uint16x8_t)x, (uint8x16_t)y);
}

#endif
