/* RISC-V instructions of the baby cores: decoder, properties of the rows of riscv.def, register use, disassembler.
 *
 * Source: BlackholeA0/TensixTile/BabyRISCV/InstructionSet.md. Differences between cores (mret on BRISC and NCRISC, V
 * on TRISC2) are decided elsewhere. A word whose low two bits are not 11 is a .ttinsn and belongs to the Tensix
 * table; it decodes to RV_NONE. */
#ifndef ISA_RISCV_H
#define ISA_RISCV_H

#include <stddef.h>
#include <stdint.h>

enum rv_id {
    RV_NONE = 0, /* the word is not an instruction of these cores */
#define RV_INSN(id, mnemonic, match, mask, format, extension, class) RV_##id,
#include "isa/riscv.def"
    RV_COUNT
};

/* The first vector id. Scalar ids are smaller, and fit into a byte. */
enum { RV_FIRST_V = RV_VLM_V };

enum rv_format {
#define RV_FORMAT(name, rd, rs1, rs2, rs3, imm, text) RV_FORMAT_##name,
#include "isa/riscv.def"
    RV_FORMAT_COUNT
};

enum rv_extension {
    RV_EXT_I,
    RV_EXT_M,
    RV_EXT_ZICSR,
    RV_EXT_ZAAMO,
    RV_EXT_ZBA,
    RV_EXT_ZBB,
    RV_EXT_ZBKB,
    RV_EXT_DRAFT, /* bitmanip 0.94 draft, never ratified */
    RV_EXT_PRIV,  /* machine-level ISA */
    RV_EXT_F,
    RV_EXT_ZFH,
    RV_EXT_V,
};

enum rv_class {
#define RV_CLASS(name, occupancy, latency, text) RV_CLASS_##name,
#include "isa/riscv.def"
    RV_CLASS_COUNT
};

/* Timing facts as constants: RV_OCCUPANCY_DIV, RV_LATENCY_MUL, RV_PART_LOAD_L1 ... */
enum rv_cycles {
#define RV_CLASS(name, occupancy, latency, text) RV_OCCUPANCY_##name = (occupancy), RV_LATENCY_##name = (latency),
#define RV_PART(name, value, text)               RV_PART_##name = (value),
#include "isa/riscv.def"
};

/* What a register field of the word holds. */
enum rv_field {
    RV_FIELD_O, /* nothing; decoded as 0 */
    RV_FIELD_X,
    RV_FIELD_F,
    RV_FIELD_V,
    RV_FIELD_NUMBER, /* a 5-bit unsigned constant */
    RV_FIELD_VM,     /* rs3 only: bit 25, 0 when v0 masks the elements */
};

/* What rv_insn.imm holds, with the bits of the word that it comes from. */
enum rv_imm {
    RV_IMM_ZERO,
    RV_IMM_I,      /* 31:20, sign-extended */
    RV_IMM_S,      /* 31:25 11:7, sign-extended */
    RV_IMM_B,      /* byte offset from the instruction */
    RV_IMM_U,      /* 31:12 in place: the value that lui gives */
    RV_IMM_J,      /* byte offset from the instruction */
    RV_IMM_SHAMT,  /* 24:20 */
    RV_IMM_CSR,    /* 31:20, not extended: number of a CSR; fm, pred and succ of a fence */
    RV_IMM_AQRL,   /* 26:25: aq is bit 1, rl bit 0 */
    RV_IMM_RM,     /* 14:12: rounding mode */
    RV_IMM_NF,     /* 31:29: number of fields of a segment, less one */
    RV_IMM_VTYPE,  /* 30:20 */
    RV_IMM_VTYPEI, /* 29:20 */
    RV_IMM_SIMM5,  /* 19:15, sign-extended */
    RV_IMM_UIMM5,  /* 19:15 */
};

struct rv_row {
    const char *name;
    uint32_t match, mask; /* a word belongs to the row if word & mask == match */
    uint8_t format;       /* enum rv_format */
    uint8_t extension;    /* enum rv_extension */
    uint8_t class;        /* enum rv_class */
};

struct rv_shape {
    uint8_t rd, rs1, rs2, rs3; /* enum rv_field */
    uint8_t imm;               /* enum rv_imm */
    const char *text;          /* operands as the disassembler writes them */
};

/* A decoded instruction. The shape of its format says what the fields hold. */
struct rv_insn {
    enum rv_id id;
    uint8_t rd, rs1, rs2, rs3;
    int32_t imm;
};

/* Decodes a word. Returns RV_NONE if it is not an instruction of these cores. Always fills *out. */
enum rv_id rv_decode(uint32_t word, struct rv_insn *out);

extern const struct rv_row rv_rows[RV_COUNT];
extern const struct rv_shape rv_shapes[RV_FORMAT_COUNT];

/* Returns the row of an id. The row of RV_NONE has an empty name and matches nothing. */
static inline const struct rv_row *rv_row(enum rv_id id) {
    return &rv_rows[id];
}

static inline const struct rv_shape *rv_shape(enum rv_format format) {
    return &rv_shapes[format];
}

/* Return the set of registers that an instruction reads or writes: bit n is x<n>, bit 32 + n is f<n>. x0 and vector
 * registers are never in the set. */
uint64_t rv_reads(const struct rv_insn *insn);
uint64_t rv_writes(const struct rv_insn *insn);

/* Disassembles the word at pc like `objdump -d -M no-aliases`, with one space between mnemonic and operands; ".word
 * 0x…" if the word is not an instruction. Returns the length of the whole text, like snprintf. */
size_t riscv_disasm(uint32_t pc, uint32_t word, char *text, size_t size);

#endif
