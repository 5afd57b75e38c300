/* The state tables of the chip (base/state.h). save.c saves its tiles, packets and memories separately. */
#include "base/state_rows.h"
#include "chip/chip.h"
#include "noc/table.h"

/* ---- Tables --------------------------------------------------------------------------------------------- */

/* save.c writes the lists of faults and the mail. */
#define T struct exchange
static const struct state_member exchange_members[] = {
    WIRING(grid),
    WIRING(live_tile),
    WIRING(tile_site),
    WIRING(mail),
    WIRING(pool),
    INNER(link, noc_link_state),
    SAVED(tile_link), /* hashed with the tiles */
    WIRING(leaving),
    SAVED(left_until),
    SAVED(links),
    DERIVED(paths),
    SEEN_TIME(channel),
    SEEN_TIME(host_channel),
    MOST(next_held, uint32_t, TOPOLOGY_TILES - 1),
    WIRING(orphan),
    WIRING(orphan_count),
    WIRING(orphan_room),
    WIRING(warning),
    WIRING(warning_count),
    WIRING(warning_room),
    WIRING(pools),
};
static const struct state_table exchange_state = STATE_TABLE("exchange", T, exchange_members);
#undef T

#define T struct arc
static const struct state_member arc_members[] = {
    SEEN(scratch), SEEN(scratch_ram), SEEN(misc_control),     SEEN(aiclk), SEEN(forced_aiclk),
    SEEN(busy),    SEEN_TIME(refclk), SEEN_TIME(refclk_time), WIRING(csm), /* csm is saved as memory */
};

static bool is_possible_arc(const void *block) {
    const struct arc *arc = block;
    return arc->aiclk != 0;
}

static const struct state_table arc_state = STATE_CHECKED_TABLE("arc", T, arc_members, is_possible_arc);
#undef T

#define T struct hdma
static const struct state_member hdma_members[] = { SEEN(word) };
static const struct state_table hdma_state = STATE_TABLE("hdma", T, hdma_members);
#undef T

#define T struct pcie
static const struct state_member pcie_members[] = { SEEN(iatu), INNER(hdma, hdma_state), SEEN(device_control) };
static const struct state_table pcie_state = STATE_TABLE("pcie", T, pcie_members);
#undef T

#define T struct bh_chip
static const struct state_member chip_members[] = {
    SEEN_TIME(time),
    FLAG(idle),
    FLAG(unsettled),
    FLAG(commanded),
    WIRING(is_member),
    SAVED(awake),
    FLAG(fault_pending),
    WIRING(is_broken),
    WIRING(in_epoch), /* a chip is saved only while nothing runs */
    FLAG(open_ended_epoch),
    SAVED(only_tile),
    SAVED(epoch_end),
    SAVED(run_end),
    SAVED(quiet_since),
    MOST(running_cores, uint8_t, (1 << TILE_AGENTS) - 1),
    SAVED(due),
    DERIVED(coming),
    SAVED(queued),
    SAVED(waiting),
    SAVED(held),
    WIRING(config),
    WIRING(topology),
    WIRING(small_index),
    WIRING(pcie_small),
    INNER(pcie, pcie_state),
    PARTS(arc, arc_state),
    PARTS(small_niu, niu_state),
    WIRING(dram),
    PARTS(exchange, exchange_state),
    SAVED(fresh_faults),
    WIRING(made),
    FLAG(touched),
    MOST(staged, uint8_t, (1 << BH_CORE_COUNT) - 1),
    WIRING(error),
    WIRING(message),
    WIRING(muted),
    SAVED(arrival),
    WIRING(refusal),
    WIRING(unread),
    WIRING(arena),
    WIRING(arena_size),
    WIRING(tile),
    WIRING(stage),
    WIRING(packet_pool),
    WIRING(hazards),
    WIRING(vary),
    WIRING(debug),
    WIRING(eth_port),
    WIRING(unreported),
    WIRING(unreported_count),
    WIRING(unreported_room),
    WIRING(host_changes),
    WIRING(in_run),
    WIRING(in_debug),
    WIRING(in_events),
    WIRING(observers),
    WIRING(on_event),
    WIRING(event_user),
    WIRING(threads),
    WIRING(pool),
    DERIVED(short_epochs),
    DERIVED(pace),
};

static bool is_possible(const void *block) {
    const struct bh_chip *chip = block;
    bool beyond = false;
    for (unsigned i = TOPOLOGY_TILES; i < 64 * CHIP_AWAKE_WORDS; i++) {
        uint64_t any = chip->awake[i / 64] | chip->queued[i / 64] | chip->waiting[i / 64] | chip->held[i / 64];
        beyond |= any >> i % 64 & 1;
    }
    return !beyond && (chip->only_tile <= CHIP_SEVERAL || chip->only_tile == TOPOLOGY_NONE);
}

const struct state_table chip_state = STATE_CHECKED_TABLE("bh_chip", T, chip_members, is_possible);
#undef T
