/* Conversion from the formats of L1 to those of Src and Dst: UNPACR_Regular.md (WH, shared with BH); FP8 as on
 * Blackhole.
 *
 * Every conversion first makes a half of each datum, in one of three layouts; then it moves the bits to their
 * positions:
 *
 *     half           BF16  S EEEEEEEE MMMMMMM     FP16  S EEEEE MMMMMMMMMM     INT16  16 bits
 *     Src            sign and ten bits of mantissa; exponent
 *     Dst, 16 bits   BF16  S MMMMMMM EEEEEEEE     FP16  S MMMMMMMMMM EEEEE     INT16  as it is */
#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

/* ---- Reading ---------------------------------------------------------------------------------------- */

VEC_INLINE vec_ushort unpack_load8(const uint8_t *in) {
    return vec_ushort_widen(vec_byte_load_some(in, VEC_SHORTS));
}

/* Loads two data of four bits from each byte, the lower one first, and aligns them to the left in eight bits. */
VEC_INLINE vec_ushort unpack_load4(const uint8_t *in) {
    vec_byte v = vec_byte_load_some(in, VEC_SHORTS / 2);
    return vec_ushort_widen(vec_byte_zip((v & 0xF) << 4, v & 0xF0));
}

VEC_INLINE vec_ushort unpack_load2(const uint8_t *in) {
    vec_byte v = vec_byte_load_some(in, VEC_SHORTS / 4);
    v = vec_byte_zip(v & 0xF, v >> 4);
    return vec_ushort_widen(vec_byte_zip(v << 6, (v & 12) << 4));
}

/* Return the upper or the lower halves of 32-bit data. */
VEC_INLINE vec_ushort unpack_upper(const uint8_t *in) {
    vec_ushort a = vec_ushort_load(in), b = vec_ushort_load(in + sizeof a);
    return vec_ushort_odd(a, b);
}

VEC_INLINE vec_ushort unpack_lower(const uint8_t *in) {
    vec_ushort a = vec_ushort_load(in), b = vec_ushort_load(in + sizeof a);
    return vec_ushort_even(a, b);
}

/* ---- Halves ------------------------------------------------------------------------------------------- */

/* Converts data to halves. bad: set to nonzero where a datum does not fit its format. */
typedef vec_ushort unpack_decode(const uint8_t *in, unsigned exponent, vec_ushort *bad);

VEC_INLINE vec_ushort unpack_FP32_BF16(const uint8_t *in, unsigned exponent, vec_ushort *bad) {
    (void)exponent, (void)bad;
    vec_ushort upper = unpack_upper(in);
    return upper & ((vec_ushort)((upper & 0x7F80) != 0) | 0x8000);
}

/* Below the least exponent of FP16 the result is zero, above the greatest all bits are ones. */
VEC_INLINE vec_ushort unpack_FP32_FP16(const uint8_t *in, unsigned exponent, vec_ushort *bad) {
    (void)exponent, (void)bad;
    vec_ushort upper = unpack_upper(in), lower = unpack_lower(in);
    vec_ushort e = upper >> 7 & 0xFF;
    vec_ushort value = (e - 112) << 10 | (upper & 0x7F) << 3 | lower >> 13;
    value &= (vec_ushort)(e >= 112);
    value = vec_ushort_select((vec_ushort)(e > 143), vec_ushort_all(0x7FFF), value & 0x7FFF);
    return (upper & 0x8000) | value;
}

VEC_INLINE vec_ushort unpack_as_is(const uint8_t *in, unsigned exponent, vec_ushort *bad) {
    (void)exponent, (void)bad;
    return vec_ushort_load(in);
}

/* If exponent and mantissa are all ones, the added bits of the mantissa are ones as well. */
VEC_INLINE vec_ushort unpack_E5M2(const uint8_t *in, unsigned exponent, vec_ushort *bad) {
    (void)exponent, (void)bad;
    vec_ushort x = unpack_load8(in);
    return x << 8 | ((vec_ushort)((x & 0x7F) == 0x7F) & 0xFF);
}

VEC_INLINE vec_ushort unpack_E4M3(const uint8_t *in, unsigned exponent, vec_ushort *bad) {
    (void)exponent, (void)bad;
    vec_ushort x = unpack_load8(in);
    vec_ushort value = (x & 0x7F) << 7;
    value += (vec_ushort)((x & 0x78) != 0) & (8 << 10);
    return (x & 0x80) << 8 | value | ((vec_ushort)((x & 0x7F) == 0x7F) & 0x7F);
}

/* Returns the magnitude as the mantissa of an FP16 number with exponent 16. */
VEC_INLINE vec_ushort unpack_magnitude(vec_ushort magnitude) {
    return magnitude | ((vec_ushort)(magnitude != 0) & (16 << 10));
}

