/* The address space of a Tensix or Ethernet tile, as its cores and as the NoC and the host see it.
 *
 * isa/memmap.def says what is where and for whom; here an access finds its block. Blocks answer with struct access;
 * for a core that becomes a value, a wait or a fault, for the NoC a status. The core does L1 and its own local memory
 * by itself on the fast path; both work here too.
 *
 * Inexact: loads take the least latency of their region, conflicts cost nothing. Stores by the slow path to local
 * memory that is being swept are not lost.
 */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "isa/memmap.h"
#include "isa/overlay.h"
#include "tile/tile.h"

/* One access: who asks, where, when. */
struct visit {
    const struct memmap_region *region;
    unsigned viewer; /* enum bh_core or MEMMAP_NOC */
    uint32_t address;
    uint64_t time;
};

static uint32_t offset_of(const struct visit *visit) {
    return visit->address - visit->region->base;
}

const struct memmap_region *tile_region(const struct tile *tile, uint32_t address, unsigned viewer) {
    if (tile->kind == TILE_KIND_TENSIX)
        return memmap_find(address, viewer);
    return memmap_find(address, viewer == MEMMAP_NOC ? MEMMAP_ETH_NOC : MEMMAP_ETH_CORE);
}

static bool is_memory(const struct memmap_region *region) {
    return region->kind == MEMMAP_L1 || region->kind == MEMMAP_LDM || region->kind == MEMMAP_SLOW_LDM;
}

/* ---- Memory: L1 and the local memories ------------------------------------------------------ */

/* The core whose local memory this is; NULL: L1. */
static struct core *ldm_owner(struct tile *tile, const struct visit *visit) {
    switch (visit->region->kind) {
    case MEMMAP_LDM: return &tile->core[visit->viewer];
    case MEMMAP_SLOW_LDM: return &tile->core[visit->region->unit];
    default: return NULL;
    }
}

/* The byte at the address, and how many follow it without a break. Windows on 4 KiB show them twice. */
static uint8_t *memory_at(struct tile *tile, const struct visit *visit, uint32_t *run) {
    struct core *owner = ldm_owner(tile, visit);
    uint32_t offset = offset_of(visit);
    if (!owner) {
        *run = visit->region->size - offset;
        return tile->l1 + offset;
    }
    offset &= owner->ldm_size - 1;
    *run = owner->ldm_size - offset;
    return owner->ldm + offset;
}

static void memory_changed(struct tile *tile, const struct visit *visit, uint32_t size) {
    if (visit->region->kind == MEMMAP_L1)
        tile_l1_written(tile, visit->address, size, visit->time);
    else
        tile_event(tile, visit->time);
}

/* ---- Registers ---------------------------------------------------------------------------- */

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
    case MEMMAP_GPR: return tensix_gpr_read(x, core, offset_of(visit) & ~3u, visit->time, value);
    case MEMMAP_CFG: return tensix_config_read(x, core, offset_of(visit) & ~3u, visit->time, value);
    case MEMMAP_SEMAPHORE: return tensix_semaphore_read(x, offset_of(visit), visit->time, value);
    case MEMMAP_TTSYNC:
        return tensix_done_check(x, core - BH_TRISC0, offset_of(visit), pcbuf_override_busy(override, core - BH_TRISC0),
                                 visit->time);
    default: return unreadable();
    }
}

/* As core_port.push: feed has the words. */
static inline struct access push_feed(struct tile *tile, struct core *core, unsigned thread, struct tensix_feed *feed) {
    uint64_t now = feed->time;
    feed->horizon = tile_horizon(tile);
    struct access access = tensix_push(&tile->tensix, (enum bh_core)core->id, thread, feed);
    if (access.result == ACCESS_DONE)
        core->stalled += (int64_t)(feed->time - now - tensix_feed_groups(feed));
    tile_tensix_touched(tile);
    return access;
}

