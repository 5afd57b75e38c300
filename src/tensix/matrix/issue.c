/* When an instruction enters the Matrix Unit, and what has to wait for it.
 *
 * Sources: MatrixUnit.md, MOVD2A.md, MOVB2A.md, MOVD2B.md, MOVA2D.md, MOVB2D.md, SHIFTXB.md, Dst.md, SrcASrcB.md (WH),
 * SoftReset.md (BH). Inexact: which rows are the same is decided by the rows' names, so that a block written in one
 * view of Dst and read in the other is not waited for. */
#include <stdarg.h>
#include <stdio.h>

#include "isa/regs.h"
#include "tensix/tensix.h"

enum files { FILES_NOTHING = 0, FILES_A = 1 << SRC_A, FILES_B = 1 << SRC_B, FILES_A_B = FILES_A | FILES_B };
enum dst_use { DST_NOTHING, DST_READS, DST_WRITES, DST_ADDS, DST_MAY_ADD };
enum window { OTHER = MATRIX_OTHER, READER, TO_D, TO_A, TO_B };
enum after { AFTER_NOTHING, AFTER_BANKS, AFTER_MOVE, AFTER_MATH, AFTER_POOL };
enum { MAY_ADD_BIT = 1 << 21 };

_Static_assert((int)TO_B == (int)MATRIX_TO_B, "the same order");

/* ---- Before --------------------------------------------------------------------------------------- */

__attribute__((noinline)) static uint64_t in_window(struct tensix *x, unsigned thread, enum window window, bool reads,
                                                    uint64_t now) {
    const struct matrix *m = &x->matrix;
    if (now < m->only_until && window != (enum window)m->only)
        return tensix_hold(x, thread, m->only_until,
                           m->only == TO_A ? "the Matrix Unit, which takes only MOVD2A and MOVB2A after one of these"
                                           : "the Matrix Unit, which takes only MOVD2B after MOVD2B");
    if (now < m->readers_from && (window == READER || reads))
        return tensix_hold(x, thread, m->readers_from, "the Matrix Unit: rows that are being moved to Dst");
    return 0;
}

static inline bool owns(const struct src *src, unsigned file) {
    return src->allowed[file][src->matrix_bank[file]] == SRC_MATRIX;
}

/* Returns 0, or when to try again. */
static inline uint64_t enter(struct tensix *x, unsigned thread, uint64_t now, enum files waits, enum window window,
                             bool reads) {
    const struct matrix *m = &x->matrix;
    uint64_t again;
    if (BH_UNLIKELY(x->held & REG_HOLD_FPU))
        return tensix_hold(x, thread, TENSIX_NEVER, "the Matrix Unit, held in soft reset");
    if (BH_UNLIKELY(now < m->free_at))
        return tensix_hold(x, thread, m->free_at, "the Matrix Unit, which takes one instruction a cycle");
    if (BH_UNLIKELY(now < m->windows_end) && (again = in_window(x, thread, window, reads, now)))
        return again;
    if ((waits & FILES_A) && BH_UNLIKELY(!owns(&x->src, SRC_A)))
        return tensix_hold(x, thread, matrix_banks_again(m, now),
                           "SrcA's bank, which no unpacker has handed to the Matrix Unit");
    if ((waits & FILES_B) && BH_UNLIKELY(!owns(&x->src, SRC_B)))
        return tensix_hold(x, thread, matrix_banks_again(m, now),
                           "SrcB's bank, which no unpacker has handed to the Matrix Unit");
    return 0;
}

/* ---- Dst ------------------------------------------------------------------------------------------- */

uint64_t matrix_block_ready(const struct matrix *m, unsigned row) {
    uint64_t at = 0;
    for (unsigned i = 0; i < MATRIX_WRITES; i++) {
        uint64_t ready = m->written[i] + m->latency[i];
        if (m->block[i] == row / MATRIX_BLOCK && ready > at)
            at = ready;
    }
    return at;
}

bool matrix_block_fresh(const struct matrix *m, unsigned row, uint64_t now) {
    for (unsigned i = 0; i < MATRIX_WRITES; i++)
        if (m->latency[i] && m->block[i] == row / MATRIX_BLOCK && now < m->written[i] + MATRIX_VECTOR_GAP)
            return true;
    return false;
}

static inline void remember_write(struct matrix *m, unsigned row, unsigned latency, uint64_t now) {
    unsigned i = now % MATRIX_WRITES;
    m->written[i] = now;
    m->block[i] = (uint8_t)(row / MATRIX_BLOCK);
    m->latency[i] = (uint8_t)latency;
    if (now + latency > m->settled_at)
        m->settled_at = now + latency;
    m->vector_from = now + MATRIX_VECTOR_GAP;
}

