/* Configurations of the packer, counters, Dst and PACRs at random, most of them such that they are defined. */
#ifndef TESTS_TENSIX_PACK_DRAW_H
#define TESTS_TENSIX_PACK_DRAW_H

#include "tensix/matrix_rows.h"
#include "tensix/pack_reference.h"

enum { PD_L1 = 0x40000 /* where tiles lie */, PD_SIZE = 0x20000, PD_SOURCE = 0x80000 /* data to be read */ };

/* The configuration that is drawn; the rest has its defaults. */
struct pd {
    uint64_t seed;
    unsigned thread;
    bool rare; /* modes and values beyond those of kernels */
    bool strided, wide;
    unsigned mask, in;
};

static inline bool pd_chance(struct pd *d, unsigned of) {
    return random_below(&d->seed, of) == 0;
}

static inline bool pd_rarely(struct pd *d, unsigned of) {
    return d->rare && pd_chance(d, of);
}

/* Intermediate formats of 32-bit and of 16-bit Dst, and what may become of floats. */
static inline void pd_formats(struct pd *d, uint32_t *c) {
    static const uint8_t wide[] = { 0, 0, 4, 5, 5, 6, 8, 9, 14, 1 }, narrow[] = { 5, 5, 6, 1, 1, 2, 9, 4, 10, 14 };
    static const uint8_t floats[] = { 0, 1, 2, 3, 5, 5, 6, 7, 10, 11, 15, 4 };
    d->wide = pd_chance(d, 2);
    unsigned format = (d->wide ? wide : narrow)[random_below(&d->seed, 10)], in = format, out = format;
    bool raw = d->wide ? pd_chance(d, 3) : format == 10 || format == 14 || pd_chance(d, 3);
    bool ten = (d->wide && format == 1) || pd_rarely(d, 5);
    if (format != 8 && format != 9 && format != 14)
        out = floats[random_below(&d->seed, 12)];
    if (pd_rarely(d, 8))
        in = random_below(&d->seed, 16);
    if (pd_rarely(d, 20))
        out = random_below(&d->seed, 16);
    d->in = in;
    MR_SET(c, PCK_DEST_RD_CTRL_Read_32b_data, d->wide);
    MR_SET(c, PCK_DEST_RD_CTRL_Read_int8, raw);
    MR_SET(c, PCK_DEST_RD_CTRL_Read_unsigned, d->wide && pd_chance(d, 2));
    MR_SET(c, PCK_DEST_RD_CTRL_Round_10b_mant, ten);
    MR_SET(c, ALU_FORMAT_SPEC_REG2_Dstacc, format);
    if (pd_chance(d, 4)) {
        MR_SET(c, ALU_FORMAT_SPEC_REG2_Dstacc, random_below(&d->seed, 16));
        MR_SET(c, ALU_FORMAT_SPEC_REG_Dstacc_val, format);
        MR_SET(c, ALU_FORMAT_SPEC_REG_Dstacc_override, 1);
    }
    MR_SET(c, THCON_SEC0_REG1_In_data_format, in);
    MR_SET(c, THCON_SEC0_REG1_Out_data_format, out);
    MR_SET(c, THCON_SEC0_REG1_Pac_LF8_4b_exp, pd_chance(d, 2));
    bool adds = out == 0 || out == 1 || out == 5 || out == 8;
    MR_SET(c, THCON_SEC0_REG1_Pack_L1_Acc, adds ? pd_chance(d, 3) : pd_rarely(d, 30));
    MR_SET(c, THCON_SEC0_REG1_Disable_zero_compress, !pd_rarely(d, 3));
}

