/* History (see session.h). Runs are deterministic: from a snapshot, the same pieces lead to the same states. To go
 * back, the server restores a snapshot, runs up to the present moment and records the last event of the wanted kind;
 * then it restores the snapshot again and runs to that event. If there was no such event, it continues with the
 * previous snapshot.
 *
 * Snapshots are limited in number and bytes: when there are too many, every other one is dropped, and later ones are
 * taken at twice the interval. Changes to the chip by the host between runs, and by the user, cannot be replayed:
 * history starts again there. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gdb/session.h"

enum { PIECE_EPOCHS = 64, FIRST_INTERVAL = 20000 };
static const size_t most_bytes = (size_t)256 << 20;

/* ---- Snapshots --------------------------------------------------------------------------------------------- */

void history_clear(struct gdb *gdb) {
    struct history *h = &gdb->history;
    for (unsigned i = 0; i < h->count; i++)
        bh_snapshot_free(h->at[i].snapshot);
    h->count = 0;
    h->bytes = 0;
    h->cut_count = 0;
    h->log_count = h->log_at = 0;
    h->interval = FIRST_INTERVAL;
}

/* Drops every other snapshot, but never the first, and doubles the interval. */
static void thin_out(struct history *h) {
    unsigned kept = 0;
    h->bytes = 0;
    for (unsigned i = 0; i < h->count; i++) {
        if (i % 2) {
            bh_snapshot_free(h->at[i].snapshot);
            continue;
        }
        h->bytes += bh_snapshot_size(h->at[i].snapshot);
        h->at[kept++] = h->at[i];
    }
    h->count = kept;
    h->interval *= 2;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take(struct gdb *gdb) {
    struct history *h = &gdb->history;
    bh_snapshot *snapshot;
    double start = now();
    h->since = h->since == 0 ? start : h->since;
    if (h->count == SNAPSHOTS_MAX || (h->bytes > most_bytes && h->count > 1))
        thin_out(h);
    if ((gdb->system ? bh_system_snapshot_take(gdb->system, &snapshot) : bh_snapshot_take(gdb->chip, &snapshot)) !=
        BH_OK)
        return;
    h->at[h->count].cycle = session_cycle(gdb);
    h->at[h->count].log_at = h->log_at;
    h->at[h->count++].snapshot = snapshot;
    h->bytes += bh_snapshot_size(snapshot);
    h->spent += now() - start;
}

void history_note(struct gdb *gdb) {
    const struct history *h = &gdb->history;
    const double grace = 2, share = 0.1; /* limit for all snapshots: seconds, and share of host time */
    if (gdb->fd < 0 || gdb->owner.no_reverse)
        return;
    bool due = !h->count || session_cycle(gdb) >= h->at[h->count - 1].cycle + h->interval;
    if (due && h->spent <= grace + share * (now() - h->since))
        take(gdb);
}

void history_begin(struct gdb *gdb) {
    history_clear(gdb);
    gdb->history.frontier = session_cycle(gdb);
    history_note(gdb);
}

/* ---- Pieces ------------------------------------------------------------------------------------------------ */

void history_cut(struct gdb *gdb) {
    struct history *h = &gdb->history;
    uint64_t now = session_cycle(gdb);
    if (h->frontier <= now)
        h->frontier = now + 1;
    if (!h->count || (h->cut_count && h->cut[h->cut_count - 1] >= now))
        return;
    if (h->cut_count == h->cut_room) {
        size_t room = h->cut_room ? 2 * h->cut_room : 256;
        uint64_t *larger = realloc(h->cut, room * sizeof *larger);
        if (!larger) { /* without this cut, the past cannot be replayed */
            history_clear(gdb);
            return;
        }
        h->cut = larger;
        h->cut_room = room;
    }
    h->cut[h->cut_count++] = now;
}

/* Returns the first cut after this cycle, or 0 if there is none. */
static uint64_t next_cut(const struct history *h, uint64_t now) {
    size_t low = 0, high = h->cut_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->cut[middle] > now)
            high = middle;
        else
            low = middle + 1;
    }
    return low < h->cut_count ? h->cut[low] : 0;
}

uint64_t history_next(const struct gdb *gdb, uint64_t now, uint64_t end) {
    uint64_t cut = next_cut(&gdb->history, now),
             piece = PIECE_EPOCHS * (uint64_t)bh_epoch(session_chip(gdb, gdb->general.tile));
    uint64_t next = cut ? cut : (now / piece + 1) * piece;
    return next < end ? next : end;
}

/* ---- Reads from host memory --------------------------------------------------------------------------------- */

/* Makes room in the log. Returns false without memory, or if the log would get too long. */
static bool reserve_log(struct history *h, size_t size) {
    size_t room = h->log_room ? h->log_room : 4096;
    while (room - h->log_count < size && room < most_bytes)
        room *= 2;
    if (room - h->log_count < size)
        return false;
    uint8_t *larger = room > h->log_room ? realloc(h->log, room) : h->log;
    if (!larger)
        return false;
    h->log = larger;
    h->log_room = room;
    return true;
}