static struct access push(struct tile *tile, const struct visit *visit, uint32_t word) {
    struct core *core = &tile->core[visit->viewer];
    unsigned thread = core->id == BH_BRISC ? visit->region->unit : (unsigned)core->id - BH_TRISC0;
    struct tensix_feed feed = tensix_feed_of(&word, 1, 1, core->pc, visit->time);
    if (offset_of(visit))
        return access_refused(BH_FAULT_UNDEFINED, "instructions are pushed to the first word of the window");
    return push_feed(tile, core, thread, &feed);
}

static struct access dispatch_tensix_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    struct tensix *x = &tile->tensix;
    enum bh_core core = visit->viewer;
    switch (visit->region->kind) {
    case MEMMAP_PUSH: return push(tile, visit, value);
    case MEMMAP_GPR: return tensix_gpr_write(x, core, offset_of(visit), visit->time, value);
    case MEMMAP_CFG: return tensix_config_write(x, core, offset_of(visit), visit->time, value);
    case MEMMAP_MOP: return tensix_mop_write(x, core, offset_of(visit), visit->time, value);
    case MEMMAP_SEMAPHORE: return tensix_semaphore_write(x, core, offset_of(visit), visit->time, value);
    case MEMMAP_TTSYNC: return access_done(); /* discarded, ManualTTSync.md */
    default: return unreadable();
    }
}

/* Whom a write here may concern is told by the coprocessor itself. */
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
    /* B may wait for room, or for Ti to come and wait. */
    if (access.result == ACCESS_DONE || !waited)
        tile_event(tile, visit->time);
    return access;
}

static struct access pic_read_event(struct tile *tile, const struct visit *visit, uint32_t *value) {
    bool steady = pic_steady(&tile->pic, offset_of(visit));
    struct access access = pic_read(&tile->pic, offset_of(visit), value);
    if (!steady)
        tile_event(tile, visit->time);
    return access;
}

static struct access tdma_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    struct access access = tensix_tdma_sync(&tile->tensix, visit->viewer, false, visit->time);
    if (access.result != ACCESS_DONE)
        return access;
    return tensix_tdma_read(&tile->tensix, visit->viewer, offset_of(visit), visit->time, value);
}

/* Some control registers show the coprocessor. */
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

/* DBG_ARRAY_RD_DATA. */
static struct access read_array(struct tile *tile, uint64_t time, uint32_t *value) {
    const uint32_t *control = tile->control.value;
    if (!(control[REG_CONTROL_DBG_ARRAY_RD_EN] & 1))
        return access_refused(BH_FAULT_UNDEFINED, "DBG_ARRAY_RD_EN is 0");
    return tensix_array_read(&tile->tensix, control[REG_CONTROL_DBG_ARRAY_RD_CMD], time, value);
}

static struct access read_control(struct tile *tile, const struct visit *visit, uint32_t *value) {
    if ((int)visit->address == REG_AT_CONTROL_DBG_ARRAY_RD_DATA)
        return read_array(tile, visit->time, value);
    if (shows_tensix(tile, visit, value))
        return access_done();
    return control_read(&tile->control, visit->address, visit->time, value);
}

/* Reads share one port with STREAMWRCFG. How long one keeps it is a guess. A LOADREG leaves its unit when it is done.
 */
enum { OVERLAY_READ_CYCLES = 2 };

static struct access stream_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    uint64_t *busy = &tile->tensix.config.overlay_busy_until;
    uint64_t until = visit->time + OVERLAY_READ_CYCLES + (tile->tensix.running ? SCALAR_MEMORY_CYCLES : 0);
    if (until > *busy)
        *busy = until;
    return overlay_read(&tile->overlay, offset_of(visit), value);
}

/* STREAMWAIT and cores that sleep see what is written from the next cycle on. */
static struct access stream_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    tensix_run(&tile->tensix, visit->time + 1);
    struct access access = overlay_write(&tile->overlay, offset_of(visit), value);
    tensix_wake(&tile->tensix, visit->time + 1);
    tile_tensix_touched(tile);
    tile_stream_event(tile, visit->time + 1, visit->address);
    return access;
}

