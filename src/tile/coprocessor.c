/* The coprocessor's port to its tile: registers and local memories for STOREREG, STOREIND and LOADREG, streams, L1,
 * events and faults. */
#include "tile/debug.h"
#include "tile/l1.h"
#include "tile/tile.h"

static struct access port_read(void *owner, uint32_t address, uint64_t time, uint32_t *value) {
    return tile_register_read(owner, address, time, value);
}

static struct access port_write(void *owner, uint32_t address, uint64_t time, uint32_t value) {
    struct tile *tile = owner;
    tile->by_tensix = true;
    struct access access = tile_register_write(tile, address, time, value);
    tile->by_tensix = false;
    return access;
}

static struct access port_stream(void *owner, unsigned stream, unsigned index, uint32_t *value) {
    const struct tile *tile = owner;
    return overlay_stream(&tile->overlay, stream, index, value);
}

static void port_l1_changes(void *owner, uint32_t address, uint32_t size) {
    (void)l1_begin(owner, address, size);
}

static void port_l1_written(void *owner, enum bh_track unit, uint32_t address, uint32_t size, uint64_t time) {
    struct tile *tile = owner;
    if (BH_UNLIKELY(tile->mail.debug != NULL))
        tile->mail.debug->unit = unit;
    l1_end(tile, address, size, time);
}

static void port_watch_l1(void *owner, uint32_t address, uint32_t size) {
    struct tile *tile = owner;
    tile->watch_address = address;
    tile->watch_size = size;
    if (size)
        core_mark_l1(tile->marks, address, size, MARK_WATCHED);
}

static void port_event(void *owner, uint64_t time, unsigned cores) {
    tile_tensix_event(owner, time, cores);
}

/* Adds the coordinates of the tile, which a thread does not know, to a fault. */
static void port_fault(void *owner, const struct bh_fault *fault) {
    struct tile *tile = owner;
    struct bh_fault located = *fault;
    located.tile = tile->xy;
    tile->tensix.thread[fault->thread].fault.tile = tile->xy;
    tile->port->fault(tile->owner, tile, &located);
}

static void port_row_pushed(void *owner, unsigned thread, unsigned count, uint64_t time, bool last) {
    tile_row_pushed(owner, thread, count, time, last);
}

static void port_invalidate(void *owner, unsigned cores) {
    tile_invalidate(owner, cores);
}

static uint64_t port_core_time(void *owner, enum bh_core number) {
    const struct tile *tile = owner;
    const struct core *core = &tile->core[number];
    return core->state == BH_CORE_RUNNING ? core_time(core) : TENSIX_NEVER;
}

const struct tensix_port tile_tensix_port = {
    .read = port_read,
    .write = port_write,
    .stream = port_stream,
    .l1_changes = port_l1_changes,
    .l1_written = port_l1_written,
    .watch_l1 = port_watch_l1,
    .event = port_event,
    .fault = port_fault,
    .row_pushed = port_row_pushed,
    .invalidate = port_invalidate,
    .core_time = port_core_time,
};
