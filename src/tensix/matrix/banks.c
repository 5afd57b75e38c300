/* CLEARDVALID, and two instructions that reset what lies beside the Matrix Unit.
 *
 * GATESRCRST forgets what a cache between SrcB and the multipliers holds; here they read SrcB itself.
 * Sources: CLEARDVALID.md (WH, with its Blackhole branch), GATESRCRST.md, CLREXPHIST.md, Packers/ExponentHistogram.md.
 */
#include <string.h>

#include "tensix/tensix.h"

enum { RESET = 1, KEEP_BANK = 2 }; /* reset */

/* As a whole, and without waiting for anybody: the page warns that this usually ends in a hang. */
static void restart(struct tensix *x) {
    for (unsigned file = 0; file < SRC_FILES; file++)
        if (!(src_stuck(x->held) >> file & 1))
            src_restart(&x->src, file);
    memset(x->src.format, 0, sizeof x->src.format);
}

static void give(struct src *src, unsigned file, bool keep_bank) {
    src->allowed[file][src->matrix_bank[file]] = SRC_UNPACKERS;
    src->matrix_bank[file] ^= !keep_bank;
    src_changed(src, file);
}

void matrix_CLEARDVALID(struct matrix_turn *turn) {
    struct tensix_CLEARDVALID op = tensix_decode_CLEARDVALID(turn->word);
    struct tensix *x = turn->x;
    unsigned files = op.cleardvalid & ~src_stuck(x->held);
    if (op.reset & RESET)
        restart(x);
    for (unsigned file = 0; file < SRC_FILES && !(op.reset & RESET); file++)
        if (files >> file & 1)
            give(&x->src, file, op.reset & KEEP_BANK);
    tensix_wake(x, turn->now + 1);
}

void matrix_GATESRCRST(struct matrix_turn *turn) {
    (void)turn;
}

void matrix_CLREXPHIST(struct matrix_turn *turn) {
    struct packer *packer = &turn->x->packer;
    memset(packer->exponent_histogram, 0, sizeof packer->exponent_histogram);
    packer->max_exponent = 0;
}
