/* TRNSPSRCB, SHIFTXA, SHIFTXB: moves of data across the columns of SrcA and SrcB.
 *
 * SHIFTXA has no field that selects the 16 rows that it reads. It reads the aligned 16 that contain the SrcA row of the
 * last arithmetic or move (matrix.last_a_row): this is a bug of the hardware, and software cannot rely on it. Sources:
 * TRNSPSRCB.md, SHIFTXA.md, SHIFTXB.md (WH). */
#include <string.h>

#include "tensix/matrix/issue.h"

enum { BLOCK = 16, TRANSPOSED = 16 /* the first of the rows to transpose */ };
enum { RIGHT = 2, LEFT = 3 }; /* values of shift_mode */

static void matrix_TRNSPSRCB(struct matrix_turn *turn) {
    struct src_bank *bank = src_matrix_bank(&turn->x->src, SRC_B);
    const struct rows_kernels *kernels = &turn->x->vector.lanes->rows;
    kernels->transpose(bank->mantissa[TRANSPOSED]);
    kernels->transpose(bank->exponent[TRANSPOSED]);
}
MATRIX_EXECUTE(TRNSPSRCB)

enum { FIFTEEN = (SRC_COLUMNS - 1) * sizeof(uint16_t) };

/* Left is towards column 0. */
static void shift_left(uint16_t *to, const uint16_t *from, uint16_t last) {
    memmove(to, from + 1, FIFTEEN);
    to[SRC_COLUMNS - 1] = last;
}

static void shift_right(uint16_t *to, const uint16_t *from) {
    memmove(to + 1, from, FIFTEEN);
    to[0] = 0;
}

static void shift_block(uint16_t (*rows)[SRC_COLUMNS], unsigned from, bool left) {
    for (unsigned i = 0; i < BLOCK; i++) {
        if (left)
            shift_left(rows[i], rows[from + i], 0);
        else
            shift_right(rows[i], rows[from + i]);
    }
}

static void matrix_SHIFTXA(struct matrix_turn *turn) {
    struct src_bank *bank = src_matrix_bank(&turn->x->src, SRC_A);
    unsigned mode = turn->word & 3, from = turn->x->matrix.last_a_row & 0x30u;
    if (mode != LEFT && mode != RIGHT) {
        matrix_refuse(turn, BH_FAULT_UNDEFINED, "SHIFTXA has no direction %u", mode);
        return;
    }
    shift_block(bank->mantissa, from, mode == LEFT);
    shift_block(bank->exponent, from, mode == LEFT);
}
MATRIX_EXECUTE(SHIFTXA)

static void matrix_SHIFTXB(struct matrix_turn *turn) {
    struct tensix_SHIFTXB op = tensix_decode_SHIFTXB(turn->word);
    struct src_bank *bank = src_matrix_bank(&turn->x->src, SRC_B);
    unsigned row = (op.shift_row + turn->rwc->src_b) & (SRC_ROWS - 1);
    uint16_t *mantissa = bank->mantissa[row], *exponent = bank->exponent[row];
    shift_left(mantissa, mantissa, op.rot_shift ? 0 : mantissa[0]);
    shift_left(exponent, exponent, op.rot_shift ? 0 : exponent[0]);
}
MATRIX_EXECUTE(SHIFTXB)
