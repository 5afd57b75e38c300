/* Conversion from the packer's own kinds to the formats of L1. Page: Packers/FormatConversion.md (WH, shared with BH);
 * e4m3 is that of the official simulator.
 *
 * A conversion has two steps: data to halves (or words) in the layout of BF16, FP16 (or FP32), and from there to L1.
 * Inexact: a denormal that becomes zero because its mantissa is shortened loses its sign, which no page says. */
#include "numeric/lanes/pack_halves.h"

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

/* Returns 16 bits of VEC_SHORTS data, in the layout that ends the name. */
typedef vec_ushort pack_layout(const union pack_data *in, unsigned i);

VEC_INLINE vec_ushort pack_as_is(const union pack_data *in, unsigned i) {
    return vec_ushort_load(in->half + i);
}

VEC_INLINE vec_ushort pack_words_bf16(const union pack_data *in, unsigned i) {
    struct vec_words v;
    for (unsigned k = 0; k < PACK_VECS; k++) {
        vec x = vec_load(in->word + i + k * VEC_LANES);
        v.v[k] = (vec_int)((x & (vec)((x & 0x7F800000) != 0)) >> 16);
    }
    return vec_ushort_narrow(v);
}

/* Converts words: below the least exponent only the sign is left, above the greatest all bits are ones. */
VEC_INLINE vec pack_word_fp16(vec x) {
    vec_int rest = (vec_int)((x & 0x7FFFFFFF) - (112u << 23));
    vec value = vec_select((vec)(rest >= 32 << 23), vec_all(0x7FFF), (vec)rest >> 13);
    return (x >> 16 & 0x8000) | (value & (vec)(rest >= 0));
}

VEC_INLINE vec_ushort pack_words_fp16(const union pack_data *in, unsigned i) {
    struct vec_words v;
    for (unsigned k = 0; k < PACK_VECS; k++)
        v.v[k] = (vec_int)pack_word_fp16(vec_load(in->word + i + k * VEC_LANES));
    return vec_ushort_narrow(v);
}

VEC_INLINE vec_ushort pack_bf16_fp16(const union pack_data *in, unsigned i) {
    vec_ushort x = vec_ushort_load(in->half + i);
    return (x & 0x8000) | pack_fp16_of_bf16(x & 0x7FFF);
}

/* Where the mantissa is shortened, a denormal becomes zero. */
VEC_INLINE vec_ushort pack_fp16_flushed(const union pack_data *in, unsigned i) {
    vec_ushort x = vec_ushort_load(in->half + i);
    return x & (vec_ushort)((x & 0x7C00) != 0);
}

VEC_INLINE vec_ushort pack_fp16_bf16(const union pack_data *in, unsigned i) {
    vec_ushort x = pack_fp16_flushed(in, i);
    return (x & 0x8000) | ((x >> 3 & 0xFFF) + ((vec_ushort)((x & 0x7C00) != 0) & 112 << 7));
}

/* The mantissa is not shortened: a denormal keeps it, with the least exponent. */
VEC_INLINE vec_ushort pack_e5m7_bf16(const union pack_data *in, unsigned i) {
    vec_ushort x = vec_ushort_load(in->half + i);
    return (x & 0x8000) | ((x >> 3 & 0xFFF) + ((vec_ushort)((x & 0x7C00) != 0) & 112 << 7));
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static void pack_late_words(uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows,
                            uint32_t *random) {
    (void)exponents, (void)random;
    memcpy(out, in->word, rows * PACK_ROW * 4);
}

static void pack_late_tf32(uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows,
                           uint32_t *random) {
    (void)exponents, (void)random;
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_LANES, out += sizeof(vec))
        vec_int_store(out, (vec_int)(vec_load(in->word + i) & 0xFFFFE000));
}

static void pack_late_bf16_words(uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows,
                                 uint32_t *random) {
    (void)exponents, (void)random;
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_LANES, out += sizeof(vec))
        vec_int_store(out, vec_from_u16(in->half + i) << 16);
}

/* A denormal keeps its mantissa, with the least exponent. */
static void pack_late_fp16_words(uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows,
                                 uint32_t *random) {
    (void)exponents, (void)random;
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_LANES, out += sizeof(vec)) {
        vec x = (vec)vec_from_u16(in->half + i);
        vec magnitude = ((x & 0x7FFF) << 13) + ((vec)((x & 0x7C00) != 0) & 112 << 23);
        vec_int_store(out, (vec_int)((x & 0x8000) << 16 | magnitude));
    }
}

