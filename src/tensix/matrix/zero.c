/* ZEROACC marks rows of Dst as zero (invalid); ZEROSRC fills banks of SrcA and SrcB.
 *
 * ZEROACC can clear one row, selected through the counters, in the view of Dst (16 or 32 bits) that ALU_ACC_CTRL
 * selects; or 16 rows (a face) by their number, in the half of Dst in which the counters are unless
 * zeroacc_absolute_tile_mode is set; or half of Dst; or all of it. Only eight bits of `where` matter for faces, and
 * numbers beyond the end of Dst have no effect. clear_zero_flags makes cleared rows show their old data again;
 * ZEROACC.md calls that undefined, but tt-llk uses it.
 *
 * Inexact: an UNPACR_NOP in the same cycle as ZEROSRC clears its own bank. ZEROSRC leaves the formats that banks imply
 * unchanged; no document says so. Sources: ZEROACC.md, ZEROSRC.md (WH), tt-llk's assembly.yaml, the official simulator
 * for the half of Dst. */
#include <string.h>

#include "isa/regs.h"
#include "tensix/batch.h"
#include "tensix/matrix/issue.h"

/* ---- ZEROACC ------------------------------------------------------------------------------------------ */

enum { ONE_ROW, FACE, HALF, ALL }; /* clear_mode, bits 1:0 */

/* Makes some of an aligned 32 stored rows invalid or valid. rows: one bit for each row. */
MATRIX_INLINE void mark(struct dst *dst, unsigned thirty_two, uint32_t rows, bool valid) {
    if (valid)
        dst->invalid[thirty_two] &= ~rows;
    else
        dst->invalid[thirty_two] |= rows;
}

/* Makes an aligned 16 stored rows invalid or valid. An even number is the low half of a word of dst->invalid. */
MATRIX_INLINE void mark_half(struct dst *dst, unsigned sixteen, bool valid) {
    memset((uint8_t *)dst->invalid + 2 * sixteen, valid ? 0 : 0xFF, 2);
}

MATRIX_INLINE unsigned offset(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DEST_TARGET_REG_CFG_MATH_Offset) + turn->rwc->dst +
           CONFIG_GET(turn->config, DEST_REGW_BASE_Base);
}

enum { FACES = 64, WIDE_FACES = 32, WIDE = 1 << 18 };

/* Faces are numbered within the half of Dst in which the counters are. Returns the bits of the sum of counters and
 * bases that select the second half; 0 if the counters do not matter. */
static unsigned upper_bits(const struct matrix_turn *turn) {
    if (CONFIG_GET(turn->config, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode))
        return 0;
    return turn->word & WIDE ? 0x300 : 0x200;
}

MATRIX_INLINE unsigned half_of_faces(uint32_t word) {
    return word & WIDE ? WIDE_FACES / 2 : FACES / 2;
}

/* Marks 16 rows of 16 bits, or the upper halves of 16 rows of 32 bits. */
MATRIX_INLINE void mark_face(struct dst *dst, uint32_t word, unsigned first, bool valid) {
    unsigned face = (word & 0xFF) + first;
    if (BH_UNLIKELY(word & WIDE)) {
        if (BH_LIKELY(face < WIDE_FACES))
            mark(dst, face, 0x00FF00FF, valid);
    } else if (BH_LIKELY(face < FACES)) {
        mark_half(dst, face, valid);
    }
}

static void mark_row(const struct matrix_turn *turn, bool valid) {
    struct dst *dst = &turn->x->dst;
    const uint32_t *config = turn->config;
    unsigned row = ((turn->word & 0x3FF) + offset(turn)) & (DST_ROWS - 1);
    bool wide = CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled) || CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled);
    row = wide ? dst_row32(config, row) : dst_row16(dst, config, row);
    mark(dst, row / 32, UINT32_C(1) << row % 32, valid);
}

/* ---- The plan: 16 rows that become invalid, and nothing else ---- */

/* The bits of a word that a plan depends on. */
enum { PLAN_BITS = 0xFFC000 };

MATRIX_INLINE bool has_plan(const struct tensix *x, unsigned thread, uint32_t word) {
    return plan_holds(&x->plans.zero.of, x->config.version, thread | (word & PLAN_BITS));
}

/* Works out the plan. A unit in soft reset discards the instruction (SoftReset.md), so its fast path does not run.
 * Precondition: the instruction marks faces. */
