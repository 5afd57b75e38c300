/* Moves between LRegs and Dst: SFPLOAD.md, SFPSTORE.md, Dst.md (BH).
 *
 *     Dst, 16 bits   BF16  S MMMMMMM EEEEEEEE     FP16, INT8  S MMMMMMMMMM EEEEE     INT16  S and 15 of magnitude
 *     Dst, 32 bits   the upper half as BF16, the lower as it is */
#include <stdbool.h>

#include "numeric/lanes/fused.h"
#include "numeric/lanes/lanes.h"

static void fill(uint32_t *d, uint32_t value, uint32_t mask) {
    VEC_EACH(i)
    vec_put(d, i, vec_all(value), mask);
}

static void dst_index(uint32_t *d, unsigned row, uint32_t odd, uint32_t mask) {
    static const uint32_t twice[LANES] = { 0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                                           32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62 };
    VEC_EACH(i)
    vec_put(d, i, (vec_load(twice + i) + (row << 4)) | (vec_mask(odd >> i) & 1), mask);
}

/* ---- Columns --------------------------------------------------------------------------------------- */

/* The columns that lanes access: even ones, odd ones, or a choice for each lane. Nearly all code uses one of the first
 * two with all lanes enabled, so there are kernels for these. */
enum move_side { MOVE_EVEN, MOVE_ODD, MOVE_MIXED };

VEC_INLINE vec move_pairs(const uint16_t *dst, unsigned i) {
    vec v;
    memcpy(&v, dst + 2 * i, sizeof v);
    return v;
}

/* Returns one datum of each pair. odd: mask of the lanes that take the odd column. */
VEC_INLINE vec move_take(vec pair, enum move_side side, vec odd) {
    switch (side) {
    case MOVE_EVEN: return pair & 0xFFFF;
    case MOVE_ODD: return pair >> 16;
    default: return vec_select(odd, pair >> 16, pair & 0xFFFF);
    }
}

/* Returns the pairs with one datum of each replaced by 16 bits of value. */
VEC_INLINE vec move_give(vec pair, vec value, enum move_side side, vec odd) {
    switch (side) {
    case MOVE_EVEN: return (pair & 0xFFFF0000) | value;
    case MOVE_ODD: return (pair & 0xFFFF) | value << 16;
    default: return vec_select(odd, (pair & 0xFFFF) | value << 16, (pair & 0xFFFF0000) | value);
    }
}

VEC_INLINE void move_keep(uint16_t *dst, unsigned i, vec pairs, uint32_t mask) {
    if (mask != UINT32_MAX)
        pairs = vec_select(vec_mask(mask >> i), pairs, move_pairs(dst, i));
    memcpy(dst + 2 * i, &pairs, sizeof pairs);
}

/* ---- Loads --------------------------------------------------------------------------------------- */

/* Converts data from Dst. h: 16 bits of each lane; low: the lower half of 32-bit data. */
typedef vec move_decode(vec h, vec low, vec old, vec infinity);

VEC_INLINE vec decode_FP16(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)old;
    vec sign = (h & 0x8000) << 16, exponent = h & 0x1F;
    vec bias = (vec)(exponent != 0) & 112 << 23;
    vec value = ((exponent << 23) + bias) | (h & 0x7FE0) << 8;
    vec infinite = (vec)((h & 0x7FFF) == 0x7FFF) & infinity;
    return sign | vec_select(infinite, vec_all(0x7F800000), value);
}

VEC_INLINE vec decode_BF16(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)old, (void)infinity;
    return (h & FUSED(dst_sign)) << 16 | (h & FUSED(dst_exponent)) << 23 | (h & FUSED(dst_mantissa)) << 8;
}

VEC_INLINE vec decode_FP32(vec h, vec low, vec old, vec infinity) {
    return decode_BF16(h, low, old, infinity) | low;
}

VEC_INLINE vec decode_INT8(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)old, (void)infinity;
    return (h & 0x8000) << 16 | (h >> 5 & 0xFF);
}

VEC_INLINE vec decode_INT8_COMP(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)old, (void)infinity;
    return (h & 0x8000) << 16 | (h >> 5 & 0x3FF);
}

VEC_INLINE vec decode_INT16(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)old, (void)infinity;
    return (h & 0x8000) << 16 | (h & 0x7FFF);
}

VEC_INLINE vec decode_UINT16(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)old, (void)infinity;
    return h;
}

