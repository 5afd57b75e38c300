/* Functions of push.c for the turns (turn.c) and the cores' window (window.c). */
#ifndef TENSIX_PUSH_H
#define TENSIX_PUSH_H

#include "tensix/clock.h"

/* Returns whether Auto TTSync tracks the thread's words, or may begin to before they are pushed. Then frontend_push has
 * to tag them. */
static inline bool push_is_followed(const struct tensix *x, unsigned thread) {
    return x->thread[thread].frontend.declares || frontend_resyncs(&x->thread[thread].frontend) ||
           CONFIG_GET(x->config.thread[thread], TENSIX_TRISC_SYNC_TrackTensixInstructions);
}

/* Arranges for a core that waits for its thread's frontend to look again at `time`, before which nothing can change; or
 * at the next pass, if nothing in the frontend moves by itself. Returns the time, or TENSIX_NEVER for the next pass. */
uint64_t push_look_again(struct tensix *x, struct tensix_thread *t, uint64_t time);
/* Ends the attached row if it has no group left. Precondition: a batch has put groups of the row into the FIFO. */
void push_pulled(struct tensix *x, struct tensix_thread *t, unsigned thread);

#endif
