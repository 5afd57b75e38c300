/* Effects of SOFT_RESET_0 on the coprocessor (SoftReset.md, BH).
 *
 *     bits 0, 1, 7  unpackers        10      FPU, SFPU, SrcA data     17     packer's side of Dst, ZEROACC
 *     2..5          packer           12..14  T0..T2: their frontends  19..22 SrcA columns in fours
 *     6             mover            15      SrcA ownership           23     Auto TTSync
 *     8             TDMA-RISC, glue  16      SrcB ownership and data
 *     9             THCON configuration, Scalar Unit
 *
 * Units test `held` before they start an instruction. The page gives "some value" for PACR_SETREG's state in TDMA-RISC;
 * here it is zero. Of the packers' bits, the first one decides. Inexact: instructions in flight in a unit that enters
 * reset still end, except those of the mover, the unpackers, the packer and the Vector Unit. */
#include <string.h>

#include "base/order.h"
#include "isa/regs.h"
#include "tensix/clock.h"

static void clear_thcon(struct config *config) {
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned i = CONFIG_BASE_THCON; i < CONFIG_BASE_GLOBAL; i++)
            config->bank[bank][i] = 0;
    config_changed(config);
}

static void enter_src(struct src *src, uint32_t entered) {
    if (entered & SRC_HELD)
        src_clear_held(src, entered);
    for (unsigned file = 0; file < SRC_FILES; file++)
        if (src_stuck(entered) >> file & 1)
            src_restart(src, file);
}

/* Lets a held word try again, because the reset may have ended its wait. */
static void try_again(struct tensix_thread *t, uint64_t time) {
    if (t->waits_on && !t->faulted && t->due > time)
        t->due = time;
}

void tensix_soft_reset(struct tensix *x, uint32_t value, uint64_t time) {
    uint64_t from = time + 1; /* first cycle in which the new value is visible */
    if (value == x->held)
        return;
    if (!x->running) {
        tensix_run(x, from);
        from = later(from, x->time);
    }
    uint32_t entered = value & ~x->held, left = x->held & ~value;
    x->held = value;
    config_changed(&x->config); /* plans depend on it */
    enter_src(&x->src, entered);
    if (entered & REG_HOLD_ZEROACC) {
        memset(x->dst.invalid, 0, sizeof x->dst.invalid); /* invalid rows show their old data again */
        packer_clear_histogram(&x->packer);
    }
    if (left & REG_HOLD_ZEROACC)
        pack_leave_dst(&x->pack);
    if (entered & REG_HOLD_UNPACKERS)
        unpack_abort(x, from);
    if (entered & REG_HOLD_FPU)
        vector_hold(&x->vector, from);
    if (left & REG_HOLD_FPU) {
        vector_leave(&x->vector, from);
        x->matrix.roundings = 0;
    }
    if (entered & REG_HOLD_PACKER) {
        pack_abort(x, from);
        packer_forget(&x->packer);
    }
    if (left & REG_HOLD_PACKER)
        x->packer.l1_dest_addr_offset = 0;
    if (entered & REG_HOLD_GLUE)
        tdma_reset(x);
    if (entered & REG_HOLD_MOVER)
        mover_abort(x, time);
    if (entered & REG_HOLD_SCALAR)
        clear_thcon(&x->config);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        if (entered & (uint32_t)REG_HOLD_T0 << i) {
            if (x->loose) /* the running word itself may be what writes the register */
                frontend_hold(&x->thread[i].frontend);
            frontend_advance(&x->thread[i].frontend, from);
            frontend_reset_core(&x->thread[i].frontend);
        }
        if (entered & REG_HOLD_TTSYNC)
            ttsync_init(&x->thread[i].frontend.ttsync);
        try_again(&x->thread[i], from);
    }
    tensix_wake(x, from);
    clock_verify(x);
}
