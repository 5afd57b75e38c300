/* Statistics of a run: how busy every core, thread, unit and NoC was. */
#ifndef TOOLS_STATS_H
#define TOOLS_STATS_H

#include <stdbool.h>

#include "machine/machine.h"
#include "text/json.h"

/* Prints a summary of the whole chip in a dozen lines, with the host's time if requested. */
void stats_summary(const struct machine *machine, bool time);
/* Prints every track of every tile that did something. */
void stats_text(const struct machine *machine);
/* Writes the same as the member "stats". */
void stats_json(struct json *json, const struct machine *machine);

#endif
