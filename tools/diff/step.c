/* The first difference within one piece, epoch by epoch and then instruction by instruction: see seek.h. */
#include <stdio.h>

#include "diff/seek.h"

/* Runs both sides until they stand at the end of an epoch in the same cycle. Returns false if there is no such
 * cycle. */
static bool meet(struct seeker *s) {
    const struct side *a = side_of(s, 0), *b = side_of(s, 1);
    while (run_are_at_events(s) && a->event.cycle != b->event.cycle) {
        run_to_epoch(s, side_of(s, 0), b->event.cycle);
        if (run_are_at_events(s))
            run_to_epoch(s, side_of(s, 1), a->event.cycle);
    }
    return run_are_at_events(s);
}

bool step_find_epoch(struct seeker *s, uint64_t end, struct comparison *comparison) {
    bool found = false;
    if (!run_start(s, end))
        return false;
    s->result->cycle = UINT64_MAX;
    while (!found && meet(s)) {
        found = compare(s, NULL, comparison);
        if (found) {
            s->result->cycle = side_of(s, 0)->event.cycle;
        } else {
            s->result->from = side_of(s, 0)->event.cycle;
            meeting_go_both(s->meeting);
        }
    }
    if (!run_to_end(s))
        return false;
    if (!found) { /* a run has ended, or packets were exchanged after the last epoch */
        compare(s, NULL, comparison);
        s->result->cycle = bh_cycle(chip_of(s, 0));
    }
    s->result->tiles = comparison->all_tiles;
    return true;
}

static bool is_same_event(const struct bh_debug_event *a, const struct bh_debug_event *b) {
    return a->kind == b->kind && a->tile.x == b->tile.x && a->tile.y == b->tile.y && a->core == b->core &&
           a->number == b->number && a->cycle == b->cycle && a->pc == b->pc;
}

static unsigned cores_of(const bh_chip *chip, struct bh_xy tile) {
    struct bh_tile_info info;
    bool eth = bh_tile_find(chip, tile, &info) == BH_OK && info.kind == BH_TILE_ETH;
    return eth ? 1u << BH_ERISC0 | 1u << BH_ERISC1 : BH_ALL_CORES;
}

static void step_tiles(const struct seeker *s, const struct bh_xy *tile, unsigned count, bool on) {
    for (unsigned i = 0; i < SIDES; i++)
        for (unsigned k = 0; k < count; k++)
            bh_step(chip_of(s, i), tile[k], on ? cores_of(chip_of(s, i), tile[k]) : 0);
}

static struct moment *moment_of(struct moment *moments, unsigned count, struct bh_xy tile) {
    for (unsigned i = 0; i < count; i++)
        if (moments[i].tile.x == tile.x && moments[i].tile.y == tile.y)
            return &moments[i];
    return NULL;
}

/* Records the time of a core as a difference: values are equal, but the next instruction has another cycle or core. */
static void note_time(const struct seeker *s, struct moment *m, int core) {
    struct bh_core_info info[SIDES];
    struct bh_difference d = { .part = BH_PART_TILE, .tile = m->tile, .time = true, .size = 8 };
    snprintf(d.name, sizeof d.name, "core[%d].time", core);
    for (unsigned i = 0; i < SIDES; i++) {
        bh_core_query(chip_of(s, i), m->tile, (enum bh_core)core, &info[i]);
        d.value[i] = info[i].cycle;
    }
    if (d.value[0] != d.value[1])
        compare_add(&m->comparison, &d);
}

/* Compares a tile when both sides stand at an event of it. Stops stepping the tile after its first difference. */
static void look_at_step(const struct seeker *s, struct moment *moments, unsigned count) {
    const struct bh_debug_event *a = &side_of(s, 0)->event, *b = &side_of(s, 1)->event;
    for (unsigned i = 0; i < SIDES; i++) {
        const struct bh_debug_event *event = i ? b : a;
        struct moment *m = event->kind == BH_DEBUG_TIME || side_of(s, i)->state != SIDE_EVENT
                               ? NULL
                               : moment_of(moments, count, event->tile);
        if (!m || m->found)
            continue;
        m->comparison = (struct comparison){ .most = s->listed };
        m->found = compare(s, &m->tile, &m->comparison) || !is_same_event(a, b);
        for (int core = 0; m->found && !m->comparison.list.total && core < BH_CORE_COUNT; core++)
            if (cores_of(chip_of(s, 0), m->tile) >> core & 1)
                note_time(s, m, core);
        m->after = *a;
        if (m->found) {
            step_tiles(s, &m->tile, 1, false);
        } else {
            m->before = *a;
            m->has_before = true;
        }
    }
}

/* Compares the tiles that have shown no difference yet, when both sides stand at the end of the epoch. */
static void look_at_end(const struct seeker *s, struct moment *moments, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct moment *m = &moments[i];
        if (m->found)
            continue;
        m->comparison = (struct comparison){ .most = s->listed };
        m->found = compare(s, &m->tile, &m->comparison);
        m->after = (struct bh_debug_event){ .kind = BH_DEBUG_TIME, .core = -1, .cycle = s->result->cycle };
    }
}

static bool is_at_end(const struct side *side, uint64_t cycle) {
    return side->state != SIDE_EVENT || (side->event.kind == BH_DEBUG_TIME && side->event.cycle >= cycle);
}

/* Runs a side to its next instruction. */
static void go_to_step(struct seeker *s, struct side *side) {
    if (is_at_end(side, s->result->cycle))
        return;
    do
        meeting_go(s->meeting, side);
    while (!is_at_end(side, s->result->cycle) && side->event.kind == BH_DEBUG_TIME);
}

bool step_find_moments(struct seeker *s, uint64_t end, struct moment *moments, unsigned count) {
    struct bh_xy tiles[TILES_STEPPED];
    bool at_start = s->result->from <= s->last_cycle;
    for (unsigned i = 0; i < count; i++)
        tiles[i] = moments[i].tile;
    if (!run_go_back(s) || !run_debug(s, true))
        return false;
    if (at_start)
        step_tiles(s, tiles, count, true);
    if (!run_to(s, end))
        return false;
    for (unsigned i = 0; i < SIDES && !at_start; i++)
        run_to_epoch(s, side_of(s, i), s->result->from);
    if (!at_start)
        step_tiles(s, tiles, count, true);
    for (unsigned i = 0; i < SIDES; i++)
        if (!at_start || side_of(s, i)->event.kind == BH_DEBUG_TIME)
            go_to_step(s, side_of(s, i));
    while (!is_at_end(side_of(s, 0), s->result->cycle) || !is_at_end(side_of(s, 1), s->result->cycle)) {
        look_at_step(s, moments, count);
        for (unsigned i = 0; i < SIDES; i++)
            go_to_step(s, side_of(s, i));
    }
    look_at_end(s, moments, count);
    return run_to_end(s);
}
