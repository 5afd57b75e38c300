/* Writes to a tile's L1. Every write is announced before and after. Before: the old bytes may be on loan to packets and
 * are copied first (loose.h). After: the new bytes may be code, or words for which a core or the coprocessor waits. */
#ifndef TILE_L1_H
#define TILE_L1_H

#include <string.h>

#include "base/check.h"
#include "tile/tile.h"

/* Returns whether all of these bytes are in L1. */
static inline bool l1_holds(const struct tile *tile, uint64_t address, uint64_t size) {
    return address < tile_l1_size(tile) && size <= tile_l1_size(tile) - address;
}

/* Returns whether these bytes may be code, words for which a core or the coprocessor waits, or bytes of a
 * watchpoint. */
static inline bool l1_has_marks(const struct tile *tile, uint32_t address, uint32_t size) {
    enum { GRAINS = 8 }; /* grains that one comparison covers */
    const uint64_t cares = UINT64_C(0x0101010101010101) * (MARK_CODE | MARK_WATCHED | MARK_DEBUG);
    uint32_t first = address >> CORE_CODE_GRAIN, more = ((address + size - 1) >> CORE_CODE_GRAIN) - first;
    uint64_t marks;
    if (more >= GRAINS || first + GRAINS > TILE_MARKS)
        return true;
    memcpy(&marks, tile->marks + first, sizeof marks);
    return marks << (56 - 8 * more) & cares;
}

/* Announces a write and returns the address of the bytes in the host's memory. Precondition: size > 0, and
 * l1_holds(). */
static inline uint8_t *l1_begin(struct tile *tile, uint32_t address, uint32_t size) {
    BH_ASSERT(size && l1_holds(tile, address, size));
    if (BH_UNLIKELY(loose_has_lent(&tile->mail.loose, address, size)))
        loose_keep(tile, address, size);
    return tile->l1 + address;
}

/* Announces that the bytes have been written, at this time. */
static inline void l1_end(struct tile *tile, uint32_t address, uint32_t size, uint64_t time) {
    BH_ASSERT(size && l1_holds(tile, address, size));
    if (BH_UNLIKELY(l1_has_marks(tile, address, size)))
        tile_l1_notify(tile, address, size, time);
}

/* Writes bytes, with both announcements. The data may overlap the target. */
static inline void l1_write(struct tile *tile, uint32_t address, const void *data, uint32_t size, uint64_t time) {
    memmove(l1_begin(tile, address, size), data, size);
    l1_end(tile, address, size, time);
}

#endif
