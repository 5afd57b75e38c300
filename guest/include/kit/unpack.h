/* T0: moves tiles from L1 to SrcA (unpacker 0), SrcB (unpacker 1), Dst (unpacker 0). ISA pages UNPACR, ADCs, SrcASrcB.
 *
 * One UNPACR moves a whole tile: 64 rows of 16 data, face after face, fill a bank of SrcA or SrcB. The two banks of
 * each change hands by "data valid": the unpacker gives a full bank to the Matrix Unit, which gives it back when it is
 * done. So unpacking runs ahead of math by a tile, without semaphores.
 *
 * Addresses are written to two contexts in turn: while the unpackers use one, the core writes the other. SEM_UNPACK
 * counts the contexts in use. */
#ifndef KIT_UNPACK_H
#define KIT_UNPACK_H

#include "kit/config.h"
#include "kit/tile.h"

enum { UNPACKER_A = 0, UNPACKER_B = 1 };
enum { ADC_A = 1, ADC_B = 2, ADC_AB = 3 };         /* address counters of the unpackers */
enum { NEXT_FACE_IN = 1, NEXT_FACE_OUT = 1 << 4 }; /* what UNPACR adds to the Z counters of channels 0 and 1 */
enum { UNPACK_ROW_0 = 4 * 16 /* SrcA's and Dst's row 0, in data: there are four rows before it */ };

/* UNPACR with the current context. */
#define UNPACR_WORD(unpacker, steps, valid) TT_OP(UNPACR, unpacker, steps, 0, 0, 0, 1, valid, 0, 0, 0, 0, 0, 1)
/* Fills a bank with zeros and gives it to the Matrix Unit. */
#define UNPACK_ZEROS_WORD(unpacker) TT_OP(UNPACR_NOP, unpacker, 0, 0, 1, 0, 0, 0, 0, 1)

static unsigned unpack_context;

/* Sets the tile descriptor, output format and strides of one unpacker, in THCON_SEC0 or THCON_SEC1. */
static inline void unpack_describe(unsigned unpacker, enum tile_format in, enum tile_format out) {
    unsigned section = unpacker ? THCON_SEC1_REG0_TileDescriptor_ADDR32 : THCON_SEC0_REG0_TileDescriptor_ADDR32;
    unsigned out_face = FACE_DATA * format_stride(out);
    config_write(section + 0, in | 1 << 4 | FACE_DATA << 16); /* not compressed; X: a face */
    config_write(section + 1, 1 | 4 << 16);                   /* Y: 1, Z: four faces */
    config_write(section + 8, out | 2 << 4);                  /* REG2; throttle x4 */
    config_write(section + 9, 0xF | 0xF << 16);               /* not compressed in any context */
    config_write(unpacker ? UNP1_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32 : UNP0_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32, out_face);
}

/* Sets the formats of the tiles for SrcA and SrcB. */
static inline void unpack_init(enum tile_format a, enum tile_format b) {
    unpack_describe(UNPACKER_A, a, format_in_src(a));
    unpack_describe(UNPACKER_B, b, format_in_src(b));
    config_write(THCON_SEC0_REG5_Dest_cntx0_address_ADDR32, UNPACK_ROW_0 | UNPACK_ROW_0 << 16);
    config_write(THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32, FACE_DATA | FACE_DATA << 16);
    config_write(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_ADDR32, UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_MASK);
    TTI_SETC16(SRCA_SET_Base_ADDR32, SRCA_SET_SetOvrdWithAddr_MASK);
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0);
    TTI_SETADCXY(ADC_AB, 0, 0, 0, 0, 0xF);
    TTI_SETADCZW(ADC_AB, 0, 0, 0, 0, 0xF);
    TTI_SETADCXX(ADC_AB, TILE_DATA - 1, 0);
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_CORE);
    unpack_context = 0;
}

/* Writes addresses to the next context. Instructions between unpack_begin and unpack_end use it. */
static inline void unpack_begin(unsigned a, unsigned b) {
    while (semaphore_read(SEM_UNPACK) >= 2)
        ;
    config_write(THCON_SEC0_REG3_Base_address_ADDR32 + unpack_context, a / 16 - 1);
    config_write(THCON_SEC1_REG3_Base_address_ADDR32 + unpack_context, b / 16 - 1);
    semaphore_post(SEM_UNPACK);
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_CORE);
}

static inline void unpack_end(void) {
    TTI_SEMGET(1 << SEM_UNPACK);
    unpack_context ^= 1;
    TT_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32,
              unpack_context << UNPACK_MISC_CFG_CfgContextOffset_0_SHAMT |
                  unpack_context << UNPACK_MISC_CFG_CfgContextOffset_1_SHAMT);
}

/* The addresses are those of tiles in L1. */
static inline void unpack_a(unsigned a) {
    unpack_begin(a, a);
    TT_EMIT(UNPACR_WORD(UNPACKER_A, 0, 1));
    unpack_end();
}

