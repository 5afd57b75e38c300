/* Running tiles inside an epoch, on any host thread. */
#ifndef CHIP_RUN_H
#define CHIP_RUN_H

#include <stdint.h>

#include "chip/chip.h"

/* The outcome for tiles that have run: sets of tiles, with one bit for each index, as in struct bh_chip. */
struct run_notes {
    uint64_t *awake, *queued, *waiting;
    unsigned thread; /* number of the host thread that runs them */
};

/* Returns the notes for the caller's thread. */
static inline struct run_notes run_notes_of(struct bh_chip *chip) {
    return (struct run_notes){ chip->awake, chip->queued, chip->waiting, 0 };
}

/* Collects the tiles that have something to do before the given time and do not wait for their multicasts (loose.h).
 * Returns their number. */
unsigned run_due(struct bh_chip *chip, uint64_t until, uint64_t set[CHIP_AWAKE_WORDS]);
/* Wakes every core that is about to look (tile/sleep.h), before the host inspects or stops it. Precondition: no epoch
 * is running. */
void run_end_looks(struct bh_chip *chip);
/* Runs the tiles of the set, in index order. */
void run_tiles(struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until,
               const struct run_notes *notes);

/* The time at which a chip's time ends. Sums of times do not overflow, and stay below the times that stand for
 * "never". */
#define RUN_TIME_END (UINT64_C(1) << 62)

/* Returns the end of a run of so many cycles from now on. */
static inline uint64_t run_end_of(uint64_t now, uint64_t cycles) {
    return cycles < RUN_TIME_END - now ? now + cycles : RUN_TIME_END;
}

/* A flag in addition to enum bh_run_flags: the run continues to its end, and then returns BH_STOP_FAULT if there was a
 * fault. */
enum { RUN_REPORT_FAULT = 1 << 16 };
/* Flags that a caller of the library may give. */
enum { RUN_FLAGS = BH_RUN_STOP_ON_FAULT | BH_RUN_STOP_ON_IDLE };
/* Runs a chip of a system up to this time. Sets *faulted if a core or a thread has faulted, and *fault to the first
 * fault. */
bh_status run_member(bh_chip *chip, uint64_t until, bool *faulted, struct bh_fault *fault);
/* Returns the number of cores that wait. */
unsigned run_count_waiting(const struct bh_chip *chip);

#endif
