/* Products and sums: MVMUL, DOTPV, GAPOOL; ELWMUL, ELWADD, ELWSUB.
 *
 * The rows from 56 on that MVMUL takes for its 16 of SrcA go on with the first; no page says so. dest_accum_en of
 * ELWMUL and DOTPV, instr_mod19 of DOTPV and GAPOOL and the index bit of GAPOOL have no effect.
 * Sources: MVMUL.md, DOTPV.md, GAPOOL.md, ELWMUL.md, ELWADD.md, ELWSUB.md (WH). */
#include "tensix/tensix.h"

enum { ALL_ROWS = 0xFF, UPPER_ROWS = 0x0F, EVEN_ROWS = 0x55 };

/* ---- Operands ------------------------------------------------------------------------------------- */

static struct matrix_src src_rows(const struct src *src, unsigned file, unsigned row) {
    const struct src_bank *bank = &src->bank[file][src->matrix_bank[file]];
    return (struct matrix_src){ bank->mantissa[row], bank->exponent[row] };
}

/* Not 0. */
static inline uint8_t key_a(const struct matrix_mode *mode) {
    return (uint8_t)(1 | mode->a << 1 | (mode->phase & 1) << 3);
}

static inline uint8_t key_b(const struct matrix_mode *mode) {
    return (uint8_t)(1 | mode->b << 1 | (mode->phase & 2) << 2 | mode->keep_b << 4);
}

static inline const struct matrix_a *prepared_a(struct tensix *x, unsigned block, const struct matrix_mode *mode) {
    struct matrix_a *a = &x->prepared.a[block];
    uint8_t *key = &x->src.prepared[SRC_A][block];
    if (*key != key_a(mode)) {
        x->vector.lanes->matrix.prepare_a(a, src_rows(&x->src, SRC_A, 8 * block), mode);
        *key = key_a(mode);
    }
    return a;
}

static inline const struct matrix_b *prepared_b(struct tensix *x, unsigned block, const struct matrix_mode *mode) {
    struct matrix_b *b = &x->prepared.b[block];
    uint8_t *key = &x->src.prepared[SRC_B][block];
    if (*key != key_b(mode)) {
        x->vector.lanes->matrix.prepare_b(b, src_rows(&x->src, SRC_B, 8 * block), mode);
        *key = key_b(mode);
    }
    return b;
}

/* One row of SrcB in place of eight. */
static void prepare_one_row(struct matrix_b *b, struct tensix *x, unsigned row, const struct matrix_mode *mode) {
    uint16_t mantissa[MATRIX_ROWS][MATRIX_COLUMNS] __attribute__((aligned(64)));
    uint16_t exponent[MATRIX_ROWS][MATRIX_COLUMNS] __attribute__((aligned(64)));
    struct matrix_src src = src_rows(&x->src, SRC_B, row);
    for (unsigned i = 0; i < MATRIX_ROWS; i++) {
        memcpy(mantissa[i], src.mantissa, sizeof mantissa[i]);
        memcpy(exponent[i], src.exponent, sizeof exponent[i]);
    }
    x->vector.lanes->matrix.prepare_b(b, (struct matrix_src){ mantissa[0], exponent[0] }, mode);
}

/* ---- Dst ------------------------------------------------------------------------------------------ */

struct matrix_dst matrix_rows(const struct matrix_turn *turn, unsigned row, unsigned mask, bool wide) {
    struct dst *dst = &turn->x->dst;
    unsigned first = wide ? dst_row32(turn->config, row) : dst_row16(dst, turn->config, row);
    unsigned second = first;
    if (mask > UPPER_ROWS)
        second = wide ? dst_row32(turn->config, row + 4) : dst_row16(dst, turn->config, row + 4);
    return (struct matrix_dst){ .rows = { dst->bits[first], dst->bits[second] },
                                .invalid = dst_invalid4(dst, first) | dst_invalid4(dst, second) << 4,
                                .mask = mask };
}

static inline unsigned row_of(const struct dst *dst, const uint16_t *bits) {
    return (unsigned)(bits - dst->bits[0]) / DST_COLUMNS;
}