static inline void pd_values(struct pd *d, uint32_t *c) {
    if (pd_chance(d, 3)) {
        uint32_t threshold = pd_chance(d, 2) ? 0x3C00 + random_below(&d->seed, 0x400) : random_below(&d->seed, 0x8400);
        MR_SET(c, STACC_RELU_ApplyRelu, random_below(&d->seed, 16));
        MR_SET(c, STACC_RELU_ReluThreshold, threshold & 0xFF00); /* a number of all formats */
    }
    if (pd_rarely(d, 4)) {
        MR_SET(c, THCON_SEC0_REG1_Exp_threshold_en, 1);
        MR_SET(c, THCON_SEC0_REG1_Exp_threshold, random_below(&d->seed, pd_chance(d, 2) ? 32 : 256));
    }
    if (pd_rarely(d, 4)) {
        MR_SET(c, INT_DESCALE_Enable, 1);
        MR_SET(c, INT_DESCALE_Mode, pd_chance(d, 20));
        c[CONFIG_WORD_INT_DESCALE_VALUES_SEC0_Value] = (uint32_t)random_next(&d->seed);
    }
    MR_SET(c, THCON_SEC0_REG1_Downsample_mask,
           pd_rarely(d, 4) ? (uint32_t)random_next(&d->seed) & 0xFFFF : pd_chance(d, 2) * 0xFFFFu);
}

static inline void pd_edges(struct pd *d, uint32_t *c) {
    MR_SET(c, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane,
           pd_chance(d, 2) ? 16 : random_below(&d->seed, pd_rarely(d, 3) ? 256 : 20));
    for (unsigned i = 0; i < 4; i++)
        c[24 + i] = 0xFFFF;
    if (pd_chance(d, 2))
        return;
    for (unsigned i = 0; i < 4; i++) {
        c[20 + i] = (uint32_t)random_next(&d->seed);
        c[36 + i] = (uint32_t)random_next(&d->seed);
        c[24 + i] = (uint32_t)random_next(&d->seed) & 0xFFFF;
    }
    MR_SET(c, PCK_EDGE_MODE_mode, pd_chance(d, 3));
    MR_SET(c, PCK_EDGE_TILE_ROW_SET_SELECT_select, random_below(&d->seed, 256));
    MR_SET(c, PCK_EDGE_TILE_FACE_SET_SELECT_select, random_below(&d->seed, 256));
    MR_SET(c, PCK_EDGE_TILE_FACE_SET_SELECT_enable, pd_rarely(d, 3));
    MR_SET(c, PACK_COUNTERS_SEC0_pack_yz_transposed, pd_rarely(d, 3));
}

/* Strides of whole rows, and rows that fit the interfaces; or anything. */
static inline void pd_strides(struct pd *d, uint32_t *c) {
    unsigned row = 16 * pr_bytes(d->in), unit = d->strided || d->mask == 1 ? 1 : d->mask == 3 ? 2 : 4;
    bool odd = pd_rarely(d, 8);
    MR_SET(c, PCK0_ADDR_CTRL_XY_REG_0_Xstride, pd_chance(d, 2) ? 0 : pr_bytes(d->in));
    MR_SET(c, PCK0_ADDR_CTRL_XY_REG_0_Ystride, row * unit * (pd_chance(d, 2) ? 1 : random_below(&d->seed, 5)));
    MR_SET(c, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, row * unit * random_below(&d->seed, 32));
    MR_SET(c, PCK0_ADDR_CTRL_ZW_REG_0_Wstride, row * unit * random_below(&d->seed, 32));
    MR_SET(c, PCK0_ADDR_BASE_REG_0_Base, pd_chance(d, 2) ? 0 : row * unit * random_below(&d->seed, 200));
    if (odd) {
        c[12] = (uint32_t)random_next(&d->seed) & 0x07FF07FF;
        c[13] = (uint32_t)random_next(&d->seed) & 0x07FF07FF;
    }
    MR_SET(c, PCK0_ADDR_CTRL_XY_REG_1_Ystride, pd_chance(d, 2) ? 0 : random_below(&d->seed, 800));
    MR_SET(c, PCK0_ADDR_CTRL_ZW_REG_1_Zstride, pd_chance(d, 2) ? 0 : 16 * random_below(&d->seed, 60));
    MR_SET(c, PCK0_ADDR_CTRL_ZW_REG_1_Wstride, pd_chance(d, 2) ? 0 : random_below(&d->seed, 800));
    MR_SET(c, PCK0_ADDR_BASE_REG_1_Base, pd_chance(d, 2) ? 0 : random_below(&d->seed, 2000));
}

