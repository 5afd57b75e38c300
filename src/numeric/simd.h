/* The host's vectors, as types with which gcc and clang compute, and the operations that need more than an operator.
 *
 * Kernels use only these names; nothing outside simd*.h names an intrinsic, a vector type or a level. Only files that
 * lanes.c includes use this header: the number of lanes follows from the level that is being compiled.
 *
 *     level     file            lanes of 32 bits
 *     AVX-512   simd_avx512.h   16     with simd_avx.h, which both levels of AVX share
 *     AVX2      simd_avx2.h      8     with simd_avx.h
 *     SSE2      simd_sse2.h      4
 *     NEON      simd_neon.h      4
 *     other     -                4     also with -DSIMD_PORTABLE, for tests
 *
 * A level defines the operations for which it has better instructions, and a macro of the same name for each;
 * simd_portable.h defines the others in terms of operators. All levels give the same bits.
 *
 *     vec          uint32_t   VEC_LANES
 *     vec_int      int32_t    VEC_LANES
 *     vec_float    float      VEC_LANES
 *     vec_half     uint16_t   VEC_LANES * 2
 *     vec_rows     uint8_t    VEC_LANES * 4: with AVX, VEC_ROWS rows of 16
 *     vec_double   double     VEC_DOUBLES
 *     vec_long     uint64_t   VEC_DOUBLES
 *     vec_short    int16_t    VEC_SHORTS: a row of 16 columns is one vector or two
 *     vec_ushort   uint16_t   VEC_SHORTS; vec_pair, vec_pair_int, vec_pair_float and vec_four have the same size
 *     vec_byte     uint8_t    16; vec_eight, vec_quad and vec_two have the same size
 *
 * The result of a comparison is a mask: all bits of a lane are ones or zeros. */
#ifndef NUMERIC_SIMD_H
#define NUMERIC_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(SIMD_PORTABLE)
enum { VEC_LANES = 4 };
#elif defined(__AVX512F__)
#include <immintrin.h>
enum { VEC_LANES = 16 };
#elif defined(__AVX2__)
#include <immintrin.h>
enum { VEC_LANES = 8 };
#elif defined(__SSE2__)
#include <immintrin.h>
enum { VEC_LANES = 4 };
#elif defined(__aarch64__)
#include <arm_neon.h>
enum { VEC_LANES = 4 };
#else
enum { VEC_LANES = 4 };
#endif

enum { VEC_DOUBLES = VEC_LANES / 2, VEC_SHORTS = VEC_LANES >= 8 ? 16 : 8 };

typedef uint32_t vec __attribute__((vector_size(VEC_LANES * 4)));
typedef int32_t vec_int __attribute__((vector_size(VEC_LANES * 4)));
typedef float vec_float __attribute__((vector_size(VEC_LANES * 4)));
typedef double vec_double __attribute__((vector_size(VEC_LANES * 4)));
typedef uint64_t vec_long __attribute__((vector_size(VEC_LANES * 4)));
typedef uint16_t vec_half __attribute__((vector_size(VEC_LANES * 4)));

typedef int16_t vec_short __attribute__((vector_size(VEC_SHORTS * 2)));
typedef uint16_t vec_ushort __attribute__((vector_size(VEC_SHORTS * 2)));
typedef uint32_t vec_pair __attribute__((vector_size(VEC_SHORTS * 2)));
typedef int32_t vec_pair_int __attribute__((vector_size(VEC_SHORTS * 2)));
typedef float vec_pair_float __attribute__((vector_size(VEC_SHORTS * 2)));
typedef uint64_t vec_four __attribute__((vector_size(VEC_SHORTS * 2)));

typedef uint8_t vec_rows __attribute__((vector_size(VEC_LANES * 4)));

typedef uint8_t vec_byte __attribute__((vector_size(16)));
typedef uint16_t vec_eight __attribute__((vector_size(16)));
typedef uint32_t vec_quad __attribute__((vector_size(16)));
typedef uint64_t vec_two __attribute__((vector_size(16)));

/* As many 32-bit words as a vec_short has lanes. */
struct vec_words {
    vec_int v[VEC_SHORTS / VEC_LANES];
};

#define VEC_INLINE static inline __attribute__((always_inline))

/* VEC_UNROLL precedes a loop over vectors that is to be unrolled: the vectors fit into registers, or an iteration has
 * so little work that the loop itself would cost much of the time. VEC_NO_UNROLL: precedes a loop that is to stay
 * one. */
#if defined(__clang__)
#define VEC_UNROLL    _Pragma("unroll")
#define VEC_NO_UNROLL _Pragma("nounroll")
#else
#define VEC_UNROLL    _Pragma("GCC unroll 16")
#define VEC_NO_UNROLL _Pragma("GCC unroll 1")
#endif

