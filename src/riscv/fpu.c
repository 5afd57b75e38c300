/* The F and Zfh instructions of a baby core (Blackhole BabyRISCV/InstructionSet.md). numeric/ has the arithmetic. This
 * file has the registers, the boxing of halves and the signs of the four multiply-adds. */
#include "riscv/fpu.h"

#include "base/bits.h"
#include "base/check.h"

/* The operands of one instruction and the destination of its result. */
struct op {
    uint32_t *xd, *fd;
    uint32_t xs;         /* integer source */
    uint32_t a, b, c;    /* sources as floats */
    uint16_t ha, hb, hc; /* the same sources as halves, unboxed */
    enum fp16_mode mode;
    uint32_t flags;
};

static void put_half(struct op *op, uint16_t value) {
    *op->fd = FPU_BOX | value;
}

static bool single_arithmetic(enum rv_id id, struct op *op) {
    uint32_t a = op->a, b = op->b, c = op->c, *flags = &op->flags;
    switch (id) {
    case RV_FADD_S: *op->fd = fp32_add_flags(a, b, flags); return true;
    case RV_FSUB_S: *op->fd = fp32_sub_flags(a, b, flags); return true;
    case RV_FMUL_S: *op->fd = fp32_mul_flags(a, b, flags); return true;
    case RV_FMADD_S: *op->fd = fp32_fma_flags(a, b, c, flags); return true;
    case RV_FMSUB_S: *op->fd = fp32_fma_flags(a, b, c ^ FP32_SIGN, flags); return true;
    case RV_FNMSUB_S: *op->fd = fp32_fma_flags(a ^ FP32_SIGN, b, c, flags); return true;
    case RV_FNMADD_S: *op->fd = fp32_fma_flags(a ^ FP32_SIGN, b, c ^ FP32_SIGN, flags); return true;
    case RV_FMIN_S:
        op->flags = fp32_quiet_flags(a, b);
        *op->fd = fp32_min(a, b);
        return true;
    case RV_FMAX_S:
        op->flags = fp32_quiet_flags(a, b);
        *op->fd = fp32_max(a, b);
        return true;
    case RV_FSGNJ_S: *op->fd = (a & ~FP32_SIGN) | (b & FP32_SIGN); return true;
    case RV_FSGNJN_S: *op->fd = (a & ~FP32_SIGN) | (~b & FP32_SIGN); return true;
    case RV_FSGNJX_S: *op->fd = a ^ (b & FP32_SIGN); return true;
    default: return false;
    }
}

/* Executes moves, conversions and comparisons of F. */
static bool single_transfer(enum rv_id id, struct op *op) {
    uint32_t a = op->a, b = op->b;
    switch (id) {
    case RV_FEQ_S:
        op->flags = fp32_quiet_flags(a, b);
        *op->xd = fp32_eq(a, b);
        return true;
    case RV_FLT_S:
        op->flags = fp32_signaling_flags(a, b);
        *op->xd = fp32_lt(a, b);
        return true;
    case RV_FLE_S:
        op->flags = fp32_signaling_flags(a, b);
        *op->xd = fp32_le(a, b);
        return true;
    case RV_FCLASS_S: *op->xd = fp32_classify(a); return true;
    case RV_FMV_X_W: *op->xd = a; return true;
    case RV_FMV_W_X: *op->fd = op->xs; return true;
    case RV_FCVT_W_S: *op->xd = fp32_to_i32_flags(a, &op->flags); return true;
    case RV_FCVT_WU_S: *op->xd = fp32_to_u32_flags(a, &op->flags); return true;
    case RV_FCVT_S_W: *op->fd = fp32_from_i32_flags(op->xs, &op->flags); return true;
    case RV_FCVT_S_WU: *op->fd = fp32_from_u32_flags(op->xs, &op->flags); return true;
    default: return false;
    }
}

