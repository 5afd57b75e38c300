/* Moves of rows between SrcA, SrcB and Dst: MOVA2D, MOVB2D, MOVDBGA2D, MOVDBGB2D, MOVD2A, MOVD2B, MOVB2A.
 *
 * The format decides whether exponents have five or eight bits; with TF32, moves to Dst use Dst as 32 bits. With
 * ALU_ACC_CTRL_Fp32_enabled all moves to Dst are TF32; with INT8_math_enabled exponents have eight bits. BLOCK_DEST_MOV
 * of LaneConfig protects columns of the destination.
 *
 * Inexact: a move to Dst makes exactly the rows valid that it writes. The hardware looks at ALU_ACC_CTRL alone, so it
 * makes other rows valid if the move has 32 bits and ALU_ACC_CTRL does not say so. A move of the lower half of TF32
 * (erratum TEN-4245) faults if the format is TF32, and works if only Fp32_enabled selects TF32, as in the official
 * simulator. With bit 11 of DBG_FEATURE_DISABLE, moves of lower halves of 16-bit formats move the lower halves of 32
 * bits; tt-llk uses this. Assumed: the row of SrcA that MOVB2D and MOVD2B leave for SHIFTXA is the counter alone.
 *
 * Sources: MOVA2D.md, MOVB2D.md, MOVD2A.md, MOVD2B.md, MOVB2A.md, MOVDBGA2D.md, MatrixUnit.md (WH, with their Blackhole
 * branches), tt-llk's assembly.yaml for MOVDBGB2D. */
#include <stddef.h>
#include <string.h>

#include "tensix/batch.h"
#include "tensix/matrix/format.h"

enum { ONE_ROW = 1, FOUR_ROWS = 4, EIGHT_ROWS = 8, ROW = SRC_COLUMNS };
enum { SEVERAL = 1 << 13, ROW_TO_EIGHT = 1 << 12, COLUMN_0 = 1 << 11, LOWER_HALF = 1 << 23 }; /* bits of the word */

MATRIX_INLINE const struct rows_kernels *kernels(const struct matrix_turn *turn) {
    return &turn->x->vector.lanes->rows;
}

MATRIX_INLINE unsigned src_field(const struct matrix_turn *turn) {
    return turn->word >> 17 & 0x3F;
}

