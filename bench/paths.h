/* A whole path through a tile, by guest/kernels/paths: L1, unpackers, Matrix Unit, packer, L1. */
#ifndef BENCH_PATHS_H
#define BENCH_PATHS_H

#include <stdbool.h>

#include "support/device.h"

enum { PATHS_TILES = 256 }; /* that come out in a round */

/* Loads the kernels and the factors of PATHS_TILES products of a 32 x 32 tile with another one. False, with the reason
 * printed, if there are no kernels. */
bool paths_load(struct device *device);
/* One round, from the release of BRISC to where it says that everything is done. */
bool paths_round(struct device *device);

#endif
