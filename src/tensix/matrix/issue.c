/* The slow paths of issue.h: why the Matrix Unit holds an instruction, faults, and which blocks of Dst are still being
 * written. */
#include "tensix/matrix/issue.h"

#include <stdarg.h>

#include "base/line.h"

static uint64_t again_for_bank(struct tensix *x, unsigned thread, uint64_t now, unsigned file) {
    return tensix_hold(x, thread, matrix_banks_again(&x->matrix, now), file == SRC_A ? WAIT_SRCA_BANK : WAIT_SRCB_BANK);
}

uint64_t matrix_hold(struct tensix *x, unsigned thread, uint64_t now, enum matrix_files waits,
                     enum matrix_window window, bool reads) {
    const struct matrix *m = &x->matrix;
    if (x->held & REG_HOLD_FPU)
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_MATRIX_RESET);
    if (now < m->free_at)
        return tensix_hold(x, thread, m->free_at, WAIT_MATRIX_ENTRY);
    if (now < m->only_until && window != (enum matrix_window)m->only)
        return tensix_hold(x, thread, m->only_until,
                           m->only == MATRIX_TO_A ? WAIT_MATRIX_MOVES_TO_A : WAIT_MATRIX_MOVES_TO_B);
    if (reads && now < m->readers_from)
        return tensix_hold(x, thread, m->readers_from, WAIT_MATRIX_MOVED_ROWS);
    return again_for_bank(x, thread, now, (waits & FILES_A) && !matrix_owns(&x->src, SRC_A) ? SRC_A : SRC_B);
}

void matrix_clear_held(struct tensix *x) {
    src_clear_held(&x->src, x->held);
}

void matrix_refuse(struct matrix_turn *turn, enum bh_fault_kind kind, const char *format, ...) {
    char text[sizeof(((struct bh_fault *)0)->text)];
    va_list args;
    va_start(args, format);
    line_put_list(text, sizeof text, format, args);
    va_end(args);
    turn->refused = true;
    tensix_fault(turn->x, turn->thread, kind, turn->word, 0, turn->now, "%s", text);
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
        if (m->latency[i] && m->block[i] == row / MATRIX_BLOCK && now < m->written[i] + TENSIX_PART_TO_SFPLOAD)
            return true;
    return false;
}
