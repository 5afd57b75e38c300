/* UNPACR one datum at a time, written from UNPACR_Regular.md, ADCs.md and SrcASrcB.md (WH, with their Blackhole
 * branches): what becomes of Src, Dst and counters, or why that is undefined. */
#ifndef TESTS_TENSIX_UNPACK_REFERENCE_H
#define TESTS_TENSIX_UNPACK_REFERENCE_H

#include "numeric/unpack_models.h"
#include "support/tensix_box.h"

struct ur {
    uint32_t src[SRC_FILES][SRC_BANKS][SRC_ROWS][SRC_COLUMNS]; /* 19 bits: sign, mantissa, exponent */
    uint16_t dst[DST_ROWS][DST_COLUMNS];
    bool valid[DST_ROWS];
    struct adc adc[TENSIX_THREADS][ADC_COUNT];
    uint8_t contexts[TENSIX_THREADS][2];
    uint8_t allowed[SRC_FILES][SRC_BANKS], bank[SRC_FILES], format[SRC_FILES][SRC_BANKS], row[SRC_FILES][3];
};

static inline void ur_take(struct ur *w, const struct tensix *x) {
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS * SRC_ROWS * SRC_COLUMNS; i++) {
        unsigned file = i >> 11, bank = i >> 10 & 1, row = i >> 4 & 63, column = i & 15;
        w->src[file][bank][row][column] = src_get(&x->src.bank[file][bank], row, column);
    }
    memcpy(w->dst, x->dst.bits, sizeof w->dst);
    for (unsigned i = 0; i < DST_ROWS; i++)
        w->valid[i] = !(x->dst.invalid[i / 32] >> i % 32 & 1);
    memcpy(w->adc, x->adc, sizeof w->adc);
    memcpy(w->contexts, x->config.context_count, sizeof w->contexts);
    memcpy(w->allowed, x->src.allowed, sizeof w->allowed);
    memcpy(w->bank, x->src.unpacker_bank, sizeof w->bank);
    memcpy(w->format, x->src.format, sizeof w->format);
    memcpy(w->row, x->src.unpacker_row, sizeof w->row);
}

/* ---- The instruction and its configuration ------------------------------------------------------------------- */

