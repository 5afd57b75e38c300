/* The vector part of TRISC2: RISC-V V 1.0 with VLEN 128 and ELEN 32, less what the hardware leaves out.
 *
 * Sources: RISC-V "V" extension 1.0; Blackhole BabyRISCV/InstructionSet.md and CSRs.md for the differences (vstart
 * always 0, tail and masked-off elements always undisturbed, no vill bit, no division, square root or reciprocal).
 * Assumptions stand in docs/riscv-vector.md.
 */
#ifndef RISCV_VEC_H
#define RISCV_VEC_H

#include <stdbool.h>
#include <stdint.h>

#include "riscv/core.h"

#define VEC_VLEN  128u /* bits of a vector register */
#define VEC_BYTES (VEC_VLEN / 8)

enum vec_result {
    VEC_DONE,
    VEC_ILLEGAL, /* reserved encoding, or one that the current vtype does not allow; nothing has changed */
    VEC_FAULT,   /* an element's access faulted; the elements before it are done */
    VEC_WAIT,    /* an element's access cannot be made yet: execute the same word again to go on from there */
};

/* Memory as the core sees it; sizes are 1, 2 or 4 bytes. The port judges alignment. */
struct vec_port {
    void *owner;
    enum bus_result (*load)(void *owner, uint32_t address, unsigned size, uint32_t *value);
    enum bus_result (*store)(void *owner, uint32_t address, unsigned size, uint32_t value);
    /* Would this load fault? Has no effects and raises nothing: fault-only-first loads ask it. */
    bool (*load_faults)(void *owner, uint32_t address, unsigned size);
};

/* Executes one vector instruction. x[32] takes the writes to x0; f has 32 registers. *cycles: how long it occupies the
 * core, at least 1. */
enum vec_result vec_execute(struct vec_state *v, const struct vec_port *port, uint32_t word, uint32_t *x, uint32_t *f,
                            uint32_t cfg0, uint32_t *fcsr, unsigned *cycles);

/* State after reset. */
void vec_reset(struct vec_state *v);

#endif
