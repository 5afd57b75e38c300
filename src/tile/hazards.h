/* What a tile reports to the search for hazards (hazard/hazard.h): instructions of its cores, and packets. */
#ifndef TILE_HAZARDS_H
#define TILE_HAZARDS_H

#include "hazard/hazard.h"
#include "noc/transaction.h"

struct core;
struct tile;

/* Attaches the search to every block of the tile. NULL detaches it. */
void tile_find_hazards(struct tile *tile, struct hazard_tile *hazards);
/* Begins the check of a tile, or begins it again after the tile got another state. Forgets what was known about
 * circular buffers, and records which cores are running. */
void tile_hazards_begin(struct tile *tile, bool is_new);
/* Records that each core that is not in reset has started a program before the check began. */
void tile_hazards_note_cores(struct tile *tile);
/* Records that the programs of all running cores end here. */
void tile_hazards_end_cores(struct tile *tile);

/* The functions for core_port.step, loaded and stored. */
void tile_hazards_step(void *owner, const struct core *core, uint32_t pc, uint64_t time);
void tile_hazards_loaded(void *owner, const struct core *by, uint32_t address);
void tile_hazards_stored(void *owner, const struct core *by, uint32_t address, uint32_t value);
/* Report a request that the tile sends, the number of receivers of a multicast that leaves it, and a packet that
 * reaches it. */
void tile_hazards_sent(struct hazard_tile *h, struct transaction *transaction);
void tile_hazards_multicast_left(struct hazard_tile *h, const struct transaction *transaction, unsigned receivers);
void tile_hazards_arrived(struct hazard_tile *h, const struct transaction *transaction, uint64_t time);

#endif