static struct access register_read(struct tile *tile, const struct visit *visit, uint32_t *value) {
    switch (visit->region->kind) {
    case MEMMAP_TDMA: return tdma_read(tile, visit, value);
    case MEMMAP_CONTROL: return read_control(tile, visit, value);
    case MEMMAP_PIC: return pic_read_event(tile, visit, value);
    case MEMMAP_PC: return pc_read(tile, offset_of(visit), value);
    case MEMMAP_NIU: return tile_niu_read(tile, visit->region->unit, offset_of(visit), visit->time, value);
    case MEMMAP_OVERLAY: return stream_read(tile, visit, value);
    case MEMMAP_PCBUF_B: return pcbuf_read_b(tile, visit, value);
    case MEMMAP_PCBUF_T: return pcbuf_read_t(tile, visit, value);
    case MEMMAP_MAILBOX: return mailbox_read(tile, visit, value);
    case MEMMAP_ETH: return eth_read(tile, visit->address, visit->time, value);
    default: return tensix_read(tile, visit, value);
    }
}

/* Reads without effects. What only a core sees is not asked for here, but for the state of its mailboxes. */
static struct access register_peek(const struct tile *tile, const struct visit *visit, uint32_t *value) {
    switch (visit->region->kind) {
    case MEMMAP_CONTROL: /* the coprocessor has been run up to the tile's time */
        if ((int)visit->address == REG_AT_CONTROL_DBG_ARRAY_RD_DATA)
            return read_array((struct tile *)(uintptr_t)tile, visit->time, value);
        if (shows_tensix((struct tile *)(uintptr_t)tile, visit, value))
            return access_done();
        return control_peek(&tile->control, visit->address, visit->time, value);
    case MEMMAP_TDMA: return tensix_tdma_peek(&tile->tensix, visit->viewer, offset_of(visit), visit->time, value);
    case MEMMAP_PIC: return pic_peek(&tile->pic, offset_of(visit), value);
    case MEMMAP_PC: return pc_read(tile, offset_of(visit), value);
    case MEMMAP_NIU: return tile_niu_peek(tile, visit->region->unit, offset_of(visit), visit->time, value);
    case MEMMAP_OVERLAY: return overlay_peek(&tile->overlay, offset_of(visit), value);
    case MEMMAP_ETH: return eth_peek(tile, visit->address, visit->time, value);
    case MEMMAP_MAILBOX:
        *value = mailbox_has_word(&tile->mailboxes, visit->region->unit, visit->viewer);
        return access_done();
    case MEMMAP_SEMAPHORE: return tensix_semaphore_peek(&tile->tensix, offset_of(visit), value);
    default: return unreadable();
    }
}

static struct access write_control(struct tile *tile, const struct visit *visit, uint32_t value) {
    const uint32_t *now = tile->control.value;
    uint32_t held = now[REG_CONTROL_SOFT_RESET_0], debug = now[REG_CONTROL_DBG_INSTRN_BUF_CTRL0];
    uint32_t disabled = now[REG_CONTROL_DBG_FEATURE_DISABLE];
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
    access = tensix_tdma_write(&tile->tensix, visit->viewer, offset_of(visit), visit->time, value);
    if (!tile->tensix.running) /* the mover may be due before the core's turn was to end */
        tile_reschedule(tile);
    return access;
}

static struct access dispatch_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    switch (visit->region->kind) {
    case MEMMAP_TDMA: return tdma_write(tile, visit, value);
    case MEMMAP_CONTROL: return write_control(tile, visit, value);
    case MEMMAP_PIC: return pic_write(&tile->pic, offset_of(visit), value);
    case MEMMAP_PC: return access_done(); /* read-only */
    case MEMMAP_NIU: return tile_niu_write(tile, visit->region->unit, offset_of(visit), visit->time, value);
    case MEMMAP_OVERLAY: return stream_write(tile, visit, value);
    case MEMMAP_PCBUF_B: return pcbuf_push(&tile->pcbufs, visit->region->unit, value);
    case MEMMAP_PCBUF_T: return access_done(); /* discarded, PCBufs.md */
    case MEMMAP_MAILBOX: return mailbox_push(&tile->mailboxes, visit->viewer, visit->region->unit, value);
    case MEMMAP_ETH: return eth_write(tile, visit->address, visit->time, value);
    default: return unreadable();
    }
}

