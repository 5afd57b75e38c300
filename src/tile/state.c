/* The saved members of a tile, besides its L1 and its mail (chip/save.c). */
#include "tile/tile.h"

static const struct state_member tile_members[] = {
    STATE_WIRING(struct tile, xy),
    STATE_WIRING(struct tile, noc0),
    STATE_WIRING(struct tile, index),
    STATE_WIRING(struct tile, number),
    STATE_WIRING(struct tile, kind),
    STATE_WIRING(struct tile, skew),
    STATE_WIRING(struct tile, site),
    STATE_SAVED(struct tile, time),
    STATE_SAVED(struct tile, running),
    STATE_SAVED(struct tile, changed),
    STATE_SAVED(struct tile, woken),
    STATE_SAVED(struct tile, by_tensix),
    STATE_WIRING(struct tile, loose),
    STATE_SAVED(struct tile, pic_armed),
    STATE_SAVED(struct tile, horizon),
    STATE_SAVED(struct tile, due),
    STATE_SAVED(struct tile, agents),
    STATE_SAVED(struct tile, until),
    STATE_SAVED(struct tile, stop),
    STATE_SAVED(struct tile, noc_due),
    STATE_SAVED(struct tile, seen_from),
    STATE_SAVED(struct tile, next),
    STATE_SAVED(struct tile, niu_watchers),
    STATE_SAVED(struct tile, tensix_waiters),
    STATE_SAVED(struct tile, room_waiters),
    STATE_SAVED(struct tile, stream_waiters),
    STATE_SAVED(struct tile, looker),
    STATE_SAVED(struct tile, may_sleep_on),
    STATE_SAVED(struct tile, look_from),
    STATE_SAVED(struct tile, look_before),
    STATE_SAVED(struct tile, stop_at_send),
    STATE_WIRING(struct tile, l1),
    STATE_WIRING(struct tile, slots),
    STATE_WIRING(struct tile, marks),
    STATE_WIRING(struct tile, grid),
    STATE_WIRING(struct tile, busy),
    STATE_WIRING(struct tile, link),
    STATE_WIRING(struct tile, run_end),
    STATE_WIRING(struct tile, wire),
    STATE_DERIVED(struct tile, plan),
    STATE_WIRING(struct tile, endpoint),
    STATE_WIRING(struct tile, port),
    STATE_WIRING(struct tile, owner),
    STATE_WIRING(struct tile, error),
    STATE_SAVED(struct tile, control),
    STATE_SAVED(struct tile, mailboxes),
    STATE_SAVED(struct tile, pcbufs),
    STATE_SAVED(struct tile, pic),
    STATE_WIRING(struct tile, mail),
    STATE_SAVED(struct tile, watch_address),
    STATE_SAVED(struct tile, watch_size),
    STATE_SAVED(struct tile, niu),
    STATE_SAVED(struct tile, overlay),
    STATE_INNER(struct tile, core, &core_state),
    STATE_INNER(struct tile, tensix, &tensix_state),
    STATE_SAVED(struct tile, eth),
    STATE_WIRING(struct tile, coverage),
};

const struct state_table tile_state = STATE_TABLE("tile", struct tile, tile_members);

static void mark_watched(struct tile *tile, uint32_t address, uint32_t size) {
    uint32_t l1_size = tile_l1_size(tile);
    if (address >= l1_size || size == 0 || size > l1_size - address)
        return;
    core_mark_l1(tile->marks, address, size, MARK_WATCHED);
}

void tile_loaded(struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        const struct core *core = &tile->core[i];
        for (unsigned k = 0; k < core->watch_count && k < CORE_WATCH_MAX; k++)
            mark_watched(tile, core->watch[k].address, core->watch[k].size);
    }
    mark_watched(tile, tile->watch_address, tile->watch_size);
}
