/* Statistics and events: see observe.h. */
#include "observe/observe.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((unsigned)BH_TRACK_T0 == (unsigned)BH_CORE_COUNT, "the first tracks are the cores");

const char *bh_track_name(enum bh_track track) {
    static const char *const names[BH_TRACK_COUNT] = {
        [BH_TRACK_T0] = "T0",           [BH_TRACK_T1] = "T1",           [BH_TRACK_T2] = "T2",
        [BH_TRACK_UNPACK0] = "unpack0", [BH_TRACK_UNPACK1] = "unpack1", [BH_TRACK_MATRIX] = "matrix",
        [BH_TRACK_VECTOR] = "vector",   [BH_TRACK_PACK] = "pack",       [BH_TRACK_SCALAR] = "scalar",
        [BH_TRACK_CONFIG] = "config",   [BH_TRACK_SYNC] = "sync",       [BH_TRACK_MISC] = "misc",
        [BH_TRACK_MOVER] = "mover",     [BH_TRACK_NOC0] = "noc0",       [BH_TRACK_NOC1] = "noc1",
        [BH_TRACK_ETH] = "eth",
    };
    if ((unsigned)track < BH_CORE_COUNT)
        return bh_core_name((enum bh_core)track);
    return (unsigned)track < BH_TRACK_COUNT ? names[track] : "no track";
}

static void free_profile(struct profile *p) {
    for (unsigned i = 0; p && i < OBSERVE_PAGES; i++)
        free(p->page[i]);
    free(p);
}

void observe_free(struct observer *o) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        free_profile(o->profile[i]);
        free(o->steps[i]);
    }
    free(o->event);
    free(o->step);
    free(o->vector);
}

void observe_clear(struct observer *o) {
    struct observer kept = { .what = o->what, .tile = o->tile };
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct profile *p = kept.profile[i] = o->profile[i];
        for (unsigned page = 0; p && page < OBSERVE_PAGES; page++)
            free(p->page[page]);
        if (p)
            *p = (struct profile){ .time = 0 };
        kept.steps[i] = o->steps[i];
    }
    free(o->event);
    free(o->step);
    free(o->vector);
    *o = kept;
}

/* ---- Statistics ------------------------------------------------------------------------------------------ */

static struct bh_stall *reason_of(struct observe_track *track, const char *why, uint32_t at) {
    for (unsigned i = 0; i < track->reasons; i++) {
        struct bh_stall *reason = &track->reason[i];
        if (reason->at == at && (reason->why == why || strcmp(reason->why, why) == 0))
            return reason;
    }
    if (track->reasons == OBSERVE_REASONS)
        return &track->reason[OBSERVE_REASONS - 1];
    struct bh_stall *reason = &track->reason[track->reasons++];
    *reason = (struct bh_stall){ .why = why, .at = at };
    if (track->reasons == OBSERVE_REASONS)
        *reason = (struct bh_stall){ .why = "something else" };
    return reason;
}

void observe_stall(struct observe_track *track, const char *why, uint32_t at, uint64_t cycles) {
    track->stalled += cycles;
    reason_of(track, why, at)->cycles += cycles;
}

void observe_work(struct observer *o, enum bh_track id, struct bh_event event) {
    struct observe_track *track = &o->track[id];
    track->instructions += event.count;
    if (event.start < track->busy_until)
        event.start = track->busy_until;
    if (event.start >= event.end)
        return;
    track->busy += event.end - event.start;
    track->busy_until = event.end;
    event.kind = BH_EVENT_WORK;
    observe_record(o, id, &event);
}

void observe_wait(struct observer *o, enum bh_track id, struct bh_event event) {
    if (event.start >= event.end)
        return;
    observe_stall(&o->track[id], event.name, (uint32_t)event.at, event.end - event.start);
    event.kind = BH_EVENT_WAIT;
    observe_record(o, id, &event);
}

/* ---- Events ---------------------------------------------------------------------------------------------- */

