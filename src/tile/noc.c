/* The tile's end of the two NoCs: the packets that its NIUs send and receive, and the times of both.
 *
 * A packet takes effect in the cycle in which its last flit arrives, before any core acts in that cycle: the tile runs
 * its agents only up to that cycle (tile_run). A packet of the tile to itself never leaves the tile. */
#include "tile/noc.h"

#include <string.h>

#include "base/check.h"
#include "base/order.h"
#include "isa/memmap.h"
#include "noc/atomic.h"
#include "tile/sleep.h"
#include "tile/eth_firmware.h"
#include "tile/eth_port.h"
#include "tile/late.h"
#include "tile/loose.h"
#include "tile/hazards.h"
#include "tile/watch.h"

/* ---- The address space as packets see it ------------------------------------------------------------------- */

static struct access failed(bh_status status, const char *why) {
    switch (status) {
    case BH_ERR_UNMODELLED: return access_refused(BH_FAULT_UNMODELLED, why);
    case BH_ERR_ALIGNMENT: return access_refused(BH_FAULT_MISALIGNED, why);
    default: return access_refused(BH_FAULT_UNMAPPED, why);
    }
}

/* Returns whether these bytes are a part of one register. */
static bool is_part_of_register(uint64_t address, uint32_t size) {
    return address >= NOC_MMIO && (address % 4 || size < 4) && size <= 4 - address % 4;
}

static struct access read_at(struct tile *tile, unsigned noc, uint64_t address, void *data, uint32_t size,
                             uint64_t time) {
    const char *why = "";
    uint32_t word;
    if (tile->kind == TILE_KIND_ETH)
        eth_firmware_beat(tile, address, size, tile->time);
    if (l1_holds(tile, address, size)) {
        if (BH_UNLIKELY(tile->tensix.counting))
            perf_noc(tile, noc, true, size, time);
        memcpy(data, tile->l1 + address, size);
        return access_done();
    }
    bool part = is_part_of_register(address, size);
    bh_status status = part ? tile_read(tile, address - address % 4, &word, sizeof word, &why)
                            : tile_read(tile, address, data, size, &why);
    if (status == BH_OK && part)
        memcpy(data, (const uint8_t *)&word + address % 4, size);
    return status == BH_OK ? access_done() : failed(status, why);
}

static struct access noc_read(void *owner, unsigned noc, uint64_t address, void *data, uint32_t size) {
    struct tile *tile = owner;
    return read_at(tile, noc, address, data, size, tile->time);
}

static struct access noc_write(void *owner, unsigned noc, uint64_t address, const void *data, uint32_t size) {
    struct tile *tile = owner;
    const char *why = "";
    if (BH_LIKELY(l1_holds(tile, address, size))) {
        if (BH_UNLIKELY(tile->tensix.counting))
            perf_noc(tile, noc, false, size, tile->time);
        l1_write(tile, (uint32_t)address, data, size, tile->time);
        return access_done();
    }
    bh_status status = tile_write(tile, address, data, size, &why);
    return status == BH_OK ? access_done() : failed(status, why);
}

static const uint8_t *noc_show(void *owner, uint64_t address, uint32_t size) {
    struct tile *tile = owner;
    if (tile->kind == TILE_KIND_ETH)
        eth_firmware_beat(tile, address, size, tile->time);
    return l1_holds(tile, address, size) ? tile->l1 + address : NULL;
}

static struct access noc_atomic(void *owner, const struct noc_request *request, uint32_t *result) {
    enum { LINE = 16 };
    struct tile *tile = owner;
    uint64_t line = request->address & ~UINT64_C(15);
    if (!l1_holds(tile, line, LINE))
        return access_refused(BH_FAULT_UNMAPPED, "atomics are for L1");
    if (BH_UNLIKELY(tile->tensix.counting))
        perf_noc(tile, request->noc, false, LINE, tile->time);
    uint8_t *bytes = l1_begin(tile, (uint32_t)line, LINE);
    *result = atomic_do(request->atomic, request->data, (uint32_t)request->address, bytes);
    l1_end(tile, (uint32_t)line, LINE, tile->time);
    return access_done();
}

