/* The table of a tile, besides its L1 and its mail (chip/save.c). */
#include "base/mix.h"
#include "base/state_rows.h"
#include "noc/table.h"
#include "tile/tile.h"

#define T struct control
static const struct state_member control_members[] = { SEEN(value), SEEN_TIME(watchdog_since) };
static const struct state_table control_state = STATE_TABLE("control", T, control_members);
#undef T

#define T struct mailbox
static const struct state_member mailbox_members[] = { SEEN(word), SEEN_MOST(count, uint32_t, MAILBOX_DEPTH) };
static const struct state_table mailbox_state = STATE_TABLE("mailbox", T, mailbox_members);
#undef T

#define T struct mailboxes
static const struct state_member mailboxes_members[] = { INNER(box, mailbox_state) };
static const struct state_table mailboxes_state = STATE_TABLE("mailboxes", T, mailboxes_members);
#undef T

#define T struct pcbuf
static const struct state_member pcbuf_members[] = {
    SEEN(word),
    SEEN_MOST(count, uint32_t, PCBUF_DEPTH),
    FLAG(reader_waits),
};
static const struct state_table pcbuf_state = STATE_TABLE("pcbuf", T, pcbuf_members);
#undef T

#define T struct pcbufs
static const struct state_member pcbufs_members[] = { INNER(buf, pcbuf_state) };
static const struct state_table pcbufs_state = STATE_TABLE("pcbufs", T, pcbufs_members);
#undef T

#define T struct pic_core
static const struct state_member pic_core_members[] = {
    SEEN(software_enable),
    SEEN(hardware_enable),
    SEEN_MOST(number, uint32_t, PIC_SOFTWARE + PIC_HARDWARE - 1),
    SEEN_MOST(next, uint32_t, PIC_SOFTWARE + PIC_HARDWARE - 1),
};
static const struct state_table pic_core_state = STATE_TABLE("pic_core", T, pic_core_members);
#undef T

#define T struct pic
static const struct state_member pic_members[] = {
    INNER(core, pic_core_state), SEEN(raised), SEEN(hardware), SEEN(taken), SEEN(handler),
};
static const struct state_table pic_state = STATE_TABLE("pic", T, pic_members);
#undef T

#define T struct risc_debug_core
static const struct state_member risc_debug_core_members[] = {
    SEEN(command),       SEEN(argument), SEEN(result),
    SEEN(modes),         SEEN(address),  SEEN(reasons),
    SAVED(from),         SAVED(number),  SEEN_MOST(request, uint8_t, RISC_DEBUG_WRITE),
    SEEN_FLAG(stepping), FLAG(armed),    SEEN_FLAG(half_step),
    SAVED(unused),
};
static const struct state_table risc_debug_core_state = STATE_TABLE("risc_debug_core", T, risc_debug_core_members);
#undef T

#define T struct risc_debug
static const struct state_member risc_debug_members[] = { INNER(core, risc_debug_core_state) };
static const struct state_table risc_debug_state = STATE_TABLE("risc_debug", T, risc_debug_members);
#undef T

#define T struct debug_bus
static const struct state_member debug_bus_members[] = {
    SEEN(position), SEEN(left), SEEN(interval), SAVED(unused), SAVED(due),
};
static const struct state_table debug_bus_state = STATE_TABLE("debug_bus", T, debug_bus_members);
#undef T

#define T struct timestamp
static const struct state_member timestamp_members[] = {
    SEEN(gathered),
    SEEN(position),
    SEEN_MOST(count, uint8_t, TIMESTAMP_WORDS - 1),
    SEEN_MOST(size, uint8_t, TIMESTAMP_WORDS),
    SEEN_MOST(full, uint8_t, (1 << TIMESTAMP_BUFFERS) - 1),
    SEEN_MOST(overflown, uint8_t, (1 << TIMESTAMP_BUFFERS) - 1),
};
static const struct state_table timestamp_state = STATE_TABLE("timestamp", T, timestamp_members);
#undef T

#define T struct perf
static const struct state_member perf_members[] = { SAVED(counted) };
static const struct state_table perf_state = STATE_TABLE("perf", T, perf_members);
#undef T

#define T struct eth_classifier
static const struct state_member eth_classifier_members[] = {
    SEEN_ZERO(word), SEEN(enabled), SEEN_ZERO(pattern), SEEN_MOST(kind, uint8_t, ETH_KIND_IPV6), SEEN_ZERO(flow),
};
static const struct state_table eth_classifier_state = STATE_TABLE("eth_classifier", T, eth_classifier_members);
#undef T

#define T struct eth
static const struct state_member eth_members[] = {
    SEEN(soft_reset),
    SEEN(first_pc),
    SEEN_TIME(clock_high),
    SEEN(txq),
    SEEN(rxq),
    SEEN(header),
    SEEN(mac_rx_routing),
    SEEN(mac_rx_address_routing),
    SEEN(last_pc),
    SEEN(eop_good),
    FLAG(classifies),
    SAVED(unused),
    PARTS(classifier, eth_classifier_state),
};
static const struct state_table eth_state = STATE_TABLE("eth", T, eth_members);
#undef T

