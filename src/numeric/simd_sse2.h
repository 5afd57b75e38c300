/* Operations of simd.h with SSE2, which every x86-64 has. */
#ifndef NUMERIC_SIMD_SSE2_H
#define NUMERIC_SIMD_SSE2_H

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* Shifts once for each lane, because SSE2 has one count for all lanes. */
#define vec_int_shift_right vec_int_shift_right
VEC_INLINE vec_int vec_int_shift_right(vec_int x, vec_int n) {
    __m128i first = _mm_set_epi32(0, 0, 0, -1), low = (__m128i)n, high = _mm_unpackhi_epi64(low, low);
    __m128 x0 = (__m128)_mm_sra_epi32((__m128i)x, _mm_and_si128(low, first));
    __m128 x1 = (__m128)_mm_sra_epi32((__m128i)x, _mm_srli_epi64(low, 32));
    __m128 x2 = (__m128)_mm_sra_epi32((__m128i)x, _mm_and_si128(high, first));
    __m128 x3 = (__m128)_mm_sra_epi32((__m128i)x, _mm_srli_epi64(high, 32));
    __m128 x01 = _mm_shuffle_ps(x0, x1, 0x50), x23 = _mm_shuffle_ps(x2, x3, 0xFA);
    return (vec_int)_mm_shuffle_ps(x01, x23, 0x88);
}

#define vec_int_product vec_int_product
VEC_INLINE vec_int vec_int_product(vec_int a, vec_int b) {
    return (vec_int)_mm_madd_epi16((__m128i)a, (__m128i)b);
}

#define vec_bits vec_bits
VEC_INLINE uint32_t vec_bits(vec v) {
    return (uint32_t)_mm_movemask_ps((__m128)v);
}

#define vec_from_u16 vec_from_u16
VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    return (vec_int)_mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    return (vec_int)_mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i *)p)) >> 16;
}

VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    __m128i low = (__m128i)((v << 16) >> 16);
    _mm_storel_epi64((__m128i *)p, _mm_packs_epi32(low, low));
}

/* ---- Doubles ---------------------------------------------------------------------------------------------------- */

#define vec_double_upper vec_double_upper
VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    __m128i none = _mm_setzero_si128();
    return (vec_double)_mm_unpacklo_epi32(none, _mm_unpacklo_epi16(none, _mm_loadu_si32(p)));
}

#define vec_double_widen vec_double_widen
VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    __m128i none = _mm_setzero_si128();
    vec_double_store(p, (vec_double)_mm_unpacklo_epi32(none, (__m128i)upper));
    vec_double_store(p + VEC_DOUBLES, (vec_double)_mm_unpackhi_epi32(none, (__m128i)upper));
}

#define vec_double_lower vec_double_lower
VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    _mm_storel_epi64((__m128i *)p, _mm_shuffle_epi32((__m128i)v, 0x08));
}

#define vec_double_from_low vec_double_from_low
VEC_INLINE vec_double vec_double_from_low(vec_float x) {
    return (vec_double)_mm_cvtps_pd((__m128)x);
}

VEC_INLINE vec_double vec_double_from_high(vec_float x) {
    return (vec_double)_mm_cvtps_pd(_mm_movehl_ps((__m128)x, (__m128)x));
}

VEC_INLINE vec_float vec_float_narrow(vec_double low, vec_double high) {
    return (vec_float)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)low), _mm_cvtpd_ps((__m128d)high));
}

/* ---- 16 bits and bytes ------------------------------------------------------------------------------------------ */

#define vec_short_max vec_short_max
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    return (vec_short)_mm_max_epi16((__m128i)a, (__m128i)b);
}

#define vec_short_min vec_short_min
VEC_INLINE vec_short vec_short_min(vec_short a, vec_short b) {
    return (vec_short)_mm_min_epi16((__m128i)a, (__m128i)b);
}

#define vec_ushort_narrow vec_ushort_narrow
VEC_INLINE vec_ushort vec_ushort_narrow(struct vec_words x) {
    vec_int low = (x.v[0] << 16) >> 16, high = (x.v[1] << 16) >> 16;
    return (vec_ushort)_mm_packs_epi32((__m128i)low, (__m128i)high);
}

#define vec_byte_narrow vec_byte_narrow
VEC_INLINE vec_byte vec_byte_narrow(const vec_ushort *v) {
    return (vec_byte)_mm_packus_epi16((__m128i)v[0], (__m128i)v[1]);
}

#endif
