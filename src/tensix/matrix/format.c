/* What arithmetic works on (format.h). */
#include "tensix/matrix/format.h"

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
    bool fp16 = matrix_forces_fp16(turn);
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
                    CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled) || matrix_forces_fp16(turn)))
        return special_mode(turn, mode);
    unsigned a = matrix_format_a(turn), b = matrix_format_b(turn);
    mode->a = mode->b = matrix_style(a);
    if (BH_UNLIKELY(matrix_style(a) == MATRIX_NO_STYLE)) {
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "SrcA has the format %u, which is reserved", a);
        return false;
    }
    if (mode->a != MATRIX_FP16 && matrix_style(b) != MATRIX_FP16)
        mode->b = b == FORMAT_TF32 ? MATRIX_TF32 : MATRIX_BF16;
    return true;
}
