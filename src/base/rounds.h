/* Rounds of work that several host threads do together: the caller begins a round, does its own part, and waits for the
 * workers. Whoever waits spins for a short while first, because rounds often follow each other within microseconds, and
 * then sleeps. What a thread writes before the beginning or the end of its part is visible to those who wait for it. */
#ifndef BASE_ROUNDS_H
#define BASE_ROUNDS_H

#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS_LINE = 64 /* bytes that processors share at once */ };

struct rounds {
    _Alignas(ROUNDS_LINE) atomic_uint round;    /* number of the round, incremented to begin it */
    _Alignas(ROUNDS_LINE) atomic_uint working;  /* workers that have not finished the round */
    _Alignas(ROUNDS_LINE) pthread_mutex_t lock; /* only for sleeping and waking */
    pthread_cond_t begins, ends;
};

void rounds_init(struct rounds *rounds);
/* Precondition: no thread waits. */
void rounds_destroy(struct rounds *rounds);

/* For the caller: begins a round with so many workers. Precondition: the last round is over. */
void rounds_begin(struct rounds *rounds, unsigned workers);
/* Waits until all workers have finished the round. */
void rounds_finish(struct rounds *rounds);

/* For a worker: waits for another round than the last one that it has seen, at first 0, and returns its number. */
unsigned rounds_await(struct rounds *rounds, unsigned seen);
/* Ends the worker's part of the round. */
void rounds_done(struct rounds *rounds);

#endif
