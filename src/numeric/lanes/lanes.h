/* Arithmetic on the 32 lanes of the Vector Unit, with the host's own vector instructions.
 *
 * A kernel takes arrays of LANES words and a mask with a bit for each lane; lanes outside the mask keep their old
 * result. The result may be one of the operands, but never overlap one partly.
 *
 * The same sources (lanes.c and the headers that it includes) are compiled once for each level of instructions that a
 * host may have; lanes_best returns the kernels for this host. Every level gives the same bits: tests compare each with
 * the scalar models in src/numeric. */
#ifndef NUMERIC_LANES_LANES_H
#define NUMERIC_LANES_LANES_H

#include <stdint.h>

enum { LANES = 32 };
#define LANES_ALL UINT32_MAX

#include "numeric/lanes/mad_kernels.h"
#include "numeric/lanes/move_kernels.h"
#include "numeric/lanes/pack_kernels.h"
#include "numeric/lanes/round_kernels.h"
#include "numeric/lanes/simple_kernels.h"
#include "numeric/lanes/unpack_kernels.h"
#include "numeric/matrix/kernels.h"
#include "numeric/matrix/rows_kernels.h"

struct lanes {
    const char *level; /* "x86-64", "x86-64-v3", "x86-64-v4", "aarch64" ... */
    struct mad_kernels mad;
    struct simple_kernels simple;
    struct round_kernels round;
    struct move_kernels move;
    struct matrix_kernels matrix;
    struct unpack_kernels unpack;
    struct rows_kernels rows;
    struct pack_kernels pack;
};

/* Returns the kernels of the best level that this host can run. */
const struct lanes *lanes_best(void);
/* Returns the kernels of level i among those that this host can run, the simplest first; NULL after the last. */
const struct lanes *lanes_at(unsigned i);

#endif