#define UR_OF(c, u, name)  ((u) ? CONFIG_GET(c, THCON_SEC1_##name) : CONFIG_GET(c, THCON_SEC0_##name))
#define UR_UNP(c, u, name) ((u) ? CONFIG_GET(c, UNP1_##name) : CONFIG_GET(c, UNP0_##name))
#define UR_EIGHT(c, u, name) \
    { \
        UR_OF(c, u, name##0), UR_OF(c, u, name##1), UR_OF(c, u, name##2), UR_OF(c, u, name##3), UR_OF(c, u, name##4), \
            UR_OF(c, u, name##5), UR_OF(c, u, name##6), UR_OF(c, u, name##7) \
    }
#define UR_FOUR(c, u, name) \
    { UR_OF(c, u, name##0), UR_OF(c, u, name##1), UR_OF(c, u, name##2), UR_OF(c, u, name##3) }

struct ur_setting {
    unsigned unpacker, thread, context, adc, in, out, upsample, shift, row_width, bits;
    bool multi, flip, spread, zero, counter, search, uncompressed, to_dst, transpose, tilize, skip, forced, absolute;
    uint32_t x, y, z, w, blobs, stride;
    const uint32_t *config, *descriptor;
    const uint16_t *own;
};

enum { UR_FP32, UR_FP16, UR_TF32 = 4, UR_BF16, UR_INT32 = 8, UR_INT16, UR_FP8, UR_INT8 = 14 };

static inline unsigned ur_bits(unsigned format) {
    static const uint8_t bits[16] = { 32, 16, 8, 4, 32, 16, 8, 4, 32, 16, 8, 2, 0, 0, 8, 2 };
    return bits[format];
}

static inline bool ur_is_bfp(unsigned format) {
    return format == 2 || format == 3 || format == 6 || format == 7 || format == 11 || format == 15;
}

/* Returns whether both are BFP formats with the same size of exponents. */
static inline bool ur_share_alike(unsigned a, unsigned b) {
    bool both_8 = (a == 6 || a == 7 || a == 15) && (b == 6 || b == 7 || b == 15);
    bool both_5 = (a == 2 || a == 3 || a == 11) && (b == 2 || b == 3 || b == 11);
    return both_8 || both_5;
}

static inline void ur_read_formats(struct ur_setting *s) {
    const uint32_t in[] = UR_EIGHT(s->config, s->unpacker, REG7_Unpack_data_format_cntx);
    const uint32_t out[] = UR_EIGHT(s->config, s->unpacker, REG7_Unpack_out_data_format_cntx);
    bool override = s->multi && UR_OF(s->config, s->unpacker, REG2_Ovrd_data_format);
    s->in = override ? in[s->context] : s->descriptor[0] & 15;
    s->out = override ? out[s->context] : UR_OF(s->config, s->unpacker, REG2_Out_data_format);
    s->bits = ur_bits(s->in);
    s->row_width = s->bits <= 8 ? 16 : 32;
}

static inline void ur_read_modes(struct ur_setting *s) {
    const uint32_t plain[] = UR_EIGHT(s->config, s->unpacker, REG2_Disable_zero_compress_cntx);
    const uint32_t to_dst[] = UR_EIGHT(s->config, s->unpacker, REG2_Unpack_if_sel_cntx);
    const uint32_t shift[] = UR_FOUR(s->config, s->unpacker, REG2_Shift_amount_cntx);
    s->uncompressed = s->multi ? plain[s->context] : s->descriptor[0] >> 4 & 1;
    s->to_dst = !s->unpacker && (s->multi ? to_dst[s->context] : UR_OF(s->config, 0, REG2_Unpack_If_Sel));
    s->transpose = !s->unpacker && UR_OF(s->config, 0, REG2_Haloize_mode);
    s->tilize = UR_OF(s->config, s->unpacker, REG2_Tileize_mode);
    s->upsample = (1u << UR_OF(s->config, s->unpacker, REG2_Upsample_rate)) - 1;
    s->skip = UR_OF(s->config, s->unpacker, REG2_Upsample_and_interleave);
    s->forced = UR_OF(s->config, s->unpacker, REG2_Force_shared_exp);
    s->absolute = CONFIG_GET(s->own, SRCA_SET_SetOvrdWithAddr);
    s->shift = s->tilize || s->unpacker ? 0 : shift[s->context % 4];
    s->stride = s->tilize ? shift[0] * 16 + shift[1] * 256 + shift[2] * 4096 : s->bits * s->row_width / 8;
}

static inline void ur_read_sizes(struct ur_setting *s) {
    const uint32_t x[] = UR_FOUR(s->config, 0, REG5_Tile_x_dim_cntx);
    s->x = s->multi && !s->unpacker ? x[s->context % 4] : s->descriptor[0] >> 16;
    s->y = s->descriptor[1] & 255;
    s->z = s->descriptor[1] >> 16 & 255 ? s->descriptor[1] >> 16 & 255 : 1;
    s->w = s->descriptor[2] & 255 ? s->descriptor[2] & 255 : 1;
    s->blobs = s->descriptor[0] >> 8 & 7;
}

static inline const char *ur_read(const struct tensix *x, unsigned thread, uint32_t word, struct ur_setting *s) {
    *s = (struct ur_setting){
        .unpacker = word >> 23 & 1,
        .thread = thread,
        .multi = word >> 7 & 1,
        .flip = word >> 6 & 1,
        .spread = word >> 5 & 1,
        .zero = word >> 4 & 1,
        .counter = word >> 3 & 1,
        .search = word >> 2 & 1,
        .own = x->config.thread[thread],
        .adc = word >> 7 & 1 ? word >> 8 & 3 : thread,
    };
    s->config = x->config.bank[CONFIG_GET(s->own, CFG_STATE_ID_StateID)];
    s->descriptor = s->config + (s->unpacker ? CONFIG_WORD_THCON_SEC1_REG0_TileDescriptor
                                             : CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor);
    if (s->multi) {
        s->context = s->counter ? x->config.context_count[thread][s->unpacker] : word >> 10 & 7;
        s->context += s->unpacker ? CONFIG_GET(s->own, UNPACK_MISC_CFG_CfgContextOffset_1)
                                  : CONFIG_GET(s->own, UNPACK_MISC_CFG_CfgContextOffset_0);
        s->context %= 8;
        if ((s->unpacker && s->context >= 2) || s->adc == 3)
            return "context";
    }
    ur_read_formats(s);
    ur_read_modes(s);
    ur_read_sizes(s);
    return NULL;
}

/* ---- Conversion ------------------------------------------------------------------------------------------------ */

static inline int ur_path(const struct ur_setting *s) {
    static const int8_t same[16] = { -1,          UNPACK_FP16, UNPACK_BFP8A, UNPACK_BFP4A, -1, UNPACK_BF16,
                                     UNPACK_BFP8, UNPACK_BFP4, -1,           UNPACK_INT16, -2, UNPACK_BFP2A,
                                     -1,          -1,          -3,           UNPACK_BFP2 };
    bool b = s->unpacker;
    if (s->in == UR_FP32 && s->out == UR_TF32)
        return s->to_dst ? UNPACK_WORD : UNPACK_TF32;
    if (s->in == UR_FP32 && s->out == UR_BF16)
        return UNPACK_FP32_BF16;
    if (s->in == UR_FP32 && s->out == UR_FP16)
        return UNPACK_FP32_FP16;
    if (s->in != s->out && !ur_share_alike(s->in, s->out))
        return -1;
    if (s->in == UR_FP32 || s->in == UR_TF32 || s->in == UR_INT32)
        return s->to_dst ? UNPACK_WORD : -1;
    if (s->in == UR_FP8)
        return UR_OF(s->config, b, REG1_Unp_LF8_4b_exp) ? UNPACK_E4M3 : UNPACK_E5M2;
    if (s->in == UR_INT8)
        return (b ? CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG0_SrcBUnsigned)
                  : CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG0_SrcAUnsigned))
                   ? UNPACK_UINT8
                   : UNPACK_INT8;
    return same[s->in];
}

static inline enum unpack_layout ur_layout(int path) {
    switch (path) {
    case UNPACK_TF32: return LIKE_TF32;
    case UNPACK_WORD: return LIKE_WORD;
    case UNPACK_INT16: return LIKE_INT16;
    case UNPACK_FP32_BF16:
    case UNPACK_BF16:
    case UNPACK_BFP8:
    case UNPACK_BFP4:
    case UNPACK_BFP2: return LIKE_BF16;
    default: return LIKE_FP16;
    }
}

/* ---- Input: addresses in bits, those of exponents in half bits --------------------------------------------------- */

struct ur_input {
    const uint8_t *l1;
    long long data, exponents, deltas, limit, fifo, starts, first;
    uint32_t count, drop, emit;
    const char *bad;
};

static inline uint32_t ur_l1(struct ur_input *in, long long bit, unsigned bits) {
    uint32_t value = 0;
    if (bit < 0 || bit + bits > CORE_L1_SIZE * 8ll) {
        in->bad = "L1";
        return 0;
    }
    for (unsigned i = 0; i < bits; i++)
        value |= (uint32_t)(in->l1[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
    return value;
}

static inline long long ur_wrap(const struct ur_input *in, long long address, long long byte) {
    return address > in->limit * byte ? address - in->fifo * byte : address;
}

static inline long long ur_up(long long value, long long to) {
    return (value + to - 1) / to * to;
}

static inline void ur_sections(const struct ur_setting *s, struct ur_input *in) {
    const uint32_t base[] = {
        UR_OF(s->config, s->unpacker, REG3_Base_address),       UR_OF(s->config, s->unpacker, REG3_Base_cntx1_address),
        UR_OF(s->config, s->unpacker, REG3_Base_cntx2_address), UR_OF(s->config, s->unpacker, REG3_Base_cntx3_address),
        UR_OF(s->config, s->unpacker, REG4_Base_cntx4_address), UR_OF(s->config, s->unpacker, REG4_Base_cntx5_address),
        UR_OF(s->config, s->unpacker, REG4_Base_cntx6_address), UR_OF(s->config, s->unpacker, REG4_Base_cntx7_address),
    };
    const uint32_t offset[] = { UR_OF(s->config, s->unpacker, REG7_Offset_address),
                                UR_OF(s->config, s->unpacker, REG7_Offset_cntx1_address),
                                UR_OF(s->config, s->unpacker, REG7_Offset_cntx2_address),
                                UR_OF(s->config, s->unpacker, REG7_Offset_cntx3_address) };
    long long at = ((long long)base[s->context] + offset[s->context % 4] + 1 + (s->descriptor[3] >> 24)) * 16;
    in->starts = at;
    if (!s->uncompressed)
        at += ur_up(((long long)(s->blobs ? s->blobs : s->y) * s->z * s->w + 1) * 2, 16);
    in->exponents = at * 16;
    if (ur_is_bfp(s->in) && !s->forced && (s->bits == 8 || !(s->descriptor[0] >> 5 & 1)))
        at += ur_up(ur_up((long long)s->x * s->y * s->z * s->w, 16) / 16, 16);
    in->data = at * 8;
}

static inline uint32_t ur_blob(const struct ur_setting *s, unsigned i) {
    uint64_t starts = s->descriptor[2] >> 16 | (uint64_t)s->descriptor[3] << 16;
    if (s->multi && !s->unpacker)
        starts = s->context & 2 ? CONFIG_GET(s->config, UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start)
                                : CONFIG_GET(s->config, UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start);
    return (uint32_t)(starts >> 4 * i & 15) * 16;
}

static inline void ur_range(const struct ur_setting *s, const struct ur *w, struct ur_input *in) {
    const struct adc_channel *xy = w->adc[s->adc][s->unpacker].channel, *zw = w->adc[s->thread][s->unpacker].channel;
    uint32_t x = xy[0].value[ADC_X], y = xy[0].value[ADC_Y], to = xy[1].value[ADC_X] + 1;
    uint32_t plane = (zw[0].value[ADC_W] & 255) * s->z + (zw[0].value[ADC_Z] & 255);
    in->drop = 0;
    in->emit = UINT32_MAX;
    if (s->uncompressed) {
        if (s->search && s->blobs) {
            uint32_t next = (x & 7) + 1;
            if (next == 8) {
                in->bad = "blob";
                return;
            }
            x = ur_blob(s, y & 7);
            y = 0;
            to = next == s->blobs ? s->x & 0x1F0 : ur_blob(s, next);
        } else if (s->search) {
            x = 0;
            to--;
        }
        in->first = ((long long)plane * s->y + y) * s->x + x;
        in->count = to - x;
        if (to < x)
            in->bad = "range";
        return;
    }
    long long row = in->starts + 2ll * plane * (s->search && s->blobs ? s->blobs : s->y);
    in->first = ur_l1(in, (row + 2 * (y & 255)) * 8, 16);
    if (s->search || (x == 0 && to == s->x)) {
        uint32_t end = ur_l1(in, (row + 2 * ((s->search ? x & 255 : y & 255) + 1)) * 8, 16);
        in->count = end - (uint32_t)in->first;
        if (end < in->first)
            in->bad = "range";
    } else {
        (void)ur_l1(in, (row + 2 * ((y & 255) + 1)) * 8, 16);
        in->count = UINT32_MAX;
        in->drop = x;
        in->emit = to - x;
        if (to < x)
            in->bad = "range";
    }
}

static inline void ur_start(const struct ur_setting *s, struct ur_input *in) {
    long long size = s->bits;
    in->exponents += in->first;
    if (s->uncompressed) {
        in->data += in->first * size;
    } else {
        in->data += in->first / 32 * (32 * size + 128);
        in->deltas = in->data + 32 * size + in->first % 32 * 4;
        in->data += in->first % 32 * size;
    }
    in->limit = 16ll * UR_OF(s->config, s->unpacker, REG2_Unpack_limit_address);
    in->fifo = 16ll * UR_OF(s->config, s->unpacker, REG2_Unpack_fifo_size);
    in->data = ur_wrap(in, in->data, 8);
    in->deltas = ur_wrap(in, in->deltas, 8);
    in->exponents = ur_wrap(in, in->exponents, 16);
}

/* ---- Output ------------------------------------------------------------------------------------------------------ */

static inline const char *ur_output(const struct ur_setting *s, const struct ur *w, uint32_t *out) {
    const uint32_t *counter = w->adc[s->thread][s->unpacker].channel[1].value;
    const uint32_t own[] = { CONFIG_GET(s->config, THCON_SEC0_REG5_Dest_cntx0_address),
                             CONFIG_GET(s->config, THCON_SEC0_REG5_Dest_cntx1_address),
                             CONFIG_GET(s->config, THCON_SEC0_REG5_Dest_cntx2_address),
                             CONFIG_GET(s->config, THCON_SEC0_REG5_Dest_cntx3_address) };
    uint32_t at = UR_UNP(s->config, s->unpacker, ADDR_BASE_REG_1_Base) +
                  counter[ADC_Y] * UR_UNP(s->config, s->unpacker, ADDR_CTRL_XY_REG_1_Ystride) +
                  counter[ADC_Z] * UR_UNP(s->config, s->unpacker, ADDR_CTRL_ZW_REG_1_Zstride) +
                  counter[ADC_W] * UR_UNP(s->config, s->unpacker, ADDR_CTRL_ZW_REG_1_Wstride);
    unsigned size = ur_bits(s->out) == 32 ? 4 : ur_bits(s->out) == 16 ? 2 : 1;
    if (at % size)
        return "output address";
    at /= size;
    if (s->multi && !s->unpacker)
        at = own[s->context % 4] +
             (s->to_dst || CONFIG_GET(s->config, UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr) ? at : 0);
    *out = at;
    return NULL;
}

static inline const char *ur_check(const struct ur_setting *s, const struct ur_input *in, uint32_t out) {
    if ((s->transpose || s->tilize) && in->data % 128)
        return "alignment";
    if (s->tilize && (s->upsample || !s->uncompressed || s->bits < 8))
        return "tilize";
    if (s->to_dst && (s->shift || s->transpose || s->absolute))
        return "to Dst";
    if (s->spread && (!s->unpacker || in->count > 16 || out % 16 || s->upsample))
        return "broadcast";
    return NULL;
}

/* Bytes that are fetched in a cycle. */
static inline unsigned ur_rate(const struct ur_setting *s) {
    unsigned mode = UR_OF(s->config, s->unpacker, REG2_Throttle_mode);
    if (!UR_OF(s->config, s->unpacker, REG1_ovrd_default_throttle_mode))
        mode = s->bits == 8 ? 3 : 2;
    if (s->tilize)
        mode = 2;
    if ((s->upsample == 1 || (s->to_dst && s->bits == 4)) && mode > 1)
        mode = 1;
    if (!s->uncompressed || s->upsample >= 3 || s->bits == 2)
        mode = 0;
    return mode == 2 && s->bits >= 16 ? 128 : 16u << mode;
}

/* Returns whether a burst of rows crosses from one set of 16 rows of SrcA into the next. */
static inline bool ur_crosses(const struct ur_setting *s, uint32_t out, uint32_t count) {
    unsigned burst = ur_rate(s) / (2 * s->bits), first = out / 16, last = (out + count - 1) / 16;
    burst = burst > 8 ? 8 : burst < 1 ? 1 : burst;
    for (unsigned row = first; row <= last; row++)
        if (row > first && (row - first) % burst && (row + 12) % 16 == 0)
            return true;
    return false;
}

static inline unsigned ur_adjust16(const struct tensix *x, unsigned row) {
    return dst_row16(&x->dst, x->config.bank[0], row);
}

static inline const char *ur_put(const struct tensix *x, const struct ur_setting *s, struct ur *w, uint32_t out,
                                 uint32_t datum) {
    unsigned row = out / 16, column = out % 16;
    if (s->to_dst) {
        bool wide = ur_bits(s->out) == 32;
        row = (row - 4) % 1024;
        row = wide ? dst_row32(s->config, row) : ur_adjust16(x, row);
        w->dst[row][column] = (uint16_t)(wide ? datum >> 16 : datum);
        if (wide)
            w->dst[row + 8][column] = (uint16_t)datum;
        w->valid[row] = true;
        return NULL;
    }
    if (s->unpacker) {
        row += w->row[1][s->thread];
        for (unsigned i = 0; i < (s->spread ? 8 : 1); i++) {
            if (row + i >= 64)
                return "SrcB";
            w->src[1][w->bank[1]][row + i][column] = datum;
        }
        return NULL;
    }
    if (row < 4)
        return NULL;
    row -= 4;
    if (column < s->shift)
        return NULL;
    if (s->absolute)
        row %= 64;
    else if (row >= 16)
        return "SrcA";
    else
        row += w->row[0][s->thread];
    column -= s->shift;
    if (s->transpose)
        w->src[0][w->bank[0]][row - row % 16 + column][row % 16] = datum;
    else
        w->src[0][w->bank[0]][row][column] = datum;
    return NULL;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static inline const char *ur_loop(const struct tensix *x, const struct ur_setting *s, struct ur *w, struct ur_input *in,
                                  uint32_t out) {
    int path = ur_path(s);
    const char *bad = NULL;
    for (uint32_t i = 0; i < in->count && in->emit && !bad && !in->bad;) {
        uint32_t bits = ur_l1(in, in->data, s->bits);
        unsigned exponent = UR_UNP(s->config, s->unpacker, FORCED_SHARED_EXP_shared_exp), zeros = 0;
        in->data += s->bits;
        if (++i % s->row_width == 0)
            in->data = ur_wrap(in, in->data - s->bits * s->row_width + s->stride * 8ll, 8);
        if (ur_is_bfp(s->in) && !s->forced) {
            exponent = ur_l1(in, in->exponents / 16 * 8, 8);
            if (++in->exponents % 256 == 0)
                in->exponents = ur_wrap(in, in->exponents, 16);
        }
        if (!s->uncompressed) {
            zeros = ur_l1(in, in->deltas, 4);
            in->deltas += 4;
            if (in->deltas % 128 == 0) {
                in->data += 128;
                in->deltas = ur_wrap(in, in->deltas + 32 * s->bits, 8);
            }
        }
        int half = model_half_of((enum unpack_path)path, bits, exponent);
        if (half < 0 && s->bits < 16 && !s->zero)
            bad = "exponent";
        uint32_t datum =
            s->to_dst ? model_dst_of(ur_layout(path), (uint32_t)half) : model_src_of(ur_layout(path), (uint32_t)half);
        if (s->zero)
            datum = zeros = 0;
        for (unsigned j = 0; j <= zeros && !in->bad; j++, datum = 0) {
            if (in->drop) {
                in->drop--;
                continue;
            }
            for (unsigned k = 0; k <= s->upsample; k++, datum = 0, out++)
                if (!bad && !(s->skip && k))
                    bad = ur_put(x, s, w, out, datum);
            if (--in->emit == 0)
                break;
        }
    }
    return bad ? bad : in->bad;
}

static inline void ur_finish(const struct ur_setting *s, struct ur *w, uint32_t word) {
    unsigned u = s->unpacker, t = s->thread;
    uint8_t base = (uint8_t)((u ? CONFIG_GET(s->own, SRCB_SET_Base) : CONFIG_GET(s->own, SRCA_SET_Base)) * 16);
    if (s->multi && s->counter) {
        unsigned next = (s->context + 1) % 8;
        w->contexts[t][u] = (uint8_t)(next >= 1u << UR_OF(s->config, u, REG2_Context_count) ? 0 : next);
    }
    for (unsigned i = 0; i < 3; i++) {
        struct adc_channel *channel = w->adc[i][u].channel;
        if (i != t && i != s->adc)
            continue;
        channel[1].value[ADC_Y] = (channel[1].value[ADC_Y] + (word >> 21 & 3)) % 8192;
        channel[1].value[ADC_Z] = (channel[1].value[ADC_Z] + (word >> 19 & 3)) % 8192;
        channel[0].value[ADC_Y] = (channel[0].value[ADC_Y] + (word >> 17 & 3)) % 8192;
        channel[0].value[ADC_Z] = (channel[0].value[ADC_Z] + (word >> 15 & 3)) % 8192;
    }
    if (s->flip) {
        w->allowed[u][w->bank[u]] = SRC_MATRIX;
        w->format[u][w->bank[u]] = (uint8_t)s->out;
        w->bank[u] ^= 1;
        w->row[u][t] = base;
    } else if (UR_OF(s->config, u, REG2_Unpack_Src_Reg_Set_Upd)) {
        w->row[u][t] = (uint8_t)((w->row[u][t] + 16 + base) % 64);
    }
}

/* Returns why it is undefined, or NULL; w then is what there is afterwards. */
static inline const char *ur_unpack(const struct tensix *x, unsigned thread, uint32_t word, struct ur *w,
                                    struct ur_setting *s) {
    struct ur_input in = { .l1 = x->l1 };
    uint32_t out = 0;
    const char *bad = ur_read(x, thread, word, s);
    if (bad)
        return bad;
    if (ur_path(s) < 0)
        return "formats";
    ur_sections(s, &in);
    ur_range(s, w, &in);
    if (in.bad)
        return in.bad;
    ur_start(s, &in);
    bad = ur_output(s, w, &out);
    if (bad || (bad = ur_check(s, &in, out)))
        return bad;
    if (s->uncompressed && !s->unpacker && !s->to_dst && !s->upsample && in.count && ur_crosses(s, out, in.count))
        return "burst";
    bad = ur_loop(x, s, w, &in, out);
    if (!bad)
        ur_finish(s, w, word);
    return bad;
}

#endif
