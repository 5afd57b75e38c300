/* Cores that sleep until a NIU shows them something else.
 *
 * Whoever is about to change a NIU looks at what they see before and after; who sees a change is woken. Programs wait
 * for a number of answers in a loop that looks at a counter, and every answer but the last is none to wake up for: such
 * a core sleeps on. But others must not be able to tell: when tiles meet depends on who is awake, and how far another
 * core of the tile runs in its turn too. So up to the end of the round in which it sees the answer, its glance, the
 * tile is due as if it was awake; and if a packet, the end of an epoch or the wake of another core come in between, it
 * is.
 */
#ifndef TILE_DOZE_H
#define TILE_DOZE_H

#include "tile/tile.h"

/* Does nobody but the NoC do anything in this tile? */
static inline bool doze_all_sleep(const struct tile *tile) {
    return !tile->agents && !tile->changed && !tile->woken;
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

/* When the branch back is all that is left of the glance. */
static inline uint64_t doze_glance_over(const struct tile *tile) {
    return tile->glance + tile->core[tile->glancer].poll_last;
}
/* Does it consist of a load and the branch? Then the core comes to a stop between them only, once it has begun. */
static inline bool doze_may_pause(const struct tile *tile) {
    enum { LOAD_AND_BRANCH = 2 };
    return tile->core[tile->glancer].poll_instructions == LOAD_AND_BRANCH;
}
/* Is nobody in the middle of a glance at this time? It is still to be made, or over. */
bool doze_is_out_of_it(struct tile *tile, uint64_t time);
/* The same, or does it have nothing left but to wait for what it has asked for? tile->next says until when. */
bool doze_pauses(struct tile *tile, uint64_t time);
/* Who is going to glance, or in the middle of it, wakes up at its beginning. */
void doze_get_up(struct tile *tile);

void doze_wake_arrived(struct tile *tile, const struct doze_views *before);

/* The same, when all of it is the NoC's doing and the tile is at this time. */
static inline void doze_arrived(struct tile *tile, const struct doze_views *before) {
    if (before->cores)
        doze_wake_arrived(tile, before);
}

#endif