static inline void pd_output(struct pd *d, uint32_t *c) {
    c[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] =
        (PD_L1 / 16 + 600 + random_below(&d->seed, PD_SIZE / 64)) | (pd_chance(d, 2) ? UINT32_C(1) << 31 : 0);
    if (pd_rarely(d, 30)) /* beyond L1 */
        c[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] = 0x18000 + random_below(&d->seed, 0x6000);
    /* Sections must not overlap: they are written in no order that is documented. */
    c[CONFIG_WORD_THCON_SEC0_REG1_Row_start_section_size] =
        (16 + random_below(&d->seed, 8)) | (40 + random_below(&d->seed, 8)) << 16;
    MR_SET(c, THCON_SEC0_REG1_Sub_l1_tile_header_size, pd_chance(d, 2));
    MR_SET(c, THCON_SEC0_REG1_Add_tile_header_size, pd_chance(d, 2));
    MR_SET(c, THCON_SEC0_REG1_Add_l1_dest_addr_offset, pd_chance(d, 2));
    MR_SET(c, THCON_SEC0_REG1_Enable_out_fifo, pd_chance(d, 2));
    MR_SET(c, THCON_SEC0_REG1_Disable_pack_zero_flags, pd_chance(d, 2));
    if (pd_rarely(d, 3)) {
        MR_SET(c, THCON_SEC0_REG9_Pack_0_2_limit_address, PD_L1 / 32 + 300 + random_below(&d->seed, 1000));
        MR_SET(c, THCON_SEC0_REG9_Pack_0_2_fifo_size, random_below(&d->seed, 250));
    }
}

static inline void pd_rest(struct pd *d, struct tensix *x, uint32_t *c) {
    uint32_t offset = pd_chance(d, 2) ? 0 : 4 * random_below(&d->seed, 256) + (d->mask == 1 || pd_rarely(d, 9) ? 1 : 0);
    MR_SET(c, THCON_SEC0_REG1_Source_interface_selection, pd_rarely(d, 5));
    MR_SET(c, THCON_SEC0_REG1_L1_source_addr, pd_chance(d, 20) ? 6 : PD_SOURCE / 0x40000);
    MR_SET(c, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel, pd_rarely(d, 3));
    MR_SET(c, THCON_SEC0_REG1_Dis_shared_exp_assembler, pd_rarely(d, 20));
    MR_SET(c, THCON_SEC0_REG1_Downsample_rate, pd_rarely(d, 40));
    MR_SET(c, PACK_COUNTERS_SEC0_pack_per_xy_plane, pd_rarely(d, 40));
    for (unsigned bank = 0; bank < 2; bank++) {
        uint32_t *both = x->config.bank[bank];
        both[180] = offset | (pd_chance(d, 1) ? random_below(&d->seed, 64) << 12 : 0);
        both[220] = d->strided && !pd_rarely(d, 9) ? 3 : random_below(&d->seed, 4);
    }
    x->config.bank[1][180] = x->config.bank[0][180];
    x->config.bank[1][220] = x->config.bank[0][220];
    for (unsigned i = 0; i < 3; i++)
        x->config.thread[i][45] = pd_chance(d, 6);
}

static inline void pd_modes(struct pd *d, uint16_t *own) {
    for (unsigned i = 37; i < 41; i++) {
        own[i] = (uint16_t)random_next(&d->seed);
        if (pd_chance(d, 2)) /* clears and carries are no surprise */
            own[i] &= (uint16_t) ~(1u << 5 | 1u << 11 | 1u << 13 | 1u << 15);
    }
}

static inline void pd_counters(struct pd *d, struct adc *adc) {
    unsigned x = pd_rarely(d, 3) ? random_below(&d->seed, 16) : 0;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned axis = ADC_Y; axis <= ADC_W; axis++) {
            adc->channel[i].value[axis] = random_below(&d->seed, i == 0 && pd_rarely(d, 4) ? 600 : 6);
            adc->channel[i].cr[axis] = random_below(&d->seed, 6);
        }
    adc->channel[0].value[ADC_X] = x;
    adc->channel[1].value[ADC_X] = pd_rarely(d, 4) ? random_below(&d->seed, 64) : pd_rarely(d, 4) ? x + 7 : 15;
}

