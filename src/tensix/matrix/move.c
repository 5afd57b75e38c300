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
#include "numeric/matrix/move.h"
#include "tensix/tensix.h"

enum { ONE_ROW = 1, FOUR_ROWS = 4, EIGHT_ROWS = 8 };
enum { SEVERAL = 1 << 13, ROW_TO_EIGHT = 1 << 12, COLUMN_0 = 1 << 11, LOWER_HALF = 1 << 23 }; /* of the word */

static struct src_bank *bank_of(const struct matrix_turn *turn, unsigned file) {
    struct src *src = &turn->x->src;
    return &src->bank[file][src->matrix_bank[file]];
}

static unsigned src_field(const struct matrix_turn *turn) {
    return turn->word >> 17 & 0x3F;
}

static void refuse_reserved(struct matrix_turn *turn, unsigned format) {
    matrix_refuse(turn, BH_FAULT_UNDEFINED, "the format %u is reserved", format);
}

static inline bool config_is_wide(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled) ||
           CONFIG_GET(turn->config, ALU_ACC_CTRL_INT8_math_enabled);
}

/* ---- Columns that stay -------------------------------------------------------------------------------- */

/* The rows as they were, to put the columns of a mask back. */
struct kept {
    unsigned columns;
    uint16_t row[2][EIGHT_ROWS][MATRIX_ROW];
};

static void restore_columns(uint16_t *row, const uint16_t *old, unsigned columns) {
    for (; columns; columns &= columns - 1)
        row[__builtin_ctz(columns)] = old[__builtin_ctz(columns)];
}

static void keep_src(struct kept *kept, const struct src_bank *bank, unsigned row, unsigned count, unsigned columns) {
    kept->columns = columns;
    memcpy(kept->row[0], bank->mantissa[row], count * sizeof kept->row[0][0]);
    memcpy(kept->row[1], bank->exponent[row], count * sizeof kept->row[1][0]);
}

static void restore_src(const struct kept *kept, struct src_bank *bank, unsigned row, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        restore_columns(bank->mantissa[row + i], kept->row[0][i], kept->columns);
        restore_columns(bank->exponent[row + i], kept->row[1][i], kept->columns);
    }
}

/* ---- To Dst ---------------------------------------------------------------------------------------------- */

enum to_dst { TO_BF16, TO_FP16, TO_TF32, TO_LOW_BF16, TO_LOW_FP16, TO_NOTHING };

__attribute__((noinline)) static enum to_dst unusual_to_dst(struct matrix_turn *turn, unsigned format) {
    if (matrix_forces_fp16(turn))
        return turn->word & LOWER_HALF ? TO_LOW_FP16 : TO_FP16;
    switch ((unsigned)matrix_style(format)) {
    case MATRIX_NO_STYLE: refuse_reserved(turn, format); return TO_NOTHING;
    case MATRIX_TF32:
        matrix_refuse(turn, BH_FAULT_UNDEFINED,
                      "TF32 to the lower halves of Dst, which the hardware corrupts (erratum TEN-4245)");
        return TO_NOTHING;
    case MATRIX_FP16: return config_is_wide(turn) ? TO_LOW_BF16 : TO_LOW_FP16;
    default: return TO_LOW_BF16;
    }
}

/* How a datum of this format is moved to Dst. TO_NOTHING: it is not, and the instruction has been refused. */
static inline enum to_dst to_dst(struct matrix_turn *turn, unsigned format) {
    enum matrix_style style = matrix_style(format);
    if (BH_UNLIKELY((turn->word & LOWER_HALF) || CONFIG_GET(turn->own, FP16A_FORCE_Enable) || style == MATRIX_NO_STYLE))
        return unusual_to_dst(turn, format);
    if (style == MATRIX_TF32 || CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled))
        return TO_TF32;
    return style == MATRIX_FP16 && !config_is_wide(turn) ? TO_FP16 : TO_BF16;
}

/* What is moved to Dst: rows of Src, `step` data apart. */
struct from_src {
    const uint16_t *mantissa, *exponent;
    unsigned step;
    uint16_t keep; /* ones: denormals stay */
};

MATRIX_INLINE matrix_eight upper(enum to_dst how, matrix_eight m, matrix_eight e, uint16_t keep) {
    return how == TO_FP16 || how == TO_LOW_FP16 ? matrix_to_fp16(m, e, keep) : matrix_to_bf16(m, e, keep);
}

