/* RWCs: a thread's counters of rows, for the Matrix Unit and the Vector Unit, and the ADDR_MODs that advance them.
 *
 *     ADDR_MOD_AB    SrcA: increment 5:0, CR 6, clear 7; SrcB: increment 13:8, CR 14, clear 15
 *     ADDR_MOD_DST   increment 9:0, CR 10, clear 11, C to CR 12; fidelity: increment 14:13, clear 15
 *
 * Blackhole's instructions select one of the eight ADDR_MODs directly, so ADDR_MOD_BIAS and its count, which select
 * four of them on Wormhole, have no effect. ADDR_MOD_AB2 extends the increments by a bit 6, which six-bit sums lose.
 * Sources: RWCs.md (WH), SFPLOAD.md and SFPSTORE.md (BH) for the stack pointer. */
#ifndef TENSIX_REGS_RWC_H
#define TENSIX_REGS_RWC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "isa/config.h"

enum { RWC_DST_MASK = 0x3FF, RWC_SRC_MASK = 0x3F, RWC_FIDELITY_MASK = 3 };
enum { RWC_SRC_CR = 0x40, RWC_SRC_CLEAR = 0x80 };                           /* bits of each half of ADDR_MOD_AB */
enum { RWC_DST_CR = 0x400, RWC_DST_CLEAR = 0x800, RWC_DST_TO_CR = 0x1000 }; /* bits of ADDR_MOD_DST */

struct rwc {
    uint16_t dst, dst_cr;                     /* 10 bits */
    uint16_t sp;                              /* 10 bits: stack pointer of the Vector Unit's stack in Dst */
    uint8_t src_a, src_a_cr, src_b, src_b_cr; /* 6 bits */
    uint8_t fidelity;                         /* 2 bits */
    uint8_t none[5];                          /* always zero: there is no implicit padding, so the hash can take all
                                               * bytes */
};

/* Applies one half of an ADDR_MOD_AB. */
static inline void rwc_apply_src(uint8_t *counter, uint8_t *cr, unsigned mode) {
    unsigned increment = mode & RWC_SRC_MASK;
    if (mode & RWC_SRC_CLEAR)
        *counter = *cr = 0;
    else if (mode & RWC_SRC_CR)
        *counter = *cr = (uint8_t)((*cr + increment) & RWC_SRC_MASK);
    else
        *counter = (uint8_t)((*counter + increment) & RWC_SRC_MASK);
}

static inline void rwc_apply_dst(struct rwc *rwc, unsigned mode) {
    unsigned increment = mode & RWC_DST_MASK;
    if (!mode)
        return;
    if (BH_LIKELY(!(mode & (RWC_DST_CR | RWC_DST_CLEAR | RWC_DST_TO_CR))))
        rwc->dst = (uint16_t)((rwc->dst + increment) & RWC_DST_MASK);
    else if (mode & RWC_DST_CLEAR)
        rwc->dst = rwc->dst_cr = 0;
    else if (mode & RWC_DST_TO_CR)
        rwc->dst = rwc->dst_cr = (uint16_t)((rwc->dst + increment) & RWC_DST_MASK);
    else
        rwc->dst = rwc->dst_cr = (uint16_t)((rwc->dst_cr + increment) & RWC_DST_MASK);
}

/* Advances the counters as ApplyPartialAddrMod, for SFPLOAD, SFPSTORE and SFPLOADMACRO. config: the thread's
 * ThreadConfig; i: the ADDR_MOD, 0..7. */
static inline void rwc_apply_partial(struct rwc *rwc, const uint16_t *config, unsigned i) {
    unsigned ab = config[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i];
    unsigned dst = config[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i];
    if (BH_UNLIKELY(ab)) {
        rwc_apply_src(&rwc->src_a, &rwc->src_a_cr, ab);
        rwc_apply_src(&rwc->src_b, &rwc->src_b_cr, ab >> 8);
    }
    rwc_apply_dst(rwc, dst);
}

/* Advances the counters as ApplyAddrMod, for the Matrix Unit. */
static inline __attribute__((always_inline)) void rwc_apply(struct rwc *rwc, const uint16_t *config, unsigned i) {
    unsigned fidelity = config[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] >> 13;
    rwc_apply_partial(rwc, config, i);
    if (fidelity)
        rwc->fidelity = fidelity & 4 ? 0 : (uint8_t)((rwc->fidelity + fidelity) & RWC_FIDELITY_MASK);
}

#endif