/* ---- The overlay --------------------------------------------------------------------------------------------- */

static void fail_stream(void *owner, unsigned stream, struct access why) {
    struct tile *tile = owner;
    mail_fault_stream(&tile->endpoint, stream, tile->time, why);
}

static struct overlay_wire overlay_wire_of(struct tile *tile, uint64_t time) {
    return (struct overlay_wire){
        .l1 = tile->kind == TILE_KIND_TENSIX ? tile->l1 : NULL,
        .niu = tile->niu,
        .wire = tile->grid ? &tile->wire : NULL,
        .time = time,
        .fail = fail_stream,
        .owner = tile,
    };
}

/* PIC.md: the interrupt is raised while a bit of BLOB_AUTO_CFG_DONE is set. */
void tile_streams_done(struct tile *tile, uint64_t time) {
    bool raised = tile->overlay.done != 0;
    if (raised == tile->overlay.raised || tile->kind != TILE_KIND_TENSIX)
        return;
    tile->overlay.raised = raised;
    pic_hardware(&tile->pic, PIC_OVERLAY, raised);
    tile_event(tile, time);
}

/* Notifies the waiters of streams. STREAMWAIT and sleeping cores see a change of a stream from the next cycle on. */
static void streams_moved(struct tile *tile, uint64_t time) {
    uint64_t moved = overlay_moved(&tile->overlay);
    tile_streams_done(tile, time);
    if (!moved)
        return;
    for (uint64_t left = moved; left; left &= left - 1)
        tile_stream_event(tile, time + 1,
                          memmap[MEMMAP_ROW_OVERLAY].base + OVERLAY_STREAM_SIZE * (unsigned)__builtin_ctzll(left));
    if (tile->niu[0].overlay_flights | tile->niu[1].overlay_flights)
        tile_noc_touched(tile, time);
    if (tile->running == TILE_AGENTS) /* the host or another tile may have made this tile send */
        tile_reschedule(tile);
}

struct access tile_stream_write(struct tile *tile, uint32_t offset, uint64_t time, uint32_t value) {
    struct overlay_wire wire = overlay_wire_of(tile, time);
    struct access access = overlay_write(&tile->overlay, &wire, offset, value);
    streams_moved(tile, time);
    return access;
}

static struct access noc_stream(void *owner, const struct noc_request *request) {
    struct tile *tile = owner;
    struct overlay_wire wire = overlay_wire_of(tile, tile->time);
    tensix_run(&tile->tensix, tile->time + 1);
    struct access access = overlay_arrive(&tile->overlay, &wire, request->tag, request->length);
    tensix_wake(&tile->tensix, tile->time + 1);
    tile_tensix_touched(tile);
    streams_moved(tile, tile->time);
    return access;
}

/* Continues streams whose packets have left. */
static __attribute__((noinline)) void run_streams(struct tile *tile, uint64_t time) {
    struct overlay_wire wire = overlay_wire_of(tile, time);
    tensix_run(&tile->tensix, time + 1);
    overlay_go_on(&tile->overlay, &wire);
    tensix_wake(&tile->tensix, time + 1);
    tile_tensix_touched(tile);
    streams_moved(tile, time);
}

static const struct endpoint_port endpoint_port = {
    .read = noc_read, .write = noc_write, .show = noc_show, .atomic = noc_atomic, .stream = noc_stream
};

/* ---- Sending ------------------------------------------------------------------------------------------------- */

struct access noc_no_memory(void) {
    return access_refused(BH_FAULT_UNMODELLED, "the host has no memory left for a packet");
}

/* Copies the bytes of a masked write, up to the last one that the mask selects: L1 may end behind it. If they come from
 * a register, its word is repeated. */
