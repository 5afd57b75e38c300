/* Rows between SrcA, SrcB and Dst: MOVA2D, MOVB2D, MOVDBGA2D, MOVDBGB2D, MOVD2A, MOVD2B, MOVB2A.
 *
 * A format says whether exponents have five bits or eight, and TF32 that Dst has 32 bits for moves to it. With
 * ALU_ACC_CTRL_Fp32_enabled all moves to Dst are of TF32; with INT8_math_enabled exponents have eight bits.
 * LaneConfig's BLOCK_DEST_MOV keeps columns of the destination as they are.
 *
 * Inexact: a move to Dst makes exactly those rows valid that it writes. The hardware goes by ALU_ACC_CTRL alone and
 * finds other rows where that does not say 32 bits when the move does. The lower half of TF32 (erratum TEN-4245) faults
 * if the format is TF32, and is moved as any other if only Fp32_enabled makes it so, as the official simulator has it.
 * With bit 11 of DBG_FEATURE_DISABLE the lower half of what is otherwise 16 bits is that of 32: so tt-llk uses it.
 * Assumed: MOVB2D and MOVD2B compute the counter alone as their row of SrcA, for SHIFTXA.
 *
 * Sources: MOVA2D.md, MOVB2D.md, MOVD2A.md, MOVD2B.md, MOVB2A.md, MOVDBGA2D.md, MatrixUnit.md (WH, with their Blackhole
 * branches), tt-llk's assembly.yaml for MOVDBGB2D. */
#include <string.h>

#include "tensix/tensix.h"

enum { ONE_ROW = 1, FOUR_ROWS = 4, EIGHT_ROWS = 8, ROW = SRC_COLUMNS };
enum { SEVERAL = 1 << 13, ROW_TO_EIGHT = 1 << 12, COLUMN_0 = 1 << 11, LOWER_HALF = 1 << 23 }; /* of the word */

static inline const struct rows_kernels *kernels(const struct matrix_turn *turn) {
    return &turn->x->vector.lanes->rows;
}

static inline unsigned src_field(const struct matrix_turn *turn) {
    return turn->word >> 17 & 0x3F;
}

/* Ones: denormals stay. */
static inline uint16_t keep_denormals(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) ? 0xFFFF : 0;
}

static inline bool config_is_wide(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled) ||
           CONFIG_GET(turn->config, ALU_ACC_CTRL_INT8_math_enabled);
}

static inline unsigned stored_row(const struct matrix_turn *turn, unsigned row, bool wide) {
    return wide ? dst_row32(turn->config, row) : dst_row16(&turn->x->dst, turn->config, row);
}

static void refuse_reserved(struct matrix_turn *turn, unsigned format) {
    matrix_refuse(turn, BH_FAULT_UNDEFINED, "the format %u is reserved", format);
}

/* For SHIFTXA. */
static inline void remember_a_row(struct matrix_turn *turn, unsigned row) {
    if (BH_LIKELY(!turn->refused))
        turn->x->matrix.last_a_row = (uint8_t)row;
}

/* ---- Columns that stay -------------------------------------------------------------------------------- */

/* Rows of Dst (both halves) or of Src (both planes) as they were. */
struct kept {
    uint16_t row[2][FOUR_ROWS][ROW];
};

static void keep(struct kept *kept, uint16_t (*first)[ROW], uint16_t (*second)[ROW], unsigned count) {
    memcpy(kept->row[0], first, count * sizeof kept->row[0][0]);
    memcpy(kept->row[1], second, count * sizeof kept->row[1][0]);
}

/* The columns of a mask become what they were. */
static void put_back(const struct kept *kept, uint16_t (*first)[ROW], uint16_t (*second)[ROW], unsigned count,
                     unsigned columns) {
    for (; columns; columns &= columns - 1) {
        unsigned column = (unsigned)__builtin_ctz(columns);
        for (unsigned i = 0; i < count; i++) {
            first[i][column] = kept->row[0][i][column];
            second[i][column] = kept->row[1][i][column];
        }
    }
}

/* ---- To Dst ---------------------------------------------------------------------------------------------- */

struct to_dst {
    rows_put *put; /* NULL: the instruction has been refused */
    bool wide;     /* Dst has 32 bits */
    bool low;      /* only the lower halves are written */
};

static rows_put *narrow(const struct matrix_turn *turn, enum matrix_style style) {
    return kernels(turn)->put[style == MATRIX_FP16 && !config_is_wide(turn) ? ROWS_FP16 : ROWS_BF16];
}

