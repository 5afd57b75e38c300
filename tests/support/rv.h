/* A tiny RV32 encoder: one function a format, one name an instruction, so that programs written as words
 * stay readable. Registers are numbers; immediates are taken as the manual writes them.
 *
 *     R  funct7 rs2 rs1 funct3 rd opcode      I  imm[11:0] rs1 funct3 rd opcode
 */
#ifndef SUPPORT_RV_H
#define SUPPORT_RV_H

#include <stdint.h>

enum {
    MAJOR_LOAD = 0x03,
    MAJOR_LOAD_FP = 0x07,
    MAJOR_OP_IMM = 0x13,
    MAJOR_AUIPC = 0x17,
    MAJOR_STORE = 0x23,
    MAJOR_STORE_FP = 0x27,
    MAJOR_AMO = 0x2F,
    MAJOR_OP = 0x33,
    MAJOR_LUI = 0x37,
    MAJOR_OP_FP = 0x53,
    MAJOR_BRANCH = 0x63,
    MAJOR_JALR = 0x67,
    MAJOR_JAL = 0x6F,
};

#define RV_NOP 0x00000013u
/* csrrsi x0, cfg0, 8: turns the L0 data cache off, as the vendor's firmware does. */
#define RV_L0_OFF UINT32_C(0x7C046073)

static inline uint32_t rv_r(unsigned opcode, unsigned funct3, unsigned funct7, unsigned rd, unsigned rs1,
                            unsigned rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
static inline uint32_t rv_i(unsigned opcode, unsigned funct3, unsigned rd, unsigned rs1, int32_t imm) {
    return ((uint32_t)imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
static inline uint32_t rv_s(unsigned opcode, unsigned funct3, unsigned rs2, unsigned rs1, int32_t imm) {
    uint32_t u = (uint32_t)imm;
    return (u >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u & 0x1F) << 7 | opcode;
}
static inline uint32_t rv_b(unsigned funct3, unsigned rs1, unsigned rs2, int32_t offset) {
    uint32_t u = (uint32_t)offset;
    return (u >> 12 & 1) << 31 | (u >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u >> 1 & 0xF) << 8 |
           (u >> 11 & 1) << 7 | MAJOR_BRANCH;
}
static inline uint32_t rv_u(unsigned opcode, unsigned rd, uint32_t value) {
    return (value & 0xFFFFF000) | rd << 7 | opcode;
}
static inline uint32_t rv_jal(unsigned rd, int32_t offset) {
    uint32_t u = (uint32_t)offset;
    return (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 | (u >> 11 & 1) << 20 | (u >> 12 & 0xFF) << 12 | rd << 7 |
           MAJOR_JAL;
}

static inline uint32_t rv_lui(unsigned rd, uint32_t value) {
    return rv_u(MAJOR_LUI, rd, value);
}
static inline uint32_t rv_addi(unsigned rd, unsigned rs1, int32_t imm) {
    return rv_i(MAJOR_OP_IMM, 0, rd, rs1, imm);
}
static inline uint32_t rv_andi(unsigned rd, unsigned rs1, int32_t imm) {
    return rv_i(MAJOR_OP_IMM, 7, rd, rs1, imm);
}
static inline uint32_t rv_add(unsigned rd, unsigned rs1, unsigned rs2) {
    return rv_r(MAJOR_OP, 0, 0, rd, rs1, rs2);
}
static inline uint32_t rv_sub(unsigned rd, unsigned rs1, unsigned rs2) {
    return rv_r(MAJOR_OP, 0, 0x20, rd, rs1, rs2);
}
static inline uint32_t rv_xor(unsigned rd, unsigned rs1, unsigned rs2) {
    return rv_r(MAJOR_OP, 4, 0, rd, rs1, rs2);
}
static inline uint32_t rv_or(unsigned rd, unsigned rs1, unsigned rs2) {
    return rv_r(MAJOR_OP, 6, 0, rd, rs1, rs2);
}
static inline uint32_t rv_sltu(unsigned rd, unsigned rs1, unsigned rs2) {
    return rv_r(MAJOR_OP, 3, 0, rd, rs1, rs2);
}
static inline uint32_t rv_slli(unsigned rd, unsigned rs1, unsigned count) {
    return rv_r(MAJOR_OP_IMM, 1, 0, rd, rs1, count);
}
static inline uint32_t rv_srli(unsigned rd, unsigned rs1, unsigned count) {
    return rv_r(MAJOR_OP_IMM, 5, 0, rd, rs1, count);
}
static inline uint32_t rv_lw(unsigned rd, int32_t offset, unsigned base) {
    return rv_i(MAJOR_LOAD, 2, rd, base, offset);
}
static inline uint32_t rv_lbu(unsigned rd, int32_t offset, unsigned base) {
    return rv_i(MAJOR_LOAD, 4, rd, base, offset);
}
static inline uint32_t rv_sw(unsigned rs2, int32_t offset, unsigned base) {
    return rv_s(MAJOR_STORE, 2, rs2, base, offset);
}
static inline uint32_t rv_sh(unsigned rs2, int32_t offset, unsigned base) {
    return rv_s(MAJOR_STORE, 1, rs2, base, offset);
}
static inline uint32_t rv_bne(unsigned rs1, unsigned rs2, int32_t offset) {
    return rv_b(1, rs1, rs2, offset);
}
static inline uint32_t rv_jalr(unsigned rd, unsigned rs1, int32_t imm) {
    return rv_i(MAJOR_JALR, 0, rd, rs1, imm);
}

/* The two halves of a constant: lui rd, rv_high(v); addi rd, rd, rv_low(v). */
static inline uint32_t rv_high(uint32_t value) {
    return (value + 0x800) & 0xFFFFF000;
}
static inline int32_t rv_low(uint32_t value) {
    return (int32_t)((value & 0xFFF) ^ 0x800) - 0x800;
}

#endif