static __attribute__((noinline)) struct access load_masked(struct tile *tile, const struct noc_request *request,
                                                           uint8_t *data) {
    bool repeats = request->source_address >= NOC_MMIO;
    uint32_t size = repeats ? sizeof(uint32_t) : noc_carried_bytes(request);
    memset(data, 0, request->length);
    struct access access =
        size ? read_at(tile, request->noc, request->source_address, data, size, request->time) : access_done();
    for (uint32_t at = sizeof(uint32_t); repeats && at < request->length; at += sizeof(uint32_t))
        memcpy(data + at, data, sizeof(uint32_t));
    return access;
}

/* Copies the bytes that the request carries. */
struct access noc_load_bytes(struct tile *tile, const struct noc_request *request, uint8_t *data) {
    if (BH_UNLIKELY(request->kind == NOC_KIND_MASKED))
        return load_masked(tile, request, data);
    return read_at(tile, request->noc, request->source_address, data, request->length, request->time);
}

/* Queues the sender's own copy of a multicast, which does not leave the tile. */
static __attribute__((noinline)) bool send_own_copy(struct tile *tile, const struct transaction *transaction,
                                                    uint32_t block) {
    const struct noc_request *request = &transaction->request;
    struct noc_sites sites = route_area(request->noc, tile->site, &request->area);
    if (!noc_sites_has(&sites, tile->site) || !niu_takes_multicast(&tile->niu[request->noc]))
        return true;
    struct arrival arrival = {
        .time = route_request_arrives(request, tile->site),
        .order = transaction->order,
        .block = block,
        .flits = (uint16_t)noc_request_flits(request),
        .to = tile->site,
        .owner = tile->site,
        .noc = request->noc,
        .pool = tile->mail.pool_number,
    };
    packet_pool_share(tile->mail.pool, block);
    return mail_expect(&tile->mail, tile->link, &arrival);
}

static inline struct access send_transaction(struct tile *tile, struct transaction *transaction, uint32_t block) {
    const struct noc_request *request = &transaction->request;
    struct arrival arrival = {
        .time = request->target == tile->site ? route_request_arrives(request, tile->site) : request->time,
        .block = block,
        .flits = (uint16_t)noc_request_flits(request),
        .to = request->target,
        .owner = tile->site,
        .noc = request->noc,
        .pool = tile->mail.pool_number,
    };
    struct access access =
        noc_carries(request) ? noc_load_bytes(tile, request, transaction_own(transaction)) : access_done();
    if (access.result == ACCESS_DONE && (!mail_send(&tile->mail, tile->site, tile->link, transaction, arrival) ||
                                         (request->multicast && !send_own_copy(tile, transaction, block))))
        access = noc_no_memory();
    return access;
}

__attribute__((noinline)) void noc_fail_to_send(struct tile *tile, const struct transaction *transaction, uint64_t time,
                                                struct access access) {
    const struct endpoint here = { .grid = tile->grid, .mail = &tile->mail, .site = tile->site };
    mail_fault(&here, transaction, time, access);
}

void noc_send(struct tile *tile, const struct noc_request *request, const struct transaction *named) {
    uint32_t block;
    struct transaction *transaction = mail_write(&tile->mail, noc_carries(request) ? request->length : 0, &block);
    if (BH_UNLIKELY(!transaction)) {
        noc_fail_to_send(tile, &(struct transaction){ .sender = tile->site, .core = -1, .request = *request },
                         request->time, noc_no_memory());
        return;
    }
    transaction->sender = tile->site;
    transaction->stage = TRANSACTION_REQUEST;
    transaction->bytes = TRANSACTION_OWN;
    transaction->request = *request;
    noc_name_core(tile, transaction);
    if (BH_UNLIKELY(named != NULL)) {
        transaction->core = named->core;
        transaction->pc = named->pc;
        transaction->insn = named->insn;
    }
    struct access access = send_transaction(tile, transaction, block);
    if (tile->mail.observer)
        watch_sent(&tile->mail, tile->grid, transaction);
    if (tile->mail.hazards)
        tile_hazards_sent(tile->mail.hazards, transaction);
    if (access.result == ACCESS_DONE)
        return;
    noc_fail_to_send(tile, transaction, request->time, access);
    packet_pool_release(tile->mail.pool, block);
}

