/* Operations of simd.h with AVX2 and FMA (x86-64-v3). */
#ifndef NUMERIC_SIMD_AVX2_H
#define NUMERIC_SIMD_AVX2_H

#define VEC_SAME_LANES(x) x, x, x, x, x, x, x, x

#include "numeric/simd_avx.h"

/* ---- Words ------------------------------------------------------------------------------------------------------ */

#define vec_int_max vec_int_max
VEC_INLINE vec_int vec_int_max(vec_int a, vec_int b) {
    return (vec_int)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

VEC_INLINE vec_int vec_int_min(vec_int a, vec_int b) {
    return (vec_int)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

/* Return the greatest and the least lane. */
VEC_INLINE int32_t vec_int_greatest(vec_int v) {
    __m128i x = _mm_max_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0x4E));
    return _mm_cvtsi128_si32(_mm_max_epi32(x, _mm_shuffle_epi32(x, 0xB1)));
}

VEC_INLINE int32_t vec_int_least(vec_int v) {
    return -1 - vec_int_greatest(~v);
}

#define vec_shift_right vec_shift_right
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    return (vec)_mm256_srlv_epi32((__m256i)x, (__m256i)n);
}

#define vec_int_shift_right vec_int_shift_right
VEC_INLINE vec_int vec_int_shift_right(vec_int x, vec_int n) {
    return (vec_int)_mm256_srav_epi32((__m256i)x, (__m256i)n);
}

#define vec_int_product vec_int_product
VEC_INLINE vec_int vec_int_product(vec_int a, vec_int b) {
    return (vec_int)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

#define vec_bits vec_bits
VEC_INLINE uint32_t vec_bits(vec v) {
    return (uint32_t)_mm256_movemask_ps((__m256)v);
}

#define vec_halves vec_halves
VEC_INLINE vec vec_halves(vec low, vec high) {
    return (vec)_mm256_blend_epi16((__m256i)low, (__m256i)high, 0xAA);
}

#define vec_from_u16 vec_from_u16
VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    return (vec_int)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    return (vec_int)_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
}

VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    __m256i pairs = _mm256_packus_epi32((__m256i)v, (__m256i)v);
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(pairs, 0x08)));
}

VEC_INLINE vec_int vec_from_u8(const uint8_t *p) {
    return (vec_int)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
}

/* Stores the lowest byte of each lane. */
VEC_INLINE void vec_to_u8(uint8_t *p, vec_int v) {
    const __m256i lowest = _mm256_set1_epi32(0x0C080400);
    __m256i bytes = _mm256_shuffle_epi8((__m256i)v, lowest), first = _mm256_setr_epi32(0, 4, 0, 0, 0, 0, 0, 0);
    _mm_storel_epi64((__m128i *)p, _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, first)));
}

/* ---- Floats and doubles ----------------------------------------------------------------------------------------- */

#define VEC_FUSED 1
VEC_INLINE vec_float vec_fused(vec_float a, vec_float b, vec_float c) {
    return (vec_float)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

#define vec_double_fma vec_double_fma
VEC_INLINE vec_double vec_double_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

#define vec_double_upper vec_double_upper
VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    return (vec_double)_mm256_slli_epi64(_mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)p)), 48);
}

#define vec_double_widen vec_double_widen
VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    __m256i v = _mm256_permute4x64_epi64((__m256i)upper, 0xD8), none = _mm256_setzero_si256();
    vec_double_store(p, (vec_double)_mm256_unpacklo_epi32(none, v));
    vec_double_store(p + VEC_DOUBLES, (vec_double)_mm256_unpackhi_epi32(none, v));
}

#define vec_double_lower vec_double_lower
VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    __m128 low = _mm256_castps256_ps128((__m256)v), high = _mm256_extractf128_ps((__m256)v, 1);
    _mm_storeu_ps((float *)p, _mm_shuffle_ps(low, high, 0x88));
}

/* ---- 16 bits ---------------------------------------------------------------------------------------------------- */

#define vec_ushort_narrow vec_ushort_narrow
VEC_INLINE vec_ushort vec_ushort_narrow(struct vec_words x) {
    return (vec_ushort)_mm256_permute4x64_epi64(_mm256_packus_epi32((__m256i)x.v[0], (__m256i)x.v[1]), 0xD8);
}

/* Looks up a byte of the table for each lane. Entries from 8 on, and the upper bytes, are zero. */
#define vec_ushort_power vec_ushort_power
VEC_INLINE vec_ushort vec_ushort_power(vec_ushort count) {
    const __m256i powers = _mm256_broadcastsi128_si256(_mm_set_epi64x(0, 0x0102040810204080));
    __m256i at = _mm256_min_epi16((__m256i)count, _mm256_set1_epi16(15));
    return (vec_ushort)_mm256_shuffle_epi8(powers, _mm256_or_si256(at, _mm256_set1_epi16((short)0x8000)));
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

/* VEC_ROWS rows of 16 bytes. */
#define VEC_ROWS 2

VEC_INLINE vec_rows vec_rows_load(const void *p) {
    return (vec_rows)_mm256_loadu_si256(p);
}

VEC_INLINE void vec_rows_store(void *p, vec_rows v) {
    _mm256_storeu_si256(p, (__m256i)v);
}

/* Copies a row to all rows. */
VEC_INLINE vec_rows vec_rows_all(const uint8_t *row) {
    return (vec_rows)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)row));
}

/* Copies one byte of each row to the whole row. lanes: vec_constants(vec_row_lanes). */
VEC_INLINE vec_rows vec_rows_lane(vec_rows v, const vec_rows *lanes, unsigned lane) {
    return (vec_rows)_mm256_shuffle_epi8((__m256i)v, (__m256i)lanes[lane]);
}

VEC_INLINE vec_rows vec_rows_min(vec_rows a, vec_rows b) {
    return (vec_rows)_mm256_min_epu8((__m256i)a, (__m256i)b);
}

/* Returns a + b, or 255 if that is more. */
VEC_INLINE vec_rows vec_rows_add_sat(vec_rows a, vec_rows b) {
    return (vec_rows)_mm256_adds_epu8((__m256i)a, (__m256i)b);
}

#endif
