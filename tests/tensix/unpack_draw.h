/* UNPACRs at random: configuration, counters, memory and word, most of them such that they are defined. */
#ifndef TESTS_TENSIX_UNPACK_DRAW_H
#define TESTS_TENSIX_UNPACK_DRAW_H

#include "support/random.h"
#include "tensix/matrix_rows.h"
#include "tensix/unpack_reference.h"

enum { UD_L1 = 0x20000 /* where tiles lie */, UD_SIZE = 0x10000 };

#define UD_SET(c, u, name, value) \
    do { \
        if (u) \
            MR_SET(c, THCON_SEC1_##name, value); \
        else \
            MR_SET(c, THCON_SEC0_##name, value); \
    } while (0)
#define UD_SET_UNP(c, u, name, value) \
    do { \
        if (u) \
            MR_SET(c, UNP1_##name, value); \
        else \
            MR_SET(c, UNP0_##name, value); \
    } while (0)

/* The configuration that is drawn; the rest has its defaults. */
struct ud {
    uint64_t seed;
    unsigned unpacker, thread;
    bool multi, rare; /* rare: modes and values beyond those of kernels */
};

static inline bool ud_chance(struct ud *d, unsigned of) {
    return random_below(&d->seed, of) == 0;
}

static inline bool ud_rarely(struct ud *d, unsigned of) {
    return d->rare && ud_chance(d, of);
}

static inline void ud_formats(struct ud *d, bool to_dst, unsigned *in, unsigned *out) {
    static const uint8_t from_fp32[] = { 1, 4, 5, 0 }, same[] = { 1, 2, 3, 5, 6, 7, 9, 10, 11, 14, 15, 4, 8 };
    *in = *out = same[random_below(&d->seed, to_dst ? 13 : 11)];
    if (ud_chance(d, 3)) {
        *in = 0;
        *out = from_fp32[random_below(&d->seed, to_dst ? 4 : 3)];
    }
    if (ud_chance(d, 8)) { /* BFP in L1, and another BFP format as output */
        static const uint8_t shared[2][3] = { { 2, 3, 11 }, { 6, 7, 15 } };
        unsigned family = random_below(&d->seed, 2);
        *in = shared[family][random_below(&d->seed, 3)];
        *out = shared[family][random_below(&d->seed, 3)];
    }
    if (ud_rarely(d, 20))
        *out = random_below(&d->seed, 16);
}

static inline void ud_descriptor(struct ud *d, uint32_t *words, unsigned in) {
    static const uint16_t widths[] = { 16, 16, 32, 64, 256, 1024 };
    uint32_t x = ud_rarely(d, 4) ? random_below(&d->seed, 300) : widths[random_below(&d->seed, 6)];
    words[0] = in | (!ud_rarely(d, 6) ? 0x10u : 0) | (ud_rarely(d, 6) ? 0x20u : 0) |
               (ud_rarely(d, 3) ? random_below(&d->seed, 8) << 8 : 0) | x << 16;
    words[1] = random_below(&d->seed, 6) | random_below(&d->seed, 5) << 16;
    words[2] = random_below(&d->seed, 3) | (uint32_t)random_next(&d->seed) << 16;
    words[3] = ((uint32_t)random_next(&d->seed) & 0xFFFF) | random_below(&d->seed, 3) << 24;
}

static inline void ud_modes(struct ud *d, uint32_t *c, uint16_t *own, bool to_dst) {
    unsigned u = d->unpacker;
    bool tilize = ud_chance(d, 5);
    uint32_t all = ud_rarely(d, 6) ? (uint32_t)random_next(&d->seed) : UINT32_MAX;
    c[CONFIG_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0 + 48 * u] =
        (all & 0x000F000F) | (to_dst ? 0x00F000F0 : 0);
    UD_SET(c, u, REG2_Unpack_If_Sel, to_dst);
    UD_SET(c, u, REG2_Haloize_mode, !to_dst && ud_chance(d, 4));
    UD_SET(c, u, REG2_Tileize_mode, tilize);
    for (unsigned i = 0; i < 4 && (tilize || ud_rarely(d, 5)); i++)
        c[CONFIG_WORD_THCON_SEC0_REG2_Shift_amount_cntx0 + 48 * u] |= (i == 2 ? 0 : random_below(&d->seed, 16))
                                                                      << (16 + 4 * i);
    UD_SET(c, u, REG2_Upsample_rate, ud_rarely(d, 6) ? random_below(&d->seed, 4) : 0);
    UD_SET(c, u, REG2_Upsample_and_interleave, ud_chance(d, 4));
    UD_SET(c, u, REG2_Force_shared_exp, ud_chance(d, 4));
    UD_SET(c, u, REG2_Context_count, random_below(&d->seed, 4));
    UD_SET(c, u, REG2_Unpack_Src_Reg_Set_Upd, ud_chance(d, 2));
    UD_SET(c, u, REG2_Throttle_mode, random_below(&d->seed, 4));
    UD_SET(c, u, REG1_ovrd_default_throttle_mode, ud_chance(d, 2));
    UD_SET(c, u, REG1_Unp_LF8_4b_exp, ud_chance(d, 2));
    UD_SET_UNP(c, u, FORCED_SHARED_EXP_shared_exp, random_below(&d->seed, ud_chance(d, 2) ? 32 : 256));
    MR_SET(c, ALU_FORMAT_SPEC_REG0_SrcAUnsigned, ud_chance(d, 2));
    MR_SET(c, ALU_FORMAT_SPEC_REG0_SrcBUnsigned, ud_chance(d, 2));
    MR_SET(own, SRCA_SET_Base, random_below(&d->seed, 4));
    MR_SET(own, SRCB_SET_Base, random_below(&d->seed, 4));
    MR_SET(own, SRCA_SET_SetOvrdWithAddr, !to_dst && !ud_rarely(d, 4));
}

/* Tiles in the part of L1 that has data; sometimes a FIFO that ends within. */
static inline void ud_addresses(struct ud *d, uint32_t *c, bool to_dst) {
    unsigned u = d->unpacker;
    for (unsigned i = 0; i < 8; i++)
        c[CONFIG_WORD_THCON_SEC0_REG3_Base_address + 48 * u + i] = UD_L1 / 16 + random_below(&d->seed, 64);
    if (ud_rarely(d, 60))
        c[CONFIG_WORD_THCON_SEC0_REG3_Base_address + 48 * u] = 0x17FE0 + random_below(&d->seed, 64);
    for (unsigned i = 0; i < 4; i++) {
        unsigned in, out, in4, out4;
        ud_formats(d, to_dst, &in, &out);
        ud_formats(d, to_dst, &in4, &out4);
        c[CONFIG_WORD_THCON_SEC0_REG7_Offset_address + 48 * u + i] =
            random_below(&d->seed, 64) | in << 16 | out << 20 | in4 << 24 | out4 << 28;
    }
    UD_SET(c, u, REG2_Ovrd_data_format, ud_chance(d, 3));
    if (!ud_rarely(d, 4))
        return;
    UD_SET(c, u, REG2_Unpack_limit_address, UD_L1 / 16 + 64 + random_below(&d->seed, 200));
    UD_SET(c, u, REG2_Unpack_fifo_size, random_below(&d->seed, 200));
}

static inline void ud_output(struct ud *d, uint32_t *c, bool to_dst) {
    unsigned u = d->unpacker, rows = random_below(&d->seed, to_dst ? 200 : 6);
    bool odd = ud_rarely(d, 8);
    uint32_t base = (u ? 0 : 64) + (ud_rarely(d, 6) ? random_below(&d->seed, 64) * 16 : 0);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t own = 64 + 16 * (ud_chance(d, 2) ? 16 * random_below(&d->seed, 4) : rows) + (odd ? 5 : 0);
        c[CONFIG_WORD_THCON_SEC0_REG5_Dest_cntx0_address + 48 * u + i / 2] |= own << 16 * (i % 2);
        c[CONFIG_WORD_THCON_SEC0_REG5_Tile_x_dim_cntx0 + 48 * u + i / 2] |= (16u << random_below(&d->seed, 6))
                                                                            << 16 * (i % 2);
    }
    UD_SET_UNP(c, u, ADDR_BASE_REG_1_Base, base * (ud_chance(d, 2) ? 2 : 4) + (ud_rarely(d, 20) ? 1 : 0));
    UD_SET_UNP(c, u, ADDR_CTRL_XY_REG_1_Ystride, 64 * random_below(&d->seed, 3));
    UD_SET_UNP(c, u, ADDR_CTRL_ZW_REG_1_Zstride, (u ? 512 : 1024) * random_below(&d->seed, 2));
    UD_SET_UNP(c, u, ADDR_CTRL_ZW_REG_1_Wstride, 64 * random_below(&d->seed, 2));
    UD_SET_UNP(c, u, ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, ud_chance(d, 3));
    c[CONFIG_WORD_UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start] = (uint32_t)random_next(&d->seed);
    c[CONFIG_WORD_UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start] = 0x76543210;
}

static inline void ud_counters(struct ud *d, struct tensix *x) {
    static const uint16_t counts[] = { 16, 16, 64, 256, 256, 1024 };
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        struct adc_channel *channel = x->adc[thread][d->unpacker].channel;
        uint32_t first = ud_chance(d, 2) ? 0 : 16 * random_below(&d->seed, 8);
        if (ud_rarely(d, 4))
            first = random_below(&d->seed, 80);
        uint32_t count = ud_rarely(d, 3) ? random_below(&d->seed, 300) + 1 : counts[random_below(&d->seed, 6)];
        if (d->unpacker && !ud_chance(d, 8))
            count = count > 256 ? 256 : count;
        channel[0].value[ADC_X] = first;
        channel[1].value[ADC_X] = first + count - 1;
        for (unsigned axis = ADC_Y; axis <= ADC_W; axis++) {
            channel[0].value[axis] = random_below(&d->seed, 4);
            channel[1].value[axis] = random_below(&d->seed, axis == ADC_W ? 2 : 3);
        }
        if (ud_rarely(d, 8))
            channel[0].value[ADC_Z] += 256u * random_below(&d->seed, 32);
        if (ud_rarely(d, 30))
            channel[1].value[ADC_X] = random_below(&d->seed, 20);
    }
    for (unsigned i = 0; i < 6; i++)
        x->config.context_count[i / 2][i % 2] = (uint8_t)random_below(&d->seed, i % 2 ? 2 : 8);
}

/* Sometimes only what can be an exponent of FP16. Small row starts and deltas, which compressed tiles would have, are
 * as good as any data. */
static inline void ud_memory(struct ud *d, struct tensix *x) {
    uint64_t mask = ud_chance(d, 2) ? UINT64_MAX : UINT64_C(0x1F1F1F1F1F1F1F1F);
    for (unsigned i = 0; i < UD_SIZE; i += 8) {
        uint64_t value = random_next(&d->seed) & mask;
        memcpy(x->l1 + UD_L1 + i, &value, sizeof value);
    }
    for (unsigned i = 0; d->rare && i < 0x1000; i += 2) {
        uint16_t value = (uint16_t)(i / 4);
        memcpy(x->l1 + UD_L1 + i, &value, sizeof value);
    }
}

static inline uint32_t ud_word(struct ud *d) {
    unsigned context = random_below(&d->seed, d->unpacker && !ud_rarely(d, 20) ? 2 : 8);
    unsigned adc = ud_rarely(d, 2) ? random_below(&d->seed, 3 + ud_chance(d, 10)) : d->thread;
    return TT(UNPACR, d->unpacker, random_below(&d->seed, 256), 0, context, adc, d->multi, ud_chance(d, 2),
              ud_rarely(d, 16), ud_chance(d, 16), ud_chance(d, 4), ud_rarely(d, 8), 0, ud_chance(d, 2));
}

/* Returns the word. */
static inline uint32_t ud_draw(struct ud *d, struct tensix *x) {
    unsigned bank = random_below(&d->seed, 2), in, out;
    bool to_dst;
    uint32_t *c = x->config.bank[bank];
    uint16_t *own = x->config.thread[d->thread];
    memset(c + CONFIG_WORD_UNP0_ADDR_CTRL_XY_REG_0_Xstride, 0,
           (CONFIG_BASE_GLOBAL - CONFIG_WORD_UNP0_ADDR_CTRL_XY_REG_0_Xstride) * sizeof *c);
    MR_SET(own, CFG_STATE_ID_StateID, bank);
    d->unpacker = random_below(&d->seed, 2);
    d->multi = !ud_chance(d, 3);
    to_dst = !d->unpacker && ud_chance(d, 3);
    ud_formats(d, to_dst, &in, &out);
    ud_descriptor(d, c + CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 48 * d->unpacker, in);
    UD_SET(c, d->unpacker, REG2_Out_data_format, out);
    ud_modes(d, c, own, to_dst);
    ud_addresses(d, c, to_dst);
    ud_output(d, c, to_dst);
    ud_counters(d, x);
    MR_SET(own, UNPACK_MISC_CFG_CfgContextOffset_0, ud_rarely(d, 3) ? random_below(&d->seed, 16) : 0);
    MR_SET(own, UNPACK_MISC_CFG_CfgContextOffset_1, ud_rarely(d, 10) ? 1 : 0);
    config_changed(&x->config);
    return ud_word(d);
}

#endif
