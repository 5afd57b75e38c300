/* Events of a run in words: their names, and the source lines that they come from. */
#ifndef TOOLS_EVENT_H
#define TOOLS_EVENT_H

#include "machine/machine.h"

/* Returns the name of an event: the instruction or the kind of packet, or the reason for a wait, such as "wait: polls
 * done" or "wait: ... at L1 0x20000". `text` is a buffer that the result may use. */
const char *event_name(const struct machine *machine, const struct bh_event *event, char *text, size_t size);
/* Writes "<main+0x8> main.c:12" for the instruction of an event, or "" if the instruction is unknown. An event of a
 * thread is looked up in the program of the TRISC with the thread's number, which normally pushes its words. Returns
 * text. */
const char *event_place(const struct machine *machine, const struct bh_event *event, char *text, size_t size);

enum { EVENT_TEXT = 60 };
/* Writes "tile 1,2", or "chip 1 tile 1,2" in a system, or "Ethernet 20,25" for an Ethernet tile. Returns text. */
const char *event_tile_name(const struct machine *machine, struct bh_xy tile, char *text, size_t size);
/* Returns the name of a track of a tile, or NULL if the tile does not have this track. */
const char *event_track_name(const struct machine *machine, struct bh_xy tile, enum bh_track track);

#endif
