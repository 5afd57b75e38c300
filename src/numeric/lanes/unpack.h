/* From the formats of L1 to those of Src and Dst: UNPACR_Regular.md (WH, shared with BH); FP8 as on Blackhole.
 *
 * Every way first makes a half of each datum, in one of three layouts; what is left is where its bits go:
 *
 *     half           BF16  S EEEEEEEE MMMMMMM     FP16  S EEEEE MMMMMMMMMM     INT16  16 bits
 *     Src            sign and ten bits of mantissa; exponent
 *     Dst, 16 bits   BF16  S MMMMMMM EEEEEEEE     FP16  S MMMMMMMMMM EEEEE     INT16  as it is
 */
#include "numeric/lanes/lanes.h"
#include "numeric/matrix/simd.h"

typedef uint16_t unpack_half __attribute__((vector_size(VEC_SHORTS * 2)));
typedef uint32_t unpack_pair __attribute__((vector_size(VEC_SHORTS * 2)));
typedef uint64_t unpack_four __attribute__((vector_size(VEC_SHORTS * 2)));
typedef uint8_t unpack_bytes __attribute__((vector_size(16)));
typedef uint64_t unpack_two __attribute__((vector_size(16)));
typedef int32_t unpack_int __attribute__((vector_size(VEC_SHORTS * 2)));
typedef float unpack_float __attribute__((vector_size(VEC_SHORTS * 2)));

#if defined(__AVX2__)
#define UNPACK_ODD  1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define UNPACK_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#else
#define UNPACK_ODD  1, 3, 5, 7, 9, 11, 13, 15
#define UNPACK_EVEN 0, 2, 4, 6, 8, 10, 12, 14
#endif

/* ---- Reading ---------------------------------------------------------------------------------------- */

VEC_INLINE unpack_half unpack_all(unsigned value) {
    return (unpack_half){ 0 } + (uint16_t)value;
}

VEC_INLINE unpack_half unpack_pick(unpack_half mask, unpack_half a, unpack_half b) {
    return (a & mask) | (b & ~mask);
}

VEC_INLINE unpack_half unpack_load16(const uint8_t *in) {
    unpack_half v;
    memcpy(&v, in, sizeof v);
    return v;
}

/* 16 bytes, of which the first `size` are read; up to eight through a register, not through memory. */
VEC_INLINE unpack_bytes unpack_some(const uint8_t *in, unsigned size) {
    uint64_t some = 0;
    unpack_bytes v;
    if (size == sizeof v)
        memcpy(&v, in, sizeof v);
    else
        memcpy(&some, in, size), v = (unpack_bytes)(unpack_two){ some, 0 };
    return v;
}

