/* Host threads that run chips: see crew.h.
 *
 * The chips of a quantum are a list, from which each thread takes the next. Chips that call functions of the user run
 * on the caller's thread, and so do all chips if only one has something to do, or if threads have turned out to be
 * slower because quanta are short or the host is busy (pace_probe.h). The child of a fork has no threads but the
 * caller's: it runs all chips there. */
#include "system/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/host_clock.h"
#include "base/order.h"
#include "base/rounds.h"
#include "chip/member.h"
#include "chip/pace_probe.h"
#include "system/ranks.h"

struct crew {
    pid_t process;
    unsigned started;        /* threads besides the caller's */
    struct pace_probe probe; /* true: all threads run chips; false: only the caller's */
    struct rounds rounds;    /* one for each quantum */
    atomic_bool stop;

    /* The quantum */
    bh_system *system;
    struct crew_task *task;
    uint64_t until;
    unsigned list[BH_SYSTEM_CHIPS], count;
    atomic_uint next;

    pthread_t thread[];
};

static void run_one(bh_system *system, struct crew_task *task, unsigned chip, uint64_t until) {
    task[chip].status = member_run(system->chip[chip], until, &task[chip].faulted, &task[chip].fault);
}

static void run_list(struct crew *crew) {
    for (unsigned i; (i = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed)) < crew->count;)
        run_one(crew->system, crew->task, crew->list[i], crew->until);
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

static void *work(void *argument) {
    struct crew *crew = argument;
    for (unsigned seen = 0;;) {
        seen = rounds_await(&crew->rounds, seen);
        if (atomic_load_explicit(&crew->stop, memory_order_relaxed))
            return NULL;
        run_list(crew);
        rounds_done(&crew->rounds);
    }
}

static struct crew *create(unsigned threads) {
    size_t size = sizeof(struct crew) + (threads - 1) * sizeof(pthread_t);
    struct crew *crew = aligned_alloc(ROUNDS_LINE, (size + ROUNDS_LINE - 1) / ROUNDS_LINE * ROUNDS_LINE);
    if (!crew)
        return NULL;
    memset(crew, 0, size);
    crew->process = getpid();
    pace_probe_init(&crew->probe, true, PACE_PROBE_LONG);
    rounds_init(&crew->rounds);
    while (crew->started < threads - 1 && pthread_create(&crew->thread[crew->started], NULL, work, crew) == 0)
        crew->started++;
    return crew;
}

void crew_destroy(struct crew *crew) {
    if (!crew)
        return;
    if (crew->process == getpid()) {
        atomic_store_explicit(&crew->stop, true, memory_order_relaxed);
        rounds_begin(&crew->rounds, crew->started);
        for (unsigned i = 0; i < crew->started; i++)
            pthread_join(crew->thread[i], NULL);
        rounds_destroy(&crew->rounds);
    }
    free(crew);
}

/* ---- A quantum -------------------------------------------------------------------------------------------------- */

/* More threads than chips would only wait. */
static struct crew *crew_of(bh_system *system) {
    unsigned threads = (unsigned)smaller(system->threads, system->chip_count);
    if (!system->crew && threads > 1)
        system->crew = create(threads);
    return system->crew && system->crew->started && system->crew->process == getpid() ? system->crew : NULL;
}

static bool is_shared(const bh_system *system, unsigned chip) {
    return ranks_own(system, chip) && !member_is_idle(system->chip[chip]) && !member_calls_user(system->chip[chip]);
}

static unsigned count_shared(const bh_system *system) {
    unsigned count = 0;
    for (unsigned i = 0; i < system->chip_count; i++)
        count += is_shared(system, i);
    return count;
}

/* Runs the chips of the list on all threads, and the others on the caller's. */
static void run_shared(struct crew *crew, bh_system *system, struct crew_task *task, uint64_t until) {
    bool shared[BH_SYSTEM_CHIPS] = { false };
    crew->system = system;
    crew->task = task;
    crew->until = until;
    crew->count = 0;
    for (unsigned i = 0; i < system->chip_count; i++)
        if ((shared[i] = is_shared(system, i)))
            crew->list[crew->count++] = i;
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
    rounds_begin(&crew->rounds, crew->started);
    for (unsigned i = 0; i < system->chip_count; i++)
        if (!shared[i] && ranks_own(system, i))
            run_one(system, task, i, until);
    run_list(crew);
    rounds_finish(&crew->rounds);
}

static void run_by_caller(bh_system *system, struct crew_task *task, uint64_t until) {
    for (unsigned i = 0; i < system->chip_count; i++)
        if (ranks_own(system, i))
            run_one(system, task, i, until);
}

static void choose_and_run(struct crew *crew, bh_system *system, struct crew_task *task, uint64_t until,
                           uint64_t work) {
    uint64_t start = host_nanoseconds();
    if (pace_probe_choice(&crew->probe))
        run_shared(crew, system, task, until);
    else
        run_by_caller(system, task, until);
    pace_probe_note(&crew->probe, work, host_nanoseconds() - start);
}

void crew_run(bh_system *system, struct crew_task *task, uint64_t until) {
    unsigned count = count_shared(system);
    struct crew *crew = count > 1 ? crew_of(system) : NULL;
    BH_ASSERT(until > system->time);
    for (unsigned i = 0; i < system->chip_count; i++)
        task[i] = (struct crew_task){ .status = BH_OK };
    if (crew)
        choose_and_run(crew, system, task, until, count * (until - system->time));
    else
        run_by_caller(system, task, until);
}
