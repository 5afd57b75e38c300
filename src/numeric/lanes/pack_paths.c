/* Selects the packer's kernels for a configuration: Packers/FormatConversion.md (WH, shared with BH), with what
 * Blackhole adds according to the official simulator: FP16 from 32-bit and from BF16 Dst by Round_10b_mant, INT16 from
 * 32-bit Dst. Compression: Packers/Compression.md, which does not say which zeros are counted; here all that can be
 * are. */
#include "numeric/lanes/pack_paths.h"

#include <string.h>

/* ---- Early conversions ------------------------------------------------------------------------------------------- */

/* Round_10b_mant with BF16 matters only if the output is FP16, and not if nothing is rounded. */
static int bf16_path(const struct pack_read *read, int ten_bits, int rounded, int raw) {
    bool wider = read->ten_bits && read->out == PACK_TO_FP16;
    if (read->raw)
        return wider ? -1 : raw;
    return wider ? ten_bits : rounded;
}

static int path_of_32(const struct pack_read *read) {
    switch (read->format) {
    case PACK_TO_FP32: return read->ten_bits && !read->raw ? PACK_32_TF32 : PACK_32;
    case PACK_TO_TF32: return read->raw ? PACK_32 : PACK_32_TF32;
    case PACK_TO_INT32: return PACK_32;
    case PACK_TO_BF16: return bf16_path(read, PACK_32_TF32, PACK_32_BF16, PACK_32_BF16_RAW);
    case PACK_TO_BFP8: return read->raw ? PACK_32_BF16_RAW : PACK_32_E8M6;
    case PACK_TO_FP16: return read->ten_bits ? PACK_32_TF32 : -1;
    case PACK_TO_INT16: return PACK_32_INT16;
    case PACK_TO_INT8:
        if (read->raw)
            return read->is_unsigned ? PACK_32_UINT8_RAW : PACK_32_INT8_RAW;
        return read->is_unsigned ? PACK_32_UINT8 : PACK_32_INT8;
    default: return -1;
    }
}

static int path_of_16(const struct pack_read *read) {
    switch (read->format) {
    case PACK_TO_FP32: return read->ten_bits && !read->raw ? PACK_16_TF32 : -1;
    case PACK_TO_TF32: return read->raw ? -1 : PACK_16_TF32;
    case PACK_TO_BF16: return bf16_path(read, PACK_16_TF32, PACK_16_BF16, PACK_16_BF16_RAW);
    case PACK_TO_BFP8: return read->raw ? PACK_16_BF16_RAW : PACK_16_E8M6;
    case PACK_TO_FP16:
        if (read->ten_bits)
            return PACK_16_BF16_FP16;
        return read->raw ? PACK_16_FP16_RAW : PACK_16_FP16;
    case PACK_TO_BFP8A: return read->raw ? PACK_16_E5M7 : PACK_16_E5M6;
    case PACK_TO_E5M2: return read->raw ? PACK_16_E5M2 : -1;
    case PACK_TO_INT16: return PACK_16_INT16;
    case PACK_TO_INT8: return read->raw && !read->is_unsigned ? PACK_16_SIGN : -1;
    default: return -1;
    }
}

int pack_early_path(const struct pack_read *read) {
    return read->wide ? path_of_32(read) : path_of_16(read);
}

enum pack_kind pack_early_kind(enum pack_early path, unsigned format) {
    switch (path) {
    case PACK_32: return format == PACK_TO_INT32 ? PACK_INT32 : format == PACK_TO_TF32 ? PACK_TF32 : PACK_FP32;
    case PACK_32_TF32:
    case PACK_16_TF32: return PACK_TF32;
    case PACK_32_INT8:
    case PACK_32_INT8_RAW:
    case PACK_16_SIGN: return PACK_INT8;
    case PACK_32_UINT8:
    case PACK_32_UINT8_RAW: return PACK_UINT8;
    case PACK_16_BF16_FP16:
    case PACK_16_FP16:
    case PACK_16_FP16_RAW: return PACK_FP16;
    case PACK_16_E5M7:
    case PACK_16_E5M6: return PACK_E5M7;
    case PACK_16_E5M2: return PACK_E5M2;
    case PACK_32_INT16:
    case PACK_16_INT16: return PACK_INT16;
    default: return PACK_BF16;
    }
}

/* ---- Data from L1 ------------------------------------------------------------------------------------------------ */

/* Integers of one width may be converted to another width. */
int pack_load_path(unsigned in, unsigned out) {
    switch (in) {
    case PACK_TO_FP32: return PACK_LOAD_32;
    case PACK_TO_FP16:
    case PACK_TO_BF16: return PACK_LOAD_16;
    case PACK_TO_BFP8: return PACK_LOAD_8_BF16;
    case PACK_TO_BFP8A: return PACK_LOAD_8_E5M7;
    case PACK_TO_E5M2: return PACK_LOAD_8_E5M2;
    case PACK_TO_INT32: return out == PACK_TO_INT16 ? PACK_LOAD_32_INT16 : PACK_LOAD_32;
    case PACK_TO_INT16:
        return out == PACK_TO_INT32 ? PACK_LOAD_16_INT32 : out == PACK_TO_INT8 ? PACK_LOAD_16_INT8 : PACK_LOAD_16;
    case PACK_TO_INT8:
        return out == PACK_TO_INT32 ? PACK_LOAD_8_INT32 : out == PACK_TO_INT16 ? PACK_LOAD_8_INT16 : PACK_LOAD_8;
    default: return -1;
    }
}

