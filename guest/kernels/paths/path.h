/* Whole paths through a tile: L1, unpackers, Matrix and Vector Units, packer, L1. The three TRISCs share the work,
 * which a block at PATH_AT describes; the host fills it in. tests/conformance/paths.c is that host.
 *
 * Tensors are `rows` by `columns` tiles, tile after tile, row after row (or plain rows of data for tilize's input and
 * untilize's output); matmul's factors are rows by inner and inner by columns. */
#ifndef PATHS_PATH_H
#define PATHS_PATH_H

#include <stdint.h>

#include "kit/tile.h"

#define PATH_AT   0x16100u /* address of the first block; others follow, up to one with PATH_END */
#define PATH_DATA 0x18000u

enum path_operation {
    PATH_END,
    PATH_COPY,      /* variant: 0 MOVA2D, 1 ELWADD, 2 by SrcB with `broadcast`, 3 unpacked to Dst */
    PATH_TILIZE,    /* variant: 0 by SrcA, 3 by Dst */
    PATH_UNTILIZE,  /* like PATH_TILIZE */
    PATH_TRANSPOSE, /* variant: 0 MOVA2D, 1 ELWADD */
    PATH_ELTWISE,   /* variant: enum eltwise; b has as many tiles as a */
    PATH_REDUCE,    /* variant: enum reduce; maximum; b is one tile, the factor */
    PATH_ROW_SUMS,  /* by a product with b, one tile with ones in its first column */
    PATH_MATMUL,
    PATH_SFPU, /* variant: 0 gelu, 1 exp */
};

struct path {
    uint32_t operation, variant, broadcast, maximum, fidelity;
    uint32_t rows, inner, columns;
    uint32_t a, b, out;                                  /* addresses */
    uint32_t a_format, b_format, out_format, dst_format; /* Dst: FP32, INT32, BF16 or FP16 */
    uint32_t relu, threshold, passes; /* passes: number of repetitions, whose results are added up in L1 */
    volatile uint32_t finished;
    uint32_t padding[5];
};

#endif