/* Rows that are neighbours in Dst: one, four, or eight that are aligned. */
MATRIX_INLINE void put_rows(struct dst *dst, unsigned row, unsigned count, struct from_src from, enum to_dst how) {
    uint16_t(*to)[DST_COLUMNS] = dst->bits + row + (how == TO_LOW_BF16 || how == TO_LOW_FP16 ? DST_LOW : 0);
    for (unsigned i = 0; i < count; i++, from.mantissa += from.step, from.exponent += from.step) {
        for (unsigned j = 0; j < MATRIX_ROW; j += MATRIX_HALF_ROW) {
            matrix_eight m = matrix_eight_get(from.mantissa + j), e = matrix_eight_get(from.exponent + j);
            matrix_eight_put(to[i] + j, upper(how, m, e, from.keep));
            if (how == TO_TF32)
                matrix_eight_put(to[i + DST_LOW] + j, matrix_to_low(m, e, from.keep));
        }
    }
}

/* Lower halves alone: upper halves of invalid rows have read as zero and are that from now on. */
static void zero_invalid(struct dst *dst, unsigned row, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (dst_is_invalid(dst, row + i))
            memset(dst->bits[row + i], 0, sizeof dst->bits[row + i]);
}

MATRIX_INLINE void put_group(struct dst *dst, unsigned row, unsigned count, struct from_src from, enum to_dst how) {
    if (BH_LIKELY(how == TO_BF16)) {
        put_rows(dst, row, count, from, TO_BF16);
    } else if (how == TO_FP16) {
        put_rows(dst, row, count, from, TO_FP16);
    } else if (how == TO_TF32) {
        put_rows(dst, row, count, from, TO_TF32);
    } else {
        zero_invalid(dst, row, count);
        if (how == TO_LOW_BF16)
            put_rows(dst, row, count, from, TO_LOW_BF16);
        else
            put_rows(dst, row, count, from, TO_LOW_FP16);
    }
    dst->invalid[row / 32] &= ~(((UINT32_C(1) << count) - 1) << row % 32);
    dst_touch(dst, row);
}

__attribute__((noinline)) static void put_columns(struct dst *dst, unsigned row, unsigned count, struct from_src from,
                                                  enum to_dst how, unsigned blocked) {
    struct kept kept;
    bool low = how != TO_BF16 && how != TO_FP16;
    if (blocked == 0xFFFF)
        return;
    memcpy(kept.row[0], dst->bits[row], count * sizeof kept.row[0][0]);
    if (low)
        memcpy(kept.row[1], dst->bits[row + DST_LOW], count * sizeof kept.row[1][0]);
    put_group(dst, row, count, from, how);
    for (unsigned i = 0; i < count; i++) {
        restore_columns(dst->bits[row + i], kept.row[0][i], blocked);
        if (low)
            restore_columns(dst->bits[row + i + DST_LOW], kept.row[1][i], blocked);
    }
}

static inline unsigned stored_row(const struct matrix_turn *turn, unsigned row, bool wide) {
    return wide ? dst_row32(turn->config, row) : dst_row16(&turn->x->dst, turn->config, row);
}

MATRIX_INLINE void put_some(const struct matrix_turn *turn, unsigned row, unsigned count, struct from_src from,
                            enum to_dst how) {
    if (BH_LIKELY(!turn->x->vector.block_mov))
        put_group(&turn->x->dst, row, count, from, how);
    else
        put_columns(&turn->x->dst, row, count, from, how, turn->x->vector.block_mov);
}

/* Each four of eight rows are neighbours. */
__attribute__((noinline)) static void put_fours(const struct matrix_turn *turn, const unsigned row[2],
                                                struct from_src from, enum to_dst how) {
    for (unsigned i = 0; i < 2; i++) {
        put_some(turn, row[i], FOUR_ROWS, from, how);
        from.mantissa += FOUR_ROWS * from.step;
        from.exponent += FOUR_ROWS * from.step;
    }
}

MATRIX_INLINE void put(const struct matrix_turn *turn, unsigned count, struct from_src from, enum to_dst how) {
    unsigned first = turn->row & ~(count - 1);
    bool wide = how >= TO_TF32;
    unsigned row[2] = { stored_row(turn, first, wide) };
    if (BH_UNLIKELY(how == TO_NOTHING))
        return;
    if (count == EIGHT_ROWS && (row[1] = stored_row(turn, first + FOUR_ROWS, wide)) != row[0] + FOUR_ROWS)
        put_fours(turn, row, from, how);
    else
        put_some(turn, row[0], count, from, how);
}

