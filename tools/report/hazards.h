/* The hazards of a run (`--check`), with names from the machine's programs, and without the hazards that a file
 * suppresses. */
#ifndef TOOLS_HAZARDS_H
#define TOOLS_HAZARDS_H

#include "machine/machine.h"
#include "text/json.h"

/* Prints the hazards, the suppressions that have matched nothing, and the totals on stdout. Prints nothing without a
 * check. */
void hazards_print(const struct machine *machine);
/* Prints the same for all chips of a system, with totals for each chip. */
void hazards_print_system(const struct machine *machine);
/* Writes the array "hazards", the number "suppressed" and the array "unused_suppressions". Writes nothing without a
 * check. */
void hazards_json(struct json *json, const struct machine *machine);
/* Returns whether the check has found a RACE that is not suppressed. */
bool hazards_have_race(const struct machine *machine);

/* Writes the causes of the races that are not suppressed, one in each line. Writes nothing without a check. */
void hazards_causes(FILE *out, const struct machine *machine);

#endif
