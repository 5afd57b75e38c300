/* Rounds of work of several host threads: see rounds.h. */
#include "base/rounds.h"

#include "base/check.h"

enum { SPINS = 4000 };

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void rounds_init(struct rounds *rounds) {
    atomic_init(&rounds->round, 0);
    atomic_init(&rounds->working, 0);
    pthread_mutex_init(&rounds->lock, NULL);
    pthread_cond_init(&rounds->begins, NULL);
    pthread_cond_init(&rounds->ends, NULL);
}

void rounds_destroy(struct rounds *rounds) {
    pthread_cond_destroy(&rounds->ends);
    pthread_cond_destroy(&rounds->begins);
    pthread_mutex_destroy(&rounds->lock);
}

void rounds_begin(struct rounds *rounds, unsigned workers) {
    BH_ASSERT(atomic_load_explicit(&rounds->working, memory_order_relaxed) == 0);
    atomic_store_explicit(&rounds->working, workers, memory_order_relaxed);
    pthread_mutex_lock(&rounds->lock);
    atomic_fetch_add_explicit(&rounds->round, 1, memory_order_release);
    pthread_cond_broadcast(&rounds->begins);
    pthread_mutex_unlock(&rounds->lock);
}

void rounds_finish(struct rounds *rounds) {
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&rounds->working, memory_order_acquire) == 0)
            return;
        relax();
    }
    pthread_mutex_lock(&rounds->lock);
    while (atomic_load_explicit(&rounds->working, memory_order_acquire) != 0)
        pthread_cond_wait(&rounds->ends, &rounds->lock);
    pthread_mutex_unlock(&rounds->lock);
}

unsigned rounds_await(struct rounds *rounds, unsigned seen) {
    unsigned now;
    for (unsigned i = 0; i < SPINS; i++) {
        if ((now = atomic_load_explicit(&rounds->round, memory_order_acquire)) != seen)
            return now;
        relax();
    }
    pthread_mutex_lock(&rounds->lock);
    while ((now = atomic_load_explicit(&rounds->round, memory_order_acquire)) == seen)
        pthread_cond_wait(&rounds->begins, &rounds->lock);
    pthread_mutex_unlock(&rounds->lock);
    return now;
}

void rounds_done(struct rounds *rounds) {
    if (atomic_fetch_sub_explicit(&rounds->working, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&rounds->lock);
    pthread_cond_signal(&rounds->ends);
    pthread_mutex_unlock(&rounds->lock);
}