/* Returns all ones if the configuration keeps denormals, 0 if it flushes them. */
static uint16_t keep_denormals(const struct matrix_turn *turn) {
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

/* ---- Plans ----------------------------------------------------------------------------------------------- */

/* The bits of the word that a plan depends on. It also depends on the format that the bank of a file implies; SRC_FILES
 * stands for no file. */
enum { PLAN_BITS = LOWER_HALF | 7 << 14 | SEVERAL | ROW_TO_EIGHT };

/* Works out the plan for moves like this word, and stores it with the key `of`. */
typedef void prepare_function(struct tensix *x, unsigned thread, uint32_t word, struct plan of);

MATRIX_INLINE struct plan plan_for(const struct matrix_turn *turn, unsigned file) {
    uint64_t key = turn->thread | (turn->word & PLAN_BITS);
    if (file != SRC_FILES)
        key |= matrix_implied(turn, file) << 2;
    return (struct plan){ turn->x->config.version, key };
}

MATRIX_INLINE bool has_plan(const struct matrix_turn *turn, enum matrix_move move, unsigned file) {
    struct plan of = plan_for(turn, file);
    return BH_LIKELY(plan_holds(&turn->x->plans.matrix[move].of, of.version, of.key));
}

MATRIX_INLINE const struct matrix_plan *plan_of(const struct matrix_turn *turn, enum matrix_move move, unsigned file,
                                                prepare_function *prepare) {
    if (!has_plan(turn, move, file))
        prepare(turn->x, turn->thread, turn->word, plan_for(turn, file));
    return &turn->x->plans.matrix[move];
}

/* Returns whether the move has no special feature: it moves all columns, upper halves, by the rules of the format. */
static bool is_plain(const struct matrix_turn *turn) {
    return !((turn->word & LOWER_HALF) | turn->x->vector.block_mov | matrix_forces_fp16(turn));
}

/* Returns whether the move can be one of many by the same plan: it moves four rows, leaves the counters alone and has
 * nothing to clear. */
static bool is_one_of_many(const struct matrix_turn *turn) {
    return (turn->word & SEVERAL) && !turn->x->vector.block_mov && !(turn->x->held & SRC_HELD) &&
           !matrix_advances(turn);
}

static void refuse_reserved(struct matrix_turn *turn, unsigned format) {
    matrix_refuse(turn, BH_FAULT_UNDEFINED, "the format %u is reserved", format);
}

/* Records the row of SrcA for a later SHIFTXA. */
MATRIX_INLINE void remember_a_row(struct matrix_turn *turn, unsigned row) {
    if (BH_LIKELY(!turn->refused))
        turn->x->matrix.last_a_row = (uint8_t)row;
}

/* ---- Many moves by one plan (matrix_plan.many) --------------------------------------------------------- */

/* Values that none of the moves changes, read before the first move. */
struct many {
    struct src_bank *a, *b;
    unsigned src_a, src_b; /* the counters of the thread */
    struct matrix_plan plan;
};

MATRIX_INLINE struct many many(const struct matrix_turn *turn, const struct matrix_plan *plan) {
    const struct src *src = &turn->x->src;
    return (struct many){ src_matrix_bank(src, SRC_A), src_matrix_bank(src, SRC_B), turn->rwc->src_a, turn->rwc->src_b,
                          *plan };
}

/* Moves four rows to SrcA, to row `to` and the next three. Returns TENSIX_PASSED. */
typedef uint64_t step_function(const struct matrix_turn *turn, const struct many *many, unsigned to);

MATRIX_INLINE unsigned four_of_a(const struct matrix_turn *turn, const struct many *many) {
    return (src_field(turn) + many->src_a) & (SRC_ROWS - FOUR_ROWS);
}

MATRIX_INLINE void settle_many(const struct matrix_turn *turn, const struct matrix_traits *traits, unsigned to) {
    turn->x->matrix.last_a_row = (uint8_t)to;
    matrix_note_effects(turn, traits);
}

/* Runs the move and the following moves of the batch with the same plan. Counters stay. */
MATRIX_INLINE uint64_t run_many(struct matrix_turn *turn, const struct matrix_traits *traits,
                                const struct matrix_plan *plan, step_function *step) {
    const uint32_t same = UINT32_C(0xFF) << 24 | PLAN_BITS, base = matrix_dst_row(turn) - (turn->word & 0x3FF);
    const uint64_t now = turn->now;
    const struct many all = many(turn, plan);
    struct batch_row row = batch_row(turn->x, now);
    unsigned to;
    do {
        turn->row = (turn->word + base) & (DST_ROWS - 1);
        to = four_of_a(turn, &all);
        step(turn, &all, to);
    } while (batch_row_next(&row, &turn->word, same));
    turn->now = row.now;
    settle_many(turn, traits, to);
    return batch_row_end(turn->x, &row, now);
}

/* Generates execute_<name> for a move. If its plan allows many, the fast path runs the move, by itself or with others
 * of its batch. */
#define EXECUTE_MANY(name, move, file, step) \
    __attribute__((noinline)) static uint64_t many_##name(struct tensix *x, unsigned thread, uint32_t word, \
                                                          uint64_t now) { \
        const struct matrix_traits traits = MATRIX_TRAITS(name); \
        struct matrix_turn turn = matrix_turn(x, thread, word, now); \
        return run_many(&turn, &traits, &x->plans.matrix[move], step); \
    } \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        const struct matrix_traits traits = MATRIX_TRAITS(name); \
        struct matrix_turn turn = matrix_turn(x, thread, word, now); \
        const struct matrix_plan *plan = &x->plans.matrix[move]; \
        if (BH_UNLIKELY(!has_plan(&turn, move, file) || !plan->many || !matrix_takes(x, now, &traits) || \
                        (traits.dst == DST_READS && now < x->matrix.dst_ready_at))) \
            return any_##name(x, thread, word, now); \
        if (matrix_makes_rows(x, &traits)) \
            return many_##name(x, thread, word, now); \
        if (traits.dst == DST_READS) \
            turn.row = matrix_dst_row(&turn); \
        const struct many one = many(&turn, plan); \
        settle_many(&turn, &traits, four_of_a(&turn, &one)); \
        return step(&turn, &one, four_of_a(&turn, &one)); \
    }

