/* The outcome of a run without anything that depends on time, and the delays that the run has drawn. Both are lines of
 * text, for comparison with other runs (bhemu explore). */
#ifndef TOOLS_OUTCOME_H
#define TOOLS_OUTCOME_H

#include <stdio.h>

#include "machine/machine.h"

/* Writes how the run ended: exit status, faults, cores, dumps and texts, expectations, and, with --check, the causes of
 * races. */
void outcome_write(FILE *out, const struct machine *machine, int status);

/* Writes the delays in the order of their cycles, one in each line: the delay in the form that --vary accepts, a tab,
 * the thing that was delayed, and, if known, a tab and the instruction that has caused it. */
void outcome_write_delays(FILE *out, const struct machine *machine);

#endif
