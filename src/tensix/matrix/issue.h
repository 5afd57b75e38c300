/* Issue in the Matrix Unit. MATRIX_EXECUTE(name) generates the handler execute_<name> from the static function
 * matrix_<name> and the row of matrix.def. Everything is inlined, so a feature that a row does not use costs nothing.
 * The turn stays in registers as long as its address goes to inlined functions only.
 *
 * Sources: MatrixUnit.md, MOVD2A.md, MOVB2A.md, MOVD2B.md, MOVA2D.md, MOVB2D.md, SHIFTXB.md, Dst.md, SrcASrcB.md (WH),
 * SoftReset.md (BH). Inexact: blocks of Dst are compared by the row numbers in instructions, so an instruction that
 * reads Dst as 16 bits does not wait for a write of 32 bits, or the reverse. */
#ifndef TENSIX_MATRIX_ISSUE_H
#define TENSIX_MATRIX_ISSUE_H

#include "isa/regs.h"
#include "tensix/tensix.h"

#define MATRIX_INLINE static inline __attribute__((always_inline))

enum matrix_files { FILES_NOTHING = 0, FILES_A = 1 << SRC_A, FILES_B = 1 << SRC_B, FILES_A_B = FILES_A | FILES_B };
enum matrix_dst_use { DST_NOTHING, DST_READS, DST_WRITES, DST_ADDS };
enum matrix_after { AFTER_NOTHING, AFTER_BANKS, AFTER_MOVE, AFTER_MATH, AFTER_POOL };

/* The traits of an instruction, from its rows in matrix.def and isa/tensix.def. */
struct matrix_traits {
    enum matrix_files waits, src;
    enum matrix_dst_use dst;
    enum matrix_window window;
    enum matrix_after after;
    unsigned occupancy, latency;
};

/* The columns of matrix.def as constants: WAITS_OF_MVMUL, SRC_OF_MVMUL ... */
enum {
#define MATRIX_OP(name, waits, src, dst, window, after) \
    WAITS_OF_##name = FILES_##waits, SRC_OF_##name = FILES_##src, DST_OF_##name = DST_##dst, \
    WINDOW_OF_##name = MATRIX_##window, AFTER_OF_##name = AFTER_##after,
#include "tensix/matrix/matrix.def"
};

/* ---- Before --------------------------------------------------------------------------------------- */

/* Holds an instruction and records the reason. Returns the cycle of the next attempt, as a handler does. waits, window:
 * from the traits; reads: matrix_reads_dst(). Precondition: matrix_takes() is false. */
uint64_t matrix_hold(struct tensix *x, unsigned thread, uint64_t now, enum matrix_files waits,
                     enum matrix_window window, bool reads);

/* Holds an instruction because the rows of Dst that it reads are still being written. The instruction waits inside the
 * unit, which accepts no instruction of any thread meanwhile (silicon: a thread that never waits for Dst becomes as
 * slow as the threads beside it that do). */
MATRIX_INLINE uint64_t matrix_hold_for_rows(struct tensix *x, unsigned thread, uint64_t again) {
    x->matrix.free_at = again;
    return tensix_hold(x, thread, again, WAIT_DST_ROWS);
}

MATRIX_INLINE bool matrix_owns(const struct src *src, unsigned file) {
    return src->allowed[file][src->matrix_bank[file]] == SRC_MATRIX;
}

/* Returns whether the words of a batch can run as a row, one in each cycle. */
MATRIX_INLINE bool matrix_makes_rows(const struct tensix *x, const struct matrix_traits *traits) {
    return traits->occupancy == 1 && x->batch;
}

/* Returns whether the instruction reads rows of Dst that a move may still be writing. */
MATRIX_INLINE bool matrix_reads_dst(const struct matrix_traits *traits) {
    return traits->window == MATRIX_READER || traits->dst == DST_READS;
}

MATRIX_INLINE bool matrix_takes(const struct tensix *x, uint64_t now, const struct matrix_traits *traits) {
    const struct matrix *m = &x->matrix;
    return !(x->held & REG_HOLD_FPU) && now >= m->free_at && (now >= m->only_until || m->only == traits->window) &&
           !(matrix_reads_dst(traits) && now < m->readers_from) &&
           !((traits->waits & FILES_A) && !matrix_owns(&x->src, SRC_A)) &&
           !((traits->waits & FILES_B) && !matrix_owns(&x->src, SRC_B));
}

MATRIX_INLINE uint16_t matrix_dst_row(const struct matrix_turn *turn) {
    return matrix_named_row(turn->word, turn->own, turn->config, turn->rwc->dst);
}

/* ---- After ----------------------------------------------------------------------------------------- */

/* Clears the parts of SrcA and SrcB that are in soft reset. */
void matrix_clear_held(struct tensix *x);

