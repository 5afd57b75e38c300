/* RWCs: a thread's counters of rows, for the Matrix and the Vector Unit. Source: RWCs.md (WH, with Blackhole's eight
 * ADDR_MODs and the stack pointer of SFPLOAD.md). */
#ifndef TENSIX_REGS_RWC_H
#define TENSIX_REGS_RWC_H

#include <stdint.h>

struct rwc {
    uint16_t dst, dst_cr; /* 10 bits */
    uint16_t sp;          /* 10 bits: the Vector Unit's stack in Dst */
    uint8_t src_a, src_a_cr, src_b, src_b_cr; /* 6 bits */
    uint8_t fidelity;                         /* 2 bits */
    uint8_t extra_addr_mod;                   /* 1 bit */
};

#endif
