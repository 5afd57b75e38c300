/* A probe that finds out which of two ways to do the same work costs the host less.
 *
 * Work comes in pieces. A window is a number of pieces that all use the same choice. Most windows use the choice that
 * has been cheaper so far. From time to time a shorter window tries the other choice: less and less often while that
 * does not pay, but soon after the price of the better choice has risen. A trial ends as soon as it has cost as much as
 * a whole window. The first pieces of a window do not count, because threads may have to wake and caches to fill.
 *
 * Choice true is the one with threads, which other programs of the host can hold up at any time, for as long as
 * hundreds of pieces take. A window that suffers from this ends early, and the longer after several of them does the
 * next trial keep waiting. */
#ifndef CHIP_PACE_PROBE_H
#define CHIP_PACE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct pace_probe {
    bool choice;           /* choice of this window */
    bool better;           /* the choice that has been cheaper; equals `choice` except in a trial */
    unsigned piece;        /* pieces of this window so far */
    uint64_t spent;        /* cost of these pieces */
    uint64_t work, cost;   /* totals of the pieces that count */
    double price[2];       /* cost of a unit of work, by choice; 0: unknown */
    double window_cost;    /* cost of a window with the better choice */
    unsigned pause, waits; /* windows between two trials; windows until the next one */
    unsigned flop_pause;   /* windows between an early end of a window and the trial that follows it */
    unsigned calm;         /* windows with choice true since the last early end */
    uint64_t longest;      /* a piece after one that cost so much makes choice true, and does not count */
    uint64_t last;         /* cost of the last piece */
};

/* For host threads: nanoseconds, above which there are too few pieces for a fair comparison. */
enum { PACE_PROBE_LONG = 100000 };

/* Starts with a choice. */
void pace_probe_init(struct pace_probe *probe, bool choice, uint64_t longest);
static inline bool pace_probe_is_long(const struct pace_probe *probe) {
    return probe->last >= probe->longest;
}
/* Returns the choice for the next piece. */
static inline bool pace_probe_choice(const struct pace_probe *probe) {
    return pace_probe_is_long(probe) || probe->choice;
}
/* Records the cost of a piece. */
void pace_probe_note(struct pace_probe *probe, uint64_t work, uint64_t cost);

#endif
