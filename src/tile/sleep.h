/* The room where cores sleep until a NIU shows them something else. The core says that it polls, and with what loop
 * (riscv/poll.c); here it is decided when it wakes.
 *
 * Whoever is about to change a NIU looks at what the sleepers see before and after, and wakes every core that sees a
 * change. Programs wait for a number of answers in a loop that looks at a counter, and every answer but the last is no
 * reason to wake up: such a core sleeps on. The round in which it would see that answer is its glance. Nobody can tell
 * a glance from a round that the core makes: if another core of the tile wakes, a packet arrives or somebody outside
 * looks before the glance is over, the core is woken for it (sleep_get_up). When tiles meet does not depend on it
 * (chip/run.c).
 */
#ifndef TILE_SLEEP_H
#define TILE_SLEEP_H

#include "base/check.h"
#include "tile/tile.h"

/* Does nobody but the NoC do anything in this tile? */
static inline bool sleep_is_total(const struct tile *tile) {
    return !tile->agents && !tile->changed && !tile->woken;
}

/* May a sleeper look at this very register? */
bool sleep_watches(const struct tile *tile, unsigned noc, uint32_t offset);

/* What each sleeper sees of the NIUs, as one number. */
struct sleep_views {
    unsigned cores; /* a mask */
    uint64_t of[BH_CORE_COUNT];
};

/* Those who still sleep, a mask. */
unsigned sleep_watchers(struct tile *tile);

void sleep_see(struct tile *tile, struct sleep_views *views);

static inline void sleep_look(struct tile *tile, struct sleep_views *views) {
    views->cores = 0;
    if (tile->niu_watchers)
        sleep_see(tile, views);
}

void sleep_wake_changed(struct tile *tile, const struct sleep_views *before, uint64_t time);

/* Wakes those who see something else than before. */
static inline void sleep_wake(struct tile *tile, const struct sleep_views *before, uint64_t time) {
    if (before->cores)
        sleep_wake_changed(tile, before, time);
}

/* When the branch back is all that is left of the glance. */
static inline uint64_t sleep_glance_over(const struct tile *tile) {
    return tile->glance + tile->core[tile->glancer].poll_last;
}
/* Is nobody in the middle of a glance at this time? It is still to be made, or over. */
bool sleep_is_undisturbed(struct tile *tile, uint64_t time);
/* Who is going to glance, or in the middle of it, wakes up at its beginning. */
void sleep_wake_glancer(struct tile *tile);
static inline void sleep_get_up(struct tile *tile) {
    if (BH_UNLIKELY(tile->glance != UINT64_MAX))
        sleep_wake_glancer(tile);
}

void sleep_wake_arrived(struct tile *tile, const struct sleep_views *before);

/* The same, when all of it is the NoC's doing and the tile is at this time. */
static inline void sleep_arrived(struct tile *tile, const struct sleep_views *before) {
    if (before->cores)
        sleep_wake_arrived(tile, before);
}

#endif