/* Does a write there wake those whom it concerns by itself? */
static bool knows_whom(const struct memmap_region *region) {
    return region->kind == MEMMAP_NIU || region->kind == MEMMAP_OVERLAY;
}

static struct access register_write(struct tile *tile, const struct visit *visit, uint32_t value) {
    if (is_tensix(visit->region))
        return tensix_write(tile, visit, value);
    struct access access = dispatch_write(tile, visit, value);
    if (access.result == ACCESS_DONE && !knows_whom(visit->region))
        tile_event(tile, visit->time);
    return access;
}

static struct access poke_control(struct tile *tile, const struct visit *visit, uint32_t value) {
    struct access access = control_poke(&tile->control, visit->address, value);
    dst_feature_disable(&tile->tensix.dst, tile->control.value[REG_CONTROL_DBG_FEATURE_DISABLE]);
    return access;
}

static struct access register_poke(struct tile *tile, const struct visit *visit, uint32_t value) {
    switch (visit->region->kind) {
    case MEMMAP_CONTROL: return poke_control(tile, visit, value);
    case MEMMAP_PIC: return pic_poke(&tile->pic, offset_of(visit), value);
    case MEMMAP_PC: return access_refused(BH_FAULT_UNMODELLED, "a pc snapshot only shows the core's pc");
    case MEMMAP_NIU: return niu_poke(&tile->niu[visit->region->unit], offset_of(visit), value);
    case MEMMAP_OVERLAY: return overlay_write(&tile->overlay, offset_of(visit), value);
    case MEMMAP_ETH: return eth_poke(tile, visit->address, value);
    default: return unreadable();
    }
}

/* ---- The cores' side ------------------------------------------------------------------------ */

static uint32_t insn_at_pc(const struct core *core) {
    uint32_t word = 0;
    if (core->pc % 4 == 0 && core->pc < tile_l1_size(core->owner))
        memcpy(&word, core->l1 + core->pc, sizeof word);
    return word;
}

static bool in_eth(const struct core *core) {
    return ((const struct tile *)core->owner)->kind == TILE_KIND_ETH;
}

static enum bus_result unmapped(struct core *core, uint32_t address, const char *verb) {
    const struct memmap_region *named = in_eth(core) ? NULL : memmap_anyone(address);
    const char *who = core_name(core);
    if (!named)
        core_fault(core, BH_FAULT_UNMAPPED, insn_at_pc(core), address, "%s 0x%08x, which is not mapped for %s", verb,
                   address, who);
    else
        core_fault(core, BH_FAULT_UNMAPPED, insn_at_pc(core), address, "%s 0x%08x (%s), which is not mapped for %s",
                   verb, address, named->name, who);
    return BUS_FAULT;
}

/* A TRISC that stores to the push window of another thread hangs (PushTensixInstruction.md). */
static bool hangs(const struct core *core, uint32_t address) {
    const struct memmap_region *named = memmap_anyone(address);
    return named && named->kind == MEMMAP_PUSH && core->id != BH_NCRISC && !memmap_find(address, core->id);
}

/* BackendConfiguration.md; taken to be the same for GPRs. Dst has formats of all sizes. */
static bool takes_narrow(const struct memmap_region *region, bool loads) {
    switch (region->kind) {
    case MEMMAP_CFG:
    case MEMMAP_GPR: return loads;
    case MEMMAP_DST: return true;
    default: return is_memory(region);
    }
}

/* May the core do this, though it is no aligned word? Else a fault: unmapped, misaligned, or too narrow. */
__attribute__((noinline)) static bool allows(struct core *core, const struct visit *visit, unsigned size, bool loads) {
    const char *verb = loads ? "load from" : "store to";
    uint32_t address = visit->address;
    if (!visit->region) {
        unmapped(core, address, verb);
        return false;
    }
    if (address % size == 0 && (size == 4 || takes_narrow(visit->region, loads)))
        return true;
    core_fault(core, BH_FAULT_MISALIGNED, insn_at_pc(core), address, "%u-byte %s 0x%08x (%s): %s", size, verb, address,
               visit->region->name, address % size ? "misaligned" : "registers take 32-bit words only");
    return false;
}

