/* Registers of the performance counters (PERF_CNT_*): which bank they belong to, and what reads and writes do. The
 * coprocessor counts (tensix/count.h); values last written stand in the control registers. */
#ifndef TILE_PERF_H
#define TILE_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

struct tile;

/* Returns whether an access to a control register is one of these. Reads of what was written are not. */
bool perf_concerns(uint32_t address, bool loads);
/* Reads OUT_L and OUT_H. Precondition: perf_concerns. Everything before `time` is run. */
struct access perf_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
/* Reads without running the coprocessor, which has been run up to the tile's time. */
struct access perf_peek(const struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
/* Writes; the effect begins in the next cycle. Precondition: perf_concerns. */
struct access perf_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);

#endif
