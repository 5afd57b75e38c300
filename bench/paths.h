/* A whole path through a tile, by guest/kernels/paths: from L1 through unpackers, Matrix Unit and packer to L1. */
#ifndef BENCH_PATHS_H
#define BENCH_PATHS_H

#include <stdbool.h>

#include "support/device.h"

enum { PATHS_TILES = 256 }; /* number of 32x32 tiles that a round produces */

/* Loads the kernels, and the factors of PATHS_TILES products of two 32x32 tiles. Returns false, after printing the
 * reason, if there are no kernels. */
bool paths_load(struct device *device);
/* Runs one round, from the release of BRISC until it reports that everything is done. */
bool paths_round(struct device *device);

#endif
