/* Internals of the vector unit: one instruction in execution, its operands, and access to elements.
 *
 * vec.def lists the handler of every instruction and the widths of its operands. vec.c turns that row and the word into
 * a struct vec_op, rejects what the V extension reserves, and calls the handler. Handlers process the elements in
 * ascending order, which is correct for all overlaps of source and destination that the extension allows. */
#ifndef RISCV_RVV_OP_H
#define RISCV_RVV_OP_H

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "isa/riscv.h"
#include "riscv/rvv/vec.h"

/* The width of an operand's elements, and with it the size of its register group. */
enum vec_width {
    W_NONE,        /* no vector operand */
    W_MASK,        /* one bit for each element, one register */
    W_SCALAR,      /* element 0 of SEW, one register */
    W_WIDE_SCALAR, /* element 0 of 2 * SEW, one register */
    W_SEW,
    W_WIDE,    /* 2 * SEW, 2 * LMUL */
    W_HALF,    /* SEW / 2, LMUL / 2 */
    W_QUARTER, /* SEW / 4, LMUL / 4 */

    W_E16,    /* 16 bits, LMUL * 16 / SEW */
    W_FIELD,  /* loads and stores: the width field, LMUL * EEW / SEW */
    W_WHOLE1, /* whole registers, independent of vl and vtype */
    W_WHOLE2,
    W_WHOLE4,
    W_WHOLE8,
};

/* How vs2 (a) and vs1, the scalar or the immediate (b), are extended to 64 bits. */
enum { A_SIGNED = 1, B_SIGNED = 2, UU = 0, SU = A_SIGNED, US = B_SIGNED, SS = A_SIGNED | B_SIGNED };

enum {
    F_MASK_DATA = 1,  /* v0, if used, is a data operand and masks no element */
    F_NO_OVERLAP = 2, /* vd must not overlap any source, including the mask */
    F_READS_VD = 4,   /* vd is a source too */
    F_STORE = 8,      /* vd is a source only */
    F_ANY_VTYPE = 16, /* independent of vtype and vl */
    F_FLOAT_A = 32,   /* vs2 (and vs1) elements are floating point */
    F_FLOAT_D = 64,   /* vd elements are floating point */
    F_ELEMENTS = 128, /* memory is accessed element by element, and takes time accordingly */
};

enum vec_operation {
    OP_NONE,
    OP_ADD,
    OP_SUB,
    OP_RSUB,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_SLL,
    OP_SR,
    OP_MIN,
    OP_MAX,
    OP_EXTEND,
    OP_MUL,
    OP_MULH,
    OP_MACC,
    OP_NMSAC,
    OP_MADD,
    OP_NMSUB,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_ADC,
    OP_SBC,
    OP_SMUL,
    OP_CLIP,
    OP_ANDN,
    OP_ORN,
    OP_NAND,
    OP_NOR,
    OP_XNOR,
    OP_BEFORE,
    OP_INCLUDING,
    OP_ONLY,
    OP_UP,
    OP_DOWN,
    OP_UNIT,
    OP_FAULT_FIRST,
    OP_STRIDED,
    OP_INDEXED,
    OP_BITS,
    OP_WHOLE,
    OP_SGNJ,
    OP_SGNJN,
    OP_SGNJX,
    OP_CLASS,
    OP_NMACC,
    OP_MSAC,
    OP_NMADD,
    OP_MSUB,
    OP_F_TO_I,
    OP_F_TO_I_RTZ,
    OP_I_TO_F,
    OP_F_TO_F,
    OP_F_TO_F_ROD,
};

struct vec_op;

/* One row of vec.def. */
struct vec_row {
    enum vec_result (*execute)(const struct vec_op *op);
    uint8_t operation; /* enum vec_operation */
    uint8_t signs;
    uint8_t vd, vs2, vs1; /* enum vec_width */
    uint16_t flags;
};

/* A group of registers that is an operand. */
struct vec_operand {
    uint8_t reg, count; /* count 0: not a vector operand */
    uint8_t eew_log;    /* log2 of the bits of an element; 0 for masks */
    int8_t emul;        /* log2 of the group's multiplier (EMUL) */
};

struct vec_op {
    struct vec_state *v;
    const struct vec_port *port;
    const struct vec_row *row;
    uint32_t *x, *f, *fcsr;
    uint32_t cfg0, word;
    struct rv_insn insn;

    uint8_t sew_log;
    int8_t lmul; /* log2 of LMUL */
    bool masked; /* elements whose bit in v0 is clear are left unchanged */
    bool scalar_b;
    uint8_t fields; /* number of fields of a segment; else 1 */
    uint32_t vl, vlmax;
    uint32_t scalar; /* b if it is a register of the core or an immediate; not extended */
    struct vec_operand vd, vs2, vs1;
};

/* Returns the element width of vtype, in bits. */
static inline unsigned vec_sew(const struct vec_op *op) {
    return 1u << op->sew_log;
}

/* Returns log2 of the bits of an access: the width field, bits 14:12 of loads and stores, is 0, 5 or 6 for 8, 16 or
 * 32. */
