/* How much of which instruction has been compared. */
#ifndef CONFORMANCE_VECTOR_TALLY_H
#define CONFORMANCE_VECTOR_TALLY_H

#include "generate.h"

/* Counts the instructions of a program, which was run and found right. */
void vector_tally(const struct generated *program);
/* A table of what was counted. */
void vector_report(void);

#endif