/* ---- Halves and bytes -------------------------------------------------------------------------------------------- */

VEC_INLINE void pack_late_halves(uint8_t *out, const union pack_data *in, unsigned rows, pack_layout *layout) {
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS)
        vec_ushort_store(out + i * 2, layout(in, i));
}

VEC_INLINE vec_ushort pack_byte_of_e5m2(vec_ushort x) {
    return x >> 8;
}

/* Below exponent 9 only the sign is left, from 24 on all bits are ones. */
VEC_INLINE vec_ushort pack_byte_of_e4m3(vec_ushort x) {
    vec_ushort magnitude = x & 0x7FFF;
    vec_ushort value = vec_ushort_select(pack_above(magnitude, vec_ushort_all((24 << 10) - 1)), vec_ushort_all(0x7F),
                                         (magnitude - (8 << 10)) >> 7);
    return (x >> 8 & 0x80) | (value & pack_above(magnitude, vec_ushort_all((9 << 10) - 1)));
}

VEC_INLINE vec_ushort pack_byte_of_int(vec_ushort x) {
    return x;
}

VEC_INLINE void pack_late_bytes(uint8_t *out, const union pack_data *in, unsigned rows, pack_layout *layout,
                                vec_ushort (*byte_of)(vec_ushort)) {
    for (unsigned r = 0; r < rows; r++) {
        struct pack_row row;
        for (unsigned k = 0; k < PACK_HALVES; k++)
            row.at[k] = byte_of(layout(in, r * PACK_ROW + k * VEC_SHORTS));
        vec_byte bytes = vec_byte_narrow(row.at);
        memcpy(out + r * PACK_ROW, &bytes, sizeof bytes);
    }
}

/* ---- Shared exponents -------------------------------------------------------------------------------------------- */

/* Returns seven bits of magnitude for a shared exponent: m / 2^(lost + 1), rounded, at most 127, for m of eight bits.
 * That is (m * 2^(7 - lost) + 128) / 256; random numbers replace the 128. */
VEC_INLINE vec_ushort pack_share(vec_ushort mantissa, vec_ushort lost, const uint32_t *random, unsigned i) {
    vec_ushort power = vec_ushort_power(lost), addend = vec_ushort_all(128);
    if (random)
        addend = 256 - ((256 - pack_addend_half(random, i, 8)) & -power);
    return pack_least((mantissa * power + addend) >> 8, vec_ushort_all(127)) & (vec_ushort)(power != 0);
}

/* Converts a row of halves, which have `from` bits of mantissa, seven of them used, and an exponent above them. bits:
 * of a datum in L1. Zero has no sign, because a sign without magnitude means minus infinity. Returns the shared
 * exponent. */
VEC_INLINE unsigned pack_share_row(struct pack_row *row, unsigned from, unsigned bits, const uint32_t *random) {
    struct pack_row exponent;
    vec_ushort most = vec_ushort_all(0);
    for (unsigned k = 0; k < PACK_HALVES; k++) {
        exponent.at[k] = (row->at[k] & 0x7FFF) >> from;
        most = pack_more(most, exponent.at[k]);
    }
    most = vec_ushort_greatest(most);
    for (unsigned k = 0; k < PACK_HALVES; k++) {
        vec_ushort x = row->at[k], hidden = (vec_ushort)(exponent.at[k] != 0) & 0x80;
        vec_ushort magnitude =
            pack_share((x >> (from - 7) & 0x7F) | hidden, most - exponent.at[k], random, k * VEC_SHORTS);
        magnitude >>= 8 - bits;
        row->at[k] = magnitude | ((vec_ushort)(magnitude != 0) & x >> 15 << (bits - 1));
    }
    return most[0];
}

