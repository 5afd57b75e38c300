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

enum { TF32_CODE = 4 };

enum matrix_style matrix_style(unsigned format) {
    static const uint8_t style[16] = {
        [0] = MATRIX_BF16,                                                  /* FP32 */
        [1] = MATRIX_FP16,                                                  /* FP16 */
        [2] = MATRIX_FP16,                                                  /* BFP8a */
        [3] = MATRIX_FP16,                                                  /* BFP4a */
        [4] = MATRIX_TF32,                                                  /* TF32 */
        [5] = MATRIX_BF16,                                                  /* BF16 */
        [6] = MATRIX_BF16,                                                  /* BFP8 */
        [7] = MATRIX_BF16,                                                  /* BFP4 */
        [8] = MATRIX_BF16,                                                  /* INT32 */
        [9] = MATRIX_BF16,                                                  /* INT16 */
        [10] = MATRIX_FP16,                                                 /* FP8 */
        [11] = MATRIX_FP16,                                                 /* BFP2a */
        [12] = MATRIX_NO_STYLE, [13] = MATRIX_NO_STYLE, [14] = MATRIX_FP16, /* INT8 */
        [15] = MATRIX_BF16,                                                 /* BFP2 */
    };
    return (enum matrix_style)style[format & 15];
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

static bool by_banks(struct matrix_turn *turn, struct matrix_formats *formats) {
    unsigned a = matrix_format_a(turn), b = matrix_format_b(turn);
    formats->a = formats->b = matrix_style(a);
    if (formats->a == MATRIX_NO_STYLE) {
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "SrcA has the format %u, which is reserved", a);
        return false;
    }
    if (formats->a != MATRIX_FP16 && matrix_style(b) != MATRIX_FP16)
        formats->b = b == TF32_CODE ? MATRIX_TF32 : MATRIX_BF16;
    formats->wide = CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled);
    return true;
}

bool matrix_formats(struct matrix_turn *turn, struct matrix_formats *formats) {
    *formats =
        (struct matrix_formats){ .a = MATRIX_FP16,
                                 .b = MATRIX_FP16,
                                 .keep_denormals = CONFIG_GET(turn->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) };
    if (matrix_forces_fp16(turn))
        return true;
    if (!CONFIG_GET(turn->config, ALU_ACC_CTRL_INT8_math_enabled))
        return by_banks(turn, formats);
    formats->a = formats->b = MATRIX_INT8;
    formats->wide = true;
    return true;
}