enum pack_kind pack_load_kind(enum pack_load path, unsigned in) {
    switch (path) {
    case PACK_LOAD_32: return in == PACK_TO_INT32 ? PACK_INT32 : PACK_FP32;
    case PACK_LOAD_16: return in == PACK_TO_INT16 ? PACK_INT16 : in == PACK_TO_FP16 ? PACK_FP16 : PACK_BF16;
    case PACK_LOAD_8_BF16: return PACK_BF16;
    case PACK_LOAD_8_E5M7: return PACK_E5M7;
    case PACK_LOAD_8_E5M2: return PACK_E5M2;
    case PACK_LOAD_16_INT32:
    case PACK_LOAD_8_INT32: return PACK_INT32;
    case PACK_LOAD_32_INT16:
    case PACK_LOAD_8_INT16: return PACK_INT16;
    default: return PACK_INT8;
    }
}

/* ---- Kinds and formats ------------------------------------------------------------------------------------------- */

bool pack_is_words(enum pack_kind kind) {
    return kind == PACK_FP32 || kind == PACK_TF32 || kind == PACK_INT32;
}

bool pack_shares_exponents(enum pack_out out) {
    return out == PACK_TO_BFP8 || out == PACK_TO_BFP4 || out == PACK_TO_BFP2 || out == PACK_TO_BFP8A ||
           out == PACK_TO_BFP4A || out == PACK_TO_BFP2A;
}

unsigned pack_bits(enum pack_out out) {
    if (out == PACK_TO_BFP2 || out == PACK_TO_BFP2A)
        return 2;
    if (out == PACK_TO_BFP4 || out == PACK_TO_BFP4A)
        return 4;
    return out == PACK_TO_E4M3 ? 8u : 32u >> out % 4;
}

uint32_t pack_minus_infinity(enum pack_kind kind) {
    switch (kind) {
    case PACK_FP32:
    case PACK_TF32: return 0xFF800000;
    case PACK_BF16: return 0xFF80;
    case PACK_FP16: return 0xFFFF;
    case PACK_E5M7: return 0xFFF8;
    case PACK_E5M2: return 0xFF00;
    default: return 0;
    }
}

/* ---- Seldom done ------------------------------------------------------------------------------------------------- */

static uint32_t datum_of(const union pack_data *data, enum pack_kind kind, unsigned i) {
    return pack_is_words(kind) ? data->word[i] : data->half[i];
}

static unsigned exponent_of(const union pack_data *data, enum pack_kind kind, unsigned i) {
    uint32_t x = datum_of(data, kind, i);
    switch (kind) {
    case PACK_INT16: return x & 0xFF;
    case PACK_INT8:
    case PACK_UINT8: return 0;
    case PACK_BF16: return x >> 7 & 0xFF;
    case PACK_FP16:
    case PACK_E5M7:
    case PACK_E5M2: return x >> 10 & 0x1F;
    default: return x >> 23 & 0xFF;
    }
}

void pack_histogram(uint8_t counts[32], const union pack_data *data, enum pack_kind kind, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        uint8_t *bin = &counts[exponent_of(data, kind, i) % 32];
        *bin = (uint8_t)(*bin + (*bin != 255));
    }
}

static void move_datum(union pack_data *data, enum pack_kind kind, unsigned to, unsigned from) {
    if (pack_is_words(kind))
        data->word[to] = data->word[from];
    else
        data->half[to] = data->half[from];
}

unsigned pack_select(union pack_data *data, enum pack_kind kind, unsigned count, uint16_t *pattern) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        if (*pattern & 1)
            move_datum(data, kind, kept++, i);
        *pattern = (uint16_t)(*pattern << 15 | *pattern >> 1);
    }
    return kept;
}

unsigned pack_compress(struct pack_run *run, union pack_data *data, enum pack_kind kind, unsigned count, bool last,
                       uint8_t zeros[PACK_DATA + 1]) {
    unsigned kept = 0;
    memset(zeros, 0, PACK_DATA + 1);
    if (!run->open)
        *run = (struct pack_run){ .open = false };
    for (unsigned i = 0; i < count; i++) {
        bool zero = !datum_of(data, kind, i);
        run->some |= !zero;
        if (zero && run->open && run->zeros < 15 && !(last && i == count - 1)) {
            run->zeros++;
            zeros[kept]++;
            continue;
        }
        move_datum(data, kind, kept++, i);
        run->open = true;
        run->zeros = 0;
    }
    run->open &= !last;
    return kept;
}
