/* Running tiles inside an epoch, for whichever thread does it. */
#ifndef CHIP_RUN_H
#define CHIP_RUN_H

#include <stdint.h>

#include "chip/chip.h"

/* What became of the tiles that a thread has run: a bit each, by index. */
struct run_result {
    uint64_t ran[CHIP_AWAKE_WORDS];
    uint64_t asleep[CHIP_AWAKE_WORDS];  /* of them: nothing left to run */
    uint64_t posted[CHIP_AWAKE_WORDS];  /* of them: something is for the exchange */
    uint64_t waiting[CHIP_AWAKE_WORDS]; /* of them: packets are on their way to it */
};

/* The tiles that have something to do before the given time; returns how many. */
unsigned run_due(const struct bh_chip *chip, uint64_t until, uint64_t set[CHIP_AWAKE_WORDS]);
/* Runs the tiles of the set, in index order. */
void run_tiles(struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until, struct run_result *result);
/* Takes over what a thread has found. */
void run_note(struct bh_chip *chip, const struct run_result *result);

#endif