/* Fills in the visit, or raises a fault. */
static inline bool visit_by_core(struct core *core, uint32_t address, unsigned size, bool loads, struct visit *visit) {
    *visit = (struct visit){
        .region = tile_region(core->owner, address, core->id),
        .viewer = core->id,
        .address = address,
        .time = core_time(core),
    };
    return (visit->region && size == 4 && address % 4 == 0) || allows(core, visit, size, loads);
}

/* An access that has not been made: the core waits, or faults. */
__attribute__((noinline)) static enum bus_result fail(struct core *core, const struct visit *visit, const char *verb,
                                                      struct access access) {
    if (access.result == ACCESS_WAIT) {
        core->waits_on = access.text;
        return BUS_WAIT;
    }
    core_fault(core, access.kind, insn_at_pc(core), visit->address, "%s 0x%08x (%s): %s", verb, visit->address,
               visit->region->name, access.text);
    return BUS_FAULT;
}

static inline enum bus_result finish(struct core *core, const struct visit *visit, const char *verb,
                                     struct access access) {
    return BH_LIKELY(access.result == ACCESS_DONE) ? BUS_OK : fail(core, visit, verb, access);
}

/* A load from local memory that is being swept comes back when the sweep is over. */
static unsigned memory_latency(struct tile *tile, const struct visit *visit) {
    const struct core *owner = ldm_owner(tile, visit);
    uint64_t ready = owner ? owner->ldm_ready : 0;
    return visit->region->latency + (ready > visit->time ? (unsigned)(ready - visit->time) : 0);
}

/* Programs that move data look at NIUs all the time: a way of their own, past the address map. False: not an aligned
 * word of a NIU. */
static inline bool names_niu(uint32_t address, unsigned size, unsigned *noc, uint32_t *offset) {
    const struct memmap_region *region = &memmap[MEMMAP_ROW_NIU0];
    uint32_t at = address - region->base;
    *noc = at / region->size;
    *offset = at % region->size;
    return at < 2 * region->size && size == 4 && at % 4 == 0;
}

/* The same for streams of a Tensix tile, in which programs count what is in their circular buffers. */
static inline bool names_stream(const struct tile *tile, uint32_t address, unsigned size) {
    const struct memmap_region *region = &memmap[MEMMAP_ROW_OVERLAY];
    return address - region->base < region->size && size == 4 && address % 4 == 0 && tile->kind == TILE_KIND_TENSIX;
}

__attribute__((noinline)) static enum bus_result load_stream(struct tile *tile, struct core *core, uint32_t address,
                                                             uint32_t *value, unsigned *latency) {
    struct visit visit = { &memmap[MEMMAP_ROW_OVERLAY], core->id, address, core_time(core) };
    *latency = visit.region->latency;
    return finish(core, &visit, "load from", stream_read(tile, &visit, value));
}

/* A load that more has to be done for than to look at a NIU's counters. */
__attribute__((noinline)) static enum bus_result load_elsewhere(struct tile *tile, struct core *core, uint32_t address,
                                                                unsigned size, uint32_t *value, unsigned *latency) {
    struct visit visit;
    uint32_t run, offset;
    unsigned noc;
    *latency = memmap[MEMMAP_ROW_NIU0].latency;
    if (names_niu(address, size, &noc, &offset) &&
        tile_niu_read(tile, noc, offset, core_time(core), value).result == ACCESS_DONE)
        return BUS_OK; /* else the same again, with a text */
    if (!visit_by_core(core, address, size, true, &visit))
        return BUS_FAULT;
    *value = 0;
    if (is_memory(visit.region)) {
        memcpy(value, memory_at(tile, &visit, &run), size);
        *latency = memory_latency(tile, &visit);
        return BUS_OK;
    }
    *latency = visit.region->latency;
    if (visit.region->kind == MEMMAP_DST)
        return finish(core, &visit, "load from",
                      tensix_dst_read(&tile->tensix, visit.viewer, offset_of(&visit), size, visit.time, value));
    struct access access = register_read(tile, &visit, value);
    if (size < 4)
        *value = bits_get(*value, address % 4 * 8, size * 8);
    return finish(core, &visit, "load from", access);
}

