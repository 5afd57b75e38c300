/* The registers of a tile: the block that reads, writes, peeks at and pokes each of them, and the agents that a write
 * wakes.
 *
 * Accesses have been checked, those of cores in bus_core.c, those of the NoC and the host in bus.c: here an access is
 * an aligned word of a region that its viewer has. */
#include "tile/bus.h"

#include <stddef.h>

#include "base/check.h"
#include "tile/perf.h"
#include "tile/timestamp.h"
#include "tile/watchdog.h"

static struct access unreadable(void) {
    return access_refused(BH_FAULT_UNDEFINED, "it cannot be read");
}

/* ---- The coprocessor --------------------------------------------------------------------------- */

static struct access tensix_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    struct tensix *x = &tile->tensix;
    enum bh_core core = visit->viewer;
    uint32_t override = tile->control.value[REG_CONTROL_TRISC_PC_BUF_OVERRIDE];
    *value = 0;
    switch (visit->region->kind) {
    case MEMMAP_GPR: return tensix_gpr_read(x, core, visit_offset(visit) & ~3u, visit->time, value);
    case MEMMAP_CFG: return tensix_config_read(x, core, visit_offset(visit) & ~3u, visit->time, value);
    case MEMMAP_SEMAPHORE: return tensix_semaphore_read(x, visit_offset(visit), visit->time, value);
    case MEMMAP_TTSYNC:
        return tensix_done_check(x, core - BH_TRISC0, visit_offset(visit),
                                 pcbuf_override_busy(override, core - BH_TRISC0), visit->time);
    default: return unreadable();
    }
}

static struct access dispatch_tensix_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    struct tensix *x = &tile->tensix;
    enum bh_core core = visit->viewer;
    switch (visit->region->kind) {
    case MEMMAP_PUSH: return bus_push_to(tile, visit, value);
    case MEMMAP_GPR: return tensix_gpr_write(x, core, visit_offset(visit), visit->time, value);
    case MEMMAP_CFG: return tensix_config_write(x, core, visit_offset(visit), visit->time, value);
    case MEMMAP_MOP: return tensix_mop_write(x, core, visit_offset(visit), visit->time, value);
    case MEMMAP_SEMAPHORE: return tensix_semaphore_write(x, core, visit_offset(visit), visit->time, value);
    case MEMMAP_TTSYNC: return access_done(); /* the write is discarded (ManualTTSync.md) */
    default: return unreadable();
    }
}

/* The coprocessor itself notifies the cores that wait for a write to it. */
static struct access tensix_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    struct access access = dispatch_tensix_write(tile, visit, value);
    tile_tensix_touched(tile);
    return access;
}

static bool is_tensix(const struct memmap_region *region) {
    switch (region->kind) {
    case MEMMAP_PUSH:
    case MEMMAP_GPR:
    case MEMMAP_CFG:
    case MEMMAP_MOP:
    case MEMMAP_SEMAPHORE:
    case MEMMAP_TTSYNC: return true;
    default: return false;
    }
}

/* ---- Other registers ----------------------------------------------------------------------------- */

static const uint8_t snapshot_order[BH_CORE_COUNT] = { BH_BRISC, BH_NCRISC, BH_TRISC0, BH_TRISC1, BH_TRISC2 };

static struct access pc_read(const struct tile *tile, uint32_t offset, uint32_t *value) {
    *value = tile->core[snapshot_order[offset / 4]].pc;
    return access_done();
}

static struct access mailbox_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    unsigned from = visit->region->unit, to = visit->viewer;
    if (visit->address & 4) {
        *value = mailbox_has_word(&tile->mailboxes, from, to);
        return access_done();
    }
    struct access access = mailbox_pop(&tile->mailboxes, from, to, value);
    if (access.result == ACCESS_DONE)
        tile_event(tile, visit->time);
    return access;
}

static struct access pcbuf_read_b(struct tile *tile, const struct visit *visit, uint32_t *value) {
    uint32_t override = tile->control.value[REG_CONTROL_TRISC_PC_BUF_OVERRIDE];
    *value = 0;
    return pcbuf_wait(&tile->pcbufs, visit->region->unit, override,
                      tensix_wait_idle(&tile->tensix, visit->region->unit, visit->time));
}

static struct access pcbuf_read_t(struct tile *tile, const struct visit *visit, uint32_t *value) {
    unsigned i = visit->viewer - BH_TRISC0;
    uint32_t override = tile->control.value[REG_CONTROL_TRISC_PC_BUF_OVERRIDE];
    bool waited = tile->pcbufs.buf[i].reader_waits;
    struct access access = pcbuf_pop(&tile->pcbufs, i, override, value);
    /* B may wait for room, or until Ti is blocked */
    if (access.result == ACCESS_DONE || !waited)
        tile_event(tile, visit->time);
    return access;
}

