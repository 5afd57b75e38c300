/* How an instruction goes through the Matrix Unit: MATRIX_EXECUTE(name) makes execute_<name> of matrix_<name>, which is
 * static in its file, and the row of matrix.def. Everything is inlined, so that what a row does not have costs nothing;
 * a turn stays in registers as long as its address goes to nobody but inlined functions.
 *
 * Sources: MatrixUnit.md, MOVD2A.md, MOVB2A.md, MOVD2B.md, MOVA2D.md, MOVB2D.md, SHIFTXB.md, Dst.md, SrcASrcB.md (WH),
 * SoftReset.md (BH). Inexact: which rows are the same is decided by the rows' names, so that a block written in one
 * view of Dst and read in the other is not waited for. */
#ifndef TENSIX_MATRIX_ISSUE_H
#define TENSIX_MATRIX_ISSUE_H

#include "isa/regs.h"
#include "tensix/tensix.h"

#define MATRIX_INLINE static inline __attribute__((always_inline))

enum matrix_files { FILES_NOTHING = 0, FILES_A = 1 << SRC_A, FILES_B = 1 << SRC_B, FILES_A_B = FILES_A | FILES_B };
enum matrix_dst_use { DST_NOTHING, DST_READS, DST_WRITES, DST_ADDS };
enum matrix_after { AFTER_NOTHING, AFTER_BANKS, AFTER_MOVE, AFTER_MATH, AFTER_POOL };

/* A row of matrix.def, and of isa/tensix.def. */
struct matrix_way {
    enum matrix_files waits, src;
    enum matrix_dst_use dst;
    enum matrix_window window;
    enum matrix_after after;
    unsigned occupancy, latency;
};

/* WAITS_OF_MVMUL, SRC_OF_MVMUL ... */
enum {
#define MATRIX_OP(name, waits, src, dst, window, after) \
    WAITS_OF_##name = FILES_##waits, SRC_OF_##name = FILES_##src, DST_OF_##name = DST_##dst, \
    WINDOW_OF_##name = MATRIX_##window, AFTER_OF_##name = AFTER_##after,
#include "tensix/matrix/matrix.def"
};

/* ---- Before --------------------------------------------------------------------------------------- */

/* When to try again, and why. At least one thing holds the instruction. */
uint64_t matrix_hold(struct tensix *x, unsigned thread, uint64_t now, enum matrix_files waits,
                     enum matrix_window window, bool reads);

/* Rows of Dst are being written. The instruction waits inside the unit, which takes nothing meanwhile, of whatever
 * thread (silicon: threads that step through Dst are as slow as one beside them that does not). */
MATRIX_INLINE uint64_t matrix_hold_for_rows(struct tensix *x, unsigned thread, uint64_t again) {
    x->matrix.free_at = again;
    return tensix_hold(x, thread, again, WAIT_DST_ROWS);
}

MATRIX_INLINE bool matrix_owns(const struct src *src, unsigned file) {
    return src->allowed[file][src->matrix_bank[file]] == SRC_MATRIX;
}

/* May words of a batch pass one a cycle? */
MATRIX_INLINE bool matrix_makes_rows(const struct tensix *x, const struct matrix_way *way) {
    return way->occupancy == 1 && x->batch;
}

/* Does it read what a move to Dst may still be writing? */
MATRIX_INLINE bool matrix_way_reads(const struct matrix_way *way) {
    return way->window == MATRIX_READER || way->dst == DST_READS;
}

MATRIX_INLINE bool matrix_takes(const struct tensix *x, uint64_t now, const struct matrix_way *way) {
    const struct matrix *m = &x->matrix;
    return !(x->held & REG_HOLD_FPU) && now >= m->free_at && (now >= m->only_until || m->only == way->window) &&
           !(matrix_way_reads(way) && now < m->readers_from) &&
           !((way->waits & FILES_A) && !matrix_owns(&x->src, SRC_A)) &&
           !((way->waits & FILES_B) && !matrix_owns(&x->src, SRC_B));
}

MATRIX_INLINE uint16_t matrix_dst_row(const struct matrix_turn *turn) {
    unsigned row = (turn->word & 0x3FF) + CONFIG_GET(turn->own, DEST_TARGET_REG_CFG_MATH_Offset);
    return (uint16_t)((row + turn->rwc->dst + CONFIG_GET(turn->config, DEST_REGW_BASE_Base)) & (DST_ROWS - 1));
}

/* ---- After ----------------------------------------------------------------------------------------- */

/* What soft reset holds of SrcA and SrcB is zero again. */
void matrix_clear_held(struct tensix *x);

MATRIX_INLINE void matrix_remember_write(struct matrix *m, unsigned row, unsigned latency, uint64_t now) {
    unsigned i = now % MATRIX_WRITES;
    BH_ASSERT(now > m->written[i] || !m->written[i]);
    BH_ASSERT(latency < MATRIX_WRITES && row < DST_ROWS);
    m->written[i] = now;
    m->block[i] = (uint8_t)(row / MATRIX_BLOCK);
    m->latency[i] = (uint8_t)latency;
    if (now + latency > m->settled_at)
        m->settled_at = now + latency;
    m->vector_from = now + TENSIX_PART_TO_SFPLOAD;
}

