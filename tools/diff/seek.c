/* Searches for the first difference: see diff.h.
 *
 * Pieces end at multiples of bh_epoch, which does not change a run (docs/noc.md). In the last piece, which is one
 * bh_epoch long, both runs are debugged: they stop at the end of each epoch, then, in the first epoch at whose end they
 * differ, before each instruction of the tiles that differ. Values that the host has made different are ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diff/diff.h"

enum { TILES_STEPPED = 16 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool fail(struct seeker *s, const char *text) {
    snprintf(s->message, sizeof s->message, "%s", text);
    return false;
}

static struct side *side_of(const struct seeker *s, unsigned i) {
    return &s->meeting->side[i];
}

static bh_chip *chip_of(const struct seeker *s, unsigned i) {
    return side_of(s, i)->machine->chip;
}

/* ---- Comparing ---------------------------------------------------------------------------------------------- */

static int order(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int by_place(const void *left, const void *right) {
    const struct bh_difference *a = left, *b = right;
    int result = order(a->part, b->part);
    result = result ? result : order(a->bank, b->bank);
    result = result ? result : order((uint64_t)a->tile.y << 8 | a->tile.x, (uint64_t)b->tile.y << 8 | b->tile.x);
    return result ? result : order(a->address, b->address);
}

static bool is_ignored(const struct seeker *s, const struct bh_difference *d) {
    return s->ignored_count && bsearch(d, s->ignored, s->ignored_count, sizeof *d, by_place);
}

/* A comparison in progress. */
struct look {
    const struct seeker *seeker;
    struct finding_list list;
    size_t most; /* number of differences to keep; with `stop`, the comparison ends after them */
    bool stop, no_memory;
    struct bh_xy tile[TILES_STEPPED];
    unsigned tiles, all_tiles;
    struct bh_xy last;
};

static void note_tile(struct look *look, struct bh_xy tile) {
    if (tile.x == 255 || (look->all_tiles && tile.x == look->last.x && tile.y == look->last.y))
        return;
    look->last = tile;
    look->all_tiles++;
    if (look->tiles < TILES_STEPPED)
        look->tile[look->tiles++] = tile;
}

static bool on_difference(void *user, const struct bh_difference *difference) {
    struct look *look = user;
    bool memory = difference->part == BH_PART_L1 || difference->part == BH_PART_DRAM;
    if (is_ignored(look->seeker, difference) || (look->seeker->memory && !memory))
        return true;
    note_tile(look, difference->tile);
    look->list.total++;
    if (look->list.count < look->most) {
        size_t count = look->list.count;
        if ((count & (count - 1)) == 0) {
            struct bh_difference *larger = realloc(look->list.item, (count ? 2 * count : 1) * sizeof *larger);
            if (!larger) {
                look->no_memory = true;
                return false;
            }
            look->list.item = larger;
        }
        look->list.item[look->list.count++] = *difference;
    }
    return !look->stop || look->list.count < look->most;
}

/* Compares both chips, or one tile of them; tile NULL: all. Returns whether there is a difference. The caller frees
 * look->list.item. */
static bool compare(const struct seeker *s, const struct bh_xy *tile, struct look *look) {
    look->seeker = s;
    bh_state_diff(chip_of(s, 0), chip_of(s, 1), tile, s->values ? BH_DIFF_VALUES : 0, on_difference, look);
    return look->list.total;
}

static bool differs(const struct seeker *s) {
    struct look look = { .most = 1, .stop = true };
    bool result = compare(s, NULL, &look);
    free(look.list.item);
    return result;
}

/* Records the differences that the host has made, for the result, and ignores them from now on. */
static bool ignore_host(struct seeker *s) {
    struct look look = { .most = SIZE_MAX };
    struct result *r = s->result;
    bool some = compare(s, NULL, &look);
    size_t count = s->ignored_count + look.list.count;
    struct bh_difference *all = some ? realloc(s->ignored, count * sizeof *all) : NULL;
    if (some && all) {
        memcpy(all + s->ignored_count, look.list.item, look.list.count * sizeof *all);
        qsort(all, count, sizeof *all, by_place);
        s->ignored = all;
        s->ignored_count = count;
        r->inputs_differ = true;
        r->inputs.total += look.list.total;
        if (!r->inputs.item) {
            r->inputs.item = look.list.item;
            r->inputs.count = look.list.count < s->listed ? look.list.count : s->listed;
            look.list.item = NULL;
        }
    }
    free(look.list.item);
    return (!some || all) && !look.no_memory ? true : fail(s, "out of memory");
}

/* ---- Running both sides -------------------------------------------------------------------------------------- */

static bool take(struct seeker *s) {
    for (unsigned i = 0; i < SIDES; i++) {
        bh_snapshot_free(s->last[i]);
        s->last[i] = NULL;
        if (bh_snapshot_take(chip_of(s, i), &s->last[i]) != BH_OK)
            return fail(s, bh_message(chip_of(s, i)));
    }
    s->last_cycle = bh_cycle(chip_of(s, 0));
    return true;
}

static bool go_back(struct seeker *s) {
    for (unsigned i = 0; i < SIDES; i++) {
        side_of(s, i)->driver.repeats = true;
        if (bh_snapshot_restore(chip_of(s, i), s->last[i]) != BH_OK)
            return fail(s, bh_message(chip_of(s, i)));
    }
    return true;
}

/* Returns the end of a piece of this many epochs that begins now. */
static uint64_t piece_end(const struct seeker *s, uint64_t epochs) {
    uint64_t epoch = bh_epoch(chip_of(s, 0)), from = bh_cycle(chip_of(s, 0)) / epoch;
    return epochs < UINT64_MAX / epoch - from ? (from + epochs) * epoch : UINT64_MAX;
}

/* Runs both sides to this cycle, or to the end of their runs. */
static bool run_to(struct seeker *s, uint64_t cycle) {
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = side_of(s, i);
        side->until = cycle < side->end ? cycle : side->end;
    }
    meeting_go_both(s->meeting);
    for (unsigned i = 0; i < SIDES; i++)
        if (side_of(s, i)->result != BH_OK)
            return fail(s, bh_message(chip_of(s, i)));
    return true;
}

