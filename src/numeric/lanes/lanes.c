/* The kernels of one level. meson.build compiles this file once for each level, with LANES_TABLE and LANES_LEVEL. */
#include "numeric/lanes/lanes.h"

#include "numeric/lanes/mad.h"
#include "numeric/lanes/move.h"
#include "numeric/lanes/pack.h"
#include "numeric/lanes/round.h"
#include "numeric/lanes/simple.h"
#include "numeric/lanes/unpack.h"
#include "numeric/matrix/matrix.h"
#include "numeric/matrix/rows.h"

extern const struct lanes LANES_TABLE;
const struct lanes LANES_TABLE = {
    .level = LANES_LEVEL,
    .mad = MAD_KERNELS,
    .simple = SIMPLE_KERNELS,
    .round = ROUND_KERNELS,
    .move = MOVE_KERNELS,
    .matrix = MATRIX_KERNELS,
    .unpack = UNPACK_KERNELS,
    .rows = ROWS_KERNELS,
    .pack = PACK_KERNELS,
};
