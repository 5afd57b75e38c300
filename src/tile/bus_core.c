/* Accesses of a core to anything but L1 and its own local memory: the core's port to the tile, and the hot path of the
 * bus.
 *
 * The core itself accesses L1 and its own local memory on its fast path; both work here too. NIUs, streams and pushes
 * take shorter paths that skip the address map.
 *
 * Inexact: loads take the least latency of their region, and conflicts cost nothing. Stores on the slow path to local
 * memory that is being cleared after reset are not lost. */
#include "tile/bus.h"
#include "tile/debug.h"
#include "tile/hazards.h"
#include "tile/l1.h"
#include "tile/late.h"
#include "tile/ports.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "tile/perf.h"
#include "tile/watchdog.h"

/* ---- Permissions and outcomes ---------------------------------------------------------------- */

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
    const char *name = core_name(core);
    if (!named)
        core_fault(core, BH_FAULT_UNMAPPED, insn_at_pc(core), address, "%s 0x%08x, which is not mapped for %s", verb,
                   address, name);
    else
        core_fault(core, BH_FAULT_UNMAPPED, insn_at_pc(core), address, "%s 0x%08x (%s), which is not mapped for %s",
                   verb, address, named->name, name);
    return BUS_FAULT;
}

/* Returns whether a store makes the core hang: that of a TRISC to the push window of another thread does
 * (PushTensixInstruction.md). Precondition: the core has no region at the address. */
static bool hangs(const struct core *core, uint32_t address) {
    const struct memmap_region *named = memmap_anyone(address);
    return named && named->kind == MEMMAP_PUSH && core->id != BH_NCRISC && !memmap_find(address, core->id);
}

/* Returns whether the region accepts accesses narrower than a word (BackendConfiguration.md; assumed for GPRs too). Dst
 * has formats of all sizes. */
static bool takes_narrow(const struct memmap_region *region, bool loads) {
    switch (region->kind) {
    case MEMMAP_CFG:
    case MEMMAP_GPR: return loads;
    case MEMMAP_DST: return true;
    default: return bus_is_memory(region);
    }
}

/* Returns whether the core may make an access that is not an aligned word. Otherwise raises a fault: unmapped,
 * misaligned, or too narrow. */
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

static inline struct visit visit_by_core(const struct tile *tile, const struct core *core, uint32_t address) {
    return (struct visit){
        .region = tile_region(tile, address, core->id),
        .viewer = core->id,
        .address = address,
        .time = core_time(core),
    };
}

/* Returns whether the core may make the access. Otherwise raises a fault. */
static inline bool is_allowed(struct core *core, const struct visit *visit, unsigned size, bool loads) {
    return (visit->region && size == 4 && visit->address % 4 == 0) || allows(core, visit, size, loads);
}

/* Handles an access that was not made: the core waits, gives way or faults. */
__attribute__((noinline)) static enum bus_result fail(struct core *core, const struct visit *visit, const char *verb,
                                                      struct access access) {
    if (access.result == ACCESS_WAIT) {
        core->waits_on = (uint8_t)access.wait;
        return BUS_WAIT;
    }
    if (access.result == ACCESS_LATER)
        return BUS_LATER;
    core_fault(core, access.kind, insn_at_pc(core), visit->address, "%s 0x%08x (%s): %s", verb, visit->address,
               visit->region->name, access.text);
    return BUS_FAULT;
}

static inline enum bus_result finish(struct core *core, const struct visit *visit, const char *verb,
                                     struct access access) {
    return BH_LIKELY(access.result == ACCESS_DONE) ? BUS_OK : fail(core, visit, verb, access);
}

/* ---- The coprocessor's time -------------------------------------------------------------------- */

/* Runs the coprocessor up to the time of a core that is about to access it. Returns false if another core, which may
 * have been woken by this, comes first. */
static bool reach_tensix(struct tile *tile, const struct core *core, uint64_t time) {
    return tile_in_turn(tile, core) && tensix_run(&tile->tensix, time);
}

/* Returns whether an access to the control register reads or changes the coprocessor. */
static bool controls_tensix(uint32_t address, bool loads) {
    switch ((int)address) {
    case REG_AT_CONTROL_DBG_INSTRN_BUF_STATUS:
    case REG_AT_CONTROL_TENSIX_CREG_RDDATA:
    case REG_AT_CONTROL_DBG_RD_DATA:
    case REG_AT_CONTROL_DBG_ARRAY_RD_DATA: return loads;
    case REG_AT_CONTROL_SOFT_RESET_0:
    case REG_AT_CONTROL_RISC_DBG_CNTL_0:
    case REG_AT_CONTROL_DBG_L1_MEM_REG2:
    case REG_AT_CONTROL_DBG_INSTRN_BUF_CTRL0:
    case REG_AT_CONTROL_DBG_FEATURE_DISABLE: return !loads;
    default: return perf_concerns(address, loads);
    }
}

