/* The front end of the vector unit: decodes the word, sizes the register groups, rejects reserved encodings, calls the
 * handler.
 *
 * Sources: RISC-V "V" 1.0 sections 3.4 (vtype), 5.2 and 5.3 (operands and masks), 7.8 (segments); Blackhole
 * BabyRISCV/InstructionSet.md. The behaviour of silicon for reserved encodings is unknown; here they are illegal. */
#include "riscv/fpu.h"
#include "riscv/rvv/op.h"

static const struct vec_row rows[RV_COUNT] = {
#define VEC(id, handler, operation_, signs_, vd_, vs2_, vs1_, flags_) \
    [RV_##id] = { .execute = vec_##handler, \
                  .operation = OP_##operation_, \
                  .signs = signs_, \
                  .vd = W_##vd_, \
                  .vs2 = W_##vs2_, \
                  .vs1 = W_##vs1_, \
                  .flags = flags_ },
#include "riscv/rvv/vec.def"
};

/* Layout of vtype: vlmul in 2:0 (5..7 are the fractions 1/8..1/2), vsew in 5:3, vta in 6, vma in 7. */
bool vec_vtype(uint32_t vtype, uint8_t *sew_log, int8_t *lmul, uint32_t *vlmax) {
    unsigned vsew = bits_get(vtype, 3, 3);
    int log = bits_sign_extend(vtype, 3);
    if (vtype >> 8 || vsew > 2 || log == -4)
        return false;
    *sew_log = (uint8_t)(vsew + 3);
    *lmul = (int8_t)log;
    uint32_t per_register = VEC_VLEN >> *sew_log;
    *vlmax = log < 0 ? per_register >> -log : per_register << log;
    return *vlmax > 0;
}

static bool is_group(enum vec_width width) {
    return width >= W_SEW;
}

/* Returns log2 of the bits of an element. */
static int element_log(const struct vec_op *op, enum vec_width width) {
    switch (width) {
    case W_MASK: return 0;
    case W_WIDE:
    case W_WIDE_SCALAR: return op->sew_log + 1;
    case W_HALF: return op->sew_log - 1;
    case W_QUARTER: return op->sew_log - 2;
    case W_E16: return 4;
    case W_FIELD: return (int)vec_access_log(op);
    case W_WHOLE1:
    case W_WHOLE2:
    case W_WHOLE4:
    case W_WHOLE8: return 3;
    default: return op->sew_log;
    }
}

/* Returns log2 of the registers in a group: all groups have the ratio of element width to registers that vtype sets. */
static int group_log(const struct vec_op *op, enum vec_width width, int eew_log) {
    if (width >= W_WHOLE1)
        return (int)(width - W_WHOLE1);
    return is_group(width) ? op->lmul + eew_log - op->sew_log : 0;
}

/* Sets the size of an operand. Returns false if no such group exists. */
static bool size_operand(const struct vec_op *op, struct vec_operand *o, enum vec_width width, unsigned reg) {
    int eew_log = element_log(op, width), emul = group_log(op, width, eew_log);
    *o = (struct vec_operand){ .reg = (uint8_t)reg };
    if (width == W_NONE)
        return true;
    if ((eew_log < 3 && width != W_MASK) || eew_log > 5 || emul < -3 || emul > 3)
        return false;
    o->eew_log = (uint8_t)eew_log;
    o->emul = (int8_t)emul;
    o->count = (uint8_t)(emul > 0 ? 1 << emul : 1);
    return reg % o->count == 0;
}