static inline unsigned vec_access_log(const struct vec_op *op) {
    unsigned width = bits_get(op->word, 12, 3);
    return width == 0 ? 3 : width - 1;
}

/* Returns the mask bit of element i in register reg. */
static inline bool vec_bit(const struct vec_state *v, unsigned reg, uint32_t i) {
    return v->v[reg][i / 8] >> (i % 8) & 1;
}

static inline void vec_set_bit(struct vec_state *v, unsigned reg, uint32_t i, bool bit) {
    uint8_t *byte = &v->v[reg][i / 8];
    *byte = (uint8_t)((*byte & ~(1u << i % 8)) | (unsigned)bit << i % 8);
}

/* Returns whether the instruction processes element i: it is not masked, or the bit of v0 is set. */
static inline bool vec_active(const struct vec_op *op, uint32_t i) {
    return !op->masked || vec_bit(op->v, 0, i);
}

/* Returns the address of element i in a group with elements of 8, 16 or 32 bits. A group is in consecutive
 * registers. */
static inline uint8_t *vec_element(struct vec_state *v, const struct vec_operand *o, uint32_t i) {
    uint32_t offset = i << (o->eew_log - 3);
    BH_ASSERT(o->reg + offset / VEC_BYTES < 32);
    return &v->v[o->reg + offset / VEC_BYTES][offset % VEC_BYTES];
}

static inline uint32_t vec_get(const struct vec_op *op, const struct vec_operand *o, uint32_t i) {
    const uint8_t *p = vec_element(op->v, o, i);
    uint16_t half;
    uint32_t value;
    switch (o->eew_log) {
    case 3: return *p;
    case 4: memcpy(&half, p, sizeof half); return half;
    default: memcpy(&value, p, sizeof value); return value;
    }
}

static inline void vec_set(const struct vec_op *op, const struct vec_operand *o, uint32_t i, uint32_t value) {
    memcpy(vec_element(op->v, o, i), &value, 1u << (o->eew_log - 3)); /* hosts are little-endian */
}

/* Sign- or zero-extends an element of 1 << eew_log bits. */
static inline int64_t vec_extend(uint32_t value, unsigned eew_log, bool is_signed) {
    if (is_signed)
        return bits_sign_extend(value, 1u << eew_log);
    return bits_get(value, 0, 1u << eew_log);
}

/* Return element i of operand a or b, extended as the row says. */
static inline int64_t vec_a(const struct vec_op *op, uint32_t i) {
    return vec_extend(vec_get(op, &op->vs2, i), op->vs2.eew_log, op->row->signs & A_SIGNED);
}

static inline int64_t vec_b(const struct vec_op *op, uint32_t i) {
    uint32_t raw = op->scalar_b ? op->scalar : vec_get(op, &op->vs1, i);
    return vec_extend(raw, op->vs1.eew_log, op->row->signs & B_SIGNED);
}

/* Writes an integer register of the core. */
static inline void vec_set_x(const struct vec_op *op, uint32_t value) {
    op->x[op->insn.rd ? op->insn.rd : 32] = value;
}

/* Decodes vtype. Returns false for a combination that VLEN 128 and ELEN 32 do not support. */
bool vec_vtype(uint32_t vtype, uint8_t *sew_log, int8_t *lmul, uint32_t *vlmax);

/* The handlers. Precondition: all checks of the operands have been made. */
enum vec_result vec_configure(const struct vec_op *op);
enum vec_result vec_memory(const struct vec_op *op);
enum vec_result vec_integer(const struct vec_op *op);
enum vec_result vec_compare(const struct vec_op *op);
enum vec_result vec_carry(const struct vec_op *op);
enum vec_result vec_carry_out(const struct vec_op *op);
enum vec_result vec_merge(const struct vec_op *op);
enum vec_result vec_saturate(const struct vec_op *op);
enum vec_result vec_average(const struct vec_op *op);
enum vec_result vec_scale(const struct vec_op *op);
enum vec_result vec_mask_logic(const struct vec_op *op);
enum vec_result vec_mask_first(const struct vec_op *op);
enum vec_result vec_mask_count(const struct vec_op *op);
enum vec_result vec_mask_find(const struct vec_op *op);
enum vec_result vec_iota(const struct vec_op *op);
enum vec_result vec_index(const struct vec_op *op);
enum vec_result vec_slide(const struct vec_op *op);
enum vec_result vec_slide1(const struct vec_op *op);
enum vec_result vec_gather(const struct vec_op *op);
enum vec_result vec_compress(const struct vec_op *op);
enum vec_result vec_whole_move(const struct vec_op *op);
enum vec_result vec_to_scalar(const struct vec_op *op);
enum vec_result vec_from_scalar(const struct vec_op *op);
enum vec_result vec_reduce(const struct vec_op *op);
enum vec_result vec_float(const struct vec_op *op);
enum vec_result vec_float_compare(const struct vec_op *op);
enum vec_result vec_float_convert(const struct vec_op *op);
enum vec_result vec_float_reduce(const struct vec_op *op);

#endif
