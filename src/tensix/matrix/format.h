/* The formats of the operands of the Matrix Unit.
 *
 * The format of a bank of SrcA or SrcB is the one that its unpacker has left with it, unless DISABLE_IMPLIED selects
 * ALU_FORMAT_SPEC. Arithmetic reads the exponents of both operands and of a 16-bit Dst by SrcA's format; SrcB's format
 * decides only whether its mantissa has three more bits. MOVD2B and MOVB2D read SrcB's bank by its implied format, or
 * else by SrcA's, and test the bit of DISABLE_IMPLIED that is for SrcA.
 *
 * Sources: MVMUL.md, MOVD2A.md, MOVD2B.md, MOVB2D.md, SrcASrcB.md (WH, with their Blackhole branches); the official
 * simulator for SrcB's share in arithmetic and for which bit MOVD2B looks at, where the pages say that it is not
 * characterised. */
#ifndef TENSIX_MATRIX_FORMAT_H
#define TENSIX_MATRIX_FORMAT_H

#include "isa/formats.h"
#include "tensix/matrix/issue.h"

/* How a datum of Src is read, by its format as in ALU_FORMAT_SPEC (four bits). */
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

/* Return the format of SrcA's bank, of SrcB's, and of SrcB's for moves between it and Dst: SrcA's if the bank implies
 * none.
 */
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

/* FP16A_FORCE: everything is FP16, and Dst has 16 bits. */
MATRIX_INLINE bool matrix_forces_fp16(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, FP16A_FORCE_Enable);
}

#endif
