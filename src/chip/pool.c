/* The thread pool: one barrier for each epoch (base/rounds.h), no locks while tiles run.
 *
 * The tiles of an epoch are divided into runs of neighbours, so that a tile mostly stays with its host thread and that
 * thread's caches. Which thread runs which tile does not change the result, because tiles share nothing inside an
 * epoch. So the host's clock may decide whether threads pay: they do not if epochs are short and tiles do little except
 * send packets to each other, or if the host is busy (pace_probe.h).
 *
 * Each thread except the caller's stays on one of the host's processors. A fork leaves the threads behind in the
 * parent: the child runs without them, and detects this by a page that the fork has wiped. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/host_clock.h"
#include "base/rounds.h"
#include "chip/chip.h"
#include "chip/pool.h"
#include "chip/run.h"
#include "chip/pace_probe.h"

struct worker {
    _Alignas(ROUNDS_LINE) struct pool *pool;
    uint64_t set[CHIP_AWAKE_WORDS]; /* the tiles of the thread in this epoch, and their outcome */
    uint64_t awake[CHIP_AWAKE_WORDS], queued[CHIP_AWAKE_WORDS], waiting[CHIP_AWAKE_WORDS];
    pthread_t thread;
};

struct pool {
    struct bh_chip *chip;
    unsigned threads, started; /* number of threads with and without the caller's */
    atomic_uint *alive;        /* 0 in the child of a fork */
    struct pace_probe probe;   /* true: all threads run tiles; false: only the caller's */
    uint64_t until;
    struct rounds rounds; /* one for each epoch */
    atomic_bool stop;
    struct worker worker[]; /* worker[0] is the caller's thread */
};

static void run_share(struct worker *worker) {
    unsigned number = (unsigned)(worker - worker->pool->worker);
    struct run_notes notes = { worker->awake, worker->queued, worker->waiting, number };
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++) {
        worker->awake[i] = worker->set[i];
        worker->queued[i] = worker->waiting[i] = 0;
    }
    run_tiles(worker->pool->chip, worker->set, worker->pool->until, &notes);
}

/* ---- Workers ------------------------------------------------------------------------------ */

static void *work(void *argument) {
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    for (unsigned seen = 0;;) {
        seen = rounds_await(&pool->rounds, seen);
        if (atomic_load_explicit(&pool->stop, memory_order_relaxed))
            return NULL;
        run_share(worker);
        rounds_done(&pool->rounds);
    }
}

/* ---- The caller ------------------------------------------------------------------------------ */

/* Moves the first `count` tiles of the set to the share. */
static void take(uint64_t set[CHIP_AWAKE_WORDS], unsigned count, uint64_t share[CHIP_AWAKE_WORDS]) {
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++) {
        share[word] = 0;
        for (; count && set[word]; count--) {
            share[word] |= set[word] & -set[word];
            set[word] &= set[word] - 1;
        }
    }
}

static void deal_out(struct pool *pool, const uint64_t set[CHIP_AWAKE_WORDS], unsigned count) {
    uint64_t left[CHIP_AWAKE_WORDS];
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        left[i] = set[i];
    for (unsigned t = 0; t < pool->threads; t++)
        take(left, count * (t + 1) / pool->threads - count * t / pool->threads, pool->worker[t].set);
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        BH_ASSERT(!left[i]);
}

static bool is_alive(const struct pool *pool) {
    return atomic_load_explicit(pool->alive, memory_order_relaxed) != 0;
}

/* Adds the notes of a worker to the chip. */
static void take_over(struct bh_chip *chip, const struct worker *worker) {
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++) {
        uint64_t others = ~worker->set[i];
        BH_ASSERT(!(worker->awake[i] & others) && !(worker->queued[i] & others) && !(worker->waiting[i] & others));
        chip->awake[i] = (chip->awake[i] & others) | worker->awake[i];
        chip->queued[i] |= worker->queued[i];
        chip->waiting[i] = (chip->waiting[i] & others) | worker->waiting[i];
    }
}

