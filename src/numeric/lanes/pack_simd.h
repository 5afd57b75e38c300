/* What the packer's kernels need of the host beyond vec.h and simd.h: 16 bits at a time.
 *
 *     pack_greatest    the greatest one in all lanes
 *     pack_narrow      the lower halves of lanes, which must be 0..0xFFFF
 *     pack_least       the lesser one of signed lanes
 *     pack_power       1 << (7 - count), or nothing from 8 on
 *     pack_bytes_of    the lower bytes of a row; the upper ones must be zero */
#ifndef NUMERIC_LANES_PACK_SIMD_H
#define NUMERIC_LANES_PACK_SIMD_H

#include "numeric/lanes/lanes.h"
#include "numeric/matrix/simd.h"

typedef uint16_t pack_half __attribute__((vector_size(VEC_SHORTS * 2)));

/* Vectors of halves in a row; of words in as many halves. */
enum { PACK_HALVES = PACK_ROW / VEC_SHORTS, PACK_VECS = VEC_SHORTS / VEC_LANES };

struct pack_words {
    vec at[PACK_VECS];
};
struct pack_row {
    pack_half at[PACK_HALVES];
};

VEC_INLINE pack_half pack_all(unsigned value) {
    return (pack_half){ 0 } + (uint16_t)value;
}

VEC_INLINE pack_half pack_pick(pack_half mask, pack_half a, pack_half b) {
    return (a & mask) | (b & ~mask);
}

VEC_INLINE pack_half pack_get(const void *p) {
    pack_half v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void pack_put(void *p, pack_half v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE pack_half pack_more(pack_half a, pack_half b) {
    return (pack_half)vec_short_max((vec_short)a, (vec_short)b);
}

/* Signed, so that the sign bit counts as less. */
VEC_INLINE pack_half pack_above(pack_half a, pack_half b) {
    return (pack_half)((vec_short)a > (vec_short)b);
}

/* The greatest one in all lanes, which must not be negative. */
#if defined(__AVX2__)
VEC_INLINE pack_half pack_greatest(pack_half v) {
    __m128i low = _mm256_castsi256_si128((__m256i)v), high = _mm256_extracti128_si256((__m256i)v, 1);
    __m128i least = _mm_minpos_epu16(~_mm_max_epi16(low, high));
    return (pack_half)_mm256_broadcastw_epi16(~least);
}
#else
VEC_INLINE pack_half pack_greatest(pack_half v) {
    v = pack_more(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = pack_more(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    return pack_more(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
}
#endif

#if defined(__AVX512F__)
VEC_INLINE pack_half pack_narrow(struct pack_words v) {
    return (pack_half)_mm512_cvtepi32_epi16((__m512i)v.at[0]);
}
#elif defined(__AVX2__)
VEC_INLINE pack_half pack_narrow(struct pack_words v) {
    return (pack_half)_mm256_permute4x64_epi64(_mm256_packus_epi32((__m256i)v.at[0], (__m256i)v.at[1]), 0xD8);
}
#elif defined(__SSE2__)
VEC_INLINE pack_half pack_narrow(struct pack_words v) {
    vec_int low = (vec_int)(v.at[0] << 16) >> 16, high = (vec_int)(v.at[1] << 16) >> 16;
    return (pack_half)_mm_packs_epi32((__m128i)low, (__m128i)high);
}
#else
VEC_INLINE pack_half pack_narrow(struct pack_words v) {
    return __builtin_shufflevector((pack_half)v.at[0], (pack_half)v.at[1], 0, 2, 4, 6, 8, 10, 12, 14);
}
#endif

#if defined(__AVX2__)
VEC_INLINE pack_half pack_least(pack_half a, pack_half b) {
    return (pack_half)_mm256_min_epi16((__m256i)a, (__m256i)b);
}
#elif defined(__SSE2__)
VEC_INLINE pack_half pack_least(pack_half a, pack_half b) {
    return (pack_half)_mm_min_epi16((__m128i)a, (__m128i)b);
}
#else
VEC_INLINE pack_half pack_least(pack_half a, pack_half b) {
    return pack_pick(pack_above(a, b), b, a);
}
#endif

#if defined(__AVX512BW__) && defined(__AVX512VL__)
VEC_INLINE pack_half pack_power(pack_half count) {
    return (pack_half)_mm256_srlv_epi16(_mm256_set1_epi16(0x80), (__m256i)count);
}
#elif defined(__AVX2__)
/* A byte of the table for each half: from 8 on zeros, as in the upper bytes. */
VEC_INLINE pack_half pack_power(pack_half count) {
    const __m256i powers = _mm256_broadcastsi128_si256(_mm_set_epi64x(0, 0x0102040810204080));
    __m256i at = _mm256_min_epi16((__m256i)count, _mm256_set1_epi16(15));
    return (pack_half)_mm256_shuffle_epi8(powers, _mm256_or_si256(at, _mm256_set1_epi16((short)0x8000)));
}
#else
VEC_INLINE pack_half pack_power(pack_half count) {
    pack_half power = pack_all(0x80);
    power = pack_pick((pack_half)((count & 4) != 0), power >> 4, power);
    power = pack_pick((pack_half)((count & 2) != 0), power >> 2, power);
    power = pack_pick((pack_half)((count & 1) != 0), power >> 1, power);
    return power & ~pack_above(count, pack_all(7));
}
#endif

/* 16 bytes of a row. */
typedef uint8_t pack_bytes __attribute__((vector_size(16)));

#if defined(__AVX2__)
VEC_INLINE pack_bytes pack_bytes_of(const struct pack_row *v) {
    __m256i row = (__m256i)v->at[0];
    return (pack_bytes)_mm_packus_epi16(_mm256_castsi256_si128(row), _mm256_extracti128_si256(row, 1));
}
#elif defined(__SSE2__)
VEC_INLINE pack_bytes pack_bytes_of(const struct pack_row *v) {
    return (pack_bytes)_mm_packus_epi16((__m128i)v->at[0], (__m128i)v->at[1]);
}
#else
VEC_INLINE pack_bytes pack_bytes_of(const struct pack_row *v) {
    return __builtin_shufflevector((pack_bytes)v->at[0], (pack_bytes)v->at[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                   22, 24, 26, 28, 30);
}
#endif

#endif
