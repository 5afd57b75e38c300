/* Runs generated programs in a library with the libttsim ABI and collects what they leave behind. */
#ifndef CONFORMANCE_RUNNER_H
#define CONFORMANCE_RUNNER_H

#include <stdint.h>

#include "generate.h"
#include "support/device.h"

enum { RUNNER_BATCH = DEVICE_TILES * DEVICE_CORES }; /* the most that any kind can run at once */

enum result_state { RESULT_NONE, RESULT_DONE, RESULT_LOST };

struct result {
    enum result_state state;
    char text[200]; /* lost: why */
    bool hangs;     /* lost, because the library did not come back */
    uint32_t area[GENERATED_AREA];
};

/* Programs that can run at once. */
unsigned runner_batch(const struct generated_kind *kind);

/* Runs up to runner_batch programs of consecutive seeds. results is an array of as many in shared memory
 * (device_shared). A program that ends the library's process is found by halving and marked as lost; if the library
 * does not come back, all are. */
void runner_run(const struct generated_kind *kind, const char *library, const struct generated *programs,
                unsigned count, struct result *results);

/* Over everything that two libraries have to agree on. */
uint64_t result_hash(const struct generated_kind *kind, const struct result *result);
uint64_t program_hash(const struct generated *program);

/* Index of the first word of the area that differs, or -1. */
int result_difference(const struct generated_kind *kind, const struct result *a, const struct result *b);

#endif
