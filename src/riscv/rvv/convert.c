/* Conversions between float formats and integers of 8 to 32 bits.
 *
 * Sources: RISC-V "V" 1.0 sections 13.17 to 13.19. Rounding is that of the scalar conversions (numeric/), except in
 * the .rtz and .rod forms, which round as their names say. That the hardware does the same is an assumption. */
#include "riscv/fpu.h"
#include "riscv/rvv/op.h"

#define FP32_TWO_TO_16 UINT32_C(0x47800000)

/* Converts a float to a 32-bit integer. */
static uint32_t to_integer(const struct vec_op *op, enum fp16_mode mode, uint32_t a, uint32_t *flags) {
    bool is_signed = op->row->signs & A_SIGNED, half = op->vs2.eew_log == 4;
    if (op->row->operation == OP_F_TO_I_RTZ) {
        uint32_t single = half ? fp16_to_fp32_flags(mode, (uint16_t)a, flags) : a;
        return is_signed ? fp32_to_i32_chop_flags(single, flags) : fp32_to_u32_chop_flags(single, flags);
    }
    if (half)
        return is_signed ? fp16_to_i32_flags(mode, (uint16_t)a, flags) : fp16_to_u32_flags(mode, (uint16_t)a, flags);
    return is_signed ? fp32_to_i32_flags(a, flags) : fp32_to_u32_flags(a, flags);
}

/* Saturates a converted integer to the width of the destination. If that changes the value, only the invalid flag is
 * raised. */
static uint32_t to_width(const struct vec_op *op, uint32_t value, uint32_t *flags) {
    bool is_signed = op->row->signs & A_SIGNED;
    int64_t wide = vec_extend(value, 5, is_signed);
    int64_t most = (INT64_C(1) << ((1u << op->vd.eew_log) - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    if (wide >= least && wide <= most)
        return value;
    *flags = FP_INVALID;
    return (uint32_t)(wide < least ? least : most);
}

static uint32_t from_integer(const struct vec_op *op, enum fp16_mode mode, int64_t a, uint32_t *flags) {
    uint32_t value = (uint32_t)a;
    bool is_signed = op->row->signs & A_SIGNED;
    if (op->vd.eew_log == 4)
        return is_signed ? fp16_from_i32_flags(mode, value, flags) : fp16_from_u32_flags(mode, value, flags);
    return is_signed ? fp32_from_i32_flags(value, flags) : fp32_from_u32_flags(value, flags);
}

/* Converts FP32 to 16 bits toward zero, and sets the last bit if the result is inexact. It starts from the rounded
 * result of the ordinary conversion. */
static uint16_t to_odd(enum fp16_mode mode, uint32_t x, uint32_t *flags) {
    uint16_t result = fp16_from_fp32_flags(mode, x, flags);
    uint32_t back = fp16_to_fp32(mode, result);
    if (fp32_is_nan(x) || back == x)
        return result;
    if ((back & ~FP32_SIGN) > (x & ~FP32_SIGN))
        result--;
    /* Rounding to nearest overflows from half a step above the largest number on, this rounding only from a whole step
     * on. */
    if (mode != FP16_HALF || (x & ~FP32_SIGN) < FP32_TWO_TO_16)
        *flags &= ~(uint32_t)FP_OVERFLOW;
    return result | 1;
}

static uint32_t convert(const struct vec_op *op, enum fp16_mode mode, uint32_t i, uint32_t *flags) {
    int64_t a = vec_a(op, i);
    switch (op->row->operation) {
    case OP_I_TO_F: return from_integer(op, mode, a, flags);
    case OP_F_TO_F:
        if (op->vd.eew_log == 5)
            return fp16_to_fp32_flags(mode, (uint16_t)a, flags);
        return fp16_from_fp32_flags(mode, (uint32_t)a, flags);
    case OP_F_TO_F_ROD: return to_odd(mode, (uint32_t)a, flags);
    default: {
        uint32_t value = to_integer(op, mode, (uint32_t)a, flags);
        return to_width(op, value, flags);
    }
    }
}

enum vec_result vec_float_convert(const struct vec_op *op) {
    enum fp16_mode mode = fpu_half_mode(op->cfg0);
    for (uint32_t i = 0; i < op->vl; i++)
        if (vec_active(op, i)) {
            uint32_t flags = 0;
            vec_set(op, &op->vd, i, convert(op, mode, i, &flags));
            *op->fcsr |= flags;
        }
    return VEC_DONE;
}
