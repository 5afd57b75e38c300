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
#include <stddef.h>
#include <string.h>

#include "tensix/batch.h"
#include "tensix/matrix/format.h"

enum { ONE_ROW = 1, FOUR_ROWS = 4, EIGHT_ROWS = 8, ROW = SRC_COLUMNS };
enum { SEVERAL = 1 << 13, ROW_TO_EIGHT = 1 << 12, COLUMN_0 = 1 << 11, LOWER_HALF = 1 << 23 }; /* of the word */

MATRIX_INLINE const struct rows_kernels *kernels(const struct matrix_turn *turn) {
    return &turn->x->vector.lanes->rows;
}

MATRIX_INLINE unsigned src_field(const struct matrix_turn *turn) {
    return turn->word >> 17 & 0x3F;
}

/* Ones: denormals stay. */
MATRIX_INLINE uint16_t keep_denormals(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) ? 0xFFFF : 0;
}

MATRIX_INLINE bool config_is_wide(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled) ||
           CONFIG_GET(turn->config, ALU_ACC_CTRL_INT8_math_enabled);
}

MATRIX_INLINE unsigned stored_row(const struct matrix_turn *turn, unsigned row, bool wide) {
    return wide ? dst_row32(turn->config, row) : dst_row16(&turn->x->dst, turn->config, row);
}

MATRIX_INLINE struct matrix_src rows_of(const struct src_bank *bank, unsigned row) {
    return (struct matrix_src){ bank->mantissa[row], bank->exponent[row] };
}

/* Are all columns moved, of upper halves, by the format's rules? */
MATRIX_INLINE bool is_usual(const struct matrix_turn *turn) {
    return !((turn->word & LOWER_HALF) | turn->x->vector.block_mov | matrix_forces_fp16(turn));
}

static void refuse_reserved(struct matrix_turn *turn, unsigned format) {
    matrix_refuse(turn, BH_FAULT_UNDEFINED, "the format %u is reserved", format);
}

/* For SHIFTXA. */
MATRIX_INLINE void remember_a_row(struct matrix_turn *turn, unsigned row) {
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

MATRIX_INLINE rows_put *narrow(const struct matrix_turn *turn, enum matrix_style style) {
    return kernels(turn)->put[style == MATRIX_FP16 && !config_is_wide(turn) ? ROWS_FP16 : ROWS_BF16];
}

MATRIX_INLINE struct to_dst usual_to_dst(const struct matrix_turn *turn, enum matrix_style style) {
    if (style == MATRIX_TF32 || CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled))
        return (struct to_dst){ kernels(turn)->put[ROWS_TF32], true, false };
    return (struct to_dst){ narrow(turn, style), false, false };
}

/* How data of this format are moved to Dst. */
static struct to_dst to_dst(struct matrix_turn *turn, unsigned format) {
    bool low = turn->word & LOWER_HALF;
    enum matrix_style style = matrix_style(format);
    if (matrix_forces_fp16(turn))
        return (struct to_dst){ kernels(turn)->put[ROWS_FP16], low, low };
    if (style == MATRIX_NO_STYLE)
        refuse_reserved(turn, format);
    else if (!low)
        return usual_to_dst(turn, style);
    else if (style != MATRIX_TF32)
        return (struct to_dst){ narrow(turn, style), true, true };
    else
        matrix_refuse(turn, BH_FAULT_UNDEFINED,
                      "TF32 to the lower halves of Dst, which the hardware corrupts (erratum TEN-4245)");
    return (struct to_dst){ NULL, false, false };
}

/* Lower halves alone: upper halves of invalid rows have read as zero and are that from now on. */
static void zero_invalid(struct dst *dst, unsigned row, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (dst_is_invalid(dst, row + i))
            memset(dst->bits[row + i], 0, sizeof dst->bits[row + i]);
}

