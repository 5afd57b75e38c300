/* How a run ended, for people or as one JSON object. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdio.h>

#include "text/json.h"
#include "machine/machine.h"

/* Faults and the cycle limit go to stderr, everything else to stdout. time: say how fast the host was. */
void report_text(const struct machine *machine, bool time);
void report_json(const struct machine *machine);
/* The cores of one tile, a line or two each. */
void report_tile(const struct machine *machine, struct bh_xy tile, FILE *out);
/* Faults that nobody expected, on stderr. */
void report_faults(const struct machine *machine);
/* What the Tensix threads wait for, and the cores too if asked for, on stderr; each line once. */
void report_waiting(const struct machine *machine, bool cores);
/* The object that every report in JSON is, as far as all have the same in it. layout: of the firmware, or NULL. */
void report_json_begin(struct json *json, const struct machine *machine, const char *layout);
/* "tile": "X,Y" */
void report_json_xy(struct json *json, struct bh_xy tile);
/* Cores of one tile, as items of an array. */
void report_json_tile(struct json *json, const struct machine *machine, struct bh_xy tile);
/* The array "faults". */
void report_json_faults(struct json *json, const struct machine *machine);
/* One word or two for how it ended. */
const char *report_outcome(const struct machine *machine);
/* The exit status of bhemu run. */
int report_status(const struct machine *machine);

#endif
