/* The debug bus (debug daisychain). DBG_BUS_CTRL selects a group of 128 signals, DBG_RD_DATA shows 32 of them, and
 * DBG_L1_MEM_REG0 to 2 let whole groups be written to L1.
 *
 * Sources: WormholeB0/TensixTile/DebugDaisychain.md for the meanings of signals, tt-exalens for their positions on
 * Blackhole. debug_bus.def lists the groups. Groups that are not modelled are refused, by name. Other signals of a
 * group read as 0.
 *
 * Assumed: the pc of a core is that of its next instruction in all groups that have one; counters of one user are side
 * by side in the group of a thread's fidelity phases; samples in a row begin with the cycle in which they are
 * requested. Inexact: signals are shown as of the cycle of the access, not five cycles old; L1 always accepts a sample.
 * With tile.debug_flaws, samples of every cycle are one more than requested, and groups that are not modelled read as
 * 0, so that a tool that dumps all of them gets through. */
#ifndef TILE_DEBUG_BUS_H
#define TILE_DEBUG_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

struct tile;

/* The state of the samples that are written to L1, in units of 16 bytes. */
struct debug_bus {
    uint32_t position; /* position of the next sample */
    uint32_t left;     /* number of samples left to take automatically */
    uint32_t interval; /* cycles between these samples */
    uint32_t unused;   /* instead of padding */
    uint64_t due;      /* cycle of the next automatic sample; UINT64_MAX: none */
};

void debug_bus_init(struct debug_bus *bus);

/* Reads DBG_RD_DATA. Precondition: the coprocessor has run up to this time. */
struct access debug_bus_read(const struct tile *tile, uint32_t *value);
/* Writes DBG_L1_MEM_REG2. */
struct access debug_bus_write(struct tile *tile, uint32_t value, uint64_t time);
/* Takes the samples that are due at the tile's time. */
void debug_bus_run(struct tile *tile);

#endif
