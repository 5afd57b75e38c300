/* tt-metal's NoC traces, noc_trace_*.json, which tt-npe and ttnn-visualizer read (tt_metal/impl/profiler/profiler.cpp,
 * tt_npe/doc/noc_trace_format.md): one array of requests and of the kernels that made them, ordered by tile, core and
 * time. Coordinates are those of NoC 0. Left out: barriers and waits for semaphores, which are calls of tt-metal's
 * library and not requests; requests that no core has made. Bytes are exact, where tt-metal rounds up to 32. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/costs.h"
#include "formats/formats.h"
#include "formats/sorted.h"
#include "formats/zones.h"
#include "text/json.h"

enum { ZONE_BEGINS = 1, REQUEST, ZONE_ENDS }; /* the order of entries with the same time */

struct entry {
    uint64_t time;
    struct bh_xy at, to, last; /* last: the opposite corner of a multicast */
    const char *type;          /* type of a request, or name of a zone */
    uint32_t bytes;
    unsigned op;
    uint32_t owner; /* index of the core in noc_trace.core */
    uint8_t what, core, noc, vc;
    bool multicast;
};

/* The requests of a core, from which put_rest makes a zone if the core is never seen in a kernel. */
struct noc_core {
    uint64_t first, last;
    struct bh_xy at;
    bool has_requests, has_zone;
    uint8_t core;
};

struct noc_trace {
    struct output *output;
    struct zones zones;
    struct sorted *sorted;
    struct noc_core *core;
    struct json json;
};

static int compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int by_core(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    int order = compare(a->at.x, b->at.x);
    order = order ? order : compare(a->at.y, b->at.y);
    order = order ? order : compare(zone_rank(a->core), zone_rank(b->core));
    order = order ? order : compare(a->time, b->time);
    return order ? order : compare(a->what, b->what);
}

static void put(struct noc_trace *t, const struct entry *entry) {
    if (!sorted_put(t->sorted, entry))
        output_fail(t->output, "no room for a temporary file: %s", strerror(errno));
}

static struct bh_xy on_noc0(const struct noc_trace *t, struct bh_xy tile) {
    struct bh_tile_info info = { 0 };
    bh_tile_find(t->output->machine->chip, tile, &info);
    return info.noc0;
}

static struct noc_core *core_of(struct noc_trace *t, struct bh_xy tile, unsigned core) {
    const struct bh_event e = { .tile = tile, .track = (enum bh_track)core };
    return &t->core[costs_core_number(&e)];
}

/* ---- Zones ------------------------------------------------------------------------------------------------------ */

static void put_zone(struct noc_trace *t, struct entry entry, uint64_t start, uint64_t end) {
    entry.what = ZONE_BEGINS;
    entry.time = start;
    put(t, &entry);
    entry.what = ZONE_ENDS;
    entry.time = end;
    put(t, &entry);
}

static void found(void *user, const struct zone *zone) {
    struct noc_trace *t = user;
    struct noc_core *core = core_of(t, zone->tile, zone->core);
    struct entry entry = { .at = on_noc0(t, zone->tile),
                           .type = zone_name(zone->core, true),
                           .op = zone->op,
                           .owner = (uint32_t)(core - t->core),
                           .core = zone->core };
    if (!zone->kernel)
        return;
    core->has_zone = true;
    put_zone(t, entry, zone->start, zone->end);
}

/* Adds a zone for every core that has requests but no kernel, such as firmware that sends by itself: readers expect
 * one. */
static void put_rest(struct noc_trace *t) {
    for (size_t i = 0; i < COSTS_CORES; i++) {
        const struct noc_core *core = &t->core[i];
        if (core->has_requests && !core->has_zone)
            put_zone(t,
                     (struct entry){ .at = core->at,
                                     .type = zone_name(core->core, false),
                                     .op = t->output->machine->op,
                                     .owner = (uint32_t)i,
                                     .core = core->core },
                     core->first, core->last + 1);
    }
}

/* ---- Requests --------------------------------------------------------------------------------------------------- */

static const char *type_of(const struct bh_event *e) {
    static const struct {
        const char *name, *type, *multicast;
    } types[] = {
        { "read", "READ", "READ" },
        { "write", "WRITE_", "WRITE_MULTICAST" },
        { "masked write", "WRITE_", "WRITE_MULTICAST" },
        { "inline write", "WRITE_INLINE", "SEMAPHORE_SET_MULTICAST" },
        { "atomic", "SEMAPHORE_INC", "SEMAPHORE_INC_MULTICAST" },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, e->name) == 0)
            return e->peer.x == 255 ? types[i].multicast : types[i].type;
    return "UNSUPPORTED";
}

