/* The debug bus (debug daisychain): DBG_BUS_CTRL selects a group of 128 signals, DBG_RD_DATA shows 32 of them, and
 * DBG_L1_MEM_REG0 to 2 have whole groups written to L1.
 *
 * Sources: WormholeB0/TensixTile/DebugDaisychain.md for what signals mean, tt-exalens for where Blackhole has them.
 * debug_bus.def lists the groups. Refused: groups that are not modelled, by name. Other signals of a group read 0.
 *
 * Assumed: the pc of a core is that of its next instruction in all groups that have one; counters of one user lie side
 * by side in the group of a thread's fidelity phases; samples in a row begin with the cycle in which they are asked
 * for.
 * Inexact: what is shown is of the cycle of the access, and not five cycles old; L1 always takes a sample. With
 * tile.debug_flaws, samples of every cycle are one more than was asked for, and groups that are not modelled read 0, so
 * that a tool which dumps all of them gets through. */
#ifndef TILE_DEBUG_BUS_H
#define TILE_DEBUG_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

struct tile;

/* The samples that go to L1, in units of 16 bytes. */
struct debug_bus {
    uint32_t position; /* of the next sample */
    uint32_t left;     /* samples that are still to be taken by themselves */
    uint32_t interval; /* cycles between these */
    uint32_t unused;   /* no padding */
    uint64_t due;      /* cycle of the next one; UINT64_MAX: none */
};

void debug_bus_init(struct debug_bus *bus);

/* Reads DBG_RD_DATA. The coprocessor has run up to this time. */
struct access debug_bus_read(const struct tile *tile, uint32_t *value);
/* Writes DBG_L1_MEM_REG2. */
struct access debug_bus_write(struct tile *tile, uint32_t value, uint64_t time);
/* Takes the samples that are due at the tile's time. */
void debug_bus_run(struct tile *tile);

#endif
