/* The address map of Tensix and Ethernet tiles: memmap.def as a table, searched by address. */
#include "isa/memmap.h"

#include <stddef.h>

const struct memmap_region memmap[MEMMAP_COUNT] = {
#define REGION(id, base, size, name, seen_by, kind, unit, latency) { name, base, size, seen_by, kind, unit, latency },
#include "isa/memmap.def"
};

/* The last row that starts at or before the address; row 0 starts at 0. */
static unsigned last_row(uint32_t address) {
    unsigned low = 0, high = MEMMAP_COUNT;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (memmap[middle].base <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const struct memmap_region *find(uint32_t address, unsigned seen_by) {
    /* Rows of several viewers overlap, so the one in question may stand a few rows earlier. */
    for (unsigned i = last_row(address) + 1; i-- > 0;) {
        const struct memmap_region *region = &memmap[i];
        if (address - region->base < region->size && (region->seen_by & seen_by))
            return region;
    }
    return NULL;
}

const struct memmap_region *memmap_find(uint32_t address, unsigned viewer) {
    return find(address, 1u << viewer);
}

const struct memmap_region *memmap_anyone(uint32_t address) {
    return find(address, SEEN_ALL);
}

/* The rows that a Tensix tile has. */
static const struct memmap_region *tensix_row(unsigned index) {
    for (unsigned i = 0; i < MEMMAP_COUNT; i++)
        if (memmap[i].seen_by & SEEN_ALL && index-- == 0)
            return &memmap[i];
    return NULL;
}

bh_status bh_region_at(unsigned index, struct bh_region *region) {
    const struct memmap_region *row = tensix_row(index);
    if (!row || !region)
        return BH_ERR_ARGUMENT;
    *region = (struct bh_region){
        .name = row->name,
        .base = row->base,
        .size = row->size,
        .cores = row->seen_by & BH_ALL_CORES,
        .noc = (row->seen_by & SEEN_NOC) != 0,
        .load_latency = row->latency,
    };
    return BH_OK;
}
