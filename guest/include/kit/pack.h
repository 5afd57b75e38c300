/* T2: the packer, which moves tiles from Dst to L1. ISA pages PACR, Packers/README and below.
 *
 * A PACR takes up to four rows of 16 data from Dst, converts them and appends them to its output in L1; one with Last
 * ends the tile. The packer's address counters select the rows: Y counts rows, Z halves of a tile, W tiles. */
#ifndef KIT_PACK_H
#define KIT_PACK_H

#include "kit/config.h"
#include "kit/mop.h"
#include "kit/tile.h"

enum { ADC_PACK = 4 };
enum relu {
    RELU_OFF,
    RELU_ZERO,
    RELU_MINIMUM,
    RELU_MAXIMUM
}; /* negatives to 0; also data up to the threshold; also data above it */

/* GPRs of T2. */
enum { GPR_PACK_ADDRESS = 4, GPR_PACK_HALF = 5, GPR_PACK_ROW = 6 };

/* Steps of the slots of ADDR_MOD_PACK, for the Y and Z counters of the input. */
enum { PACK_Y = 1 << 0, PACK_Y_CLEAR = 1 << 5, PACK_Z = 1 << 12, PACK_Z_CLEAR = 1 << 13 };
enum { ROWS_4 = 0, ROWS_0_2 = 5, ROWS_1_3 = 10, ROWS_0_16 = 3 /* the last one is strided */ };

#define PACR_WORD(rows, strided, slot, last) TT_OP_PACR(0, 0, strided, slot, 0, 0, rows, 0, 0, 0, 0, last)

static unsigned pack_half, pack_dst32;

/* Returns the format between Dst and the last conversion: as in Dst if data get wider, narrow blocks or an exponent of
 * another size, otherwise as in L1. */
static inline enum tile_format pack_via(enum tile_format in_dst, enum tile_format out) {
    return in_dst == FP16 || out == FP32 || out == BFP4 || out == BFP2 ? in_dst : out;
}

static inline void pack_slot(unsigned slot, unsigned steps) {
    TT_SETC16(ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + slot, steps);
}

/* Sets the strides of the counters. z_rows: rows of Dst in a step of Z. */
static inline void pack_strides(enum tile_format via, unsigned z_rows) {
    unsigned row = 16 * format_stride(via);
    config_write(PCK0_ADDR_CTRL_XY_REG_0_Ystride_ADDR32, row << PCK0_ADDR_CTRL_XY_REG_0_Ystride_SHAMT);
    config_write(PCK0_ADDR_CTRL_ZW_REG_0_Zstride_ADDR32,
                 z_rows * row | 64 * row << PCK0_ADDR_CTRL_ZW_REG_0_Wstride_SHAMT);
}

/* in_dst: format of the data in Dst: FP32, INT32, BF16 or FP16. out: format of the data in L1. */
static inline void pack_init(enum tile_format in_dst, enum tile_format out) {
    enum tile_format via = pack_via(in_dst, out);
    pack_dst32 = format_bits(in_dst) == 32;
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_PACK);
    pack_strides(via, 32);
    config_write(THCON_SEC0_REG1_Exp_section_size_ADDR32, (format_is_block(out) ? TILE_EXPONENTS / 16u : 0)
                                                              << THCON_SEC0_REG1_Exp_section_size_SHAMT);
    config_write(THCON_SEC0_REG1_Out_data_format_ADDR32, THCON_SEC0_REG1_Disable_zero_compress_MASK |
                                                             (unsigned)out << THCON_SEC0_REG1_Out_data_format_SHAMT |
                                                             (unsigned)via << THCON_SEC0_REG1_In_data_format_SHAMT);
    config_write(PCK_DEST_RD_CTRL_Read_32b_data_ADDR32,
                 pack_dst32 | (pack_dst32 && via == FP16 ? PCK_DEST_RD_CTRL_Round_10b_mant_MASK : 0));
    config_write(PCK_EDGE_OFFSET_SEC0_mask_ADDR32, 0xFFFF);
    config_write(TILE_ROW_SET_MAPPING_0_row_set_mapping_0_ADDR32, 0);
    config_write(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_ADDR32,
                 FACE_ROWS << PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_SHAMT);
    config_write(DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32, 0);
    CONFIG_SET(ALU_FORMAT_SPEC_REG2_Dstacc, via);
    CONFIG_SET(THCON_SEC0_REG1_Pack_L1_Acc, 0);
    TTI_SETADCXY(ADC_PACK, 0, 0, 0, 0, 0xF);
    TTI_SETADCZW(ADC_PACK, 0, 0, 0, 0, 0xF);
    TTI_SETADCXX(ADC_PACK, 15, 0);
    TTI_STALLWAIT(STALL_PACK | STALL_CONFIG, UNTIL_CORE);
    pack_half = 0;
}

/* threshold: the upper 16 bits of a float, or a half float if the data between Dst and L1 are half floats. */
static inline void pack_relu(enum relu mode, unsigned threshold) {
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_PACK);
    CONFIG_SET(STACC_RELU_ApplyRelu, mode);
    CONFIG_SET(STACC_RELU_ReluThreshold, threshold);
}

