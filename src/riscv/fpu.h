/* The F and Zfh instructions of a baby core, except loads and stores.
 *
 * Sources: Blackhole BabyRISCV/InstructionSet.md (instructions, rounding, denormals) and CSRs.md (cfg0, fcsr). The
 * rounding modes of an instruction and of fcsr are ignored. Inexact or assumed: docs/riscv-float.md. */
#ifndef RISCV_FPU_H
#define RISCV_FPU_H

#include <stdint.h>

#include "isa/riscv.h"
#include "numeric/fp16.h"
#include "riscv/core.h"

/* The upper 16 bits of a register that holds a half: all ones. */
#define FPU_BOX UINT32_C(0xFFFF0000)

/* Returns the format of halves that cfg0 selects. */
static inline enum fp16_mode fpu_half_mode(uint32_t cfg0) {
    if (!(cfg0 & CFG0_EN_BFLOAT))
        return FP16_HALF;
    return cfg0 & CFG0_EN_BFLOAT_RTNE ? FP16_BRAIN_NEAREST : FP16_BRAIN_CHOP;
}

/* Returns the half in a register. A register that is not boxed counts as NaN. */
static inline uint16_t fpu_unbox(enum fp16_mode mode, uint32_t value) {
    return value >= FPU_BOX ? (uint16_t)value : fp16_nan(mode);
}

/* Executes an instruction of class RV_CLASS_FLOAT. x has 33 entries, the last of which takes the writes to x0; f has
 * 32. rs2 and rs3 are used only if the instruction has them. Flags are ORed into *fcsr. */
void fpu_execute(enum rv_id id, uint8_t rd, uint8_t rs1, uint8_t rs2, uint8_t rs3, uint32_t *x, uint32_t *f,
                 uint32_t cfg0, uint32_t *fcsr);

#endif