static bool has_stopped(const struct side *side) {
    return side->stop.reason != BH_STOP_CYCLES || bh_cycle(side->machine->chip) >= side->end;
}

/* ---- The last piece ----------------------------------------------------------------------------------------- */

static void watch_time(struct side *side) {
    if (side->event.kind == BH_DEBUG_TIME)
        bh_debug_at(side->machine->chip, side->event.cycle + 1);
}

static bool debug(struct seeker *s, bool on) {
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = side_of(s, i);
        bh_chip *chip = chip_of(s, i);
        side->on_event = watch_time;
        side->unheard = false;
        if (bh_debug(chip, on ? side_on_debug : NULL, side) != BH_OK || (on && bh_debug_at(chip, 0) != BH_OK))
            return fail(s, bh_message(chip));
    }
    return true;
}

static bool are_at_events(const struct seeker *s) {
    return side_of(s, 0)->state == SIDE_EVENT && side_of(s, 1)->state == SIDE_EVENT;
}

/* Runs both sides to the end of the piece without stops, and ends debugging. */
static bool run_out(struct seeker *s) {
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = side_of(s, i);
        side->unheard = true;
        while (side->state == SIDE_EVENT)
            meeting_go(s->meeting, side);
    }
    return debug(s, false);
}

static bool start(struct seeker *s, uint64_t end) {
    return go_back(s) && debug(s, true) && run_to(s, end);
}

/* Runs a side to the end of an epoch in this cycle or later, or to the end of the piece. */
static void go_to_epoch(struct seeker *s, struct side *side, uint64_t cycle) {
    while (side->state == SIDE_EVENT && (side->event.kind != BH_DEBUG_TIME || side->event.cycle < cycle))
        meeting_go(s->meeting, side);
}

/* Runs both sides until they stand at the end of an epoch in the same cycle. Returns false if there is no such
 * cycle. */