MATRIX_INLINE void matrix_remember_write(struct matrix *m, unsigned row, unsigned latency, uint64_t now) {
    unsigned i = now % MATRIX_WRITES;
    BH_ASSERT(now > m->written[i] || !m->written[i]);
    BH_ASSERT(latency < MATRIX_WRITES && row < DST_ROWS);
    m->written[i] = now;
    m->block[i] = (uint8_t)(row / MATRIX_BLOCK);
    m->latency[i] = (uint8_t)latency;
    if (now + latency > m->dst_ready_at)
        m->dst_ready_at = now + latency;
    m->vector_from = now + TENSIX_PART_TO_SFPLOAD;
}

/* Applies the ADDR_MOD to the counters. Returns TENSIX_PASSED, for tail calls. Not inlined: this keeps spills out of
 * simple instructions. */
uint64_t matrix_apply(struct rwc *rwc, const uint16_t *own, unsigned mode);

/* Returns whether the instruction's ADDR_MOD changes any counter. */
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

/* Updates the state that other instructions see or wait for. */
MATRIX_INLINE void matrix_note_effects(const struct matrix_turn *turn, const struct matrix_traits *traits) {
    struct tensix *x = turn->x;
    struct matrix *m = &x->matrix;
    BH_ASSERT(turn->now >= m->free_at && !turn->refused);
    m->free_at = turn->now + traits->occupancy;
    if (traits->src & FILES_A)
        src_changed(&x->src, SRC_A);
    if (traits->src & FILES_B)
        src_changed(&x->src, SRC_B);
    if (traits->dst != DST_NOTHING && traits->dst != DST_READS)
        matrix_remember_write(m, turn->row, traits->latency, turn->now);
    if (traits->window >= MATRIX_TO_D)
        matrix_open_window(m, traits->window, turn->now);
    if (traits->latency > 1)
        tensix_busy_until(x, turn->thread, TENSIX_BUSY_MATRIX, turn->now + traits->latency);
}

MATRIX_INLINE void matrix_done(const struct matrix_turn *turn, const struct matrix_traits *traits) {
    struct tensix *x = turn->x;
    matrix_note_effects(turn, traits);
    if (traits->src != FILES_NOTHING && BH_UNLIKELY(x->held & SRC_HELD))
        matrix_clear_held(x);
    if (traits->after >= AFTER_MATH)
        x->matrix.last_a_row = turn->rwc->src_a;
    if (traits->after == AFTER_MOVE)
        matrix_advance(turn);
    else if (traits->after > AFTER_MOVE)
        rwc_apply(turn->rwc, turn->own, turn->word >> (traits->after == AFTER_POOL ? 15 : 14) & 7);
    if (traits->after != AFTER_NOTHING && traits->after != AFTER_MOVE && BH_UNLIKELY(turn->word >> 22 & 3))
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
                                    const struct matrix_traits *traits, matrix_action *action) {
    if (BH_UNLIKELY(!matrix_takes(x, now, traits)))
        return matrix_hold(x, thread, now, traits->waits, traits->window, matrix_reads_dst(traits));
    struct matrix_turn turn = matrix_turn(x, thread, word, now);
    if (traits->dst != DST_NOTHING)
        turn.row = matrix_dst_row(&turn);
    if (traits->dst == DST_READS || traits->dst == DST_ADDS) {
        uint64_t again = matrix_dst_ready(&x->matrix, turn.row, now);
        if (BH_UNLIKELY(again > now))
            return matrix_hold_for_rows(x, thread, again);
    }
    action(&turn);
    if (BH_UNLIKELY(turn.refused))
        return TENSIX_NEVER;
    matrix_done(&turn, traits);
    return TENSIX_PASSED;
}

#define MATRIX_TRAITS(name) \
    { \
        (enum matrix_files) WAITS_OF_##name, (enum matrix_files)SRC_OF_##name, (enum matrix_dst_use)DST_OF_##name, \
            (enum matrix_window)WINDOW_OF_##name, (enum matrix_after)AFTER_OF_##name, TENSIX_OCCUPANCY_##name, \
            TENSIX_LATENCY_##name \
    }

#define MATRIX_EXECUTE_AS(function, name) \
    uint64_t function(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        const struct matrix_traits traits = MATRIX_TRAITS(name); \
        return matrix_issue(x, thread, word, now, &traits, matrix_##name); \
    }
#define MATRIX_EXECUTE(name) MATRIX_EXECUTE_AS(execute_##name, name)
/* Generates any_<name>, the slow path of an execute_<name> that is written by hand and runs the simple cases itself. */
#define MATRIX_EXECUTE_ANY(name) __attribute__((noinline)) static MATRIX_EXECUTE_AS(any_##name, name)

#endif