/* Runs a statement for each vector of the 32 lanes that a 32-bit mask describes. i: its first lane. */
#define VEC_EACH(i) for (unsigned i = 0; i < 32; i += VEC_LANES)

/* ---- Constants -------------------------------------------------------------------------------------------------- */

VEC_INLINE vec vec_all(uint32_t value) {
    return (vec){ 0 } + value;
}

VEC_INLINE vec_int vec_int_all(int32_t value) {
    return (vec_int){ 0 } + value;
}

VEC_INLINE vec_short vec_short_all(int32_t value) {
    return (vec_short){ 0 } + (int16_t)value;
}

VEC_INLINE vec_ushort vec_ushort_all(unsigned value) {
    return (vec_ushort){ 0 } + (uint16_t)value;
}

/* Sets all lanes to one half of the word. Precondition: the halves of the word are equal. */
VEC_INLINE vec_short vec_short_all_of_pair(uint32_t pair) {
    return (vec_short)((vec_pair){ 0 } + pair);
}

VEC_INLINE vec_float vec_float_all(const float *p) {
    uint32_t bits;
    memcpy(&bits, p, sizeof bits);
    return (vec_float)vec_all(bits);
}

VEC_INLINE vec_double vec_double_all(const double *p) {
    uint64_t bits;
    memcpy(&bits, p, sizeof bits);
    return (vec_double)((vec_long){ 0 } + bits);
}

/* VEC_SAME initialises a vec_int that stays in memory. vec_constants returns a pointer to such constants that hides
 * their values from the compiler: gcc would rebuild them in every iteration of a loop. */
#define VEC_SAME(x) \
    { VEC_SAME_LANES(x) }

VEC_INLINE const void *vec_constants(const void *p) {
    __asm__("" : "+r"(p));
    return p;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

VEC_INLINE vec vec_load(const uint32_t *p) {
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_store(uint32_t *p, vec v) {
    memcpy(p, &v, sizeof v);
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

VEC_INLINE vec_ushort vec_ushort_load(const void *p) {
    vec_ushort v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_ushort_store(void *p, vec_ushort v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE vec_float vec_float_load(const float *p) {
    vec_float v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE vec_double vec_double_load(const double *p) {
    vec_double v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE void vec_double_store(double *p, vec_double v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE vec_eight vec_eight_load(const uint16_t *p) {
    vec_eight v;
    memcpy(&v, p, sizeof v);
    return v;
}

VEC_INLINE vec_byte vec_byte_load(const uint8_t *p) {
    vec_byte v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Loads the first `size` bytes, followed by zeros: up to eight go through a register, not through memory. */
VEC_INLINE vec_byte vec_byte_load_some(const uint8_t *p, unsigned size) {
    uint64_t some = 0;
    if (size == sizeof(vec_byte))
        return vec_byte_load(p);
    memcpy(&some, p, size);
    return (vec_byte)(vec_two){ some, 0 };
}

/* ---- The level -------------------------------------------------------------------------------------------------- */

#if defined(SIMD_PORTABLE)
#elif defined(__AVX512F__)
#include "numeric/simd_avx512.h"
#elif defined(__AVX2__)
#include "numeric/simd_avx2.h"
#elif defined(__SSE2__)
#include "numeric/simd_sse2.h"
#elif defined(__aarch64__)
#include "numeric/simd_neon.h"
#endif
#include "numeric/simd_portable.h"

/* ---- Masks of lanes --------------------------------------------------------------------------------------------- */

/* Converts the low VEC_LANES bits of a mask to lanes of ones and zeros. */
VEC_INLINE vec vec_mask(uint32_t bits) {
    static const uint32_t bit[16] = { 1,     2,     4,     8,     0x10,   0x20,   0x40,   0x80,
                                      0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000 };
    return (vec)((vec_load(bit) & bits) != 0);
}

/* Converts the low VEC_SHORTS bits of a mask likewise. */
VEC_INLINE vec_ushort vec_ushort_mask(uint32_t bits) {
    static const uint16_t bit[16] = { 1,     2,     4,     8,     0x10,   0x20,   0x40,   0x80,
                                      0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000 };
    return (vec_ushort)((vec_ushort_load(bit) & (uint16_t)bits) != 0);
}

/* Stores the lanes whose bit is set. */
VEC_INLINE void vec_store_masked(uint32_t *p, vec v, uint32_t bits) {
    vec_store(p, vec_select(vec_mask(bits), v, vec_load(p)));
}

/* Stores result to d from lane i on, in the lanes that are set in the mask of all 32. */
VEC_INLINE void vec_put(uint32_t *d, unsigned i, vec result, uint32_t mask) {
    if (mask == UINT32_MAX)
        vec_store(d + i, result);
    else
        vec_store_masked(d + i, result, mask >> i);
}

#endif
