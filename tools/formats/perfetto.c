/* Perfetto's own format: a sequence of TracePackets (perfetto.dev/docs/reference/trace-packet-proto). One nanosecond is
 * one cycle. A tile is a process, its tracks are threads. Packets in flight overlap, and so get tracks of their own, as
 * many as there are packets at the same time. Names and values are interned: a text is written to the file once, until
 * the table is full and starts again (SEQ_INCREMENTAL_STATE_CLEARED), so that memory is bounded. */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/proto.h"
#include "machine/event.h"
#include "machine/machine.h"

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DESCRIPTOR = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { DESCRIPTOR_UUID = 1, DESCRIPTOR_NAME = 2, DESCRIPTOR_PROCESS = 3, DESCRIPTOR_THREAD = 4, DESCRIPTOR_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_CATEGORY = 3, EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11 };
enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { ANNOTATION_NAME = 1, ANNOTATION_NUMBER = 3, ANNOTATION_POINTER = 7, ANNOTATION_TEXT = 17 };
/* The kind of an interned text is its field of InternedData. */
enum { INTERN_CATEGORY = 1, INTERN_NAME = 2, INTERN_ANNOTATION = 3, INTERN_VALUE = 29 };
enum { INTERNED_ID = 1, INTERNED_TEXT = 2 };

enum { SEQUENCE = 1, SIDE = 32, TEXT = 200 };
enum { TEXTS = 1 << 14, SLOTS = 2 * TEXTS, PLACES = 1 << 15, WORDS = 1 << 12, LANES = 64 };

struct interned {
    uint32_t id; /* 0: free */
    uint8_t kind;
    char *text;
};

/* The texts of an event, looked up once for events that differ only in time. */
struct known {
    const char *name;
    uint64_t at;
    uint32_t pc, key;
    uint32_t name_id, place_id;
};

/* The disassembly of an instruction of the coprocessor. */
struct known_word {
    uint32_t word, id; /* id 0: a free entry */
};

/* Tracks of the packets in flight to a NIU: the end of the last packet on each. */
struct lanes {
    uint64_t until[LANES];
    unsigned count;
};

struct trace {
    struct output *output;
    struct interned *interned; /* SLOTS entries, a hash table */
    unsigned texts;
    struct known *known;             /* PLACES entries, replaced on collision */
    struct known_word word[WORDS];   /* likewise */
    struct lanes *lanes[SIDE][SIDE]; /* for each tile, by NIU, or NULL */
    bool cleared;                    /* the next packet has to say that the tables are empty */
    bool known_tile[SIDE][SIDE];
};

/* ---- Packets -------------------------------------------------------------------------------------------------- */

static void put_packet(struct trace *t, struct proto *packet) {
    PROTO(trace);
    proto_number(packet, PACKET_SEQUENCE, SEQUENCE + t->output->machine->number);
    proto_number(packet, PACKET_FLAGS, t->cleared ? FLAG_CLEARED | FLAG_NEEDS_STATE : FLAG_NEEDS_STATE);
    t->cleared = false;
    proto_varint(&trace, TRACE_PACKET << 3 | 2);
    proto_varint(&trace, packet->size);
    fwrite(trace.byte, 1, trace.size, t->output->file);
    fwrite(packet->byte, 1, packet->size, t->output->file);
}

/* ---- Interned texts --------------------------------------------------------------------------------------------- */

static size_t hash_of(const char *text, unsigned kind) {
    uint64_t h = kind;
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001B3);
    return (size_t)(h ^ h >> 29);
}

static void forget(struct trace *t) {
    for (unsigned i = 0; i < SLOTS; i++)
        free(t->interned[i].text);
    memset(t->interned, 0, SLOTS * sizeof *t->interned);
    memset(t->known, 0, PLACES * sizeof *t->known);
    memset(t->word, 0, sizeof t->word);
    t->texts = 0;
    t->cleared = true;
}

static void put_interned(struct trace *t, const struct interned *text) {
    PROTO(entry);
    PROTO(data);
    PROTO(packet);
    proto_number(&entry, INTERNED_ID, text->id);
    proto_text(&entry, INTERNED_TEXT, text->text);
    proto_message(&data, text->kind, &entry);
    proto_message(&packet, PACKET_INTERNED, &data);
    put_packet(t, &packet);
}

/* Returns the number of a text, and writes the text to the file if it is new. Returns 0 without memory. */
static uint32_t intern(struct trace *t, unsigned kind, const char *text) {
    size_t i = hash_of(text, kind) % SLOTS;
    while (t->interned[i].id && (t->interned[i].kind != kind || strcmp(t->interned[i].text, text) != 0))
        i = (i + 1) % SLOTS;
    struct interned *slot = &t->interned[i];
    if (slot->id)
        return slot->id;
    char *copy = strdup(text);
    if (!copy) {
        output_fail(t->output, "out of memory");
        return 0;
    }
    *slot = (struct interned){ ++t->texts, (uint8_t)kind, copy };
    put_interned(t, slot);
    return slot->id;
}

/* ---- Tracks ------------------------------------------------------------------------------------------------------ */

