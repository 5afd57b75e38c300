/* What the Matrix Unit's kernels need of the host beyond vec.h: lanes of 16 and of 64 bits, and shifts by lanes. */
#ifndef NUMERIC_MATRIX_SIMD_H
#define NUMERIC_MATRIX_SIMD_H

#include "numeric/lanes/vec.h"
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Rows of 16 columns are whole numbers of each. */
enum { VEC_DOUBLES = VEC_LANES / 2, VEC_SHORTS = VEC_LANES >= 8 ? 16 : 8 };

typedef double vec_double __attribute__((vector_size(VEC_DOUBLES * 8)));
typedef int64_t vec_long __attribute__((vector_size(VEC_DOUBLES * 8)));
typedef int16_t vec_short __attribute__((vector_size(VEC_SHORTS * 2)));
/* Memory of as many elements as vec_int or vec_double have lanes. */
typedef uint16_t vec_u16 __attribute__((vector_size(VEC_LANES * 2)));
typedef int16_t vec_i16 __attribute__((vector_size(VEC_LANES * 2)));
typedef int32_t vec_half_int __attribute__((vector_size(VEC_DOUBLES * 4)));
typedef uint16_t vec_half_u16 __attribute__((vector_size(VEC_DOUBLES * 2)));

VEC_INLINE vec_int vec_int_all(int32_t value) {
    return (vec_int){ 0 } + value;
}

VEC_INLINE vec_int vec_pick(vec_int mask, vec_int a, vec_int b) {
    return (a & mask) | (b & ~mask);
}

VEC_INLINE vec_int vec_from_u16(const uint16_t *p) {
    vec_u16 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vec_int);
}

VEC_INLINE vec_int vec_from_i16(const int16_t *p) {
    vec_i16 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vec_int);
}

VEC_INLINE vec_int vec_from_i32(const int32_t *p) {
    vec_int v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The lower halves of lanes. */
VEC_INLINE void vec_to_u16(uint16_t *p, vec_int v) {
    vec_u16 low = __builtin_convertvector((vec)v & 0xFFFF, vec_u16);
    memcpy(p, &low, sizeof low);
}

VEC_INLINE vec_short vec_short_load(const void *p) {
    vec_short v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_short_store(void *p, vec_short v) {
    memcpy(p, &v, sizeof v);
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

VEC_INLINE vec_double vec_double_all(double value) {
    return (vec_double){ 0 } + value;
}

/* Elements of 16 bits as the upper bits of doubles. */
VEC_INLINE vec_double vec_double_upper(const uint16_t *p) {
    vec_half_u16 v;
    memcpy(&v, p, sizeof v);
    return (vec_double)(__builtin_convertvector(v, vec_long) << 48);
}

/* The lower halves of 64-bit lanes. */
VEC_INLINE void vec_double_lower(int32_t *p, vec_double v) {
    vec_half_int low = __builtin_convertvector((vec_long)v, vec_half_int);
    memcpy(p, &low, sizeof low);
}

/* ---- The levels ------------------------------------------------------------------------------------------------ */

/* vec_most: the greater one. vec_down: an arithmetic shift right by 0 or more; what is beyond 31 counts as 31.
 * vec_fma: a * b + c, of which the product must be exact, so that it does not matter whether it is fused. */
#if defined(__AVX512F__)

VEC_INLINE vec_int vec_most(vec_int a, vec_int b) {
    return (vec_int)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    return (vec_int)_mm512_srav_epi32((__m512i)x, (__m512i)count);
}

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

#elif defined(__AVX2__)

VEC_INLINE vec_int vec_most(vec_int a, vec_int b) {
    return (vec_int)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    return (vec_int)_mm256_srav_epi32((__m256i)x, (__m256i)count);
}

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

#elif defined(__aarch64__)

VEC_INLINE vec_int vec_most(vec_int a, vec_int b) {
    return (vec_int)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    int32x4_t bounded = vminq_s32((int32x4_t)count, vdupq_n_s32(31));
    return (vec_int)vshlq_s32((int32x4_t)x, vnegq_s32(bounded));
}

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return (vec_double)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

#else

VEC_INLINE vec_int vec_most(vec_int a, vec_int b) {
    return vec_pick(a > b, a, b);
}

/* In steps of powers of two. */
VEC_INLINE vec_int vec_down(vec_int x, vec_int count) {
    vec_int left = -vec_most(-count, vec_int_all(-31));
    x = vec_pick((left & 16) != 0, x >> 16, x);
    x = vec_pick((left & 8) != 0, x >> 8, x);
    x = vec_pick((left & 4) != 0, x >> 4, x);
    x = vec_pick((left & 2) != 0, x >> 2, x);
    return vec_pick((left & 1) != 0, x >> 1, x);
}

VEC_INLINE vec_double vec_fma(vec_double a, vec_double b, vec_double c) {
    return a * b + c;
}

#endif

#if defined(__AVX2__)
VEC_INLINE vec_short vec_short_most(vec_short a, vec_short b) {
    return (vec_short)_mm256_max_epi16((__m256i)a, (__m256i)b);
}
#elif defined(__SSE2__)
VEC_INLINE vec_short vec_short_most(vec_short a, vec_short b) {
    return (vec_short)_mm_max_epi16((__m128i)a, (__m128i)b);
}
#elif defined(__aarch64__)
VEC_INLINE vec_short vec_short_most(vec_short a, vec_short b) {
    return (vec_short)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}
#else
VEC_INLINE vec_short vec_short_most(vec_short a, vec_short b) {
    vec_short mask = a > b;
    return (a & mask) | (b & ~mask);
}
#endif

#endif
