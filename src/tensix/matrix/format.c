/* The formats that an instruction of the Matrix Unit takes its operands to have.
 *
 * A bank of SrcA or SrcB implies the format that its unpacker has left with it, unless DISABLE_IMPLIED says that
 * ALU_FORMAT_SPEC counts. Arithmetic reads exponents of both operands and of a 16-bit Dst as those of SrcA; of SrcB's
 * format it takes whether there are three more bits of mantissa. MOVD2B and MOVB2D read SrcB's bank as SrcA's format
 * unless it implies one, and then look at the bit that is for SrcA.
 *
 * Sources: MVMUL.md, MOVD2A.md, MOVD2B.md, SrcASrcB.md (WH, with their Blackhole branches); the official simulator for
 * SrcB's share in arithmetic and for which bit MOVD2B looks at, where the pages say that it is not characterised. */
#include "tensix/tensix.h"

/* Formats of ALU_FORMAT_SPEC. */
enum { FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4, INT32, INT16, FP8, BFP2A, INT8 = 14, BFP2 };
enum {
    LIKE_BF16 = 1 << FP32 | 1 << BF16 | 1 << BFP8 | 1 << BFP4 | 1 << INT32 | 1 << INT16 | 1 << BFP2,
    LIKE_FP16 = 1 << FP16 | 1 << BFP8A | 1 << BFP4A | 1 << FP8 | 1 << BFP2A | 1 << INT8,
};

enum matrix_style matrix_style(unsigned format) {
    if (LIKE_BF16 >> format & 1)
        return MATRIX_BF16;
    if (LIKE_FP16 >> format & 1)
        return MATRIX_FP16;
    return format == TF32 ? MATRIX_TF32 : MATRIX_NO_STYLE;
}

static unsigned implied(const struct matrix_turn *turn, unsigned file) {
    const struct src *src = &turn->x->src;
    return src->format[file][src->matrix_bank[file]];
}

static unsigned configured_a(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcA_override)
               ? CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcA_val)
               : CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG0_SrcA);
}

static unsigned configured_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcB_override)
               ? CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcB_val)
               : CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG1_SrcB);
}

unsigned matrix_format_a(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) ? configured_a(turn) : implied(turn, SRC_A);
}

unsigned matrix_format_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCB_FMT_Base) ? configured_b(turn) : implied(turn, SRC_B);
}

unsigned matrix_format_moved_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) ? configured_a(turn) : implied(turn, SRC_B);
}

bool matrix_forces_fp16(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, FP16A_FORCE_Enable);
}

static bool by_banks(struct matrix_turn *turn, struct matrix_mode *mode) {
    unsigned a = matrix_format_a(turn), b = matrix_format_b(turn);
    mode->a = mode->b = matrix_style(a);
    if (BH_UNLIKELY(matrix_style(a) == MATRIX_NO_STYLE)) {
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "SrcA has the format %u, which is reserved", a);
        return false;
    }
    if (mode->a != MATRIX_FP16 && matrix_style(b) != MATRIX_FP16)
        mode->b = b == TF32 ? MATRIX_TF32 : MATRIX_BF16;
    mode->wide = CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled);
    return true;
}

static unsigned phase(const struct matrix_turn *turn) {
    return (turn->rwc->fidelity + CONFIG_GET(turn->own, FIDELITY_BASE_Phase)) & RWC_FIDELITY_MASK;
}

bool matrix_mode(struct matrix_turn *turn, struct matrix_mode *mode) {
    *mode = (struct matrix_mode){ .a = MATRIX_FP16,
                                  .b = MATRIX_FP16,
                                  .phase = phase(turn),
                                  .keep_b = CONFIG_GET(turn->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) };
    if (BH_UNLIKELY(CONFIG_GET(turn->config, ALU_ROUNDING_MODE_Fpu_srnd_en))) {
        matrix_refuse(turn, BH_FAULT_UNMODELLED,
                      "stochastic rounding in the Matrix Unit (ALU_ROUNDING_MODE_Fpu_srnd_en) is described nowhere");
        return false;
    }
    if (matrix_forces_fp16(turn))
        return true;
    if (!CONFIG_GET(turn->config, ALU_ACC_CTRL_INT8_math_enabled))
        return by_banks(turn, mode);
    mode->a = mode->b = MATRIX_INT8;
    mode->wide = true;
    return true;
}