static inline struct from_src rows_of(const struct matrix_turn *turn, unsigned file, unsigned row) {
    const struct src_bank *bank = bank_of(turn, file);
    return (struct from_src){
        .mantissa = bank->mantissa[row],
        .exponent = bank->exponent[row],
        .step = MATRIX_ROW,
        .keep = CONFIG_GET(turn->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) ? 0xFFFF : 0,
    };
}

/* ---- MOVA2D -------------------------------------------------------------------------------------------- */

static void remember_a_row(struct matrix_turn *turn, unsigned row) {
    if (!turn->refused)
        turn->x->matrix.last_a_row = (uint8_t)row;
}

static inline unsigned a_to_dst(struct matrix_turn *turn, unsigned format) {
    unsigned count = turn->word & SEVERAL ? EIGHT_ROWS : ONE_ROW;
    unsigned row = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    struct from_src from = rows_of(turn, SRC_A, row);
    put(turn, count, from, to_dst(turn, format));
    return row;
}

void matrix_MOVA2D(struct matrix_turn *turn) {
    remember_a_row(turn, a_to_dst(turn, matrix_format_a(turn)));
}

/* ---- MOVB2D -------------------------------------------------------------------------------------------- */

/* Four rows, or one, with the first column's data in all of them. */
struct staged {
    uint16_t mantissa[FOUR_ROWS][MATRIX_ROW], exponent[FOUR_ROWS][MATRIX_ROW];
};

static void spread_column(struct from_src *from, struct staged *staged, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        matrix_eight m = (matrix_eight){ 0 } + from->mantissa[i * from->step];
        matrix_eight e = (matrix_eight){ 0 } + from->exponent[i * from->step];
        for (unsigned j = 0; j < MATRIX_ROW; j += MATRIX_HALF_ROW) {
            matrix_eight_put(staged->mantissa[i] + j, m);
            matrix_eight_put(staged->exponent[i] + j, e);
        }
    }
    from->mantissa = staged->mantissa[0];
    from->exponent = staged->exponent[0];
}

static inline void b_to_dst(struct matrix_turn *turn, unsigned format) {
    bool to_eight = turn->word & ROW_TO_EIGHT;
    unsigned rows = !to_eight && (turn->word & SEVERAL) ? FOUR_ROWS : ONE_ROW; /* of SrcB */
    struct from_src from = rows_of(turn, SRC_B, (src_field(turn) + turn->rwc->src_b) & (SRC_ROWS - rows));
    struct staged staged;
    if (turn->word & COLUMN_0)
        spread_column(&from, &staged, rows);
    if (to_eight)
        from.step = 0;
    put(turn, to_eight ? EIGHT_ROWS : rows, from, to_dst(turn, format));
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

/* FROM_REST: what TF32 leaves off. */
enum from_dst { FROM_BF16, FROM_FP16, FROM_TF32, FROM_REST, FROM_NOTHING };

__attribute__((noinline)) static enum from_dst unusual_from_dst(struct matrix_turn *turn, enum matrix_style style,
                                                                unsigned format, bool wide) {
    bool low = turn->word & LOWER_HALF;
    if (low && !wide && !turn->x->dst.halves)
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "the lower halves of Dst, which has 16 bits");
    else if (matrix_forces_fp16(turn))
        return FROM_FP16;
    else if (style == MATRIX_NO_STYLE)
        refuse_reserved(turn, format);
    else if (style != MATRIX_TF32)
        return style == MATRIX_FP16 ? FROM_FP16 : FROM_BF16;
    else if (wide)
        return low ? FROM_REST : FROM_TF32;
    else
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "TF32 from Dst, which has 16 bits");
    return FROM_NOTHING;
}

static inline enum from_dst from_dst(struct matrix_turn *turn, unsigned format, bool wide) {
    enum matrix_style style = matrix_style(format);
    if (BH_LIKELY(!(turn->word & LOWER_HALF) && !CONFIG_GET(turn->own, FP16A_FORCE_Enable) &&
                  (style == MATRIX_BF16 || style == MATRIX_FP16)))
        return style == MATRIX_FP16 ? FROM_FP16 : FROM_BF16;
    return unusual_from_dst(turn, style, format, wide);
}

static const uint16_t zeros[MATRIX_ROW];

