/* The interpreter with cycle timing: see interp.h. */
#define CORE_TIMED 1
#define CORE_RUN   core_run_cycles
#include "riscv/interp.h"
