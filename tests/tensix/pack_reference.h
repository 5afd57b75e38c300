/* PACR one datum at a time, written from PACR.md (BH), Packers/InputAddressGenerator.md, OutputAddressGenerator.md,
 * EdgeMasking.md, Downsampling.md, ExponentHistogram.md, Compression.md, TDMA-RISC.md (WH, with their Blackhole
 * branches) and tt-llk's assembly.yaml: the effects on L1, counters and reported sizes, or why they are undefined.
 *
 * A tile is collected as a list of data and laid out in L1 when it ends. Its format must stay the same. */
#ifndef TESTS_TENSIX_PACK_REFERENCE_H
#define TESTS_TENSIX_PACK_REFERENCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "numeric/lanes/pack_paths.h"
#include "numeric/pack_models.h"
#include "support/tensix_box.h"
#include "tensix/dst_model.h"

enum { PR_L1 = 1536 * 1024, PR_DATA = 8192, PR_ROWS = 512 };

struct pr {
    uint8_t *l1;
    struct adc adc[TENSIX_THREADS];
    unsigned position, plane; /* TilePosition and Z, or Z and Y */
    struct packer packer;

    /* The tile that is being packed. */
    bool open;
    uint64_t at[3]; /* data, exponents, row starts */
    bool has[3];
    uint32_t datum[PR_DATA];
    unsigned data, ends[PR_ROWS], rows; /* ends of compressed rows */
    enum pack_kind kind;
    enum pack_out out;
    bool add, compress, flags;
};

/* The operands of an instruction, with its configuration. */
struct pr_step {
    const struct tensix *x;
    const uint32_t *c;
    unsigned thread, which;
    bool last, flush, concat, zero, strided;
    unsigned mask, pad, mode;
    unsigned in, out;
};

/* ---- Formats ---------------------------------------------------------------------------------------------------- */

static inline unsigned pr_bytes(unsigned format) {
    return format % 4 == 0 ? 4 : format % 4 == 1 ? 2 : 1;
}

static inline bool pr_is_bfp(unsigned out) {
    return out == 2 || out == 3 || out == 6 || out == 7 || out == 11 || out == 15;
}

static inline unsigned pr_bits(unsigned out) {
    return out == 3 || out == 7 ? 4 : out == 11 || out == 15 ? 2 : out == PACK_TO_E4M3 ? 8 : 8 * pr_bytes(out);
}

/* The kinds of In_data_format; PACK_KINDS: undefined. */
static inline enum pack_kind pr_kind(unsigned format) {
    static const uint8_t kinds[16] = { PACK_FP32,  PACK_FP16,  PACK_E5M7,  PACK_KINDS, PACK_TF32, PACK_BF16,
                                       PACK_BF16,  PACK_KINDS, PACK_INT32, PACK_INT16, PACK_E5M2, PACK_KINDS,
                                       PACK_KINDS, PACK_KINDS, PACK_INT8,  PACK_KINDS };
    return (enum pack_kind)kinds[format];
}

static inline bool pr_is_integer(enum pack_kind kind) {
    return kind == PACK_INT32 || kind == PACK_INT16 || kind == PACK_INT8 || kind == PACK_UINT8;
}

static inline unsigned pr_intermediate(const uint32_t *c) {
    return CONFIG_GET(c, ALU_FORMAT_SPEC_REG_Dstacc_override) ? CONFIG_GET(c, ALU_FORMAT_SPEC_REG_Dstacc_val)
                                                              : CONFIG_GET(c, ALU_FORMAT_SPEC_REG2_Dstacc);
}

/* ---- A datum of Dst ---------------------------------------------------------------------------------------------- */

struct pr_path {
    enum pack_early early;
    enum pack_kind kind, late;
    unsigned shift;
};

