/* Conversion from Dst or L1 to the packer's own kinds. Page: Packers/FormatConversion.md (WH, shared with BH). Where
 * the official simulator differs, it has precedence: FP16 from 32-bit and BF16 Dst, INT16 from 32-bit Dst, denormals
 * that round up.
 *
 * Inexact: the generator of the random numbers for stochastic rounding is not documented. */
#include "numeric/lanes/pack_halves.h"

/* Returns the addend that rounds before `lost` bits are cut off: half of the last bit, or, with random numbers, one
 * that carries if the lost bits are not less than the random number (as in SFP_STOCH_RND). */
VEC_INLINE vec pack_addend(const uint32_t *random, unsigned i, unsigned lost) {
    if (!random)
        return vec_all(1u << lost >> 1);
    vec noise = vec_load(random + i) & 0x7FFFFF;
    return (1u << lost) - (lost > 23 ? noise << (lost - 23) : noise >> (23 - lost));
}

VEC_INLINE vec_ushort pack_addend_half(const uint32_t *random, unsigned i, unsigned lost) {
    struct vec_words v;
    for (unsigned k = 0; k < PACK_VECS; k++)
        v.v[k] = (vec_int)pack_addend(random, i + k * VEC_LANES, lost);
    return vec_ushort_narrow(v);
}

