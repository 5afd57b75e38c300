/* The thread pool: one barrier an epoch, no locks while tiles run.
 *
 * Tile i always runs on thread i mod n, so that each host core's caches keep their tiles, and neighbours spread out.
 * A thread waits by spinning for a short while, since epochs follow each other within microseconds, and then sleeps.
 * Which thread runs a tile never matters for the result: tiles share nothing inside an epoch.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "chip/chip.h"
#include "chip/pool.h"
#include "chip/run.h"

enum { LINE = 64, SPINS = 4000, FEW_TILES = 2 };

struct worker {
    _Alignas(LINE) struct pool *pool;
    unsigned number;                   /* 1 .. n - 1; the caller is 0 */
    uint64_t share[CHIP_AWAKE_WORDS];  /* tiles of this thread */
    uint64_t asleep[CHIP_AWAKE_WORDS]; /* result: tiles with nothing left to run */
    pthread_t thread;
};

struct pool {
    struct bh_chip *chip;
    unsigned threads, started;
    uint64_t until;
    _Alignas(LINE) atomic_uint epoch;    /* counts up to start one */
    _Alignas(LINE) atomic_uint running;  /* workers still in it */
    _Alignas(LINE) pthread_mutex_t lock; /* only around sleeping and waking */
    pthread_cond_t wake_worker, wake_caller;
    atomic_bool stop;
    struct worker worker[];
};

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_share(struct worker *worker) {
    const struct bh_chip *chip = worker->pool->chip;
    uint64_t mine[CHIP_AWAKE_WORDS];
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        mine[i] = chip->awake[i] & worker->share[i];
    run_tiles(chip, mine, worker->pool->until, worker->asleep);
}

/* ---- Workers ------------------------------------------------------------------------------ */

static unsigned await_epoch(struct pool *pool, unsigned seen) {
    unsigned now;
    for (unsigned i = 0; i < SPINS; i++) {
        if ((now = atomic_load_explicit(&pool->epoch, memory_order_acquire)) != seen)
            return now;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    while ((now = atomic_load_explicit(&pool->epoch, memory_order_acquire)) == seen)
        pthread_cond_wait(&pool->wake_worker, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return now;
}

static void report_done(struct pool *pool) {
    if (atomic_fetch_sub_explicit(&pool->running, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->wake_caller);
    pthread_mutex_unlock(&pool->lock);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    for (unsigned seen = 0;;) {
        seen = await_epoch(pool, seen);
        if (atomic_load_explicit(&pool->stop, memory_order_relaxed))
            return NULL;
        run_share(worker);
        report_done(pool);
    }
}

/* ---- The caller ------------------------------------------------------------------------------ */

static void start_epoch(struct pool *pool) {
    atomic_store_explicit(&pool->running, pool->started, memory_order_relaxed);
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add_explicit(&pool->epoch, 1, memory_order_release);
    pthread_cond_broadcast(&pool->wake_worker);
    pthread_mutex_unlock(&pool->lock);
}

static void await_workers(struct pool *pool) {
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pool->running, memory_order_acquire) == 0)
            return;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load_explicit(&pool->running, memory_order_acquire) != 0)
        pthread_cond_wait(&pool->wake_caller, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static unsigned count_awake(const struct bh_chip *chip) {
    unsigned count = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        count += (unsigned)__builtin_popcountll(chip->awake[i]);
    return count;
}

static void run_alone(struct pool *pool) {
    uint64_t asleep[CHIP_AWAKE_WORDS] = { 0 };
    run_tiles(pool->chip, pool->chip->awake, pool->until, asleep);
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        pool->chip->awake[i] &= ~asleep[i];
}

void pool_run(struct pool *pool, uint64_t until) {
    pool->until = until;
    if (count_awake(pool->chip) < FEW_TILES) {
        run_alone(pool);
        return;
    }
    start_epoch(pool);
    run_share(&pool->worker[0]);
    await_workers(pool);
    for (unsigned t = 0; t < pool->threads; t++)
        for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
            pool->chip->awake[i] &= ~pool->worker[t].asleep[i];
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void init_worker(struct pool *pool, unsigned number) {
    struct worker *worker = &pool->worker[number];
    *worker = (struct worker){ .pool = pool, .number = number };
    for (unsigned tile = number; tile < TOPOLOGY_TILES; tile += pool->threads)
        worker->share[tile / 64] |= UINT64_C(1) << (tile % 64);
}

struct pool *pool_create(struct bh_chip *chip, unsigned threads) {
    size_t size = sizeof(struct pool) + threads * sizeof(struct worker);
    struct pool *pool = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
    if (!pool)
        return NULL;
    pool->chip = chip;
    pool->threads = threads;
    pool->started = 0;
    atomic_init(&pool->epoch, 0);
    atomic_init(&pool->running, 0);
    atomic_init(&pool->stop, false);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake_worker, NULL);
    pthread_cond_init(&pool->wake_caller, NULL);
    for (unsigned i = 0; i < threads; i++)
        init_worker(pool, i);
    for (unsigned i = 1; i < threads; i++) {
        if (pthread_create(&pool->worker[i].thread, NULL, work, &pool->worker[i]) != 0) {
            pool_destroy(pool);
            return NULL;
        }
        pool->started++;
    }
    return pool;
}

void pool_destroy(struct pool *pool) {
    if (!pool)
        return;
    atomic_store_explicit(&pool->stop, true, memory_order_relaxed);
    start_epoch(pool);
    for (unsigned i = 1; i <= pool->started; i++)
        pthread_join(pool->worker[i].thread, NULL);
    pthread_cond_destroy(&pool->wake_caller);
    pthread_cond_destroy(&pool->wake_worker);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