/* Numbers of tracks begin with that of the tile (tile 1,2 is 102, and 10102 on chip 1), followed by the track or the
 * lane. */
static unsigned process_of(const struct trace *t, struct bh_xy tile) {
    return t->output->machine->number * 10000u + tile.x * 100u + tile.y;
}

static uint64_t thread_track(const struct trace *t, struct bh_xy tile, unsigned track) {
    return process_of(t, tile) * UINT64_C(1000) + 1 + track;
}

static uint64_t lane_track(const struct trace *t, struct bh_xy tile, unsigned noc, unsigned lane) {
    return process_of(t, tile) * UINT64_C(1000) + 100 + noc * LANES + lane;
}

static void put_descriptor(struct trace *t, uint64_t uuid, const char *name, unsigned field, const struct proto *of) {
    PROTO(descriptor);
    PROTO(packet);
    proto_number(&descriptor, DESCRIPTOR_UUID, uuid);
    if (name)
        proto_text(&descriptor, DESCRIPTOR_NAME, name);
    if (field == DESCRIPTOR_PARENT)
        proto_number(&descriptor, DESCRIPTOR_PARENT, uuid / 1000 * 1000);
    else
        proto_message(&descriptor, field, of);
    proto_message(&packet, PACKET_DESCRIPTOR, &descriptor);
    put_packet(t, &packet);
}

static void introduce(struct trace *t, struct bh_xy tile) {
    const struct machine *m = t->output->machine;
    char name[EVENT_TEXT];
    bool *known = &t->known_tile[tile.y % SIDE][tile.x % SIDE];
    if (*known)
        return;
    *known = true;
    PROTO(process);
    proto_number(&process, PROCESS_PID, process_of(t, tile));
    proto_text(&process, PROCESS_NAME, event_tile_name(m, tile, name, sizeof name));
    put_descriptor(t, process_of(t, tile) * UINT64_C(1000), NULL, DESCRIPTOR_PROCESS, &process);
    for (unsigned track = 0; track < BH_TRACK_COUNT; track++) {
        const char *track_name = event_track_name(m, tile, (enum bh_track)track);
        if (!track_name)
            continue;
        PROTO(thread);
        proto_number(&thread, THREAD_PID, process_of(t, tile));
        proto_number(&thread, THREAD_TID, thread_track(t, tile, track));
        proto_text(&thread, THREAD_NAME, track_name);
        put_descriptor(t, thread_track(t, tile, track), NULL, DESCRIPTOR_THREAD, &thread);
    }
}

/* Returns a track with nothing in flight at the start of the packet. Packets arrive here in the order of their ends. */
static uint64_t free_lane(struct trace *t, const struct bh_event *e) {
    struct lanes **of_tile = &t->lanes[e->tile.y % SIDE][e->tile.x % SIDE];
    unsigned noc = e->track - BH_TRACK_NOC0, i = 0;
    char name[60];
    if (!*of_tile && !(*of_tile = calloc(BH_TRACK_COUNT - BH_TRACK_NOC0, sizeof **of_tile))) {
        output_fail(t->output, "out of memory");
        return 0;
    }
    struct lanes *lanes = *of_tile + noc;
    while (i < lanes->count && lanes->until[i] > e->start)
        i++;
    if (i == LANES) /* slices that overlap on the last track are still readable */
        i = LANES - 1;
    if (i == lanes->count) {
        lanes->count++;
        snprintf(name, sizeof name, "%s in", bh_track_name(e->track));
        put_descriptor(t, lane_track(t, e->tile, noc, i), name, DESCRIPTOR_PARENT, NULL);
    }
    lanes->until[i] = e->end;
    return lane_track(t, e->tile, noc, i);
}

/* ---- Annotations ------------------------------------------------------------------------------------------------- */

static void annotate(struct trace *t, struct proto *event, const char *name, unsigned field, uint64_t value) {
    PROTO(annotation);
    proto_number(&annotation, ANNOTATION_NAME, intern(t, INTERN_ANNOTATION, name));
    proto_number(&annotation, field, value);
    proto_message(event, EVENT_ANNOTATION, &annotation);
}

static void annotate_text(struct trace *t, struct proto *event, const char *name, const char *text) {
    annotate(t, event, name, ANNOTATION_TEXT, intern(t, INTERN_VALUE, text));
}

