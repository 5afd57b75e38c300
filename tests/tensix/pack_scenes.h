/* Tiles that are packed from known Dst in a known configuration. The official simulator has packed the same; a hash of
 * what it left in L1 is in data/pack_scenes.inc. */
#ifndef TESTS_TENSIX_PACK_SCENES_H
#define TESTS_TENSIX_PACK_SCENES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/config.h"
#include "support/random.h"

enum { PS_TILE = 0x40000, PS_SIZE = 0x2000, PS_WORDS = 80, PS_FORMATS = 28 };

/* The scenes: those of LLK kernels, and some more. */
enum ps_kind {
    PS_FACES,   /* four faces, four rows at a time */
    PS_SHORT,   /* one row at a time, of eight data if they fill 16 bytes; two tiles of three rows */
    PS_STRIDED, /* untilize: a row of two faces at a time */
    PS_TILIZED, /* rows 0 and 2, then 1 and 3 of four */
    PS_RELU,    /* with a least or a greatest threshold */
    PS_ADDED,   /* twice to the same place */
    PS_EDGES,   /* the first row of each face, and the first datum of the others */
};

/* 32-bit Dst, intermediate format, output format. */
static const uint16_t ps_formats[PS_FORMATS] = { 0x010, 0x011, 0x015, 0x01A, 0x026, 0x050, 0x055, 0x056, 0x057, 0x05F,
                                                 0x060, 0x065, 0x066, 0x067, 0x099, 0x100, 0x101, 0x106, 0x107, 0x10F,
                                                 0x111, 0x11A, 0x155, 0x166, 0x167, 0x188, 0x199, 0x1EE };

struct ps {
    enum ps_kind kind;
    unsigned format, in, out; /* format: of ps_formats */
    bool wide;
    uint32_t config[CONFIG_WORDS];
    uint16_t own[CONFIG_THREAD_WORDS];
    unsigned last_x; /* of a row */
    uint32_t word[PS_WORDS];
    unsigned words;
};

static inline void ps_set(uint32_t *c, unsigned word, unsigned shift, uint32_t value) {
    c[word] |= value << shift;
}
#define PS_SET(c, name, value) ps_set(c, CONFIG_WORD_##name, CONFIG_SHIFT_##name, (uint32_t)(value))

static inline bool ps_is_float(unsigned format) {
    return format != 8 && format != 9 && format != 14;
}

/* PACR: address mode, interfaces, strided, Last. */
static inline void ps_pacr(struct ps *s, unsigned mode, unsigned mask, bool strided, bool last) {
    s->word[s->words++] = UINT32_C(0x41) << 24 | (uint32_t)strided << 17 | mode << 15 | mask << 8 | last;
}

/* Modes: 0 goes on by `rows`, 1 to the next face, 2 to the beginning. */
static inline void ps_modes(struct ps *s, unsigned rows) {
    s->own[37] = (uint16_t)rows;
    s->own[38] = 1 << 5 | 1 << 12;
    s->own[39] = 1 << 5 | 1 << 13;
}

static inline void ps_faces(struct ps *s, unsigned per_face, unsigned faces, unsigned mask, bool strided) {
    for (unsigned i = 0; i < per_face * faces; i++) {
        bool end = i % per_face == per_face - 1, last = i == per_face * faces - 1;
        ps_pacr(s, last ? 2 : end, mask, strided, last);
    }
}

static inline void ps_program(struct ps *s) {
    switch (s->kind) {
    case PS_SHORT:
        ps_modes(s, 1);
        for (unsigned i = 0; i < 6; i++)
            ps_pacr(s, 0, 1, false, i % 3 == 2);
        break;
    case PS_STRIDED:
        ps_modes(s, 1);
        ps_faces(s, 16, 2, 3, true);
        break;
    case PS_TILIZED:
        ps_modes(s, 4);
        for (unsigned i = 0; i < 16; i++)
            ps_pacr(s, i % 4 == 3 ? (i % 8 == 7 ? 1 : 3) : 0, i % 8 < 4 ? 5 : 10, false, i == 15);
        s->own[40] = 1 << 5;
        break;
    default:
        ps_modes(s, 4);
        for (unsigned i = 0; i < (s->kind == PS_ADDED ? 2 : 1); i++)
            ps_faces(s, 4, 4, 0, false);
        break;
    }
}