/* Returns whether the access needs the coprocessor at the core's time. A TRISC's push does not: words carry their
 * times. */
static bool concerns_tensix(const struct visit *visit, bool loads) {
    switch (visit->region->kind) {
    case MEMMAP_PUSH: return visit->viewer == BH_BRISC;
    case MEMMAP_GPR:
    case MEMMAP_CFG:
    case MEMMAP_MOP:
    case MEMMAP_SEMAPHORE:
    case MEMMAP_TTSYNC:
    case MEMMAP_TDMA:
    case MEMMAP_DST:
    case MEMMAP_PCBUF_B: return true;
    case MEMMAP_OVERLAY: return !loads;
    case MEMMAP_CONTROL: return controls_tensix(visit->address, loads);
    default: return false;
    }
}

/* Returns whether the core may make this access now. */
static inline bool may_visit(struct tile *tile, const struct core *core, const struct visit *visit, bool loads) {
    if (BH_UNLIKELY(visit->region->kind == MEMMAP_ETH))
        return tile_is_first(tile, core); /* the queues share a wire: commands have to come in the order of their
                                           * times */
    return !concerns_tensix(visit, loads) || reach_tensix(tile, core, visit->time);
}

/* ---- Loads ----------------------------------------------------------------------------------- */

/* Returns the latency. A load from local memory that is being cleared after reset completes when that is done. */
static unsigned memory_latency(struct tile *tile, const struct visit *visit) {
    const struct core *owner = bus_ldm_owner(tile, visit);
    uint64_t ready = owner ? owner->ldm_ready : 0;
    return visit->region->latency + (ready > visit->time ? (unsigned)(ready - visit->time) : 0);
}

/* Finds the NIU of an address without the address map, because programs that move data poll NIUs all the time. Returns
 * false if the access is not an aligned word of a NIU. */
static inline bool names_niu(uint32_t address, unsigned size, unsigned *noc, uint32_t *offset) {
    uint32_t at = address - memmap[MEMMAP_ROW_NIU0].base;
    *noc = at / NIU_SPAN;
    *offset = at % NIU_SPAN;
    return *noc < 2 && size == 4 && at % 4 == 0;
}

/* Does the same for the streams of a Tensix tile, which count the contents of circular buffers. */
static inline bool names_stream(const struct tile *tile, uint32_t address, unsigned size) {
    const struct memmap_region *region = &memmap[MEMMAP_ROW_OVERLAY];
    return address - region->base < region->size && size == 4 && address % 4 == 0 && tile->kind == TILE_KIND_TENSIX;
}

__attribute__((noinline)) static enum bus_result load_stream(struct tile *tile, struct core *core, uint32_t address,
                                                             uint32_t *value, unsigned *latency) {
    struct visit visit = { &memmap[MEMMAP_ROW_OVERLAY], core->id, address, core_time(core) };
    *latency = visit.region->latency;
    return finish(core, &visit, "load from", bus_stream_read(tile, &visit, value));
}

/* Executes a load from anything but a NIU or a stream; or one that a NIU has refused, to get the text of the fault. */
__attribute__((noinline)) static enum bus_result load_elsewhere(struct tile *tile, struct core *core, uint32_t address,
                                                                unsigned size, uint32_t *value, unsigned *latency) {
    struct visit visit = visit_by_core(tile, core, address);
    uint32_t run;
    if (!is_allowed(core, &visit, size, true))
        return BUS_FAULT;
    *value = 0;
    if (bus_is_memory(visit.region)) {
        memcpy(value, bus_memory(tile, &visit, &run), size);
        *latency = memory_latency(tile, &visit);
        return BUS_OK;
    }
    *latency = visit.region->latency;
    if (!may_visit(tile, core, &visit, true))
        return BUS_LATER;
    if (visit.region->kind == MEMMAP_DST) {
        tile->woken = true; /* the coprocessor may have been woken */
        return finish(core, &visit, "load from",
                      tensix_dst_read(&tile->tensix, visit.viewer, visit_offset(&visit), size, visit.time, value));
    }
    struct access access = bus_register_read(tile, &visit, value);
    if (size < 4)
        *value = bits_get(*value, address % 4 * 8, size * 8);
    return finish(core, &visit, "load from", access);
}

