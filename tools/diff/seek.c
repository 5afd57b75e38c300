/* Searches for the first difference: see diff.h and seek.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diff/seek.h"

bool seek_fail(struct seeker *s, const char *text) {
    snprintf(s->message, sizeof s->message, "%s", text);
    return false;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- Differences in the coprocessor --------------------------------------------------------------------------- */

static bool is_of_tensix(const struct bh_difference *d) {
    return d->part == BH_PART_TILE && strncmp(d->name, "tensix.", 7) == 0;
}

/* Runs both sides to this cycle. Returns whether the tile differs there, and the differences in *comparison. */
static bool differs_at(struct seeker *s, const struct moment *m, uint64_t cycle, struct comparison *comparison) {
    *comparison = (struct comparison){ .most = s->listed };
    return run_go_back(s) && run_to(s, cycle) && compare(s, &m->tile, comparison);
}

/* Finds the cycle of a difference in the coprocessor, by runs that end at the cycle in question: in the middle of a run
 * the coprocessor may lag behind the cores, but not at its end. */
static void find_cycle(struct seeker *s, const struct moment *m) {
    struct result *r = s->result;
    struct comparison comparison;
    uint64_t equal = r->from, different = r->cycle;
    while (different > equal + 1) {
        uint64_t middle = equal + (different - equal) / 2;
        if (differs_at(s, m, middle, &comparison))
            different = middle;
        else
            equal = middle;
        free(comparison.list.item);
    }
    if (differs_at(s, m, different, &comparison) && is_of_tensix(&comparison.list.item[0])) {
        free(r->found.item);
        r->found = comparison.list;
        r->from = equal;
        r->cycle = different;
        comparison.list.item = NULL;
    }
    free(comparison.list.item);
}

/* ---- The whole search --------------------------------------------------------------------------------------- */

static void keep_moment(struct seeker *s, struct moment *m) {
    struct result *r = s->result;
    r->tile = m->tile;
    r->found = m->comparison.list;
    m->comparison.list = (struct finding_list){ 0 };
    r->cycle = m->after.cycle;
    r->from = m->has_before ? m->before.cycle : r->from;
    if (r->from > r->cycle) { /* events of two cores, of which the second one is behind */
        r->from = m->after.cycle;
        r->cycle = m->before.cycle;
    }
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
    struct comparison comparison = { .most = s->listed };
    unsigned count;
    s->result->from = s->last_cycle;
    bool ok = moments ? step_find_epoch(s, end, &comparison) : seek_fail(s, "out of memory");
    count = comparison.tiles;
    for (unsigned i = 0; ok && i < count; i++)
        moments[i].tile = comparison.tile[i];
    ok = ok && (!count || step_find_moments(s, end, moments, count));
    struct moment *first = ok ? earliest(moments, count) : NULL;
    if (first && first->comparison.list.count) {
        keep_moment(s, first);
        if (is_of_tensix(&s->result->found.item[0]))
            find_cycle(s, first);
        ok = writer_find(s, end, first, &s->result->found.item[0]);
        if (ok && !s->result->writer[0].known && !s->result->writer[1].known)
            writer_blame_core(s, first, &s->result->found.item[0]);
    } else if (ok) { /* the difference is not in a tile, or had vanished when its tile was stepped */
        s->result->found = comparison.list;
        s->result->tile = (struct bh_xy){ 255, 255 };
        comparison.list.item = NULL;
    }
    for (unsigned i = 0; moments && i < count; i++)
        free(moments[i].comparison.list.item);
    free(moments);
    free(comparison.list.item);
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
        if (!run_go_back(s) || !run_to(s, run_piece_end(s, half)))
            return false;
        if (compare_chips_differ(s)) {
            epochs = half;
            continue;
        }
        if (!run_take_snapshots(s))
            return false;
        epochs -= half;
    }
    if (!run_go_back(s))
        return false;
    s->result->equal_until = s->last_cycle;
    return refine(s, run_piece_end(s, 1));
}

/* Runs both chips, in a run that both commands have asked for, to its end or to the first difference. Pieces get longer
 * as long as they take less than twice the time of a comparison and a snapshot. */
static bool run_exactly(struct seeker *s) {
    uint64_t epochs = 64;
    if (!compare_ignore_host(s) || !run_take_snapshots(s))
        return false;
    while (!s->result->differs && !*s->interrupted) {
        double begin = now();
        if (!run_to(s, run_piece_end(s, epochs)))
            return false;
        double middle = now();
        if (compare_chips_differ(s))
            return narrow(s, epochs);
        if (!run_take_snapshots(s))
            return false;
        if (middle - begin < 2 * (now() - middle))
            epochs *= 2;
        draw(s);
        if (run_has_stopped(side_of(s, 0)))
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
            return seek_fail(s, bh_message(side->machine->chip));
        if (run_has_stopped(side))
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
    struct comparison comparison = { .most = s->listed };
    struct result *r = s->result;
    for (unsigned i = 0; i < SIDES; i++)
        if (*side_of(s, i)->machine->message) /* the command has failed and has printed the reason */
            return seek_fail(s, "");
    if (!compare(s, NULL, &comparison))
        return true;
    r->differs = r->at_end = true;
    r->found = comparison.list;
    r->tiles = comparison.all_tiles;
    r->tile = comparison.list.item[0].tile;
    return true;
}

bool seek(struct seeker *s) {
    struct side *a = side_of(s, 0), *b = side_of(s, 1);
    bool ok = true;
    if (a->state != SIDE_ENDED && b->state != SIDE_ENDED && a->machine->config.board != b->machine->config.board)
        return seek_fail(s, "the two runs have different boards");
    while (ok && !s->result->differs && !*s->interrupted) {
        if (a->state == SIDE_ENDED || b->state == SIDE_ENDED) {
            ok = seek_fail(s, "");
        } else if (s->values && (a->state == SIDE_RUN || b->state == SIDE_RUN)) {
            struct side *side = a->state == SIDE_RUN ? a : b;
            if (!s->has_begun && a->state == SIDE_RUN && b->state == SIDE_RUN)
                ok = compare_ignore_host(s); /* programs and data, before anything runs */
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
    struct comparison comparison = { .seeker = s, .most = s->listed };
    if (bh_state_diff(a, b, NULL, s->values ? BH_DIFF_VALUES : 0, compare_add, &comparison) != BH_OK)
        return false;
    result->differs = comparison.list.total;
    result->found = comparison.list;
    result->tiles = comparison.all_tiles;
    result->at_end = true;
    return true;
}

void result_free(struct result *result) {
    free(result->inputs.item);
    free(result->found.item);
}
