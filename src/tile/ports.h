/* Access ports and banks of L1, for which cores compete (ports.c). */
#ifndef TILE_PORTS_H
#define TILE_PORTS_H

#include "tile/tile.h"

/* Sets the delays of the core's bursts in the window of its time. Returns false if another agent of the tile comes
 * first. */
bool ports_share(struct tile *tile, struct core *core);

#endif
