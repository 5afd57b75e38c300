/* Products and sums: MVMUL, DOTPV, GAPOOL; ELWMUL, ELWADD, ELWSUB.
 *
 * Assumed: MVMUL reads 16 rows of SrcA, and from row 56 on these wrap around to row 0. dest_accum_en of ELWMUL and
 * DOTPV, instr_mod19 of DOTPV and GAPOOL, and the index bit of GAPOOL have no effect. Sources: MVMUL.md, DOTPV.md,
 * GAPOOL.md, ELWMUL.md, ELWADD.md, ELWSUB.md (WH). */
#include "numeric/matrix/random.h"
#include "tensix/matrix/issue.h"
#include "tensix/matrix/rows.h"

enum { EVEN_ROWS = 0x55 };

/* ---- Operands ------------------------------------------------------------------------------------- */

/* Return the key for src.prepared, which identifies the mode that a block was prepared for. A key is never 0. */
static inline uint8_t key_a(const struct matrix_mode *mode) {
    return (uint8_t)(1 | mode->a << 1 | (mode->phase & 1) << 3);
}

static inline uint8_t key_b(const struct matrix_mode *mode) {
    return (uint8_t)(1 | mode->b << 1 | (mode->phase & 2) << 2 | (unsigned)mode->keep_b << 4);
}

static inline const struct matrix_a *prepared_a(struct tensix *x, unsigned block, const struct matrix_mode *mode) {
    struct matrix_a *a = &x->prepared.a[block];
    uint8_t *key = &x->src.prepared[SRC_A][block];
    if (*key != key_a(mode)) {
        x->vector.lanes->matrix.prepare_a(a, rows_of_src(&x->src, SRC_A, 8 * block), mode);
        *key = key_a(mode);
    }
    return a;
}

static inline const struct matrix_b *prepared_b(struct tensix *x, unsigned block, const struct matrix_mode *mode) {
    struct matrix_b *b = &x->prepared.b[block];
    uint8_t *key = &x->src.prepared[SRC_B][block];
    if (*key != key_b(mode)) {
        x->vector.lanes->matrix.prepare_b(b, rows_of_src(&x->src, SRC_B, 8 * block), mode);
        *key = key_b(mode);
    }
    return b;
}

/* Prepares an operand of eight rows, all equal to one row of SrcB. */
static void prepare_one_row(struct matrix_b *b, struct tensix *x, unsigned row, const struct matrix_mode *mode) {
    uint16_t mantissa[MATRIX_ROWS][MATRIX_COLUMNS] __attribute__((aligned(64)));
    uint16_t exponent[MATRIX_ROWS][MATRIX_COLUMNS] __attribute__((aligned(64)));
    struct matrix_src src = rows_of_src(&x->src, SRC_B, row);
    for (unsigned i = 0; i < MATRIX_ROWS; i++) {
        memcpy(mantissa[i], src.mantissa, sizeof mantissa[i]);
        memcpy(exponent[i], src.exponent, sizeof exponent[i]);
    }
    x->vector.lanes->matrix.prepare_b(b, (struct matrix_src){ mantissa[0], exponent[0] }, mode);
}

/* ---- Products of matrices ----------------------------------------------------------------------------- */

/* first_b: the first of eight rows of SrcB, or the only one. */
__attribute__((noinline)) static void multiply_at_random(struct matrix_turn *turn, unsigned first_b, bool one_row,
                                                         unsigned mask, const struct matrix_mode *mode) {
    struct tensix *x = turn->x;
    unsigned row = turn->rwc->src_a & ~7u;
    const struct matrix_src a[2] = { rows_of_src(&x->src, SRC_A, row), rows_of_src(&x->src, SRC_A, (row + 8) % 64) };
    struct matrix_dst dst = rows_of_dst(turn, mask, mode->wide);
    matrix_random_multiply(&dst, a, rows_of_src(&x->src, SRC_B, first_b), one_row, *mode, &x->matrix.roundings);
    rows_written(turn, &dst);
}

/* mask: the rows of Dst to write, of the aligned eight; or UPPER_ROWS for the aligned four that contain turn->row. */
static inline __attribute__((always_inline)) void multiply(struct matrix_turn *turn, const struct matrix_b *b,
                                                           unsigned mask, const struct matrix_mode *mode) {
    struct tensix *x = turn->x;
    unsigned block = turn->rwc->src_a / 8;
    const struct matrix_a *a[2] = { prepared_a(x, block, mode), prepared_a(x, (block + 1) % 8, mode) };
    struct matrix_dst dst = rows_of_dst(turn, mask, mode->wide);
    x->vector.lanes->matrix.multiply(&dst, a, b, mode);
    rows_written(turn, &dst);
}

