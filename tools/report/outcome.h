/* The outcome of a run without anything that depends on time, and the delays that the run has drawn: both as lines of
 * text, to be compared with those of another run (bhemu explore). */
#ifndef TOOLS_OUTCOME_H
#define TOOLS_OUTCOME_H

#include <stdio.h>

#include "machine/machine.h"

/* Writes how the run ended: exit status, faults, cores, dumps and texts, expectations, and with --check the causes of
 * races. */
void outcome_write(FILE *out, const struct machine *machine, int status);

/* Writes the delays in the order of their cycles, one in each line: the delay as --vary takes it, a tab, what was late,
 * and if known a tab and the instruction that has caused it. */
void outcome_write_delays(FILE *out, const struct machine *machine);

#endif