/* Sets whether data are added to the contents of L1. */
static inline void pack_accumulate(unsigned on) {
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_PACK);
    CONFIG_SET(THCON_SEC0_REG1_Pack_L1_Acc, on);
}

/* ---- Halves of Dst -----------------------------------------------------------------------------------------------
 * T1 fills a half, T2 packs it, clears it and gives it back. */

static inline void pack_wait_for_math(void) {
    TTI_SEMWAIT(STALL_TDMA, 1 << SEM_DST, WHILE_ZERO);
}

/* Clears the half, gives it back to math, and continues with the other one. */
static inline void pack_dst_done(void) {
    TTI_STALLWAIT(STALL_MATH | STALL_SYNC, UNTIL_PACK);
    TT_ZEROACC(2, pack_dst32, 0, 0, pack_half);
    TTI_STALLWAIT(STALL_SYNC, UNTIL_MATH);
    TTI_SEMGET(1 << SEM_DST);
    pack_half ^= 1;
    gpr_set(GPR_PACK_HALF, pack_half * 512);
    config_from_gpr(DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32, GPR_PACK_HALF);
}

/* ---- Tiles -------------------------------------------------------------------------------------------------------
 * pack_tiles_init() or pack_tilized_init(), then pack_tile() for each tile. */

static inline void pack_to(unsigned address) {
    gpr_set(GPR_PACK_ADDRESS, address / 16 - 1);
    config_from_gpr(THCON_SEC0_REG1_L1_Dest_addr_ADDR32, GPR_PACK_ADDRESS);
}

/* Packs tiles in the order in which they are in Dst. */
static inline void pack_tiles_init(void) {
    pack_slot(0, 4 * PACK_Y);
    pack_slot(1, PACK_Y_CLEAR);
    mop_load((struct mop){
        .outer = 1,
        .inner = 16,
        .first = PACR_WORD(ROWS_4, 0, 0, 0),
        .last = PACR_WORD(ROWS_4, 0, 1, 1),
    });
}

/* Packs tiles of unpack_tilize_init(): the even rows of each half are a face, the odd rows the next one. */
static inline void pack_tilized_init(void) {
    unsigned words[15];
    pack_slot(0, 4 * PACK_Y);
    pack_slot(1, PACK_Y_CLEAR);
    pack_slot(2, PACK_Y_CLEAR | PACK_Z);
    pack_slot(3, PACK_Y_CLEAR | PACK_Z_CLEAR);
    for (unsigned i = 0; i < 15; i++)
        words[i] = PACR_WORD(i < 8 ? ROWS_0_2 : ROWS_1_3, 0, i == 7, 0);
    replay_load(words, 15);
    mop_load((struct mop){
        .outer = 1,
        .inner = 2,
        .first = TT_OP(REPLAY, 0, 15, 0, 0),
        .second = PACR_WORD(ROWS_1_3, 0, 2, 0),
        .last = PACR_WORD(ROWS_1_3, 0, 3, 1),
    });
}

static inline void pack_tile(unsigned tile, unsigned address) {
    pack_to(address);
    TT_SETADC(ADC_PACK, 0, 3, tile);
    mop_run();
}

/* Packs a row of `tiles` tiles of Dst as 32 rows of a matrix in L1, row_bytes apart. Needs DEST_ACCESS_CFG with
 * remap_addrs and swizzle_32b (tensix_remap_dst()), so that rows read together are 16 apart. */
static inline void pack_untilize_init(unsigned tiles, unsigned row_bytes) {
    pack_slot(0, 0);
    gpr_set(GPR_PACK_ROW, row_bytes / 16);
    mop_load((struct mop){
        .outer = 1,
        .inner = tiles,
        .start = TT_OP(ADDRCRZW, ADC_PACK, 0, 0, 0, 0, 2), /* resets W to its start */
        .first = TT_OP(INCADCZW, ADC_PACK, 0, 0, 1, 0),
        .second = PACR_WORD(ROWS_0_16, 1, 0, 0),
        .last = PACR_WORD(ROWS_0_16, 1, 0, 1),
    });
}

static inline void pack_untilize(unsigned address) {
    pack_to(address);
    TTI_SETADCZW(ADC_PACK, 0, 0, 0, 0, 0xF);
    TTI_SETADC(ADC_PACK, 0, 3, 15); /* W before the first tile: tile 16 is tile 0 */
    for (unsigned row = 0; row < 32; row++) {
        TTI_MOP(1, 0, 0);
        TTI_ADDDMAREG(0, GPR_PACK_ADDRESS, GPR_PACK_ADDRESS, GPR_PACK_ROW);
        TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
        TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
        if (row == 15) {
            TTI_SETADCXY(ADC_PACK, 0, 0, 0, 0, 2);
            TTI_INCADCZW(ADC_PACK, 0, 0, 0, 1);
        } else {
            TTI_INCADCXY(ADC_PACK, 0, 0, 1, 0);
        }
    }
    TTI_SETADCXY(ADC_PACK, 0, 0, 0, 0, 2);
    TTI_SETADCZW(ADC_PACK, 0, 0, 0, 0, 0xF);
}

#endif
