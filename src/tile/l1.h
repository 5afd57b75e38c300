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

/* May these bytes be code, or words that a core or the coprocessor waits for? */
static inline bool l1_has_marks(const struct tile *tile, uint32_t address, uint32_t size) {
    enum { GRAINS = 8 }; /* at a glance */
    const uint64_t cares = UINT64_C(0x0101010101010101) * (MARK_CODE | MARK_WATCHED);
    uint32_t first = address >> CORE_CODE_GRAIN, more = ((address + size - 1) >> CORE_CODE_GRAIN) - first;
    uint64_t marks;
    if (more >= GRAINS || first + GRAINS > TILE_MARKS)
        return true;
    memcpy(&marks, tile->marks + first, sizeof marks);
    return marks << (56 - 8 * more) & cares;
}

/* These bytes, of which there are some, are about to change: where they are. Precondition: L1 holds them. */
static inline uint8_t *l1_begin(struct tile *tile, uint32_t address, uint32_t size) {
    if (BH_UNLIKELY(loose_has_lent(&tile->mail.loose, address, size)))
        loose_keep(tile, address, size);
    return tile->l1 + address;
}

/* They have been written, at this time. */
static inline void l1_end(struct tile *tile, uint32_t address, uint32_t size, uint64_t time) {
    if (BH_UNLIKELY(l1_has_marks(tile, address, size)))
        tile_l1_tell(tile, address, size, time);
}

/* Both; the data may be from there. */
static inline void l1_write(struct tile *tile, uint32_t address, const void *data, uint32_t size, uint64_t time) {
    memmove(l1_begin(tile, address, size), data, size);
    l1_end(tile, address, size, time);
}

#endif
