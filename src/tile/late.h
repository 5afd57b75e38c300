/* Stores of cores that land late, and requests whose bytes are read late: the state of a tile whose delays vary
 * (vary/vary.h).
 *
 * A core's stores to L1 land in order; its stores to registers may overtake them. A load of a byte that has not landed
 * waits for it, as does any load from L1 after a fence; an atomic waits for all stores (MemoryOrdering.md). Since the
 * core that executes such a load has to wait for the landing (late_holds), no reader ever needs the bytes of a late
 * store from here.
 *
 * A NIU reads the bytes of a write when the request leaves, not when it is made. */
#ifndef TILE_LATE_H
#define TILE_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/transaction.h"
#include "vary/vary.h"

struct tile;
struct core;

enum { LATE_STORES = 24, LATE_SENDS = 8 };

struct late_store {
    uint64_t time; /* cycle in which the store lands */
    uint32_t address, value;
    uint8_t size, core;
    uint8_t unused[6];
};

/* Saved state, all zero if nothing varies. tile->late_due is the cycle of the first landing or sending. */
struct late {
    uint32_t events[VARY_COUNTED][VARY_AGENTS]; /* numbers of the tile's events so far (vary_tile.number) */
    uint8_t stores, sends;
    uint8_t fenced; /* mask of cores whose loads from L1 wait for all of their stores */
    uint8_t unused;
    struct late_store store[LATE_STORES]; /* for each core, in the order of its program */
    struct transaction send[LATE_SENDS];  /* the request, and the instruction that made it */
};

/* Lets the delays of a tile vary. NULL: nothing varies from now on, and everything that is late lands. */
void tile_vary(struct tile *tile, struct vary_tile *vary);

/* Lands stores and sends requests up to the tile's time. Precondition: no agent runs. */
void late_land(struct tile *tile);
/* Recomputes tile.late_due, after a change of what is due. */
void late_find_due(struct tile *tile);

/* Precondition of the functions below: tile->vary is set. */

/* Accepts a store of the running core that will land late. Returns false if the store lands at once. */
bool late_stores(struct tile *tile, uint32_t address, uint32_t value, unsigned size, uint64_t time);
/* Returns the number of cycles for which the instruction at pc has to wait for stores of its core. */
unsigned late_holds(struct tile *tile, struct core *core, uint32_t pc, uint64_t time);
/* Stops the core for a while after this instruction. */
void late_gap(struct tile *tile, struct core *core);
/* Accepts a request that leaves later. Returns false if it is sent now. */
bool late_sends(struct tile *tile, const struct noc_request *request);

#endif
