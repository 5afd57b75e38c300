/* The formats that an instruction of the Matrix Unit takes its operands to have.
 *
 * A bank of SrcA or SrcB implies the format that its unpacker has left with it, unless DISABLE_IMPLIED says that
 * ALU_FORMAT_SPEC counts. Arithmetic reads exponents of both operands and of a 16-bit Dst as those of SrcA; of SrcB's
 * format it takes whether there are three more bits of mantissa. MOVD2B and MOVB2D read SrcB's bank as SrcA's format
 * unless it implies one, and then look at the bit that is for SrcA.
 *
 * Sources: MVMUL.md, MOVD2A.md, MOVD2B.md, SrcASrcB.md (WH, with their Blackhole branches); the official simulator for
 * SrcB's share in arithmetic and for which bit MOVD2B looks at, where the pages say that it is not characterised. */
#include "isa/formats.h"
#include "tensix/tensix.h"

static inline enum matrix_style style_of(unsigned format) {
    if (FORMATS_LIKE_BF16 >> format & 1)
        return MATRIX_BF16;
    if (FORMATS_LIKE_FP16 >> format & 1)
        return MATRIX_FP16;
    return format == FORMAT_TF32 ? MATRIX_TF32 : MATRIX_NO_STYLE;
}

enum matrix_style matrix_style(unsigned format) {
    return style_of(format);
}

static inline unsigned implied(const struct matrix_turn *turn, unsigned file) {
    const struct src *src = &turn->x->src;
    return src->format[file][src->matrix_bank[file]];
}

static inline unsigned configured_a(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcA_override)
               ? CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcA_val)
               : CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG0_SrcA);
}

static inline unsigned configured_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcB_override)
               ? CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcB_val)
               : CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG1_SrcB);
}

static inline unsigned format_a(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) ? configured_a(turn) : implied(turn, SRC_A);
}

static inline unsigned format_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCB_FMT_Base) ? configured_b(turn) : implied(turn, SRC_B);
}

unsigned matrix_format_a(const struct matrix_turn *turn) {
    return format_a(turn);
}

unsigned matrix_format_b(const struct matrix_turn *turn) {
    return format_b(turn);
}

unsigned matrix_format_moved_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) ? configured_a(turn) : implied(turn, SRC_B);
}

bool matrix_forces_fp16(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, FP16A_FORCE_Enable);
}

/* ---- Arithmetic --------------------------------------------------------------------------------------- */

static inline unsigned phase(const struct matrix_turn *turn) {
    return (turn->rwc->fidelity + CONFIG_GET(turn->own, FIDELITY_BASE_Phase)) & RWC_FIDELITY_MASK;
}

/* By switches, whatever the formats are. */
__attribute__((noinline)) static bool special_mode(struct matrix_turn *turn, struct matrix_mode *mode) {
    if (CONFIG_GET(turn->config, ALU_ROUNDING_MODE_Fpu_srnd_en)) {
        matrix_refuse(turn, BH_FAULT_UNMODELLED,
                      "stochastic rounding in the Matrix Unit (ALU_ROUNDING_MODE_Fpu_srnd_en) is described nowhere");
        return false;
    }
    bool fp16 = CONFIG_GET(turn->own, FP16A_FORCE_Enable);
    mode->a = mode->b = fp16 ? MATRIX_FP16 : MATRIX_INT8;
    mode->wide = !fp16;
    return true;
}

bool matrix_mode(struct matrix_turn *turn, struct matrix_mode *mode) {
    const uint32_t *config = turn->config;
    mode->phase = phase(turn);
    mode->keep_b = CONFIG_GET(config, ALU_ACC_CTRL_Zero_Flag_disabled_src);
    mode->wide = CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled);
    if (BH_UNLIKELY(CONFIG_GET(config, ALU_ROUNDING_MODE_Fpu_srnd_en) ||
                    CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled) || CONFIG_GET(turn->own, FP16A_FORCE_Enable)))
        return special_mode(turn, mode);
    unsigned a = format_a(turn), b = format_b(turn);
    mode->a = mode->b = style_of(a);
    if (BH_UNLIKELY(style_of(a) == MATRIX_NO_STYLE)) {
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "SrcA has the format %u, which is reserved", a);
        return false;
    }
    if (mode->a != MATRIX_FP16 && style_of(b) != MATRIX_FP16)
        mode->b = b == FORMAT_TF32 ? MATRIX_TF32 : MATRIX_BF16;
    return true;
}