/* ---- Columns that stay -------------------------------------------------------------------------------- */

/* The old contents of rows of Dst (both halves) or of Src (mantissas and exponents). */
struct kept {
    uint16_t row[2][FOUR_ROWS][ROW];
};

static void keep(struct kept *kept, uint16_t (*first)[ROW], uint16_t (*second)[ROW], unsigned count) {
    memcpy(kept->row[0], first, count * sizeof kept->row[0][0]);
    memcpy(kept->row[1], second, count * sizeof kept->row[1][0]);
}

/* Restores the columns in the mask `columns`. */
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
    bool wide;     /* the move uses Dst as 32 bits */
    bool low;      /* the move writes only the lower halves */
};

static rows_put *narrow(const struct matrix_turn *turn, enum matrix_style style) {
    return kernels(turn)->put[style == MATRIX_FP16 && !config_is_wide(turn) ? ROWS_FP16 : ROWS_BF16];
}

static struct to_dst plain_to_dst(const struct matrix_turn *turn, enum matrix_style style) {
    if (style == MATRIX_TF32 || CONFIG_GET(turn->config, ALU_ACC_CTRL_Fp32_enabled))
        return (struct to_dst){ kernels(turn)->put[ROWS_TF32], true, false };
    return (struct to_dst){ narrow(turn, style), false, false };
}

/* Returns how to move data of this format to Dst. */
static struct to_dst to_dst(struct matrix_turn *turn, unsigned format) {
    bool low = turn->word & LOWER_HALF;
    enum matrix_style style = matrix_style(format);
    if (matrix_forces_fp16(turn))
        return (struct to_dst){ kernels(turn)->put[ROWS_FP16], low, low };
    if (style == MATRIX_NO_STYLE)
        refuse_reserved(turn, format);
    else if (!low)
        return plain_to_dst(turn, style);
    else if (style != MATRIX_TF32)
        return (struct to_dst){ narrow(turn, style), true, true };
    else
        matrix_refuse(turn, BH_FAULT_UNDEFINED,
                      "TF32 to the lower halves of Dst, which the hardware corrupts (erratum TEN-4245)");
    return (struct to_dst){ NULL, false, false };
}

/* Clears invalid rows of which only the lower halves will be written: the upper halves have been reading as zero and
 * have to stay zero. */
static void zero_invalid(struct dst *dst, unsigned row, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (dst_is_invalid(dst, row + i))
            memset(dst->bits[row + i], 0, sizeof dst->bits[row + i]);
}

/* Writes consecutive rows: one, four, or an aligned eight. denormals: all ones to keep them, 0 to flush them. */
MATRIX_INLINE void put_rows(const struct matrix_turn *turn, rows_put *put, unsigned row, unsigned count,
                            struct matrix_src from, uint16_t denormals) {
    struct dst *dst = &turn->x->dst;
    put(dst->bits[row], from.mantissa, from.exponent, count, denormals);
    dst_validate(dst, row, (UINT32_C(1) << count) - 1);
    dst_touch(dst, row);
}

static void put_half_rows(const struct matrix_turn *turn, const struct to_dst *how, unsigned row, unsigned count,
                          struct matrix_src from) {
    struct dst *dst = &turn->x->dst;
    if (how->low)
        zero_invalid(dst, row, count);
    how->put(dst->bits[row + (how->low ? DST_LOW : 0)], from.mantissa, from.exponent, count, keep_denormals(turn));
    dst_validate(dst, row, (UINT32_C(1) << count) - 1);
    dst_touch(dst, row);
}

