/* What bhemu run shows of how a program ran: statistics, a trace, a profile. */
#ifndef TOOLS_WATCH_H
#define TOOLS_WATCH_H

#include <stdbool.h>
#include <stdio.h>

#include "json.h"
#include "machine.h"

/* ---- Statistics (stats.c) ------------------------------------------------------------------------------- */

/* The whole chip in a dozen lines, with the host's time if asked for. */
void stats_summary(const struct machine *machine, bool time);
/* Every track of every tile that did something. */
void stats_text(const struct machine *machine);
/* "stats": the same. */
void stats_json(struct json *json, const struct machine *machine);

/* ---- Traces (trace.c) ----------------------------------------------------------------------------------- */

/* Chrome's trace-event format, which Perfetto opens. One nanosecond of the trace is one cycle. */
struct trace;
struct trace *trace_open(struct machine *machine, const char *path); /* NULL and machine->message on failure */
void trace_event(void *trace, const struct bh_event *event);         /* for bh_observe */
bool trace_close(struct machine *machine, struct trace *trace);      /* false and machine->message on failure */

/* ---- Profiles (profile.c) ------------------------------------------------------------------------------- */

/* The symbols and source lines that took most cycles, over all tiles. */
void profile_text(const struct machine *machine);
/* "profile": all of them. */
void profile_json(struct json *json, const struct machine *machine);

#endif