/* Rows that are neighbours: one, four, or eight that are aligned. */
MATRIX_INLINE void put_rows(const struct matrix_turn *turn, const struct to_dst *how, unsigned row, unsigned count,
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

/* Whatever is moved: rows four by four, or one. */
static void put_any(struct matrix_turn *turn, unsigned format, unsigned count, struct matrix_src from) {
    struct to_dst how = to_dst(turn, format);
    unsigned first = turn->row & ~(count - 1);
    for (unsigned i = 0; how.put && i < count; i += FOUR_ROWS) {
        unsigned row = stored_row(turn, first + i, how.wide), rows = count < FOUR_ROWS ? count : FOUR_ROWS;
        struct matrix_src part = { from.mantissa + i * ROW, from.exponent + i * ROW };
        if (turn->x->vector.block_mov)
            put_columns(turn, &how, row, rows, part);
        else
            put_rows(turn, &how, row, rows, part);
    }
}

/* ---- MOVA2D -------------------------------------------------------------------------------------------- */

/* False: it has been refused. */
__attribute__((noinline)) static bool any_a_to_dst(struct matrix_turn turn, unsigned format, unsigned row,
                                                   unsigned count) {
    put_any(&turn, format, count, rows_of(src_matrix_bank(&turn.x->src, SRC_A), row));
    return !turn.refused;
}

/* Only a swizzle separates two fours of eight rows. */
MATRIX_INLINE bool are_neighbours(const struct matrix_turn *turn, unsigned count) {
    return count != EIGHT_ROWS || !CONFIG_GET(turn->config, DEST_ACCESS_CFG_swizzle_32b);
}

/* Returns the first row of SrcA. */
MATRIX_INLINE unsigned a_to_dst(struct matrix_turn *turn, unsigned format) {
    unsigned count = turn->word & SEVERAL ? EIGHT_ROWS : ONE_ROW;
    unsigned row = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    enum matrix_style style = matrix_style(format);
    if (BH_UNLIKELY(!is_usual(turn) || style == MATRIX_NO_STYLE || !are_neighbours(turn, count))) {
        turn->refused = !any_a_to_dst(*turn, format, row, count);
        return row;
    }
    struct to_dst how = usual_to_dst(turn, style);
    unsigned to = stored_row(turn, turn->row & ~(count - 1), how.wide);
    put_rows(turn, &how, to, count, rows_of(src_matrix_bank(&turn->x->src, SRC_A), row));
    return row;
}

MATRIX_INLINE void matrix_MOVA2D(struct matrix_turn *turn) {
    remember_a_row(turn, a_to_dst(turn, matrix_format_a(turn)));
}
MATRIX_EXECUTE(MOVA2D)

/* ---- MOVB2D -------------------------------------------------------------------------------------------- */

/* Rows of SrcB to as many of Dst, or one to eight. */
MATRIX_INLINE unsigned rows_of_b(const struct matrix_turn *turn) {
    return !(turn->word & ROW_TO_EIGHT) && (turn->word & SEVERAL) ? FOUR_ROWS : ONE_ROW;
}

MATRIX_INLINE struct matrix_src moved_of_b(const struct matrix_turn *turn) {
    unsigned row = (src_field(turn) + turn->rwc->src_b) & (SRC_ROWS - rows_of_b(turn));
    return rows_of(src_matrix_bank(&turn->x->src, SRC_B), row);
}

/* Rows with the first of them in place of all, the first column, or both. */
struct spread {
    uint16_t mantissa[EIGHT_ROWS * ROW], exponent[EIGHT_ROWS * ROW];
};

static struct matrix_src spread(struct spread *to, const struct matrix_turn *turn, unsigned count) {
    bool one_row = turn->word & ROW_TO_EIGHT, first_column = turn->word & COLUMN_0;
    struct matrix_src from = moved_of_b(turn);
    kernels(turn)->spread(to->mantissa, from.mantissa, count, one_row, first_column);
    kernels(turn)->spread(to->exponent, from.exponent, count, one_row, first_column);
    return (struct matrix_src){ to->mantissa, to->exponent };
}

/* False: it has been refused. */
__attribute__((noinline)) static bool any_b_to_dst(struct matrix_turn turn, unsigned format) {
    struct spread rows;
    unsigned count = turn.word & ROW_TO_EIGHT ? EIGHT_ROWS : rows_of_b(&turn);
    put_any(&turn, format, count, spread(&rows, &turn, count));
    return !turn.refused;
}

/* The first row of eight of Dst to the others. */
MATRIX_INLINE void repeat_row(uint16_t (*rows)[ROW]) {
    for (unsigned i = 1; i < EIGHT_ROWS; i++)
        memcpy(rows[i], rows[0], sizeof rows[i]);
}

MATRIX_INLINE void row_to_eight(const struct matrix_turn *turn, const struct to_dst *how, struct matrix_src from) {
    struct dst *dst = &turn->x->dst;
    unsigned row = stored_row(turn, turn->row & ~7u, how->wide);
    put_rows(turn, how, row, ONE_ROW, from);
    repeat_row(dst->bits + row);
    if (how->wide)
        repeat_row(dst->bits + row + DST_LOW);
    dst_validate(dst, row, 0xFF);
}

/* False: it has been refused. */
__attribute__((noinline)) static bool spread_b_to_dst(struct matrix_turn turn, unsigned format) {
    struct spread rows;
    bool to_eight = turn.word & ROW_TO_EIGHT;
    enum matrix_style style = matrix_style(format);
    if (!is_usual(&turn) || style == MATRIX_NO_STYLE || !are_neighbours(&turn, to_eight ? EIGHT_ROWS : FOUR_ROWS))
        return any_b_to_dst(turn, format);
    struct to_dst how = usual_to_dst(&turn, style);
    unsigned count = rows_of_b(&turn);
    struct matrix_src from = turn.word & COLUMN_0 ? spread(&rows, &turn, count) : moved_of_b(&turn);
    if (to_eight)
        row_to_eight(&turn, &how, from);
    else
        put_rows(&turn, &how, stored_row(&turn, turn.row & ~(count - 1), how.wide), count, from);
    return true;
}

MATRIX_INLINE void b_to_dst(struct matrix_turn *turn, unsigned format) {
    enum matrix_style style = matrix_style(format);
    if (turn->word & (ROW_TO_EIGHT | COLUMN_0)) {
        turn->refused = !spread_b_to_dst(*turn, format);
    } else if (BH_UNLIKELY(!is_usual(turn) || style == MATRIX_NO_STYLE)) {
        turn->refused = !any_b_to_dst(*turn, format);
    } else {
        struct to_dst how = usual_to_dst(turn, style);
        unsigned count = rows_of_b(turn), row = stored_row(turn, turn->row & ~(count - 1), how.wide);
        put_rows(turn, &how, row, count, moved_of_b(turn));
    }
}

MATRIX_INLINE void matrix_MOVB2D(struct matrix_turn *turn) {
    b_to_dst(turn, matrix_format_moved_b(turn));
    remember_a_row(turn, turn->rwc->src_a);
}
MATRIX_EXECUTE(MOVB2D)

/* ---- The same without waiting for the bank --------------------------------------------------------------- */

/* Does the bank imply a format that nobody has left with it? Then it is that of SFPU_DEST_FMT. */
static bool implies_nothing(const struct matrix_turn *turn, unsigned file) {
    return !CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) && !matrix_owns(&turn->x->src, file);
}