VEC_INLINE vec_ushort unpack_INT8(const uint8_t *in, unsigned exponent, vec_ushort *bad) {
    (void)exponent, (void)bad;
    vec_ushort x = unpack_load8(in);
    return (x & 0x80) << 8 | unpack_magnitude(x & 0x7F);
}

VEC_INLINE vec_ushort unpack_UINT8(const uint8_t *in, unsigned exponent, vec_ushort *bad) {
    (void)exponent, (void)bad;
    return unpack_magnitude(unpack_load8(in));
}

/* Converts seven bits of magnitude to BF16, which has room for all of them; the host's conversion normalises. */
VEC_INLINE vec_ushort unpack_normalise(vec_ushort magnitude) {
    vec_pair_int even = (vec_pair_int)((vec_pair)magnitude & 0xFFFF), odd = (vec_pair_int)((vec_pair)magnitude >> 16);
    vec_pair low = (vec_pair) __builtin_convertvector(even, vec_pair_float);
    vec_pair high = (vec_pair) __builtin_convertvector(odd, vec_pair_float);
    return (vec_ushort)(low >> 16 | (high & 0xFFFF0000));
}

enum { UNPACK_BIAS = 127 + 6 /* exponent of a magnitude of seven bits with the highest bit set */ };

/* Converts a sign and seven bits to BF16; the exponent wraps around. A sign without magnitude is minus infinity. */
VEC_INLINE vec_ushort unpack_shared(vec_ushort x, unsigned shared) {
    vec_ushort minus = x << 8 & 0x8000, magnitude = x & 0x7F;
    vec_ushort some = (vec_ushort)(magnitude != 0), infinite = (vec_ushort)(x == 0x80) & 0x7F80;
    vec_ushort value = unpack_normalise(magnitude) + (uint16_t)((shared - UNPACK_BIAS) << 7);
    return minus | (value & 0x7FFF & some) | infinite;
}

/* Converts them to FP16, whose exponent does not wrap around. */
VEC_INLINE vec_ushort unpack_shared_a(vec_ushort x, unsigned shared, vec_ushort *bad) {
    vec_ushort minus = x << 8 & 0x8000, magnitude = x & 0x7F;
    vec_ushort some = (vec_ushort)(magnitude != 0), infinite = (vec_ushort)(x == 0x80) & 0x7C00;
    vec_ushort value = unpack_normalise(magnitude) + (uint16_t)((shared - UNPACK_BIAS) << 7);
    *bad |= value & 0x7000 & some;
    return minus | ((value << 3 & 0x7FF0) & some) | infinite;
}

#define UNPACK_SHARED(bits) \
    VEC_INLINE vec_ushort unpack_BFP##bits(const uint8_t *in, unsigned exponent, vec_ushort *bad) { \
        (void)bad; \
        return unpack_shared(unpack_load##bits(in), exponent); \
    } \
    VEC_INLINE vec_ushort unpack_BFP##bits##A(const uint8_t *in, unsigned exponent, vec_ushort *bad) { \
        return unpack_shared_a(unpack_load##bits(in), exponent, bad); \
    }
UNPACK_SHARED(8)
UNPACK_SHARED(4)
UNPACK_SHARED(2)

/* ---- Writing -------------------------------------------------------------------------------------------- */

typedef void unpack_write(uint16_t *a, uint16_t *b, vec_ushort half);

VEC_INLINE void unpack_src_bf16(uint16_t *a, uint16_t *b, vec_ushort half) {
    vec_ushort_store(a, (half & 0x8000) | (half & 0x7F) << 3);
    vec_ushort_store(b, half >> 7 & 0xFF);
}

VEC_INLINE void unpack_src_fp16(uint16_t *a, uint16_t *b, vec_ushort half) {
    vec_ushort_store(a, half & 0x83FF);
    vec_ushort_store(b, half >> 10 & 0x1F);
}

VEC_INLINE void unpack_src_int16(uint16_t *a, uint16_t *b, vec_ushort half) {
    vec_ushort_store(a, (half & 0x8000) | (half >> 5 & 0x3F8));
    vec_ushort_store(b, half & 0xFF);
}

VEC_INLINE void unpack_dst_bf16(uint16_t *a, uint16_t *b, vec_ushort half) {
    (void)b;
    vec_ushort_store(a, (half & 0x8000) | (half & 0x7F) << 8 | (half >> 7 & 0xFF));
}

VEC_INLINE void unpack_dst_fp16(uint16_t *a, uint16_t *b, vec_ushort half) {
    (void)b;
    vec_ushort_store(a, (half & 0x8000) | (half & 0x3FF) << 5 | (half >> 10 & 0x1F));
}

VEC_INLINE void unpack_dst_int16(uint16_t *a, uint16_t *b, vec_ushort half) {
    (void)b;
    vec_ushort_store(a, half);
}

/* ---- Kernels -------------------------------------------------------------------------------------------- */

