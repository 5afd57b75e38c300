/* Traces of a run in Chrome's trace-event format, which Perfetto opens. One nanosecond of the trace is one cycle. */
#ifndef TOOLS_TRACE_H
#define TOOLS_TRACE_H

#include <stdbool.h>

#include "machine/machine.h"

struct trace;
struct trace *trace_open(struct machine *machine, const char *path); /* NULL and machine->message on failure */
void trace_event(struct trace *trace, const struct bh_event *event);
bool trace_close(struct machine *machine, struct trace *trace); /* false and machine->message on failure */

#endif