static void send(void *owner, const struct noc_request *request) {
    struct tile *tile = owner;
    if (BH_LIKELY(!tile->vary) || !late_sends(tile, request))
        noc_send(tile, request, NULL);
}

static void warn(void *owner, const struct noc_request *request, const char *why) {
    struct tile *tile = owner;
    struct transaction transaction = { .sender = tile->site, .request = *request };
    struct noc_sites sites = route_area(request->noc, tile->site, &request->area);
    unsigned site = request->multicast ? noc_sites_next(&sites) : request->target; /* one receiver stands for all */
    if (site == NOC_NOWHERE)
        return;
    const struct endpoint there = { .grid = tile->grid, .mail = &tile->mail, .site = (uint8_t)site };
    noc_name_core(tile, &transaction);
    mail_warn(&there, &transaction, request->time, why);
}

static void interrupt(void *owner, unsigned noc, bool raised, uint64_t time) {
    struct tile *tile = owner;
    pic_hardware(&tile->pic, PIC_NIU + noc, raised);
    tile_event(tile, time);
}

static const struct niu_port niu_port = { .send = send, .warn = warn, .interrupt = interrupt };
static const struct niu_port loose_port = { .send = loose_send, .warn = warn, .interrupt = interrupt };

/* ---- Life ----------------------------------------------------------------------------------------------------- */

static const struct niu_wire *wire_of(const struct tile *tile) {
    return tile->grid ? &tile->wire : NULL;
}

static unsigned endpoint_class(const struct tile *tile) {
    return tile->kind == TILE_KIND_ETH ? NIU_CLASS_ETH : NIU_CLASS_TENSIX;
}

static struct endpoint endpoint_of(struct tile *tile) {
    return (struct endpoint){
        .port = &endpoint_port,
        .owner = tile,
        .grid = tile->grid,
        .mail = &tile->mail,
        .niu = tile->niu,
        .wire = wire_of(tile),
        .link = tile->link,
        .site = tile->site,
    };
}

void tile_noc_init(struct tile *tile) {
    tile->site = (uint8_t)(tile->noc0.y * NOC_WIDTH + tile->noc0.x);
    bool loose = tile->tensix.loose;
    tile->wire = (struct niu_wire){
        .port = loose ? &loose_port : &niu_port,
        .owner = tile,
        .grid = tile->grid,
        .loose = loose && tile->grid,
        .plan = tile->plan,
        .error = &tile->error,
    };
    memset(tile->plan, 0, sizeof tile->plan);
    tile->endpoint = endpoint_of(tile);
    tile->noc_due = tile->seen_from = tile->late_due = NIU_NEVER; /* eth_touched sets late_due when frames are on their
                                                                   * way */
    tile->until = tile->stop = 0;
    tile->stop_at_send = tile->may_sleep_on = false;
    tile->look_from = NIU_NEVER;
    tile->niu_watchers = 0;
    tile->watched = NULL;
    for (unsigned noc = 0; noc < 2; noc++) {
        niu_init(&tile->niu[noc], noc, tile->noc0, tile->xy, endpoint_class(tile), tile->number);
        if (tile->grid)
            niu_configure(&tile->niu[noc], tile->grid);
    }
}

/* ---- Time ----------------------------------------------------------------------------------------------------- */

/* Returns the next cycle in which a NIU changes by itself, if a sleeping core or a stream has to know. Everything else
 * reads the NIU at its own time. */
static uint64_t niu_change(struct tile *tile) {
    uint64_t due = smaller(niu_due(&tile->niu[0]), niu_due(&tile->niu[1]));
    bool streams = tile->niu[0].overlay_flights | tile->niu[1].overlay_flights;
    return due != NIU_NEVER && (streams || sleep_watchers(tile)) ? due : NIU_NEVER;
}

