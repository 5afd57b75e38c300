/* Cores that sleep until a NIU shows them something else.
 *
 * Whoever is about to change a NIU looks at what they see before and after; who sees a change is woken. Programs wait
 * for a number of answers in a loop that looks at a counter, and every answer but the last is none to wake up for: such
 * a core is taken through the one round that it would make, and sleeps on.
 */
#ifndef TILE_DOZE_H
#define TILE_DOZE_H

#include "tile/tile.h"

/* Does nobody but the NoC do anything in this tile? */
static inline bool doze_all_sleep(const struct tile *tile) {
    uint64_t all = UINT64_MAX;
#pragma GCC unroll 8
    for (unsigned i = 0; i < TILE_AGENTS; i++)
        all &= tile->due[i];
    return all == UINT64_MAX && !tile->changed && !tile->woken;
}

/* May a sleeper look at this very register? */
bool doze_watches(const struct tile *tile, unsigned noc, uint32_t offset);

/* What each sleeper sees of the NIUs, as one number. */
struct doze_views {
    unsigned cores; /* a mask */
    uint64_t of[BH_CORE_COUNT];
};

/* Those who still sleep, a mask. */
unsigned doze_watchers(struct tile *tile);

void doze_see(struct tile *tile, struct doze_views *views);

static inline void doze_look(struct tile *tile, struct doze_views *views) {
    views->cores = 0;
    if (tile->niu_watchers)
        doze_see(tile, views);
}

void doze_wake_changed(struct tile *tile, const struct doze_views *before, uint64_t time);

/* Wakes those who see something else than before. */
static inline void doze_wake(struct tile *tile, const struct doze_views *before, uint64_t time) {
    if (before->cores)
        doze_wake_changed(tile, before, time);
}

void doze_wake_arrived(struct tile *tile, const struct doze_views *before);

/* The same, when all of it is the NoC's doing and the tile is at this time. */
static inline void doze_arrived(struct tile *tile, const struct doze_views *before) {
    if (before->cores)
        doze_wake_arrived(tile, before);
}

#endif
