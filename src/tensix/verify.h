/* The invariants of the coprocessor's blocks, for check builds: each function recomputes what its block keeps and
 * asserts that both are the same. Callers: clock_verify (clock.c). */
#ifndef TENSIX_VERIFY_H
#define TENSIX_VERIFY_H

#include "tensix/tensix.h"

/* Counts, flags and the order of times in the stages, at whatever time each stage is. */
void verify_frontend(const struct frontend *f);
/* Latched waits at the begin of cycle `cycle`: a wait that is met has a look due. */
void verify_gates(const struct tensix *x, uint64_t cycle);
/* Queues, due times and owners of all units. */
void verify_units(const struct tensix *x);

#endif