/* Writes consecutive rows except for the columns that BLOCK_DEST_MOV protects. */
static void put_columns(const struct matrix_turn *turn, const struct to_dst *how, unsigned row, unsigned count,
                        struct matrix_src from) {
    struct kept kept;
    unsigned blocked = turn->x->vector.block_mov;
    uint16_t(*upper)[ROW] = turn->x->dst.bits + row, (*lower)[ROW] = how->wide ? upper + DST_LOW : upper;
    if (blocked == 0xFFFF)
        return;
    keep(&kept, upper, lower, count);
    put_half_rows(turn, how, row, count, from);
    put_back(&kept, upper, lower, count, blocked);
}

/* The slow path for every form of move: writes four rows at a time, or one. */
static void put_any(struct matrix_turn *turn, unsigned format, unsigned count, struct matrix_src from) {
    struct to_dst how = to_dst(turn, format);
    unsigned first = turn->row & ~(count - 1);
    for (unsigned i = 0; how.put && i < count; i += FOUR_ROWS) {
        unsigned row = stored_row(turn, first + i, how.wide), rows = count < FOUR_ROWS ? count : FOUR_ROWS;
        struct matrix_src part = { from.mantissa + i * ROW, from.exponent + i * ROW };
        if (turn->x->vector.block_mov)
            put_columns(turn, &how, row, rows, part);
        else
            put_half_rows(turn, &how, row, rows, part);
    }
}

/* eight: the move is of eight rows. These are consecutive in Dst unless Dst is swizzled; then no plan covers them. */
static void prepare_to_dst(const struct matrix_turn *turn, struct matrix_plan *plan, unsigned format, bool eight,
                           struct plan of) {
    enum matrix_style style = matrix_style(format);
    plan->of = of;
    plan->put = NULL;
    if (!is_plain(turn) || style == MATRIX_NO_STYLE || (eight && CONFIG_GET(turn->config, DEST_ACCESS_CFG_swizzle_32b)))
        return;
    struct to_dst how = plain_to_dst(turn, style);
    plan->put = how.put;
    plan->wide = how.wide;
    plan->denormals = keep_denormals(turn);
}

/* ---- MOVA2D -------------------------------------------------------------------------------------------- */

/* Returns false if the instruction has been refused. */
__attribute__((noinline)) static bool any_a_to_dst(struct matrix_turn turn, unsigned format, unsigned row,
                                                   unsigned count) {
    put_any(&turn, format, count, rows_of(src_matrix_bank(&turn.x->src, SRC_A), row));
    return !turn.refused;
}

__attribute__((noinline)) static void prepare_a_to_dst(struct tensix *x, unsigned thread, uint32_t word,
                                                       struct plan of) {
    struct matrix_turn turn = matrix_turn(x, thread, word, 0);
    prepare_to_dst(&turn, &x->plans.matrix[MATRIX_A_TO_D], matrix_format_a(&turn), word & SEVERAL, of);
}

MATRIX_INLINE unsigned rows_of_a(const struct matrix_turn *turn) {
    return turn->word & SEVERAL ? EIGHT_ROWS : ONE_ROW;
}

/* Returns the first row to read in SrcA. */
MATRIX_INLINE unsigned row_of_a(const struct matrix_turn *turn) {
    return (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - rows_of_a(turn));
}

MATRIX_INLINE void matrix_MOVA2D(struct matrix_turn *turn) {
    const struct matrix_plan *plan = plan_of(turn, MATRIX_A_TO_D, SRC_A, prepare_a_to_dst);
    unsigned count = rows_of_a(turn), row = row_of_a(turn);
    if (BH_UNLIKELY(!plan->put))
        turn->refused = !any_a_to_dst(*turn, matrix_format_a(turn), row, count);
    else
        put_rows(turn, plan->put, stored_row(turn, turn->row & ~(count - 1), plan->wide), count,
                 rows_of(src_matrix_bank(&turn->x->src, SRC_A), row), plan->denormals);
    remember_a_row(turn, row);
}
MATRIX_EXECUTE(MOVA2D)

/* ---- MOVB2D -------------------------------------------------------------------------------------------- */

