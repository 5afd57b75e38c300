/* The interpreter with loose timing: see interp.h. */
#define CORE_TIMED 0
#define CORE_RUN   core_run_loose
#include "riscv/interp.h"
