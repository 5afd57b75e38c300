/* SETRWC and INCRWC: changes to a thread's counters of rows. SETRWC can also hand banks of SrcA and SrcB back.
 *
 * Sources: SETRWC.md, INCRWC.md, MatrixUnit.md (WH); tt-llk's assembly.yaml for the stack pointer: bit 4 of BitMask
 * sets it to the concatenation of the three values (twelve bits), of which it keeps ten. */
#include "tensix/matrix/issue.h"

enum { SET_A = 1, SET_B = 2, SET_D = 4, CLEAR_FIDELITY = 8, SET_SP = 16 }; /* bits of BitMask */
enum { CR_A = 1, CR_B = 2, CR_D = 4, D_TO_CR = 8 };                        /* bits of rwc_cr */

uint64_t matrix_apply(struct rwc *rwc, const uint16_t *own, unsigned mode) {
    rwc_apply(rwc, own, mode);
    return TENSIX_PASSED;
}

static void set_src(uint8_t *counter, uint8_t *cr, unsigned value, bool from_cr) {
    *counter = *cr = (uint8_t)((value + (from_cr ? *cr : 0u)) & RWC_SRC_MASK);
}

static void set_dst(struct rwc *rwc, unsigned value, unsigned cr) {
    if (cr & D_TO_CR)
        value += rwc->dst;
    else if (cr & CR_D)
        value += rwc->dst_cr;
    rwc->dst = rwc->dst_cr = value & RWC_DST_MASK;
}

static void matrix_SETRWC(struct matrix_turn *turn) {
    struct tensix_SETRWC op = tensix_decode_SETRWC(turn->word);
    struct rwc *rwc = turn->rwc;
    if (op.BitMask & SET_A)
        set_src(&rwc->src_a, &rwc->src_a_cr, op.rwc_a, op.rwc_cr & CR_A);
    if (op.BitMask & SET_B)
        set_src(&rwc->src_b, &rwc->src_b_cr, op.rwc_b, op.rwc_cr & CR_B);
    if ((op.BitMask & SET_D) || (op.rwc_cr & D_TO_CR))
        set_dst(rwc, op.rwc_d, op.rwc_cr);
    if (op.BitMask & CLEAR_FIDELITY)
        rwc->fidelity = 0;
    if (op.BitMask & SET_SP)
        rwc->sp = (op.rwc_d << 8 | op.rwc_b << 4 | op.rwc_a) & RWC_DST_MASK;
}
MATRIX_EXECUTE(SETRWC)

static void matrix_INCRWC(struct matrix_turn *turn) {
    struct tensix_INCRWC op = tensix_decode_INCRWC(turn->word);
    struct rwc *rwc = turn->rwc;
    rwc_apply_src(&rwc->src_a, &rwc->src_a_cr, op.rwc_a | (op.rwc_cr & CR_A ? RWC_SRC_CR : 0u));
    rwc_apply_src(&rwc->src_b, &rwc->src_b_cr, op.rwc_b | (op.rwc_cr & CR_B ? RWC_SRC_CR : 0u));
    rwc_apply_dst(rwc, op.rwc_d | (op.rwc_cr & CR_D ? RWC_DST_CR : 0u));
}
MATRIX_EXECUTE(INCRWC)
