/* Permutations: scalar moves, slides, gathers, compress, whole registers.
 *
 * Source: RISC-V "V" 1.0 section 16. Offsets and indexes from a register of the core use all 32 bits. */
#include "riscv/fpu.h"
#include "riscv/rvv/op.h"

/* Returns the element of vs2 at an index; 0 if the index is outside the group. */
static uint32_t pick(const struct vec_op *op, uint64_t index) {
    return index < op->vlmax ? vec_get(op, &op->vs2, (uint32_t)index) : 0;
}

enum vec_result vec_slide(const struct vec_op *op) {
    uint32_t offset = op->scalar, first = op->row->operation == OP_UP ? offset : 0;
    for (uint32_t i = first; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set(op, &op->vd, i, pick(op, op->row->operation == OP_UP ? i - offset : (uint64_t)i + offset));
    return VEC_DONE;
}

/* Slides by one; the scalar enters at the vacated end. */
enum vec_result vec_slide1(const struct vec_op *op) {
    bool up = op->row->operation == OP_UP;
    uint32_t free_end = up ? 0 : op->vl - 1, scalar = (uint32_t)vec_b(op, 0);
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set(op, &op->vd, i, i == free_end ? scalar : pick(op, up ? i - 1 : i + 1));
    return VEC_DONE;
}

enum vec_result vec_gather(const struct vec_op *op) {
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set(op, &op->vd, i, pick(op, op->scalar_b ? op->scalar : vec_get(op, &op->vs1, i)));
    return VEC_DONE;
}

enum vec_result vec_compress(const struct vec_op *op) {
    uint32_t to = 0;
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_bit(op->v, op->vs1.reg, i))
            vec_set(op, &op->vd, to++, vec_get(op, &op->vs2, i));
    return VEC_DONE;
}

enum vec_result vec_whole_move(const struct vec_op *op) {
    memmove(op->v->v[op->vd.reg], op->v->v[op->vs2.reg], op->vd.count * VEC_BYTES);
    return VEC_DONE;
}

/* vmv.x.s and vfmv.f.s: independent of vl. A 16-bit float is boxed in ones. */
enum vec_result vec_to_scalar(const struct vec_op *op) {
    if (op->row->flags & F_FLOAT_A)
        op->f[op->insn.rd] = (uint32_t)vec_a(op, 0) | (op->sew_log == 4 ? FPU_BOX : 0);
    else
        vec_set_x(op, (uint32_t)vec_a(op, 0));
    return VEC_DONE;
}

enum vec_result vec_from_scalar(const struct vec_op *op) {
    if (op->vl > 0)
        vec_set(op, &op->vd, 0, (uint32_t)vec_b(op, 0));
    return VEC_DONE;
}