static struct access pic_read_event(struct tile *tile, const struct visit *visit, uint32_t *value) {
    watchdog_settle(tile, visit->time);
    bool steady = pic_steady(&tile->pic, visit_offset(visit));
    struct access access = pic_read(&tile->pic, visit_offset(visit), value);
    if (!steady)
        tile_event(tile, visit->time);
    return access;
}

static struct access tdma_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    struct access access = tensix_tdma_sync(&tile->tensix, visit->viewer, false, visit->time);
    if (access.result != ACCESS_DONE)
        return access;
    return tensix_tdma_read(&tile->tensix, visit->viewer, visit_offset(visit), visit->time, value);
}

/* Reads control registers that show the coprocessor. Returns false for other registers. */
static bool shows_tensix(struct tile *tile, const struct visit *visit, uint32_t *value) {
    switch ((int)visit->address) {
    case REG_AT_CONTROL_DBG_INSTRN_BUF_STATUS: *value = tensix_buf_status(&tile->tensix, visit->time); return true;
    case REG_AT_CONTROL_TENSIX_CREG_RDDATA:
        tensix_run(&tile->tensix, visit->time);
        *value = config_peek(&tile->tensix, (tile->control.value[REG_CONTROL_TENSIX_CREG_READ] & 0x7FF) * 4);
        return true;
    default: return false;
    }
}

/* Reads DBG_ARRAY_RD_DATA. */
static struct access read_array(struct tile *tile, uint64_t time, uint32_t *value) {
    const uint32_t *control = tile->control.value;
    if (!(control[REG_CONTROL_DBG_ARRAY_RD_EN] & 1))
        return access_refused(BH_FAULT_UNDEFINED, "DBG_ARRAY_RD_EN is 0");
    return tensix_array_read(&tile->tensix, control[REG_CONTROL_DBG_ARRAY_RD_CMD], time, value);
}

/* Reads DBG_RD_DATA. */
static struct access read_bus(struct tile *tile, uint64_t time, uint32_t *value) {
    tensix_run(&tile->tensix, time);
    return debug_bus_read(tile, value);
}

static struct access read_control(struct tile *tile, const struct visit *visit, uint32_t *value) {
    if ((int)visit->address == REG_AT_CONTROL_DBG_ARRAY_RD_DATA)
        return read_array(tile, visit->time, value);
    if ((int)visit->address == REG_AT_CONTROL_DBG_RD_DATA)
        return read_bus(tile, visit->time, value);
    if (shows_tensix(tile, visit, value))
        return access_done();
    if (perf_concerns(visit->address, true))
        return perf_read(tile, visit->address, visit->time, value);
    if (timestamp_has(visit->address))
        return timestamp_read(tile, visit->address, value);
    return control_read(&tile->control, visit->address, visit->time, value);
}

/* Reads share one port with STREAMWRCFG. Assumed: a read occupies the port for two cycles. For a LOADREG, these
 * come after its cycles in the unit. */
enum { OVERLAY_READ_CYCLES = 2 };

struct access bus_stream_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    uint64_t *busy = &tile->tensix.config.overlay_busy_until;
    uint64_t until = visit->time + OVERLAY_READ_CYCLES + (tile->tensix.running ? SCALAR_MEMORY_CYCLES : 0);
    if (until > *busy)
        *busy = until;
    struct access access = overlay_read(&tile->overlay, visit_offset(visit), value);
    if (!overlay_steady(visit_offset(visit)))
        tile_streams_done(tile, visit->time);
    return access;
}

/* STREAMWAIT and sleeping cores see a write from the next cycle on. */
static struct access stream_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    if (!tensix_run(&tile->tensix, visit->time + 1))
        return access_later();
    struct access access = tile_stream_write(tile, visit_offset(visit), visit->time, value);
    tensix_wake(&tile->tensix, visit->time + 1);
    tile_tensix_touched(tile);
    tile_stream_event(tile, visit->time + 1, visit->address);
    return access;
}

/* Records that a core may be about to let the coprocessor continue, or to ask it for something that takes time. */
static inline void note_tensix(struct tile *tile, const struct memmap_region *region) {
    bool elsewhere = region->kind == MEMMAP_NIU || region->kind == MEMMAP_OVERLAY;
    tile->woken |= tile->running < BH_CORE_COUNT && !elsewhere;
}

