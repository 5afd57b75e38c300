/* The vector unit of TRISC2: RISC-V V 1.0 with VLEN 128 and ELEN 32, except for what the hardware omits.
 *
 * Sources: RISC-V "V" extension 1.0; Blackhole BabyRISCV/InstructionSet.md and CSRs.md for the differences (vstart
 * always 0, tail and masked-off elements always undisturbed, no vill bit, no division, square root or reciprocal).
 * docs/riscv-vector.md lists the assumptions. */
#ifndef RISCV_RVV_VEC_H
#define RISCV_RVV_VEC_H

#include <stdbool.h>
#include <stdint.h>

#include "riscv/core.h"

#define VEC_VLEN  128u /* bits of a vector register */
#define VEC_BYTES (VEC_VLEN / 8)

enum vec_result {
    VEC_DONE,
    VEC_ILLEGAL, /* reserved encoding, or not allowed by the current vtype; nothing has changed */
    VEC_FAULT,   /* an element's access faulted; the elements before it are done */
    VEC_WAIT,    /* the access of an element cannot complete yet: execute the same word again to continue there */
};

/* Access to the memory of the core, in sizes of 1, 2 or 4 bytes. The port checks alignment. */
struct vec_port {
    void *owner;
    enum bus_result (*load)(void *owner, uint32_t address, unsigned size, uint32_t *value);
    enum bus_result (*store)(void *owner, uint32_t address, unsigned size, uint32_t value);
    /* Returns, without side effects, whether a load would fault; for fault-only-first loads. */
    bool (*load_faults)(void *owner, uint32_t address, unsigned size);
};

/* Executes one vector instruction. x[32] takes the writes to x0; f has 32 registers. Sets *cycles to the time for which
 * the instruction occupies the core, at least 1. */
enum vec_result vec_execute(struct vec_state *v, const struct vec_port *port, uint32_t word, uint32_t *x, uint32_t *f,
                            uint32_t cfg0, uint32_t *fcsr, unsigned *cycles);

/* Sets the state after reset. */
void vec_reset(struct vec_state *v);

#endif
