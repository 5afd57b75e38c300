/* The hazards of a run (`--check`), with names of the machine's programs and without those that a file suppresses. */
#ifndef TOOLS_HAZARDS_H
#define TOOLS_HAZARDS_H

#include "machine/machine.h"
#include "text/json.h"

/* Prints the hazards, the suppressions that nothing has matched, and the totals, on stdout; nothing without a check. */
void hazards_print(const struct machine *machine);
/* The same for all chips of a system, with totals of each. */
void hazards_print_system(const struct machine *machine);
/* Writes the array "hazards", the number "suppressed" and the array "unused_suppressions"; nothing without a check. */
void hazards_json(struct json *json, const struct machine *machine);
/* Returns whether a RACE has been found that is not suppressed. */
bool hazards_have_race(const struct machine *machine);

/* Writes the causes of races that are not suppressed, a line for each; nothing without --check. */
void hazards_causes(FILE *out, const struct machine *machine);

#endif
