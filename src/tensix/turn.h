/* What the coprocessor's time (tensix.c) and the turns of its threads (turn.c) have of each other. */
#ifndef TENSIX_TURN_H
#define TENSIX_TURN_H

#include "tensix/tensix.h"

/* The first instruction of the thread, which is due in this cycle, tries to pass, and then others as long as nobody
 * else has anything to do (x->alone_until). Sets the thread's due. */
void turn_take(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now);
/* The same if there is time for one attempt, as others have theirs in the next cycle. */
void turn_take_short(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now);
/* The same, however long, if there is an observer. */
void turn_take_watched(struct tensix *x, struct tensix_thread *t, unsigned thread, uint64_t now);

/* Lands what lands up to this cycle; there is something. */
void turn_land(struct tensix *x, uint64_t now);

/* What is on its way lands and latched waits are looked at, before anything is done in this cycle. Returns whether
 * something has landed. */
static inline bool turn_settle(struct tensix *x, uint64_t now) {
    bool landed = x->next_landing <= now;
    if (landed)
        turn_land(x, now);
    if (x->look_at <= now)
        gate_settle(x, now);
    return landed;
}

#endif
