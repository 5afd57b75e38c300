/* Runs generated programs in a library with the libttsim ABI and collects what they leave behind. */
#ifndef CONFORMANCE_RUNNER_H
#define CONFORMANCE_RUNNER_H

#include <stdint.h>

#include "generate.h"

enum { RUNNER_BATCH = 700 }; /* five cores on each of 140 tiles */

enum result_state { RESULT_NONE, RESULT_DONE, RESULT_LOST };

struct result {
    enum result_state state;
    char text[200]; /* lost: why */
    uint32_t area[AREA_SIZE / 4];
};

/* Runs up to RUNNER_BATCH programs of consecutive seeds. results is an array of as many in shared memory
 * (device_shared). A program that ends the library's process is found by halving and marked as lost. */
void runner_run(const char *library, const struct generated *programs, unsigned count, struct result *results);

/* Over everything that two libraries have to agree on. */
uint64_t result_hash(const struct result *result);
uint64_t program_hash(const struct generated *program);

/* Index of the first word of the area that differs, or -1. The start values are skipped: nobody changes them. */
int result_difference(const struct result *a, const struct result *b);
/* "x5", "f3", "L1 0x21004", "local 0xFFB00010" */
void result_name(const struct generated *program, int index, char *text, unsigned size);

#endif