static enum bus_result bus_load(void *owner, struct core *core, uint32_t address, unsigned size, uint32_t *value,
                                unsigned *latency) {
    struct tile *tile = owner;
    uint32_t offset;
    unsigned noc;
    *latency = memmap[MEMMAP_ROW_NIU0].latency;
    if (names_niu(address, size, &noc, &offset) &&
        tile_niu_read(tile, noc, offset, core_time(core), value).result == ACCESS_DONE)
        return BUS_OK; /* otherwise load again, to get the text of the fault */
    return names_stream(tile, address, size) ? load_stream(tile, core, address, value, latency)
                                             : load_elsewhere(tile, core, address, size, value, latency);
}

/* ---- Pushes ---------------------------------------------------------------------------------- */

/* Reports the words before it pushes them, because some may pass before all of them are pushed. */
__attribute__((noinline)) static struct access push_and_report(struct tile *tile, const struct core *core,
                                                               unsigned thread, struct tensix_push *push) {
    struct hazard_tile *hazards = tile->mail.hazards;
    const struct hazard_push report = { push->words, push_count(push->shape), push_step(push->shape), push->pc };
    hazard_pushes(hazards, core->id, thread, &report);
    struct access access = tensix_push(&tile->tensix, (enum bh_core)core->id, thread, push);
    hazard_pushed(hazards, core->id, thread, &report, push->pushed);
    return access;
}

/* Pushes words, and blocks the core if they do not all fit. If the row stays attached, the core counts the words that
 * have been pushed. Precondition: pc and time of the core are consistent. */
static inline struct access push_and_wait(struct tile *tile, struct core *core, unsigned thread,
                                          struct tensix_push *push) {
    uint64_t now = push->time;
    push->horizon = tile_horizon(tile);
    push->in_turn = now < push->horizon || tile_in_turn(tile, core); /* no other agent acts before the horizon */
    struct access access = BH_LIKELY(!tile->mail.hazards)
                               ? tensix_push(&tile->tensix, (enum bh_core)core->id, thread, push)
                               : push_and_report(tile, core, thread, push);
    if (access.result == ACCESS_WAIT && push->pushed)
        core_pushed(core, push->pushed, push->time);
    else if (access.result != ACCESS_WAIT)
        core->stalled += (int64_t)(push->time - now - push_cycles(push->shape, push->pushed));
    if (!tile->loose || core->id == BH_BRISC)
        tile_tensix_touched(tile);
    return access;
}

struct access bus_push_to(struct tile *tile, const struct visit *visit, uint32_t word) {
    struct core *core = &tile->core[visit->viewer];
    unsigned thread = core->id == BH_BRISC ? visit->region->unit : (unsigned)core->id - BH_TRISC0;
    struct tensix_push push = {
        .words = &word, .shape = push_shape(1, 1, 1, false), .pc = core->pc, .time = visit->time
    };
    if (visit_offset(visit))
        return access_refused(BH_FAULT_UNDEFINED, "instructions are pushed to the first word of the window");
    return push_and_wait(tile, core, thread, &push);
}

__attribute__((noinline)) static struct core_push
push_slowly(struct tile *tile, struct core *core, const uint32_t *words, unsigned shape, uint32_t pc, uint64_t time) {
    struct tensix_push push = {
        .words = words,
        .shape = shape,
        .pc = pc,
        .time = time,
        .limit = core_limit(core),
        .attaches = tile->skew > 1 && tile->running == core->id,
    };
    unsigned thread = core->id == BH_BRISC ? 0 : (unsigned)core->id - BH_TRISC0;
    if (core->id == BH_NCRISC || tile->kind == TILE_KIND_ETH)
        return (struct core_push){ 0, unmapped(core, memmap[MEMMAP_ROW_PUSH0].base, "push to") };
    struct access access = push_and_wait(tile, core, thread, &push);
    if (access.result == ACCESS_DONE)
        return (struct core_push){ push.pushed, BUS_OK };
    if (access.result == ACCESS_WAIT)
        core->waits_on = (uint8_t)access.wait;
    return (struct core_push){ 0, access.result == ACCESS_WAIT ? BUS_WAIT : BUS_LATER };
}

