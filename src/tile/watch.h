/* What a tile tells whoever watches it: its wiring, and the packets that go out and come in. */
#ifndef TILE_WATCH_H
#define TILE_WATCH_H

#include "observe/observe.h"
#include "tile/deliver.h"

struct tile;

/* The observer that every block of the tile tells, NULL for none. */
void tile_watch(struct tile *tile, struct observer *observer, uint64_t now);

/* A packet has been sent, or has come. There is an observer. */
void watch_sent(const struct mail *mail, const struct noc_grid *grid, const struct transaction *transaction);
/* time: in which it has come. */
void watch_came(const struct place *place, const struct transaction *transaction, uint64_t time);

#endif
