/* Records of a tile for its observer: attaches observers, and records packets in both directions. */
#ifndef TILE_WATCH_H
#define TILE_WATCH_H

#include "observe/observe.h"
#include "tile/deliver.h"

struct tile;

/* Attaches an observer to every block of the tile; NULL detaches it. */
void tile_watch(struct tile *tile, struct observer *observer, uint64_t now);

/* Record a packet that has been sent or received. Precondition: the tile has an observer. */
void watch_sent(const struct mail *mail, const struct noc_grid *grid, const struct transaction *transaction);
/* time: cycle of arrival. */
void watch_came(const struct endpoint *endpoint, const struct transaction *transaction, uint64_t time);

/* Do the same for frames on the tile's cable. */
struct eth_frame;
void watch_frame_sent(const struct mail *mail, const struct eth_frame *frame);
void watch_frame_came(const struct mail *mail, const struct eth_frame *frame);

#endif