/* Returns the number of rows to read in SrcB: as many as rows of Dst, or one that goes to eight. */
MATRIX_INLINE unsigned rows_of_b(const struct matrix_turn *turn) {
    return !(turn->word & ROW_TO_EIGHT) && (turn->word & SEVERAL) ? FOUR_ROWS : ONE_ROW;
}

MATRIX_INLINE struct matrix_src moved_of_b(const struct matrix_turn *turn) {
    unsigned row = (src_field(turn) + turn->rwc->src_b) & (SRC_ROWS - rows_of_b(turn));
    return rows_of(src_matrix_bank(&turn->x->src, SRC_B), row);
}

/* Copies of rows in which the first row, the first column, or both are repeated. */
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

/* Returns false if the instruction has been refused. */
__attribute__((noinline)) static bool any_b_to_dst(struct matrix_turn turn, unsigned format) {
    struct spread rows;
    unsigned count = turn.word & ROW_TO_EIGHT ? EIGHT_ROWS : rows_of_b(&turn);
    put_any(&turn, format, count, spread(&rows, &turn, count));
    return !turn.refused;
}

/* Copies the first of eight rows of Dst to the others. */
MATRIX_INLINE void repeat_row(uint16_t (*rows)[ROW]) {
    for (unsigned i = 1; i < EIGHT_ROWS; i++)
        memcpy(rows[i], rows[0], sizeof rows[i]);
}

MATRIX_INLINE void row_to_eight(const struct matrix_turn *turn, const struct matrix_plan *plan,
                                struct matrix_src from) {
    struct dst *dst = &turn->x->dst;
    unsigned row = stored_row(turn, turn->row & ~7u, plan->wide);
    put_rows(turn, plan->put, row, ONE_ROW, from, plan->denormals);
    repeat_row(dst->bits + row);
    if (plan->wide)
        repeat_row(dst->bits + row + DST_LOW);
    dst_validate(dst, row, 0xFF);
}

MATRIX_INLINE void rows_to_dst(const struct matrix_turn *turn, const struct matrix_plan *plan, struct matrix_src from) {
    unsigned count = rows_of_b(turn), row = stored_row(turn, turn->row & ~(count - 1), plan->wide);
    put_rows(turn, plan->put, row, count, from, plan->denormals);
}

__attribute__((noinline)) static void spread_b_to_dst(struct matrix_turn turn, const struct matrix_plan *plan) {
    struct spread rows;
    struct matrix_src from = turn.word & COLUMN_0 ? spread(&rows, &turn, rows_of_b(&turn)) : moved_of_b(&turn);
    if (turn.word & ROW_TO_EIGHT)
        row_to_eight(&turn, plan, from);
    else
        rows_to_dst(&turn, plan, from);
}

__attribute__((noinline)) static void prepare_b_to_dst(struct tensix *x, unsigned thread, uint32_t word,
                                                       struct plan of) {
    struct matrix_turn turn = matrix_turn(x, thread, word, 0);
    prepare_to_dst(&turn, &x->plans.matrix[MATRIX_B_TO_D], matrix_format_moved_b(&turn), word & ROW_TO_EIGHT, of);
}

MATRIX_INLINE void matrix_MOVB2D(struct matrix_turn *turn) {
    const struct matrix_plan *plan = plan_of(turn, MATRIX_B_TO_D, SRC_B, prepare_b_to_dst);
    if (BH_UNLIKELY(!plan->put))
        turn->refused = !any_b_to_dst(*turn, matrix_format_moved_b(turn));
    else if (turn->word & (ROW_TO_EIGHT | COLUMN_0))
        spread_b_to_dst(*turn, plan);
    else
        rows_to_dst(turn, plan, moved_of_b(turn));
    remember_a_row(turn, turn->rwc->src_a);
}
MATRIX_EXECUTE(MOVB2D)

/* ---- MOVDBGA2D, MOVDBGB2D: without waiting for the bank ---------------------------------------------------------- */

/* Returns whether no unpacker has left a format with the bank, so that SFPU_DEST_FMT decides. */
static bool implies_nothing(const struct matrix_turn *turn, unsigned file) {
    return !CONFIG_GET(turn->own, DISABLE_IMPLIED_SRCA_FMT_Base) && !matrix_owns(&turn->x->src, file);
}

