/* Which instructions a tile has run: words decoded for execution, by row of the instruction tables. A word counts when
 * it is run for the first time, and again after it has been overwritten, so that counting costs nothing later. */
#ifndef ISA_COVERAGE_H
#define ISA_COVERAGE_H

#include <stdint.h>

#include "isa/riscv.h"
#include "isa/tensix.h"

struct coverage {
    uint32_t riscv[RV_COUNT];
    uint32_t tensix[TENSIX_ROW_COUNT + 1]; /* pushed by .ttinsn; the last one: no such opcode */
};

#endif
