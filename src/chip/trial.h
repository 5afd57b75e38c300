/* Which of two ways to do the same costs less, found out by trying.
 *
 * Work comes in pieces. So many of them make a window, in which all go the same way. Most windows go the way that has
 * been cheaper so far. Every now and then a shorter one tries the other way: less and less often while that does not
 * pay, but soon when the way that was cheaper no longer is. A trial ends as soon as it has cost as much as a whole
 * window. The first pieces of a window say nothing: threads may have to wake up, caches to be filled.
 */
#ifndef CHIP_TRIAL_H
#define CHIP_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

struct trial {
    bool way;              /* of this window */
    bool better;           /* the way that has been cheaper; that of this window, unless it is a trial */
    unsigned piece;        /* of this window: how many there were */
    uint64_t spent;        /* on them */
    uint64_t work, cost;   /* of those that say something */
    double price[2];       /* of a unit of work, by way; 0: not known */
    double window_cost;    /* of a window of the better way */
    unsigned pause, waits; /* windows between two trials; windows until the next one */
};

/* A way to begin with. */
void trial_init(struct trial *trial, bool way);
/* The way of the next piece. */
static inline bool trial_way(const struct trial *trial) {
    return trial->way;
}
/* What it has cost. */
void trial_note(struct trial *trial, uint64_t work, uint64_t cost);

#endif
