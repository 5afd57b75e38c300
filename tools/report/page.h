/* A run as a page for the browser (`--report`): one HTML file that needs nothing else. */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include <stdbool.h>

#include "machine/machine.h"

/* Writes machine->page_path: of a system, with all of its chips; of several ranks, each rank a page for each of its
 * chips. Precondition: machine_flush. Returns false and machine->message on failure. */
bool page_write(struct machine *machine);

#endif
