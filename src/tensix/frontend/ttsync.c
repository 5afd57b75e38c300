/* Tables of Auto TTSync: classes of instructions, the resources that each touches by default, and the part of Config
 * that every word belongs to. */
#include "tensix/frontend/ttsync.h"

#include "isa/tensix.h"
#include "tensix/config/config.h"

/* Bits of a declaration. */
enum {
    READS_CONFIG = 1u << 0,
    WRITES_CONFIG = 1u << 1,
    PARTS_SHIFT = 2, /* three bits: PART_... */
    READS_GPR = 1u << 5,
    WRITES_GPR = 1u << 6,
    READS_TDMA = 1u << 7,
    WRITES_TDMA = 1u << 8,
    LINGER_SHIFT = 9, /* four bits */
};

/* Parts of a bank of Config. */
enum { PART_UNPACK0 = 1, PART_UNPACK1 = 2, PART_REST = 4, PART_ALL = 7, PARTS = 3 };

#define GPR    (READS_GPR | WRITES_GPR)
#define TDMA   (READS_TDMA | WRITES_TDMA)
#define CONFIG (READS_CONFIG | WRITES_CONFIG)
#define ALL    (PART_ALL << PARTS_SHIFT)
#define REST   (PART_REST << PARTS_SHIFT)

enum { CLASS_UNPACK = 11, CLASS_MOP = 13, CLASS_REPLAY = 14, CLASS_OTHER = 15, CLASS_NONE = 16 };

static const uint16_t defaults[TTSYNC_CLASSES] = {
    [0] = GPR,
    [1] = GPR,
    [2] = GPR | TDMA,
    [3] = GPR,
    [4] = CONFIG | ALL,
    [5] = READS_GPR,
    [6] = WRITES_GPR,
    [7] = WRITES_TDMA,
    [8] = READS_GPR | WRITES_CONFIG | ALL,
    [9] = WRITES_GPR | READS_CONFIG | ALL,
    [10] = GPR | CONFIG | ALL,
    [CLASS_UNPACK] = TDMA | READS_CONFIG | ALL,
    [12] = TDMA | READS_CONFIG | REST,
    [CLASS_MOP] = GPR | TDMA | CONFIG | ALL,
    [CLASS_REPLAY] = GPR | TDMA | CONFIG | ALL,
    [CLASS_OTHER] = READS_CONFIG | REST,
};

void ttsync_init(struct ttsync *s) {
    for (unsigned i = 0; i < TTSYNC_CLASSES; i++)
        s->declared[i] = (uint16_t)(defaults[i] | 1u << LINGER_SHIFT);
}

void ttsync_declare(struct ttsync *s, uint32_t word) {
    struct tensix_RESOURCEDECL op = tensix_decode_RESOURCEDECL(word);
    s->declared[op.op_class % TTSYNC_CLASSES] = (uint16_t)(op.resources | op.linger_time << LINGER_SHIFT);
}

static unsigned class_of(unsigned opcode) {
    switch (opcode) {
    case TENSIX_NOP:
    case TENSIX_MOP_CFG:
    case TENSIX_RESOURCEDECL: return CLASS_NONE;
    case TENSIX_ADDDMAREG:
    case TENSIX_SUBDMAREG:
    case TENSIX_MULDMAREG:
    case TENSIX_BITWOPDMAREG:
    case TENSIX_SHIFTDMAREG:
    case TENSIX_CMPDMAREG:
    case TENSIX_SETDMAREG: return 0;
    case TENSIX_ATINCGET:
    case TENSIX_ATINCGETPTR:
    case TENSIX_ATSWAP:
    case TENSIX_ATCAS: return 1;
    case TENSIX_REG2FLOP: return 2;
    case TENSIX_LOADIND:
    case TENSIX_STOREIND: return 3;
    case TENSIX_STREAMWRCFG:
    case TENSIX_CFGSHIFTMASK: return 4;
    case TENSIX_STOREREG: return 5;
    case TENSIX_LOADREG: return 6;
    case TENSIX_FLUSHDMA: return 7;
    case TENSIX_WRCFG: return 8;
    case TENSIX_RDCFG: return 9;
    case TENSIX_XMOV: return 10;
    case TENSIX_UNPACR:
    case TENSIX_UNPACR_NOP: return CLASS_UNPACK;
    case TENSIX_PACR: return 12;
    case TENSIX_MOP: return CLASS_MOP;
    case TENSIX_REPLAY: return CLASS_REPLAY;
    default: return CLASS_OTHER;
    }
}