VEC_INLINE vec decode_HI16(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)old, (void)infinity;
    return h << 16;
}

VEC_INLINE vec decode_LO16_ONLY(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)infinity;
    return (old & 0xFFFF0000) | h;
}

VEC_INLINE vec decode_HI16_ONLY(vec h, vec low, vec old, vec infinity) {
    (void)low, (void)infinity;
    return (old & 0xFFFF) | h << 16;
}

VEC_INLINE vec decode_ZERO(vec h, vec low, vec old, vec infinity) {
    (void)h, (void)low, (void)old, (void)infinity;
    return vec_all(0);
}

VEC_INLINE void load_some(uint32_t *d, const uint16_t *dst, const uint32_t *old, unsigned i, uint32_t odd,
                          uint32_t infinity, uint32_t mask, enum move_side side, bool wide, move_decode *decode) {
    vec odds = vec_mask(odd >> i);
    vec h = move_take(move_pairs(dst, i), side, odds);
    vec low = wide ? move_take(move_pairs(dst + MOVE_LOW, i), side, odds) : vec_all(0);
    vec_put(d, i, decode(h, low, vec_load(old + i), vec_mask(infinity >> i)), mask);
}

VEC_INLINE void load_side(uint32_t *d, const uint16_t *dst, uint32_t infinity, enum move_side side, bool wide,
                          move_decode *decode) {
    VEC_UNROLL
    VEC_EACH(i)
    load_some(d, dst, d, i, 0, infinity, LANES_ALL, side, wide, decode);
}

VEC_INLINE void load_mixed(uint32_t *d, const uint16_t *dst, const uint32_t *old, uint32_t odd, uint32_t infinity,
                           uint32_t mask, bool wide, move_decode *decode) {
    VEC_EACH(i)
    load_some(d, dst, old, i, odd, infinity, mask, MOVE_MIXED, wide, decode);
}

#define MOVE_LOAD_SOME(name, wide) \
    static uint64_t load_##name(uint32_t *d, const uint16_t *dst, const uint32_t *old, uint32_t odd, \
                                uint32_t infinity, uint32_t mask) { \
        load_mixed(d, dst, old, odd, infinity, mask, wide, decode_##name); \
        return 0; \
    }
#define MOVE_LOAD(name, wide) \
    MOVE_LOAD_SOME(name, wide) \
    static uint64_t load_even_##name(uint32_t *d, const uint16_t *dst, uint32_t infinity) { \
        load_side(d, dst, infinity, MOVE_EVEN, wide, decode_##name); \
        return 0; \
    } \
    static uint64_t load_odd_##name(uint32_t *d, const uint16_t *dst, uint32_t infinity) { \
        load_side(d, dst, infinity, MOVE_ODD, wide, decode_##name); \
        return 0; \
    }
MOVE_LOAD(FP16, false)
MOVE_LOAD(INT8, false)
MOVE_LOAD(INT8_COMP, false)
MOVE_LOAD(INT16, false)
MOVE_LOAD(UINT16, false)
MOVE_LOAD(HI16, false)
MOVE_LOAD(LO16_ONLY, false)
MOVE_LOAD(HI16_ONLY, false)
MOVE_LOAD(ZERO, false)

/* ---- Stores --------------------------------------------------------------------------------------- */

/* Converts data to Dst. The upper half of the result goes to the row, the lower half to the row of lower halves, if
 * there is one. */
typedef vec move_encode(vec x);

VEC_INLINE vec encode_INT32(vec x) {
    return (x & 0x8000FFFF) | (x << 8 & 0x7F000000) | (x >> 7 & 0xFF0000);
}

/* Denormals lose their mantissa. */
VEC_INLINE vec encode_FP32(vec x) {
    vec exponent = x >> 7 & 0xFF0000;
    vec mantissa = (x & 0xFFFF) | (x << 8 & 0x7F000000);
    return (x & 0x80000000) | exponent | (mantissa & ~(vec)(exponent == 0));
}

VEC_INLINE vec encode_BF16(vec x) {
    vec exponent = x >> 7 & FUSED(upper_exponent);
    return (x & FUSED(sign)) | exponent | ((x << 8 & FUSED(upper_mantissa)) & ~(vec)(exponent == 0));
}

VEC_INLINE vec encode_FP16(vec x) {
    vec exponent = x >> 23 & 0xFF;
    vec value = (x << 8 & 0x7FE00000) | (exponent - 112) << 16;
    vec normal = (vec)(exponent > 112), huge = (vec)(exponent > 143);
    return (x & 0x80000000) | (((value & normal) | huge) & 0x7FFF0000);
}

VEC_INLINE vec encode_INT8(vec x) {
    return (x & 0x80000000) | (x & 0x3FF) << 21 | 16 << 16;
}

VEC_INLINE vec encode_INT16(vec x) {
    return (x & 0x80000000) | (x & 0x7FFF) << 16;
}

VEC_INLINE vec encode_UINT16(vec x) {
    return x << 16;
}

VEC_INLINE vec encode_HI16(vec x) {
    return x;
}

VEC_INLINE vec encode_LO16(vec x) {
    return x << 16 | x >> 16;
}

VEC_INLINE vec encode_ZERO(vec x) {
    (void)x;
    return vec_all(0);
}

VEC_INLINE void store_some(uint16_t *dst, const uint32_t *s, unsigned i, uint32_t odd, uint32_t mask,
                           enum move_side side, bool wide, move_encode *encode) {
    vec odds = vec_mask(odd >> i), value = encode(vec_load(s + i));
    move_keep(dst, i, move_give(move_pairs(dst, i), value >> 16, side, odds), mask);
    if (wide) {
        uint16_t *low = dst + MOVE_LOW;
        move_keep(low, i, move_give(move_pairs(low, i), value & 0xFFFF, side, odds), mask);
    }
}

VEC_INLINE void store_side(uint16_t *dst, const uint32_t *s, enum move_side side, bool wide, move_encode *encode) {
    VEC_UNROLL
    VEC_EACH(i)
    store_some(dst, s, i, 0, LANES_ALL, side, wide, encode);
}

VEC_INLINE void store_mixed(uint16_t *dst, const uint32_t *s, uint32_t odd, uint32_t mask, bool wide,
                            move_encode *encode) {
    VEC_EACH(i)
    store_some(dst, s, i, odd, mask, MOVE_MIXED, wide, encode);
}

#define MOVE_STORE_SOME(name, wide, encode) \
    static uint64_t store_##name(uint16_t *dst, const uint32_t *s, uint32_t odd, uint32_t mask) { \
        store_mixed(dst, s, odd, mask, wide, encode); \
        return 0; \
    }