static enum bus_result bus_load(void *owner, struct core *core, uint32_t address, unsigned size, uint32_t *value,
                                unsigned *latency) {
    struct tile *tile = owner;
    uint32_t offset;
    unsigned noc;
    if (names_stream(tile, address, size))
        return load_stream(tile, core, address, value, latency);
    if (!names_niu(address, size, &noc, &offset) || tile->niu[noc].due <= core_time(core) ||
        !niu_glance(&tile->niu[noc], offset, value))
        return load_elsewhere(tile, core, address, size, value, latency);
    *latency = memmap[MEMMAP_ROW_NIU0].latency;
    return BUS_OK;
}

/* .ttinsn is a store to the first push window (PushTensixInstruction.md). */
static unsigned bus_push(void *owner, struct core *core, const uint32_t *words, unsigned count, unsigned group,
                         bool ordinary) {
    struct tile *tile = owner;
    struct tensix_feed feed = tensix_feed_of(words, count, group, core->pc, core_time(core));
    feed.ordinary = ordinary ? feed.group : 0;
    if (core->id == BH_NCRISC || tile->kind == TILE_KIND_ETH) {
        unmapped(core, memmap[MEMMAP_ROW_PUSH0].base, "push to");
        return 0;
    }
    struct access access = push_feed(tile, core, core->id == BH_BRISC ? 0 : (unsigned)core->id - BH_TRISC0, &feed);
    if (access.result != ACCESS_DONE)
        core->waits_on = access.text;
    return tensix_feed_pushed(&feed);
}

static bool bus_push_word(void *owner, struct core *core, uint32_t word, uint32_t pc, uint64_t time) {
    struct tile *tile = owner;
    if (!core_is_trisc(core) || !tensix_push_word(&tile->tensix, (unsigned)core->id - BH_TRISC0, word, pc, time))
        return false;
    tile_tensix_touched(tile);
    return true;
}

static struct access dst_write(struct tile *tile, const struct visit *visit, unsigned size, uint32_t value) {
    struct access access = tensix_dst_write(&tile->tensix, visit->viewer, offset_of(visit), size, visit->time, value);
    tile_tensix_touched(tile);
    return access;
}

static enum bus_result bus_store(void *owner, struct core *core, uint32_t address, unsigned size, uint32_t value) {
    struct tile *tile = owner;
    struct visit visit;
    uint32_t run, offset;
    unsigned noc;
    if (names_niu(address, size, &noc, &offset) &&
        tile_niu_write(tile, noc, offset, core_time(core), value).result == ACCESS_DONE)
        return BUS_OK; /* else the same again, with a text */
    if (hangs(core, address)) {
        core->waits_on = "nothing: a store to the push window of another thread hangs the core";
        return BUS_WAIT;
    }
    if (!visit_by_core(core, address, size, false, &visit))
        return BUS_FAULT;
    if (is_memory(visit.region)) {
        memcpy(memory_at(tile, &visit, &run), &value, size);
        memory_changed(tile, &visit, size);
        return BUS_OK;
    }
    if (visit.region->kind == MEMMAP_DST)
        return finish(core, &visit, "store to", dst_write(tile, &visit, size, value));
    return finish(core, &visit, "store to", register_write(tile, &visit, value));
}

/* May a core sleep on this? Only if nothing but a write, which wakes it, changes the value. The owner of a local
 * memory writes it without telling anybody, so the slow path is not for sleeping. */