static bool meet(struct seeker *s) {
    const struct side *a = side_of(s, 0), *b = side_of(s, 1);
    while (are_at_events(s) && a->event.cycle != b->event.cycle) {
        go_to_epoch(s, side_of(s, 0), b->event.cycle);
        if (are_at_events(s))
            go_to_epoch(s, side_of(s, 1), a->event.cycle);
    }
    return are_at_events(s);
}

/* Finds the first cycle in which an epoch of both sides ends and they differ, and the previous such cycle without a
 * difference. */
static bool find_epoch(struct seeker *s, uint64_t end, struct look *look) {
    bool found = false;
    if (!start(s, end))
        return false;
    s->result->cycle = UINT64_MAX;
    while (!found && meet(s)) {
        found = compare(s, NULL, look);
        if (found) {
            s->result->cycle = side_of(s, 0)->event.cycle;
        } else {
            s->result->from = side_of(s, 0)->event.cycle;
            meeting_go_both(s->meeting);
        }
    }
    if (!run_out(s))
        return false;
    if (!found) { /* a run has ended, or packets were exchanged after the last epoch */
        compare(s, NULL, look);
        s->result->cycle = bh_cycle(chip_of(s, 0));
    }
    s->result->tiles = look->all_tiles;
    return true;
}

/* The first moment at which a tile differs. */
struct moment {
    bool found;
    struct bh_xy tile;
    bool has_before;
    struct bh_debug_event before,
        after; /* events of the first side: the last without a difference, the first with one */
    struct look look;
};

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
        on_difference(&m->look, &d);
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
        m->look = (struct look){ .most = s->listed };
        m->found = compare(s, &m->tile, &m->look) || !is_same_event(a, b);
        for (int core = 0; m->found && !m->look.list.total && core < BH_CORE_COUNT; core++)
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
        m->look = (struct look){ .most = s->listed };
        m->found = compare(s, &m->tile, &m->look);
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

/* Steps both sides from the last cycle without a difference to the first one with a difference. */
static bool step_epoch(struct seeker *s, uint64_t end, struct moment *moments, unsigned count) {
    struct bh_xy tiles[TILES_STEPPED];
    bool at_start = s->result->from <= s->last_cycle;
    for (unsigned i = 0; i < count; i++)
        tiles[i] = moments[i].tile;
    if (!go_back(s) || !debug(s, true))
        return false;
    if (at_start)
        step_tiles(s, tiles, count, true);
    if (!run_to(s, end))
        return false;
    for (unsigned i = 0; i < SIDES && !at_start; i++)
        go_to_epoch(s, side_of(s, i), s->result->from);
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
    return run_out(s);
}

/* ---- The writer of a value ------------------------------------------------------------------------------------ */

struct witness {
    struct result *result;
    struct bh_xy tile;
    uint64_t before; /* cycle after which events do not matter */
    unsigned side;
};

static void keep_worker(void *user, const struct bh_event *event) {
    struct witness *w = user;
    struct result *r = w->result;
    if (event->tile.x != w->tile.x || event->tile.y != w->tile.y || event->kind != BH_EVENT_WORK ||
        event->track < BH_TRACK_UNPACK0 || event->track > BH_TRACK_MOVER || event->start > w->before)
        return;
    unsigned i = 0;
    while (i < r->workers[w->side] && r->worker[w->side][i].event.track != event->track)
        i++;
    if (i == WORKERS)
        return;
    r->workers[w->side] += i == r->workers[w->side];
    r->worker[w->side][i].event = *event;
}

/* Returns the word of a core's instruction, which may be in its local memory. */
static uint32_t word_at(const bh_chip *chip, struct bh_xy tile, int core, uint32_t pc) {
    uint32_t word = 0;
    if (core < 0 || bh_core_peek(chip, tile, (enum bh_core)core, pc, &word, sizeof word) != BH_OK)
        return 0;
    return word;
}

