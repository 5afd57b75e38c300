/* The thread pool: one round of a team (base/team.h) for each epoch, no locks while tiles run.
 *
 * The tiles of an epoch are divided into runs of neighbours, so that a tile mostly stays with its host thread and that
 * thread's caches. Which thread runs which tile does not change the result, because tiles share nothing inside an
 * epoch. So the host's clock may decide whether threads pay: they do not if epochs are short and tiles do little except
 * send packets to each other, or if the host is busy (pace_probe.h). */
#include "chip/pool.h"

#include <sched.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/host_clock.h"
#include "base/team.h"
#include "chip/chip.h"
#include "chip/pace_probe.h"
#include "chip/run.h"

/* The tiles of a thread in this epoch, and their outcome. */
struct share {
    _Alignas(TEAM_LINE) uint64_t set[CHIP_AWAKE_WORDS];
    uint64_t awake[CHIP_AWAKE_WORDS], queued[CHIP_AWAKE_WORDS], waiting[CHIP_AWAKE_WORDS];
};

struct pool {
    struct bh_chip *chip;
    struct team *team;
    unsigned threads;        /* with the caller's */
    struct pace_probe probe; /* true: all threads run tiles; false: only the caller's */
    uint64_t until;
    struct share share[]; /* share[0] is the caller's */
};

static void run_share(void *context, unsigned thread) {
    struct pool *pool = context;
    struct share *share = &pool->share[thread];
    struct run_notes notes = { share->awake, share->queued, share->waiting, thread };
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++) {
        share->awake[i] = share->set[i];
        share->queued[i] = share->waiting[i] = 0;
    }
    run_tiles(pool->chip, share->set, pool->until, &notes);
}

/* Moves the first `count` tiles of the set to a share. */
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
        take(left, count * (t + 1) / pool->threads - count * t / pool->threads, pool->share[t].set);
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        BH_ASSERT(!left[i]);
}

/* Adds the outcome of a share to the chip. */
static void take_over(struct bh_chip *chip, const struct share *share) {
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++) {
        uint64_t others = ~share->set[i];
        BH_ASSERT(!(share->awake[i] & others) && !(share->queued[i] & others) && !(share->waiting[i] & others));
        chip->awake[i] = (chip->awake[i] & others) | share->awake[i];
        chip->queued[i] |= share->queued[i];
        chip->waiting[i] = (chip->waiting[i] & others) | share->waiting[i];
    }
}

static void run_shared(struct pool *pool, const uint64_t set[], unsigned count, uint64_t until) {
    pool->until = until;
    deal_out(pool, set, count);
    team_begin(pool->team);
    run_share(pool, 0);
    team_finish(pool->team);
    for (unsigned t = 0; t < pool->threads; t++)
        take_over(pool->chip, &pool->share[t]);
}

static void run_by_caller(struct pool *pool, const uint64_t set[], uint64_t until) {
    struct run_notes notes = run_notes_of(pool->chip);
    run_tiles(pool->chip, set, until, &notes);
}

void pool_run(struct pool *pool, const uint64_t set[], unsigned count, uint64_t until) {
    uint64_t start = host_nanoseconds(), cycles = until - pool->chip->time;
    if (team_is_whole(pool->team) && pace_probe_choice(&pool->probe))
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

struct pool *pool_create(struct bh_chip *chip, unsigned threads) {
    struct pool *pool = aligned_alloc(TEAM_LINE, sizeof(struct pool) + threads * sizeof(struct share));
    if (!pool)
        return NULL;
    *pool = (struct pool){ .chip = chip, .threads = threads };
    pace_probe_init(&pool->probe, true, PACE_PROBE_LONG);
    pool->team = team_create(threads, run_share, pool);
    if (pool->team)
        return pool;
    free(pool);
    return NULL;
}

void pool_destroy(struct pool *pool) {
    if (!pool)
        return;
    team_destroy(pool->team);
    free(pool);
}