static inline uint16_t dst_row(const struct matrix_turn *turn) {
    unsigned row = (turn->word & 0x3FF) + CONFIG_GET(turn->own, DEST_TARGET_REG_CFG_MATH_Offset);
    return (uint16_t)((row + turn->rwc->dst + CONFIG_GET(turn->config, DEST_REGW_BASE_Base)) & (DST_ROWS - 1));
}

/* ---- After ----------------------------------------------------------------------------------------- */

void matrix_refuse(struct matrix_turn *turn, enum bh_fault_kind kind, const char *format, ...) {
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    turn->refused = true;
    tensix_fault(turn->x, turn->thread, kind, turn->word, 0, turn->now, "%s", text);
}

static inline void hand_back(struct matrix_turn *turn) {
    uint8_t files = turn->word >> 22 & 3, keep = (uint8_t)turn->own[CONFIG_WORD_CLR_DVALID_SrcA_Disable];
    if (files)
        matrix_change_banks(turn->x, (struct src_change){ .give = files & (uint8_t)~keep, .flip = files }, turn->now);
}
_Static_assert(CONFIG_SHIFT_CLR_DVALID_SrcA_Disable == 0 && CONFIG_SHIFT_CLR_DVALID_SrcB_Disable == 1, "as in files");

void matrix_hand_back(struct matrix_turn *turn) {
    hand_back(turn);
}

static inline void open_window(struct matrix *m, enum window window, uint64_t now) {
    if (window == TO_D) {
        m->readers_from = now + 4;
    } else {
        m->only = (uint8_t)window;
        m->only_until = now + (window == TO_A ? 2 : 4);
    }
    m->windows_end = m->readers_from > m->only_until ? m->readers_from : m->only_until;
}

/* ---- Issue ------------------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) uint64_t issue(struct tensix *x, unsigned thread, uint32_t word,
                                                            uint64_t now, enum files waits, enum files src,
                                                            enum dst_use dst, enum window window, enum after after,
                                                            unsigned occupancy, unsigned latency,
                                                            matrix_action *action) {
    struct matrix *m = &x->matrix;
    uint64_t again = enter(x, thread, now, waits, window, dst == DST_READS);
    if (BH_UNLIKELY(again))
        return again;
    struct matrix_turn turn = {
        .x = x,
        .config = x->config.bank[tensix_bank(x, thread)],
        .own = x->config.thread[thread],
        .rwc = &x->rwc[thread],
        .now = now,
        .word = word,
        .thread = (uint8_t)thread,
    };
    if (dst != DST_NOTHING)
        turn.row = dst_row(&turn);
    if (dst == DST_READS || dst == DST_ADDS || (dst == DST_MAY_ADD && (word & MAY_ADD_BIT))) {
        again = matrix_dst_ready(m, turn.row, now);
        if (BH_UNLIKELY(again > now))
            return tensix_hold(x, thread, again, "rows of Dst that the Matrix Unit has not written yet");
    }
    action(&turn);
    if (BH_UNLIKELY(turn.refused))
        return TENSIX_NEVER;
    m->free_at = now + occupancy;
    if (src & FILES_A)
        src_changed(&x->src, SRC_A);
    if (src & FILES_B)
        src_changed(&x->src, SRC_B);
    if (BH_UNLIKELY(x->held & SRC_HELD))
        src_clear_held(&x->src, x->held);
    if (after >= AFTER_MATH)
        m->last_a_row = turn.rwc->src_a;
    if (after >= AFTER_MOVE)
        rwc_apply(turn.rwc, turn.own, word >> (after == AFTER_POOL ? 15 : 14) & 7);
    if (after != AFTER_NOTHING && after != AFTER_MOVE)
        hand_back(&turn);
    if (dst != DST_NOTHING && dst != DST_READS)
        remember_write(m, turn.row, latency, now);
    if (window >= TO_D)
        open_window(m, window, now);
    if (latency > 1)
        tensix_busy_until(x, thread, TENSIX_BUSY_MATRIX, now + latency);
    return TENSIX_PASSED;
}

/* OCCUPANCY_MVMUL, LATENCY_MVMUL ... */
enum {
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, ...) \
    OCCUPANCY_##name = (occupancy), LATENCY_##name = (latency),
#include "isa/tensix.def"
};

#define MATRIX_OP(name, waits, src, dst, window, after) \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        return issue(x, thread, word, now, FILES_##waits, FILES_##src, DST_##dst, window, AFTER_##after, \
                     OCCUPANCY_##name, LATENCY_##name, matrix_##name); \
    }
#include "tensix/matrix/matrix.def"
