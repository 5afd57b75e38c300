/* Traces: see trace.h. A tile is a process and a track a thread of the trace. Work and waits are slices; packets in
 * flight are asynchronous events of the receiving tile. Perfetto colours slices by their names, chrome://tracing by
 * `cname` if there is one: waits have their own colours there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/event.h"
#include "machine/trace.h"

enum { SIDE = 32, TEXT = 200 };

struct trace {
    const struct machine *machine;
    FILE *file;
    struct json json;
    uint64_t packets;
    bool known[SIDE][SIDE]; /* the name of the tile has been written */
};

/* Returns a process number that viewers show and that names the tile: 1,2 is 102. */
static unsigned process_of(struct bh_xy tile) {
    return tile.x * 100u + tile.y;
}

static bool wanted(const struct machine *m, const struct bh_event *e) {
    return e->end > m->trace_from && e->start < m->trace_to &&
           (!m->trace_tiles.count || tile_list_has(&m->trace_tiles, e->tile));
}

/* ---- Names ------------------------------------------------------------------------------------------------- */

static void begin(struct trace *t, const char *phase, unsigned process, unsigned thread) {
    json_open_line(&t->json, NULL, '{');
    json_string(&t->json, "ph", phase);
    json_number(&t->json, "pid", process);
    json_number(&t->json, "tid", thread);
}

static void end(struct trace *t) {
    json_close_line(&t->json, '}');
}

static void name_it(struct trace *t, const char *what, unsigned process, unsigned thread, const char *name) {
    begin(t, "M", process, thread);
    json_string(&t->json, "name", what);
    json_open(&t->json, "args", '{');
    json_string(&t->json, "name", name);
    json_close(&t->json, '}');
    end(t);
}

static void sort_it(struct trace *t, const char *what, unsigned process, unsigned thread, unsigned index) {
    begin(t, "M", process, thread);
    json_string(&t->json, "name", what);
    json_open(&t->json, "args", '{');
    json_number(&t->json, "sort_index", index);
    json_close(&t->json, '}');
    end(t);
}

static void introduce(struct trace *t, struct bh_xy tile) {
    struct bh_tile_info info;
    char name[40];
    unsigned process = process_of(tile);
    bool *known = &t->known[tile.y % SIDE][tile.x % SIDE];
    if (*known)
        return;
    *known = true;
    bool tensix = bh_tile_find(t->machine->chip, tile, &info) == BH_OK && info.kind == BH_TILE_TENSIX;
    snprintf(name, sizeof name, "%s %u,%u", tensix ? "tile" : bh_tile_kind_name(info.kind), tile.x, tile.y);
    name_it(t, "process_name", process, 0, name);
    sort_it(t, "process_sort_index", process, 0, tile.y * 100u + tile.x);
    for (unsigned track = tensix ? 0 : BH_TRACK_NOC0; track < BH_TRACK_COUNT; track++) {
        name_it(t, "thread_name", process, track + 1, bh_track_name((enum bh_track)track));
        sort_it(t, "thread_sort_index", process, track + 1, track);
    }
}

/* ---- Arguments of events ------------------------------------------------------------------------------------ */

static bool is_core(const struct bh_event *e) {
    return (unsigned)e->track < BH_CORE_COUNT;
}

static void put_hex(struct trace *t, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    json_string(&t->json, key, text);
}

static void put_place(struct trace *t, const struct bh_event *e) {
    char text[TEXT];
    bool ran = is_core(e) && e->kind == BH_EVENT_WORK; /* its pc is known for its end only */
    if (!e->pc)
        return;
    put_hex(t, ran ? "end pc" : "pc", e->pc);
    if (*event_place(t->machine, e, text, sizeof text))
        json_string(&t->json, ran ? "end" : "where", text);
}

