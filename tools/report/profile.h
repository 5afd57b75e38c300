/* Profiles of a run: the symbols and source lines that took the most cycles, over all tiles. */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include "machine/machine.h"
#include "text/json.h"

/* Prints the symbols and source lines that took the most cycles. */
void profile_text(const struct machine *machine);
/* Writes all symbols and source lines as the member "profile". */
void profile_json(struct json *json, const struct machine *machine);

#endif