static inline void unpack_b(unsigned b) {
    unpack_begin(b, b);
    TT_EMIT(UNPACR_WORD(UNPACKER_B, 0, 1));
    unpack_end();
}

static inline void unpack_ab(unsigned a, unsigned b) {
    unpack_begin(a, b);
    TT_EMIT(UNPACR_WORD(UNPACKER_A, 0, 1));
    TT_EMIT(UNPACR_WORD(UNPACKER_B, 0, 1));
    unpack_end();
}

/* Unpacks a tile to SrcA, and zeros to SrcB: for copies by ELWADD. */
static inline void unpack_a_and_zeros(unsigned a) {
    unpack_begin(a, a);
    TT_EMIT(UNPACR_WORD(UNPACKER_A, 0, 1));
    TT_EMIT(UNPACK_ZEROS_WORD(UNPACKER_B));
    unpack_end();
}

/* Sets whether unpacker 0 transposes every face on its way to SrcA. Math has to exchange faces 1 and 2 itself. */
static inline void unpack_transpose(unsigned on) {
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_UNPACK0);
    CONFIG_SET(THCON_SEC0_REG2_Haloize_mode, on);
}

/* ---- Tilize: from a matrix in rows, `row_bytes` apart (a multiple of 16) -----------------------------------------
 * Data of 16 and 32 bits are read in pieces of 32, a row of the tile, which fills two rows of SrcA: of the first 32
 * rows, the even ones contain face 0 and the odd ones face 1. pack_tilized_init() restores the order. Data of 8 bits
 * are read in pieces of 16, in the order of faces. */
static inline void unpack_tilize_init(unsigned row_bytes) {
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_UNPACK0);
    CONFIG_SET(THCON_SEC0_REG2_Tileize_mode, 1);
    config_set(THCON_SEC0_REG2_Shift_amount_cntx0_ADDR32, 0xFFF0000, row_bytes / 16 << 16);
}

/* Unpacks a tile of 8-bit data. a: address of the tile's first datum in the matrix. */
static inline void unpack_tilize_bytes(unsigned a, unsigned row_bytes) {
    TTI_SETADCXX(ADC_A, FACE_DATA - 1, 0);
    TTI_SETADCZW(ADC_A, 0, 0, 0, 0, 0xF);
    for (unsigned face = 0; face < 4; face++) {
        unsigned at = a + face / 2 * 16 * row_bytes + face % 2 * 16;
        unpack_begin(at, at);
        if (face < 3)
            TT_EMIT(UNPACR_WORD(UNPACKER_A, NEXT_FACE_OUT, 0));
        else
            TT_EMIT(UNPACR_WORD(UNPACKER_A, NEXT_FACE_OUT, 1));
        unpack_end();
    }
}

/* ---- To Dst, for 32 bits without loss ----------------------------------------------------------------------------
 * Math says when there is room: math_lend_dst(), math_take_dst(). */
static unsigned unpack_dst_half;

static inline void unpack_init_to_dst(enum tile_format a) {
    unpack_init(a, a);
    unpack_describe(UNPACKER_A, a, a);
    config_write(THCON_SEC0_REG2_Unpack_if_sel_cntx0_ADDR32,
                 0xF | 0xF << 16 | THCON_SEC0_REG2_Unpack_if_sel_cntx0_MASK | THCON_SEC0_REG2_Unpack_if_sel_cntx1_MASK);
    TTI_SETC16(SRCA_SET_Base_ADDR32, 0);
    TTI_SEMINIT(1, 0, 1 << SEM_DST_FILLED);
    TTI_STALLWAIT(STALL_UNPACK, UNTIL_CORE);
    unpack_dst_half = 0;
}

static inline void unpack_wait_for_dst(void) {
    TTI_SEMWAIT(STALL_SYNC | STALL_UNPACK, 1 << SEM_DST_FREE, WHILE_ZERO);
    TTI_SEMGET(1 << SEM_DST_FREE);
}

static inline void unpack_to_dst(unsigned a, unsigned tile) {
    unsigned row = UNPACK_ROW_0 + (unpack_dst_half * 512 + tile * 64) * 16;
    unpack_begin(a, a);
    if (unpack_context)
        CONFIG_SET(THCON_SEC0_REG5_Dest_cntx1_address, row);
    else
        CONFIG_SET(THCON_SEC0_REG5_Dest_cntx0_address, row);
    TT_EMIT(UNPACR_WORD(UNPACKER_A, 0, 0));
    unpack_end();
}

static inline void unpack_filled_dst(void) {
    TTI_STALLWAIT(STALL_SYNC, UNTIL_UNPACK0);
    TTI_SEMPOST(1 << SEM_DST_FILLED);
    unpack_dst_half ^= 1;
}

#endif
