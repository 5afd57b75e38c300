/* The instructions that a tile has executed: counts of words decoded for execution, by row of the instruction tables. A
 * word counts when it is first executed, and once more after it has been overwritten. Further executions cost
 * nothing. */
#ifndef ISA_COVERAGE_H
#define ISA_COVERAGE_H

#include <stdint.h>

#include "isa/riscv.h"
#include "isa/tensix.h"

struct coverage {
    uint32_t riscv[RV_COUNT];
    uint32_t tensix[TENSIX_ROW_COUNT + 1]; /* words pushed by .ttinsn; the last entry counts unknown opcodes */
};

#endif