void matrix_written(const struct matrix_turn *turn, const struct matrix_dst *rows) {
    struct dst *dst = &turn->x->dst;
    for (unsigned i = 0; i < 2; i++) {
        unsigned row = row_of(dst, rows->rows[i]);
        dst->invalid[row / 32] &= ~((rows->mask >> 4 * i & 15) << row % 32);
        dst_touch(dst, row);
    }
}

/* ---- Products of matrices ----------------------------------------------------------------------------- */

/* mask: rows of Dst from the aligned eight or (UPPER_ROWS) four on. */
static inline void multiply(struct matrix_turn *turn, const struct matrix_b *b, unsigned mask,
                            const struct matrix_mode *mode) {
    struct tensix *x = turn->x;
    unsigned block = turn->rwc->src_a / 8;
    const struct matrix_a *a[2] = { prepared_a(x, block, mode), prepared_a(x, (block + 1) % 8, mode) };
    struct matrix_dst dst = matrix_rows(turn, turn->row & (mask == UPPER_ROWS ? ~3u : ~7u), mask, mode->wide);
    x->vector.lanes->matrix.multiply(&dst, a, b, mode);
    matrix_written(turn, &dst);
}

static inline void multiply_rows(struct matrix_turn *turn, unsigned mask) {
    struct matrix_mode mode;
    if (matrix_mode(turn, &mode))
        multiply(turn, prepared_b(turn->x, turn->rwc->src_b / 8, &mode), mask, &mode);
}

/* Every other row of Dst, from an even or an odd one on. */
static void multiply_one_row(struct matrix_turn *turn) {
    struct matrix_mode mode;
    struct matrix_b b;
    if (!matrix_mode(turn, &mode))
        return;
    prepare_one_row(&b, turn->x, turn->rwc->src_b, &mode);
    multiply(turn, &b, EVEN_ROWS << (turn->row & 1), &mode);
}

void matrix_MVMUL(struct matrix_turn *turn) {
    if (BH_UNLIKELY(tensix_decode_MVMUL(turn->word).instr_mod19))
        multiply_one_row(turn);
    else
        multiply_rows(turn, ALL_ROWS);
}

void matrix_DOTPV(struct matrix_turn *turn) {
    multiply_rows(turn, ALL_ROWS);
}

void matrix_GAPOOL(struct matrix_turn *turn) {
    multiply_rows(turn, UPPER_ROWS);
}

/* ---- Element by element ------------------------------------------------------------------------------ */

struct elementwise {
    struct matrix_mode mode;
    struct matrix_dst dst;
    struct matrix_src a, b;
    unsigned broadcast;
};

/* False: it has been refused. */
static inline bool begin(struct matrix_turn *turn, struct elementwise *e) {
    const struct src *src = &turn->x->src;
    e->broadcast = turn->word >> 19 & 3;
    if (!matrix_mode(turn, &e->mode))
        return false;
    e->dst = matrix_rows(turn, turn->row & ~7u, ALL_ROWS, e->mode.wide);
    e->a = src_rows(src, SRC_A, turn->rwc->src_a & ~7u);
    e->b = src_rows(src, SRC_B, e->broadcast & MATRIX_ONE_ROW ? turn->rwc->src_b : turn->rwc->src_b & ~7u);
    return true;
}

void matrix_ELWMUL(struct matrix_turn *turn) {
    struct elementwise e;
    if (!begin(turn, &e))
        return;
    turn->x->vector.lanes->matrix.scale(&e.dst, e.a, e.b, e.broadcast, &e.mode);
    matrix_written(turn, &e.dst);
}

static inline void add(struct matrix_turn *turn, bool subtract) {
    struct elementwise e;
    if (!begin(turn, &e))
        return;
    turn->x->vector.lanes->matrix.add(&e.dst, e.a, e.b, e.broadcast, subtract, turn->word >> 21 & 1, &e.mode);
    matrix_written(turn, &e.dst);
}

void matrix_ELWADD(struct matrix_turn *turn) {
    add(turn, false);
}

void matrix_ELWSUB(struct matrix_turn *turn) {
    add(turn, true);
}
