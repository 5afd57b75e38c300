/* Operations on masks: logic, population, first set bit, prefix masks, iota, element index.
 *
 * Source: RISC-V "V" 1.0 section 15.
 */
#include "riscv/rvv/op.h"

static bool logic(enum vec_operation operation, bool a, bool b) {
    switch (operation) {
    case OP_AND: return a && b;
    case OP_NAND: return !(a && b);
    case OP_ANDN: return a && !b;
    case OP_XOR: return a != b;
    case OP_OR: return a || b;
    case OP_NOR: return !(a || b);
    case OP_ORN: return a || !b;
    default: return a == b; /* OP_XNOR */
    }
}

enum vec_result vec_mask_logic(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        vec_set_bit(op->v, op->vd.reg, i,
                    logic(op->row->operation, vec_bit(op->v, op->vs2.reg, i), vec_bit(op->v, op->vs1.reg, i)));
    return VEC_DONE;
}

static bool set_and_active(const struct vec_op *op, uint32_t i) {
    return vec_active(op, i) && vec_bit(op->v, op->vs2.reg, i);
}

/* Returns the index of the first set and active bit of vs2; vl if there is none. */
static uint32_t first_set(const struct vec_op *op) {
    uint32_t i = 0;
    while (i < op->vl && !set_and_active(op, i))
        i++;
    return i;
}

enum vec_result vec_mask_count(const struct vec_op *op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->vl; i++)
        count += set_and_active(op, i);
    vec_set_x(op, count);
    return VEC_DONE;
}

enum vec_result vec_mask_find(const struct vec_op *op) {
    uint32_t first = first_set(op);
    vec_set_x(op, first < op->vl ? first : UINT32_MAX);
    return VEC_DONE;
}

enum vec_result vec_mask_first(const struct vec_op *op) {
    uint32_t first = first_set(op);
    bool before = op->row->operation != OP_ONLY, at = op->row->operation != OP_BEFORE;
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set_bit(op->v, op->vd.reg, i, (before && i < first) || (at && i == first));
    return VEC_DONE;
}

enum vec_result vec_iota(const struct vec_op *op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i)) {
            vec_set(op, &op->vd, i, count);
            count += vec_bit(op->v, op->vs2.reg, i);
        }
    return VEC_DONE;
}

enum vec_result vec_index(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set(op, &op->vd, i, i);
    return VEC_DONE;
}