static inline const char *pr_path(const struct pr_step *s, struct pr_path *path) {
    const uint32_t *c = s->c;
    struct pack_read read = { CONFIG_GET(c, PCK_DEST_RD_CTRL_Read_32b_data),
                              CONFIG_GET(c, PCK_DEST_RD_CTRL_Read_int8),
                              CONFIG_GET(c, PCK_DEST_RD_CTRL_Read_unsigned),
                              CONFIG_GET(c, PCK_DEST_RD_CTRL_Round_10b_mant),
                              pr_intermediate(c),
                              CONFIG_GET(c, THCON_SEC0_REG1_Out_data_format) };
    enum pack_kind told = pr_kind(s->in);
    if (read.format == 5 && read.ten_bits && !read.raw && s->in == 1)
        read.format = 1;
    int early = pack_early_path(&read);
    if (early < 0)
        return "no early conversion";
    path->early = (enum pack_early)early;
    path->kind = pack_early_kind(path->early, read.format);
    path->late = path->kind == PACK_UINT8 && told == PACK_INT8 ? PACK_UINT8 : told;
    bool words = (path->kind == PACK_FP32 || path->kind == PACK_INT32) && (told == PACK_FP32 || told == PACK_INT32);
    bool tf32 = path->kind == PACK_TF32 && (told == PACK_FP32 || told == PACK_FP16);
    if (path->late != path->kind && !words && !tf32)
        return "In_data_format";
    path->shift = 0;
    if (CONFIG_GET(c, INT_DESCALE_Enable) && (early == PACK_32_INT8 || early == PACK_32_UINT8)) {
        if (CONFIG_GET(c, INT_DESCALE_Mode))
            return "INT_DESCALE_Mode";
        path->shift = CONFIG_GET(c, INT_DESCALE_VALUES_SEC0_Value) % 32;
    }
    return NULL;
}

/* The mask of a row, by its place in the tile. */
static inline unsigned pr_edge(const struct pr_step *s, unsigned y, unsigned z) {
    const uint32_t *c = s->c;
    unsigned b = CONFIG_GET(c, PCK_EDGE_TILE_ROW_SET_SELECT_select) % 4;
    if (CONFIG_GET(c, PCK_EDGE_TILE_FACE_SET_SELECT_enable)) {
        unsigned a = CONFIG_GET(c, PCK_EDGE_TILE_FACE_SET_SELECT_select) % 4;
        unsigned face = (CONFIG_GET(c, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset) + z) % 16;
        b = c[36 + a] >> 2 * face & 3;
    }
    return c[24 + (c[20 + b] >> 2 * (y % 16) & 3)] & 0xFFFF;
}

static inline uint32_t pr_minus_infinity(enum pack_kind kind) {
    static const uint32_t bits[PACK_KINDS] = { 0xFF800000, 0xFF800000, 0, 0xFF80, 0xFFFF, 0xFFF8, 0xFF00, 0, 0, 0 };
    return bits[kind];
}

static inline uint32_t pr_dst(struct pr *m, const struct pr_step *s, const struct pr_path *path, unsigned row,
                              unsigned column, bool keep) {
    const uint32_t *c = s->c;
    bool wide = CONFIG_GET(c, PCK_DEST_RD_CTRL_Read_32b_data);
    uint32_t raw = dm_get(s->x, &s->x->dst, row, column, wide), value;
    value = model_early(path->early, wide ? raw : raw >> 16, path->shift, NULL);
    if (!keep)
        value = CONFIG_GET(c, PCK_EDGE_MODE_mode) ? pr_minus_infinity(path->kind) : 0;
    unsigned relu = CONFIG_GET(c, STACC_RELU_ApplyRelu) % 4;
    if (relu)
        value = model_relu(path->kind, relu, CONFIG_GET(c, STACC_RELU_ReluThreshold), value);
    unsigned exponent = model_exponent(path->kind, value);
    uint8_t *bin = &m->packer.exponent_histogram[exponent % 32];
    const uint16_t(*own)[CONFIG_THREAD_ROW] = s->x->config.thread;
    if ((own[0][45] | own[1][45] | own[2][45]) & 1)
        *bin = *bin == 255 ? 255 : (uint8_t)(*bin + 1);
    if (exponent > m->packer.max_exponent)
        m->packer.max_exponent = (uint8_t)exponent;
    if (CONFIG_GET(c, THCON_SEC0_REG1_Exp_threshold_en) && !pr_is_integer(path->kind) &&
        exponent < CONFIG_GET(c, THCON_SEC0_REG1_Exp_threshold))
        value = 0;
    if (path->kind == PACK_TF32 && path->late == PACK_FP16)
        value = bits_of(model_narrow(number_of(value, type_tf32, 32), type_tf32, type_fp16), type_fp16, 16);
    return value;
}

/* ---- L1 ---------------------------------------------------------------------------------------------------------- */