__attribute__((noinline)) static struct to_dst unusual_to_dst(struct matrix_turn *turn, unsigned format) {
    bool low = turn->word & LOWER_HALF;
    enum matrix_style style = matrix_style(format);
    if (matrix_forces_fp16(turn))
        return (struct to_dst){ kernels(turn)->put[ROWS_FP16], low, low };
    if (style != MATRIX_NO_STYLE && style != MATRIX_TF32)
        return (struct to_dst){ narrow(turn, style), true, true };
    if (style == MATRIX_NO_STYLE)
        refuse_reserved(turn, format);
    else
        matrix_refuse(turn, BH_FAULT_UNDEFINED,
                      "TF32 to the lower halves of Dst, which the hardware corrupts (erratum TEN-4245)");
    return (struct to_dst){ NULL, false, false };
}

/* How data of this format are moved to Dst. */
static inline struct to_dst to_dst(struct matrix_turn *turn, unsigned format) {
    enum matrix_style style = matrix_style(format);
    if (BH_UNLIKELY((turn->word & LOWER_HALF) || CONFIG_GET(turn->own, FP16A_FORCE_Enable) || style == MATRIX_NO_STYLE))
        return unusual_to_dst(turn, format);
    if (style == MATRIX_TF32 || CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled))
        return (struct to_dst){ kernels(turn)->put[ROWS_TF32], true, false };
    return (struct to_dst){ narrow(turn, style), false, false };
}

/* Lower halves alone: upper halves of invalid rows have read as zero and are that from now on. */
static void zero_invalid(struct dst *dst, unsigned row, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (dst_is_invalid(dst, row + i))
            memset(dst->bits[row + i], 0, sizeof dst->bits[row + i]);
}

/* Rows that are neighbours: one, four, or eight that are aligned. */
static inline void put_rows(const struct matrix_turn *turn, const struct to_dst *how, unsigned row, unsigned count,
                            struct matrix_src from) {
    struct dst *dst = &turn->x->dst;
    if (BH_UNLIKELY(how->low))
        zero_invalid(dst, row, count);
    how->put(dst->bits[row + (how->low ? DST_LOW : 0)], from.mantissa, from.exponent, count, keep_denormals(turn));
    dst_validate(dst, row, (UINT32_C(1) << count) - 1);
    dst_touch(dst, row);
}

/* Some columns of rows that are neighbours. */
static void put_columns(const struct matrix_turn *turn, const struct to_dst *how, unsigned row, unsigned count,
                        struct matrix_src from) {
    struct kept kept;
    unsigned blocked = turn->x->vector.block_mov;
    uint16_t(*upper)[ROW] = turn->x->dst.bits + row, (*lower)[ROW] = how->wide ? upper + DST_LOW : upper;
    if (blocked == 0xFFFF)
        return;
    keep(&kept, upper, lower, count);
    put_rows(turn, how, row, count, from);
    put_back(&kept, upper, lower, count, blocked);
}

/* Rows four by four, or one. */
__attribute__((noinline)) static void put_apart(const struct matrix_turn *turn, const struct to_dst *how,
                                                unsigned first, unsigned count, struct matrix_src from) {
    for (unsigned i = 0; i < count; i += FOUR_ROWS) {
        unsigned row = stored_row(turn, first + i, how->wide), rows = count < FOUR_ROWS ? count : FOUR_ROWS;
        struct matrix_src part = { from.mantissa + i * ROW, from.exponent + i * ROW };
        if (turn->x->vector.block_mov)
            put_columns(turn, how, row, rows, part);
        else
            put_rows(turn, how, row, rows, part);
    }
}

static inline void put(const struct matrix_turn *turn, const struct to_dst *how, unsigned count,
                       struct matrix_src from) {
    unsigned first = turn->row & ~(count - 1);
    if (BH_UNLIKELY(!how->put))
        return;
    if (BH_UNLIKELY(turn->x->vector.block_mov ||
                    (count == EIGHT_ROWS && CONFIG_GET(turn->config, DEST_ACCESS_CFG_swizzle_32b))))
        put_apart(turn, how, first, count, from);
    else
        put_rows(turn, how, stored_row(turn, first, how->wide), count, from);
}

static inline struct matrix_src rows_of(const struct src_bank *bank, unsigned row) {
    return (struct matrix_src){ bank->mantissa[row], bank->exponent[row] };
}

/* ---- MOVA2D -------------------------------------------------------------------------------------------- */