/* Makes the running agent test again how far it may run. No other agent's turn has changed. */
static void end_turn(struct tile *tile) {
    if (tile->running == TILE_TENSIX)
        tile_reschedule(tile);
    tile->horizon = 0;
    if (tile->running < BH_CORE_COUNT)
        tile->core[tile->running].preempted = true;
}

static inline void touched(struct tile *tile, uint64_t time) {
    uint64_t before = tile->stop;
    tile->noc_due = smaller(inbox_due(&tile->mail.inbox), tile->late_due);
    if (tile->niu_watchers | tile->niu[0].overlay_flights | tile->niu[1].overlay_flights)
        tile->noc_due = smaller(tile->noc_due, niu_change(tile));
    if (tile->mail.outbox.count)
        tile->seen_from = smaller(tile->seen_from, time + NOC_LATENCY_MIN);
    if (tile->stop_at_send)
        tile->until = smaller(tile->until, tile->seen_from);
    tile->stop = smaller(tile->until, tile->noc_due);
    BH_ASSERT(tile->noc_due <= inbox_due(&tile->mail.inbox));
    if (tile->stop < before && tile->running < TILE_AGENTS)
        end_turn(tile);
}

void tile_noc_touched(struct tile *tile, uint64_t time) {
    touched(tile, time);
}

void tile_noc_run(struct tile *tile) {
    struct sleep_views before;
    sleep_look(tile, &before);
    niu_run(&tile->niu[0], tile->time);
    niu_run(&tile->niu[1], tile->time);
    if (BH_UNLIKELY(overlay_is_due(&tile->overlay, tile->niu)))
        run_streams(tile, tile->time);
    if (BH_UNLIKELY(tile->late_due <= tile->time)) {
        eth_receive(tile);
        late_land(tile);
    }
    while (inbox_due(&tile->mail.inbox) <= tile->time) {
        struct arrival arrival;
        if (!mail_receive(&tile->mail, tile->link, &arrival))
            continue;
        struct transaction *transaction = mail_read(&tile->mail, &arrival);
        if (!endpoint_deliver(&tile->endpoint, transaction, &arrival))
            mail_used(&tile->mail, tile->site, &arrival, transaction);
    }
    sleep_arrived(tile, &before);
    touched(tile, tile->time);
}

/* ---- Registers ------------------------------------------------------------------------------------------------- */

/* Applies the NIU's changes. If there is no core to wake, noc_due stays as it is. */
static __attribute__((noinline)) void settle(struct tile *tile, unsigned noc, uint64_t time) {
    struct sleep_views before;
    sleep_look(tile, &before);
    niu_run(&tile->niu[noc], time);
    if (BH_UNLIKELY(overlay_is_due(&tile->overlay, tile->niu)))
        run_streams(tile, time);
    if (!before.cores)
        return;
    sleep_wake(tile, &before, time);
    touched(tile, time);
}

void tile_niu_settle(struct tile *tile, unsigned noc, uint64_t time) {
    if (niu_due(&tile->niu[noc]) <= time)
        settle(tile, noc, time);
}

/* Peeks at a copy of the NIU that has been run up to the time. */
static struct access peek_ahead(const struct niu *niu, uint32_t offset, uint64_t time, uint32_t *value) {
    struct niu ahead = *niu;
    niu_run(&ahead, time);
    return niu_peek(&ahead, offset, value);
}

struct access tile_niu_peek(const struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t *value) {
    const struct niu *niu = &tile->niu[noc];
    return niu_due(niu) < time ? peek_ahead(niu, offset, time - 1, value) : niu_peek(niu, offset, value);
}