/* Two, or 16 bytes that are added. */
static inline uint32_t pr_sum(enum pack_out out, uint32_t old, uint32_t value) {
    switch (out) {
    case PACK_TO_FP32: return model_add_fp32(old, value);
    case PACK_TO_INT32: return model_add_int32(old, value);
    case PACK_TO_BF16: return model_add_bf16((uint16_t)old, (uint16_t)value);
    default: return model_add_fp16((uint16_t)old, (uint16_t)value);
    }
}

/* A section under way: bits of data one after the other, lowest first. */
struct pr_section {
    struct pr *m;
    uint64_t at; /* bits */
    uint64_t from;
    bool beyond;
};

static inline struct pr_section pr_section(struct pr *m, unsigned which) {
    return (struct pr_section){ m, m->at[which] * 8, m->at[which] * 8, false };
}

static inline void pr_put(struct pr_section *s, uint32_t value, unsigned bits, bool add) {
    if (s->at + bits > (uint64_t)PR_L1 * 8) {
        s->beyond = true;
        return;
    }
    uint8_t *byte = s->m->l1 + s->at / 8;
    if (add) {
        uint32_t old = 0;
        memcpy(&old, byte, bits / 8);
        value = pr_sum(s->m->out, old, value);
    }
    if (bits < 8) {
        unsigned shift = s->at % 8;
        *byte = (uint8_t)((*byte & ~(((1u << bits) - 1) << shift)) | (value & ((1u << bits) - 1)) << shift);
    } else {
        memcpy(byte, &value, bits / 8);
    }
    s->at += bits;
}

/* Zeros up to the next 16 bytes; adding to them is adding zero. Returns how many units there have been. */
static inline unsigned pr_fill(struct pr_section *s, unsigned bits, bool add) {
    while ((s->at - s->from) % 128 && !s->beyond)
        pr_put(s, 0, bits, add);
    return (unsigned)((s->at - s->from) / 128);
}

/* Data with exponents of their own, or 16 at a time. */
static inline void pr_convert(struct pr *m, struct pr_section *data, struct pr_section *exponents, const uint32_t *in,
                              unsigned count) {
    unsigned bits = pr_bits(m->out);
    if (!pr_is_bfp(m->out)) {
        for (unsigned i = 0; i < count; i++)
            pr_put(data, model_late_of(m->kind, m->out, in[i]), bits, m->add);
        return;
    }
    for (unsigned i = 0; i < count; i += 16) {
        uint32_t group[16] = { 0 }, value[16];
        for (unsigned k = 0; k < 16 && i + k < count; k++)
            group[k] = in[i + k];
        bool five = m->out == 2 || m->out == 3 || m->out == 11;
        pr_put(exponents, model_shared(m->kind, five, bits, group, NULL, value), 8, false);
        for (unsigned k = 0; k < 16; k++)
            pr_put(data, value[k], bits, false);
    }
}

/* One row after the other: zeros are dropped and counted with the datum before, but for the first and the last. */
static inline unsigned pr_squeeze(struct pr *m, uint32_t *left, uint8_t *zeros, unsigned *starts) {
    unsigned kept = 0, first = 0;
    m->packer.all_zero_flags = 0;
    for (unsigned row = 0; row < m->rows; row++) {
        bool some = false;
        starts[row] = kept;
        for (unsigned i = first; i < m->ends[row]; i++) {
            some |= m->datum[i] != 0;
            if (!m->datum[i] && i > first && i + 1 < m->ends[row] && zeros[kept - 1] < 15) {
                zeros[kept - 1]++;
                continue;
            }
            left[kept] = m->datum[i];
            zeros[kept++] = 0;
        }
        first = m->ends[row];
        if (!some && row < 32 && m->flags)
            m->packer.all_zero_flags |= UINT32_C(1) << row;
    }
    starts[m->rows] = kept;
    return kept;
}