/* Makes room for one more item. Returns false, and sets o->lost, if there is no memory. */
static bool reserve(struct observer *o, void *list_pointer, size_t count, size_t *room, size_t size) {
    enum { FIRST_ROOM = 256 };
    void **list = list_pointer;
    if (count < *room)
        return true;
    size_t larger = *room ? 2 * *room : FIRST_ROOM;
    void *grown = realloc(*list, larger * size);
    if (!grown) {
        o->lost = true;
        return false;
    }
    *list = grown;
    *room = larger;
    return true;
}

static void put_event(struct observer *o, const struct bh_event *event) {
    if (reserve(o, &o->event, o->events, &o->room, sizeof *o->event))
        o->event[o->events++] = *event;
}

void observe_put_step(struct observer *o, const struct observe_step *step) {
    if (reserve(o, &o->step, o->step_count, &o->step_room, sizeof *o->step))
        o->step[o->step_count++] = *step;
}

void observe_put_vector(struct observer *o, const uint8_t value[16]) {
    if (reserve(o, &o->vector, o->vector_count, &o->vector_room, sizeof *o->vector))
        memcpy(o->vector[o->vector_count++], value, sizeof *o->vector);
}

/* Returns whether an event continues the previous one. Names can be compared as pointers: each instruction has one
 * string. */
static bool goes_on(const struct bh_event *before, const struct bh_event *event) {
    return before->kind == event->kind && before->name == event->name && before->end == event->start &&
           before->at == event->at && event->kind < BH_EVENT_PACKET && !event->bytes;
}

void observe_record(struct observer *o, enum bh_track id, const struct bh_event *event) {
    struct observe_track *track = &o->track[id];
    if (!(o->what & BH_WATCH_EVENTS))
        return;
    /* With BH_WATCH_INSTRUCTIONS, work of threads and units is recorded word by word, so that in the list the event of
     * a unit follows that of its gate immediately. */
    bool by_itself =
        (o->what & BH_WATCH_INSTRUCTIONS) && id >= BH_TRACK_T0 && id < BH_TRACK_NOC0 && event->kind == BH_EVENT_WORK;
    if (!by_itself && track->has_pending && goes_on(&track->pending, event)) {
        track->pending.end = event->end;
        track->pending.count += event->count;
        return;
    }
    struct bh_event next = *event;
    next.track = id;
    next.tile = o->tile;
    if (event->kind == BH_EVENT_PACKET || event->kind == BH_EVENT_REQUEST) {
        put_event(o, &next);
        return;
    }
    if (track->has_pending)
        put_event(o, &track->pending);
    track->has_pending = !by_itself;
    if (by_itself)
        put_event(o, &next);
    else
        track->pending = next;
}

void observe_close(struct observer *o) {
    for (unsigned i = 0; i < BH_TRACK_COUNT; i++) {
        if (o->track[i].has_pending)
            put_event(o, &o->track[i].pending);
        o->track[i].has_pending = false;
    }
}

/* ---- Cores ------------------------------------------------------------------------------------------------ */

static void worked(struct observer *o, enum bh_core core, uint32_t pc, uint64_t until) {
    struct observe_core *c = &o->core[core];
    if (c->counts && until > c->since)
        observe_work(o, (enum bh_track)core,
                     (struct bh_event){ .start = c->since, .end = until, .name = "running", .pc = pc });
}

/* A core that woke without finding its word changed has not worked in between: the wait continues. */
void observe_core_waited(struct observer *o, enum bh_core core, const char *why, uint32_t at, uint32_t pc,
                         uint64_t start, uint64_t end) {
    struct observe_core *c = &o->core[core];
    worked(o, core, pc, start);
    if (start < c->since) /* the statistics were read during the wait */
        start = c->since;
    observe_wait(o, (enum bh_track)core,
                 (struct bh_event){ .start = start, .end = end, .name = why, .at = at, .pc = pc });
    if (end > c->since)
        c->since = end;
}

void observe_core_released(struct observer *o, enum bh_core core, uint64_t time) {
    struct observe_core *c = &o->core[core];
    c->counts = true;
    c->since = time;
}

void observe_core_held(struct observer *o, enum bh_core core, uint64_t time) {
    worked(o, core, 0, time);
    o->core[core].counts = false;
}
