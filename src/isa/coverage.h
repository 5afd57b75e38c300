/* The instructions that a tile has executed: words decoded for execution, by row of the instruction tables. A word
 * counts when it is first executed, and again after it has been overwritten; later executions cost nothing. */
#ifndef ISA_COVERAGE_H
#define ISA_COVERAGE_H

#include <stdint.h>

#include "isa/riscv.h"
#include "isa/tensix.h"

struct coverage {
    uint32_t riscv[RV_COUNT];
    uint32_t tensix[TENSIX_ROW_COUNT + 1]; /* pushed by .ttinsn; the last entry counts unknown opcodes */
};

#endif
