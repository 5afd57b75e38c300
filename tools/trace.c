/* Traces: see watch.h. A tile is a process and a track a thread of the trace; work and waits are slices, packets on
 * their way are asynchronous events of the tile that they come to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

enum { TILES = 32 * 32 };

struct trace {
    const struct machine *machine;
    FILE *file;
    struct json json;
    uint64_t packets;
    bool known[TILES]; /* the tile has its name */
};

static unsigned process_of(struct bh_xy tile) {
    return (tile.y & 31u) * 32 + (tile.x & 31u);
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

static void sort_it(struct trace *t, const char *what, unsigned process, unsigned thread, unsigned place) {
    begin(t, "M", process, thread);
    json_string(&t->json, "name", what);
    json_open(&t->json, "args", '{');
    json_number(&t->json, "sort_index", place);
    json_close(&t->json, '}');
    end(t);
}

static void introduce(struct trace *t, struct bh_xy tile) {
    struct bh_tile_info info;
    char name[40];
    unsigned process = process_of(tile);
    if (t->known[process])
        return;
    t->known[process] = true;
    bool tensix = bh_tile_find(t->machine->chip, tile, &info) == BH_OK && info.kind == BH_TILE_TENSIX;
    snprintf(name, sizeof name, "%s %u,%u", tensix ? "tile" : bh_tile_kind_name(info.kind), tile.x, tile.y);
    name_it(t, "process_name", process, 0, name);
    sort_it(t, "process_sort_index", process, 0, process);
    for (unsigned track = tensix ? 0 : BH_TRACK_NOC0; track < BH_TRACK_COUNT; track++) {
        name_it(t, "thread_name", process, track + 1, bh_track_name((enum bh_track)track));
        sort_it(t, "thread_sort_index", process, track + 1, track);
    }
}

/* ---- Events ------------------------------------------------------------------------------------------------- */

/* "<main+0x8> main.c:12" of the instruction behind an event. A thread is fed by the TRISC of its number, as a rule. */
static void put_place(struct trace *t, const struct bh_event *e) {
    char text[200];
    unsigned track = e->track;
    if (track >= BH_TRACK_T0 && track <= BH_TRACK_T2)
        track = track - BH_TRACK_T0 + BH_TRISC0;
    if (!e->pc)
        return;
    json_number(&t->json, "pc", e->pc);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        uint32_t pc = e->pc;
        if (track < BH_CORE_COUNT && core != track)
            continue;
        const struct program *program = machine_program(t->machine, e->tile, (enum bh_core)core, &pc);
        if (!*program_where(program, pc, text, sizeof text))
            continue;
        json_string(&t->json, "where", text + 1);
        return;
    }
}

static void put_words(struct trace *t, const struct bh_event *e) {
    char text[200];
    if (!e->word)
        return;
    bh_disassemble(0, e->word << 2 | e->word >> 30, text, sizeof text);
    json_string(&t->json, "instruction", e->word >> 30 == 3 ? e->name : text);
}

static void put_arguments(struct trace *t, const struct bh_event *e) {
    json_open(&t->json, "args", '{');
    if (e->count > 1)
        json_number(&t->json, "count", e->count);
    put_words(t, e);
    if (e->at)
        json_number(&t->json, "address", e->at);
    if (e->track >= BH_TRACK_NOC0) {
        char peer[12] = "several";
        if (e->peer.x != 255)
            snprintf(peer, sizeof peer, "%u,%u", e->peer.x, e->peer.y);
        json_string(&t->json, e->kind == BH_EVENT_PACKET ? "from" : "to", peer);
        json_number(&t->json, "bytes", e->bytes);
    }
    put_place(t, e);
    json_close(&t->json, '}');
}

static void slice(struct trace *t, const struct bh_event *e) {
    begin(t, "X", process_of(e->tile), e->track + 1);
    json_string(&t->json, "cat", e->kind == BH_EVENT_WAIT ? "wait" : "work");
    json_string(&t->json, "name", e->name);
    json_thousandths(&t->json, "ts", e->start);
    json_thousandths(&t->json, "dur", e->end - e->start);
    put_arguments(t, e);
    end(t);
}

static void flight(struct trace *t, const struct bh_event *e, const char *phase, uint64_t time) {
    begin(t, phase, process_of(e->tile), e->track + 1);
    json_string(&t->json, "cat", "packet");
    json_number(&t->json, "id", t->packets);
    json_string(&t->json, "name", e->name);
    json_thousandths(&t->json, "ts", time);
    if (*phase == 'b')
        put_arguments(t, e);
    end(t);
}

void trace_event(void *user, const struct bh_event *e) {
    struct trace *t = user;
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

struct trace *trace_open(struct machine *m, const char *path) {
    struct trace *t = calloc(1, sizeof *t);
    if (!t || !(t->file = fopen(path, "w"))) {
        machine_fail(m, "%s: %s", path, strerror(errno));
        free(t);
        return NULL;
    }
    t->machine = m;
    json_init(&t->json, t->file);
    json_open(&t->json, NULL, '{');
    json_string(&t->json, "displayTimeUnit", "ns");
    json_open(&t->json, "traceEvents", '[');
    return t;
}

bool trace_close(struct machine *m, struct trace *t) {
    bool complete = bh_observe_flush(m->chip) == BH_OK;
    json_close(&t->json, ']');
    json_close(&t->json, '}');
    json_end(&t->json);
    bool written = !ferror(t->file);
    written &= fclose(t->file) == 0;
    free(t);
    if (!complete)
        return machine_fail(m, "%s", bh_message(m->chip));
    return written || machine_fail(m, "the trace could not be written: %s", strerror(errno));
}