static bool overlap(const struct vec_operand *a, const struct vec_operand *b) {
    return a->count && b->count && a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

/* Section 5.2: a destination may overlap a source of the same width, the low end of a wider source, or, with its own
 * high end, a narrower source of at least one register. */
static bool overlap_allowed(const struct vec_operand *vd, const struct vec_operand *source) {
    if (vd->eew_log == source->eew_log)
        return true;
    if (vd->eew_log < source->eew_log)
        return vd->reg == source->reg;
    return source->emul >= 0 && vd->reg + vd->count == source->reg + source->count;
}

static bool destination_allowed(const struct vec_op *op, const struct vec_operand *source) {
    if (!overlap(&op->vd, source))
        return true;
    return !(op->row->flags & F_NO_OVERLAP) && !(op->fields > 1) && overlap_allowed(&op->vd, source);
}

/* One instruction must not read a register with two element widths. */
static bool sources_agree(const struct vec_operand *a, const struct vec_operand *b) {
    return a->eew_log == b->eew_log || !overlap(a, b);
}

static bool operands_allowed(const struct vec_op *op) {
    static const struct vec_operand none;
    const struct vec_operand mask = { .reg = 0, .count = !bits_get(op->word, 25, 1) }; /* v0 */
    bool has_mask = rv_shape((enum rv_format)rv_row(op->insn.id)->format)->rs3 == RV_FIELD_VM;
    const struct vec_operand *v0 = has_mask ? &mask : &none;
    unsigned flags = op->row->flags;

    if (!sources_agree(&op->vs2, &op->vs1) || !sources_agree(&op->vs2, v0) || !sources_agree(&op->vs1, v0))
        return false;
    if (flags & (F_STORE | F_READS_VD))
        if (!sources_agree(&op->vd, &op->vs2) || !sources_agree(&op->vd, &op->vs1) || !sources_agree(&op->vd, v0))
            return false;
    /* Reductions write element 0 and may overlap any operand. */
    if (flags & F_STORE || op->row->vd == W_SCALAR || op->row->vd == W_WIDE_SCALAR)
        return true;
    if (op->row->vd != W_MASK && overlap(&op->vd, v0))
        return false;
    return destination_allowed(op, &op->vs2) && destination_allowed(op, &op->vs1) && destination_allowed(op, v0);
}

/* Floating-point elements have 16 or 32 bits. */
static bool floats_allowed(const struct vec_op *op) {
    if (op->row->flags & F_FLOAT_A && (op->vs2.eew_log == 3 || op->vs1.eew_log == 3))
        return false;
    return !(op->row->flags & F_FLOAT_D && op->vd.eew_log == 3);
}

/* A segment consists of nf consecutive groups, at most eight registers. */
static bool size_segment(struct vec_op *op) {
    const struct rv_shape *shape = rv_shape((enum rv_format)rv_row(op->insn.id)->format);
    op->fields = (uint8_t)(shape->imm == RV_IMM_NF ? op->insn.imm + 1 : 1);
    if (op->fields == 1)
        return true;
    unsigned count = (unsigned)op->vd.count * op->fields;
    op->vd.count = (uint8_t)count;
    return count <= 8 && op->vd.reg + count <= 32;
}

static uint32_t float_scalar(const struct vec_op *op) {
    uint32_t value = op->f[op->insn.rs1];
    return op->vs1.eew_log == 4 ? fpu_unbox(fpu_half_mode(op->cfg0), value) : value;
}

static void fetch_scalar(struct vec_op *op) {
    const struct rv_shape *shape = rv_shape((enum rv_format)rv_row(op->insn.id)->format);
    op->scalar_b = shape->rs1 != RV_FIELD_V;
    if (shape->rs1 == RV_FIELD_X)
        op->scalar = op->x[op->insn.rs1];
    else if (shape->rs1 == RV_FIELD_F)
        op->scalar = float_scalar(op);
    else
        op->scalar = (uint32_t)op->insn.imm;
    if (op->scalar_b)
        op->vs1.count = 0;
}

/* Decodes the word and vtype. Returns false if they are not a legal instruction. */
static bool prepare(struct vec_op *op) {
    enum rv_id id = rv_decode(op->word, &op->insn);
    op->row = &rows[id];
    if (!op->row->execute)
        return false;
    op->fields = 1;
    op->vl = op->v->vl;
    bool known = vec_vtype(op->v->vtype, &op->sew_log, &op->lmul, &op->vlmax) && op->vl <= op->vlmax;
    if (!known && !(op->row->flags & F_ANY_VTYPE))
        return false;
    const struct rv_shape *shape = rv_shape((enum rv_format)rv_row(id)->format);
    op->masked = shape->rs3 == RV_FIELD_VM && !op->insn.rs3 && !(op->row->flags & F_MASK_DATA);
    if (!size_operand(op, &op->vd, op->row->vd, op->insn.rd) || !size_operand(op, &op->vs2, op->row->vs2, op->insn.rs2))
        return false;
    bool vs1_is_vector = shape->rs1 == RV_FIELD_V;
    if (!size_operand(op, &op->vs1, op->row->vs1, vs1_is_vector ? op->insn.rs1 : 0) || !size_segment(op))
        return false;
    fetch_scalar(op);
    return floats_allowed(op) && operands_allowed(op);
}

/* BabyRISCV/README.md, Retire Unit: each vector register that is written takes an entry of the retire queue, one entry
 * retires in a cycle, and an instruction that writes none takes one entry. That strided, indexed and segment accesses
 * take one cycle for each element is an assumption. EX1: what follows a vset waits until it has retired, as behind a
 * CSR instruction. */
static unsigned cycles_of(const struct vec_op *op) {
    if (op->row->execute == vec_configure)
        return RV_OCCUPANCY_CSR;
    if (op->row->flags & F_ELEMENTS || op->fields > 1)
        return RV_OCCUPANCY_VECTOR * (op->vl ? op->vl * op->fields : 1);
    return RV_OCCUPANCY_VECTOR * (op->vd.count ? op->vd.count : 1);
}

enum vec_result vec_execute(struct vec_state *v, const struct vec_port *port, uint32_t word, uint32_t *x, uint32_t *f,
                            uint32_t cfg0, uint32_t *fcsr, unsigned *cycles) {
    struct vec_op op = { .v = v, .port = port, .word = word, .x = x, .f = f, .cfg0 = cfg0, .fcsr = fcsr };
    *cycles = 1;
    if (!prepare(&op))
        return VEC_ILLEGAL;
    *cycles = cycles_of(&op);
    return op.row->execute(&op);
}

void vec_reset(struct vec_state *v) {
    *v = (struct vec_state){ .vlenb = VEC_BYTES };
}
