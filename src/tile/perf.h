/* Registers of the performance counters (PERF_CNT_*): which bank they belong to, and what reads and writes do. The
 * coprocessor counts (tensix/count.h); values last written stand in the control registers. Here are also requests of
 * cores and NIUs to L1, which the coprocessor does not see. */
#ifndef TILE_PERF_H
#define TILE_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"

struct core;
struct tile;

struct perf {
    uint64_t counted[BH_CORE_COUNT]; /* the last instruction of a core whose request was counted, from 1 on */
};

/* Returns whether an access to a control register is one of these. Reads of what was written are not. */
bool perf_concerns(uint32_t address, bool loads);
/* Reads OUT_L and OUT_H. Precondition: perf_concerns. Everything before `time` is run. */
struct access perf_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
/* Reads without running the coprocessor, which has been run up to the tile's time. */
struct access perf_peek(const struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
/* Writes; the effect begins in the next cycle. Precondition: perf_concerns. */
struct access perf_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);

/* Lets cores report their accesses if the counters of L1 count. */
void perf_refresh(struct tile *tile);
/* A core is about to execute an instruction, or to try it again. Precondition: CORE_REPORTS_PORTS. */
void perf_step(struct tile *tile, const struct core *core, uint32_t pc, uint64_t time);
/* A NIU reads or writes bytes of L1. Precondition: a bank counts. */
void perf_noc(struct tile *tile, unsigned noc, bool reads, uint32_t size, uint64_t time);

#endif