/* Returns the first row of SrcA. */
static inline unsigned a_to_dst(struct matrix_turn *turn, unsigned format) {
    unsigned count = turn->word & SEVERAL ? EIGHT_ROWS : ONE_ROW;
    unsigned row = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    struct to_dst how = to_dst(turn, format);
    put(turn, &how, count, rows_of(src_matrix_bank(&turn->x->src, SRC_A), row));
    return row;
}

void matrix_MOVA2D(struct matrix_turn *turn) {
    remember_a_row(turn, a_to_dst(turn, matrix_format_a(turn)));
}

/* ---- MOVB2D -------------------------------------------------------------------------------------------- */

/* With the first row in place of all, the first column, or both. */
static void put_spread(struct matrix_turn *turn, const struct to_dst *how, unsigned count, struct matrix_src from) {
    uint16_t mantissa[EIGHT_ROWS * ROW], exponent[EIGHT_ROWS * ROW];
    bool one_row = turn->word & ROW_TO_EIGHT, first_column = turn->word & COLUMN_0;
    kernels(turn)->spread(mantissa, from.mantissa, count, one_row, first_column);
    kernels(turn)->spread(exponent, from.exponent, count, one_row, first_column);
    put(turn, how, count, (struct matrix_src){ mantissa, exponent });
}

static inline void b_to_dst(struct matrix_turn *turn, unsigned format) {
    bool to_eight = turn->word & ROW_TO_EIGHT;
    unsigned rows = !to_eight && (turn->word & SEVERAL) ? FOUR_ROWS : ONE_ROW; /* of SrcB */
    unsigned row = (src_field(turn) + turn->rwc->src_b) & (SRC_ROWS - rows);
    struct to_dst how = to_dst(turn, format);
    if (turn->word & (ROW_TO_EIGHT | COLUMN_0))
        put_spread(turn, &how, to_eight ? EIGHT_ROWS : rows, rows_of(src_matrix_bank(&turn->x->src, SRC_B), row));
    else
        put(turn, &how, rows, rows_of(src_matrix_bank(&turn->x->src, SRC_B), row));
}

void matrix_MOVB2D(struct matrix_turn *turn) {
    b_to_dst(turn, matrix_format_moved_b(turn));
    remember_a_row(turn, turn->rwc->src_a);
}

/* ---- The same without waiting for the bank --------------------------------------------------------------- */

/* Does the bank imply a format that nobody has left with it? Then it is that of SFPU_DEST_FMT. */
static bool implies_nothing(const struct matrix_turn *turn, unsigned file) {
    const struct src *src = &turn->x->src;
    return !CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) &&
           src->allowed[file][src->matrix_bank[file]] != SRC_MATRIX;
}

void matrix_MOVDBGA2D(struct matrix_turn *turn) {
    a_to_dst(turn, implies_nothing(turn, SRC_A) ? CONFIG_GET(turn->own, SFPU_DEST_FMT_Base) : matrix_format_a(turn));
}

void matrix_MOVDBGB2D(struct matrix_turn *turn) {
    b_to_dst(turn,
             implies_nothing(turn, SRC_B) ? CONFIG_GET(turn->own, SFPU_DEST_FMT_Base) : matrix_format_moved_b(turn));
}

/* ---- MOVD2A, MOVD2B ------------------------------------------------------------------------------------- */

__attribute__((noinline)) static enum rows_layout unusual_layout(struct matrix_turn *turn, enum matrix_style style,
                                                                 unsigned format, bool wide) {
    bool low = turn->word & LOWER_HALF;
    if (low && !wide && !turn->x->dst.halves)
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "the lower halves of Dst, which has 16 bits");
    else if (matrix_forces_fp16(turn))
        return ROWS_FP16;
    else if (style == MATRIX_NO_STYLE)
        refuse_reserved(turn, format);
    else if (style != MATRIX_TF32)
        return style == MATRIX_FP16 ? ROWS_FP16 : ROWS_BF16;
    else if (wide)
        return low ? ROWS_REST : ROWS_TF32;
    else
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "TF32 from Dst, which has 16 bits");
    return ROWS_LAYOUTS;
}

/* As what data are moved from Dst. ROWS_LAYOUTS: the instruction has been refused. */
static inline enum rows_layout layout_of(struct matrix_turn *turn, unsigned format, bool wide) {
    enum matrix_style style = matrix_style(format);
    if (BH_LIKELY(!(turn->word & LOWER_HALF) && !CONFIG_GET(turn->own, FP16A_FORCE_Enable) &&
                  (style == MATRIX_BF16 || style == MATRIX_FP16)))
        return style == MATRIX_FP16 ? ROWS_FP16 : ROWS_BF16;
    return unusual_layout(turn, style, format, wide);
}

