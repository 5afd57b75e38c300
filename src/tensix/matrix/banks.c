/* Banks of Src change hands; CLEARDVALID; and two instructions that reset what lies beside the Matrix Unit.
 *
 * GATESRCRST forgets what a cache between SrcB and the multipliers holds; here they read SrcB itself.
 * Sources: SrcASrcB.md, CLEARDVALID.md (WH, with their Blackhole branches), GATESRCRST.md, CLREXPHIST.md,
 * Packers/ExponentHistogram.md (WH), SoftReset.md (BH). */
#include <string.h>

#include "tensix/tensix.h"

enum { RESET = 1, KEEP_BANK = 2 }; /* reset */

void matrix_land_banks(struct tensix *x, const struct tensix_landing *landing) {
    struct src_change change;
    memcpy(&change, landing->value, sizeof change);
    src_apply(&x->src, &change);
}

void matrix_change_banks(struct tensix *x, struct src_change change, uint64_t now) {
    struct tensix_landing landing = { .time = now + 1, .where = TENSIX_LAND_BANKS };
    uint8_t free = (uint8_t)~src_stuck(x->held);
    change.give &= free, change.flip &= free, change.take &= free, change.restart &= free;
    if (!(change.give | change.flip | change.take | change.restart))
        return;
    x->matrix.banks_at = now + 1;
    if (BH_LIKELY(x->alone_until > now)) {
        src_apply(&x->src, &change);
    } else {
        memcpy(landing.value, &change, sizeof change);
        tensix_land(x, &landing);
    }
    tensix_wake(x, now + 1);
}

/* A restart waits for nobody: the page warns that it usually ends in a hang. */
void matrix_CLEARDVALID(struct matrix_turn *turn) {
    struct tensix_CLEARDVALID op = tensix_decode_CLEARDVALID(turn->word);
    uint8_t files = (uint8_t)op.cleardvalid;
    struct src_change change = { .restart = 3 };
    if (!(op.reset & RESET))
        change = (struct src_change){ .give = files, .flip = op.reset & KEEP_BANK ? 0 : files };
    matrix_change_banks(turn->x, change, turn->now);
}

void matrix_GATESRCRST(struct matrix_turn *turn) {
    (void)turn;
}

void matrix_CLREXPHIST(struct matrix_turn *turn) {
    struct packer *packer = &turn->x->packer;
    memset(packer->exponent_histogram, 0, sizeof packer->exponent_histogram);
    packer->max_exponent = 0;
}
