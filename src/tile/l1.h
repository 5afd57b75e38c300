/* The one way to write a tile's L1: say so before and after. What was there may be on loan to packets, and is kept
 * first (loose.h); what is there afterwards may be code or what a core or the coprocessor waits for.
 */
#ifndef TILE_L1_H
#define TILE_L1_H

#include <string.h>

#include "base/check.h"
#include "tile/tile.h"

/* Are all of these bytes in L1? */
static inline bool l1_holds(const struct tile *tile, uint64_t address, uint64_t size) {
    return address < tile_l1_size(tile) && size <= tile_l1_size(tile) - address;
}

/* These bytes, of which there are some, are about to change: where they are. Precondition: L1 holds them. */
static inline uint8_t *l1_begin(struct tile *tile, uint32_t address, uint32_t size) {
    tile_l1_changes(tile, address, size);
    return tile->l1 + address;
}

/* They have been written, at this time. */
static inline void l1_end(struct tile *tile, uint32_t address, uint32_t size, uint64_t time) {
    tile_l1_written(tile, address, size, time);
}

/* Both; the data may be from there. */
static inline void l1_write(struct tile *tile, uint32_t address, const void *data, uint32_t size, uint64_t time) {
    memmove(l1_begin(tile, address, size), data, size);
    l1_end(tile, address, size, time);
}

#endif