VEC_INLINE void pack_random_step(uint32_t *random) {
    for (unsigned i = 0; random && i < PACK_ROW; i += VEC_LANES) {
        vec s = vec_load(random + i);
        vec_store(random + i, RANDOM_NEXT(s));
    }
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

enum { PACK_LOW = 8 * PACK_ROW /* halves to the lower half of 32 bits */ };

/* Converts sign, mantissa, exponent to sign, exponent, mantissa. */
VEC_INLINE vec pack_upper(const uint16_t *p) {
    vec x = (vec)vec_from_u16(p);
    return (x & 0x8000) << 16 | (x & 0xFF) << 23 | (x & 0x7F00) << 8;
}

VEC_INLINE vec pack_read32(const uint16_t *p) {
    return pack_upper(p) | (vec)vec_from_u16(p + PACK_LOW);
}

/* Converts a vector of words. how: callers pass it with or without random numbers as a constant, so that each gets code
 * of its own. */
typedef vec pack_word_step(vec x, unsigned i, const struct pack_rounding *how);

VEC_INLINE vec pack_no_more(vec x, uint32_t most) {
    return (vec)vec_int_min((vec_int)x, (vec_int)vec_all(most));
}

/* Rounds off `lost` bits: NaNs become infinite, and denormals +0 unless they have been rounded up. */
VEC_INLINE vec pack_rounded(vec x, unsigned i, const struct pack_rounding *how, unsigned lost) {
    vec magnitude = pack_no_more(x & 0x7FFFFFFF, 0x7F800000) + pack_addend(how->random, i, lost);
    magnitude = magnitude >> lost << lost;
    if (how->random)
        magnitude = pack_no_more(magnitude, 0x7F800000);
    return ((x & 0x80000000) | magnitude) & (vec)((vec_int)magnitude >= 0x800000);
}

VEC_INLINE vec pack_step_32(vec x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return x;
}

VEC_INLINE vec pack_step_TF32(vec x, unsigned i, const struct pack_rounding *how) {
    return pack_rounded(x, i, how, 13);
}

VEC_INLINE vec pack_step_BF16(vec x, unsigned i, const struct pack_rounding *how) {
    return pack_rounded(x, i, how, 16) >> 16;
}

VEC_INLINE vec pack_step_BF16_RAW(vec x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return x >> 16;
}

VEC_INLINE vec pack_step_E8M6(vec x, unsigned i, const struct pack_rounding *how) {
    return pack_rounded(x, i, how, 17) >> 16;
}

VEC_INLINE vec pack_shifted(vec x, unsigned i, const struct pack_rounding *how) {
    vec magnitude = x & 0x7FFFFFFF;
    return how->shift ? (magnitude + pack_addend(how->random, i, how->shift)) >> how->shift : magnitude;
}

VEC_INLINE vec pack_step_INT8(vec x, unsigned i, const struct pack_rounding *how) {
    return (x >> 24 & 0x80) | pack_no_more(pack_shifted(x, i, how), 127);
}

VEC_INLINE vec pack_step_UINT8(vec x, unsigned i, const struct pack_rounding *how) {
    return pack_no_more(pack_shifted(x, i, how), 255) & (vec)((vec_int)x >= 0);
}

VEC_INLINE vec pack_step_INT8_RAW(vec x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return (x >> 24 & 0x80) | (x & 0x7F);
}

VEC_INLINE vec pack_step_UINT8_RAW(vec x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return x & 0xFF;
}

VEC_INLINE void pack_words_early(union pack_data *out, const uint16_t *const *row, unsigned rows,
                                 const struct pack_rounding *how, pack_word_step *step) {
    for (unsigned r = 0; r < rows; r++, pack_random_step(how->random))
        for (unsigned i = 0; i < PACK_ROW; i += VEC_LANES)
            vec_store(out->word + r * PACK_ROW + i, step(pack_read32(row[r] + i), i, how));
}

VEC_INLINE void pack_words_to_halves(union pack_data *out, const uint16_t *const *row, unsigned rows,
                                     const struct pack_rounding *how, pack_word_step *step) {
    for (unsigned r = 0; r < rows; r++, pack_random_step(how->random))
        for (unsigned i = 0; i < PACK_ROW; i += VEC_LANES)
            vec_to_u16(out->half + r * PACK_ROW + i, (vec_int)step(pack_read32(row[r] + i), i, how));
}

/* ---- Halves ------------------------------------------------------------------------------------------------------ */

typedef vec_ushort pack_half_step(vec_ushort x, unsigned i, const struct pack_rounding *how);

/* Return the magnitude, exponent above mantissa, without the sign. */
VEC_INLINE vec_ushort pack_bf16_magnitude(vec_ushort x) {
    return (x << 7 & 0x7F80) | (x >> 8 & 0x7F);
}

VEC_INLINE vec_ushort pack_fp16_magnitude(vec_ushort x) {
    return (x << 10 & 0x7C00) | (x >> 5 & 0x3FF);
}

VEC_INLINE vec_ushort pack_bf16_of(vec_ushort x) {
    return (x & 0x8000) | pack_bf16_magnitude(x);
}

VEC_INLINE vec_ushort pack_fp16_of(vec_ushort x) {
    return (x & 0x8000) | pack_fp16_magnitude(x);
}

/* Adds the sign to a magnitude; the result is +0 where the magnitude is below the least one. */
VEC_INLINE vec_ushort pack_signed(vec_ushort x, vec_ushort magnitude, unsigned least) {
    return ((x & 0x8000) | magnitude) & pack_above(magnitude, vec_ushort_all(least - 1));
}

VEC_INLINE vec_ushort pack_step_16_BF16(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return pack_signed(x, pack_least(pack_bf16_magnitude(x), vec_ushort_all(0x7F80)), 0x80);
}

VEC_INLINE vec_ushort pack_step_16_BF16_RAW(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return pack_bf16_of(x);
}

/* Denormals become zero before rounding, and a zero stays zero whatever the random number is. */
VEC_INLINE vec_ushort pack_step_16_E8M6(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    vec_ushort flushed = pack_step_16_BF16(x, i, how);
    vec_ushort magnitude = ((flushed & 0x7FFF) + pack_addend_half(how->random, i, 1)) & 0xFFFE;
    return pack_signed(flushed, pack_least(magnitude, vec_ushort_all(0x7F80)), 0x80);
}

/* Converts a magnitude: below the least exponent it becomes zero, above the greatest all ones. */
VEC_INLINE vec_ushort pack_fp16_of_bf16(vec_ushort magnitude) {
    vec_ushort rest = magnitude - (112 << 7);
    vec_ushort value =
        vec_ushort_select(pack_above(rest, vec_ushort_all((32 << 7) - 1)), vec_ushort_all(0x7FFF), rest << 3);
    return value & ~pack_above(vec_ushort_all(0), rest);
}

VEC_INLINE vec_ushort pack_step_16_BF16_FP16(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return (x & 0x8000) | pack_fp16_of_bf16(pack_bf16_magnitude(x));
}

VEC_INLINE vec_ushort pack_step_16_FP16(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return pack_signed(x, pack_fp16_magnitude(x), 0x400);
}

VEC_INLINE vec_ushort pack_step_16_FP16_RAW(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return pack_fp16_of(x);
}

VEC_INLINE vec_ushort pack_step_16_E5M7(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return pack_fp16_of(x) & 0xFFF8;
}

/* The magnitude is bounded before it could become negative, so that 0x7FF0 and more can carry only because of a random
 * number. */
VEC_INLINE vec_ushort pack_step_16_E5M6(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    vec_ushort magnitude = pack_least(pack_fp16_magnitude(x), vec_ushort_all(0x7FF0));
    magnitude = (magnitude + pack_addend_half(how->random, i, 4)) & 0xFFF0;
    if (how->random)
        magnitude -= (magnitude >> 15) << 4;
    return pack_signed(x, magnitude, 0x400);
}

VEC_INLINE vec_ushort pack_step_16_E5M2(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return pack_fp16_of(x) & 0xFF00;
}

VEC_INLINE vec_ushort pack_step_16_INT16(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return x;
}

VEC_INLINE vec_ushort pack_step_16_SIGN(vec_ushort x, unsigned i, const struct pack_rounding *how) {
    (void)i, (void)how;
    return x >> 8 & 0x80;
}

VEC_INLINE void pack_halves_early(union pack_data *out, const uint16_t *const *row, unsigned rows,
                                  const struct pack_rounding *how, pack_half_step *step) {
    for (unsigned r = 0; r < rows; r++, pack_random_step(how->random))
        for (unsigned i = 0; i < PACK_ROW; i += VEC_SHORTS)
            vec_ushort_store(out->half + r * PACK_ROW + i, step(vec_ushort_load(row[r] + i), i, how));
}

/* Converts rows directly to L1. Returns the greatest exponent. mantissa: number of bits below the exponent. */
VEC_INLINE unsigned pack_halves_in_one_step(uint8_t *out, const uint16_t *in, unsigned rows, pack_half_step *step,
                                            unsigned mantissa) {
    vec_ushort most = vec_ushort_all(0);
    VEC_UNROLL
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS) {
        vec_ushort x = step(vec_ushort_load(in + i), i, NULL);
        vec_ushort_store(out + 2 * i, x);
        most = pack_more(most, x & 0x7FFF);
    }
    return (unsigned)vec_ushort_greatest(most)[0] >> mantissa;
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* Two loops, with random numbers and without, so that the compiler knows that there are none in the second. */
#define PACK_EARLY(path, each, step) \
    static void pack_early_##path(union pack_data *out, const uint16_t *const *row, unsigned rows, \
                                  const struct pack_rounding *how) { \
        struct pack_rounding nearest = { .shift = how->shift }; \
        if (how->random) \
            each(out, row, rows, how, step); \
        else \
            each(out, row, rows, &nearest, step); \
    }
