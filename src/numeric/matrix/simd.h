/* What the Matrix Unit's kernels need of the host beyond vec.h: lanes of 16 and of 64 bits, and shifts by lanes. */
#ifndef NUMERIC_MATRIX_SIMD_H
#define NUMERIC_MATRIX_SIMD_H

#include "numeric/lanes/vec.h"
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Rows of 16 columns are whole numbers of each. */
enum { VEC_DOUBLES = VEC_LANES / 2, VEC_SHORTS = VEC_LANES >= 8 ? 16 : 8 };

typedef int16_t vec_short __attribute__((vector_size(VEC_SHORTS * 2)));

/* Before a loop that is to be one. */
#if defined(__clang__)
#define VEC_NO_UNROLL _Pragma("nounroll")
#else
#define VEC_NO_UNROLL _Pragma("GCC unroll 1")
#endif

/* Constants that stay in memory: gcc would build them anew in every turn of a loop. */
#if defined(__AVX512F__)
#define VEC_SAME(x) \
    { x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x }
#elif defined(__AVX2__)
#define VEC_SAME(x) \
    { x, x, x, x, x, x, x, x }
#else
#define VEC_SAME(x) \
    { x, x, x, x }
#endif

VEC_INLINE const void *vec_constants(const void *p) {
    __asm__("" : "+r"(p));
    return p;
}

VEC_INLINE vec_int vec_int_all(int32_t value) {
    return (vec_int){ 0 } + value;
}

VEC_INLINE vec_int vec_pick(vec_int mask, vec_int a, vec_int b) {
    return (a & mask) | (b & ~mask);
}

VEC_INLINE vec_int vec_int_load(const void *p) {
    vec_int v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_int_store(void *p, vec_int v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE vec_short vec_short_load(const void *p) {
    vec_short v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_short_store(void *p, vec_short v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE vec_short vec_short_same(int32_t value) {
    return (vec_short){ 0 } + (int16_t)value;
}

/* Two equal halves of a word in all lanes. */
VEC_INLINE vec_short vec_short_all(uint32_t pair) {
    typedef uint32_t pairs __attribute__((vector_size(VEC_SHORTS * 2)));
    return (vec_short)((pairs){ 0 } + pair);
}

VEC_INLINE vec_double vec_double_load(const double *p) {
    vec_double v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_double_store(double *p, vec_double v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE vec_double vec_double_all(const double *p) {
    uint64_t bits;
    memcpy(&bits, p, sizeof bits);
    return (vec_double)((vec_long){ 0 } + bits);
}

/* ---- The levels ------------------------------------------------------------------------------------------------
 *
 *     vec_short_max              the greater one
 *     vec_product                of numbers of 15 bits
 *     vec_down                   an arithmetic shift right by 0 or more; what is beyond 31 counts as 31
 *     vec_from_u16, _i16         elements to lanes
 *     vec_to_u16                 lanes of 0..0xFFFF to elements
 *     vec_fma                    a * b + c, of which the product must be exact, so that fused or not does not matter
 *     vec_double_upper           elements of 16 bits as the upper bits of doubles
 *     vec_double_widen           lanes as the upper halves of doubles
 *     vec_double_lower           the lower halves of doubles to words */
#if defined(__AVX512F__)

VEC_INLINE vec_int vec_product(vec_int a, vec_int b) {
    return (vec_int)_mm512_madd_epi16((__m512i)a, (__m512i)b);
}

VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    return (vec_int)_mm512_srav_epi32((__m512i)x, (__m512i)count);
}

VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    return (vec_int)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    return (vec_int)_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)v));
}

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    return (vec_double)_mm512_slli_epi64(_mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)p)), 48);
}

/* In the odd places of a vector: from lane first on. */
VEC_INLINE vec_double vec_double_spread(vec_int v, int first) {
    __m512i at =
        _mm512_add_epi32(_mm512_set1_epi32(first), _mm512_set_epi32(7, 0, 6, 0, 5, 0, 4, 0, 3, 0, 2, 0, 1, 0, 0, 0));
    return (vec_double)_mm512_maskz_permutexvar_epi32(0xAAAA, at, (__m512i)v);
}

VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    vec_double_store(p, vec_double_spread(upper, 0));
    vec_double_store(p + VEC_DOUBLES, vec_double_spread(upper, 8));
}

VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi64_epi32((__m512i)v));
}

#elif defined(__AVX2__)

VEC_INLINE vec_int vec_product(vec_int a, vec_int b) {
    return (vec_int)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    return (vec_int)_mm256_srav_epi32((__m256i)x, (__m256i)count);
}

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

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    return (vec_double)_mm256_slli_epi64(_mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)p)), 48);
}

VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    __m256i v = _mm256_permute4x64_epi64((__m256i)upper, 0xD8), none = _mm256_setzero_si256();
    vec_double_store(p, (vec_double)_mm256_unpacklo_epi32(none, v));
    vec_double_store(p + VEC_DOUBLES, (vec_double)_mm256_unpackhi_epi32(none, v));
}

VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    __m128 low = _mm256_castps256_ps128((__m256)v), high = _mm256_extractf128_ps((__m256)v, 1);
    _mm_storeu_ps((float *)p, _mm_shuffle_ps(low, high, 0x88));
}

#elif defined(__SSE2__)

VEC_INLINE vec_int vec_product(vec_int a, vec_int b) {
    return (vec_int)_mm_madd_epi16((__m128i)a, (__m128i)b);
}

/* One shift for each lane. */
VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    __m128i first = _mm_set_epi32(0, 0, 0, -1), low = (__m128i)count, high = _mm_unpackhi_epi64(low, low);
    __m128 x0 = (__m128)_mm_sra_epi32((__m128i)x, _mm_and_si128(low, first));
    __m128 x1 = (__m128)_mm_sra_epi32((__m128i)x, _mm_srli_epi64(low, 32));
    __m128 x2 = (__m128)_mm_sra_epi32((__m128i)x, _mm_and_si128(high, first));
    __m128 x3 = (__m128)_mm_sra_epi32((__m128i)x, _mm_srli_epi64(high, 32));
    __m128 x01 = _mm_shuffle_ps(x0, x1, 0x50), x23 = _mm_shuffle_ps(x2, x3, 0xFA);
    return (vec_int)_mm_shuffle_ps(x01, x23, 0x88);
}

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

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return a * b + c;
}

VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    __m128i none = _mm_setzero_si128();
    return (vec_double)_mm_unpacklo_epi32(none, _mm_unpacklo_epi16(none, _mm_loadu_si32(p)));
}

VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    __m128i none = _mm_setzero_si128();
    vec_double_store(p, (vec_double)_mm_unpacklo_epi32(none, (__m128i)upper));
    vec_double_store(p + VEC_DOUBLES, (vec_double)_mm_unpackhi_epi32(none, (__m128i)upper));
}

VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    _mm_storel_epi64((__m128i *)p, _mm_shuffle_epi32((__m128i)v, 0x08));
}

#elif defined(__aarch64__)

VEC_INLINE vec_int vec_product(vec_int a, vec_int b) {
    return a * b;
}

VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    int32x4_t bounded = vminq_s32((int32x4_t)count, vdupq_n_s32(31));
    return (vec_int)vshlq_s32((int32x4_t)x, vnegq_s32(bounded));
}

VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    return (vec_int)vmovl_u16(vld1_u16(p));
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    return (vec_int)vmovl_s16(vld1_s16(p));
}

VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    vst1_u16(p, vmovn_u32((uint32x4_t)v));
}

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    uint32_t two;
    memcpy(&two, p, sizeof two);
    uint32x4_t words = vmovl_u16(vreinterpret_u16_u32(vdup_n_u32(two)));
    return (vec_double)vshlq_n_u64(vmovl_u32(vget_low_u32(words)), 48);
}

VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    int32x4_t none = vdupq_n_s32(0);
    vec_double_store(p, (vec_double)vzip1q_s32(none, (int32x4_t)upper));
    vec_double_store(p + VEC_DOUBLES, (vec_double)vzip2q_s32(none, (int32x4_t)upper));
}

VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    vst1_s32(p, vmovn_s64((int64x2_t)v));
}

/* ---- Lanes of 16 bits that are shifted each by its own count (shorts.h) ---------------------------------------------
 *
 *     vec_short_move, vec_move   to the left; a count from -128 to -1 is to the right and rounds, ties upward
 *     vec_short_some             ones where a lane is not zero
 *     vec_short_zeros, vec_zeros how many leading bits are zero
 *     vec_short_place            shifted to the left by n into another, whose last n bits stay
 *     vec_short_low, _high       the lower and the upper half of words that lie in two vectors
 *     vec_words                  words of lower and upper halves, of the first lanes and of the last */
#define VEC_SHORT_MOVES 1

VEC_INLINE vec_short vec_short_pick(vec_short mask, vec_short a, vec_short b) {
    return (vec_short)vbslq_s16((uint16x8_t)mask, (int16x8_t)a, (int16x8_t)b);
}

VEC_INLINE vec_short vec_short_min(vec_short a, vec_short b) {
    return (vec_short)vminq_s16((int16x8_t)a, (int16x8_t)b);
}

VEC_INLINE vec_short vec_short_move(vec_short x, vec_short count) {
    return (vec_short)vrshlq_s16((int16x8_t)x, (int16x8_t)count);
}

VEC_INLINE vec_int vec_move(vec_int x, vec_int count) {
    return (vec_int)vrshlq_s32((int32x4_t)x, (int32x4_t)count);
}

VEC_INLINE vec_short vec_short_some(vec_short x) {
    return (vec_short)vtstq_s16((int16x8_t)x, (int16x8_t)x);
}

VEC_INLINE vec_short vec_short_magnitude(vec_short x) {
    return (vec_short)vabsq_s16((int16x8_t)x);
}

VEC_INLINE vec_int vec_magnitude(vec_int x) {
    return (vec_int)vabsq_s32((int32x4_t)x);
}

VEC_INLINE vec_short vec_short_zeros(vec_short x) {
    return (vec_short)vclzq_s16((int16x8_t)x);
}

VEC_INLINE vec_int vec_zeros(vec_int x) {
    return (vec_int)vclzq_s32((int32x4_t)x);
}

#define vec_short_place(to, x, n)     ((vec_short)vsliq_n_s16((int16x8_t)(to), (int16x8_t)(x), n))
/* Unsigned, rounded, ties upward; unsigned, not rounded, added to another; a word. */
#define vec_short_round(x, n)         ((vec_short)vrshrq_n_u16((uint16x8_t)(x), n))
#define vec_round(x, n)               ((vec_int)vrshrq_n_u32((uint32x4_t)(x), n))
#define vec_short_add_upper(to, x, n) ((vec_short)vsraq_n_u16((uint16x8_t)(to), (uint16x8_t)(x), n))

VEC_INLINE vec_short vec_short_low(vec_int first, vec_int last) {
    return (vec_short)vuzp1q_s16((int16x8_t)first, (int16x8_t)last);
}

VEC_INLINE vec_short vec_short_high(vec_int first, vec_int last) {
    return (vec_short)vuzp2q_s16((int16x8_t)first, (int16x8_t)last);
}

/* Elements of 8 bits; a * lane of b + c, rounded once; 16 bits less unsigned bytes, of the first lanes or the last. */
typedef uint8_t vec_byte __attribute__((vector_size(16)));