static void put_event(struct output *o, const struct bh_event *e) {
    struct noc_trace *t = o->state;
    zones_event(&t->zones, e);
    if (e->kind != BH_EVENT_REQUEST || e->core < 0)
        return;
    bool multicast = e->peer.x == 255;
    struct noc_core *core = core_of(t, e->tile, (unsigned)e->core);
    struct entry entry = { .time = e->start,
                           .at = on_noc0(t, e->tile),
                           .to = multicast ? e->from : on_noc0(t, e->peer),
                           .last = e->to,
                           .type = type_of(e),
                           .bytes = e->asked ? e->asked : e->bytes,
                           .op = o->machine->op,
                           .what = REQUEST,
                           .core = (uint8_t)e->core,
                           .noc = e->track == BH_TRACK_NOC1,
                           .vc = e->vc,
                           .multicast = multicast };
    if (!core->has_requests)
        core->first = e->start;
    core->at = entry.at;
    core->core = entry.core;
    core->has_requests = true;
    core->last = e->start;
    put(t, &entry);
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static void put_coordinates(struct json *j, const char *x, const char *y, struct bh_xy at) {
    json_number(j, x, at.x);
    json_number(j, y, at.y);
}

static void put_entry(struct json *j, unsigned chip, const struct entry *e) {
    json_open_line(j, NULL, '{');
    json_number(j, "run_host_id", e->op);
    json_string(j, "op_name", "");
    json_string(j, "proc", zone_risc(e->core));
    if (e->what == REQUEST) {
        json_string(j, "noc", e->noc ? "NOC_1" : "NOC_0");
        json_number(j, "vc", e->vc);
    }
    json_number(j, "src_device_id", chip);
    if (e->what != REQUEST) {
        json_string(j, "zone", e->type);
        json_string(j, "zone_phase", e->what == ZONE_BEGINS ? "ZONE_START" : "ZONE_END");
    }
    put_coordinates(j, "sx", "sy", e->at);
    if (e->what == REQUEST) {
        json_number(j, "num_bytes", e->bytes);
        json_string(j, "type", e->type);
    }
    json_number(j, "timestamp", e->time);
    if (e->what == REQUEST)
        put_coordinates(j, e->multicast ? "mcast_start_x" : "dx", e->multicast ? "mcast_start_y" : "dy", e->to);
    if (e->multicast)
        put_coordinates(j, "mcast_end_x", "mcast_end_y", e->last);
    json_close_line(j, '}');
}

static bool begin(struct output *o) {
    struct noc_trace *t = output_state(o, sizeof *t);
    if (!t)
        return false;
    t->output = o;
    t->sorted = sorted_new(sizeof(struct entry), by_core);
    t->core = calloc(COSTS_CORES, sizeof *t->core);
    json_init(&t->json, o->file);
    json_open(&t->json, NULL, '[');
    return (zones_init(&t->zones, o->machine, found, t) && t->sorted && t->core) || output_fail(o, "out of memory");
}

static bool end(struct output *o) {
    struct noc_trace *t = o->state;
    bool ok = t->sorted && t->core;
    if (ok) {
        zones_end(&t->zones);
        put_rest(t);
    }
    for (const struct entry *e; ok && !ferror(o->file) && (e = sorted_next(t->sorted));)
        if (e->what == REQUEST || t->core[e->owner].has_requests) /* zones of cores without requests are left out */
            put_entry(&t->json, o->machine->number, e);
    json_close(&t->json, ']');
    json_end(&t->json);
    ok = ok && !sorted_failed(t->sorted);
    sorted_free(t->sorted);
    free(t->zones.core);
    free(t->core);
    return ok || output_fail(o, "a temporary file cannot be read: %s", strerror(errno));
}

const struct format format_noc = {
    .name = "noc",
    .kind = OUTPUT_TRACE,
    .begins = "noc_trace",
    .ends = ".json",
    .reader = "tt-npe and ttnn-visualizer",
    .watch = BH_WATCH_INSTRUCTIONS,
    .open = begin,
    .event = put_event,
    .close = end,
};