static bool is_of_core(const struct bh_difference *d, int core) {
    char name[24];
    snprintf(name, sizeof name, "core[%d].", core);
    return d->part == BH_PART_TILE && strncmp(d->name, name, strlen(name)) == 0;
}

/* Names the instruction between the two events as the writer: it has surely written registers of its own core, and may
 * have written others. */
static void blame_core(const struct seeker *s, const struct moment *m, const struct bh_difference *d) {
    if (!m->has_before || m->after.kind == BH_DEBUG_TIME)
        return;
    for (unsigned i = 0; i < SIDES; i++) {
        struct writer *w = &s->result->writer[i];
        *w = (struct writer){ .known = true, .core = m->before.core, .pc = m->before.pc, .number = m->before.number };
        w->sure = is_of_core(d, m->before.core);
        snprintf(w->agent, sizeof w->agent, "%s", bh_core_name((enum bh_core)m->before.core));
        w->word = word_at(chip_of(s, i), m->tile, w->core, w->pc);
    }
}

/* Records the write that a watchpoint has reported on one side. The last write before the first difference counts. */
static void hear(struct seeker *s, unsigned i, const struct moment *m) {
    const struct bh_debug_event *e = &side_of(s, i)->event;
    struct writer *w = &s->result->writer[i];
    if (e->kind != BH_DEBUG_WRITE)
        return;
    *w = (struct writer){ .known = true, .sure = true, .core = e->by };
    snprintf(w->agent, sizeof w->agent, "%s", e->agent);
    const char *pc = strstr(w->agent, " at pc 0x");
    if (pc && e->by >= 0) {
        w->pc = (uint32_t)strtoul(pc + strlen(" at pc "), NULL, 16);
        w->word = word_at(chip_of(s, i), m->tile, w->core, w->pc);
        w->agent[pc - w->agent] = '\0';
    }
}

/* Repeats the epoch with a watchpoint on the value and an observer of the tile, to find the writers on both sides. */
static bool ask(struct seeker *s, uint64_t end, const struct moment *m, const struct bh_difference *d) {
    struct witness witness[SIDES];
    if (!go_back(s) || !debug(s, true))
        return false;
    for (unsigned i = 0; i < SIDES; i++) {
        witness[i] = (struct witness){ s->result, m->tile, m->after.cycle, i };
        bh_observe(chip_of(s, i), BH_WATCH_EVENTS, keep_worker, &witness[i]);
        bh_debug_at(chip_of(s, i), UINT64_MAX);
        if (d->part == BH_PART_L1)
            bh_watchpoint(chip_of(s, i), m->tile, BH_BRISC, (uint32_t)d->address, d->size, BH_ACCESS_WRITE, true);
    }
    if (!run_to(s, end))
        return false;
    for (unsigned i = 0; i < SIDES; i++)
        while (side_of(s, i)->state == SIDE_EVENT) {
            if (side_of(s, i)->event.cycle <= m->after.cycle)
                hear(s, i, m);
            meeting_go(s->meeting, side_of(s, i));
        }
    for (unsigned i = 0; i < SIDES; i++) {
        bh_observe_flush(chip_of(s, i));
        bh_observe(chip_of(s, i), 0, NULL, NULL);
    }
    return run_out(s);
}

/* ---- Differences in the coprocessor --------------------------------------------------------------------------- */

static bool is_of_tensix(const struct bh_difference *d) {
    return d->part == BH_PART_TILE && strncmp(d->name, "tensix.", 7) == 0;
}

/* Runs both sides to this cycle. Returns whether the tile differs there, and the differences in *look. */
static bool differs_at(struct seeker *s, const struct moment *m, uint64_t cycle, struct look *look) {
    *look = (struct look){ .most = s->listed };
    return go_back(s) && run_to(s, cycle) && compare(s, &m->tile, look);
}

/* Finds the cycle of a difference in the coprocessor, by runs that end at the cycle in question: in the middle of a run
 * the coprocessor may lag behind the cores, but not at its end. */