/* A kernel that goes to L1 in one step. There are mostly four rows. */
#define PACK_ONE_STEP(path, mantissa) \
    static unsigned pack_one_step_##path(uint8_t *out, const uint16_t *in, unsigned rows) { \
        if (rows == PACK_ROWS) \
            return pack_halves_in_one_step(out, in, PACK_ROWS, pack_step_##path, mantissa); \
        unsigned most = 0; \
        for (unsigned i = 0; i < rows; i++) { \
            unsigned one = \
                pack_halves_in_one_step(out + i * PACK_ROW * 2, in + i * PACK_ROW, 1, pack_step_##path, mantissa); \
            most = one > most ? one : most; \
        } \
        return most; \
    }
/* Kernels that do not round. */
#define PACK_EARLY_RAW(path, each, step) \
    static void pack_early_##path(union pack_data *out, const uint16_t *const *row, unsigned rows, \
                                  const struct pack_rounding *how) { \
        struct pack_rounding none = { 0 }; \
        (void)how; \
        each(out, row, rows, &none, step); \
    }

PACK_EARLY_RAW(32, pack_words_early, pack_step_32)
PACK_EARLY(32_TF32, pack_words_early, pack_step_TF32)
PACK_EARLY(32_BF16, pack_words_to_halves, pack_step_BF16)
PACK_EARLY_RAW(32_BF16_RAW, pack_words_to_halves, pack_step_BF16_RAW)
PACK_EARLY(32_E8M6, pack_words_to_halves, pack_step_E8M6)
PACK_EARLY_RAW(32_INT16, pack_halves_early, pack_step_16_INT16)
PACK_EARLY(32_INT8, pack_words_to_halves, pack_step_INT8)
PACK_EARLY(32_UINT8, pack_words_to_halves, pack_step_UINT8)
PACK_EARLY_RAW(32_INT8_RAW, pack_words_to_halves, pack_step_INT8_RAW)
PACK_EARLY_RAW(32_UINT8_RAW, pack_words_to_halves, pack_step_UINT8_RAW)
PACK_EARLY_RAW(16_BF16, pack_halves_early, pack_step_16_BF16)
PACK_EARLY_RAW(16_BF16_RAW, pack_halves_early, pack_step_16_BF16_RAW)
PACK_EARLY(16_E8M6, pack_halves_early, pack_step_16_E8M6)
PACK_EARLY_RAW(16_BF16_FP16, pack_halves_early, pack_step_16_BF16_FP16)
PACK_EARLY_RAW(16_FP16, pack_halves_early, pack_step_16_FP16)
PACK_EARLY_RAW(16_FP16_RAW, pack_halves_early, pack_step_16_FP16_RAW)
PACK_EARLY_RAW(16_E5M7, pack_halves_early, pack_step_16_E5M7)
PACK_EARLY(16_E5M6, pack_halves_early, pack_step_16_E5M6)
PACK_EARLY_RAW(16_E5M2, pack_halves_early, pack_step_16_E5M2)
PACK_EARLY_RAW(16_INT16, pack_halves_early, pack_step_16_INT16)
PACK_EARLY_RAW(16_SIGN, pack_halves_early, pack_step_16_SIGN)