#define T struct late_store
static const struct state_member late_store_members[] = {
    SEEN_TIME(time),
    SEEN(address),
    SEEN(value),
    SEEN_MOST(size, uint8_t, 4),
    SEEN_MOST(core, uint8_t, BH_CORE_COUNT - 1),
    SAVED(unused),
};
static bool is_possible_late_store(const void *block) {
    const struct late_store *store = block;
    return store->address < CORE_L1_SIZE && store->size <= CORE_L1_SIZE - store->address;
}
static const struct state_table late_store_state =
    STATE_CHECKED_TABLE("late_store", T, late_store_members, is_possible_late_store);
#undef T

#define T struct late
static const struct state_member late_members[] = {
    SAVED(events),
    SEEN_MOST(stores, uint8_t, LATE_STORES),
    MOST(sends, uint8_t, LATE_SENDS),
    MOST(fenced, uint8_t, (1 << BH_CORE_COUNT) - 1),
    SAVED(unused),
    INNER(store, late_store_state),
    PARTS(send, transaction_state),
};
static const struct state_table late_state = STATE_TABLE("late", T, late_members);
#undef T

static uint64_t see_link(uint64_t hash, const void *block, uint64_t now) {
    const struct tile *tile = block;
    (void)now;
    return mix_bytes(hash, tile->link, 2 * sizeof tile->link[0]);
}

#define T struct tile
static const struct state_member tile_members[] = {
    WIRING(xy),
    WIRING(noc0),
    WIRING(index),
    WIRING(number),
    WIRING(kind),
    WIRING(skew),
    WIRING(debug_flaws),
    WIRING(site),
    SAVED(time),
    WIRING(running), /* nothing runs while a chip is saved */
    FLAG(changed),
    FLAG(woken),
    FLAG(by_tensix),
    WIRING(loose),
    FLAG(pic_armed),
    SAVED(horizon),
    SAVED(due),
    MOST(agents, uint8_t, (1 << TILE_AGENTS) - 1),
    SAVED(until),
    SAVED(stop),
    SAVED(noc_due),
    SAVED(late_due),
    SAVED(seen_from),
    SAVED(next),
    MOST(niu_watchers, uint8_t, (1 << BH_CORE_COUNT) - 1),
    MOST(tensix_waiters, uint8_t, (1 << BH_CORE_COUNT) - 1),
    MOST(room_waiters, uint8_t, (1 << BH_CORE_COUNT) - 1),
    MOST(stream_waiters, uint8_t, (1 << BH_CORE_COUNT) - 1),
    MOST(looker, uint8_t, BH_CORE_COUNT - 1),
    FLAG(may_sleep_on),
    SAVED(look_from),
    SAVED(look_before),
    DERIVED(watched),
    FLAG(stop_at_send),
    WIRING(l1),
    WIRING(slots),
    WIRING(marks),
    WIRING(memo),
    WIRING(grid),
    { STATE_ROW_(link), .kind = STATE_WIRING, .view = see_link, .time = true }, /* the chip saves it */
    WIRING(run_end),
    WIRING(wire),
    DERIVED(plan),
    WIRING(endpoint),
    WIRING(port),
    WIRING(owner),
    WIRING(vary),
    WIRING(eth_port), /* the system saves it */
    WIRING(error),
    INNER(control, control_state),
    INNER(mailboxes, mailboxes_state),
    INNER(pcbufs, pcbufs_state),
    INNER(pic, pic_state),
    INNER(risc_debug, risc_debug_state),
    INNER(debug_bus, debug_bus_state),
    INNER(timestamp, timestamp_state),
    INNER(perf, perf_state),
    WIRING(mail),
    SAVED(watch_address),
    SAVED(watch_size),
    PARTS(niu, niu_state),
    PARTS(overlay, overlay_state),
    PARTS(core, core_state),
    PARTS(tensix, tensix_state),
    PARTS(eth, eth_state),
    PARTS(late, late_state),
    WIRING(coverage),
};

const struct state_table tile_state = STATE_TABLE("tile", T, tile_members);
#undef T

static void mark_watched(struct tile *tile, uint32_t address, uint32_t size) {
    uint32_t l1_size = tile_l1_size(tile);
    if (address >= l1_size || size == 0 || size > l1_size - address)
        return;
    core_mark_l1(tile->marks, address, size, MARK_WATCHED);
}

/* Code in an instruction cache was decoded; a write to it has to be noted. */
static void mark_cached(struct tile *tile, const struct core *core) {
    for (unsigned entry = 0; entry < FETCH_ENTRIES; entry++) {
        uint32_t block = fetch_block_of(&core->fetch, entry);
        if (block < tile_l1_size(tile) / FETCH_BLOCK)
            core_mark_l1(tile->marks, block * FETCH_BLOCK, FETCH_BLOCK, MARK_CODE);
    }
}

void tile_loaded(struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct core *core = &tile->core[i];
        core_configured(core);
        mark_cached(tile, core);
        for (unsigned k = 0; k < core->watch_count && k < CORE_WATCH_MAX; k++)
            mark_watched(tile, core->watch[k].address, core->watch[k].size);
    }
    mark_watched(tile, tile->watch_address, tile->watch_size);
    risc_debug_refresh(tile);
    perf_refresh(tile);
    tile->watched = NULL; /* until a core falls asleep */
}