static void find_cycle(struct seeker *s, const struct moment *m) {
    struct result *r = s->result;
    struct look look;
    uint64_t equal = r->from, different = r->cycle;
    while (different > equal + 1) {
        uint64_t middle = equal + (different - equal) / 2;
        if (differs_at(s, m, middle, &look))
            different = middle;
        else
            equal = middle;
        free(look.list.item);
    }
    if (differs_at(s, m, different, &look) && is_of_tensix(&look.list.item[0])) {
        free(r->found.item);
        r->found = look.list;
        r->from = equal;
        r->cycle = different;
        look.list.item = NULL;
    }
    free(look.list.item);
}

/* ---- The whole search --------------------------------------------------------------------------------------- */

static void settle(struct seeker *s, struct moment *m) {
    struct result *r = s->result;
    r->tile = m->tile;
    r->found = m->look.list;
    m->look.list = (struct finding_list){ 0 };
    r->cycle = m->after.cycle;
    r->from = m->has_before ? m->before.cycle : r->from;
    r->by_instruction = m->has_before && m->after.kind != BH_DEBUG_TIME;
}

/* Returns the tile with the earliest first difference, or NULL. */
static struct moment *earliest(struct moment *moments, unsigned count) {
    struct moment *first = NULL;
    for (unsigned i = 0; i < count; i++)
        if (moments[i].found && (!first || moments[i].after.cycle < first->after.cycle))
            first = &moments[i];
    return first;
}

/* Searches the last piece. Precondition: the snapshots are equal, and the chips differ at `end`, one piece later. */
static bool refine(struct seeker *s, uint64_t end) {
    struct moment *moments = calloc(TILES_STEPPED, sizeof *moments);
    struct look look = { .most = s->listed };
    unsigned count;
    s->result->from = s->last_cycle;
    bool ok = moments ? find_epoch(s, end, &look) : fail(s, "out of memory");
    count = look.tiles;
    for (unsigned i = 0; ok && i < count; i++)
        moments[i].tile = look.tile[i];
    ok = ok && (!count || step_epoch(s, end, moments, count));
    struct moment *first = ok ? earliest(moments, count) : NULL;
    if (first && first->look.list.count) {
        settle(s, first);
        if (is_of_tensix(&s->result->found.item[0]))
            find_cycle(s, first);
        ok = ask(s, end, first, &s->result->found.item[0]);
        if (ok && !s->result->writer[0].known && !s->result->writer[1].known)
            blame_core(s, first, &s->result->found.item[0]);
    } else if (ok) { /* the difference is not in a tile, or had vanished when its tile was stepped */
        s->result->found = look.list;
        s->result->tile = (struct bh_xy){ 255, 255 };
        look.list.item = NULL;
    }
    for (unsigned i = 0; moments && i < count; i++)
        free(moments[i].look.list.item);
    free(moments);
    free(look.list.item);
    s->result->differs = true;
    return ok;
}

static void draw(struct seeker *s) {
    char cycles[GROUPED_SIZE];
    if (progress_is_due(&s->progress))
        progress_draw(&s->progress, "equal up to cycle %s, %.0f s", grouped(s->last_cycle, cycles),
                      progress_seconds(&s->progress));
}

/* Halves the piece at whose end the chips differ, until it is one epoch long; then searches it. */
static bool narrow(struct seeker *s, uint64_t epochs) {
    while (epochs > 1) {
        draw(s);
        uint64_t half = epochs / 2;
        if (!go_back(s) || !run_to(s, piece_end(s, half)))
            return false;
        if (differs(s)) {
            epochs = half;
            continue;
        }
        if (!take(s))
            return false;
        epochs -= half;
    }
    if (!go_back(s))
        return false;
    s->result->equal_until = s->last_cycle;
    return refine(s, piece_end(s, 1));
}

/* Runs both chips, in a run that both commands have asked for, to its end or to the first difference. Pieces get longer
 * as long as they take less than twice the time of a comparison and a snapshot. */