static inline void ps_modes_of(struct ps *s) {
    uint32_t *c = s->config;
    unsigned mode = s->format % 3;
    if (s->kind == PS_STRIDED) {
        PS_SET(c, DEST_ACCESS_CFG_remap_addrs, 1);
        PS_SET(c, DEST_ACCESS_CFG_swizzle_32b, 1);
    }
    if (s->kind == PS_RELU) {
        PS_SET(c, STACC_RELU_ApplyRelu, 1 + mode);
        PS_SET(c, STACC_RELU_ReluThreshold, (s->in == 1 || s->in == 2) && !s->wide ? 0x3C55 : 0x3F95);
    }
    if (s->kind == PS_ADDED)
        PS_SET(c, THCON_SEC0_REG1_Pack_L1_Acc, 1);
    if (s->kind != PS_EDGES)
        return;
    c[CONFIG_WORD_PCK_EDGE_OFFSET_SEC0_mask] = 1;
    c[CONFIG_WORD_PCK_EDGE_OFFSET_SEC1_mask] = 0xFFFF;
    c[CONFIG_WORD_TILE_ROW_SET_MAPPING_1_row_set_mapping_0] = 1;
    PS_SET(c, PCK_EDGE_TILE_ROW_SET_SELECT_select, 1);
}

static inline struct ps ps_make(enum ps_kind kind, unsigned format) {
    unsigned code = ps_formats[format];
    struct ps s = { .kind = kind, .format = format, .in = code >> 4 & 15, .out = code & 15, .wide = code >> 8 };
    unsigned row = s.in % 4 == 0   ? 64
                   : s.in % 4 == 1 ? 32
                                   : 16,
             faces = kind == PS_STRIDED || kind == PS_TILIZED ? 2 : 1;
    uint32_t *c = s.config;
    PS_SET(c, ALU_FORMAT_SPEC_REG2_Dstacc, s.in);
    PS_SET(c, PCK_DEST_RD_CTRL_Read_32b_data, s.wide);
    PS_SET(c, PCK_DEST_RD_CTRL_Round_10b_mant, code == 0x111 || code == 0x11A);
    PS_SET(c, PCK0_ADDR_CTRL_XY_REG_0_Ystride, row);
    PS_SET(c, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 16 * row * faces);
    c[CONFIG_WORD_PCK_EDGE_OFFSET_SEC0_mask] = 0xFFFF;
    PS_SET(c, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, kind == PS_SHORT ? 1 : 16);
    PS_SET(c, THCON_SEC0_REG1_Exp_section_size, s.out % 4 >= 2 && s.out != 10 && s.out != 14 ? 4 : 0);
    c[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] = PS_TILE / 16 - 1;
    PS_SET(c, THCON_SEC0_REG1_Disable_zero_compress, 1);
    PS_SET(c, THCON_SEC0_REG1_Out_data_format, s.out);
    PS_SET(c, THCON_SEC0_REG1_In_data_format, s.in);
    PS_SET(c, THCON_SEC0_REG1_Pac_LF8_4b_exp, 1);
    s.last_x = kind == PS_SHORT && s.out % 4 < 2 ? 7 : 15;
    ps_modes_of(&s);
    ps_program(&s);
    return s;
}

/* A datum of Dst as it is stored, 32 bits of which 16-bit rows have the upper half: all kinds of numbers. */
static inline uint32_t ps_datum(const struct ps *s, unsigned row, unsigned column) {
    uint64_t seed = ((uint64_t)row << 16 | column) * 2654435761u + s->format;
    uint32_t bits = (uint32_t)random_next(&seed), low = 120 + random_below(&seed, 12);
    switch (random_below(&seed, 5)) {
    case 0: return bits & 0x80008000;
    case 1: return bits;
    case 2: return (bits & 0xFFE0FFFF) | (10 + low % 12) << 16;
    default: return ps_is_float(s->in) ? (bits & 0xFF00FFFF) | low << 16 : bits & 0x800000FF;
    }
}

/* Fills L1 with the initial contents. */
static inline void ps_memory(const struct ps *s, uint8_t *l1) {
    uint64_t seed = s->format + 99;
    for (unsigned i = 0; i < PS_SIZE; i += 2) {
        uint16_t bits = (uint16_t)((random_next(&seed) & 0x807F) | (124 + random_below(&seed, 6)) << 7);
        memcpy(l1 + PS_TILE + i, &bits, sizeof bits);
    }
}

static inline uint64_t ps_hash(const uint8_t *l1) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned i = 0; i < PS_SIZE; i++)
        hash = (hash ^ l1[PS_TILE + i]) * UINT64_C(0x100000001B3);
    return hash;
}

#endif
