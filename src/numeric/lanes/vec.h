/* As many 32-bit lanes as a register of the host holds, as types that gcc and clang do arithmetic on.
 *
 * Only for the files that lanes.c puts together: VEC_LANES follows from the level that is being compiled for. */
#ifndef NUMERIC_LANES_VEC_H
#define NUMERIC_LANES_VEC_H

#include <stdint.h>
#include <string.h>

#include "numeric/lanes/lanes.h"
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { VEC_LANES = 16 };
#elif defined(__AVX2__)
enum { VEC_LANES = 8 };
#else
enum { VEC_LANES = 4 };
#endif

typedef uint32_t vec __attribute__((vector_size(VEC_LANES * 4)));
typedef int32_t vec_int __attribute__((vector_size(VEC_LANES * 4)));
typedef float vec_float __attribute__((vector_size(VEC_LANES * 4)));
typedef double vec_double __attribute__((vector_size(VEC_LANES * 4)));
typedef uint64_t vec_long __attribute__((vector_size(VEC_LANES * 4)));
typedef uint16_t vec_half __attribute__((vector_size(VEC_LANES * 4))); /* two to a lane */

#define VEC_INLINE static inline __attribute__((always_inline))

VEC_INLINE vec vec_load(const uint32_t *p) {
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_store(uint32_t *p, vec v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE vec vec_all(uint32_t value) {
    return (vec){ 0 } + value;
}

/* a where the mask's lanes are all ones, b where they are zero. */
VEC_INLINE vec vec_select(vec mask, vec a, vec b) {
    return (a & mask) | (b & ~mask);
}

/* The VEC_LANES bits of a mask of lanes from bit 0 on, as lanes of ones and zeros. */
VEC_INLINE vec vec_mask(uint32_t bits) {
    static const uint32_t bit[16] = { 1,     2,     4,     8,     0x10,   0x20,   0x40,   0x80,
                                      0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000 };
    return (vec)((vec_load(bit) & bits) != 0);
}

/* Stores the lanes of a mask. */
VEC_INLINE void vec_store_masked(uint32_t *p, vec v, uint32_t bits) {
    vec_store(p, vec_select(vec_mask(bits), v, vec_load(p)));
}

/* Before a loop over registers: of no more than these, so that they are registers, or of so little that the loop itself
 * would be a good part of it. */
#if defined(__clang__)
#define VEC_UNROLL _Pragma("unroll")
#else
#define VEC_UNROLL _Pragma("GCC unroll 16")
#endif

/* Runs a statement over the lanes: i is the first of VEC_LANES. */
#define VEC_EACH(i) for (unsigned i = 0; i < LANES; i += VEC_LANES)

/* Stores result to d in the lanes of mask (of all 32), from lane i on. */
VEC_INLINE void vec_put(uint32_t *d, unsigned i, vec result, uint32_t mask) {
    if (mask == UINT32_MAX)
        vec_store(d + i, result);
    else
        vec_store_masked(d + i, result, mask >> i);
}

/* Bit 31 of every lane, from bit 0 on. */
#if defined(__AVX512F__)
VEC_INLINE uint32_t vec_bits(vec v) {
    return _mm512_movepi32_mask((__m512i)v);
}
#elif defined(__AVX2__)
VEC_INLINE uint32_t vec_bits(vec v) {
    return (uint32_t)_mm256_movemask_ps((__m256)v);
}
#elif defined(__SSE2__)
VEC_INLINE uint32_t vec_bits(vec v) {
    return (uint32_t)_mm_movemask_ps((__m128)v);
}
#elif defined(__aarch64__)
VEC_INLINE uint32_t vec_bits(vec v) {
    return vaddvq_u32((uint32x4_t)(v >> 31 << (vec){ 0, 1, 2, 3 }));
}
#else
VEC_INLINE uint32_t vec_bits(vec v) {
    v = v >> 31 << (vec){ 0, 1, 2, 3 };
    return v[0] | v[1] | v[2] | v[3];
}
#endif

/* The same of all lanes, in as many registers as it takes. */
#if defined(__aarch64__)
VEC_INLINE uint8x16_t vec_upper_bytes(const vec v[4]) {
    uint16x8_t low = vuzp2q_u16((uint16x8_t)v[0], (uint16x8_t)v[1]);
    uint16x8_t high = vuzp2q_u16((uint16x8_t)v[2], (uint16x8_t)v[3]);
    return vuzp2q_u8((uint8x16_t)low, (uint8x16_t)high);
}
VEC_INLINE uint32_t vec_bits_all(const vec v[8]) {
    uint8x16_t bit = (uint8x16_t)vdupq_n_u64(0x8040201008040201);
    uint8x16_t first = vandq_u8(vcltzq_s8((int8x16_t)vec_upper_bytes(v)), bit);
    uint8x16_t second = vandq_u8(vcltzq_s8((int8x16_t)vec_upper_bytes(v + 4)), bit);
    uint8x16_t sum = vpaddq_u8(first, second);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u32((uint32x4_t)vpaddq_u8(sum, sum), 0);
}
#else
VEC_INLINE uint32_t vec_bits_all(const vec *v) {
    uint32_t lanes = 0;
    VEC_UNROLL
    VEC_EACH(i)
    lanes |= vec_bits(v[i / VEC_LANES]) << i;
    return lanes;
}
#endif

/* The lower halves of one's lanes and the upper halves of the other's. */
#if defined(__AVX512F__)
VEC_INLINE vec vec_halves(vec low, vec high) {
    return (vec)_mm512_mask_blend_epi16(0xAAAAAAAA, (__m512i)low, (__m512i)high);
}
#elif defined(__AVX2__)
VEC_INLINE vec vec_halves(vec low, vec high) {
    return (vec)_mm256_blend_epi16((__m256i)low, (__m256i)high, 0xAA);
}
#else
VEC_INLINE vec vec_halves(vec low, vec high) {
    return (low & 0xFFFF) | (high & 0xFFFF0000);
}
#endif

/* The larger and the smaller of signed lanes, x >> n with nothing left from n = 32 on (n is unsigned), and the fused
 * a * b + c of IEEE754, which is there only where VEC_FUSED says so. */
#if defined(__AVX512F__)
#define VEC_FUSED 1
VEC_INLINE vec_int vec_max(vec_int a, vec_int b) {
    return (vec_int)_mm512_max_epi32((__m512i)a, (__m512i)b);
}
VEC_INLINE vec_int vec_min(vec_int a, vec_int b) {
    return (vec_int)_mm512_min_epi32((__m512i)a, (__m512i)b);
}
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    return (vec)_mm512_srlv_epi32((__m512i)x, (__m512i)n);
}
VEC_INLINE vec_float vec_fused(vec_float a, vec_float b, vec_float c) {
    return (vec_float)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
#elif defined(__AVX2__)
#define VEC_FUSED 1
VEC_INLINE vec_int vec_max(vec_int a, vec_int b) {
    return (vec_int)_mm256_max_epi32((__m256i)a, (__m256i)b);
}
VEC_INLINE vec_int vec_min(vec_int a, vec_int b) {
    return (vec_int)_mm256_min_epi32((__m256i)a, (__m256i)b);
}
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    return (vec)_mm256_srlv_epi32((__m256i)x, (__m256i)n);
}
VEC_INLINE vec_float vec_fused(vec_float a, vec_float b, vec_float c) {
    return (vec_float)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
#elif defined(__aarch64__)
#define VEC_FUSED 1
VEC_INLINE vec_int vec_max(vec_int a, vec_int b) {
    return (vec_int)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}
VEC_INLINE vec_int vec_min(vec_int a, vec_int b) {
    return (vec_int)vminq_s32((int32x4_t)a, (int32x4_t)b);
}
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    return (vec)vshlq_u32((uint32x4_t)x, vnegq_s32((int32x4_t)vminq_u32((uint32x4_t)n, vdupq_n_u32(32))));
}
VEC_INLINE vec_float vec_fused(vec_float a, vec_float b, vec_float c) {
    return (vec_float)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
#else
#define VEC_FUSED 0
/* The lower and upper lanes as doubles, two doubles each as floats again, and lanes as upper halves of doubles. */
#if defined(__SSE2__)
VEC_INLINE vec_double vec_low(vec_float x) {
    return (vec_double)_mm_cvtps_pd((__m128)x);
}
VEC_INLINE vec_double vec_high(vec_float x) {
    return (vec_double)_mm_cvtps_pd(_mm_movehl_ps((__m128)x, (__m128)x));
}
VEC_INLINE vec_float vec_narrow(vec_double low, vec_double high) {
    return (vec_float)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)low), _mm_cvtpd_ps((__m128d)high));
}
#else
VEC_INLINE vec_double vec_low(vec_float x) {
    return (vec_double){ (double)x[0], (double)x[1] };
}
VEC_INLINE vec_double vec_high(vec_float x) {
    return (vec_double){ (double)x[2], (double)x[3] };
}
VEC_INLINE vec_float vec_narrow(vec_double low, vec_double high) {
    return (vec_float){ (float)low[0], (float)low[1], (float)high[0], (float)high[1] };
}
#endif
VEC_INLINE vec_double vec_upper_low(vec x) {
    return (vec_double)__builtin_shufflevector((vec){ 0 }, x, 0, 4, 1, 5);
}
VEC_INLINE vec_double vec_upper_high(vec x) {
    return (vec_double)__builtin_shufflevector((vec){ 0 }, x, 0, 6, 1, 7);
}
VEC_INLINE vec_int vec_max(vec_int a, vec_int b) {
    return (vec_int)vec_select((vec)(a > b), (vec)a, (vec)b);
}
VEC_INLINE vec_int vec_min(vec_int a, vec_int b) {
    return (vec_int)vec_select((vec)(a < b), (vec)a, (vec)b);
}
VEC_INLINE vec vec_shift_right(vec x, vec n) {
    for (unsigned i = 0; i < 5; i++)
        x = vec_select((vec)((n >> i & 1) != 0), x >> (1u << i), x);
    return x & (vec)(n < 32);
}
#endif

#endif