/* Converts rows. bits: of a datum in L1. */
VEC_INLINE uint32_t unpack_each(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, unsigned step,
                                unsigned rows, unsigned bits, bool shared, unpack_decode *decode, unpack_write *write) {
    vec_ushort bad = { 0 };
    for (unsigned row = 0; row < rows; row++) {
        unsigned exponent = shared ? exponents[row * step] : 0;
        for (unsigned i = 0; i < UNPACK_ROW; i += VEC_SHORTS) {
            write(a, b, decode(in, exponent, &bad));
            a += VEC_SHORTS;
            b += VEC_SHORTS;
            in += VEC_SHORTS * bits / 8;
        }
    }
    return vec_ushort_any(bad);
}

#define UNPACK_KERNELS_OF(path, bits, shared, decode, layout) \
    static uint32_t unpack_to_src_##path(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, \
                                         unsigned step, unsigned rows) { \
        return unpack_each(a, b, in, exponents, step, rows, bits, shared, decode, unpack_src_##layout); \
    } \
    static uint32_t unpack_to_dst_##path(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, \
                                         unsigned step, unsigned rows) { \
        (void)b; \
        return unpack_each(a, a, in, exponents, step, rows, bits, shared, decode, unpack_dst_##layout); \
    }
UNPACK_KERNELS_OF(FP32_BF16, 32, false, unpack_FP32_BF16, bf16)
UNPACK_KERNELS_OF(FP32_FP16, 32, false, unpack_FP32_FP16, fp16)
UNPACK_KERNELS_OF(BF16, 16, false, unpack_as_is, bf16)
UNPACK_KERNELS_OF(FP16, 16, false, unpack_as_is, fp16)
UNPACK_KERNELS_OF(INT16, 16, false, unpack_as_is, int16)
UNPACK_KERNELS_OF(E5M2, 8, false, unpack_E5M2, fp16)
UNPACK_KERNELS_OF(E4M3, 8, false, unpack_E4M3, fp16)
UNPACK_KERNELS_OF(INT8, 8, false, unpack_INT8, fp16)
UNPACK_KERNELS_OF(UINT8, 8, false, unpack_UINT8, fp16)
UNPACK_KERNELS_OF(BFP8, 8, true, unpack_BFP8, bf16)
UNPACK_KERNELS_OF(BFP4, 4, true, unpack_BFP4, bf16)
UNPACK_KERNELS_OF(BFP2, 2, true, unpack_BFP2, bf16)
UNPACK_KERNELS_OF(BFP8A, 8, true, unpack_BFP8A, fp16)
UNPACK_KERNELS_OF(BFP4A, 4, true, unpack_BFP4A, fp16)
UNPACK_KERNELS_OF(BFP2A, 2, true, unpack_BFP2A, fp16)

static uint32_t unpack_to_src_TF32(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, unsigned step,
                                   unsigned rows) {
    (void)exponents, (void)step;
    for (unsigned i = 0; i < rows * UNPACK_ROW; i += VEC_SHORTS, in += VEC_SHORTS * 4) {
        vec_ushort upper = unpack_upper(in), lower = unpack_lower(in);
        vec_ushort_store(a + i, (upper & 0x8000) | (upper & 0x7F) << 3 | lower >> 13);
        vec_ushort_store(b + i, upper >> 7 & 0xFF);
    }
    return 0;
}

static uint32_t unpack_to_dst_WORD(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, unsigned step,
                                   unsigned rows) {
    (void)exponents, (void)step;
    for (unsigned i = 0; i < rows * UNPACK_ROW; i += VEC_SHORTS, in += VEC_SHORTS * 4) {
        unpack_dst_bf16(a + i, b + i, unpack_upper(in));
        vec_ushort_store(b + i, unpack_lower(in));
    }
    return 0;
}

static void unpack_fill(uint16_t *to, uint16_t value, unsigned rows) {
    enum { EIGHT_ROWS = 8 * UNPACK_ROW };
    for (; rows; rows -= 8, to += EIGHT_ROWS) {
        VEC_UNROLL for (unsigned i = 0; i < EIGHT_ROWS; i += VEC_SHORTS) {
            vec_ushort_store(to + i, vec_ushort_all(value));
        }
    }
}

#define UNPACK_BOTH(X) \
    X(FP32_BF16) \
    X(FP32_FP16) \
    X(BF16) X(FP16) X(INT16) X(E5M2) X(E4M3) X(INT8) X(UINT8) X(BFP8) X(BFP4) X(BFP2) X(BFP8A) X(BFP4A) X(BFP2A)
#define UNPACK_TO_SRC(path) [UNPACK_##path] = unpack_to_src_##path,
#define UNPACK_TO_DST(path) [UNPACK_##path] = unpack_to_dst_##path,
#define UNPACK_KERNELS \
    { \
        .to_src = { UNPACK_TO_SRC(TF32) UNPACK_BOTH(UNPACK_TO_SRC) }, \
        .to_dst = { UNPACK_TO_DST(WORD) UNPACK_BOTH(UNPACK_TO_DST) }, .fill = unpack_fill, \
    }
