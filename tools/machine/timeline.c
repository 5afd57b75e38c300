/* Events in memory: see timeline.h. */
#include <stdlib.h>
#include <string.h>

#include "machine/event.h"
#include "machine/timeline.h"

enum { TEXT = 200, FIRST_ROOM = 64 };

/* Makes room for one more item in a list of count items. Returns false without memory. */
static bool reserve(void *list_pointer, size_t count, size_t *room, size_t size) {
    void **list = list_pointer;
    if (count < *room)
        return true;
    size_t larger = *room ? 2 * *room : FIRST_ROOM;
    void *grown = realloc(*list, larger * size);
    if (!grown)
        return false;
    *list = grown;
    *room = larger;
    return true;
}

/* ---- Texts ---------------------------------------------------------------------------------------------------
 *
 * Names and source lines of events come from programs and their debug information, which takes long. Events that differ
 * only in time share one lookup. */

/* An event without its time, and the indices of its texts. */
struct known {
    const char *name;
    uint64_t at;
    uint32_t pc, track;
    struct bh_xy tile;
    uint32_t name_index, place_index;
    bool used;
};

static bool is_same(const struct known *a, const struct known *b) {
    return a->name == b->name && a->at == b->at && a->pc == b->pc && a->track == b->track && a->tile.x == b->tile.x &&
           a->tile.y == b->tile.y;
}

static size_t hash_of(const struct known *k) {
    uint64_t h = (uint64_t)(uintptr_t)k->name * 0x9E3779B97F4A7C15u;
    h = (h ^ k->at) * 0xBF58476D1CE4E5B9u;
    h = (h ^ k->pc ^ (uint64_t)k->track << 32 ^ (uint64_t)k->tile.x << 40 ^ (uint64_t)k->tile.y << 48) *
        0x94D049BB133111EBu;
    return (size_t)(h ^ h >> 29);
}

/* Returns the slot of the key, or the free slot where it belongs. The size of the table is a power of two; the table is
 * never full. */
static struct known *slot_of(struct known *table, size_t room, const struct known *key) {
    size_t i = hash_of(key) & (room - 1);
    while (table[i].used && !is_same(&table[i], key))
        i = (i + 1) & (room - 1);
    return &table[i];
}

static bool grow_known(struct timeline *t) {
    size_t room = t->known_room ? 2 * t->known_room : 16 * FIRST_ROOM;
    struct known *table = calloc(room, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < t->known_room; i++)
        if (t->known[i].used)
            *slot_of(table, room, &t->known[i]) = t->known[i];
    free(t->known);
    t->known = table;
    t->known_room = room;
    return true;
}

/* Finds the index of a text, and adds the text if it is new. A linear search will do: there are few texts, names and
 * source lines of distinct instructions. Returns false without memory. */
static bool text_index(struct timeline_texts *texts, const char *text, uint32_t *index) {
    for (size_t i = texts->count; i-- > 0;)
        if (strcmp(texts->text[i], text) == 0) {
            *index = (uint32_t)i;
            return true;
        }
    char *copy = strdup(text);
    if (!copy || !reserve(&texts->text, texts->count, &texts->room, sizeof *texts->text)) {
        free(copy);
        return false;
    }
    texts->text[texts->count] = copy;
    *index = (uint32_t)texts->count++;
    return true;
}

static const struct known *find(struct timeline *t, const struct bh_event *e) {
    bool named_by_place = e->kind == BH_EVENT_WAIT;
    struct known key = { .name = e->name,
                         .at = named_by_place ? e->at : 0,
                         .pc = e->pc,
                         .track = (uint32_t)e->track << 2 | (uint32_t)e->kind,
                         .tile = e->tile,
                         .used = true };
    char text[TEXT];
    if (2 * (t->known_count + 1) > t->known_room && !grow_known(t))
        return NULL;
    struct known *slot = slot_of(t->known, t->known_room, &key);
    if (slot->used)
        return slot;
    if (!text_index(&t->names, event_name(t->machine, e, text, sizeof text), &key.name_index) ||
        !text_index(&t->places, event_place(t->machine, e, text, sizeof text), &key.place_index))
        return NULL;
    *slot = key;
    t->known_count++;
    return slot;
}

/* ---- Events -------------------------------------------------------------------------------------------------- */

static struct timeline_track *track_of(struct timeline *t, const struct bh_event *e) {
    struct timeline_track **tracks = &t->tile[e->tile.y % TIMELINE_SIDE][e->tile.x % TIMELINE_SIDE];
    if (!*tracks)
        *tracks = calloc(BH_TRACK_COUNT, sizeof **tracks);
    return *tracks ? *tracks + e->track : NULL;
}

static uint32_t short_of(uint64_t cycles) {
    return cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
}

static bool add_event(struct timeline *t, const struct bh_event *e, const struct known *known) {
    struct timeline_track *track = track_of(t, e);
    if (!track || !reserve(&track->event, track->count, &track->room, sizeof *track->event))
        return false;
    uint64_t start = e->start > track->end ? e->start : track->end;
    track->event[track->count++] = (struct timeline_event){ .gap = short_of(start - track->end),
                                                            .length = short_of(e->end > start ? e->end - start : 0),
                                                            .name = 2 * known->name_index + (e->kind == BH_EVENT_WAIT),
                                                            .place = known->place_index };
    track->end = e->end > start ? e->end : start;
    return true;
}

static bool add_packet(struct timeline *t, const struct bh_event *e, const struct known *known) {
    if (!reserve(&t->packet, t->packet_count, &t->packet_room, sizeof *t->packet))
        return false;
    t->packet[t->packet_count++] = (struct timeline_packet){ .start = e->start,
                                                             .end = e->end,
                                                             .from = e->peer,
                                                             .to = e->tile,
                                                             .bytes = e->bytes,
                                                             .name = known->name_index,
                                                             .noc = (uint8_t)(e->track - BH_TRACK_NOC0) };
    return true;
}

void timeline_event(struct timeline *t, const struct bh_event *e) {
    const struct known *known = t->events < TIMELINE_EVENTS_MAX ? find(t, e) : NULL;
    bool added = known && (e->kind == BH_EVENT_PACKET ? add_packet(t, e, known) : add_event(t, e, known));
    t->events += added;
    t->dropped += !added;
}

struct timeline *timeline_new(const struct machine *machine) {
    struct timeline *t = calloc(1, sizeof *t);
    uint32_t none;
    if (t && text_index(&t->places, "", &none)) {
        t->machine = machine;
        return t;
    }
    free(t);
    return NULL;
}

static void free_texts(struct timeline_texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
}

void timeline_free(struct timeline *t) {
    if (!t)
        return;
    for (unsigned i = 0; i < TIMELINE_SIDE * TIMELINE_SIDE; i++) {
        struct timeline_track *tracks = t->tile[i / TIMELINE_SIDE][i % TIMELINE_SIDE];
        for (unsigned track = 0; tracks && track < BH_TRACK_COUNT; track++)
            free(tracks[track].event);
        free(tracks);
    }
    free_texts(&t->names);
    free_texts(&t->places);
    free(t->packet);
    free(t->known);
    free(t);
}