/* Converts the nine bits of a declaration to the sixteen bits of a word's resources. */
static uint16_t spread(unsigned declared, unsigned bank) {
    unsigned parts = (declared >> PARTS_SHIFT & PART_ALL) << PARTS * bank;
    unsigned read = (declared & READS_CONFIG ? parts : 0) | (declared & READS_GPR ? TTSYNC_GPR : 0) |
                    (declared & READS_TDMA ? TTSYNC_TDMA : 0);
    unsigned written = (declared & WRITES_CONFIG ? parts : 0) | (declared & WRITES_GPR ? TTSYNC_GPR : 0) |
                       (declared & WRITES_TDMA ? TTSYNC_TDMA : 0);
    return (uint16_t)(read | written << TTSYNC_WRITES);
}

/* With subdivision, the unpacker that the instruction names (bit 23) selects the parts, not the declaration. */
static unsigned subdivided(unsigned declared, uint32_t word) {
    unsigned part = word >> 23 & 1 ? PART_UNPACK1 : PART_UNPACK0;
    return (declared & ~(unsigned)ALL) | part << PARTS_SHIFT;
}

uint16_t ttsync_of_word(const struct ttsync *s, uint32_t word, const uint16_t *config) {
    unsigned class = class_of(word >> 24);
    if (class == CLASS_NONE || !CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions))
        return 0;
    unsigned declared = s->declared[class];
    if (class == CLASS_UNPACK && CONFIG_GET(config, TENSIX_TRISC_SYNC_EnSubdividedCfgForUnpacr))
        declared = subdivided(declared, word);
    return spread(declared, s->bank);
}

unsigned ttsync_linger_of_word(const struct ttsync *s, uint32_t word) {
    unsigned class = class_of(word >> 24);
    return class == CLASS_NONE ? 0 : s->declared[class] >> LINGER_SHIFT & 15;
}

/* ---- Accesses of a core ------------------------------------------------------------------------- */

uint16_t ttsync_of_gpr(const uint16_t *config) {
    return CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackGPR) &&
                   CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions)
               ? TTSYNC_GPR
               : 0;
}

uint16_t ttsync_of_tdma(const uint16_t *config) {
    return CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTDMARegs) &&
                   CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions)
               ? TTSYNC_TDMA
               : 0;
}

#define WORD(name) CONFIG_WORD_##name

/* The words of Config below the global ones that belong to an unpacker. Hardware counts only the first word of a tile
 * descriptor as the unpacker's. */
