/* vsetvli, vsetivli, vsetvl: vtype and vl.
 *
 * Sources: RISC-V "V" 1.0 section 6; Blackhole BabyRISCV/InstructionSet.md: there is no vill bit. The behaviour of
 * the hardware for an unsupported vtype is unknown; here such a vset is illegal and changes nothing. */
#include "riscv/rvv/op.h"

/* Returns whether VLMAX stays the same. With rd = rs1 = x0 an instruction keeps vl, which is allowed only then. */
static bool keeps_vlmax(const struct vec_op *op, uint8_t sew_log, int8_t lmul) {
    uint8_t old_sew;
    int8_t old_lmul;
    uint32_t old_vlmax;
    if (!vec_vtype(op->v->vtype, &old_sew, &old_lmul, &old_vlmax))
        return false;
    return sew_log - lmul == old_sew - old_lmul;
}

enum vec_result vec_configure(const struct vec_op *op) {
    uint32_t vtype = op->insn.id == RV_VSETVL ? op->x[op->insn.rs2] : (uint32_t)op->insn.imm;
    uint8_t sew_log;
    int8_t lmul;
    uint32_t vlmax, length;

    if (!vec_vtype(vtype, &sew_log, &lmul, &vlmax))
        return VEC_ILLEGAL;
    if (op->insn.id == RV_VSETIVLI)
        length = op->insn.rs1;
    else if (op->insn.rs1)
        length = op->x[op->insn.rs1];
    else if (op->insn.rd)
        length = UINT32_MAX;
    else if (keeps_vlmax(op, sew_log, lmul))
        length = op->v->vl;
    else
        return VEC_ILLEGAL;

    op->v->vtype = vtype;
    op->v->vl = length < vlmax ? length : vlmax;
    vec_set_x(op, op->v->vl);
    return VEC_DONE;
}