VEC_INLINE vec_byte vec_byte_load(const uint8_t *p) {
    vec_byte v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Eight of them. */
VEC_INLINE vec_byte vec_byte_load_half(const uint8_t *p) {
    return (vec_byte)vcombine_u8(vld1_u8(p), vdup_n_u8(0));
}

VEC_INLINE vec_byte vec_byte_min(vec_byte a, vec_byte b) {
    return (vec_byte)vminq_u8((uint8x16_t)a, (uint8x16_t)b);
}

/* No more than 255. */
VEC_INLINE vec_byte vec_byte_add(vec_byte a, vec_byte b) {
    return (vec_byte)vqaddq_u8((uint8x16_t)a, (uint8x16_t)b);
}

#define vec_byte_lane(b, lane) ((vec_byte)vdupq_laneq_u8((uint8x16_t)(b), lane))
#define vec_fma_lane(a, b, lane, c) \
    ((vec_float)vfmaq_laneq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b), lane))

VEC_INLINE vec_short vec_short_less_first(vec_short x, vec_byte y) {
    return (vec_short)vsubw_u8((uint16x8_t)x, vget_low_u8((uint8x16_t)y));
}

VEC_INLINE vec_short vec_short_less_last(vec_short x, vec_byte y) {
    return (vec_short)vsubw_high_u8((uint16x8_t)x, (uint8x16_t)y);
}

/* The lower bytes of both. */
VEC_INLINE vec_byte vec_bytes(vec_short first, vec_short last) {
    return (vec_byte)vuzp1q_u8((uint8x16_t)first, (uint8x16_t)last);
}

VEC_INLINE int16_t vec_short_greatest(vec_short x) {
    return vmaxvq_s16((int16x8_t)x);
}

VEC_INLINE int16_t vec_short_least(vec_short x) {
    return vminvq_s16((int16x8_t)x);
}

VEC_INLINE vec_float vec_float_load(const float *p) {
    vec_float v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Two of them. */
VEC_INLINE vec_float vec_float_load_half(const float *p) {
    return (vec_float)vcombine_f32(vld1_f32(p), vdup_n_f32(0));
}

struct vec_words {
    vec_int v[2];
};

/* Numbers of 16 bits as words. */
VEC_INLINE struct vec_words vec_widened(vec_short x) {
    return (
        struct vec_words){ { (vec_int)vmovl_s16(vget_low_s16((int16x8_t)x)), (vec_int)vmovl_high_s16((int16x8_t)x) } };
}

VEC_INLINE struct vec_words vec_words(vec_short low, vec_short high) {
    return (struct vec_words){ { (vec_int)vzip1q_s16((int16x8_t)low, (int16x8_t)high),
                                 (vec_int)vzip2q_s16((int16x8_t)low, (int16x8_t)high) } };
}

#else

VEC_INLINE vec_int vec_product(vec_int a, vec_int b) {
    return a * b;
}

VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    return x >> vec_pick(count > 31, vec_int_all(31), count);
}

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

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return a * b + c;
}

VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    return (vec_double)(vec_long){ (uint64_t)p[0] << 48, (uint64_t)p[1] << 48 };
}

VEC_INLINE void vec_double_widen(double *p, vec_int upper) {
    for (unsigned i = 0; i < VEC_LANES; i++) {
        uint64_t bits = (uint64_t)upper[i] << 32;
        memcpy(p + i, &bits, sizeof bits);
    }
}

VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    for (unsigned i = 0; i < VEC_DOUBLES; i++)
        p[i] = (int32_t)((vec_long)v)[i];
}

#endif

#if !defined(VEC_SHORT_MOVES)
#define VEC_SHORT_MOVES 0
#endif

#if defined(__AVX2__)
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    return (vec_short)_mm256_max_epi16((__m256i)a, (__m256i)b);
}
#elif defined(__SSE2__)
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    return (vec_short)_mm_max_epi16((__m128i)a, (__m128i)b);
}
#elif defined(__aarch64__)
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    return (vec_short)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}
#else
VEC_INLINE vec_short vec_short_max(vec_short a, vec_short b) {
    vec_short mask = a > b;
    return (a & mask) | (b & ~mask);
}
#endif

#endif