static inline unsigned pr_end_compressed(struct pr *m, bool *beyond) {
    static uint32_t left[PR_DATA];
    static uint8_t zeros[PR_DATA];
    unsigned starts[PR_ROWS + 1], kept = pr_squeeze(m, left, zeros, starts);
    struct pr_section data = pr_section(m, 0), exponents = pr_section(m, 1), rows = pr_section(m, 2);
    for (unsigned i = 0; i <= m->rows; i++)
        pr_put(&rows, starts[i] & 0xFFFF, 16, false);
    for (unsigned i = 0; i < kept; i += 32) {
        uint32_t group[32] = { 0 };
        uint8_t count[32] = { 0 };
        for (unsigned k = 0; k < 32 && i + k < kept; k++)
            group[k] = left[i + k], count[k] = zeros[i + k];
        pr_convert(m, &data, &exponents, group, 32);
        for (unsigned k = 0; k < 32; k++)
            pr_put(&data, count[k], 4, false);
    }
    unsigned units = pr_fill(&data, 8, false) + pr_fill(&exponents, 8, false) + pr_fill(&rows, 8, false);
    *beyond = data.beyond || exponents.beyond || rows.beyond;
    return units;
}

static inline unsigned pr_end_plain(struct pr *m, bool *beyond) {
    struct pr_section data = pr_section(m, 0), exponents = pr_section(m, 1);
    pr_convert(m, &data, &exponents, m->datum, m->data);
    unsigned units = pr_fill(&data, pr_bits(m->out), m->add) + pr_fill(&exponents, 8, false);
    *beyond = data.beyond || exponents.beyond;
    return units;
}

/* ---- Where a tile lies ------------------------------------------------------------------------------------------- */

static inline uint64_t pr_unit(uint32_t address) {
    return (uint64_t)(address & 0x1FFFF) * 16;
}

