/* SETRWC and INCRWC: a thread's counters of rows, and SrcA and SrcB banks handed back.
 *
 * Sources: SETRWC.md, INCRWC.md, MatrixUnit.md (WH), tt-llk's assembly.yaml for the stack pointer: bit 4 of the mask
 * sets it to the twelve bits of the three values, of which it keeps ten. */
#include "tensix/tensix.h"

enum { SET_A = 1, SET_B = 2, SET_D = 4, CLEAR_FIDELITY = 8, SET_SP = 16 }; /* BitMask */
enum { CR_A = 1, CR_B = 2, CR_D = 4, D_TO_CR = 8 };                        /* rwc_cr */

/* One instruction a cycle, of all threads. Returns 0, or when to try again. */
static uint64_t enter(struct tensix *x, unsigned thread, uint64_t now) {
    if (x->held & REG_HOLD_FPU)
        return tensix_hold(x, thread, TENSIX_NEVER, "the Matrix Unit, held in soft reset");
    if (now < x->matrix.free_at)
        return tensix_hold(x, thread, x->matrix.free_at, "the Matrix Unit, which takes one instruction a cycle");
    x->matrix.free_at = now + 1;
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

/* The Matrix Unit goes on with the other bank; unless CLR_DVALID keeps it, the unpackers get this one, which others can
 * see from the next cycle on. */
static void flip(struct tensix *x, unsigned file, bool keep, uint64_t now) {
    struct src *src = &x->src;
    if (!keep)
        src->allowed[file][src->matrix_bank[file]] = SRC_UNPACKERS;
    src->matrix_bank[file] ^= 1;
    tensix_wake(x, now + 1);
}

uint64_t execute_SETRWC(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_SETRWC op = tensix_decode_SETRWC(word);
    struct rwc *rwc = &x->rwc[thread];
    const uint16_t *config = x->config.thread[thread];
    uint64_t again = enter(x, thread, now);
    if (again)
        return again;
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
    if (op.clear_ab_vld & 1)
        flip(x, SRC_A, CONFIG_GET(config, CLR_DVALID_SrcA_Disable), now);
    if (op.clear_ab_vld & 2)
        flip(x, SRC_B, CONFIG_GET(config, CLR_DVALID_SrcB_Disable), now);
    return TENSIX_PASSED;
}

uint64_t execute_INCRWC(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_INCRWC op = tensix_decode_INCRWC(word);
    struct rwc *rwc = &x->rwc[thread];
    uint64_t again = enter(x, thread, now);
    if (again)
        return again;
    rwc_apply_src(&rwc->src_a, &rwc->src_a_cr, op.rwc_a | (op.rwc_cr & CR_A ? RWC_SRC_CR : 0u));
    rwc_apply_src(&rwc->src_b, &rwc->src_b_cr, op.rwc_b | (op.rwc_cr & CR_B ? RWC_SRC_CR : 0u));
    rwc_apply_dst(rwc, op.rwc_d | (op.rwc_cr & CR_D ? RWC_DST_CR : 0u));
    return TENSIX_PASSED;
}
