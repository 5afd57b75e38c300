/* Selects the mode of arithmetic from the formats of the operands and the configuration (format.h).
 *
 * Sums and products of floats round, with Fpu_srnd_en at random (numeric/matrix/random.h). No document describes
 * rounding with the switches GS_LF and Bfp8_HF, so these fault. Maxima and integers do not round, so none of this has
 * an effect on them. */
#include "tensix/matrix/format.h"

static inline unsigned phase(const struct matrix_turn *turn) {
    return (turn->rwc->fidelity + CONFIG_GET(turn->own, FIDELITY_BASE_Phase)) & RWC_FIDELITY_MASK;
}

/* Sets the modes that FP16A_FORCE and INT8_math_enabled select regardless of the formats. */
static void special_mode(const struct matrix_turn *turn, struct matrix_mode *mode) {
    bool fp16 = matrix_forces_fp16(turn);
    mode->a = mode->b = fp16 ? MATRIX_FP16 : MATRIX_INT8;
    mode->wide = !fp16;
}

bool matrix_mode_of_maximum(struct matrix_turn *turn, struct matrix_mode *mode) {
    const uint32_t *config = turn->config;
    mode->phase = phase(turn);
    mode->keep_b = CONFIG_GET(config, ALU_ACC_CTRL_Zero_Flag_disabled_src);
    mode->wide = CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled);
    if (BH_UNLIKELY(CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled) || matrix_forces_fp16(turn))) {
        special_mode(turn, mode);
        return true;
    }
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

/* Refuses an instruction whose configuration asks for unknown rounding. Returns false. */
__attribute__((noinline)) static bool refuse_rounding(struct matrix_turn *turn) {
    const char *which = CONFIG_GET(turn->config, ALU_ROUNDING_MODE_GS_LF) ? "GS_LF" : "Bfp8_HF";
    matrix_refuse(turn, BH_FAULT_UNMODELLED,
                  "how the Matrix Unit rounds with ALU_ROUNDING_MODE_%s is described nowhere", which);
    return false;
}

bool matrix_mode(struct matrix_turn *turn, struct matrix_mode *mode) {
    const uint32_t *config = turn->config;
    if (!matrix_mode_of_maximum(turn, mode))
        return false;
    mode->random = CONFIG_GET(config, ALU_ROUNDING_MODE_Fpu_srnd_en) && mode->a != MATRIX_INT8;
    mode->noise = 0;
    if (BH_UNLIKELY(CONFIG_GET(config, ALU_ROUNDING_MODE_GS_LF) || CONFIG_GET(config, ALU_ROUNDING_MODE_Bfp8_HF)) &&
        mode->a != MATRIX_INT8)
        return refuse_rounding(turn);
    return true;
}
