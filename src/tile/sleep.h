/* Sleep: cores that poll a NIU cost nothing until a NIU changes a value that they watch. The core detects that it
 * polls, and records its loop (riscv/poll.c); this file decides when the core wakes.
 *
 * Code that changes a NIU takes the views of all sleeping cores before the change and wakes every core whose view has
 * changed. Programs wait for a number of responses in a loop that reads a counter, and only the last response ends the
 * loop: for the others the core sleeps on. The round of the loop in which it would see such a response is its look. A
 * look cannot be distinguished from a round that the core runs: if another core of the tile wakes, a packet arrives, or
 * the host or the chip reads the tile before the look is over, the core wakes for it (sleep_end_look). The ends of
 * epochs do not depend on sleep (chip/run.c). */
#ifndef TILE_SLEEP_H
#define TILE_SLEEP_H

#include "base/check.h"
#include "tile/tile.h"

/* Returns whether only the NoC is active in this tile. */
static inline bool sleep_is_total(const struct tile *tile) {
    return !tile->agents && !tile->changed && !tile->woken;
}

/* Returns whether a sleeping core may watch this register. */
bool sleep_watches(const struct tile *tile, unsigned noc, uint32_t offset);

/* The values that each sleeping core sees in the NIUs, as one number a core. */
struct sleep_views {
    unsigned cores; /* a mask */
    uint64_t of[BH_CORE_COUNT];
};

/* Returns the cores that still sleep on a NIU, a mask. */
unsigned sleep_watchers(struct tile *tile);

/* The slow path of sleep_look, which takes the views of all sleeping cores. */
void sleep_see(struct tile *tile, struct sleep_views *views);

static inline void sleep_look(struct tile *tile, struct sleep_views *views) {
    views->cores = tile->niu_watchers;
    if (!views->cores)
        return;
    if (tile->watched)
        views->of[__builtin_ctz(views->cores)] = *tile->watched;
    else
        sleep_see(tile, views);
}

/* Returns whether any view may have changed since then. */
static inline bool sleep_may_see(const struct tile *tile, const struct sleep_views *before) {
    return before->cores && !(tile->watched && *tile->watched == before->of[__builtin_ctz(before->cores)]);
}

/* The slow path of sleep_wake. */
void sleep_wake_changed(struct tile *tile, const struct sleep_views *before, uint64_t time);

/* Wakes the cores whose views have changed. */
static inline void sleep_wake(struct tile *tile, const struct sleep_views *before, uint64_t time) {
    if (sleep_may_see(tile, before))
        sleep_wake_changed(tile, before, time);
}

/* Returns the cycle after which only the branch of the look's round is left. */
static inline uint64_t sleep_look_until(const struct tile *tile) {
    return tile->look_from + tile->core[tile->looker].poll_last;
}
/* Returns whether no look is in progress at this time: it begins later, or is over. */
bool sleep_is_undisturbed(struct tile *tile, uint64_t time);
/* Wakes the looking core at the start of its look, if the look is not over. */
void sleep_wake_looker(struct tile *tile);
static inline void sleep_end_look(struct tile *tile) {
    if (BH_UNLIKELY(tile->look_from != UINT64_MAX))
        sleep_wake_looker(tile);
}

/* The slow path of sleep_arrived. */
void sleep_wake_arrived(struct tile *tile, const struct sleep_views *before);

/* Does what sleep_wake does, for changes that only the NoC makes at the tile's time: a core may sleep on. */
static inline void sleep_arrived(struct tile *tile, const struct sleep_views *before) {
    if (sleep_may_see(tile, before))
        sleep_wake_arrived(tile, before);
}

#endif