void gdb_host_read(struct gdb *gdb, gdb_reader *reader, uint64_t address, void *data, size_t size) {
    struct history *h = &gdb->history;
    if (h->log_count - h->log_at >= size && size) {
        memcpy(data, h->log + h->log_at, size);
        h->log_at += size;
        return;
    }
    reader(address, data, size);
    if (gdb->mode != MODE_LIVE || !h->count)
        return;
    if (!reserve_log(h, size)) {
        history_clear(gdb); /* without these bytes, the past cannot be replayed */
        return;
    }
    memcpy(h->log + h->log_count, data, size);
    h->log_count += size;
    h->log_at = h->log_count;
}

/* ---- Going back -------------------------------------------------------------------------------------------- */

static bool is_same_core(struct thread a, struct thread b) {
    return a.core == b.core && session_is_same(a.tile, b.tile);
}

/* Returns whether the event is at or after this moment. An access is reported after the instruction that made it, so it
 * belongs to the time before the reported position. */
static bool reaches(const struct gdb *gdb, const struct bh_debug_event *event, const struct position *p) {
    const struct thread thread = { run_tile_id(gdb, event), event->core };
    bool access = event->kind == BH_DEBUG_WRITE || event->kind == BH_DEBUG_READ;
    switch (p->kind) {
    case AT_CORE: return event->core >= 0 && is_same_core(thread, p->thread) && event->number >= p->number + access;
    case AT_EPOCH: return event->core < 0 && gdb->at_chip == p->thread.tile.chip && event->cycle >= p->cycle + access;
    default: return false;
    }
}

static void find(struct gdb *gdb, const struct position *at, const struct stop *stop) {
    gdb->found = true;
    gdb->candidate = *at;
    gdb->candidate_stop = *stop;
}

/* Records the position before the access to a watchpoint, where gdb finds the old value. */
static void search_access(struct gdb *gdb, const struct bh_debug_event *event) {
    const struct point *point = points_watch(gdb, event);
    unsigned tile = session_tile(gdb, run_tile_id(gdb, event));
    if (!point || tile == gdb->tile_count)
        return;
    const struct stop stop = {
        .cause = STOP_WATCH,
        .signal = 5,
        .thread = run_accessor(gdb, event),
        .kind = point->kind,
        .address = point->address,
    };
    find(gdb, &gdb->before[tile], &stop);
}

static void search(struct gdb *gdb, const struct bh_debug_event *event) {
    const struct thread thread = { run_tile_id(gdb, event), event->core };
    struct stop stop = { .cause = STOP_STEP, .signal = 5, .thread = thread };
    if (gdb->searched || (gdb->searched = reaches(gdb, event, &gdb->bound)))
        return;
    const struct position here = run_position(gdb, event);
    if (event->kind == BH_DEBUG_WRITE || event->kind == BH_DEBUG_READ) {
        if (gdb->back == BACK_CONTINUE)
            search_access(gdb, event);
        return;
    }
    if (event->kind != BH_DEBUG_STEP && event->kind != BH_DEBUG_BREAK)
        return;
    if (session_tile(gdb, run_tile_id(gdb, event)) < gdb->tile_count)
        gdb->before[session_tile(gdb, run_tile_id(gdb, event))] = here;
    if (gdb->back == BACK_STEP && is_same_core(thread, gdb->stepper))
        find(gdb, &here, &stop);
    const struct point *point = event->kind == BH_DEBUG_BREAK ? points_at(gdb, event) : NULL;
    if (gdb->back == BACK_CONTINUE && point) {
        stop.cause = STOP_POINT;
        stop.kind = point->kind;
        find(gdb, &here, &stop);
    }
}

void history_event(struct gdb *gdb, const struct bh_debug_event *event) {
    if (gdb->mode == MODE_SEARCH) {
        search(gdb, event);
        return;
    }
    bool instruction = event->kind == BH_DEBUG_STEP || event->kind == BH_DEBUG_BREAK;
    if (!reaches(gdb, event, &gdb->target) || (gdb->target.kind == AT_CORE && !instruction))
        return;
    const struct position here = run_position(gdb, event);
    gdb->mode = MODE_LIVE;
    gdb->back = BACK_NONE;
    gdb->stepping = false;
    session_talk(gdb, &gdb->candidate_stop, &here);
    if (gdb->back != BACK_NONE || gdb->killed) {
        gdb->mode = MODE_ABANDON;
        gdb->bound = here;
    }
    run_set_steps(gdb);
}