#define MOVE_STORE(name, wide, encode) \
    MOVE_STORE_SOME(name, wide, encode) \
    static uint64_t store_even_##name(uint16_t *dst, const uint32_t *s) { \
        store_side(dst, s, MOVE_EVEN, wide, encode); \
        return 0; \
    } \
    static uint64_t store_odd_##name(uint16_t *dst, const uint32_t *s) { \
        store_side(dst, s, MOVE_ODD, wide, encode); \
        return 0; \
    }
MOVE_STORE(FP16, false, encode_FP16)
MOVE_STORE(INT8, false, encode_INT8)
MOVE_STORE(INT16, false, encode_INT16)
MOVE_STORE(UINT16, false, encode_UINT16)
MOVE_STORE(HI16_ONLY, false, encode_HI16)
MOVE_STORE(HI16, true, encode_HI16)
MOVE_STORE(LO16, true, encode_LO16)
MOVE_STORE(ZERO, false, encode_ZERO)

#if VEC_NEON
#include "numeric/lanes/move_neon.h"
#else
MOVE_LOAD(FP32, true)
MOVE_LOAD_SOME(BF16, false)
MOVE_STORE(FP32, true, encode_FP32)
MOVE_STORE(INT32, true, encode_INT32)
MOVE_STORE_SOME(BF16, false, encode_BF16)

/* ---- BF16 in all lanes -------------------------------------------------------------------------------
 *
 * What nearly all code does. 16 bits of two registers' lanes are converted as halves of one. */

VEC_INLINE vec bf16_from_dst(vec pair) {
    vec_half x = (vec_half)pair;
    vec mantissa = (vec)(x >> 8) & FUSED(bf16_mantissa), exponent = (vec)((vec_half)(pair & FUSED(dst_exponent)) << 7);
    return (pair & FUSED(dst_sign)) | exponent | mantissa;
}

/* Denormals lose their mantissa. */
VEC_INLINE vec bf16_to_dst(vec pair) {
    vec_half x = (vec_half)pair, exponent = (vec_half)((vec)(x >> 7) & FUSED(dst_exponent));
    vec mantissa = (vec)(x << 8) & FUSED(dst_mantissa) & ~(vec)(exponent == 0);
    return (pair & FUSED(dst_sign)) | (vec)exponent | mantissa;
}