/* Pushes a row of plain words if there is room for all of them. */
static __attribute__((noinline)) struct core_push
push_plain(struct tile *tile, struct core *core, const uint32_t *words, unsigned shape, uint32_t pc, uint64_t time) {
    unsigned thread = (unsigned)core->id - BH_TRISC0;
    if (BH_UNLIKELY(thread >= TENSIX_THREADS))
        return (struct core_push){ 0 };
    if (tile->loose)
        return (struct core_push){ loose_push(&tile->tensix, thread, words, shape, pc, time), BUS_OK };
    unsigned count = tensix_put(&tile->tensix, thread, words, shape, pc, time, core_limit(core));
    if (BH_UNLIKELY(tile->mail.hazards != NULL)) {
        const struct hazard_push report = { words, count, push_step(shape), pc };
        hazard_pushes(tile->mail.hazards, core->id, thread, &report);
        hazard_pushed(tile->mail.hazards, core->id, thread, &report, count);
    }
    if (count)
        tile_tensix_touched(tile);
    return (struct core_push){ count, BUS_OK };
}

/* Executes .ttinsn, which is a store to the first push window (PushTensixInstruction.md). Most rows are one word. */
static struct core_push bus_push(void *owner, struct core *core, const uint32_t *words, unsigned shape, uint32_t pc,
                                 uint64_t time) {
    struct tile *tile = owner;
    unsigned thread = (unsigned)core->id - BH_TRISC0;
    if (BH_UNLIKELY(shape & PUSH_WAITS))
        return push_slowly(tile, core, words, shape, pc, time);
    if (shape != PUSH_ONE || thread >= TENSIX_THREADS || tile->loose || tile->mail.hazards)
        return push_plain(tile, core, words, shape, pc, time);
    if (!tensix_put_word(&tile->tensix, thread, *words, pc, time))
        return (struct core_push){ 0 };
    tile_tensix_touched(tile);
    return (struct core_push){ 1, BUS_OK };
}

/* ---- Stores ---------------------------------------------------------------------------------- */

static struct access dst_write(struct tile *tile, const struct visit *visit, unsigned size, uint32_t value) {
    struct access access =
        tensix_dst_write(&tile->tensix, visit->viewer, visit_offset(visit), size, visit->time, value);
    tile_tensix_touched(tile);
    return access;
}

__attribute__((noinline)) static enum bus_result store_elsewhere(struct tile *tile, struct core *core, uint32_t address,
                                                                 unsigned size, uint32_t value) {
    struct visit visit = visit_by_core(tile, core, address);
    uint32_t run;
    if (!visit.region && hangs(core, address)) {
        core->waits_on = WAIT_FOREIGN_WINDOW;
        return BUS_WAIT;
    }
    if (!is_allowed(core, &visit, size, false))
        return BUS_FAULT;
    if (bus_is_memory(visit.region)) {
        bus_memory_changes(tile, &visit, size);
        memcpy(bus_memory(tile, &visit, &run), &value, size);
        bus_memory_changed(tile, &visit, size);
        return BUS_OK;
    }
    if (!may_visit(tile, core, &visit, false))
        return BUS_LATER;
    if (visit.region->kind == MEMMAP_DST)
        return finish(core, &visit, "store to", dst_write(tile, &visit, size, value));
    return finish(core, &visit, "store to", bus_register_write(tile, &visit, value));
}

static enum bus_result bus_store(void *owner, struct core *core, uint32_t address, unsigned size, uint32_t value) {
    uint32_t offset;
    unsigned noc;
    if (names_niu(address, size, &noc, &offset) &&
        tile_niu_write(owner, noc, offset, core_time(core), value).result == ACCESS_DONE)
        return BUS_OK; /* otherwise store again, to get the text of the fault */
    return store_elsewhere(owner, core, address, size, value);
}

/* ---- Looks without effects, for polling loops -------------------------------------------------- */

/* Returns whether a core may sleep on this value: only a write that wakes the core changes it. The owner of a local
 * memory writes it without an announcement, so no other core can sleep on that. */
