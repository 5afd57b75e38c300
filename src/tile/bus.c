/* The address space of a Tensix or Ethernet tile: the map, memory, and the accesses of the coprocessor, the NoC and the
 * host.
 *
 * isa/memmap.def maps addresses to blocks, for each viewer. A block returns a struct access, which becomes a value, a
 * wait or a fault for a core (bus_core.c), and a status for the NoC. bus_registers.c has the block of each register. */
#include "tile/bus.h"

#include <string.h>

#include "tile/l1.h"

/* ---- Memory: L1 and the local memories ------------------------------------------------------ */

struct core *bus_ldm_owner(struct tile *tile, const struct visit *visit) {
    switch (visit->region->kind) {
    case MEMMAP_LDM: return &tile->core[visit->viewer];
    case MEMMAP_SLOW_LDM: return &tile->core[visit->region->unit];
    default: return NULL;
    }
}

/* A local memory that is smaller than its window of 4 KiB appears in it twice. */
uint8_t *bus_memory(struct tile *tile, const struct visit *visit, uint32_t *run) {
    struct core *owner = bus_ldm_owner(tile, visit);
    uint32_t offset = visit_offset(visit);
    if (!owner) {
        *run = visit->region->size - offset;
        return tile->l1 + offset;
    }
    offset &= owner->ldm_size - 1;
    *run = owner->ldm_size - offset;
    return owner->ldm + offset;
}

void bus_memory_changes(struct tile *tile, const struct visit *visit, uint32_t size) {
    if (visit->region->kind == MEMMAP_L1)
        (void)l1_begin(tile, visit->address, size);
}

void bus_memory_changed(struct tile *tile, const struct visit *visit, uint32_t size) {
    if (visit->region->kind == MEMMAP_L1)
        l1_end(tile, visit->address, size, visit->time);
    else
        tile_event(tile, visit->time);
}

/* ---- The coprocessor's side ------------------------------------------------------------------------ */

/* Fills in the visit; returns false if there is none. The coprocessor sees registers and the windows on local memories
 * as BRISC does. Core-private addresses mean nothing to it. */
static bool visit_by_tensix(uint32_t address, uint64_t time, struct visit *visit) {
    *visit = (struct visit){ memmap_find(address, BH_BRISC), BH_BRISC, address, time };
    return visit->region && (!bus_is_memory(visit->region) || visit->region->kind == MEMMAP_SLOW_LDM);
}

static struct access not_for_tensix(void) {
    return access_refused(BH_FAULT_UNMAPPED, "the coprocessor reaches nothing there");
}

struct access tile_register_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value) {
    struct visit visit;
    uint32_t run;
    if (!visit_by_tensix(address, time, &visit))
        return not_for_tensix();
    if (!bus_is_memory(visit.region))
        return bus_register_read(tile, &visit, value);
    memcpy(value, bus_memory(tile, &visit, &run), sizeof *value);
    return access_done();
}

struct access tile_register_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    struct visit visit;
    uint32_t run;
    if (!visit_by_tensix(address, time, &visit))
        return not_for_tensix();
    if (!bus_is_memory(visit.region))
        return bus_register_write(tile, &visit, value);
    memcpy(bus_memory(tile, &visit, &run), &value, sizeof value);
    bus_memory_changed(tile, &visit, sizeof value);
    return access_done();
}

/* ---- The NoC's and the host's side ------------------------------------------------------------- */

static bh_status status_of(struct access access, const char **why) {
    if (access.result == ACCESS_DONE)
        return BH_OK;
    *why = access.text;
    switch (access.kind) {
    case BH_FAULT_UNMODELLED: return BH_ERR_UNMODELLED;
    case BH_FAULT_MISALIGNED: return BH_ERR_ALIGNMENT;
    default: return BH_ERR_ADDRESS;
    }
}

static const char *nothing_here(const struct tile *tile, unsigned viewer) {
    if (viewer != MEMMAP_NOC)
        return "the core sees nothing at this address";
    return tile->kind == TILE_KIND_ETH ? "the NoC sees nothing at this address of an Ethernet tile"
                                       : "the NoC sees nothing at this address of a Tensix tile";
}

static const char *nothing_behind(unsigned viewer) {
    return viewer != MEMMAP_NOC ? "its last bytes are where the core sees nothing"
                                : "its last bytes are where the NoC sees nothing";
}

static struct access visit_by(const struct tile *tile, unsigned viewer, uint64_t address, size_t size,
                              struct visit *visit) {
    *visit = (struct visit){
        .region = tile_region(tile, (uint32_t)address, viewer),
        .viewer = viewer,
        .address = (uint32_t)address,
        .time = tile->time,
    };
    if (!visit->region)
        return access_refused(BH_FAULT_UNMAPPED, nothing_here(tile, viewer));
    if (bus_is_memory(visit->region) || (visit->address % 4 == 0 && size >= 4))
        return access_done();
    return access_refused(BH_FAULT_MISALIGNED, "registers take aligned 32-bit words");
}