VEC_INLINE uint64_t load_bf16_side(uint32_t *d, const uint16_t *dst, enum move_side side) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        vec a = move_pairs(dst, i), b = move_pairs(dst, i + VEC_LANES);
        vec both = bf16_from_dst(side == MOVE_EVEN ? vec_halves(a, b << 16) : vec_halves(a >> 16, b));
        vec_store(d + i, both << 16);
        vec_store(d + i + VEC_LANES, both & 0xFFFF0000);
    }
    return 0;
}

VEC_INLINE uint64_t store_bf16_side(uint16_t *dst, const uint32_t *s, enum move_side side) {
    VEC_UNROLL
    for (unsigned i = 0; i < LANES; i += 2 * VEC_LANES) {
        vec a = move_pairs(dst, i), b = move_pairs(dst, i + VEC_LANES);
        vec both = bf16_to_dst(vec_halves(vec_load(s + i) >> 16, vec_load(s + i + VEC_LANES)));
        a = side == MOVE_EVEN ? vec_halves(both, a) : vec_halves(a, both << 16);
        b = side == MOVE_EVEN ? vec_halves(both >> 16, b) : vec_halves(b, both);
        memcpy(dst + 2 * i, &a, sizeof a);
        memcpy(dst + 2 * (i + VEC_LANES), &b, sizeof b);
    }
    return 0;
}

static uint64_t load_even_BF16(uint32_t *d, const uint16_t *dst, uint32_t infinity) {
    (void)infinity;
    return load_bf16_side(d, dst, MOVE_EVEN);
}

static uint64_t load_odd_BF16(uint32_t *d, const uint16_t *dst, uint32_t infinity) {
    (void)infinity;
    return load_bf16_side(d, dst, MOVE_ODD);
}

static uint64_t store_even_BF16(uint16_t *dst, const uint32_t *s) {
    return store_bf16_side(dst, s, MOVE_EVEN);
}

static uint64_t store_odd_BF16(uint16_t *dst, const uint32_t *s) {
    return store_bf16_side(dst, s, MOVE_ODD);
}

#endif

/* ---- The table ------------------------------------------------------------------------------------- */

/* Kernels by format, whose names begin with kind. */
#define MOVE_LOADS(kind) \
    { \
        [MOVE_FP16] = kind##FP16, [MOVE_BF16] = kind##BF16, [MOVE_FP32] = kind##FP32, [MOVE_INT32] = kind##FP32, \
        [MOVE_INT8] = kind##INT8, [MOVE_UINT16] = kind##UINT16, [MOVE_HI16] = kind##HI16, [MOVE_INT16] = kind##INT16, \
        [MOVE_LO16] = kind##UINT16, [MOVE_INT32_ALL] = kind##FP32, [MOVE_ZERO] = kind##ZERO, \
        [MOVE_INT32_SM] = kind##FP32, [MOVE_INT8_COMP] = kind##INT8_COMP, [MOVE_LO16_ONLY] = kind##LO16_ONLY, \
        [MOVE_HI16_ONLY] = kind##HI16_ONLY, \
    }
#define MOVE_STORES(kind) \
    { \
        [MOVE_FP16] = kind##FP16, [MOVE_BF16] = kind##BF16, [MOVE_FP32] = kind##FP32, [MOVE_INT32] = kind##INT32, \
        [MOVE_INT8] = kind##INT8, [MOVE_UINT16] = kind##UINT16, [MOVE_HI16] = kind##HI16, [MOVE_INT16] = kind##INT16, \
        [MOVE_LO16] = kind##LO16, [MOVE_INT32_ALL] = kind##INT32, [MOVE_ZERO] = kind##ZERO, \
        [MOVE_INT32_SM] = kind##INT32, [MOVE_INT8_COMP] = kind##INT8, [MOVE_LO16_ONLY] = kind##UINT16, \
        [MOVE_HI16_ONLY] = kind##HI16_ONLY, \
    }
#define MOVE_KERNELS \
    { \
        .fill = fill, .index = dst_index, .load = MOVE_LOADS(load_), .store = MOVE_STORES(store_), \
        .load_all = { MOVE_LOADS(load_even_), MOVE_LOADS(load_odd_) }, \
        .store_all = { MOVE_STORES(store_even_), MOVE_STORES(store_odd_) }, \
    }
