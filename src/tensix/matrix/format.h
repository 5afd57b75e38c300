/* Formats of the operands of the Matrix Unit.
 *
 * A bank of SrcA or SrcB has the format that its unpacker left with it (the implied format), unless DISABLE_IMPLIED
 * selects the one in ALU_FORMAT_SPEC. In arithmetic, SrcA's format decides how the exponents of both operands and of a
 * 16-bit Dst are read; SrcB's format decides only whether the mantissas of SrcB have three more bits. MOVD2B and MOVB2D
 * test SrcA's bit of DISABLE_IMPLIED: if it is clear they use the format that SrcB's bank implies, otherwise the one
 * that is configured for SrcA.
 *
 * Sources: MVMUL.md, MOVD2A.md, MOVD2B.md, MOVB2D.md, SrcASrcB.md (WH, with their Blackhole branches). The official
 * simulator decides two points that the pages call not characterised: the effect of SrcB's format on arithmetic, and
 * the bit that MOVD2B tests. */
#ifndef TENSIX_MATRIX_FORMAT_H
#define TENSIX_MATRIX_FORMAT_H

#include "isa/formats.h"
#include "tensix/matrix/issue.h"

/* The style of reading a datum of Src that has this format. Formats are numbered as in ALU_FORMAT_SPEC (four bits). */
#define MATRIX_NO_STYLE ((enum matrix_style)(MATRIX_INT8 + 1)) /* for reserved formats */

MATRIX_INLINE enum matrix_style matrix_style(unsigned format) {
    if (FORMATS_LIKE_BF16 >> format & 1)
        return MATRIX_BF16;
    if (FORMATS_LIKE_FP16 >> format & 1)
        return MATRIX_FP16;
    return format == FORMAT_TF32 ? MATRIX_TF32 : MATRIX_NO_STYLE;
}

MATRIX_INLINE unsigned matrix_implied(const struct matrix_turn *turn, unsigned file) {
    const struct src *src = &turn->x->src;
    return src->format[file][src->matrix_bank[file]];
}

MATRIX_INLINE unsigned matrix_configured_a(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcA_override)
               ? CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcA_val)
               : CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG0_SrcA);
}

MATRIX_INLINE unsigned matrix_configured_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcB_override)
               ? CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG_SrcB_val)
               : CONFIG_GET(turn->config, ALU_FORMAT_SPEC_REG1_SrcB);
}

/* Return the format of SrcA's bank, the format of SrcB's bank, and the format of SrcB's bank for moves between SrcB and
 * Dst, which is SrcA's configured one if implied formats are disabled. */
MATRIX_INLINE unsigned matrix_format_a(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) ? matrix_configured_a(turn)
                                                                : matrix_implied(turn, SRC_A);
}

MATRIX_INLINE unsigned matrix_format_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCB_FMT_Base) ? matrix_configured_b(turn)
                                                                : matrix_implied(turn, SRC_B);
}

MATRIX_INLINE unsigned matrix_format_moved_b(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) ? matrix_configured_a(turn)
                                                                : matrix_implied(turn, SRC_B);
}

/* Returns whether FP16A_FORCE is set: every operand is FP16 then, and Dst has 16 bits. */
MATRIX_INLINE bool matrix_forces_fp16(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, FP16A_FORCE_Enable);
}

#endif