/* Rows of Dst, and of their lower halves, with zeros for those that are invalid. */
static void copy_valid(uint16_t (*to)[ROW], const struct dst *dst, unsigned row, unsigned count) {
    memset(to, 0, (DST_LOW + count) * sizeof to[0]);
    for (unsigned i = 0; i < count; i++) {
        if (dst_is_invalid(dst, row + i))
            continue;
        memcpy(to[i], dst->bits[row + i], sizeof to[i]);
        memcpy(to[i + DST_LOW], dst->bits[(row + i + DST_LOW) % DST_ROWS], sizeof to[i]);
    }
}

/* to: rows of Src; low: from the lower halves. */
static inline void get_rows(const struct matrix_turn *turn, struct src_bank *bank, unsigned to, unsigned row,
                            unsigned count, enum rows_layout layout, bool low) {
    const struct dst *dst = &turn->x->dst;
    uint16_t valid[DST_LOW + FOUR_ROWS][ROW];
    const uint16_t(*from)[ROW] = dst->bits + row;
    if (BH_UNLIKELY(dst->invalid[row / 32] >> row % 32 & ((1u << count) - 1))) {
        copy_valid(valid, dst, row, count);
        from = (const uint16_t(*)[ROW])valid;
    }
    kernels(turn)->get[layout](bank->mantissa[to], bank->exponent[to], from[low ? DST_LOW : 0], count);
}

__attribute__((noinline)) static void get_columns(const struct matrix_turn *turn, struct src_bank *bank, unsigned to,
                                                  unsigned row, unsigned count, enum rows_layout layout, bool low) {
    struct kept kept;
    keep(&kept, bank->mantissa + to, bank->exponent + to, count);
    get_rows(turn, bank, to, row, count, layout, low);
    put_back(&kept, bank->mantissa + to, bank->exponent + to, count, turn->x->vector.block_mov);
}

static inline void dst_to_src(struct matrix_turn *turn, unsigned file, unsigned format, unsigned to, unsigned count) {
    bool wide = config_is_wide(turn) && !CONFIG_GET(turn->own, FP16A_FORCE_Enable), low = turn->word & LOWER_HALF;
    unsigned row = stored_row(turn, turn->row & ~(count - 1), wide);
    enum rows_layout layout = layout_of(turn, format, wide);
    if (BH_UNLIKELY(layout == ROWS_LAYOUTS))
        return;
    if (BH_LIKELY(!turn->x->vector.block_mov))
        get_rows(turn, src_matrix_bank(&turn->x->src, file), to, row, count, layout, low);
    else
        get_columns(turn, src_matrix_bank(&turn->x->src, file), to, row, count, layout, low);
}

static inline unsigned rows_moved(const struct matrix_turn *turn) {
    return turn->word & SEVERAL ? FOUR_ROWS : ONE_ROW;
}

void matrix_MOVD2A(struct matrix_turn *turn) {
    unsigned count = rows_moved(turn), row = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    dst_to_src(turn, SRC_A, matrix_format_a(turn), row, count);
    remember_a_row(turn, row);
}

void matrix_MOVD2B(struct matrix_turn *turn) {
    unsigned count = rows_moved(turn), row = (src_field(turn) + turn->rwc->src_b) & (SRC_ROWS - count);
    dst_to_src(turn, SRC_B, matrix_format_moved_b(turn), row, count);
    remember_a_row(turn, turn->rwc->src_a);
}

/* ---- MOVB2A --------------------------------------------------------------------------------------------- */

static inline void b_to_a(const struct matrix_turn *turn, struct src_bank *a, unsigned to, unsigned from,
                          unsigned count) {
    const struct src_bank *b = src_matrix_bank(&turn->x->src, SRC_B);
    kernels(turn)->copy(a->mantissa[to], a->exponent[to], b->mantissa[from], b->exponent[from], count,
                        keep_denormals(turn));
}

void matrix_MOVB2A(struct matrix_turn *turn) {
    struct src_bank *a = src_matrix_bank(&turn->x->src, SRC_A);
    unsigned count = rows_moved(turn), to = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    unsigned from = (turn->word + turn->rwc->src_b) & (SRC_ROWS - count);
    if (BH_UNLIKELY(turn->x->vector.block_mov)) {
        struct kept kept;
        keep(&kept, a->mantissa + to, a->exponent + to, count);
        b_to_a(turn, a, to, from, count);
        put_back(&kept, a->mantissa + to, a->exponent + to, count, turn->x->vector.block_mov);
    } else {
        b_to_a(turn, a, to, from, count);
    }
    remember_a_row(turn, to);
}
