/* The address map of Tensix and Ethernet tiles: memmap.def as a table, searched by address. */
#include "isa/memmap.h"

#include <stddef.h>

const struct memmap_region memmap[MEMMAP_COUNT] = {
#define REGION(id, base, size, name, seen_by, kind, unit, latency) { name, base, size, seen_by, kind, unit, latency },
#include "isa/memmap.def"
};

#define REGISTERS \
    0xFFB00000u /* every row except those of L1 begins here or above; the last one ends at the end of the address \
                   space */
#define PAGE_SHIFT 12
#define PAGE(at)   (((at)-REGISTERS) >> PAGE_SHIFT)

/* For each page, the last row that lies in it. Other rows of the page, and rows of other viewers, precede that row. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"      /* case ranges */
#pragma GCC diagnostic ignored "-Woverride-init" /* a later row overrides the page */
static const uint8_t last_row[PAGE(UINT32_C(0xFFF00000))] = {
#define REGION(id, base, size, name, seen_by, kind, unit, latency) \
    [(base) < REGISTERS ? 0 : PAGE(base)...(base) < REGISTERS ? 0 : PAGE((base) + (size)-1)] = MEMMAP_ROW_##id,
#include "isa/memmap.def"
};
#pragma GCC diagnostic pop

static unsigned row_near(uint32_t address) {
    if (address < REGISTERS)
        return MEMMAP_ROW_L1;
    return PAGE(address) < sizeof last_row ? last_row[PAGE(address)] : MEMMAP_COUNT - 1;
}

static const struct memmap_region *find(uint32_t address, unsigned seen_by) {
    for (unsigned i = row_near(address) + 1; i-- > 0;) {
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

/* Returns the row of a Tensix tile with this index. */
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