static inline void multiply_rows(struct matrix_turn *turn, unsigned mask) {
    struct matrix_mode mode;
    if (!matrix_mode(turn, &mode))
        return;
    if (BH_UNLIKELY(mode.random))
        multiply_at_random(turn, turn->rwc->src_b & ~7u, false, mask, &mode);
    else
        multiply(turn, prepared_b(turn->x, turn->rwc->src_b / 8, &mode), mask, &mode);
}

/* Multiplies one row of SrcB. The product goes to every other row of Dst, starting with row 0 or 1 of the aligned
 * eight. */
__attribute__((noinline)) static void multiply_one_row(struct matrix_turn *turn) {
    struct matrix_mode mode;
    struct matrix_b b;
    unsigned mask = (unsigned)EVEN_ROWS << (turn->row & 1);
    if (!matrix_mode(turn, &mode))
        return;
    if (mode.random) {
        multiply_at_random(turn, turn->rwc->src_b, true, mask, &mode);
        return;
    }
    prepare_one_row(&b, turn->x, turn->rwc->src_b, &mode);
    multiply(turn, &b, mask, &mode);
}

static void matrix_MVMUL(struct matrix_turn *turn) {
    if (BH_UNLIKELY(tensix_decode_MVMUL(turn->word).instr_mod19))
        multiply_one_row(turn);
    else
        multiply_rows(turn, ALL_ROWS);
}
MATRIX_EXECUTE(MVMUL)

static void matrix_DOTPV(struct matrix_turn *turn) {
    multiply_rows(turn, ALL_ROWS);
}
MATRIX_EXECUTE(DOTPV)

static void matrix_GAPOOL(struct matrix_turn *turn) {
    multiply_rows(turn, UPPER_ROWS);
}
MATRIX_EXECUTE(GAPOOL)

/* ---- Element by element ------------------------------------------------------------------------------ */

struct elementwise {
    struct matrix_mode mode;
    struct matrix_dst dst;
    struct matrix_src a, b;
    unsigned broadcast;
};

/* Finds the operands. Returns false if the instruction has been refused. */
static inline bool begin(struct matrix_turn *turn, struct elementwise *e) {
    const struct src *src = &turn->x->src;
    e->broadcast = turn->word >> 19 & 3;
    if (!matrix_mode(turn, &e->mode))
        return false;
    e->dst = rows_of_dst(turn, ALL_ROWS, e->mode.wide);
    e->a = rows_of_src(src, SRC_A, turn->rwc->src_a & ~7u);
    e->b = rows_of_src(src, SRC_B, e->broadcast & MATRIX_ONE_ROW ? turn->rwc->src_b : turn->rwc->src_b & ~7u);
    return true;
}

static void matrix_ELWMUL(struct matrix_turn *turn) {
    struct elementwise e;
    if (!begin(turn, &e))
        return;
    if (BH_UNLIKELY(e.mode.random))
        matrix_random_scale(&e.dst, e.a, e.b, e.broadcast, e.mode, &turn->x->matrix.roundings);
    else
        turn->x->vector.lanes->matrix.scale(&e.dst, e.a, e.b, e.broadcast, &e.mode);
    rows_written(turn, &e.dst);
}
MATRIX_EXECUTE(ELWMUL)

static inline void add(struct matrix_turn *turn, bool subtract) {
    struct elementwise e;
    if (!begin(turn, &e))
        return;
    bool accumulate = turn->word >> 21 & 1;
    if (BH_UNLIKELY(e.mode.random))
        matrix_random_add(&e.dst, e.a, e.b, e.broadcast, subtract, accumulate, e.mode, &turn->x->matrix.roundings);
    else
        turn->x->vector.lanes->matrix.add(&e.dst, e.a, e.b, e.broadcast, subtract, accumulate, &e.mode);
    rows_written(turn, &e.dst);
}

static void matrix_ELWADD(struct matrix_turn *turn) {
    add(turn, false);
}
MATRIX_EXECUTE(ELWADD)

static void matrix_ELWSUB(struct matrix_turn *turn) {
    add(turn, true);
}
MATRIX_EXECUTE(ELWSUB)