/* The first bytes as halves. */
#if defined(__AVX2__)
VEC_INLINE unpack_half unpack_widen(unpack_bytes v) {
    return __builtin_convertvector(v, unpack_half);
}
#else
VEC_INLINE unpack_half unpack_widen(unpack_bytes v) {
    unpack_bytes zero = { 0 };
    return (unpack_half)__builtin_shufflevector(v, zero, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
#endif

/* One from each in turn, of the first eight. */
VEC_INLINE unpack_bytes unpack_mix(unpack_bytes a, unpack_bytes b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

VEC_INLINE unpack_half unpack_load8(const uint8_t *in) {
    return unpack_widen(unpack_some(in, VEC_SHORTS));
}

/* Two of four bits in each byte, the lower first; left-aligned in eight bits. */
VEC_INLINE unpack_half unpack_load4(const uint8_t *in) {
    unpack_bytes v = unpack_some(in, VEC_SHORTS / 2);
    return unpack_widen(unpack_mix((v & 0xF) << 4, v & 0xF0));
}

VEC_INLINE unpack_half unpack_load2(const uint8_t *in) {
    unpack_bytes v = unpack_some(in, VEC_SHORTS / 4);
    v = unpack_mix(v & 0xF, v >> 4);
    return unpack_widen(unpack_mix(v << 6, (v & 12) << 4));
}

/* The upper and the lower halves of 32-bit data. */
VEC_INLINE unpack_half unpack_upper(const uint8_t *in) {
    unpack_half a = unpack_load16(in), b = unpack_load16(in + sizeof a);
    return __builtin_shufflevector(a, b, UNPACK_ODD);
}

VEC_INLINE unpack_half unpack_lower(const uint8_t *in) {
    unpack_half a = unpack_load16(in), b = unpack_load16(in + sizeof a);
    return __builtin_shufflevector(a, b, UNPACK_EVEN);
}

/* ---- Halves ------------------------------------------------------------------------------------------- */

/* bad: not 0 where a datum cannot be told. */
typedef unpack_half unpack_decode(const uint8_t *in, unsigned exponent, unpack_half *bad);

VEC_INLINE unpack_half unpack_FP32_BF16(const uint8_t *in, unsigned exponent, unpack_half *bad) {
    (void)exponent, (void)bad;
    unpack_half upper = unpack_upper(in);
    return upper & ((unpack_half)((upper & 0x7F80) != 0) | 0x8000);
}

/* Below the least exponent of FP16 nothing is left, above the largest everything is ones. */
VEC_INLINE unpack_half unpack_FP32_FP16(const uint8_t *in, unsigned exponent, unpack_half *bad) {
    (void)exponent, (void)bad;
    unpack_half upper = unpack_upper(in), lower = unpack_lower(in);
    unpack_half e = upper >> 7 & 0xFF;
    unpack_half value = (e - 112) << 10 | (upper & 0x7F) << 3 | lower >> 13;
    value &= (unpack_half)(e >= 112);
    value = unpack_pick((unpack_half)(e > 143), unpack_all(0x7FFF), value & 0x7FFF);
    return (upper & 0x8000) | value;
}

VEC_INLINE unpack_half unpack_as_is(const uint8_t *in, unsigned exponent, unpack_half *bad) {
    (void)exponent, (void)bad;
    return unpack_load16(in);
}

/* With all ones in exponent and mantissa, so is the rest of the mantissa. */
VEC_INLINE unpack_half unpack_E5M2(const uint8_t *in, unsigned exponent, unpack_half *bad) {
    (void)exponent, (void)bad;
    unpack_half x = unpack_load8(in);
    return x << 8 | ((unpack_half)((x & 0x7F) == 0x7F) & 0xFF);
}

VEC_INLINE unpack_half unpack_E4M3(const uint8_t *in, unsigned exponent, unpack_half *bad) {
    (void)exponent, (void)bad;
    unpack_half x = unpack_load8(in);
    unpack_half value = (x & 0x7F) << 7;
    value += (unpack_half)((x & 0x78) != 0) & (8 << 10);
    return (x & 0x80) << 8 | value | ((unpack_half)((x & 0x7F) == 0x7F) & 0x7F);
}

/* The magnitude as mantissa of FP16, with an exponent of 16. */
VEC_INLINE unpack_half unpack_magnitude(unpack_half magnitude) {
    return magnitude | ((unpack_half)(magnitude != 0) & (16 << 10));
}

VEC_INLINE unpack_half unpack_INT8(const uint8_t *in, unsigned exponent, unpack_half *bad) {
    (void)exponent, (void)bad;
    unpack_half x = unpack_load8(in);
    return (x & 0x80) << 8 | unpack_magnitude(x & 0x7F);
}

VEC_INLINE unpack_half unpack_UINT8(const uint8_t *in, unsigned exponent, unpack_half *bad) {
    (void)exponent, (void)bad;
    return unpack_magnitude(unpack_load8(in));
}

/* Seven bits of magnitude as BF16, which has room for all of them: the host's conversion normalises. */
VEC_INLINE unpack_half unpack_normalise(unpack_half magnitude) {
    unpack_int even = (unpack_int)((unpack_pair)magnitude & 0xFFFF), odd = (unpack_int)((unpack_pair)magnitude >> 16);
    unpack_pair low = (unpack_pair) __builtin_convertvector(even, unpack_float);
    unpack_pair high = (unpack_pair) __builtin_convertvector(odd, unpack_float);
    return (unpack_half)(low >> 16 | (high & 0xFFFF0000));
}

enum { UNPACK_BIAS = 127 + 6 /* of a magnitude of seven bits with the highest set */ };

/* Sign and seven bits, to BF16: the exponent wraps around. No magnitude but a sign is minus infinity. */
VEC_INLINE unpack_half unpack_shared(unpack_half x, unsigned shared) {
    unpack_half minus = x << 8 & 0x8000, magnitude = x & 0x7F;
    unpack_half some = (unpack_half)(magnitude != 0), infinite = (unpack_half)(x == 0x80) & 0x7F80;
    unpack_half value = unpack_normalise(magnitude) + (uint16_t)((shared - UNPACK_BIAS) << 7);
    return minus | (value & 0x7FFF & some) | infinite;
}

/* The same to FP16, whose exponent does not wrap around. */
VEC_INLINE unpack_half unpack_shared_a(unpack_half x, unsigned shared, unpack_half *bad) {
    unpack_half minus = x << 8 & 0x8000, magnitude = x & 0x7F;
    unpack_half some = (unpack_half)(magnitude != 0), infinite = (unpack_half)(x == 0x80) & 0x7C00;
    unpack_half value = unpack_normalise(magnitude) + (uint16_t)((shared - UNPACK_BIAS) << 7);
    *bad |= value & 0x7000 & some;
    return minus | ((value << 3 & 0x7FF0) & some) | infinite;
}

#define UNPACK_SHARED(bits) \
    VEC_INLINE unpack_half unpack_BFP##bits(const uint8_t *in, unsigned exponent, unpack_half *bad) { \
        (void)bad; \
        return unpack_shared(unpack_load##bits(in), exponent); \
    } \
    VEC_INLINE unpack_half unpack_BFP##bits##A(const uint8_t *in, unsigned exponent, unpack_half *bad) { \
        return unpack_shared_a(unpack_load##bits(in), exponent, bad); \
    }
UNPACK_SHARED(8)
UNPACK_SHARED(4)
UNPACK_SHARED(2)

/* ---- Writing -------------------------------------------------------------------------------------------- */

typedef void unpack_write(uint16_t *a, uint16_t *b, unpack_half half);

VEC_INLINE void unpack_store(uint16_t *p, unpack_half v) {
    memcpy(p, &v, sizeof v);
}

VEC_INLINE void unpack_src_bf16(uint16_t *a, uint16_t *b, unpack_half half) {
    unpack_store(a, (half & 0x8000) | (half & 0x7F) << 3);
    unpack_store(b, half >> 7 & 0xFF);
}

VEC_INLINE void unpack_src_fp16(uint16_t *a, uint16_t *b, unpack_half half) {
    unpack_store(a, half & 0x83FF);
    unpack_store(b, half >> 10 & 0x1F);
}

VEC_INLINE void unpack_src_int16(uint16_t *a, uint16_t *b, unpack_half half) {
    unpack_store(a, (half & 0x8000) | (half >> 5 & 0x3F8));
    unpack_store(b, half & 0xFF);
}

VEC_INLINE void unpack_dst_bf16(uint16_t *a, uint16_t *b, unpack_half half) {
    (void)b;
    unpack_store(a, (half & 0x8000) | (half & 0x7F) << 8 | (half >> 7 & 0xFF));
}

VEC_INLINE void unpack_dst_fp16(uint16_t *a, uint16_t *b, unpack_half half) {
    (void)b;
    unpack_store(a, (half & 0x8000) | (half & 0x3FF) << 5 | (half >> 10 & 0x1F));
}

VEC_INLINE void unpack_dst_int16(uint16_t *a, uint16_t *b, unpack_half half) {
    (void)b;
    unpack_store(a, half);
}

/* ---- Kernels -------------------------------------------------------------------------------------------- */

/* bits: of a datum in L1. */
VEC_INLINE uint32_t unpack_each(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, unsigned step,
                                unsigned rows, unsigned bits, bool shared, unpack_decode *decode, unpack_write *write) {
    unpack_half bad = { 0 };
    for (unsigned row = 0; row < rows; row++) {
        unsigned exponent = shared ? exponents[row * step] : 0;
        for (unsigned i = 0; i < UNPACK_ROW; i += VEC_SHORTS) {
            write(a, b, decode(in, exponent, &bad));
            a += VEC_SHORTS;
            b += VEC_SHORTS;
            in += VEC_SHORTS * bits / 8;
        }
    }
    unpack_four any = (unpack_four)bad;
    uint64_t all = 0;
    for (unsigned i = 0; i < VEC_SHORTS / 4; i++)
        all |= any[i];
    return all != 0;
}

#define UNPACK_KERNELS_OF(way, bits, shared, decode, layout) \
    static uint32_t unpack_to_src_##way(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, \
                                        unsigned step, unsigned rows) { \
        return unpack_each(a, b, in, exponents, step, rows, bits, shared, decode, unpack_src_##layout); \
    } \
    static uint32_t unpack_to_dst_##way(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, \
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
        unpack_half upper = unpack_upper(in), lower = unpack_lower(in);
        unpack_store(a + i, (upper & 0x8000) | (upper & 0x7F) << 3 | lower >> 13);
        unpack_store(b + i, upper >> 7 & 0xFF);
    }
    return 0;
}

static uint32_t unpack_to_dst_WORD(uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents, unsigned step,
                                   unsigned rows) {
    (void)exponents, (void)step;
    for (unsigned i = 0; i < rows * UNPACK_ROW; i += VEC_SHORTS, in += VEC_SHORTS * 4) {
        unpack_dst_bf16(a + i, b + i, unpack_upper(in));
        unpack_store(b + i, unpack_lower(in));
    }
    return 0;
}

static void unpack_fill(uint16_t *to, uint16_t value, unsigned rows) {
    enum { EIGHT_ROWS = 8 * UNPACK_ROW };
    for (; rows; rows -= 8, to += EIGHT_ROWS) {
        VEC_UNROLL for (unsigned i = 0; i < EIGHT_ROWS; i += VEC_SHORTS) {
            unpack_store(to + i, unpack_all(value));
        }
    }
}

#define UNPACK_BOTH(X) \
    X(FP32_BF16) \
    X(FP32_FP16) \
    X(BF16) X(FP16) X(INT16) X(E5M2) X(E4M3) X(INT8) X(UINT8) X(BFP8) X(BFP4) X(BFP2) X(BFP8A) X(BFP4A) X(BFP2A)
#define UNPACK_TO_SRC(way) [UNPACK_##way] = unpack_to_src_##way,
#define UNPACK_TO_DST(way) [UNPACK_##way] = unpack_to_dst_##way,
#define UNPACK_KERNELS \
    { \
        .to_src = { UNPACK_TO_SRC(TF32) UNPACK_BOTH(UNPACK_TO_SRC) }, \
        .to_dst = { UNPACK_TO_DST(WORD) UNPACK_BOTH(UNPACK_TO_DST) }, .fill = unpack_fill, \
    }
