/* Registers of the performance counters (PERF_CNT_*): the bank that each belongs to, and the effects of reads and
 * writes. The coprocessor counts (tensix/count.h); the control registers have the values last written. Requests of
 * cores and NIUs to L1, which the coprocessor does not see, are counted here. With tile.debug_flaws, counters that no
 * document names read as 0. */
#ifndef TILE_PERF_H
#define TILE_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"

struct core;
struct tile;

struct perf {
    uint64_t counted[BH_CORE_COUNT]; /* number, from 1 on, of each core's last instruction whose request was counted */
};

/* Returns whether an access to a control register has an effect here. Reads of a value that was written have none. */
bool perf_concerns(uint32_t address, bool loads);
/* Reads OUT_L and OUT_H; runs everything before `time` first. Precondition: perf_concerns. */
struct access perf_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
/* Reads without running the coprocessor. Precondition: it has been run up to the tile's time. */
struct access perf_peek(const struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
/* Writes a register; the effect begins in the next cycle. Precondition: perf_concerns. */
struct access perf_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);

/* Lets cores report their accesses if the counters of L1 run, and not otherwise. */
void perf_refresh(struct tile *tile);
/* Counts the requests of an instruction that a core is about to execute, or to try again. Precondition:
 * CORE_REPORTS_PORTS. */
void perf_step(struct tile *tile, const struct core *core, uint32_t pc, uint64_t time);
/* Counts the requests of a NIU that reads or writes bytes of L1. Precondition: a bank of counters runs. */
void perf_noc(struct tile *tile, unsigned noc, bool reads, uint32_t size, uint64_t time);

#endif
