/* The paths that are compared: parameters of the kernels, their input, and the expected output. */
#ifndef CONFORMANCE_PATHS_CASES_H
#define CONFORMANCE_PATHS_CASES_H

#include "paths/path.h"
#include "paths_numbers.h"

enum { PATH_CASES = 140, PATH_GUARD = 64 /* bytes behind the output that must stay as they were */ };

struct path_case {
    char name[64];
    struct path path;
    double tolerance; /* of the size of what went into a result */
    bool refused;     /* the oracle does not do it */
    double low, high; /* range of the input */
    uint64_t seed;
    bool wild; /* any bits as input: only for comparing libraries with each other */
};

/* Sizes in L1: bytes of a and b, output and guard. */
struct path_image {
    uint8_t *a, *b;
    size_t a_size, b_size, out_size; /* the output without its guard */
};

/* Fills in the cases; their number. */
unsigned path_cases(struct path_case cases[PATH_CASES]);

bool path_is_plain(const struct path *path, bool output);
struct tensor path_output_shape(const struct path *path);

/* Makes the input, fills in the path's addresses, and computes what should come out. */
void path_image_make(struct path_case *one, struct path_image *image, struct tensor *want, struct tensor *scale);
void path_image_free(struct path_image *image);

/* Compares output bytes with what should be; the number of data that are off, with a text for the first. */
unsigned path_check(const struct path_case *one, const struct tensor *want, const struct tensor *scale,
                    const uint8_t *bytes, char *text, size_t size);

struct tensor tensor_make(unsigned rows, unsigned columns);
void tensor_free(struct tensor *tensor);

#endif