/* low: of the lower halves instead of the upper ones. */
MATRIX_INLINE void get_rows(struct src_bank *bank, unsigned to, const struct dst *dst, unsigned row, unsigned count,
                            enum from_dst how, bool low) {
    uint32_t invalids = dst->invalid[row / 32] >> row % 32;
    for (unsigned i = 0; i < count; i++) {
        bool invalid = invalids >> i & 1;
        const uint16_t *high = invalid ? zeros : dst->bits[row + i + (low ? DST_LOW : 0)];
        const uint16_t *rest = invalid || how != FROM_TF32 ? zeros : dst->bits[row + i + DST_LOW];
        for (unsigned j = 0; j < MATRIX_ROW; j += MATRIX_HALF_ROW) {
            matrix_eight d = matrix_eight_get(high + j);
            matrix_eight m = how == FROM_BF16   ? matrix_from_bf16(d)
                             : how == FROM_FP16 ? matrix_from_fp16(d)
                             : how == FROM_TF32 ? matrix_from_tf32(d, matrix_eight_get(rest + j))
                                                : matrix_from_rest(d);
            matrix_eight_put(bank->mantissa[to + i] + j, m);
            matrix_eight_put(bank->exponent[to + i] + j, d & (uint16_t)(how == FROM_FP16 ? 0x1F : 0xFF));
        }
    }
}

static inline void get(struct src_bank *bank, unsigned to, const struct dst *dst, unsigned row, unsigned count,
                       enum from_dst how, bool low) {
    if (BH_LIKELY(how == FROM_BF16))
        get_rows(bank, to, dst, row, count, FROM_BF16, low);
    else if (how == FROM_FP16)
        get_rows(bank, to, dst, row, count, FROM_FP16, low);
    else if (how == FROM_TF32)
        get_rows(bank, to, dst, row, count, FROM_TF32, false);
    else if (how == FROM_REST)
        get_rows(bank, to, dst, row, count, FROM_REST, true);
}

__attribute__((noinline)) static void get_columns(struct src_bank *bank, unsigned to, const struct dst *dst,
                                                  unsigned row, unsigned count, enum from_dst how, bool low,
                                                  unsigned blocked) {
    struct kept kept;
    keep_src(&kept, bank, to, count, blocked);
    get(bank, to, dst, row, count, how, low);
    restore_src(&kept, bank, to, count);
}

static inline void dst_to_src(struct matrix_turn *turn, unsigned file, unsigned format, unsigned to, unsigned count) {
    bool wide = config_is_wide(turn) && !CONFIG_GET(turn->own, FP16A_FORCE_Enable), low = turn->word & LOWER_HALF;
    const struct dst *dst = &turn->x->dst;
    unsigned row = stored_row(turn, turn->row & ~(count - 1), wide), blocked = turn->x->vector.block_mov;
    enum from_dst how = from_dst(turn, format, wide);
    if (BH_LIKELY(!blocked))
        get(bank_of(turn, file), to, dst, row, count, how, low);
    else
        get_columns(bank_of(turn, file), to, dst, row, count, how, low, blocked);
}

static unsigned rows_moved(const struct matrix_turn *turn) {
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

static void b_to_a(struct src_bank *a, unsigned to, const struct from_src *from, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < MATRIX_ROW; j += MATRIX_HALF_ROW) {
            matrix_eight m = matrix_eight_get(from->mantissa + i * from->step + j);
            matrix_eight e = matrix_eight_get(from->exponent + i * from->step + j);
            matrix_eight_put(a->mantissa[to + i] + j, m & matrix_stays(e, from->keep));
            matrix_eight_put(a->exponent[to + i] + j, e);
        }
    }
}

__attribute__((noinline)) static void b_to_a_columns(struct src_bank *a, unsigned to, const struct from_src *from,
                                                     unsigned count, unsigned blocked) {
    struct kept kept;
    keep_src(&kept, a, to, count, blocked);
    b_to_a(a, to, from, count);
    restore_src(&kept, a, to, count);
}

void matrix_MOVB2A(struct matrix_turn *turn) {
    unsigned blocked = turn->x->vector.block_mov;
    unsigned count = rows_moved(turn), row = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    struct from_src from = rows_of(turn, SRC_B, (turn->word + turn->rwc->src_b) & (SRC_ROWS - count));
    if (BH_LIKELY(!blocked))
        b_to_a(bank_of(turn, SRC_A), row, &from, count);
    else
        b_to_a_columns(bank_of(turn, SRC_A), row, &from, count, blocked);
    remember_a_row(turn, row);
}
