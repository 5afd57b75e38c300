/* The end of a run, as text or as one JSON object. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdio.h>

#include "text/json.h"
#include "machine/machine.h"

/* Prints the report: faults and the cycle limit on stderr, everything else on stdout. time: whether to print the speed
 * of the host. */
void report_text(const struct machine *machine, bool time);
/* Prints the report as a JSON object on stdout. */
void report_json(const struct machine *machine);
/* Prints the cores of one tile, a line or two for each. */
void report_tile(const struct machine *machine, struct bh_xy tile, FILE *out);
/* Prints the faults that were not expected, on stderr. */
void report_faults(const struct machine *machine);
/* Prints on stderr what the Tensix threads, and if requested the cores, wait for. Prints equal lines once. */
void report_waiting(const struct machine *machine, bool cores);
/* Begins a report in JSON with the members that every report has. layout: name of the firmware's layout, or NULL. */
void report_json_begin(struct json *json, const struct machine *machine, const char *layout);
/* Writes everything about the end of a run that a page (page.h) shows, as members of an open object. */
void report_json_page(struct json *json, const struct machine *machine);
/* Writes "tile": "X,Y". */
void report_json_xy(struct json *json, struct bh_xy tile);
/* Writes the cores of one tile as items of an array. */
void report_json_tile(struct json *json, const struct machine *machine, struct bh_xy tile);
/* Writes the array "faults". */
void report_json_faults(struct json *json, const struct machine *machine);
/* Returns the outcome in one or two words. */
const char *report_outcome(const struct machine *machine);
/* Returns the exit status of bhemu run, boot and launch. */
int report_status(const struct machine *machine);
/* Prints the report of all chips of a system, and the traffic of its links. Returns the exit status of the first chip
 * that has not ended well. */
int report_system(struct machine *machine, bool time);
/* Returns whether the machine has anything to report: a program, a fault, a finding, or a restored chip. */
bool report_has_something(const struct machine *machine);
/* Writes the array "links" of a system. */
void report_json_links(struct json *json, const struct machine *machine);
/* Like report_system, as one JSON object. */
int report_system_json(struct machine *machine);

#endif