static bool half_arithmetic(enum rv_id id, struct op *op) {
    const uint16_t sign = FP16_SIGN;
    enum fp16_mode mode = op->mode;
    uint16_t a = op->ha, b = op->hb, c = op->hc;
    uint32_t *flags = &op->flags;
    switch (id) {
    case RV_FADD_H: put_half(op, fp16_add_flags(mode, a, b, flags)); return true;
    case RV_FSUB_H: put_half(op, fp16_sub_flags(mode, a, b, flags)); return true;
    case RV_FMUL_H: put_half(op, fp16_mul_flags(mode, a, b, flags)); return true;
    case RV_FMADD_H: put_half(op, fp16_fma_flags(mode, a, b, c, flags)); return true;
    case RV_FMSUB_H: put_half(op, fp16_fma_flags(mode, a, b, c ^ sign, flags)); return true;
    case RV_FNMSUB_H: put_half(op, fp16_fma_flags(mode, a ^ sign, b, c, flags)); return true;
    case RV_FNMADD_H: put_half(op, fp16_fma_flags(mode, a ^ sign, b, c ^ sign, flags)); return true;
    case RV_FMIN_H:
        op->flags = fp16_quiet_flags(mode, a, b);
        put_half(op, fp16_min(mode, a, b));
        return true;
    case RV_FMAX_H:
        op->flags = fp16_quiet_flags(mode, a, b);
        put_half(op, fp16_max(mode, a, b));
        return true;
    case RV_FSGNJ_H: put_half(op, (uint16_t)((a & ~sign) | (b & sign))); return true;
    case RV_FSGNJN_H: put_half(op, (uint16_t)((a & ~sign) | (~b & sign))); return true;
    case RV_FSGNJX_H: put_half(op, a ^ (b & sign)); return true;
    default: return false;
    }
}

/* Executes moves, conversions and comparisons of Zfh. */
static bool half_transfer(enum rv_id id, struct op *op) {
    enum fp16_mode mode = op->mode;
    uint16_t a = op->ha, b = op->hb;
    uint32_t *flags = &op->flags;
    switch (id) {
    case RV_FEQ_H:
        op->flags = fp16_quiet_flags(mode, a, b);
        *op->xd = fp16_eq(mode, a, b);
        return true;
    case RV_FLT_H:
        op->flags = fp16_signaling_flags(mode, a, b);
        *op->xd = fp16_lt(mode, a, b);
        return true;
    case RV_FLE_H:
        op->flags = fp16_signaling_flags(mode, a, b);
        *op->xd = fp16_le(mode, a, b);
        return true;
    case RV_FCLASS_H: *op->xd = fp16_classify(mode, a); return true;
    case RV_FMV_X_H: *op->xd = (uint32_t)bits_sign_extend(op->a, 16); return true; /* boxed or not */
    case RV_FMV_H_X: put_half(op, (uint16_t)op->xs); return true;
    case RV_FCVT_W_H: *op->xd = fp16_to_i32_flags(mode, a, flags); return true;
    case RV_FCVT_WU_H: *op->xd = fp16_to_u32_flags(mode, a, flags); return true;
    case RV_FCVT_H_W: put_half(op, fp16_from_i32_flags(mode, op->xs, flags)); return true;
    case RV_FCVT_H_WU: put_half(op, fp16_from_u32_flags(mode, op->xs, flags)); return true;
    case RV_FCVT_S_H: *op->fd = fp16_to_fp32_flags(mode, a, flags); return true;
    case RV_FCVT_H_S: put_half(op, fp16_from_fp32_flags(mode, op->a, flags)); return true;
    default: return false;
    }
}

void fpu_execute(enum rv_id id, uint8_t rd, uint8_t rs1, uint8_t rs2, uint8_t rs3, uint32_t *x, uint32_t *f,
                 uint32_t cfg0, uint32_t *fcsr) {
    enum fp16_mode mode = fpu_half_mode(cfg0);
    struct op op = {
        .xd = &x[rd ? rd : 32],
        .fd = &f[rd],
        .xs = x[rs1],
        .a = f[rs1],
        .b = f[rs2],
        .c = f[rs3],
        .ha = fpu_unbox(mode, f[rs1]),
        .hb = fpu_unbox(mode, f[rs2]),
        .hc = fpu_unbox(mode, f[rs3]),
        .mode = mode,
    };
    bool done =
        single_arithmetic(id, &op) || single_transfer(id, &op) || half_arithmetic(id, &op) || half_transfer(id, &op);
    BH_ASSERT(done); /* the decoder gives no other id of class FLOAT */
    *fcsr |= op.flags;
}
