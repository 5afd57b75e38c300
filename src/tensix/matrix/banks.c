/* Ownership of the banks of SrcA and SrcB, the instruction CLEARDVALID, and GATESRCRST and CLREXPHIST, which reset
 * hardware next to the Matrix Unit.
 *
 * GATESRCRST has no effect here: on the chip it clears a cache between SrcB and the multipliers, but this model's
 * multipliers read SrcB directly. Sources: SrcASrcB.md, CLEARDVALID.md (WH, with their Blackhole branches),
 * GATESRCRST.md, CLREXPHIST.md, Packers/ExponentHistogram.md (WH), SoftReset.md (BH). */
#include <string.h>

#include "tensix/clock.h"
#include "tensix/matrix/issue.h"

enum { RESET = 1, KEEP_BANK = 2 }; /* bits of the field reset */

/* seen: the first cycle that sees the change. The unpackers get a bank when the instruction leaves the pipeline. */
static inline void apply(struct tensix *x, const struct src_change *change, uint64_t seen) {
    src_apply(&x->src, change, x->loose ? 0 : seen - 1 + TENSIX_PART_HAND_BACK);
}

void matrix_land_banks(struct tensix *x, const struct tensix_landing *landing) {
    struct src_change change;
    memcpy(&change, landing->value, sizeof change);
    apply(x, &change, landing->time);
}

void matrix_change_banks(struct tensix *x, struct src_change change, uint64_t now) {
    uint8_t free = (uint8_t)~src_stuck(x->held);
    change.give &= free, change.flip &= free, change.take &= free, change.restart &= free;
    if (!(change.give | change.flip | change.take | change.restart))
        return;
    BH_ASSERT(x->matrix.banks_at <= now + 1);
    x->matrix.banks_at = now + 1;
    x->yield_at = 0;
    if (BH_LIKELY(x->next_other_event > now))
        apply(x, &change, now + 1);
    else
        tensix_land(x, now + 1, landing_key(TENSIX_LAND_BANKS, 0, 0, 0), &change, sizeof change);
    tensix_wake(x, now + 1);
}

void matrix_hand_back(struct tensix *x, const uint16_t *own, unsigned files, uint64_t now) {
    uint8_t keep = (uint8_t)own[CONFIG_WORD_CLR_DVALID_SrcA_Disable];
    matrix_change_banks(x, (struct src_change){ .give = (uint8_t)(files & ~keep), .flip = (uint8_t)files }, now);
}
_Static_assert(CONFIG_SHIFT_CLR_DVALID_SrcA_Disable == 0 && CONFIG_SHIFT_CLR_DVALID_SrcB_Disable == 1, "as in files");

/* A reset (.restart) does not wait for the other owner of the banks: CLEARDVALID.md warns that it usually ends in a
 * hang. */
static void matrix_CLEARDVALID(struct matrix_turn *turn) {
    struct tensix_CLEARDVALID op = tensix_decode_CLEARDVALID(turn->word);
    uint8_t files = (uint8_t)op.cleardvalid;
    struct src_change change = { .restart = 3 };
    if (!(op.reset & RESET))
        change = (struct src_change){ .give = files, .flip = op.reset & KEEP_BANK ? 0 : files };
    matrix_change_banks(turn->x, change, turn->now);
}
MATRIX_EXECUTE(CLEARDVALID)

static void matrix_GATESRCRST(struct matrix_turn *turn) {
    (void)turn;
}
MATRIX_EXECUTE(GATESRCRST)

static void matrix_CLREXPHIST(struct matrix_turn *turn) {
    struct packer *packer = &turn->x->packer;
    memset(packer->exponent_histogram, 0, sizeof packer->exponent_histogram);
    packer->max_exponent = 0;
}
MATRIX_EXECUTE(CLREXPHIST)