static const uint8_t part_of_word[CONFIG_WORDS] = {
    [WORD(UNP0_ADDR_CTRL_XY_REG_0_Xstride)] = PART_UNPACK0,
    [WORD(UNP0_ADDR_CTRL_ZW_REG_0_Zstride)] = PART_UNPACK0 | PART_UNPACK1,
    [WORD(UNP1_ADDR_CTRL_XY_REG_0_Xstride)] = PART_UNPACK1,
    [WORD(UNP1_ADDR_CTRL_ZW_REG_0_Zstride)] = PART_UNPACK1,
    [WORD(UNP0_ADDR_BASE_REG_0_Base)] = PART_ALL,
    [WORD(UNP0_ADDR_BASE_REG_1_Base)] = PART_ALL,
    [WORD(UNP0_FORCED_SHARED_EXP_shared_exp)] = PART_ALL, /* and UNP0_ADD_DEST_ADDR_CNTR */
    [WORD(UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start)] = PART_UNPACK0,
    [WORD(UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start)] = PART_UNPACK0,
    [WORD(UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val)] = PART_UNPACK0,
    [WORD(UNP1_ADDR_CTRL_XY_REG_1_Xstride)] = PART_UNPACK1,
    [WORD(UNP1_ADDR_CTRL_ZW_REG_1_Zstride)] = PART_UNPACK1,
    [WORD(UNP1_ADDR_BASE_REG_0_Base)] = PART_UNPACK1,
    [WORD(UNP1_ADDR_BASE_REG_1_Base)] = PART_UNPACK1,
    [WORD(UNP1_FORCED_SHARED_EXP_shared_exp)] = PART_UNPACK1, /* and UNP1_ADD_DEST_ADDR_CNTR */
    [WORD(UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val)] = PART_UNPACK1,
    [WORD(THCON_SEC0_REG0_TileDescriptor)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG2_Out_data_format)] = PART_UNPACK0,             /* and the rest of the first word of REG2 */
    [WORD(THCON_SEC0_REG2_Disable_zero_compress_cntx0)] = PART_UNPACK0, /* and the rest of the second */
    [WORD(THCON_SEC0_REG2_Unpack_limit_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG2_Unpack_fifo_size)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG3_Base_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG3_Base_cntx1_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG3_Base_cntx2_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG3_Base_cntx3_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG4_Base_cntx4_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG4_Base_cntx5_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG4_Base_cntx6_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG4_Base_cntx7_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG5_Dest_cntx0_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG5_Dest_cntx2_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG5_Tile_x_dim_cntx0)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG5_Tile_x_dim_cntx2)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG7_Offset_address)] = PART_UNPACK0, /* and the formats of contexts 0 and 4 */
    [WORD(THCON_SEC0_REG7_Offset_cntx1_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG7_Offset_cntx2_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG7_Offset_cntx3_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG10_Unpack_limit_address)] = PART_UNPACK0,
    [WORD(THCON_SEC0_REG10_Unpack_fifo_size)] = PART_UNPACK0, /* and Unpack_limit_address_en */
    [WORD(THCON_SEC1_REG0_TileDescriptor)] = PART_UNPACK1,
    [WORD(THCON_SEC1_REG2_Out_data_format)] = PART_UNPACK1,
    [WORD(THCON_SEC1_REG2_Disable_zero_compress_cntx0)] = PART_UNPACK1,
    [WORD(THCON_SEC1_REG3_Base_address)] = PART_UNPACK1,
    [WORD(THCON_SEC1_REG3_Base_cntx1_address)] = PART_UNPACK1,
    [WORD(THCON_SEC1_REG7_Offset_address)] = PART_UNPACK1,       /* and the formats of contexts 0 and 4 */
    [WORD(THCON_SEC1_REG7_Offset_cntx1_address)] = PART_UNPACK1, /* and the formats of contexts 1 and 5 */
};

static unsigned both_banks(unsigned parts) {
    return parts | parts << PARTS;
}

/* Returns the parts of Config that an access to an offset touches, with subdivision. */
static unsigned parts_of_offset(uint32_t offset) {
    uint32_t index = offset / 4;
    if (offset >= CONFIG_AT_THREAD)
        return both_banks((offset - CONFIG_AT_THREAD) / 4 == WORD(DEST_TARGET_REG_CFG_MATH_Offset)
                              ? PART_UNPACK0 | PART_UNPACK1
                              : PART_REST);
    if (offset >= CONFIG_AT_DUAL || index % CONFIG_WORDS >= CONFIG_BASE_GLOBAL)
        return both_banks(PART_REST);
    unsigned part = part_of_word[index % CONFIG_WORDS];
    return (part ? part : PART_REST) << PARTS * (index / CONFIG_WORDS);
}

/* Returns the parts of Config that an access to an offset touches, without subdivision: whole banks. */
static unsigned banks_of_offset(uint32_t offset) {
    uint32_t index = offset / 4;
    if (offset >= CONFIG_AT_DUAL || index % CONFIG_WORDS >= CONFIG_BASE_GLOBAL)
        return both_banks(PART_ALL);
    return (unsigned)PART_ALL << PARTS * (index / CONFIG_WORDS);
}

uint16_t ttsync_of_config(const uint16_t *config, uint32_t offset) {
    if (!CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackGlobalCfg) ||
        !CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions))
        return 0;
    return (uint16_t)(CONFIG_GET(config, TENSIX_TRISC_SYNC_EnSubdividedCfgForUnpacr) ? parts_of_offset(offset)
                                                                                     : banks_of_offset(offset));
}
