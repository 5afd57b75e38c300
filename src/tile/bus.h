/* Declarations that the files of the bus share: an access, and the functions that handle it.
 *
 *     bus.c             the map, memory; the coprocessor's, the NoC's and the host's side
 *     bus_core.c        the cores' side: loads, stores, pushes, the hot path
 *     bus_registers.c   registers: the block behind each of them */
#ifndef TILE_BUS_H
#define TILE_BUS_H

#include "isa/memmap.h"
#include "tile/tile.h"

/* One access: its viewer, address and time. */
struct visit {
    const struct memmap_region *region;
    unsigned viewer; /* enum bh_core or MEMMAP_NOC */
    uint32_t address;
    uint64_t time;
};

static inline uint32_t visit_offset(const struct visit *visit) {
    return visit->address - visit->region->base;
}

/* ---- Memory: L1 and the local memories (bus.c) ---- */

static inline bool bus_is_memory(const struct memmap_region *region) {
    return region->kind == MEMMAP_L1 || region->kind == MEMMAP_LDM || region->kind == MEMMAP_SLOW_LDM;
}

/* Returns the core whose local memory the access is for; NULL if it is for L1. */
struct core *bus_ldm_owner(struct tile *tile, const struct visit *visit);
/* Returns a pointer to the byte at the address. Sets *run to the number of bytes from there on without a gap. */
uint8_t *bus_memory(struct tile *tile, const struct visit *visit, uint32_t *run);
/* Announce a write of `size` bytes, before it and after it. */
void bus_memory_changes(struct tile *tile, const struct visit *visit, uint32_t size);
void bus_memory_changed(struct tile *tile, const struct visit *visit, uint32_t size);

/* ---- Registers (bus_registers.c) ---- */

/* Access a register with the side effects of the hardware. */
struct access bus_register_read(struct tile *tile, const struct visit *visit, uint32_t *value);
struct access bus_register_write(struct tile *tile, const struct visit *visit, uint32_t value);
/* Access a register without side effects. */
struct access bus_register_peek(const struct tile *tile, const struct visit *visit, uint32_t *value);
struct access bus_register_poke(struct tile *tile, const struct visit *visit, uint32_t value);
/* Reads a register of an overlay stream. */
struct access bus_stream_read(struct tile *tile, const struct visit *visit, uint32_t *value);

/* Executes a core's store to a push window (bus_core.c). */
struct access bus_push_to(struct tile *tile, const struct visit *visit, uint32_t word);

#endif
