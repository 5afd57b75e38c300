/* Chrome's trace-event format, which Perfetto and chrome://tracing open. One nanosecond of the trace is one cycle. A
 * tile is a process of the trace, a track a thread. Work and waits are slices; packets in flight are asynchronous
 * events of the receiving tile. Perfetto colours slices by their names, chrome://tracing by `cname` if present: waits
 * have their own colours there. */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "machine/event.h"

enum { SIDE = 32, TEXT = 200 };

struct trace {
    const struct machine *machine;
    struct json json;
    uint64_t packets;
    bool known[SIDE][SIDE]; /* the name of the tile has been written */
};

/* Returns a process number that viewers show and from which the tile can be read: tile 1,2 is 102, and 10102 on chip
 * 1. */
static unsigned process_of(const struct trace *t, struct bh_xy tile) {
    return t->machine->number * 10000u + tile.x * 100u + tile.y;
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
    char name[EVENT_TEXT];
    unsigned process = process_of(t, tile);
    bool *known = &t->known[tile.y % SIDE][tile.x % SIDE];
    if (*known)
        return;
    *known = true;
    name_it(t, "process_name", process, 0, event_tile_name(t->machine, tile, name, sizeof name));
    sort_it(t, "process_sort_index", process, 0, t->machine->number * 10000u + tile.y * 100u + tile.x);
    for (unsigned track = 0; track < BH_TRACK_COUNT; track++) {
        const char *track_name = event_track_name(t->machine, tile, (enum bh_track)track);
        if (!track_name)
            continue;
        name_it(t, "thread_name", process, track + 1, track_name);
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
    bool ran = is_core(e) && e->kind == BH_EVENT_WORK; /* its pc is that of its end */
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
    if (e->track != BH_TRACK_ETH) /* a cable has only one other end */
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
    begin(t, "X", process_of(t, e->tile), e->track + 1);
    json_string(&t->json, "cat", waits ? "wait" : "work");
    json_string(&t->json, "name", event_name(t->machine, e, text, sizeof text));
    json_thousandths(&t->json, "ts", e->start);
    json_thousandths(&t->json, "dur", e->end - e->start);
    if (colour(e))
        json_string(&t->json, "cname", colour(e));
    put_arguments(t, e);
    end(t);
}

/* Writes the begin or the end of a packet in flight. Viewers give every name its own track. */
static void flight(struct trace *t, const struct bh_event *e, const char *phase, uint64_t time) {
    char name[TEXT];
    snprintf(name, sizeof name, "%s in: %s", bh_track_name(e->track), e->name);
    begin(t, phase, process_of(t, e->tile), e->track + 1);
    json_string(&t->json, "cat", "packet");
    json_number(&t->json, "id", (uint64_t)t->machine->number << 40 | t->packets);
    json_string(&t->json, "name", name);
    json_thousandths(&t->json, "ts", time);
    if (*phase == 'b')
        put_arguments(t, e);
    end(t);
}

static void put_event(struct output *o, const struct bh_event *e) {
    struct trace *t = o->state;
    if (e->kind > BH_EVENT_PACKET)
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

static void put_head(struct output *o) {
    struct json j;
    json_init(&j, o->file);
    json_open(&j, NULL, '{');
    json_string(&j, "displayTimeUnit", "ns");
    json_open_line(&j, "otherData", '{');
    json_string(&j, "bhemu", bh_version());
    json_string(&j, "time", "a nanosecond is a cycle");
    json_string(&j, "timing", timing_name(o->machine->config.timing));
    json_close_line(&j, '}');
    json_open(&j, "traceEvents", '[');
}

/* Opens the array of events in the file's object. */
static bool begin_trace(struct output *o) {
    struct trace *t = output_state(o, sizeof *t);
    if (!t)
        return false;
    t->machine = o->machine;
    t->json = (struct json){ .out = o->file, .depth = 2 };
    return true;
}

static bool end_trace(struct output *o) {
    (void)o;
    return true;
}

const struct format format_chrome = {
    .name = "chrome",
    .kind = OUTPUT_TRACE,
    .begins = "",
    .ends = ".json",
    .reader = "Perfetto and chrome://tracing",
    .joins = true,
    .head = put_head,
    .between = ",",
    .behind = "\n  ]\n}\n",
    .open = begin_trace,
    .event = put_event,
    .close = end_trace,
};
