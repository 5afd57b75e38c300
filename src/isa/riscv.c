/* The RISC-V decoder: riscv.def as constant tables.
 *
 * Source: BlackholeA0/TensixTile/BabyRISCV/InstructionSet.md. The major opcode (for vectors also funct3) selects a
 * range of rows; the first row that matches wins. The cores decode a word once and keep the result, so the decoder is
 * not tuned for speed. */
#include "isa/riscv.h"

#include "base/bits.h"

_Static_assert(RV_FIRST_V <= 256, "scalar ids serve as handler numbers of one byte");

const struct rv_row rv_rows[RV_COUNT] = {
    [RV_NONE] = { .name = "", .match = 1, .mask = 0 },
#define RV_INSN(id, mnemonic, match, mask, format, extension, class) \
    [RV_##id] = { mnemonic, match, mask, RV_FORMAT_##format, RV_EXT_##extension, RV_CLASS_##class },
#include "isa/riscv.def"
};

const struct rv_shape rv_shapes[RV_FORMAT_COUNT] = {
#define RV_FORMAT(name, rd, rs1, rs2, rs3, imm, text) \
    [RV_FORMAT_##name] = { RV_FIELD_##rd, RV_FIELD_##rs1, RV_FIELD_##rs2, RV_FIELD_##rs3, RV_IMM_##imm, text },
#include "isa/riscv.def"
};

/* Numbers the rows a second time, to give each group the id of its first row: FIRST_name takes the number of the row
 * that follows, and the next enumerator steps back so that the row gets that number again. */
enum {
    ROW_NONE,
#define RV_GROUP(name, opcode)                                       FIRST_##name, BACK_##name = FIRST_##name - 1,
#define RV_VGROUP(name, index)                                       FIRST_##name, BACK_##name = FIRST_##name - 1,
#define RV_INSN(id, mnemonic, match, mask, format, extension, class) ROW_##id,
#include "isa/riscv.def"
    ROW_COUNT
};

_Static_assert((int)ROW_COUNT == (int)RV_COUNT, "the two counts of the rows agree");

static const uint16_t first_by_opcode[32] = {
#define RV_GROUP(name, opcode) [opcode] = FIRST_##name,
#include "isa/riscv.def"
};

static const uint16_t first_by_vector[10] = {
#define RV_VGROUP(name, index) [index] = FIRST_##name,
#include "isa/riscv.def"
};

enum { OPCODE_LOAD_FP = 0x01, OPCODE_STORE_FP = 0x09, OPCODE_OP_V = 0x15, VGROUP_LOAD = 8, VGROUP_STORE = 9 };

/* Searches the rows of one group: those that have the low seven bits (in OP-V also funct3) of the first row. */
static enum rv_id scan(uint32_t word, unsigned first, uint32_t group_mask) {
    uint32_t key = rv_rows[first].match & group_mask;
    for (unsigned id = first; id < RV_COUNT && (rv_rows[id].match & group_mask) == key; id++)
        if ((word & rv_rows[id].mask) == rv_rows[id].match)
            return (enum rv_id)id;
    return RV_NONE;
}

static enum rv_id find(uint32_t word) {
    unsigned opcode = bits_get(word, 2, 5);
    if ((word & 3) != 3)
        return RV_NONE;
    if (opcode == OPCODE_OP_V)
        return scan(word, first_by_vector[bits_get(word, 12, 3)], 0x707F);
    enum rv_id id = first_by_opcode[opcode] ? scan(word, first_by_opcode[opcode], 0x7F) : RV_NONE;
    if (id == RV_NONE && opcode == OPCODE_LOAD_FP)
        return scan(word, first_by_vector[VGROUP_LOAD], 0x7F);
    if (id == RV_NONE && opcode == OPCODE_STORE_FP)
        return scan(word, first_by_vector[VGROUP_STORE], 0x7F);
    return id;
}

static int32_t immediate(uint32_t word, enum rv_imm kind) {
    switch (kind) {
    case RV_IMM_ZERO: return 0;
    case RV_IMM_I: return bits_sign_extend(word >> 20, 12);
    case RV_IMM_S: return bits_sign_extend(bits_get(word, 25, 7) << 5 | bits_get(word, 7, 5), 12);
    case RV_IMM_B:
        return bits_sign_extend(bits_get(word, 31, 1) << 12 | bits_get(word, 7, 1) << 11 | bits_get(word, 25, 6) << 5 |
                                    bits_get(word, 8, 4) << 1,
                                13);
    case RV_IMM_U: return (int32_t)(word & 0xFFFFF000u);
    case RV_IMM_J:
        return bits_sign_extend(bits_get(word, 31, 1) << 20 | bits_get(word, 12, 8) << 12 |
                                    bits_get(word, 20, 1) << 11 | bits_get(word, 21, 10) << 1,
                                21);
    case RV_IMM_SHAMT: return (int32_t)bits_get(word, 20, 5);
    case RV_IMM_CSR: return (int32_t)(word >> 20);
    case RV_IMM_AQRL: return (int32_t)bits_get(word, 25, 2);
    case RV_IMM_RM: return (int32_t)bits_get(word, 12, 3);
    case RV_IMM_NF: return (int32_t)(word >> 29);
    case RV_IMM_VTYPE: return (int32_t)bits_get(word, 20, 11);
    case RV_IMM_VTYPEI: return (int32_t)bits_get(word, 20, 10);
    case RV_IMM_SIMM5: return bits_sign_extend(word >> 15, 5);
    case RV_IMM_UIMM5: return (int32_t)bits_get(word, 15, 5);
    }
    return 0;
}

/* Returns the field that begins at bit `low`. */
static inline uint8_t field(uint32_t word, unsigned low, enum rv_field kind) {
    return kind == RV_FIELD_O ? 0 : (uint8_t)bits_get(word, low, 5);
}

enum rv_id rv_decode(uint32_t word, struct rv_insn *out) {
    enum rv_id id = find(word);
    const struct rv_shape *shape = &rv_shapes[rv_rows[id].format];
    *out = (struct rv_insn){
        .id = id,
        .rd = field(word, 7, shape->rd),
        .rs1 = field(word, 15, shape->rs1),
        .rs2 = field(word, 20, shape->rs2),
        .rs3 = shape->rs3 == RV_FIELD_VM ? (uint8_t)bits_get(word, 25, 1) : field(word, 27, shape->rs3),
        .imm = immediate(word, shape->imm),
    };
    return id;
}

static uint64_t register_bit(enum rv_field kind, unsigned number) {
    if (kind == RV_FIELD_X)
        return UINT64_C(1) << number & ~UINT64_C(1);
    if (kind == RV_FIELD_F)
        return UINT64_C(1) << (32 + number);
    return 0;
}

uint64_t rv_reads(const struct rv_insn *insn) {
    const struct rv_shape *shape = &rv_shapes[rv_rows[insn->id].format];
    return register_bit(shape->rs1, insn->rs1) | register_bit(shape->rs2, insn->rs2) |
           register_bit(shape->rs3, insn->rs3);
}

uint64_t rv_writes(const struct rv_insn *insn) {
    const struct rv_shape *shape = &rv_shapes[rv_rows[insn->id].format];
    return register_bit(shape->rd, insn->rd);
}