static void matrix_MOVDBGA2D(struct matrix_turn *turn) {
    unsigned spec = CONFIG_GET(turn->own, SFPU_DEST_FMT_Base);
    unsigned format = implies_nothing(turn, SRC_A) ? spec : matrix_format_a(turn);
    turn->refused = !any_a_to_dst(*turn, format, row_of_a(turn), rows_of_a(turn));
}
MATRIX_EXECUTE(MOVDBGA2D)

static void matrix_MOVDBGB2D(struct matrix_turn *turn) {
    unsigned spec = CONFIG_GET(turn->own, SFPU_DEST_FMT_Base);
    turn->refused = !any_b_to_dst(*turn, implies_nothing(turn, SRC_B) ? spec : matrix_format_moved_b(turn));
}
MATRIX_EXECUTE(MOVDBGB2D)

/* ---- MOVD2A, MOVD2B ------------------------------------------------------------------------------------- */

/* Returns the layout of the data to move from Dst; ROWS_LAYOUTS if the instruction has been refused. */
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

/* Copies the upper and lower halves of rows of Dst; invalid rows become zeros. */
static void copy_valid(uint16_t (*to)[ROW], const struct dst *dst, unsigned row, unsigned count) {
    memset(to, 0, (DST_LOW + count) * sizeof to[0]);
    for (unsigned i = 0; i < count; i++) {
        if (dst_is_invalid(dst, row + i))
            continue;
        memcpy(to[i], dst->bits[row + i], sizeof to[i]);
        memcpy(to[i + DST_LOW], dst->bits[(row + i + DST_LOW) % DST_ROWS], sizeof to[i]);
    }
}

/* Returns false if the instruction has been refused. */
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

static void prepare_to_src(struct matrix_turn *turn, struct matrix_plan *plan, unsigned format, struct plan of) {
    enum matrix_style style = matrix_style(format);
    plan->of = of;
    plan->get = NULL;
    plan->wide = config_is_wide(turn);
    if (is_plain(turn) && style != MATRIX_NO_STYLE && (style != MATRIX_TF32 || plan->wide))
        plan->get = kernels(turn)->get[layout_of(turn, format, plan->wide)];
    plan->many = plan->get && is_one_of_many(turn);
}

__attribute__((noinline)) static void prepare_dst_to_a(struct tensix *x, unsigned thread, uint32_t word,
                                                       struct plan of) {
    struct matrix_turn turn = matrix_turn(x, thread, word, 0);
    prepare_to_src(&turn, &x->plans.matrix[MATRIX_D_TO_A], matrix_format_a(&turn), of);
}

__attribute__((noinline)) static void prepare_dst_to_b(struct tensix *x, unsigned thread, uint32_t word,
                                                       struct plan of) {
    struct matrix_turn turn = matrix_turn(x, thread, word, 0);
    prepare_to_src(&turn, &x->plans.matrix[MATRIX_D_TO_B], matrix_format_moved_b(&turn), of);
}

MATRIX_INLINE bool rows_invalid(const struct dst *dst, unsigned row, unsigned count) {
    return dst->invalid[row / 32] >> row % 32 & ((1u << count) - 1);
}

/* Returns false if the instruction has been refused. */
MATRIX_INLINE bool dst_to_src(const struct matrix_turn *turn, const struct matrix_plan *plan, unsigned file,
                              struct src_bank *bank, unsigned to, unsigned count) {
    const struct dst *dst = &turn->x->dst;
    unsigned row = stored_row(turn, turn->row & ~(count - 1), plan->wide);
    if (BH_UNLIKELY(!plan->get || rows_invalid(dst, row, count)))
        return any_to_src(*turn, file, file == SRC_A ? matrix_format_a(turn) : matrix_format_moved_b(turn), to, count);
    plan->get(bank->mantissa[to], bank->exponent[to], dst->bits[row], count);
    return true;
}

