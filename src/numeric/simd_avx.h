/* Operations of simd.h that are the same for both levels of AVX: those on 16 lanes of 16 bits. */
#ifndef NUMERIC_SIMD_AVX_H
#define NUMERIC_SIMD_AVX_H

#define vec_short_max vec_short_max
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    return (vec_short)_mm256_max_epi16((__m256i)a, (__m256i)b);
}

#define vec_short_min vec_short_min
VEC_INLINE vec_short vec_short_min(vec_short a, vec_short b) {
    return (vec_short)_mm256_min_epi16((__m256i)a, (__m256i)b);
}

#define vec_ushort_even vec_ushort_even
VEC_INLINE vec_ushort vec_ushort_even(vec_ushort a, vec_ushort b) {
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

VEC_INLINE vec_ushort vec_ushort_odd(vec_ushort a, vec_ushort b) {
    return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

#define vec_ushort_greatest vec_ushort_greatest
VEC_INLINE vec_ushort vec_ushort_greatest(vec_ushort v) {
    __m128i low = _mm256_castsi256_si128((__m256i)v), high = _mm256_extracti128_si256((__m256i)v, 1);
    __m128i least = _mm_minpos_epu16(~_mm_max_epi16(low, high));
    return (vec_ushort)_mm256_broadcastw_epi16(~least);
}

#define vec_ushort_widen vec_ushort_widen
VEC_INLINE vec_ushort vec_ushort_widen(vec_byte v) {
    return __builtin_convertvector(v, vec_ushort);
}

#define vec_byte_narrow vec_byte_narrow
VEC_INLINE vec_byte vec_byte_narrow(const vec_ushort *v) {
    __m256i row = (__m256i)v[0];
    return (vec_byte)_mm_packus_epi16(_mm256_castsi256_si128(row), _mm256_extracti128_si256(row, 1));
}

/* For vec_rows_lane: the number of the byte, in all lanes. */
static const vec_rows vec_row_lanes[16] = {
#define VEC_SAME_FOUR(n) n, n, n, n
#define VEC_ROW_LANE(n) \
    { VEC_SAME_LANES(VEC_SAME_FOUR(n)) }
#define VEC_FOUR_LANES(n) VEC_ROW_LANE(n), VEC_ROW_LANE(n + 1), VEC_ROW_LANE(n + 2), VEC_ROW_LANE(n + 3)
    VEC_FOUR_LANES(0),
    VEC_FOUR_LANES(4),
    VEC_FOUR_LANES(8),
    VEC_FOUR_LANES(12),
#undef VEC_FOUR_LANES
#undef VEC_ROW_LANE
#undef VEC_SAME_FOUR
};

#endif