static void prepare(const struct matrix_turn *turn, struct tensix_ZEROACC op) {
    struct matrix_zero_plan *plan = &turn->x->plans.zero;
    plan->of = (struct plan){ turn->x->config.version, turn->thread | (turn->word & PLAN_BITS) };
    plan->runs = !op.clear_zero_flags && !(turn->word >> 22 & 3) && !(turn->x->held & REG_HOLD_ZEROACC);
    plan->stays = !matrix_advances(turn);
    plan->upper = (uint16_t)upper_bits(turn);
    plan->base = (uint16_t)(offset(turn) - turn->rwc->dst);
}

/* Returns the number of the first face of the half in which the counters are. */
MATRIX_INLINE unsigned first_face(const struct tensix *x, unsigned thread, uint32_t word) {
    const struct matrix_zero_plan *plan = &x->plans.zero;
    return (plan->base + x->rwc[thread].dst) & plan->upper ? half_of_faces(word) : 0;
}

static void mark_all(struct dst *dst, unsigned first, unsigned end, bool valid) {
    memset(dst->invalid + first / 32, valid ? 0 : 0xFF, (end - first) / 8);
}

static void matrix_ZEROACC(struct matrix_turn *turn) {
    struct tensix_ZEROACC op = tensix_decode_ZEROACC(turn->word);
    struct dst *dst = &turn->x->dst;
    unsigned half = turn->word & 1 ? DST_ROWS / 2 : 0;
    if ((op.clear_mode & 3) == FACE && !has_plan(turn->x, turn->thread, turn->word))
        prepare(turn, op);
    if (turn->x->held & REG_HOLD_ZEROACC)
        return;
    switch (op.clear_mode & 3) {
    case ONE_ROW: mark_row(turn, op.clear_zero_flags); break;
    case FACE: mark_face(dst, turn->word, first_face(turn->x, turn->thread, turn->word), op.clear_zero_flags); break;
    case HALF: mark_all(dst, half, half + DST_ROWS / 2, op.clear_zero_flags); return;
    case ALL: mark_all(dst, 0, DST_ROWS, op.clear_zero_flags); return;
    }
    rwc_apply(turn->rwc, turn->own, op.addr_mode);
}
MATRIX_EXECUTE_ANY(ZEROACC)

/* Runs the instruction, and those after it in the batch that have the same plan. Precondition: the plan says that the
 * counters do not change. */
__attribute__((noinline)) static uint64_t run_many(struct tensix *x, uint32_t word, uint64_t now, unsigned first) {
    struct batch_row row = batch_row(x, now);
    do
        mark_face(&x->dst, word, first, false);
    while (batch_row_next(&row, &word, UINT32_C(0xFF) << 24 | PLAN_BITS));
    x->matrix.free_at = row.now + TENSIX_OCCUPANCY_ZEROACC;
    return batch_row_end(x, &row, now);
}

/* The path through the plan calls no other function if the counters do not change. */
uint64_t execute_ZEROACC(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const struct matrix_traits traits = MATRIX_TRAITS(ZEROACC);
    const struct matrix_zero_plan *plan = &x->plans.zero;
    if (BH_UNLIKELY(!has_plan(x, thread, word) || !plan->runs || !matrix_takes(x, now, &traits)))
        return any_ZEROACC(x, thread, word, now);
    unsigned first = first_face(x, thread, word);
    if (plan->stays && matrix_makes_rows(x, &traits))
        return run_many(x, word, now, first);
    mark_face(&x->dst, word, first, false);
    x->matrix.free_at = now + traits.occupancy;
    return plan->stays ? TENSIX_PASSED : matrix_apply(&x->rwc[thread], x->config.thread[thread], word >> 14 & 7);
}

/* ---- ZEROSRC ------------------------------------------------------------------------------------------- */

/* Fills a bank with zeros, or with ones in all 19 bits, which mean minus infinity. */
static void fill(struct src_bank *bank, bool ones) {
    if (!ones) {
        memset(bank, 0, sizeof *bank);
        return;
    }
    for (unsigned row = 0; row < SRC_ROWS; row++)
        for (unsigned column = 0; column < SRC_COLUMNS; column++)
            src_set(bank, row, column, 0x7FFFF);
}

static void matrix_ZEROSRC(struct matrix_turn *turn) {
    struct tensix_ZEROSRC op = tensix_decode_ZEROSRC(turn->word);
    struct src *src = &turn->x->src;
    for (unsigned file = 0; file < SRC_FILES; file++) {
        unsigned current = op.write_mode ? src->matrix_bank[file] : src->unpacker_bank[file];
        for (unsigned bank = 0; bank < SRC_BANKS; bank++)
            if ((op.src_mask >> file & 1) && (op.bank_mask || bank == current))
                fill(&src->bank[file][bank], file == SRC_A && op.zero_val);
    }
}
MATRIX_EXECUTE(ZEROSRC)