static inline const char *pr_place(struct pr *m, const struct pr_step *s) {
    const uint32_t *c = s->c, *counter = m->adc[s->which].channel[1].value;
    uint32_t address =
        CONFIG_GET(c, THCON_SEC0_REG1_L1_Dest_addr) + (CONFIG_GET(c, THCON_SEC0_REG1_Sub_l1_tile_header_size) ? 0 : 1);
    uint32_t yzw = CONFIG_GET(c, PCK0_ADDR_BASE_REG_1_Base) + counter[1] * (c[14] >> 16) +
                   counter[2] * (c[15] & 0xFFFF) + counter[3] * (c[15] >> 16);
    address += yzw / 16;
    if (CONFIG_GET(c, THCON_SEC0_REG1_Add_l1_dest_addr_offset))
        address += m->packer.l1_dest_addr_offset;
    if (address > CONFIG_GET(c, THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1)
        address -= CONFIG_GET(c, THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
    bool small = s->out & 2;
    uint64_t at[3];
    at[2] = pr_unit(address);
    if (m->compress)
        address += CONFIG_GET(c, THCON_SEC0_REG1_Row_start_section_size);
    at[1] = pr_unit(address);
    if (small)
        address += CONFIG_GET(c, THCON_SEC0_REG1_Exp_section_size);
    at[0] = pr_unit(address);
    if (at[0] >= PR_L1 || (small && at[1] >= PR_L1) || (m->compress && at[2] >= PR_L1))
        return "beyond L1";
    memcpy(m->at, at, sizeof at);
    return NULL;
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static inline void pr_emit(struct pr *m, uint32_t value) {
    if (m->data == PR_DATA)
        fail_msg("the tile is too long");
    m->datum[m->data++] = value;
}

/* X range and downsampling: one after the other from the first datum of the row. */
static inline void pr_row(struct pr *m, const struct pr_step *s, const uint32_t *row, unsigned count) {
    unsigned pattern = CONFIG_GET(s->c, THCON_SEC0_REG1_Downsample_mask), packed = 0;
    for (unsigned i = 0; i < count; i++)
        if (!pattern || pattern >> i % 16 & 1) {
            pr_emit(m, row[i]);
            packed++;
        }
    bool pads = s->pad % 4 == 1 || (s->pad % 4 == 2 && !s->concat) || (s->pad % 4 == 3 && s->last);
    for (; pads && s->pad < 4 && packed < 16; packed++)
        pr_emit(m, 0);
}

static inline const char *pr_check_dst(const struct pr_step *s, const struct pr_path *path) {
    const uint32_t *c = s->c;
    unsigned relu = CONFIG_GET(c, STACC_RELU_ApplyRelu) % 4;
    if (relu > 1 && (CONFIG_GET(c, STACC_RELU_ReluThreshold) >> 15 || pr_is_integer(path->kind)))
        return "threshold of ReLU";
    if (CONFIG_GET(c, THCON_SEC0_REG1_Exp_threshold_en) && s->in == 11)
        return "Exp_threshold";
    if (s->strided && (!(c[220] >> 1 & 1) || (CONFIG_GET(c, PCK_DEST_RD_CTRL_Read_32b_data) && !(c[220] & 1))))
        return "strided";
    return NULL;
}

/* Returns whether a row can get a mask that is not all ones. */
static inline bool pr_has_edges(const struct pr_step *s) {
    for (unsigned i = 0; i < 256; i++)
        if (pr_edge(s, i % 16, i / 16) != 0xFFFF)
            return true;
    return CONFIG_GET(s->c, PCK_EDGE_TILE_FACE_SET_SELECT_enable);
}

static inline const char *pr_from_dst(struct pr *m, const struct pr_step *s, unsigned count) {
    const uint32_t *c = s->c, *counter = m->adc[s->which].channel[0].value;
    struct pr_path path;
    const char *bad = pr_path(s, &path);
    if (bad || (bad = pr_check_dst(s, &path)))
        return bad;
    if (pr_has_edges(s) && CONFIG_GET(c, PCK_EDGE_MODE_mode) && pr_is_integer(path.kind))
        return "an integer without infinity";
    uint32_t sum = CONFIG_GET(c, PCK0_ADDR_BASE_REG_0_Base) + counter[0] * (c[12] & 15) + counter[1] * (c[12] >> 16) +
                   counter[2] * (c[13] & 0xFFFF) + counter[3] * (c[13] >> 16);
    unsigned bytes = pr_bytes(s->in), fine = 16 / bytes;
    if (sum % bytes)
        return "alignment";
    uint32_t first =
        sum / bytes / fine * fine + counter[0] % fine + CONFIG_GET(c, DEST_TARGET_REG_CFG_PACK_SEC0_Offset) * 16;
    unsigned start = first / 16 % 1024, column = first % 16, mask = s->mask ? s->mask : 15, k = 0;
    unsigned rows = CONFIG_GET(c, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    if (column + count > 16)
        return "beyond the row";
    if (CONFIG_GET(c, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel) && m->position < rows &&
        rows - m->position < (unsigned)__builtin_popcount(mask))
        mask = (1u << (rows - m->position)) - 1;
    if (!s->strided && (mask << start % 4) > 15)
        return "beyond the four rows";
    bool transposed = CONFIG_GET(c, PACK_COUNTERS_SEC0_pack_yz_transposed);
    m->kind = path.late;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t row[16];
        if (!(mask >> i & 1))
            continue;
        unsigned at = m->position + k++;
        unsigned edge = transposed ? pr_edge(s, m->plane, at) : pr_edge(s, at, m->plane);
        for (unsigned col = 0; col < 16; col++)
            row[col] = pr_dst(m, s, &path, (start + (s->strided ? 16 : 1) * i) % 1024, col, edge >> col & 1);
        pr_row(m, s, row + column, count);
    }
    m->position = (m->position + k) % 256;
    if (m->position == rows) {
        m->position = 0;
        m->plane = (m->plane + 1) % 16;
    }
    return NULL;
}

static inline const char *pr_from_l1(struct pr *m, const struct pr_step *s, unsigned count) {
    const uint32_t *c = s->c, *counter = m->adc[s->which].channel[0].value;
    int load = pack_load_path(s->in, s->out);
    unsigned bytes = pr_bytes(s->in), fine = 16 / bytes;
    uint32_t sum = CONFIG_GET(c, PCK0_ADDR_BASE_REG_0_Base) + counter[0] * (c[12] & 15) + counter[1] * (c[12] >> 16) +
                   counter[2] * (c[13] & 0xFFFF) + counter[3] * (c[13] >> 16);
    uint32_t at = CONFIG_GET(c, THCON_SEC0_REG1_L1_source_addr) * 0x40000 + sum % 0x40000;
    at = (at / 16 * 16 + bytes * (counter[0] % fine)) % 0x200000;
    if (load < 0)
        return "no such data in L1";
    if (at + (uint64_t)bytes * count > PR_L1)
        return "source beyond L1";
    m->kind = pack_load_kind((enum pack_load)load, s->in);
    for (unsigned done = 0; done < count; done += 16) {
        uint32_t row[16] = { 0 };
        unsigned some = count - done < 16 ? count - done : 16;
        for (unsigned i = 0; i < some; i++) {
            memcpy(&row[i], m->l1 + at + (done + i) * bytes, bytes);
            switch (load) {
            case PACK_LOAD_8_BF16: row[i] = (row[i] & 0x80) << 8 | (row[i] & 0x7F); break;
            case PACK_LOAD_8_E5M7: row[i] = (row[i] & 0x80) << 8 | (row[i] & 0x7F) << 3; break;
            case PACK_LOAD_8_E5M2: row[i] <<= 8; break;
            case PACK_LOAD_32_INT16: row[i] >>= 16; break;
            case PACK_LOAD_16_INT8: row[i] >>= 8; break;
            case PACK_LOAD_16_INT32: row[i] <<= 16; break;
            case PACK_LOAD_8_INT32: row[i] <<= 24; break;
            case PACK_LOAD_8_INT16: row[i] <<= 8; break;
            default: break;
            }
        }
        pr_row(m, s, row, some);
    }
    return NULL;
}

static inline const char *pr_from_nothing(struct pr *m, const struct pr_step *s, unsigned count) {
    uint32_t zeros[16] = { 0 };
    m->kind = pr_kind(s->in);
    if (m->kind == PACK_KINDS)
        return "In_data_format";
    if (s->mask ? count > 16 : m->adc[s->which].channel[0].value[0] || count % 16)
        return "X range";
    unsigned rows = s->mask ? (unsigned)__builtin_popcount(s->mask) : count / 16;
    for (unsigned i = 0; i < rows; i++)
        pr_row(m, s, zeros, s->mask ? count : 16);
    return NULL;
}

/* ---- The instruction --------------------------------------------------------------------------------------------- */

static inline void pr_count(struct adc_channel *channel, unsigned axis, unsigned increment, bool clear, bool cr) {
    if (clear)
        channel->value[axis] = channel->cr[axis] = 0;
    else if (cr)
        channel->value[axis] = channel->cr[axis] = (channel->cr[axis] + increment) % 8192;
    else
        channel->value[axis] = (channel->value[axis] + increment) % 8192;
}

static inline void pr_advance(struct pr *m, const struct pr_step *s) {
    unsigned mode = s->x->config.thread[s->thread][37 + s->mode];
    struct adc_channel *channel = m->adc[s->which].channel;
    pr_count(&channel[0], ADC_Y, mode % 16, mode >> 5 & 1, mode >> 4 & 1);
    pr_count(&channel[1], ADC_Y, mode >> 6 & 15, mode >> 11 & 1, mode >> 10 & 1);
    pr_count(&channel[0], ADC_Z, mode >> 12 & 1, mode >> 13 & 1, false);
    pr_count(&channel[1], ADC_Z, mode >> 14 & 1, mode >> 15 & 1, false);
}

static inline const char *pr_check(const struct pr *m, const struct pr_step *s) {
    static const bool adds[PACK_OUTS] = {
        [PACK_TO_FP32] = true, [PACK_TO_FP16] = true, [PACK_TO_BF16] = true, [PACK_TO_INT32] = true
    };
    bool ints = pr_is_integer(m->kind);
    unsigned tos = m->kind == PACK_INT32   ? 1u << 8
                   : m->kind == PACK_INT16 ? 1u << 9
                   : ints                  ? 1u << 14
                                           : 0x8CFF & ~(m->kind == PACK_FP32 ? 1u << 4 : 0);
    (void)s;
    if (m->out != PACK_TO_E4M3 ? !(tos >> m->out & 1) : ints)
        return "no late conversion";
    if (m->add && (!adds[m->out] || m->compress))
        return "cannot add";
    return m->compress && pr_bits(m->out) < 4 ? "cannot compress" : NULL;
}

static inline const char *pr_unknown(const struct pr_step *s, uint32_t word) {
    const uint32_t *c = s->c;
    if (word >> 2 & 3 || word >> 21 & 3 || CONFIG_GET(c, THCON_SEC0_REG1_Downsample_rate) ||
        CONFIG_GET(c, THCON_SEC0_REG1_pack_start_intf_pos) ||
        CONFIG_GET(c, THCON_SEC0_REG1_pack_dis_y_pos_start_offset) ||
        CONFIG_GET(c, THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd) ||
        CONFIG_GET(c, PACK_COUNTERS_SEC0_pack_per_xy_plane) ||
        (pr_is_bfp(s->out) && CONFIG_GET(c, THCON_SEC0_REG1_Dis_shared_exp_assembler)))
        return "not modelled";
    return NULL;
}

static inline struct pr_step pr_decode(const struct tensix *x, unsigned thread, uint32_t word) {
    const uint32_t *c = x->config.bank[x->config.thread[thread][0] & 1];
    unsigned context = word >> 13 & 3;
    return (struct pr_step){
        .x = x,
        .c = c,
        .thread = thread,
        .which = word >> 7 & 1 ? context % 3 : thread,
        .last = word & 1,
        .flush = word >> 1 & 1,
        .concat = word >> 4 & 1,
        .zero = word >> 12 & 1,
        .strided = word >> 17 & 1,
        .mask = word >> 8 & 15,
        .pad = word >> 18 & 7,
        .mode = word >> 15 & 3,
        .in = CONFIG_GET(c, THCON_SEC0_REG1_In_data_format),
        .out = CONFIG_GET(c, THCON_SEC0_REG1_Out_data_format),
    };
}

static inline const char *pr_data(struct pr *m, const struct pr_step *s) {
    const struct adc_channel *channel = m->adc[s->which].channel;
    unsigned count = channel[1].value[0] - channel[0].value[0] + 1;
    if (s->flush) {
        m->kind = pr_kind(s->in);
        return m->kind == PACK_KINDS ? "In_data_format" : NULL;
    }
    if (channel[1].value[0] < channel[0].value[0])
        return "the last datum before the first";
    if (s->zero)
        return pr_from_nothing(m, s, count);
    return CONFIG_GET(s->c, THCON_SEC0_REG1_Source_interface_selection) ? pr_from_l1(m, s, count)
                                                                        : pr_from_dst(m, s, count);
}

static inline void pr_keep_sizes(struct pr *m, const struct pr_step *s, unsigned units) {
    struct packer *p = &m->packer;
    p->last_tile_size = (uint16_t)units;
    p->last_thread = (uint8_t)s->thread;
    p->acc_tile_size[s->thread] = (uint16_t)(p->acc_tile_size[s->thread] + units);
    if (CONFIG_GET(s->c, THCON_SEC0_REG1_Add_tile_header_size))
        p->acc_tile_size[s->thread]++;
    if (CONFIG_GET(s->c, THCON_SEC0_REG1_Enable_out_fifo) && p->tiles < PACKER_TILES)
        p->tile[p->tiles++] = (struct packer_tile){ p->all_zero_flags, (uint16_t)units };
}

/* Returns NULL, or why it is undefined or not modelled. */
static inline const char *pr_pack(struct pr *m, const struct tensix *x, unsigned thread, uint32_t word) {
    struct pr_step s = pr_decode(x, thread, word);
    const char *bad = pr_unknown(&s, word);
    if (bad)
        return bad;
    if (!m->open)
        m->data = m->rows = 0;
    m->add = CONFIG_GET(s.c, THCON_SEC0_REG1_Pack_L1_Acc);
    m->compress = !CONFIG_GET(s.c, THCON_SEC0_REG1_Disable_zero_compress);
    m->flags = !CONFIG_GET(s.c, THCON_SEC0_REG1_Disable_pack_zero_flags);
    m->out = s.out == 10 && CONFIG_GET(s.c, THCON_SEC0_REG1_Pac_LF8_4b_exp) ? PACK_TO_E4M3 : (enum pack_out)s.out;
    if ((bad = pr_data(m, &s)) || (bad = pr_check(m, &s)) || (!m->open && (bad = pr_place(m, &s))))
        return bad;
    bool pads = s.pad % 4 == 1 || (s.pad % 4 == 2 && !s.concat) || (s.pad % 4 == 3 && s.last);
    while (!s.flush && pads && s.pad >= 4 && m->data % 16)
        pr_emit(m, 0);
    bool ends = s.last || s.flush, beyond = false;
    if (s.flush ? m->data > (m->rows ? m->ends[m->rows - 1] : 0) : s.last || !s.concat)
        m->ends[m->rows++] = m->data;
    m->open = !ends;
    pr_advance(m, &s);
    unsigned units = !ends ? 0 : m->compress ? pr_end_compressed(m, &beyond) : pr_end_plain(m, &beyond);
    if (s.last)
        pr_keep_sizes(m, &s, units);
    return beyond ? "the tile beyond L1" : NULL;
}

#endif
