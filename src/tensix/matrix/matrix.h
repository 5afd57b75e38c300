/* The Matrix Unit (FPU). So far only what moves the counters of rows: rwc.c. Source: MatrixUnit.md (WH). */
#ifndef TENSIX_MATRIX_MATRIX_H
#define TENSIX_MATRIX_MATRIX_H

#include <stdint.h>

struct matrix {
    uint64_t free_at; /* the first cycle in which it takes an instruction, of whatever thread */
};

#endif