static bool is_steady(const struct tile *tile, const struct visit *visit) {
    switch (visit->region->kind) {
    case MEMMAP_TDMA: return tensix_tdma_steady(offset_of(visit));
    case MEMMAP_CONTROL: return control_steady(visit->address);
    case MEMMAP_PIC: return pic_steady(&tile->pic, offset_of(visit));
    case MEMMAP_OVERLAY: return true;
    case MEMMAP_MAILBOX: return (visit->address & 4) != 0;
    case MEMMAP_SEMAPHORE: return true;
    case MEMMAP_ETH: return eth_steady(visit->address);
    default: return false;
    }
}

static enum core_peek peek_niu(struct tile *tile, const struct core *core, unsigned noc, uint32_t offset,
                               uint32_t *value) {
    uint64_t time = core_time(core);
    if (!niu_steady(&tile->niu[noc], offset))
        return CORE_PEEK_REFUSED;
    tile_niu_settle(tile, noc, time);
    if (!niu_glance(&tile->niu[noc], offset, value) &&
        tile_niu_peek(tile, noc, offset, time, value).result != ACCESS_DONE)
        return CORE_PEEK_REFUSED;
    return tile_niu_soon(tile, noc, offset, time) ? CORE_PEEK_SOON : CORE_PEEK_DONE;
}

static enum core_peek bus_peek(void *owner, const struct core *core, uint32_t address, unsigned size, uint32_t *value,
                               unsigned *latency) {
    const struct tile *tile = owner;
    uint32_t offset;
    unsigned noc;
    *latency = memmap[MEMMAP_ROW_NIU0].latency;
    if (names_niu(address, size, &noc, &offset))
        return peek_niu(owner, core, noc, offset, value);
    struct visit visit = {
        .region = tile_region(tile, address, core->id),
        .viewer = core->id,
        .address = address,
        .time = core_time(core),
    };
    if (!visit.region || size != 4 || address % 4 || !is_steady(tile, &visit))
        return CORE_PEEK_REFUSED;
    *latency = visit.region->latency;
    if (visit.region->kind == MEMMAP_SEMAPHORE || visit.region->kind == MEMMAP_TDMA)
        tensix_run(&((struct tile *)owner)->tensix, visit.time);
    return register_peek(tile, &visit, value).result == ACCESS_DONE ? CORE_PEEK_DONE : CORE_PEEK_REFUSED;
}

static void bus_l1_written(void *owner, uint32_t address, uint32_t size, uint64_t time) {
    tile_l1_written(owner, address, size, time);
}

/* A core does not know where its tile is. */
static void bus_fault(void *owner, struct core *core, const struct bh_fault *fault) {
    struct tile *tile = owner;
    struct bh_fault placed = *fault;
    placed.tile = tile->xy;
    core->fault.tile = tile->xy;
    tile->port->fault(tile->owner, tile, &placed);
}

/* CSRs.md: sstatus0..3 are the phases, sstatus4..7 the message counts of the streams that ThreadConfig names. */
static uint32_t stream_status(struct tile *tile, unsigned thread, unsigned i, uint64_t time) {
    tensix_run(&tile->tensix, time);
    unsigned stream = tile->tensix.config.thread[thread][CONFIG_WORD_STREAM_ID_TRISC_SEC0_BankSel + i % 4] & 63;
    uint32_t value = 0;
    overlay_stream(&tile->overlay, stream, i < 4 ? OVERLAY_CURR_PHASE : OVERLAY_NUM_MSGS_RECEIVED, &value);
    return value;
}

static uint32_t bus_status_csr(void *owner, const struct core *core, unsigned csr) {
    enum { QSTATUS = 0xBC0, BSTATUS, SSTATUS0 };
    struct tile *tile = owner;
    switch (csr) {
    case QSTATUS: return tensix_qstatus(&tile->tensix, (enum bh_core)core->id, core_time(core));
    case BSTATUS: return tensix_bstatus(&tile->tensix, (enum bh_core)core->id, core_time(core));
    default: return stream_status(tile, (unsigned)core->id - BH_TRISC0, csr - SSTATUS0, core_time(core));
    }
}