struct access bus_register_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    note_tensix(tile, visit->region);
    switch (visit->region->kind) {
    case MEMMAP_TDMA: return tdma_read(tile, visit, value);
    case MEMMAP_CONTROL: return read_control(tile, visit, value);
    case MEMMAP_PIC: return pic_read_event(tile, visit, value);
    case MEMMAP_PC: return pc_read(tile, visit_offset(visit), value);
    case MEMMAP_NIU: return tile_niu_read(tile, visit->region->unit, visit_offset(visit), visit->time, value);
    case MEMMAP_OVERLAY: return bus_stream_read(tile, visit, value);
    case MEMMAP_PCBUF_B: return pcbuf_read_b(tile, visit, value);
    case MEMMAP_PCBUF_T: return pcbuf_read_t(tile, visit, value);
    case MEMMAP_MAILBOX: return mailbox_read(tile, visit, value);
    case MEMMAP_ETH: return eth_read(tile, visit->address, visit->time, value);
    default: return tensix_read(tile, visit, value);
    }
}

/* Registers that only a core sees cannot be peeked at here, except the state of its mailboxes. */
struct access bus_register_peek(const struct tile *tile, const struct visit *visit, uint32_t *value) {
    switch (visit->region->kind) {
    case MEMMAP_CONTROL: /* the coprocessor has already run up to the tile's time */
        if ((int)visit->address == REG_AT_CONTROL_DBG_ARRAY_RD_DATA)
            return read_array((struct tile *)(uintptr_t)tile, visit->time, value);
        if ((int)visit->address == REG_AT_CONTROL_DBG_RD_DATA)
            return read_bus((struct tile *)(uintptr_t)tile, visit->time, value);
        if (shows_tensix((struct tile *)(uintptr_t)tile, visit, value))
            return access_done();
        if (perf_concerns(visit->address, true))
            return perf_peek(tile, visit->address, visit->time, value);
        if (timestamp_has(visit->address))
            return timestamp_read(tile, visit->address, value);
        return control_peek(&tile->control, visit->address, visit->time, value);
    case MEMMAP_TDMA: return tensix_tdma_peek(&tile->tensix, visit->viewer, visit_offset(visit), visit->time, value);
    case MEMMAP_PIC:
        if (visit_offset(visit) != WATCHDOG_LEVEL)
            return pic_peek(&tile->pic, visit_offset(visit), value);
        *value = control_watchdog_end(&tile->control) <= visit->time && !(tile->pic.taken >> PIC_WATCHDOG & 1);
        return access_done();
    case MEMMAP_PC: return pc_read(tile, visit_offset(visit), value);
    case MEMMAP_NIU: return tile_niu_peek(tile, visit->region->unit, visit_offset(visit), visit->time, value);
    case MEMMAP_OVERLAY: return overlay_peek(&tile->overlay, visit_offset(visit), value);
    case MEMMAP_ETH: return eth_peek(tile, visit->address, visit->time, value);
    case MEMMAP_MAILBOX:
        *value = mailbox_has_word(&tile->mailboxes, visit->region->unit, visit->viewer);
        return access_done();
    case MEMMAP_SEMAPHORE: return tensix_semaphore_peek(&tile->tensix, visit_offset(visit), value);
    default: return unreadable();
    }
}

static struct access write_control(struct tile *tile, const struct visit *visit, uint32_t value) {
    const uint32_t *now = tile->control.value;
    uint32_t held = now[REG_CONTROL_SOFT_RESET_0], debug = now[REG_CONTROL_DBG_INSTRN_BUF_CTRL0];
    uint32_t disabled = now[REG_CONTROL_DBG_FEATURE_DISABLE];
    if (perf_concerns(visit->address, false))
        return perf_write(tile, visit->address, visit->time, value);
    if ((int)visit->address == REG_AT_CONTROL_DBG_L1_MEM_REG2) {
        tensix_run(&tile->tensix, visit->time);
        return debug_bus_write(tile, value, visit->time);
    }
    if (timestamp_has(visit->address))
        return timestamp_write(tile, visit->address, value, visit->time);
    if (risc_debug_has(visit->address)) {
        risc_debug_write(tile, visit->address, visit->time, value);
        return access_done();
    }
    if (watchdog_has(visit->address))
        return watchdog_write(tile, visit->address, visit->time, value);
    struct access access = control_write(&tile->control, visit->address, value, visit->time);
    if (now[REG_CONTROL_SOFT_RESET_0] != held)
        tile_soft_reset(tile, held, now[REG_CONTROL_SOFT_RESET_0], visit->time);
    if (now[REG_CONTROL_DBG_INSTRN_BUF_CTRL0] != debug) {
        tensix_debug_control(&tile->tensix, debug, now[REG_CONTROL_DBG_INSTRN_BUF_CTRL0],
                             now[REG_CONTROL_DBG_INSTRN_BUF_CTRL1], visit->time);
        tile_tensix_touched(tile);
    }
    if (now[REG_CONTROL_DBG_FEATURE_DISABLE] != disabled) {
        tensix_feature_disable(&tile->tensix, now[REG_CONTROL_DBG_FEATURE_DISABLE], visit->time);
        tile_tensix_touched(tile);
    }
    return access;
}