static bool is_steady(const struct tile *tile, const struct visit *visit) {
    switch (visit->region->kind) {
    case MEMMAP_TDMA: return tensix_tdma_steady(visit_offset(visit));
    case MEMMAP_CONTROL: return control_steady(visit->address);
    case MEMMAP_PIC: return pic_steady(&tile->pic, visit_offset(visit)) && !watchdog_runs(tile);
    case MEMMAP_OVERLAY: return overlay_steady(visit_offset(visit));
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
    if (!niu_read_hot(&tile->niu[noc], offset, value) &&
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
    struct visit visit = visit_by_core(tile, core, address);
    if (!visit.region || size != 4 || address % 4 || !is_steady(tile, &visit))
        return CORE_PEEK_REFUSED;
    *latency = visit.region->latency;
    if (bus_register_peek(tile, &visit, value).result != ACCESS_DONE)
        return CORE_PEEK_REFUSED;
    bool soon = visit.region->kind == MEMMAP_ETH && eth_soon(tile, address, visit.time);
    return soon ? CORE_PEEK_SOON : CORE_PEEK_DONE;
}

/* ---- The rest of the port -------------------------------------------------------------------- */

static void bus_l1_store(void *owner, uint32_t address, uint32_t value, unsigned size, uint64_t time) {
    struct tile *tile = owner;
    if (BH_UNLIKELY(tile->vary != NULL) && late_stores(tile, address, value, size, time))
        return;
    if (tile->marks[address >> CORE_CODE_GRAIN] & MARK_LENT) /* the mark may be stale: loose_keep removes it */
        loose_keep(tile, address, size);
    l1_write(tile, address, &value, size, time);
}

/* Adds the coordinates of the tile, which a core does not know, to a fault. */
static void bus_fault(void *owner, struct core *core, const struct bh_fault *fault) {
    struct tile *tile = owner;
    struct bh_fault located = *fault;
    located.tile = tile->xy;
    core->fault.tile = tile->xy;
    tile->port->fault(tile->owner, tile, &located);
}

/* CSRs.md: sstatus0..3 are the phases, sstatus4..7 the message counts of the streams that ThreadConfig selects. */
static uint32_t stream_status(struct tile *tile, unsigned thread, unsigned i, uint64_t time) {
    tensix_run(&tile->tensix, time);
    unsigned stream = tile->tensix.config.thread[thread][CONFIG_WORD_STREAM_ID_TRISC_SEC0_BankSel + i % 4] & 63;
    uint32_t value = 0;
    overlay_stream(&tile->overlay, stream, i < 4 ? OVERLAY_CURR_PHASE : OVERLAY_NUM_MSGS_RECEIVED, &value);
    return value;
}

static bool bus_reach(void *owner, const struct core *core) {
    return reach_tensix(owner, core, core_time(core));
}

static uint32_t bus_status_csr(void *owner, const struct core *core, unsigned csr) {
    enum { QSTATUS = 0xBC0, BSTATUS, SSTATUS0 };
    struct tile *tile = owner;
    if (tile->kind == TILE_KIND_ETH) /* there is no coprocessor: nothing is queued or busy, and no lane is enabled */
        return 0;
    tile->woken = true; /* the coprocessor may have been woken */
    switch (csr) {
    case QSTATUS: return tensix_qstatus(&tile->tensix, (enum bh_core)core->id, core_time(core));
    case BSTATUS: return tensix_bstatus(&tile->tensix, (enum bh_core)core->id, core_time(core));
    default: return stream_status(tile, (unsigned)core->id - BH_TRISC0, csr - SSTATUS0, core_time(core));
    }
}

static void bus_code_cached(void *owner, struct core *core) {
    struct tile *tile = owner;
    tile_code_cached(tile, core);
    if (BH_UNLIKELY(tile->vary != NULL))
        late_gap(tile, core);
}

static void bus_configured(void *owner, const struct core *core) {
    struct tile *tile = owner;
    if (core_is_trisc(core))
        tensix_core_fuses(&tile->tensix, (unsigned)core->id - BH_TRISC0, core_fuses(core));
}

/* Reports of a core to the search for hazards, to performance counters and to delays. */
static unsigned bus_step(void *owner, struct core *core, uint32_t pc, uint64_t time) {
    struct tile *tile = owner;
    if (tile->mail.hazards)
        tile_hazards_step(owner, core, pc, time);
    if (core->reports & CORE_REPORTS_PORTS)
        perf_step(tile, core, pc, time);
    return tile->vary ? late_holds(tile, core, pc, time) : 0;
}

static void bus_loaded(void *owner, const struct core *core, uint32_t address) {
    const struct tile *tile = owner;
    if (tile->mail.hazards)
        tile_hazards_loaded(owner, core, address);
}

static void bus_stored(void *owner, struct core *core, uint32_t address, uint32_t value) {
    struct tile *tile = owner;
    if (tile->mail.hazards)
        tile_hazards_stored(owner, core, address, value);
    if (tile->vary && address >= core->l1_limit[0])
        late_gap(tile, core);
}

static bool bus_share_l1(void *owner, struct core *core) {
    return ports_share(owner, core);
}

const struct core_port tile_core_port = {
    .load = bus_load,
    .store = bus_store,
    .push = bus_push,
    .l1_store = bus_l1_store,
    .peek = bus_peek,
    .fault = bus_fault,
    .step = bus_step,
    .loaded = bus_loaded,
    .stored = bus_stored,
    .debug = debug_step,
    .reach = bus_reach,
    .code_cached = bus_code_cached,
    .configured = bus_configured,
    .share_l1 = bus_share_l1,
    .status_csr = bus_status_csr,
};
