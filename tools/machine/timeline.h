/* The events of a run in memory, for a page (report/page.h): the work and the waits of each track in their order, and
 * the packets. */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

enum { TIMELINE_SIDE = 32, TIMELINE_EVENTS_MAX = 2000000 };

/* Work or a wait on a track. */
struct timeline_event {
    uint32_t gap;    /* cycles since the end of the previous event */
    uint32_t length; /* in cycles */
    uint32_t name;   /* 2 * index of its name, plus 1 for a wait */
    uint32_t place;  /* index of its source line in `places`; 0: none */
};

struct timeline_track {
    struct timeline_event *event;
    size_t count, room;
    uint64_t end; /* of the last event */
};

struct timeline_packet {
    uint64_t start, end;
    struct bh_xy from, to; /* from (255,255): unknown */
    uint32_t bytes, name;
    uint8_t noc;
};

/* A list of distinct strings. */
struct timeline_texts {
    char **text;
    size_t count, room;
};

struct timeline {
    const struct machine *machine;
    struct timeline_track *tile[TIMELINE_SIDE][TIMELINE_SIDE]; /* [y][x]: BH_TRACK_COUNT tracks, or NULL */
    struct timeline_packet *packet;
    size_t packet_count, packet_room;
    struct timeline_texts names, places;
    struct known *known; /* texts of events that have been looked up already (timeline.c) */
    size_t known_count, known_room;
    size_t events;
    uint64_t dropped; /* number of events beyond TIMELINE_EVENTS_MAX, or for which there was no memory */
};

struct timeline *timeline_new(const struct machine *machine); /* returns NULL without memory */
/* Adds an event. */
void timeline_event(struct timeline *timeline, const struct bh_event *event);
void timeline_free(struct timeline *timeline); /* timeline may be NULL */

#endif
