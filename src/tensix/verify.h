/* The invariants of the coprocessor's blocks, for check builds: each function recomputes what its block stores and
 * asserts that both are the same. Callers: clock_verify (clock.h). */
#ifndef TENSIX_VERIFY_H
#define TENSIX_VERIFY_H

#include "tensix/tensix.h"

/* Verifies counts, flags and the order of times in the stages, whatever time each stage has been advanced to. */
void verify_frontend(const struct frontend *f);
/* Verifies latched waits at the beginning of cycle `cycle`: a wait that is met will be tested. */
void verify_gates(const struct tensix *x, uint64_t cycle);
/* Verifies queues, due times and owners of all units. */
void verify_units(const struct tensix *x);

#endif
