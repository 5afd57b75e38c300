/* Fixed-point arithmetic: saturating, averaging, scaling; vxrm selects the rounding, vxsat records saturation.
 *
 * Source: RISC-V "V" 1.0 sections 3.8, 3.9 and 12. */
#include "riscv/rvv/op.h"

enum { ROUND_UP = 0, ROUND_EVEN = 1, ROUND_DOWN = 2, ROUND_ODD = 3 }; /* of vxrm; ROUND_UP: to nearest, ties up */

/* Returns value / 2^shift, rounded by vxrm. Precondition: shift is less than 63. */
static int64_t round_off(const struct vec_op *op, int64_t value, unsigned shift) {
    if (shift == 0)
        return value;
    int64_t result = value >> shift;
    uint64_t rest = (uint64_t)value & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    switch (op->v->vxrm & 3) {
    case ROUND_UP: return result + (rest >= half);
    case ROUND_EVEN: return result + (rest > half || (rest == half && (result & 1)));
    case ROUND_DOWN: return result;
    default: return result | (rest != 0);
    }
}

/* Clips a value to the range of an element of vd, signed or unsigned. */
static uint32_t clip(const struct vec_op *op, int64_t value) {
    bool is_signed = op->row->signs & A_SIGNED;
    int64_t most = (INT64_C(1) << (vec_sew(op) - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    if (value >= least && value <= most)
        return (uint32_t)value;
    op->v->vxsat = 1;
    return (uint32_t)(value < least ? least : most);
}

static int64_t add_or_sub(const struct vec_op *op, uint32_t i) {
    int64_t a = vec_a(op, i), b = vec_b(op, i);
    return op->row->operation == OP_ADD ? a + b : a - b;
}

enum vec_result vec_saturate(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set(op, &op->vd, i, clip(op, add_or_sub(op, i)));
    return VEC_DONE;
}

enum vec_result vec_average(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set(op, &op->vd, i, (uint32_t)round_off(op, add_or_sub(op, i), 1));
    return VEC_DONE;
}

static uint32_t scaled(const struct vec_op *op, int64_t a, int64_t b) {
    unsigned shift = (unsigned)b & ((1u << op->vs2.eew_log) - 1);
    switch (op->row->operation) {
    case OP_SMUL: return clip(op, round_off(op, a * b, vec_sew(op) - 1));
    case OP_SR: return (uint32_t)round_off(op, a, shift);
    default: return clip(op, round_off(op, a, shift)); /* OP_CLIP */
    }
}

enum vec_result vec_scale(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set(op, &op->vd, i, scaled(op, vec_a(op, i), vec_b(op, i)));
    return VEC_DONE;
}