enum noc_verb { NOC_READ, NOC_WRITE, NOC_PEEK, NOC_POKE };

static struct access visit_register(struct tile *tile, const struct visit *visit, enum noc_verb verb, uint32_t *word) {
    switch (verb) {
    case NOC_READ: return bus_register_read(tile, visit, word);
    case NOC_WRITE: return bus_register_write(tile, visit, *word);
    case NOC_PEEK: return bus_register_peek(tile, visit, word);
    case NOC_POKE: break;
    }
    return bus_register_poke(tile, visit, *word);
}

static bool stores(enum noc_verb verb) {
    return verb == NOC_WRITE || verb == NOC_POKE;
}

/* Transfers the bytes up to the next boundary: a contiguous run of memory, or one register. */
static struct access step(struct tile *tile, const struct visit *visit, enum noc_verb verb, uint8_t *data,
                          size_t *size) {
    if (!bus_is_memory(visit->region)) {
        uint32_t word = 0;
        if (stores(verb))
            memcpy(&word, data, sizeof word);
        struct access access = visit_register(tile, visit, verb, &word);
        if (!stores(verb))
            memcpy(data, &word, sizeof word);
        *size = sizeof word;
        return access;
    }
    uint32_t run;
    uint8_t *memory = bus_memory(tile, visit, &run);
    *size = *size < run ? *size : run;
    if (stores(verb))
        bus_memory_changes(tile, visit, (uint32_t)*size);
    memcpy(stores(verb) ? memory : data, stores(verb) ? data : memory, *size);
    if (stores(verb))
        bus_memory_changed(tile, visit, (uint32_t)*size);
    return access_done();
}

/* Returns the most bytes that one step transfers. */
static uint32_t reach_of(struct tile *tile, const struct visit *visit) {
    uint32_t run = sizeof(uint32_t);
    if (bus_is_memory(visit->region))
        (void)bus_memory(tile, visit, &run);
    return run;
}

/* Returns why a part of the range behind the first step, which is `visit`, cannot be accessed at all, so that such an
 * access changes nothing. What a register does with its word shows when it is reached. */
static __attribute__((noinline)) struct access check_rest(struct tile *tile, struct visit visit, uint64_t address,
                                                          size_t size) {
    for (uint32_t reach; (reach = reach_of(tile, &visit)) < size;) {
        address += reach;
        size -= reach;
        struct access access = visit_by(tile, visit.viewer, address, size, &visit);
        if (!visit.region)
            access.text = nothing_behind(visit.viewer);
        if (access.result != ACCESS_DONE)
            return access;
    }
    return access_done();
}

static bh_status transfer(struct tile *tile, unsigned viewer, uint64_t address, enum noc_verb verb, uint8_t *data,
                          size_t size, const char **why) {
    for (bool checked = false; size; checked = true) {
        struct visit visit;
        size_t done = size;
        struct access access = visit_by(tile, viewer, address, size, &visit);
        if (access.result == ACCESS_DONE && !checked && reach_of(tile, &visit) < size)
            access = check_rest(tile, visit, address, size);
        if (access.result == ACCESS_DONE)
            access = step(tile, &visit, verb, data, &done);
        if (access.result != ACCESS_DONE)
            return status_of(access, why);
        address += done;
        data += done;
        size -= done;
    }
    return BH_OK;
}

/* One transfer function serves both directions, hence the casts: it writes to `data` only in a read, and to the tile
 * only in a write. */
bh_status tile_read(struct tile *tile, uint64_t address, void *data, size_t size, const char **why) {
    return transfer(tile, MEMMAP_NOC, address, NOC_READ, data, size, why);
}

bh_status tile_write(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why) {
    return transfer(tile, MEMMAP_NOC, address, NOC_WRITE, (uint8_t *)(uintptr_t)data, size, why);
}

bh_status tile_peek(const struct tile *tile, uint64_t address, void *data, size_t size, const char **why) {
    return transfer((struct tile *)(uintptr_t)tile, MEMMAP_NOC, address, NOC_PEEK, data, size, why);
}

bh_status tile_poke(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why) {
    return transfer(tile, MEMMAP_NOC, address, NOC_POKE, (uint8_t *)(uintptr_t)data, size, why);
}

bh_status tile_core_peek(const struct tile *tile, unsigned core, uint32_t address, void *data, size_t size,
                         const char **why) {
    return transfer((struct tile *)(uintptr_t)tile, core, address, NOC_PEEK, data, size, why);
}

bh_status tile_core_poke(struct tile *tile, unsigned core, uint32_t address, const void *data, size_t size,
                         const char **why) {
    return transfer(tile, core, address, NOC_POKE, (uint8_t *)(uintptr_t)data, size, why);
}
