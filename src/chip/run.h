/* Running tiles inside an epoch, for whichever thread does it. */
#ifndef CHIP_RUN_H
#define CHIP_RUN_H

#include <stdint.h>

#include "chip/chip.h"

/* Where it is noted what became of the tiles that have run: a bit each, by index, as the chip has them. Those that are
 * to run are noted as awake. */
struct run_notes {
    uint64_t *awake, *posted, *waiting;
    unsigned thread; /* that runs them, by number */
};

/* For the caller's thread. */
static inline struct run_notes run_notes_of(struct bh_chip *chip) {
    return (struct run_notes){ chip->awake, chip->posted, chip->waiting, 0 };
}

/* The tiles that have something to do before the given time, and do not wait for their multicasts; returns how many. */
unsigned run_due(struct bh_chip *chip, uint64_t until, uint64_t set[CHIP_AWAKE_WORDS]);
/* Between epochs: wakes every core that sleeps through a glance (tile/sleep.h), before somebody looks at it or stops
 * it. */
void run_get_up(struct bh_chip *chip);
/* Runs the tiles of the set, in index order. */
void run_tiles(struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until,
               const struct run_notes *notes);

#endif