static bh_status restore(struct gdb *gdb, unsigned index) {
    const bh_snapshot *snapshot = gdb->history.at[index].snapshot;
    bh_status status =
        gdb->system ? bh_system_snapshot_restore(gdb->system, snapshot) : bh_snapshot_restore(gdb->chip, snapshot);
    gdb->history.log_at = gdb->history.at[index].log_at;
    points_note(gdb);
    return status;
}

/* Runs from a snapshot to the bound, and records the last matching event before it. */
static bh_status search_from(struct gdb *gdb, unsigned index, unsigned flags) {
    struct bh_stop stop = { .reason = BH_STOP_CYCLES };
    const struct position start = { .kind = AT_BOUNDARY, .cycle = gdb->history.at[index].cycle };
    bh_status status = restore(gdb, index);
    gdb->mode = MODE_SEARCH;
    gdb->found = gdb->searched = false;
    gdb->stepping = gdb->back == BACK_STEP;
    for (unsigned i = 0; i < gdb->tile_count; i++)
        gdb->before[i] = start;
    run_set_steps(gdb);
    if (gdb->bound.kind == AT_EPOCH)
        (void)bh_debug_at(session_chip(gdb, gdb->bound.thread.tile), gdb->bound.cycle);
    uint64_t end = gdb->bound.kind == AT_BOUNDARY ? gdb->bound.cycle : gdb->run_end;
    while (status == BH_OK && !gdb->searched && stop.reason == BH_STOP_CYCLES && session_cycle(gdb) < end)
        status = run_cycles(gdb, history_next(gdb, session_cycle(gdb), end) - session_cycle(gdb), flags, &stop);
    gdb->stepping = false;
    return status;
}

/* Stops between two pieces, at a snapshot, and talks to gdb. */
static void stop_at_snapshot(struct gdb *gdb, const struct stop *stop) {
    const struct position here = run_position(gdb, NULL);
    gdb->mode = MODE_LIVE;
    gdb->back = BACK_NONE;
    session_talk(gdb, stop, &here);
    gdb->bound = here;
    run_set_steps(gdb);
}

/* Runs from a snapshot to the event that was found, and talks to gdb there. */
static bh_status seek(struct gdb *gdb, unsigned index, unsigned flags, struct bh_stop *stop) {
    bh_status status = restore(gdb, index);
    gdb->target = gdb->candidate;
    if (status != BH_OK)
        return status;
    if (gdb->target.kind == AT_BOUNDARY) {
        stop_at_snapshot(gdb, &gdb->candidate_stop);
        return BH_OK;
    }
    gdb->mode = MODE_SEEK;
    if (gdb->target.kind == AT_EPOCH)
        (void)bh_debug_at(session_chip(gdb, gdb->target.thread.tile), gdb->target.cycle);
    run_set_steps(gdb);
    while (status == BH_OK && gdb->mode == MODE_SEEK && stop->reason == BH_STOP_CYCLES &&
           session_cycle(gdb) < gdb->run_end)
        status = run_piece(gdb, history_next(gdb, session_cycle(gdb), gdb->run_end), flags, stop);
    if (status == BH_OK && gdb->mode == MODE_SEEK) { /* a bug of this file: report it rather than hang */
        link_print(gdb, "bhemu: the past is not as it was\n");
        stop_at_snapshot(gdb, &gdb->candidate_stop);
    }
    return status;
}

/* Returns the index of the last snapshot before this moment, or -1 if there is none. */
static int snapshot_before(const struct history *h, const struct position *p) {
    int index = (int)h->count - 1;
    while (index >= 0 && (h->at[index].cycle > p->cycle || (p->kind == AT_BOUNDARY && h->at[index].cycle == p->cycle)))
        index--;
    return index;
}

bh_status history_go_back(struct gdb *gdb, unsigned flags, struct bh_stop *stop) {
    const struct history *h = &gdb->history;
    const struct stop beginning = { .cause = STOP_HISTORY, .signal = 5, .thread = gdb->stepper };
    *stop = (struct bh_stop){ .reason = BH_STOP_CYCLES };
    if (gdb->back == BACK_MISSED) {
        gdb->missed = false;
        gdb->candidate = gdb->missed_at;
        gdb->candidate_stop = gdb->missed_stop;
        int index = snapshot_before(h, &gdb->missed_at);
        return seek(gdb, index < 0 ? 0 : (unsigned)index, flags, stop);
    }
    for (int index = snapshot_before(h, &gdb->bound); index >= 0; index--) {
        bh_status status = search_from(gdb, (unsigned)index, flags);
        if (status != BH_OK || gdb->found)
            return status == BH_OK ? seek(gdb, (unsigned)index, flags, stop) : status;
        gdb->bound = (struct position){ .kind = AT_BOUNDARY, .cycle = h->at[index].cycle };
    }
    bh_status status = restore(gdb, 0);
    stop_at_snapshot(gdb, &beginning);
    return status;
}
