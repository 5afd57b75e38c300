/* The main function of a test that compares programs of a kind (compare.c). */
#ifndef CONFORMANCE_COMPARE_H
#define CONFORMANCE_COMPARE_H

#include "generate.h"

int compare_main(const struct generated_kind *kind, int argc, char **argv);

#endif