static void pack_early_16_TF32(union pack_data *out, const uint16_t *const *row, unsigned rows,
                               const struct pack_rounding *how) {
    (void)how;
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned i = 0; i < PACK_ROW; i += VEC_LANES) {
            vec x = pack_upper(row[r] + i), magnitude = pack_no_more(x & 0x7FFFFFFF, 0x7F800000);
            x = ((x & 0x80000000) | magnitude) & (vec)((vec_int)magnitude >= 0x800000);
            vec_store(out->word + r * PACK_ROW + i, x);
        }
    }
}

/* ---- From L1 ----------------------------------------------------------------------------------------------------- */

static void pack_load_32(union pack_data *out, const uint8_t *in, unsigned rows) {
    memcpy(out->word, in, rows * PACK_ROW * 4);
}

static void pack_load_16(union pack_data *out, const uint8_t *in, unsigned rows) {
    memcpy(out->half, in, rows * PACK_ROW * 2);
}

/* Loads data as halves. shift: to the left; to the right if negative. size: bytes of a datum in L1. */
VEC_INLINE void pack_load_halves(union pack_data *out, const uint8_t *in, unsigned rows, unsigned size, int shift) {
    for (unsigned i = 0; i < rows * PACK_ROW; i++) {
        uint32_t x = 0;
        memcpy(&x, in + i * size, size);
        out->half[i] = (uint16_t)(shift < 0 ? x >> -shift : x << shift);
    }
}

VEC_INLINE void pack_load_words(union pack_data *out, const uint8_t *in, unsigned rows, unsigned size, int shift) {
    for (unsigned i = 0; i < rows * PACK_ROW; i++) {
        uint32_t x = 0;
        memcpy(&x, in + i * size, size);
        out->word[i] = x << shift;
    }
}

static void pack_load_8_BF16(union pack_data *out, const uint8_t *in, unsigned rows) {
    for (unsigned i = 0; i < rows * PACK_ROW; i++)
        out->half[i] = (uint16_t)((in[i] & 0x80) << 8 | (in[i] & 0x7F));
}

static void pack_load_8_E5M7(union pack_data *out, const uint8_t *in, unsigned rows) {
    for (unsigned i = 0; i < rows * PACK_ROW; i++)
        out->half[i] = (uint16_t)((in[i] & 0x80) << 8 | (in[i] & 0x7F) << 3);
}

#define PACK_LOAD(path, each, size, shift) \
    static void pack_load_##path(union pack_data *out, const uint8_t *in, unsigned rows) { \
        each(out, in, rows, size, shift); \
    }
PACK_LOAD(8, pack_load_halves, 1, 0)
PACK_LOAD(8_E5M2, pack_load_halves, 1, 8)
PACK_LOAD(32_INT16, pack_load_halves, 4, -16)
PACK_LOAD(16_INT8, pack_load_halves, 2, -8)
PACK_LOAD(16_INT32, pack_load_words, 2, 16)
PACK_LOAD(8_INT32, pack_load_words, 1, 24)
PACK_LOAD(8_INT16, pack_load_halves, 1, 8)

PACK_ONE_STEP(16_BF16, 7)
PACK_ONE_STEP(16_FP16, 10)
