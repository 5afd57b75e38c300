/* Floating-point vector arithmetic on FP32, and on FP16 or BF16 as cfg0 selects.
 *
 * Sources: RISC-V "V" 1.0 sections 13 and 14.3; Blackhole BabyRISCV/InstructionSet.md: rounding, denormals and
 * multiply-add are those of the scalar instructions, so the arithmetic is that of numeric/. Assumed: widening
 * arithmetic first widens its operands exactly; unordered sums are computed in element order. */
#include "riscv/fpu.h"
#include "riscv/rvv/op.h"

/* The format in which an instruction computes, and its flags. */
struct unit {
    bool half;
    enum fp16_mode mode;
    uint32_t flags;
};

static struct unit unit_of(const struct vec_op *op, unsigned eew_log) {
    return (struct unit){ .half = eew_log == 4, .mode = fpu_half_mode(op->cfg0) };
}

static uint32_t sign_bit(const struct unit *u) {
    return u->half ? FP16_SIGN : FP32_SIGN;
}

static uint32_t fma_of(struct unit *u, uint32_t a, uint32_t b, uint32_t c) {
    if (u->half)
        return fp16_fma_flags(u->mode, (uint16_t)a, (uint16_t)b, (uint16_t)c, &u->flags);
    return fp32_fma_flags(a, b, c, &u->flags);
}

static uint32_t add(struct unit *u, uint32_t a, uint32_t b) {
    if (u->half)
        return fp16_add_flags(u->mode, (uint16_t)a, (uint16_t)b, &u->flags);
    return fp32_add_flags(a, b, &u->flags);
}

static uint32_t mul(struct unit *u, uint32_t a, uint32_t b) {
    if (u->half)
        return fp16_mul_flags(u->mode, (uint16_t)a, (uint16_t)b, &u->flags);
    return fp32_mul_flags(a, b, &u->flags);
}

static void quiet_flags(struct unit *u, uint32_t a, uint32_t b) {
    u->flags |= u->half ? fp16_quiet_flags(u->mode, (uint16_t)a, (uint16_t)b) : fp32_quiet_flags(a, b);
}

static uint32_t least(struct unit *u, uint32_t a, uint32_t b) {
    quiet_flags(u, a, b);
    return u->half ? fp16_min(u->mode, (uint16_t)a, (uint16_t)b) : fp32_min(a, b);
}

static uint32_t most(struct unit *u, uint32_t a, uint32_t b) {
    quiet_flags(u, a, b);
    return u->half ? fp16_max(u->mode, (uint16_t)a, (uint16_t)b) : fp32_max(a, b);
}

static uint32_t classify(const struct unit *u, uint32_t a) {
    return u->half ? fp16_classify(u->mode, (uint16_t)a) : fp32_classify(a);
}

/* Computes one element. a: vs2, b: vs1 or the scalar, d: the old vd. */
static uint32_t compute(struct unit *u, enum vec_operation operation, uint32_t a, uint32_t b, uint32_t d) {
    const uint32_t sign = sign_bit(u);
    switch (operation) {
    case OP_ADD: return add(u, a, b);
    case OP_SUB: return add(u, a, b ^ sign);
    case OP_RSUB: return add(u, b, a ^ sign);
    case OP_MUL: return mul(u, a, b);
    case OP_MIN: return least(u, a, b);
    case OP_MAX: return most(u, a, b);
    case OP_SGNJ: return (a & ~sign) | (b & sign);
    case OP_SGNJN: return (a & ~sign) | (~b & sign);
    case OP_SGNJX: return a ^ (b & sign);
    case OP_CLASS: return classify(u, a);
    case OP_MACC: return fma_of(u, b, a, d);
    case OP_NMACC: return fma_of(u, b ^ sign, a, d ^ sign);
    case OP_MSAC: return fma_of(u, b, a, d ^ sign);
    case OP_NMSAC: return fma_of(u, b ^ sign, a, d);
    case OP_MADD: return fma_of(u, b, d, a);
    case OP_NMADD: return fma_of(u, b ^ sign, d, a ^ sign);
    case OP_MSUB: return fma_of(u, b, d, a ^ sign);
    default: return fma_of(u, b ^ sign, d, a); /* OP_NMSUB */
    }
}

/* Returns an operand, widened if the unit computes in a wider format. */
static uint32_t widened(struct unit *u, uint32_t value, unsigned eew_log) {
    if (u->half || eew_log == 5)
        return value;
    return fp16_to_fp32_flags(u->mode, (uint16_t)value, &u->flags);
}

enum vec_result vec_float(const struct vec_op *op) {
    struct unit u = unit_of(op, op->vd.eew_log);
    bool has_b = op->row->vs1 != W_NONE;
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i)) {
            uint32_t a = widened(&u, (uint32_t)vec_a(op, i), op->vs2.eew_log);
            uint32_t b = has_b ? widened(&u, (uint32_t)vec_b(op, i), op->vs1.eew_log) : 0;
            vec_set(op, &op->vd, i, compute(&u, op->row->operation, a, b, vec_get(op, &op->vd, i)));
        }
    *op->fcsr |= u.flags;
    return VEC_DONE;
}

static bool equal(struct unit *u, uint32_t a, uint32_t b) {
    quiet_flags(u, a, b);
    return u->half ? fp16_eq(u->mode, (uint16_t)a, (uint16_t)b) : fp32_eq(a, b);
}

static bool less(struct unit *u, uint32_t a, uint32_t b, bool or_equal) {
    if (u->half) {
        uint16_t ha = (uint16_t)a, hb = (uint16_t)b;
        u->flags |= fp16_signaling_flags(u->mode, ha, hb);
        return or_equal ? fp16_le(u->mode, ha, hb) : fp16_lt(u->mode, ha, hb);
    }
    u->flags |= fp32_signaling_flags(a, b);
    return or_equal ? fp32_le(a, b) : fp32_lt(a, b);
}

static bool holds(struct unit *u, enum vec_operation operation, uint32_t a, uint32_t b) {
    switch (operation) {
    case OP_EQ: return equal(u, a, b);
    case OP_NE: return !equal(u, a, b);
    case OP_LT: return less(u, a, b, false);
    case OP_LE: return less(u, a, b, true);
    case OP_GT: return less(u, b, a, false);
    default: return less(u, b, a, true); /* OP_GE */
    }
}

enum vec_result vec_float_compare(const struct vec_op *op) {
    struct unit u = unit_of(op, op->vs2.eew_log);
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            vec_set_bit(op->v, op->vd.reg, i,
                        holds(&u, op->row->operation, (uint32_t)vec_a(op, i), (uint32_t)vec_b(op, i)));
    *op->fcsr |= u.flags;
    return VEC_DONE;
}

enum vec_result vec_float_reduce(const struct vec_op *op) {
    if (op->vl == 0)
        return VEC_DONE;
    struct unit u = unit_of(op, op->vd.eew_log);
    uint32_t sum = (uint32_t)vec_b(op, 0);
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i))
            sum = compute(&u, op->row->operation, widened(&u, (uint32_t)vec_a(op, i), op->vs2.eew_log), sum, 0);
    vec_set(op, &op->vd, 0, sum);
    *op->fcsr |= u.flags;
    return VEC_DONE;
}
