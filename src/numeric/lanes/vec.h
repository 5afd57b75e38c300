/* As many 32-bit lanes as a register of the host holds, as types that gcc and clang do arithmetic on.
 *
 * Only for the files that lanes.c puts together: VEC_LANES follows from the level that is being compiled for. */
#ifndef NUMERIC_LANES_VEC_H
#define NUMERIC_LANES_VEC_H

#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
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

/* Runs a statement over the lanes: i is the first of VEC_LANES. The case of all lanes is compiled apart. */
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
#else
VEC_INLINE uint32_t vec_bits(vec v) {
    v = v >> 31 << (vec){ 0, 1, 2, 3 };
    return v[0] | v[1] | v[2] | v[3];
}
#endif

#endif
