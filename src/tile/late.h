/* Stores of cores that land late, and requests whose bytes are read late: what a tile keeps while its delays vary
 * (vary/vary.h).
 *
 * A core's stores to L1 land in order; its stores to registers may pass them. A load of a byte that has not landed
 * waits for it, and so does, behind a fence, any load from L1; an atomic waits for all (MemoryOrdering.md). A core that
 * executes such a load has to wait for the landing (late_holds), so nobody ever needs the bytes of a late store from
 * here.
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
    uint64_t time; /* in which it lands */
    uint32_t address, value;
    uint8_t size, core;
    uint8_t unused[6];
};

/* Saved, all zero if nothing varies. The cycle of the first landing or sending is tile->late_due. */
struct late {
    uint32_t events[VARY_COUNTED][VARY_AGENTS]; /* counts of the tile's events (vary_tile.number) */
    uint8_t stores, sends;
    uint8_t fenced; /* mask of cores: a load from L1 waits for all stores */
    uint8_t unused;
    struct late_store store[LATE_STORES]; /* in the order of the program, for each core */
    struct transaction send[LATE_SENDS];  /* its request, and the instruction that made it */
};

/* Lets the delays of a tile vary; NULL: from now on nothing does, and what is late lands. */
void tile_vary(struct tile *tile, struct vary_tile *vary);

/* Lands stores and sends requests up to the tile's time. Precondition: no agent runs. */
void late_land(struct tile *tile);
/* Recomputes tile.late_due, after a change of what is due. */
void late_find_due(struct tile *tile);

/* The functions below have the precondition that tile->vary is set. */

/* Takes a store of the running core. Returns false if the store lands at once. */
bool late_stores(struct tile *tile, uint32_t address, uint32_t value, unsigned size, uint64_t time);
/* Returns the cycles for which the instruction at pc has to wait for stores of its core. */
unsigned late_holds(struct tile *tile, struct core *core, uint32_t pc, uint64_t time);
/* Lets the core stand still for a while, behind this instruction. */
void late_gap(struct tile *tile, struct core *core);
/* Takes a request that leaves later. Returns false if it is sent now. */
bool late_sends(struct tile *tile, const struct noc_request *request);

#endif
