/* What the time core (turn.c) and the cores' window (window.c) have of pushes (push.c). */
#ifndef TENSIX_PUSH_H
#define TENSIX_PUSH_H

#include "tensix/clock.h"

/* Does Auto TTSync follow the thread's words, or can it begin to before they are pushed? Then more happens to them than
 * that they enter the FIFO. */
static inline bool push_is_followed(const struct tensix *x, unsigned thread) {
    return x->thread[thread].frontend.declares || frontend_resyncs(&x->thread[thread].frontend) ||
           CONFIG_GET(x->config.thread[thread], TENSIX_TRISC_SYNC_TrackTensixInstructions);
}

/* A core that waits for what its frontend does looks again at this time, before which that cannot be; or, if nothing
 * moves there by itself, when an instruction has passed. Returns when. */
uint64_t push_look_again(struct tensix *x, struct tensix_thread *t, uint64_t time);
/* Groups of the attached row have been put into the FIFO by a batch: the row ends if none are left. */
void push_pulled(struct tensix *x, struct tensix_thread *t, unsigned thread);

#endif