/* Zeros are frequent, and so are numbers of a size. */
static inline void pd_dst(struct pd *d, struct tensix *x) {
    for (unsigned i = 0; i < DST_ROWS * DST_COLUMNS; i++) {
        uint16_t bits = (uint16_t)random_next(&d->seed);
        switch (random_below(&d->seed, 4)) {
        case 0: bits = 0; break;
        case 1: bits = (uint16_t)((bits & 0xFF00) | (120 + random_below(&d->seed, 12))); break;
        case 2: bits = (uint16_t)((bits & 0xFFE0) | (10 + random_below(&d->seed, 10))); break;
        default: break;
        }
        x->dst.bits[i / 16][i % 16] = bits;
    }
    for (unsigned i = 0; i < DST_ROWS / 32; i++) {
        x->dst.invalid[i] = UINT32_MAX;
        for (unsigned draw = 0; draw < 3; draw++) /* leaves an eighth of them */
            x->dst.invalid[i] &= (uint32_t)random_next(&d->seed);
    }
    x->dst.halves = pd_rarely(d, 8);
}

static inline void pd_memory(struct pd *d, uint8_t *l1) {
    for (unsigned i = PD_L1; i < PD_L1 + PD_SIZE; i += 2) {
        uint16_t bits = (uint16_t)random_next(&d->seed);
        if (pd_chance(d, 3))
            bits = (uint16_t)((bits & 0x807F) | (120 + random_below(&d->seed, 12)) << 7);
        memcpy(l1 + i, &bits, sizeof bits);
    }
}

/* The initial contents of L1. */
static inline void pd_start(struct pd *d, uint8_t *l1) {
    pd_memory(d, l1);
    for (unsigned i = PD_SOURCE; i < PD_SOURCE + 0x40100; i++)
        l1[i] = (uint8_t)random_next(&d->seed);
}

/* A configuration and counters. */
static inline void pd_draw(struct pd *d, struct tensix *x) {
    static const uint8_t masks[] = { 0, 0, 0, 15, 1, 3, 5, 10, 7 };
    d->thread = random_below(&d->seed, 3);
    d->rare = pd_chance(d, 2);
    d->strided = pd_chance(d, 6);
    d->mask = pd_rarely(d, 6) ? random_below(&d->seed, 16) : masks[random_below(&d->seed, 9)];
    unsigned bank = random_below(&d->seed, 2);
    uint32_t *c = x->config.bank[bank];
    memset(x->config.bank, 0, sizeof x->config.bank);
    memset(x->config.thread, 0, sizeof x->config.thread);
    x->config.thread[d->thread][0] = (uint16_t)bank;
    pd_formats(d, c);
    pd_values(d, c);
    pd_edges(d, c);
    pd_strides(d, c);
    pd_output(d, c);
    pd_rest(d, x, c);
    pd_modes(d, x->config.thread[d->thread]);
    config_changed(&x->config);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        pd_counters(d, &x->adc[i][ADC_PACKERS]);
    x->packer.l1_dest_addr_offset = (uint16_t)random_below(&d->seed, 64);
    if (pd_chance(d, 8))
        pd_dst(d, x);
}

/* An instruction of its tile. */
static inline uint32_t pd_word(struct pd *d, bool last) {
    uint32_t word = (uint32_t)TENSIX_PACR << 24 | d->mask << 8 | (uint32_t)d->strided << 17;
    word |= random_below(&d->seed, 4) << 15;
    word |= (uint32_t)last << (pd_rarely(d, 4) ? 1 : 0);
    word |= (uint32_t)pd_chance(d, 3) << 4;
    if (pd_rarely(d, 4))
        word |= random_below(&d->seed, 8) << 18;
    if (pd_rarely(d, 8))
        word |= 1 << 12;
    if (pd_rarely(d, 4))
        word |= 1 << 7 | random_below(&d->seed, 4) << 13;
    if (pd_rarely(d, 60))
        word |= (random_below(&d->seed, 2) ? 1u : 3u) << 2;
    return word;
}

#endif