const struct core_port tile_core_port = {
    .load = bus_load,
    .store = bus_store,
    .push = bus_push,
    .push_word = bus_push_word,
    .l1_written = bus_l1_written,
    .peek = bus_peek,
    .fault = bus_fault,
    .status_csr = bus_status_csr,
};

/* ---- The coprocessor's side ------------------------------------------------------------------------ */

static bool visit_by_tensix(uint32_t address, uint64_t time, struct visit *visit) {
    *visit = (struct visit){ memmap_find(address, BH_BRISC), BH_BRISC, address, time };
    return visit->region && !is_memory(visit->region);
}

static struct access not_for_tensix(void) {
    return access_refused(BH_FAULT_UNMAPPED, "the coprocessor reaches no register there");
}

struct access tile_register_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value) {
    struct visit visit;
    return visit_by_tensix(address, time, &visit) ? register_read(tile, &visit, value) : not_for_tensix();
}

struct access tile_register_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    struct visit visit;
    return visit_by_tensix(address, time, &visit) ? register_write(tile, &visit, value) : not_for_tensix();
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

static struct access visit_by_noc(const struct tile *tile, uint64_t address, size_t size, struct visit *visit) {
    *visit = (struct visit){
        .region = tile_region(tile, (uint32_t)address, MEMMAP_NOC),
        .viewer = MEMMAP_NOC,
        .address = (uint32_t)address,
        .time = tile->time,
    };
    if (!visit->region)
        return access_refused(BH_FAULT_UNMAPPED, tile->kind == TILE_KIND_ETH
                                                     ? "the NoC sees nothing at this address of an Ethernet tile"
                                                     : "the NoC sees nothing at this address of a Tensix tile");
    if (is_memory(visit->region) || (visit->address % 4 == 0 && size >= 4))
        return access_done();
    return access_refused(BH_FAULT_MISALIGNED, "registers take aligned 32-bit words");
}

enum noc_verb { NOC_READ, NOC_WRITE, NOC_PEEK, NOC_POKE };

static struct access visit_register(struct tile *tile, const struct visit *visit, enum noc_verb verb, uint32_t *word) {
    switch (verb) {
    case NOC_READ: return register_read(tile, visit, word);
    case NOC_WRITE: return register_write(tile, visit, *word);
    case NOC_PEEK: return register_peek(tile, visit, word);
    case NOC_POKE: break;
    }
    return register_poke(tile, visit, *word);
}

static bool stores(enum noc_verb verb) {
    return verb == NOC_WRITE || verb == NOC_POKE;
}

/* Does as many bytes as lie in one piece: a run of memory, or one register. */
static struct access step(struct tile *tile, const struct visit *visit, enum noc_verb verb, uint8_t *data,
                          size_t *size) {
    if (!is_memory(visit->region)) {
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
    uint8_t *memory = memory_at(tile, visit, &run);
    *size = *size < run ? *size : run;
    memcpy(stores(verb) ? memory : data, stores(verb) ? data : memory, *size);
    if (stores(verb))
        memory_changed(tile, visit, (uint32_t)*size);
    return access_done();
}

static bh_status transfer(struct tile *tile, uint64_t address, enum noc_verb verb, uint8_t *data, size_t size,
                          const char **why) {
    while (size) {
        struct visit visit;
        size_t done = size;
        struct access access = visit_by_noc(tile, address, size, &visit);
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

/* The one transfer serves both directions, hence the casts: it writes to data only when reading, and to the tile
 * only when it is not peeking. */
bh_status tile_read(struct tile *tile, uint64_t address, void *data, size_t size, const char **why) {
    return transfer(tile, address, NOC_READ, data, size, why);
}

bh_status tile_write(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why) {
    return transfer(tile, address, NOC_WRITE, (uint8_t *)(uintptr_t)data, size, why);
}

bh_status tile_peek(const struct tile *tile, uint64_t address, void *data, size_t size, const char **why) {
    return transfer((struct tile *)(uintptr_t)tile, address, NOC_PEEK, data, size, why);
}

bh_status tile_poke(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why) {
    return transfer(tile, address, NOC_POKE, (uint8_t *)(uintptr_t)data, size, why);
}
