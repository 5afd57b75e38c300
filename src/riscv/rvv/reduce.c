/* Integer reductions.
 *
 * Source: RISC-V "V" 1.0 section 14. Nothing is written if vl is 0. */
#include "riscv/rvv/op.h"

static int64_t combine(enum vec_operation operation, int64_t sum, int64_t a) {
    switch (operation) {
    case OP_ADD: return (int64_t)((uint64_t)sum + (uint64_t)a);
    case OP_AND: return sum & a;
    case OP_OR: return sum | a;
    case OP_XOR: return sum ^ a;
    case OP_MIN: return a < sum ? a : sum;
    default: return a > sum ? a : sum; /* OP_MAX */
    }
}

enum vec_result vec_reduce(const struct vec_op *op) {
    if (op->vl == 0)
        return VEC_DONE;
    int64_t sum = vec_b(op, 0);
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            sum = combine(op->row->operation, sum, vec_a(op, i));
    vec_set(op, &op->vd, 0, (uint32_t)sum);
    return VEC_DONE;
}