static void put_words(struct trace *t, const struct bh_event *e) {
    static const char prefix[] = ".ttinsn ";
    char text[TEXT];
    if (!e->word)
        return;
    bh_disassemble(0, e->word << 2 | e->word >> 30, text, sizeof text);
    size_t skip = strncmp(text, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    json_string(&t->json, "instruction", e->word >> 30 == 3 ? e->name : text + skip);
}

static void put_packet(struct trace *t, const struct bh_event *e) {
    char peer[12] = "several";
    if (e->peer.x != 255)
        snprintf(peer, sizeof peer, "%u,%u", e->peer.x, e->peer.y);
    json_string(&t->json, e->kind == BH_EVENT_PACKET ? "from" : "to", peer);
    json_number(&t->json, "bytes", e->bytes);
}

static void put_arguments(struct trace *t, const struct bh_event *e) {
    json_open(&t->json, "args", '{');
    if (e->count > 1)
        json_number(&t->json, "count", e->count);
    put_words(t, e);
    if (e->at)
        put_hex(t, "address", e->at);
    if (e->track >= BH_TRACK_NOC0)
        put_packet(t, e);
    put_place(t, e);
    json_close(&t->json, '}');
}

static const char *colour(const struct bh_event *e) {
    if (e->kind == BH_EVENT_WAIT)
        return is_core(e) ? "grey" : "thread_state_iowait";
    return is_core(e) ? "thread_state_running" : NULL;
}

/* ---- Events ------------------------------------------------------------------------------------------------- */

static void slice(struct trace *t, const struct bh_event *e) {
    char text[TEXT];
    bool waits = e->kind == BH_EVENT_WAIT;
    begin(t, "X", process_of(e->tile), e->track + 1);
    json_string(&t->json, "cat", waits ? "wait" : "work");
    json_string(&t->json, "name", event_name(t->machine, e, text, sizeof text));
    json_thousandths(&t->json, "ts", e->start);
    json_thousandths(&t->json, "dur", e->end - e->start);
    if (colour(e))
        json_string(&t->json, "cname", colour(e));
    put_arguments(t, e);
    end(t);
}

/* Viewers give every name its own track. */
static void flight(struct trace *t, const struct bh_event *e, const char *phase, uint64_t time) {
    char name[TEXT];
    snprintf(name, sizeof name, "%s in: %s", bh_track_name(e->track), e->name);
    begin(t, phase, process_of(e->tile), e->track + 1);
    json_string(&t->json, "cat", "packet");
    json_number(&t->json, "id", t->packets);
    json_string(&t->json, "name", name);
    json_thousandths(&t->json, "ts", time);
    if (*phase == 'b')
        put_arguments(t, e);
    end(t);
}

void trace_event(struct trace *t, const struct bh_event *e) {
    if (!wanted(t->machine, e))
        return;
    introduce(t, e->tile);
    if (e->kind != BH_EVENT_PACKET) {
        slice(t, e);
        return;
    }
    t->packets++;
    flight(t, e, "b", e->start);
    flight(t, e, "e", e->end);
}

/* ---- The file ------------------------------------------------------------------------------------------------ */

static bool has_tracks(struct machine *m, struct bh_xy tile, const void *what) {
    struct bh_tile_info info;
    (void)what;
    if (bh_tile_find(m->chip, tile, &info) == BH_OK && info.kind != BH_TILE_ROUTER)
        return true;
    return machine_fail(m, "--trace-tiles: nothing happens on %u,%u, which is a router only", tile.x, tile.y);
}

struct trace *trace_open(struct machine *m, const char *path) {
    if (m->trace_tiles.count && !machine_each_tile(m, &m->trace_tiles, ANY_TILE, has_tracks, NULL))
        return NULL;
    struct trace *t = calloc(1, sizeof *t);
    if (!t || !(t->file = fopen(path, "w"))) {
        machine_fail(m, "--trace: cannot write '%s': %s", path, strerror(errno));
        free(t);
        return NULL;
    }
    t->machine = m;
    json_init(&t->json, t->file);
    json_open(&t->json, NULL, '{');
    json_string(&t->json, "displayTimeUnit", "ns");
    json_open_line(&t->json, "otherData", '{');
    json_string(&t->json, "bhemu", bh_version());
    json_string(&t->json, "time", "a nanosecond is a cycle");
    json_string(&t->json, "timing", timing_name(m->config.timing));
    json_close_line(&t->json, '}');
    json_open(&t->json, "traceEvents", '[');
    return t;
}

bool trace_close(struct machine *m, struct trace *t) {
    json_close(&t->json, ']');
    json_close(&t->json, '}');
    json_end(&t->json);
    bool written = !ferror(t->file);
    written &= fclose(t->file) == 0;
    free(t);
    return written || machine_fail(m, "the trace could not be written: %s", strerror(errno));
}