/* While bit 8 of SOFT_RESET_0 is set, writes are discarded (SoftReset.md). */
static struct access tdma_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    struct access access = tensix_tdma_sync(&tile->tensix, visit->viewer, true, visit->time);
    bool held = tile->control.value[REG_CONTROL_SOFT_RESET_0] & REG_HOLD_GLUE;
    if (access.result != ACCESS_DONE || held)
        return access;
    access = tensix_tdma_write(&tile->tensix, visit->viewer, visit_offset(visit), visit->time, value);
    if (!tile->tensix.running) /* the mover may be due before the end of the core's turn */
        tile_reschedule(tile);
    return access;
}

static struct access write_pic(struct tile *tile, const struct visit *visit, uint32_t value) {
    struct access access = pic_write(&tile->pic, visit_offset(visit), value);
    watchdog_settle(tile, visit->time); /* its interrupt may be enabled now */
    return access;
}

static struct access dispatch_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    switch (visit->region->kind) {
    case MEMMAP_TDMA: return tdma_write(tile, visit, value);
    case MEMMAP_CONTROL: return write_control(tile, visit, value);
    case MEMMAP_PIC: return write_pic(tile, visit, value);
    case MEMMAP_PC: return access_done(); /* read-only */
    case MEMMAP_NIU: return tile_niu_write(tile, visit->region->unit, visit_offset(visit), visit->time, value);
    case MEMMAP_OVERLAY: return stream_write(tile, visit, value);
    case MEMMAP_PCBUF_B: return pcbuf_push(&tile->pcbufs, visit->region->unit, value);
    case MEMMAP_PCBUF_T: return access_done(); /* the write is discarded (PCBufs.md) */
    case MEMMAP_MAILBOX: return mailbox_push(&tile->mailboxes, visit->viewer, visit->region->unit, value);
    case MEMMAP_ETH: return eth_write(tile, visit->address, visit->time, value);
    default: return unreadable();
    }
}

/* Returns whether a write to the region itself wakes the agents that wait for it. */
static bool wakes_by_itself(const struct memmap_region *region) {
    return region->kind == MEMMAP_NIU || region->kind == MEMMAP_OVERLAY;
}

struct access bus_register_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    note_tensix(tile, visit->region);
    if (is_tensix(visit->region))
        return tensix_write(tile, visit, value);
    struct access access = dispatch_write(tile, visit, value);
    if (access.result == ACCESS_DONE && !wakes_by_itself(visit->region))
        tile_event(tile, visit->time);
    return access;
}

static struct access poke_control(struct tile *tile, const struct visit *visit, uint32_t value) {
    if (perf_concerns(visit->address, false) || perf_concerns(visit->address, true))
        return access_refused(BH_FAULT_UNMODELLED,
                              "registers of performance counters act on the coprocessor: write it");
    if (timestamp_has(visit->address))
        return access_refused(BH_FAULT_UNMODELLED, "registers of the debug timestamper act on its stream: write it");
    struct access access = control_poke(&tile->control, visit->address, value);
    dst_feature_disable(&tile->tensix.dst, tile->control.value[REG_CONTROL_DBG_FEATURE_DISABLE]);
    return access;
}
static struct access poke_pic(struct tile *tile, uint32_t offset, uint32_t value) {
    struct access access = pic_poke(&tile->pic, offset, value);
    watchdog_settle(tile, tile->time);
    return access;
}

struct access bus_register_poke(struct tile *tile, const struct visit *visit, uint32_t value) {
    switch (visit->region->kind) {
    case MEMMAP_CONTROL: return poke_control(tile, visit, value);
    case MEMMAP_PIC: return poke_pic(tile, visit_offset(visit), value);
    case MEMMAP_PC: return access_refused(BH_FAULT_UNMODELLED, "a pc snapshot only shows the core's pc");
    case MEMMAP_NIU: return niu_poke(&tile->niu[visit->region->unit], visit_offset(visit), value);
    case MEMMAP_OVERLAY: return tile_stream_write(tile, visit_offset(visit), visit->time, value);
    case MEMMAP_ETH: return eth_poke(tile, visit->address, value);
    default: return unreadable();
    }
}
