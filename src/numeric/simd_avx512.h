/* Operations of simd.h with AVX-512 (x86-64-v4: F, BW, DQ, VL, CD). */
#ifndef NUMERIC_SIMD_AVX512_H
#define NUMERIC_SIMD_AVX512_H

#define VEC_SAME_LANES(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x

#include "numeric/simd_avx.h"

/* ---- Words ------------------------------------------------------------------------------------------------------ */

#define vec_int_max vec_int_max
VEC_INLINE vec_int vec_int_max(vec_int a, vec_int b) {
    return (vec_int)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

VEC_INLINE vec_int vec_int_min(vec_int a, vec_int b) {
    return (vec_int)_mm512_min_epi32((__m512i)a, (__m512i)b);
}

/* Return the greatest and the least lane. */
VEC_INLINE int32_t vec_int_greatest(vec_int v) {
    return _mm512_reduce_max_epi32((__m512i)v);
}

VEC_INLINE int32_t vec_int_least(vec_int v) {
    return _mm512_reduce_min_epi32((__m512i)v);
}

#define vec_shift_right vec_shift_right
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    return (vec)_mm512_srlv_epi32((__m512i)x, (__m512i)n);
}

#define vec_int_shift_right vec_int_shift_right
VEC_INLINE vec_int vec_int_shift_right(vec_int x, vec_int n) {
    return (vec_int)_mm512_srav_epi32((__m512i)x, (__m512i)n);
}

#define vec_int_product vec_int_product
VEC_INLINE vec_int vec_int_product(vec_int a, vec_int b) {
    return (vec_int)_mm512_madd_epi16((__m512i)a, (__m512i)b);
}

#define vec_bits vec_bits
VEC_INLINE uint32_t vec_bits(vec v) {
    return _mm512_movepi32_mask((__m512i)v);
}

#define vec_halves vec_halves
VEC_INLINE vec vec_halves(vec low, vec high) {
    return (vec)_mm512_mask_blend_epi16(0xAAAAAAAA, (__m512i)low, (__m512i)high);
}

#define vec_from_u16 vec_from_u16
VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    return (vec_int)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    return (vec_int)_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)v));
}

VEC_INLINE vec_int vec_from_u8(const uint8_t *p) {
    return (vec_int)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}

/* Stores the lowest byte of each lane. */
VEC_INLINE void vec_to_u8(uint8_t *p, vec_int v) {
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)v));
}

/* ---- Floats and doubles ----------------------------------------------------------------------------------------- */

#define VEC_FUSED 1
VEC_INLINE vec_float vec_fused(vec_float a, vec_float b, vec_float c) {
    return (vec_float)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

#define vec_double_fma vec_double_fma
VEC_INLINE vec_double vec_double_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

#define vec_double_upper vec_double_upper
VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    return (vec_double)_mm512_slli_epi64(_mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)p)), 48);
}

/* Moves eight lanes, from `first` on, to the odd positions of a vector. */
VEC_INLINE vec_double vec_double_spread(vec_int v, int first) {
    __m512i at =
        _mm512_add_epi32(_mm512_set1_epi32(first), _mm512_set_epi32(7, 0, 6, 0, 5, 0, 4, 0, 3, 0, 2, 0, 1, 0, 0, 0));
    return (vec_double)_mm512_maskz_permutexvar_epi32(0xAAAA, at, (__m512i)v);
}

#define vec_double_widen vec_double_widen
VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    vec_double_store(p, vec_double_spread(upper, 0));
    vec_double_store(p + VEC_DOUBLES, vec_double_spread(upper, 8));
}

#define vec_double_lower vec_double_lower
VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi64_epi32((__m512i)v));
}

/* ---- 16 bits ---------------------------------------------------------------------------------------------------- */

#define vec_ushort_narrow vec_ushort_narrow
VEC_INLINE vec_ushort vec_ushort_narrow(struct vec_words x) {
    return (vec_ushort)_mm512_cvtepi32_epi16((__m512i)x.v[0]);
}

#define vec_ushort_power vec_ushort_power
VEC_INLINE vec_ushort vec_ushort_power(vec_ushort count) {
    return (vec_ushort)_mm256_srlv_epi16(_mm256_set1_epi16(0x80), (__m256i)count);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

/* VEC_ROWS rows of 16 bytes. */
#define VEC_ROWS 4

VEC_INLINE vec_rows vec_rows_load(const void *p) {
    return (vec_rows)_mm512_loadu_si512(p);
}

VEC_INLINE void vec_rows_store(void *p, vec_rows v) {
    _mm512_storeu_si512(p, (__m512i)v);
}

/* Copies a row to all rows. */
VEC_INLINE vec_rows vec_rows_all(const uint8_t *row) {
    return (vec_rows)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)row));
}

/* Copies one byte of each row to the whole row. lanes: vec_constants(vec_row_lanes). */
VEC_INLINE vec_rows vec_rows_lane(vec_rows v, const vec_rows *lanes, unsigned lane) {
    return (vec_rows)_mm512_shuffle_epi8((__m512i)v, (__m512i)lanes[lane]);
}

VEC_INLINE vec_rows vec_rows_min(vec_rows a, vec_rows b) {
    return (vec_rows)_mm512_min_epu8((__m512i)a, (__m512i)b);
}

/* Returns a + b, or 255 if that is more. */
VEC_INLINE vec_rows vec_rows_add_sat(vec_rows a, vec_rows b) {
    return (vec_rows)_mm512_adds_epu8((__m512i)a, (__m512i)b);
}

#endif