static void matrix_MOVDBGA2D(struct matrix_turn *turn) {
    a_to_dst(turn, implies_nothing(turn, SRC_A) ? CONFIG_GET(turn->own, SFPU_DEST_FMT_Base) : matrix_format_a(turn));
}
MATRIX_EXECUTE(MOVDBGA2D)

static void matrix_MOVDBGB2D(struct matrix_turn *turn) {
    b_to_dst(turn,
             implies_nothing(turn, SRC_B) ? CONFIG_GET(turn->own, SFPU_DEST_FMT_Base) : matrix_format_moved_b(turn));
}
MATRIX_EXECUTE(MOVDBGB2D)

/* ---- MOVD2A, MOVD2B ------------------------------------------------------------------------------------- */

/* As what data are moved from Dst. ROWS_LAYOUTS: the instruction has been refused. */
static enum rows_layout layout_of(struct matrix_turn *turn, unsigned format, bool wide) {
    bool low = turn->word & LOWER_HALF;
    enum matrix_style style = matrix_style(format);
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

/* False: it has been refused. */
__attribute__((noinline)) static bool any_to_src(struct matrix_turn turn, unsigned file, unsigned format, unsigned to,
                                                 unsigned count) {
    struct kept kept;
    uint16_t valid[DST_LOW + FOUR_ROWS][ROW];
    struct src_bank *bank = src_matrix_bank(&turn.x->src, file);
    bool wide = config_is_wide(&turn) && !matrix_forces_fp16(&turn), low = turn.word & LOWER_HALF;
    enum rows_layout layout = layout_of(&turn, format, wide);
    if (layout == ROWS_LAYOUTS)
        return false;
    copy_valid(valid, &turn.x->dst, stored_row(&turn, turn.row & ~(count - 1), wide), count);
    keep(&kept, bank->mantissa + to, bank->exponent + to, count);
    kernels(&turn)->get[layout](bank->mantissa[to], bank->exponent[to], valid[low ? DST_LOW : 0], count);
    put_back(&kept, bank->mantissa + to, bank->exponent + to, count, turn.x->vector.block_mov);
    return true;
}

/* Can rows be read as this format says? */
MATRIX_INLINE bool format_known(unsigned format, bool wide) {
    return (FORMATS_LIKE_BF16 | FORMATS_LIKE_FP16) >> format & 1 || (format == FORMAT_TF32 && wide);
}

MATRIX_INLINE rows_get *kernel_of(const struct matrix_turn *turn, unsigned format) {
    unsigned shorter = FORMATS_LIKE_FP16 >> format & 1;
    return kernels(turn)->get[format == FORMAT_TF32 ? ROWS_TF32 : shorter];
}
_Static_assert(ROWS_BF16 == 0 && ROWS_FP16 == 1, "as `shorter`");

MATRIX_INLINE bool rows_invalid(const struct dst *dst, unsigned row, unsigned count) {
    return dst->invalid[row / 32] >> row % 32 & ((1u << count) - 1);
}

MATRIX_INLINE void dst_to_src(struct matrix_turn *turn, unsigned file, unsigned format, unsigned to, unsigned count) {
    const struct dst *dst = &turn->x->dst;
    bool wide = config_is_wide(turn);
    unsigned row = stored_row(turn, turn->row & ~(count - 1), wide);
    if (BH_UNLIKELY(!is_usual(turn) || !format_known(format, wide) || rows_invalid(dst, row, count))) {
        turn->refused = !any_to_src(*turn, file, format, to, count);
        return;
    }
    struct src_bank *bank = src_matrix_bank(&turn->x->src, file);
    kernel_of(turn, format)(bank->mantissa[to], bank->exponent[to], dst->bits[row], count);
}

MATRIX_INLINE unsigned rows_moved(const struct matrix_turn *turn) {
    return turn->word & SEVERAL ? FOUR_ROWS : ONE_ROW;
}

MATRIX_INLINE void matrix_MOVD2A(struct matrix_turn *turn) {
    unsigned count = rows_moved(turn), row = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    dst_to_src(turn, SRC_A, matrix_format_a(turn), row, count);
    remember_a_row(turn, row);
}
MATRIX_EXECUTE_ANY(MOVD2A)

/* Four rows of a usual word, which are valid or read as zero. from: where they are. */
MATRIX_INLINE void four_to_a(const struct matrix_turn *turn, rows_get *get, unsigned from, unsigned to) {
    struct src_bank *a = src_matrix_bank(&turn->x->src, SRC_A);
    const struct dst *dst = &turn->x->dst;
    if (BH_UNLIKELY(rows_invalid(dst, from, FOUR_ROWS)))
        any_to_src(*turn, SRC_A, matrix_format_a(turn), to, FOUR_ROWS);
    else
        get(a->mantissa[to], a->exponent[to], dst->bits[from], FOUR_ROWS);
}

/* The row that begins with a usual word. */
__attribute__((noinline)) static uint64_t row_of_MOVD2A(struct tensix *x, unsigned thread, uint32_t word,
                                                        uint64_t now) {
    const uint32_t same = UINT32_C(0xFF) << 24 | LOWER_HALF | 7 << 14 | SEVERAL;
    const struct matrix_way way = MATRIX_WAY(MOVD2A);
    struct matrix_turn turn = matrix_turn(x, thread, word, now);
    struct batch_row row = batch_row(x, now);
    unsigned base_a = turn.rwc->src_a, base = matrix_dst_row(&turn) - (word & 0x3FF), to; /* which stay */
    bool wide = config_is_wide(&turn);
    rows_get *get = kernel_of(&turn, matrix_format_a(&turn));
    do {
        to = (src_field(&turn) + base_a) & (SRC_ROWS - FOUR_ROWS);
        turn.row = (turn.word + base) & (DST_ROWS - 1);
        four_to_a(&turn, get, stored_row(&turn, turn.row & ~(FOUR_ROWS - 1u), wide), to);
    } while (batch_row_next(&row, &turn.word, same));
    turn.now = row.now;
    remember_a_row(&turn, to);
    matrix_settle(&turn, &way);
    return batch_row_end(x, &row, now);
}

/* All columns of four rows, which nothing in Dst holds, and counters that stay: a case apart. */
uint64_t execute_MOVD2A(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const struct matrix_way way = MATRIX_WAY(MOVD2A);
    struct matrix_turn turn = matrix_turn(x, thread, word, now);
    unsigned format = matrix_format_a(&turn), to = (src_field(&turn) + turn.rwc->src_a) & (SRC_ROWS - FOUR_ROWS);
    bool wide = config_is_wide(&turn);
    if (BH_UNLIKELY(!(word & SEVERAL) || now < x->matrix.settled_at || (x->held & SRC_HELD) || matrix_advances(&turn) ||
                    !is_usual(&turn) || !format_known(format, wide) || !matrix_takes(x, now, &way)))
        return any_MOVD2A(x, thread, word, now);
    if (matrix_makes_rows(x, &way))
        return row_of_MOVD2A(x, thread, word, now);
    turn.row = matrix_dst_row(&turn);
    remember_a_row(&turn, to);
    matrix_settle(&turn, &way);
    four_to_a(&turn, kernel_of(&turn, format), stored_row(&turn, turn.row & ~(FOUR_ROWS - 1u), wide), to);
    return TENSIX_PASSED;
}

MATRIX_INLINE void matrix_MOVD2B(struct matrix_turn *turn) {
    unsigned count = rows_moved(turn), row = (src_field(turn) + turn->rwc->src_b) & (SRC_ROWS - count);
    dst_to_src(turn, SRC_B, matrix_format_moved_b(turn), row, count);
    remember_a_row(turn, turn->rwc->src_a);
}
MATRIX_EXECUTE(MOVD2B)

/* ---- MOVB2A --------------------------------------------------------------------------------------------- */

_Static_assert(offsetof(struct src_bank, exponent) == ROWS_PLANE * sizeof(uint16_t), "as the kernels have it");

MATRIX_INLINE rows_copy *copy_of_src(const struct matrix_turn *turn) {
    return kernels(turn)->copy[CONFIG_GET(turn->config, ALU_ACC_CTRL_Zero_Flag_disabled_src)];
}

/* The first of `count` rows. */
MATRIX_INLINE unsigned row_in_a(const struct matrix_turn *turn, unsigned count) {
    return (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
}

MATRIX_INLINE unsigned row_in_b(const struct matrix_turn *turn, unsigned count) {
    return (turn->word + turn->rwc->src_b) & (SRC_ROWS - count);
}

static void matrix_MOVB2A(struct matrix_turn *turn) {
    struct kept kept;
    struct src_bank *a = src_matrix_bank(&turn->x->src, SRC_A), *b = src_matrix_bank(&turn->x->src, SRC_B);
    unsigned count = rows_moved(turn), to = row_in_a(turn, count);
    keep(&kept, a->mantissa + to, a->exponent + to, count);
    copy_of_src(turn)(a->mantissa[to], b->mantissa[row_in_b(turn, count)], count);
    put_back(&kept, a->mantissa + to, a->exponent + to, count, turn->x->vector.block_mov);
    remember_a_row(turn, to);
}
MATRIX_EXECUTE_ANY(MOVB2A)

/* The row that begins with a usual word. */
__attribute__((noinline)) static uint64_t row_of_MOVB2A(struct tensix *x, unsigned thread, uint32_t word,
                                                        uint64_t now) {
    const uint32_t same = UINT32_C(0xFF) << 24 | 7 << 14 | SEVERAL;
    const struct matrix_way way = MATRIX_WAY(MOVB2A);
    struct matrix_turn turn = matrix_turn(x, thread, word, now);
    struct batch_row row = batch_row(x, now);
    struct src_bank *a = src_matrix_bank(&x->src, SRC_A), *b = src_matrix_bank(&x->src, SRC_B);
    rows_copy *copy = copy_of_src(&turn);
    const uint32_t both = (SRC_ROWS - 1) << 17 | (SRC_ROWS - 1);
    uint32_t counters = (uint32_t)turn.rwc->src_a << 17 | turn.rwc->src_b, at; /* which stay */
    __asm__("" : "+r"(a), "+r"(b)); /* they are kept, not computed anew each time */
    do {
        at = (turn.word & both) + counters;
        copy(a->mantissa[at >> 17 & (SRC_ROWS - FOUR_ROWS)], b->mantissa[at & (SRC_ROWS - FOUR_ROWS)], FOUR_ROWS);
    } while (batch_row_next(&row, &turn.word, same));
    unsigned to = at >> 17 & (SRC_ROWS - FOUR_ROWS);
    turn.now = row.now;
    remember_a_row(&turn, to);
    matrix_settle(&turn, &way);
    return batch_row_end(x, &row, now);
}

/* All columns of four rows and counters that stay: a case apart, which keeps nothing beyond the move. */
uint64_t execute_MOVB2A(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const struct matrix_way way = MATRIX_WAY(MOVB2A);
    struct matrix_turn turn = matrix_turn(x, thread, word, now);
    if (BH_UNLIKELY(!(word & SEVERAL) || x->vector.block_mov || (x->held & SRC_HELD) || matrix_advances(&turn) ||
                    !matrix_takes(x, now, &way)))
        return any_MOVB2A(x, thread, word, now);
    if (matrix_makes_rows(x, &way))
        return row_of_MOVB2A(x, thread, word, now);
    struct src_bank *a = src_matrix_bank(&x->src, SRC_A), *b = src_matrix_bank(&x->src, SRC_B);
    unsigned to = row_in_a(&turn, FOUR_ROWS), from = row_in_b(&turn, FOUR_ROWS);
    rows_copy *copy = copy_of_src(&turn);
    remember_a_row(&turn, to);
    matrix_settle(&turn, &way);
    return copy(a->mantissa[to], b->mantissa[from], FOUR_ROWS);
}