/* Precondition: tile_niu_settle has been called. */
static __attribute__((noinline)) struct access read_slowly(struct tile *tile, unsigned noc, uint32_t offset,
                                                           uint64_t time, uint32_t *value) {
    struct niu *niu = &tile->niu[noc];
    struct sleep_views before;
    if (niu_steady(niu, offset))
        return niu_read(niu, wire_of(tile), offset, time, value);
    sleep_look(tile, &before);
    struct access access = niu_read(niu, wire_of(tile), offset, time, value);
    sleep_wake(tile, &before, time);
    return access;
}

struct access tile_niu_read(struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t *value) {
    tile_niu_settle(tile, noc, time);
    return niu_read_hot(&tile->niu[noc], offset, value) ? access_done() : read_slowly(tile, noc, offset, time, value);
}

bool tile_niu_soon(const struct tile *tile, unsigned noc, uint32_t offset, uint64_t time) {
    enum { SOON = 32 }; /* in cycles; a few rounds of polling cost less than falling asleep and waking */
    const struct niu *niu = &tile->niu[noc];
    return offset % NIU_BLOCK == NIU_CMD_CTRL && niu->busy && niu->due < time + SOON;
}

/* Returns whether the register is a field of a request, which has no effect before a write to CMD_CTRL. */
static bool is_field(uint32_t offset) {
    return offset % NIU_BLOCK < NIU_CMD_CTRL;
}

/* Writes a field of a request, unless a core sleeps on it; then returns false. */
static inline bool write_field(struct tile *tile, unsigned noc, uint32_t offset, uint32_t value) {
    bool watched = tile->niu_watchers && is_field(offset) && sleep_watches(tile, noc, offset);
    return !watched && niu_write_field(&tile->niu[noc], offset, value);
}

/* Prefetches the word of the core's instruction for noc_name_core. No cache has it, because the core runs decoded
 * slots. */
static inline void prefetch_instruction(const struct tile *tile) {
    if (tile->running < BH_CORE_COUNT)
        __builtin_prefetch((const void *)((uintptr_t)tile->l1 + tile->core[tile->running].pc));
}

static __attribute__((noinline)) struct access write_slowly(struct tile *tile, unsigned noc, uint32_t offset,
                                                            uint64_t time, uint32_t value) {
    struct sleep_views before;
    prefetch_instruction(tile);
    if (niu_due(&tile->niu[noc]) <= time) {
        settle(tile, noc, time);
        if (write_field(tile, noc, offset, value))
            return access_done();
    }
    sleep_look(tile, &before);
    struct access access = niu_write(&tile->niu[noc], wire_of(tile), offset, time, value);
    sleep_wake(tile, &before, time);
    if (is_field(offset))
        return access;
    if (BH_UNLIKELY(overlay_is_due(&tile->overlay, tile->niu))) /* a linked transaction has ended */
        run_streams(tile, time);
    if (!tile->wire.loose) /* with loose timing nothing is in flight */
        touched(tile, time);
    if (tile->running == TILE_AGENTS) /* the host or another tile may have made this tile send */
        tile_reschedule(tile);
    return access;
}

/* Returns whether only the running core can see its request: with loose timing nothing is in flight, and no core sleeps
 * on a NIU. */
static inline bool is_unseen(const struct tile *tile) {
    return tile->wire.loose && !tile->niu_watchers && tile->running < BH_CORE_COUNT;
}

struct access tile_niu_write(struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t value) {
    struct niu *niu = &tile->niu[noc];
    bool starts = offset % NIU_BLOCK == NIU_CMD_CTRL;
    if (!starts && niu_due(niu) > time && write_field(tile, noc, offset, value))
        return access_done();
    bool linked = niu->linked != 0;
    if (!starts || linked || !is_unseen(tile) || !niu_is_command(niu, offset, value))
        return write_slowly(tile, noc, offset, time, value);
    prefetch_instruction(tile);
    if (BH_LIKELY(loose_send_planned(tile, niu, offset / NIU_BLOCK, time)))
        return access_done();
    return niu_send_loosely(niu, &tile->wire, offset / NIU_BLOCK, time);
}