/* Packs the lowest bits of 16 bytes side by side, the first datum in the lowest bits. */
VEC_INLINE void pack_put_bits(uint8_t *out, vec_byte bytes, unsigned bits) {
    if (bits == 8)
        memcpy(out, &bytes, 16);
    if (bits == 4) {
        vec_eight pairs = (vec_eight)bytes;
        bytes = (vec_byte)(pairs | pairs >> 4);
        bytes = __builtin_shufflevector(bytes, bytes, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
        memcpy(out, &bytes, 8);
    }
    if (bits == 2) {
        vec_quad fours = (vec_quad)bytes;
        bytes = (vec_byte)(fours | fours >> 6 | fours >> 12 | fours >> 18);
        bytes = __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
        memcpy(out, &bytes, 4);
    }
}

VEC_INLINE void pack_late_shared(uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows,
                                 uint32_t *random, pack_layout *layout, unsigned from, unsigned bits) {
    for (unsigned r = 0; r < rows; r++) {
        struct pack_row row;
        for (unsigned k = 0; k < PACK_HALVES; k++)
            row.at[k] = layout(in, r * PACK_ROW + k * VEC_SHORTS);
        exponents[r] = (uint8_t)pack_share_row(&row, from, bits, random);
        pack_put_bits(out + r * (2 * bits), vec_byte_narrow(row.at), bits);
        pack_random_step(random);
    }
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

#define PACK_LATE_ARGUMENTS uint8_t *out, uint8_t *exponents, const union pack_data *in, unsigned rows, uint32_t *random
#define PACK_LATE_HALVES(name, layout) \
    static void pack_late_##name(PACK_LATE_ARGUMENTS) { \
        (void)exponents, (void)random; \
        pack_late_halves(out, in, rows, layout); \
    }
#define PACK_LATE_BYTES(name, layout, byte_of) \
    static void pack_late_##name(PACK_LATE_ARGUMENTS) { \
        (void)exponents, (void)random; \
        pack_late_bytes(out, in, rows, layout, byte_of); \
    }
#define PACK_LATE_SHARED(name, layout, from, bits) \
    static void pack_late_##name##bits(PACK_LATE_ARGUMENTS) { \
        if (random) \
            pack_late_shared(out, exponents, in, rows, random, layout, from, bits); \
        else \
            pack_late_shared(out, exponents, in, rows, NULL, layout, from, bits); \
    }
#define PACK_LATE_SHARED_ALL(name, layout, from) \
    PACK_LATE_SHARED(name, layout, from, 8) \
    PACK_LATE_SHARED(name, layout, from, 4) PACK_LATE_SHARED(name, layout, from, 2)

PACK_LATE_HALVES(halves_as_is, pack_as_is)
PACK_LATE_HALVES(words_bf16, pack_words_bf16)
PACK_LATE_HALVES(words_fp16, pack_words_fp16)
PACK_LATE_HALVES(bf16_fp16, pack_bf16_fp16)
PACK_LATE_HALVES(fp16_bf16, pack_fp16_bf16)
PACK_LATE_HALVES(e5m7_bf16, pack_e5m7_bf16)

PACK_LATE_BYTES(int8, pack_as_is, pack_byte_of_int)
PACK_LATE_BYTES(words_e5m2, pack_words_fp16, pack_byte_of_e5m2)
PACK_LATE_BYTES(bf16_e5m2, pack_bf16_fp16, pack_byte_of_e5m2)
PACK_LATE_BYTES(fp16_e5m2, pack_fp16_flushed, pack_byte_of_e5m2)
PACK_LATE_BYTES(e5m2_e5m2, pack_as_is, pack_byte_of_e5m2)
PACK_LATE_BYTES(words_e4m3, pack_words_fp16, pack_byte_of_e4m3)
PACK_LATE_BYTES(bf16_e4m3, pack_bf16_fp16, pack_byte_of_e4m3)
PACK_LATE_BYTES(fp16_e4m3, pack_as_is, pack_byte_of_e4m3)

PACK_LATE_SHARED_ALL(words_bfp, pack_words_bf16, 7)
PACK_LATE_SHARED_ALL(bf16_bfp, pack_as_is, 7)
PACK_LATE_SHARED_ALL(fp16_bfp, pack_fp16_bf16, 7)
PACK_LATE_SHARED_ALL(e5m7_bfp, pack_e5m7_bf16, 7)
PACK_LATE_SHARED_ALL(words_bfpa, pack_words_fp16, 10)
PACK_LATE_SHARED_ALL(bf16_bfpa, pack_bf16_fp16, 10)
PACK_LATE_SHARED_ALL(fp16_bfpa, pack_fp16_flushed, 10)
PACK_LATE_SHARED_ALL(e5m7_bfpa, pack_as_is, 10)

/* The loop goes upward, and halves take less room than words, so no word is overwritten before it is read. */
static void pack_to_fp16(union pack_data *data, unsigned rows) {
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS)
        vec_ushort_store(data->half + i, pack_words_fp16(data, i));
}
