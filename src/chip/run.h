/* Running tiles inside an epoch, for whichever thread does it. */
#ifndef CHIP_RUN_H
#define CHIP_RUN_H

#include <stdint.h>

#include "chip/chip.h"

/* Runs the tiles of the set up to the given time, in index order; asleep gets those with nothing left to run. */
void run_tiles(const struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until,
               uint64_t asleep[CHIP_AWAKE_WORDS]);

#endif
