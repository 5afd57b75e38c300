/* A run as a page for the browser (`--report`): one self-contained HTML file. */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include <stdbool.h>

#include "machine/machine.h"

/* Writes machine->page_path. The page of a system shows all its chips; with several ranks, each rank writes a page for
 * each of its chips. Precondition: machine_flush. Returns false and sets machine->message on failure. */
bool page_write(struct machine *machine);

#endif