static void annotate_words(struct trace *t, struct proto *event, const struct bh_event *e) {
    static const char prefix[] = ".ttinsn ";
    char text[TEXT];
    if (!e->word || e->word >> 30 == 3)
        return;
    struct known_word *known = &t->word[(e->word ^ e->word >> 12 ^ e->word >> 24) % WORDS];
    if (!known->id || known->word != e->word) {
        bh_disassemble(0, e->word << 2 | e->word >> 30, text, sizeof text);
        size_t skip = strncmp(text, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
        *known = (struct known_word){ e->word, intern(t, INTERN_VALUE, text + skip) };
    }
    annotate(t, event, "instruction", ANNOTATION_TEXT, known->id);
}

static void annotate_packet(struct trace *t, struct proto *event, const struct bh_event *e) {
    char peer[12] = "several";
    if (e->peer.x != 255)
        snprintf(peer, sizeof peer, "%u,%u", e->peer.x, e->peer.y);
    if (e->track != BH_TRACK_ETH) /* a cable has only one other end */
        annotate_text(t, event, e->kind == BH_EVENT_PACKET ? "from" : "to", peer);
    annotate(t, event, "bytes", ANNOTATION_NUMBER, e->bytes);
}

static void annotate_all(struct trace *t, struct proto *event, const struct bh_event *e, uint32_t place) {
    bool core = (unsigned)e->track < BH_CORE_COUNT;
    bool ran = core && e->kind == BH_EVENT_WORK; /* its pc is that of its end */
    if (e->count > 1)
        annotate(t, event, "count", ANNOTATION_NUMBER, e->count);
    if (!core)
        annotate_words(t, event, e);
    if (e->at)
        annotate(t, event, "address", ANNOTATION_POINTER, e->at);
    if (e->track >= BH_TRACK_NOC0)
        annotate_packet(t, event, e);
    if (e->pc)
        annotate(t, event, ran ? "end pc" : "pc", ANNOTATION_POINTER, e->pc);
    if (place)
        annotate(t, event, ran ? "end" : "where", ANNOTATION_TEXT, place);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Finds the texts of an event, in programs and their debug information unless they are known. */
static const struct known *find(struct trace *t, const struct bh_event *e) {
    struct known key = { .name = e->name,
                         .at = e->kind == BH_EVENT_WAIT ? e->at : 0,
                         .pc = e->pc,
                         .key = process_of(t, e->tile) << 8 | (uint32_t)e->track << 2 | (uint32_t)e->kind };
    uint64_t h = ((uint64_t)(uintptr_t)key.name ^ key.at << 20 ^ (uint64_t)key.pc << 32 ^ key.key) *
                 UINT64_C(0x9E3779B97F4A7C15);
    struct known *slot = &t->known[(h >> 40) % PLACES];
    char text[TEXT];
    if (slot->name == key.name && slot->at == key.at && slot->pc == key.pc && slot->key == key.key)
        return slot;
    key.name_id = intern(t, INTERN_NAME, event_name(t->output->machine, e, text, sizeof text));
    if (*event_place(t->output->machine, e, text, sizeof text))
        key.place_id = intern(t, INTERN_VALUE, text);
    *slot = key;
    return slot;
}

static void put_end(struct trace *t, uint64_t track, uint64_t time) {
    PROTO(event);
    PROTO(packet);
    proto_number(&event, EVENT_TYPE, TYPE_END);
    proto_number(&event, EVENT_TRACK, track);
    proto_number(&packet, PACKET_TIMESTAMP, time);
    proto_message(&packet, PACKET_EVENT, &event);
    put_packet(t, &packet);
}

static void put_event(struct output *o, const struct bh_event *e) {
    static const char *const categories[] = { "work", "wait", "packet" };
    enum { TEXTS_OF_AN_EVENT = 16 };
    struct trace *t = o->state;
    PROTO(event);
    PROTO(packet);
    if (e->kind > BH_EVENT_PACKET)
        return;
    if (t->texts + TEXTS_OF_AN_EVENT > TEXTS)
        forget(t);
    introduce(t, e->tile);
    const struct known *known = find(t, e);
    uint64_t track = e->kind == BH_EVENT_PACKET ? free_lane(t, e) : thread_track(t, e->tile, e->track);
    proto_number(&event, EVENT_TYPE, TYPE_BEGIN);
    proto_number(&event, EVENT_TRACK, track);
    proto_number(&event, EVENT_CATEGORY, intern(t, INTERN_CATEGORY, categories[e->kind]));
    proto_number(&event, EVENT_NAME, known->name_id);
    annotate_all(t, &event, e, known->place_id);
    proto_number(&packet, PACKET_TIMESTAMP, e->start);
    proto_message(&packet, PACKET_EVENT, &event);
    put_packet(t, &packet);
    put_end(t, track, e->end);
}

static bool begin(struct output *o) {
    struct trace *t = output_state(o, sizeof *t);
    if (!t)
        return false;
    t->output = o;
    t->interned = calloc(SLOTS, sizeof *t->interned);
    t->known = calloc(PLACES, sizeof *t->known);
    t->cleared = true;
    return (t->interned && t->known) || output_fail(o, "out of memory");
}

static bool end(struct output *o) {
    struct trace *t = o->state;
    for (unsigned i = 0; t->interned && i < SLOTS; i++)
        free(t->interned[i].text);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        free(t->lanes[i / SIDE][i % SIDE]);
    free(t->interned);
    free(t->known);
    return true;
}

const struct format format_perfetto = {
    .name = "perfetto",
    .kind = OUTPUT_TRACE,
    .begins = "",
    .ends = ".pftrace",
    .reader = "Perfetto, smaller and faster than chrome",
    .joins = true, /* a file is a sequence of packets, and each chip may have its own sequence */
    .open = begin,
    .event = put_event,
    .close = end,
};