static void run_shared(struct pool *pool, const uint64_t set[], unsigned count, uint64_t until) {
    pool->until = until;
    deal_out(pool, set, count);
    rounds_begin(&pool->rounds, pool->started);
    run_share(&pool->worker[0]);
    rounds_finish(&pool->rounds);
    for (unsigned t = 0; t < pool->threads; t++)
        take_over(pool->chip, &pool->worker[t]);
}

static void run_by_caller(struct pool *pool, const uint64_t set[], uint64_t until) {
    struct run_notes notes = run_notes_of(pool->chip);
    run_tiles(pool->chip, set, until, &notes);
}

void pool_run(struct pool *pool, const uint64_t set[], unsigned count, uint64_t until) {
    uint64_t start = host_nanoseconds(), cycles = until - pool->chip->time;
    if (is_alive(pool) && pace_probe_choice(&pool->probe))
        run_shared(pool, set, count, until);
    else
        run_by_caller(pool, set, until);
    pace_probe_note(&pool->probe, count * cycles, host_nanoseconds() - start);
}

/* ---- Life ------------------------------------------------------------------------------------ */

unsigned pool_default_threads(void) {
    cpu_set_t allowed;
    int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    return count > BH_THREADS_MAX ? BH_THREADS_MAX : (unsigned)count;
}

/* Pins a thread to one of the processors that the process may use. */
static void pin(pthread_t thread, unsigned number) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    unsigned skip = number % (unsigned)CPU_COUNT(&allowed), cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || skip--)
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)pthread_setaffinity_np(thread, sizeof one, &one); /* affects speed only */
}

static atomic_uint *map_sign_of_life(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (madvise(at, page, MADV_WIPEONFORK) != 0) {
        (void)munmap(at, page);
        return NULL;
    }
    atomic_init((atomic_uint *)at, 1);
    return at;
}

static struct pool *allocate(struct bh_chip *chip, unsigned threads) {
    size_t size = sizeof(struct pool) + threads * sizeof(struct worker);
    struct pool *pool = aligned_alloc(ROUNDS_LINE, (size + ROUNDS_LINE - 1) / ROUNDS_LINE * ROUNDS_LINE);
    if (!pool)
        return NULL;
    pool->chip = chip;
    pool->threads = threads;
    pool->started = 0;
    pool->alive = map_sign_of_life();
    pace_probe_init(&pool->probe, true, PACE_PROBE_LONG);
    rounds_init(&pool->rounds);
    atomic_init(&pool->stop, false);
    for (unsigned i = 0; i < threads; i++)
        pool->worker[i] = (struct worker){ .pool = pool };
    return pool;
}

struct pool *pool_create(struct bh_chip *chip, unsigned threads) {
    struct pool *pool = allocate(chip, threads);
    bool made = pool && pool->alive;
    for (unsigned i = 1; i < threads && made; i++) {
        made = pthread_create(&pool->worker[i].thread, NULL, work, &pool->worker[i]) == 0;
        pool->started += made;
        if (made)
            pin(pool->worker[i].thread, i);
    }
    if (made)
        return pool;
    pool_destroy(pool);
    return NULL;
}

static void end_workers(struct pool *pool) {
    atomic_store_explicit(&pool->stop, true, memory_order_relaxed);
    rounds_begin(&pool->rounds, pool->started);
    for (unsigned i = 1; i <= pool->started; i++)
        pthread_join(pool->worker[i].thread, NULL);
}

void pool_destroy(struct pool *pool) {
    if (!pool)
        return;
    if (pool->alive && is_alive(pool)) {
        end_workers(pool);
        rounds_destroy(&pool->rounds);
    }
    if (pool->alive)
        (void)munmap(pool->alive, (size_t)sysconf(_SC_PAGESIZE));
    free(pool);
}
