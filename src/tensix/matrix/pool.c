/* GMPOOL, and instructions of earlier chips that Blackhole decodes but does not execute.
 *
 * CONV3S1, CONV3S2 and MFCONV3S1 add zero to eight rows of Dst, as MVMUL would; APOOL3S1 and APOOL3S2 add zero to four,
 * as GAPOOL would. Assumed: MPOOL3S1 and MPOOL3S2 are GMPOOL with a SrcA of zeros. All of them wait for both files,
 * which were their operands (src_mask in tt-llk's assembly.yaml). GMPOOL without bit 19 is the maximum of a single row,
 * of which nothing more is known: it is refused. Sources: GMPOOL.md, MatrixUnit.md (WH). */
#include "tensix/matrix/issue.h"
#include "tensix/matrix/rows.h"

enum { POOL_ROWS = 16 };

static const uint16_t zeros[POOL_ROWS][SRC_COLUMNS] __attribute__((aligned(64)));

/* ---- Maxima ---------------------------------------------------------------------------------------- */

static void pool(struct matrix_turn *turn, struct matrix_src a, bool index) {
    struct matrix_mode mode;
    if (!matrix_mode_of_maximum(turn, &mode))
        return;
    struct matrix_dst dst = rows_of_dst(turn, UPPER_ROWS, mode.wide);
    struct matrix_src b = rows_of_src(&turn->x->src, SRC_B, turn->rwc->src_b & ~7u);
    turn->x->vector.lanes->matrix.maximum(&dst, a, b, index, &mode);
    rows_written(turn, &dst);
}

static void matrix_GMPOOL(struct matrix_turn *turn) {
    struct tensix_GMPOOL op = tensix_decode_GMPOOL(turn->word);
    if (!op.instr_mod19) {
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "what GMPOOL of a single row (instr_mod19 = 0) does is not known");
        return;
    }
    pool(turn, rows_of_src(&turn->x->src, SRC_A, turn->rwc->src_a & 0x30u), op.max_pool_index_en);
}
MATRIX_EXECUTE(GMPOOL)

static void pool_zeros(struct matrix_turn *turn) {
    pool(turn, (struct matrix_src){ zeros[0], zeros[0] }, turn->word >> 14 & 1);
}

static void matrix_MPOOL3S1(struct matrix_turn *turn) {
    pool_zeros(turn);
}
MATRIX_EXECUTE(MPOOL3S1)

static void matrix_MPOOL3S2(struct matrix_turn *turn) {
    pool_zeros(turn);
}
MATRIX_EXECUTE(MPOOL3S2)

/* ---- Sums with zero ---------------------------------------------------------------------------------- */

static void add_zero(struct matrix_turn *turn, unsigned mask) {
    struct matrix_mode mode;
    const struct matrix_src nothing = { zeros[0], zeros[0] };
    if (!matrix_mode(turn, &mode))
        return;
    struct matrix_dst dst = rows_of_dst(turn, mask, mode.wide);
    turn->x->vector.lanes->matrix.scale(&dst, nothing, nothing, 0, &mode);
    rows_written(turn, &dst);
}

static void matrix_CONV3S1(struct matrix_turn *turn) {
    add_zero(turn, ALL_ROWS);
}
MATRIX_EXECUTE(CONV3S1)

static void matrix_CONV3S2(struct matrix_turn *turn) {
    add_zero(turn, ALL_ROWS);
}
MATRIX_EXECUTE(CONV3S2)

static void matrix_MFCONV3S1(struct matrix_turn *turn) {
    add_zero(turn, ALL_ROWS);
}
MATRIX_EXECUTE(MFCONV3S1)

static void matrix_APOOL3S1(struct matrix_turn *turn) {
    add_zero(turn, UPPER_ROWS);
}
MATRIX_EXECUTE(APOOL3S1)

static void matrix_APOOL3S2(struct matrix_turn *turn) {
    add_zero(turn, UPPER_ROWS);
}
MATRIX_EXECUTE(APOOL3S2)
