/* Host threads that run chips: see crew.h.
 *
 * The chips of a quantum are a list, from which each thread takes the next. Chips that call functions of the user, and
 * all chips if few have something to do, run on the caller's thread. The child of a fork has no threads but the
 * caller's: it runs all chips there. */
#include "system/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "chip/member.h"
#include "system/ranks.h"

struct crew {
    pid_t process;
    unsigned started; /* threads besides the caller's */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint64_t quantum; /* incremented to start one */
    unsigned working; /* threads that have not finished it */
    bool stop;

    /* The quantum */
    bh_system *system;
    struct crew_task *task;
    uint64_t until;
    unsigned list[BH_SYSTEM_CHIPS], count;
    atomic_uint next;

    pthread_t thread[];
};

unsigned crew_default_threads(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > BH_THREADS_MAX ? BH_THREADS_MAX : (unsigned)count;
}

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
    pthread_mutex_lock(&crew->lock);
    for (uint64_t seen = 0;;) {
        while (crew->quantum == seen && !crew->stop)
            pthread_cond_wait(&crew->begin, &crew->lock);
        if (crew->stop)
            break;
        seen = crew->quantum;
        pthread_mutex_unlock(&crew->lock);
        run_list(crew);
        pthread_mutex_lock(&crew->lock);
        if (--crew->working == 0)
            pthread_cond_signal(&crew->end);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static struct crew *create(unsigned threads) {
    struct crew *crew = calloc(1, sizeof *crew + (threads - 1) * sizeof crew->thread[0]);
    if (!crew)
        return NULL;
    crew->process = getpid();
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->end, NULL);
    while (crew->started < threads - 1 && pthread_create(&crew->thread[crew->started], NULL, work, crew) == 0)
        crew->started++;
    return crew;
}

void crew_destroy(struct crew *crew) {
    if (!crew)
        return;
    if (crew->process == getpid()) {
        pthread_mutex_lock(&crew->lock);
        crew->stop = true;
        pthread_cond_broadcast(&crew->begin);
        pthread_mutex_unlock(&crew->lock);
        for (unsigned i = 0; i < crew->started; i++)
            pthread_join(crew->thread[i], NULL);
        pthread_cond_destroy(&crew->begin);
        pthread_cond_destroy(&crew->end);
        pthread_mutex_destroy(&crew->lock);
    }
    free(crew);
}

/* ---- A quantum -------------------------------------------------------------------------------------------------- */

static struct crew *crew_of(bh_system *system) {
    if (!system->crew && system->threads > 1)
        system->crew = create(system->threads);
    return system->crew && system->crew->started && system->crew->process == getpid() ? system->crew : NULL;
}

static void begin(struct crew *crew, bh_system *system, struct crew_task *task, uint64_t until) {
    crew->system = system;
    crew->task = task;
    crew->until = until;
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
    pthread_mutex_lock(&crew->lock);
    crew->working = crew->started;
    crew->quantum++;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
}

static void finish(struct crew *crew) {
    run_list(crew);
    pthread_mutex_lock(&crew->lock);
    while (crew->working)
        pthread_cond_wait(&crew->end, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
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

void crew_run(bh_system *system, struct crew_task *task, uint64_t until) {
    struct crew *crew = count_shared(system) > 1 ? crew_of(system) : NULL;
    bool shared[BH_SYSTEM_CHIPS] = { false };
    if (crew)
        crew->count = 0;
    for (unsigned i = 0; i < system->chip_count; i++) {
        task[i] = (struct crew_task){ .status = BH_OK };
        shared[i] = crew && is_shared(system, i);
        if (shared[i])
            crew->list[crew->count++] = i;
    }
    if (crew)
        begin(crew, system, task, until);
    for (unsigned i = 0; i < system->chip_count; i++)
        if (!shared[i] && ranks_own(system, i))
            run_one(system, task, i, until);
    if (crew)
        finish(crew);
}
