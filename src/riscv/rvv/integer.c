/* Integer arithmetic, element by element: single-width, widening, narrowing, compares, carries, merge.
 *
 * Source: RISC-V "V" 1.0 section 11. Operands are extended to 64 bits as vec.def says and the result is truncated to
 * the width of the destination, so that one operation serves all widths. */
#include "riscv/rvv/op.h"

/* Computes one element. a: vs2, b: vs1 or the scalar, d: the old vd. */
static uint64_t compute(const struct vec_op *op, int64_t a, int64_t b, uint64_t d) {
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op->row->operation) {
    case OP_ADD: return ua + ub;
    case OP_SUB: return ua - ub;
    case OP_RSUB: return ub - ua;
    case OP_AND: return ua & ub;
    case OP_OR: return ua | ub;
    case OP_XOR: return ua ^ ub;
    case OP_MIN: return a < b ? ua : ub;
    case OP_MAX: return a > b ? ua : ub;
    case OP_SLL: return ua << (ub & (vec_sew(op) - 1));
    case OP_SR: return (uint64_t)(a >> (ub & ((1u << op->vs2.eew_log) - 1)));
    case OP_EXTEND: return ua;
    case OP_MUL: return ua * ub;
    case OP_MULH: return ua * ub >> vec_sew(op);
    case OP_MACC: return d + ua * ub;
    case OP_NMSAC: return d - ua * ub;
    case OP_MADD: return d * ub + ua;
    default: return ua - d * ub; /* OP_NMSUB */
    }
}

enum vec_result vec_integer(const struct vec_op *op) {
    bool has_b = op->row->vs1 != W_NONE;
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i)) {
            int64_t b = has_b ? vec_b(op, i) : 0;
            vec_set(op, &op->vd, i, (uint32_t)compute(op, vec_a(op, i), b, vec_get(op, &op->vd, i)));
        }
    return VEC_DONE;
}

static bool holds(enum vec_operation operation, int64_t a, int64_t b) {
    switch (operation) {
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    default: return a > b;
    }
}

enum vec_result vec_compare(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set_bit(op->v, op->vd.reg, i, holds(op->row->operation, vec_a(op, i), vec_b(op, i)));
    return VEC_DONE;
}

/* Returns the sum or difference of element i, including the carry in v0 if the instruction has one. The bit above the
 * element is the carry out. */
static uint64_t with_carry(const struct vec_op *op, uint32_t i) {
    bool has_carry = !op->insn.rs3;
    uint64_t a = (uint64_t)vec_a(op, i), b = (uint64_t)vec_b(op, i), carry = has_carry && vec_bit(op->v, 0, i);
    return op->row->operation == OP_ADC ? a + b + carry : a - b - carry;
}

enum vec_result vec_carry(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        vec_set(op, &op->vd, i, (uint32_t)with_carry(op, i));
    return VEC_DONE;
}

enum vec_result vec_carry_out(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        vec_set_bit(op->v, op->vd.reg, i, with_carry(op, i) >> vec_sew(op) & 1);
    return VEC_DONE;
}

/* vmerge, vmv.v and their floating-point forms: an element is b where v0 is set or the instruction is not masked, else
 * that of vs2. */
enum vec_result vec_merge(const struct vec_op *op) {
    bool has_mask = !op->insn.rs3;
    for (uint32_t i = 0; i < op->vl; i++) {
        bool take_b = !has_mask || vec_bit(op->v, 0, i);
        vec_set(op, &op->vd, i, (uint32_t)(take_b ? vec_b(op, i) : vec_a(op, i)));
    }
    return VEC_DONE;
}
