/* The steps between the packer's two conversions. Pages: Packers/EdgeMasking.md, ReLU.md, ExponentHistogram.md,
 * ExponentThresholding.md (WH, shared with BH). The comparisons of ReLU are those of the official simulator. */
#include "numeric/lanes/pack_halves.h"

/* ---- Masks ------------------------------------------------------------------------------------------------------- */

static void pack_mask_words(union pack_data *data, const uint16_t *keep, uint32_t other, unsigned rows) {
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_LANES) {
        vec mask = vec_mask((uint32_t)keep[i / PACK_ROW] >> i % PACK_ROW);
        vec_store(data->word + i, vec_select(mask, vec_load(data->word + i), vec_all(other)));
    }
}

static void pack_mask_halves(union pack_data *data, const uint16_t *keep, uint32_t other, unsigned rows) {
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS) {
        vec_ushort mask = vec_ushort_mask((uint32_t)keep[i / PACK_ROW] >> i % PACK_ROW);
        vec_ushort_store(data->half + i,
                         vec_ushort_select(mask, vec_ushort_load(data->half + i), vec_ushort_all(other)));
    }
}

/* ---- ReLU -------------------------------------------------------------------------------------------------------- */

/* Modes 1 and 2 keep data above `least`. Mode 3 bounds data by `most`, in which the lowest 13 bits do not count. */
static void pack_relu_words(union pack_data *data, unsigned mode, unsigned threshold, unsigned rows) {
    vec_int least = vec_int_all(mode == 2 ? (int32_t)(threshold << 16) : 0);
    vec_int most = vec_int_all(mode == 3 ? (int32_t)(threshold << 16 | 0x1FFF) : INT32_MAX);
    vec bound = vec_all(threshold << 16);
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_LANES) {
        vec x = vec_load(data->word + i);
        vec kept = x & (vec)((vec_int)x > least);
        vec_store(data->word + i, vec_select((vec)((vec_int)x > most), bound, kept));
    }
}

static void pack_relu_halves(union pack_data *data, unsigned mode, unsigned threshold, unsigned rows) {
    vec_ushort least = vec_ushort_all(mode == 2 ? threshold : 0), most = vec_ushort_all(mode == 3 ? threshold : 0x7FFF);
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS) {
        vec_ushort x = vec_ushort_load(data->half + i);
        vec_ushort_store(data->half + i, pack_least(x & pack_above(x, least), most));
    }
}

/* Bytes of a sign and seven bits. */
static void pack_relu_bytes(union pack_data *data, unsigned mode, unsigned threshold, unsigned rows) {
    (void)mode, (void)threshold;
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS) {
        vec_ushort x = vec_ushort_load(data->half + i);
        vec_ushort_store(data->half + i, x & (vec_ushort)((x & 0x80) == 0));
    }
}

static void pack_relu_none(union pack_data *data, unsigned mode, unsigned threshold, unsigned rows) {
    (void)data, (void)mode, (void)threshold, (void)rows;
}

/* ---- Exponents --------------------------------------------------------------------------------------------------- */

static unsigned pack_most_words(const union pack_data *data, unsigned rows) {
    vec_ushort most = vec_ushort_all(0);
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS) {
        struct vec_words v;
        for (unsigned k = 0; k < PACK_VECS; k++)
            v.v[k] = (vec_int)(vec_load(data->word + i + k * VEC_LANES) >> 23 & 0xFF);
        most = pack_more(most, vec_ushort_narrow(v));
    }
    return vec_ushort_greatest(most)[0];
}

VEC_INLINE unsigned pack_most_bits(const union pack_data *data, unsigned rows, unsigned bits) {
    vec_ushort most = vec_ushort_all(0);
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS)
        most = pack_more(most, vec_ushort_load(data->half + i) & (uint16_t)bits);
    return vec_ushort_greatest(most)[0];
}

static unsigned pack_most_bf16(const union pack_data *data, unsigned rows) {
    return pack_most_bits(data, rows, 0x7F80) >> 7;
}

static unsigned pack_most_fp16(const union pack_data *data, unsigned rows) {
    return pack_most_bits(data, rows, 0x7C00) >> 10;
}

static unsigned pack_most_int16(const union pack_data *data, unsigned rows) {
    return pack_most_bits(data, rows, 0xFF);
}

static unsigned pack_most_bytes(const union pack_data *data, unsigned rows) {
    (void)data, (void)rows;
    return 0;
}

static void pack_below_words(union pack_data *data, unsigned threshold, unsigned rows) {
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_LANES) {
        vec x = vec_load(data->word + i);
        vec_store(data->word + i, x & (vec)((vec_int)(x & 0x7F800000) >= (int32_t)(threshold << 23)));
    }
}

VEC_INLINE void pack_below_bits(union pack_data *data, unsigned threshold, unsigned rows, unsigned from,
                                unsigned bits) {
    for (unsigned i = 0; i < rows * PACK_ROW; i += VEC_SHORTS) {
        vec_ushort x = vec_ushort_load(data->half + i), exponent = x >> from & (uint16_t)bits;
        vec_ushort_store(data->half + i, x & ~pack_above(vec_ushort_all(threshold), exponent));
    }
}

static void pack_below_bf16(union pack_data *data, unsigned threshold, unsigned rows) {
    pack_below_bits(data, threshold, rows, 7, 0xFF);
}

static void pack_below_fp16(union pack_data *data, unsigned threshold, unsigned rows) {
    pack_below_bits(data, threshold, rows, 10, 0x1F);
}
