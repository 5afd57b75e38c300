/* How a run ended, for people or as one JSON object. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include "machine.h"

/* Faults and the cycle limit go to stderr, everything else to stdout. time: say how fast the host was. */
void report_text(const struct machine *machine, bool time);
void report_json(const struct machine *machine);
/* The exit status of bhemu run. */
int report_status(const struct machine *machine);

#endif