/* The counters go on as the ADDR_MOD says. Not inlined, so that simple instructions need few registers. Returns
 * TENSIX_PASSED, for those of which it is the last thing to do. */
uint64_t matrix_apply(struct rwc *rwc, const uint16_t *own, unsigned mode);

/* Does the instruction's ADDR_MOD say anything? */
MATRIX_INLINE bool matrix_advances(const struct matrix_turn *turn) {
    const uint16_t *mode = turn->own + (turn->word >> 14 & 7);
    return mode[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr] | mode[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr];
}

MATRIX_INLINE uint64_t matrix_advance(const struct matrix_turn *turn) {
    return matrix_advances(turn) ? matrix_apply(turn->rwc, turn->own, turn->word >> 14 & 7) : TENSIX_PASSED;
}

MATRIX_INLINE void matrix_open_window(struct matrix *m, enum matrix_window window, uint64_t now) {
    if (window == MATRIX_TO_D) {
        m->readers_from = now + TENSIX_PART_TO_D;
    } else {
        m->only = (uint8_t)window;
        m->only_until = now + (window == MATRIX_TO_A ? TENSIX_PART_TO_A : TENSIX_PART_TO_B);
    }
}

/* What others see or wait for. */
MATRIX_INLINE void matrix_settle(const struct matrix_turn *turn, const struct matrix_way *way) {
    struct tensix *x = turn->x;
    struct matrix *m = &x->matrix;
    BH_ASSERT(turn->now >= m->free_at && !turn->refused);
    m->free_at = turn->now + way->occupancy;
    if (way->src & FILES_A)
        src_changed(&x->src, SRC_A);
    if (way->src & FILES_B)
        src_changed(&x->src, SRC_B);
    if (way->dst != DST_NOTHING && way->dst != DST_READS)
        matrix_remember_write(m, turn->row, way->latency, turn->now);
    if (way->window >= MATRIX_TO_D)
        matrix_open_window(m, way->window, turn->now);
    if (way->latency > 1)
        tensix_busy_until(x, turn->thread, TENSIX_BUSY_MATRIX, turn->now + way->latency);
}

MATRIX_INLINE void matrix_done(const struct matrix_turn *turn, const struct matrix_way *way) {
    struct tensix *x = turn->x;
    matrix_settle(turn, way);
    if (way->src != FILES_NOTHING && BH_UNLIKELY(x->held & SRC_HELD))
        matrix_clear_held(x);
    if (way->after >= AFTER_MATH)
        x->matrix.last_a_row = turn->rwc->src_a;
    if (way->after == AFTER_MOVE)
        matrix_advance(turn);
    else if (way->after > AFTER_MOVE)
        rwc_apply(turn->rwc, turn->own, turn->word >> (way->after == AFTER_POOL ? 15 : 14) & 7);
    if (way->after != AFTER_NOTHING && way->after != AFTER_MOVE && BH_UNLIKELY(turn->word >> 22 & 3))
        matrix_hand_back(x, turn->own, turn->word >> 22 & 3, turn->now);
}

/* ---- Issue ------------------------------------------------------------------------------------------ */

MATRIX_INLINE struct matrix_turn matrix_turn(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return (struct matrix_turn){ .x = x,
                                 .config = x->config.bank[tensix_bank(x, thread)],
                                 .own = x->config.thread[thread],
                                 .rwc = &x->rwc[thread],
                                 .now = now,
                                 .word = word,
                                 .thread = (uint8_t)thread };
}

MATRIX_INLINE uint64_t matrix_issue(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                    const struct matrix_way *way, matrix_action *action) {
    if (BH_UNLIKELY(!matrix_takes(x, now, way)))
        return matrix_hold(x, thread, now, way->waits, way->window, matrix_way_reads(way));
    struct matrix_turn turn = matrix_turn(x, thread, word, now);
    if (way->dst != DST_NOTHING)
        turn.row = matrix_dst_row(&turn);
    if (way->dst == DST_READS || way->dst == DST_ADDS) {
        uint64_t again = matrix_dst_ready(&x->matrix, turn.row, now);
        if (BH_UNLIKELY(again > now))
            return matrix_hold_for_rows(x, thread, again);
    }
    action(&turn);
    if (BH_UNLIKELY(turn.refused))
        return TENSIX_NEVER;
    matrix_done(&turn, way);
    return TENSIX_PASSED;
}

#define MATRIX_WAY(name) \
    { \
        (enum matrix_files) WAITS_OF_##name, (enum matrix_files)SRC_OF_##name, (enum matrix_dst_use)DST_OF_##name, \
            (enum matrix_window)WINDOW_OF_##name, (enum matrix_after)AFTER_OF_##name, TENSIX_OCCUPANCY_##name, \
            TENSIX_LATENCY_##name \
    }

#define MATRIX_EXECUTE_AS(function, name) \
    uint64_t function(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        const struct matrix_way way = MATRIX_WAY(name); \
        return matrix_issue(x, thread, word, now, &way, matrix_##name); \
    }
#define MATRIX_EXECUTE(name) MATRIX_EXECUTE_AS(execute_##name, name)
/* any_<name>, for an execute_<name> that runs what is simple by itself. */
#define MATRIX_EXECUTE_ANY(name) __attribute__((noinline)) static MATRIX_EXECUTE_AS(any_##name, name)

#endif