MATRIX_INLINE unsigned rows_moved(const struct matrix_turn *turn) {
    return turn->word & SEVERAL ? FOUR_ROWS : ONE_ROW;
}

MATRIX_INLINE void matrix_MOVD2A(struct matrix_turn *turn) {
    unsigned count = rows_moved(turn), row = (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
    turn->refused = !dst_to_src(turn, plan_of(turn, MATRIX_D_TO_A, SRC_A, prepare_dst_to_a), SRC_A,
                                src_matrix_bank(&turn->x->src, SRC_A), row, count);
    remember_a_row(turn, row);
}
MATRIX_EXECUTE_ANY(MOVD2A)

MATRIX_INLINE uint64_t dst_to_a(const struct matrix_turn *turn, const struct many *many, unsigned to) {
    dst_to_src(turn, &many->plan, SRC_A, many->a, to, FOUR_ROWS);
    return TENSIX_PASSED;
}
EXECUTE_MANY(MOVD2A, MATRIX_D_TO_A, SRC_A, dst_to_a)

MATRIX_INLINE void matrix_MOVD2B(struct matrix_turn *turn) {
    unsigned count = rows_moved(turn), row = (src_field(turn) + turn->rwc->src_b) & (SRC_ROWS - count);
    turn->refused = !dst_to_src(turn, plan_of(turn, MATRIX_D_TO_B, SRC_B, prepare_dst_to_b), SRC_B,
                                src_matrix_bank(&turn->x->src, SRC_B), row, count);
    remember_a_row(turn, turn->rwc->src_a);
}
MATRIX_EXECUTE(MOVD2B)

/* ---- MOVB2A --------------------------------------------------------------------------------------------- */

_Static_assert(offsetof(struct src_bank, exponent) == ROWS_PLANE * sizeof(uint16_t), "as the kernels have it");

MATRIX_INLINE rows_copy *copy_of_src(const struct matrix_turn *turn) {
    return kernels(turn)->copy[CONFIG_GET(turn->config, ALU_ACC_CTRL_Zero_Flag_disabled_src)];
}

/* Returns the first of `count` rows to write in SrcA. */
MATRIX_INLINE unsigned row_in_a(const struct matrix_turn *turn, unsigned count) {
    return (src_field(turn) + turn->rwc->src_a) & (SRC_ROWS - count);
}

MATRIX_INLINE unsigned row_in_b(const struct matrix_turn *turn, unsigned count) {
    return (turn->word + turn->rwc->src_b) & (SRC_ROWS - count);
}

static void prepare_b_to_a(const struct matrix_turn *turn) {
    struct matrix_plan *plan = &turn->x->plans.matrix[MATRIX_B_TO_A];
    plan->of = plan_for(turn, SRC_FILES);
    plan->copy = copy_of_src(turn);
    plan->many = is_one_of_many(turn);
}

static void matrix_MOVB2A(struct matrix_turn *turn) {
    struct kept kept;
    struct src_bank *a = src_matrix_bank(&turn->x->src, SRC_A), *b = src_matrix_bank(&turn->x->src, SRC_B);
    unsigned count = rows_moved(turn), to = row_in_a(turn, count);
    if (!has_plan(turn, MATRIX_B_TO_A, SRC_FILES))
        prepare_b_to_a(turn);
    keep(&kept, a->mantissa + to, a->exponent + to, count);
    copy_of_src(turn)(a->mantissa[to], b->mantissa[row_in_b(turn, count)], count);
    put_back(&kept, a->mantissa + to, a->exponent + to, count, turn->x->vector.block_mov);
    remember_a_row(turn, to);
}
MATRIX_EXECUTE_ANY(MOVB2A)

MATRIX_INLINE uint64_t b_to_a(const struct matrix_turn *turn, const struct many *many, unsigned to) {
    unsigned from = (turn->word + many->src_b) & (SRC_ROWS - FOUR_ROWS);
    return many->plan.copy(many->a->mantissa[to], many->b->mantissa[from], FOUR_ROWS);
}
EXECUTE_MANY(MOVB2A, MATRIX_B_TO_A, SRC_FILES, b_to_a)