static bool run_exactly(struct seeker *s) {
    uint64_t epochs = 64;
    if (!ignore_host(s) || !take(s))
        return false;
    while (!s->result->differs && !*s->interrupted) {
        double begin = now();
        if (!run_to(s, piece_end(s, epochs)))
            return false;
        double middle = now();
        if (differs(s))
            return narrow(s, epochs);
        if (!take(s))
            return false;
        if (middle - begin < 2 * (now() - middle))
            epochs *= 2;
        draw(s);
        if (has_stopped(side_of(s, 0)))
            break;
    }
    return true;
}

/* Runs one chip to the end of the run that its command has asked for, without comparing. */
static bool run_freely(struct seeker *s, struct side *side) {
    for (side->stop.reason = BH_STOP_CYCLES; !*s->interrupted;) {
        uint64_t slice = 4096 * (uint64_t)bh_epoch(side->machine->chip), cycle = bh_cycle(side->machine->chip);
        side->until = slice < side->end - cycle ? cycle + slice : side->end;
        meeting_go(s->meeting, side);
        if (side->result != BH_OK)
            return fail(s, bh_message(side->machine->chip));
        if (has_stopped(side))
            break;
    }
    return true;
}

static void leave(struct seeker *s, struct side *side) {
    side->leave = true;
    meeting_go(s->meeting, side);
}

/* Compares the chips when the commands have ended, or have reached different points. */
static bool compare_ends(struct seeker *s) {
    struct look look = { .most = s->listed };
    struct result *r = s->result;
    for (unsigned i = 0; i < SIDES; i++)
        if (*side_of(s, i)->machine->message) /* the command has failed and has printed the reason */
            return fail(s, "");
    if (!compare(s, NULL, &look))
        return true;
    r->differs = r->at_end = true;
    r->found = look.list;
    r->tiles = look.all_tiles;
    r->tile = look.list.item[0].tile;
    return true;
}

bool seek(struct seeker *s) {
    struct side *a = side_of(s, 0), *b = side_of(s, 1);
    bool ok = true;
    if (a->state != SIDE_ENDED && b->state != SIDE_ENDED && a->machine->config.board != b->machine->config.board)
        return fail(s, "the two runs have different boards");
    while (ok && !s->result->differs && !*s->interrupted) {
        if (a->state == SIDE_ENDED || b->state == SIDE_ENDED) {
            ok = fail(s, "");
        } else if (s->values && (a->state == SIDE_RUN || b->state == SIDE_RUN)) {
            struct side *side = a->state == SIDE_RUN ? a : b;
            if (!s->has_begun && a->state == SIDE_RUN && b->state == SIDE_RUN)
                ok = ignore_host(s); /* programs and data, before anything runs */
            s->has_begun = true;
            ok = ok && run_freely(s, side);
            leave(s, side);
        } else if (a->state == SIDE_RUN && b->state == SIDE_RUN) {
            a->stop.reason = b->stop.reason = BH_STOP_CYCLES;
            ok = run_exactly(s);
            if (ok && !s->result->differs && !*s->interrupted) {
                leave(s, a);
                leave(s, b);
            }
        } else {
            ok = compare_ends(s);
            break;
        }
    }
    for (unsigned i = 0; i < SIDES; i++) {
        s->result->stop[i] = side_of(s, i)->stop;
        s->result->end[i] = side_of(s, i)->machine ? bh_cycle(chip_of(s, i)) : 0;
    }
    s->result->interrupted = *s->interrupted;
    progress_erase(&s->progress);
    return ok;
}

void seek_free(struct seeker *s) {
    for (unsigned i = 0; i < SIDES; i++)
        bh_snapshot_free(s->last[i]);
    free(s->ignored);
}

bool seek_saved(const bh_chip *a, const bh_chip *b, struct seeker *s, struct result *result) {
    struct look look = { .seeker = s, .most = s->listed };
    if (bh_state_diff(a, b, NULL, s->values ? BH_DIFF_VALUES : 0, on_difference, &look) != BH_OK)
        return false;
    result->differs = look.list.total;
    result->found = look.list;
    result->tiles = look.all_tiles;
    result->at_end = true;
    return true;
}

void result_free(struct result *result) {
    free(result->inputs.item);
    free(result->found.item);
}
