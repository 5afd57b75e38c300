/* ZEROACC and ZEROSRC: rows of Dst that count as zero, banks of SrcA and SrcB filled.
 *
 * ZEROACC names stored rows: one of them by the counters, in the view of Dst that ALU_ACC_CTRL says; 16 of them by
 * their number, in the half of Dst in which the counters are unless zeroacc_absolute_tile_mode is set; or half or all
 * of Dst. Numbers beyond the end do nothing: of `where` eight bits count. clear_zero_flags makes rows what they were
 * before they were marked; the page calls that undefined, tt-llk uses it.
 *
 * Inexact: an UNPACR_NOP in the same cycle as ZEROSRC clears its own bank. Formats that banks imply stay, which no
 * document says.
 * Sources: ZEROACC.md, ZEROSRC.md (WH), tt-llk's assembly.yaml, the official simulator for the half of Dst. */
#include <string.h>

#include "isa/regs.h"
#include "tensix/batch.h"
#include "tensix/matrix/issue.h"

/* ---- ZEROACC ------------------------------------------------------------------------------------------ */

enum { ONE_ROW, FACE, HALF, ALL }; /* clear_mode 1:0 */

/* Stored rows of 32, as bits: from now on these are invalid, or valid. */
MATRIX_INLINE void mark(struct dst *dst, unsigned thirty_two, uint32_t rows, bool valid) {
    if (valid)
        dst->invalid[thirty_two] &= ~rows;
    else
        dst->invalid[thirty_two] |= rows;
}

/* 16 of them, of which the first half of a word are the low bits. */
MATRIX_INLINE void mark_half(struct dst *dst, unsigned sixteen, bool valid) {
    memset((uint8_t *)dst->invalid + 2 * sixteen, valid ? 0 : 0xFF, 2);
}

MATRIX_INLINE unsigned offset(const struct matrix_turn *turn) {
    return CONFIG_GET(turn->own, DEST_TARGET_REG_CFG_MATH_Offset) + turn->rwc->dst +
           CONFIG_GET(turn->config, DEST_REGW_BASE_Base);
}

/* Is it the half of Dst in which the counters are that counts? bits: of their sum, any says that it is the second. */
MATRIX_INLINE bool in_upper_half(const struct matrix_turn *turn, unsigned bits) {
    return !CONFIG_GET(turn->config, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode) && (offset(turn) & bits);
}

enum { FACES = 64, WIDE_FACES = 32, WIDE = 1 << 18 };

/* Faces are counted from this one on. */
MATRIX_INLINE unsigned first_face(const struct matrix_turn *turn) {
    if (BH_UNLIKELY(turn->word & WIDE))
        return in_upper_half(turn, 0x300) ? WIDE_FACES / 2 : 0;
    return in_upper_half(turn, 0x200) ? FACES / 2 : 0;
}

/* 16 rows of 16 bits, or the upper halves of 16 of 32 bits. */
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

static void mark_all(struct dst *dst, unsigned first, unsigned end, bool valid) {
    memset(dst->invalid + first / 32, valid ? 0 : 0xFF, (end - first) / 8);
}

/* Whatever it is. A soft reset discards it (SoftReset.md). */
static void matrix_ZEROACC(struct matrix_turn *turn) {
    struct tensix_ZEROACC op = tensix_decode_ZEROACC(turn->word);
    struct dst *dst = &turn->x->dst;
    unsigned half = turn->word & 1 ? DST_ROWS / 2 : 0;
    if (turn->x->held & REG_HOLD_ZEROACC)
        return;
    switch (op.clear_mode & 3) {
    case ONE_ROW: mark_row(turn, op.clear_zero_flags); break;
    case FACE: mark_face(dst, turn->word, first_face(turn), op.clear_zero_flags); break;
    case HALF: mark_all(dst, half, half + DST_ROWS / 2, op.clear_zero_flags); return;
    case ALL: mark_all(dst, 0, DST_ROWS, op.clear_zero_flags); return;
    }
    rwc_apply(turn->rwc, turn->own, op.addr_mode);
}
MATRIX_EXECUTE_ANY(ZEROACC)

/* The row that begins with such a word, none of which changes where the faces begin. */
__attribute__((noinline)) static uint64_t row_of_ZEROACC(struct tensix *x, uint32_t word, uint64_t now,
                                                         unsigned first) {
    struct batch_row row = batch_row(x, now);
    do
        mark_face(&x->dst, word, first, false);
    while (batch_row_next(&row, &word, ~UINT32_C(0x3FFF)));
    x->matrix.free_at = row.now + TENSIX_OCCUPANCY_ZEROACC;
    return batch_row_end(x, &row, now);
}

/* 16 rows that become invalid and nothing else: a case apart, for it needs no calls. */
uint64_t execute_ZEROACC(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    enum { UNUSUAL = 3u << 22 | 2 << 19 | 1 << 17, USUAL = 1 << 19 }; /* no banks, no other size, not valid again */
    const struct matrix_way way = MATRIX_WAY(ZEROACC);
    if (BH_UNLIKELY((word & (UNUSUAL | USUAL)) != USUAL || !matrix_takes(x, now, &way) || (x->held & REG_HOLD_ZEROACC)))
        return any_ZEROACC(x, thread, word, now);
    struct matrix_turn turn = matrix_turn(x, thread, word, now);
    unsigned first = first_face(&turn);
    if (matrix_makes_rows(x, &way) && !matrix_advances(&turn))
        return row_of_ZEROACC(x, word, now, first);
    mark_face(&x->dst, word, first, false);
    x->matrix.free_at = now + way.occupancy;
    return matrix_advance(&turn);
}

/* ---- ZEROSRC ------------------------------------------------------------------------------------------- */

/* All 19 bits are ones for minus infinity. */
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
