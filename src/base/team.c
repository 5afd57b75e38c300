/* Host threads that work in rounds: see team.h. */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"

enum { SPINS = 4000 };

struct member {
    struct team *team;
    unsigned number;
    pthread_t thread;
};

struct team {
    _Alignas(TEAM_LINE) atomic_uint round;    /* number of the round, incremented to begin it */
    _Alignas(TEAM_LINE) atomic_uint working;  /* members that have not done their part of the round */
    _Alignas(TEAM_LINE) pthread_mutex_t lock; /* only for sleeping and waking */
    pthread_cond_t begins, ends;
    bool stop; /* the round that begins is the end of the threads */
    team_part *part;
    void *context;
    atomic_uint *whole;     /* 0 in the child of a fork */
    unsigned started;       /* members besides the caller */
    struct member member[]; /* member[i] has number i + 1 */
};

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- A round ---------------------------------------------------------------------------------- */

bool team_is_whole(const struct team *team) {
    return atomic_load_explicit(team->whole, memory_order_relaxed) != 0;
}

void team_begin(struct team *team) {
    BH_ASSERT(team_is_whole(team) && atomic_load_explicit(&team->working, memory_order_relaxed) == 0);
    atomic_store_explicit(&team->working, team->started, memory_order_relaxed);
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
    pthread_cond_broadcast(&team->begins);
    pthread_mutex_unlock(&team->lock);
}

void team_finish(struct team *team) {
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&team->working, memory_order_acquire) == 0)
            return;
        relax();
    }
    pthread_mutex_lock(&team->lock);
    while (atomic_load_explicit(&team->working, memory_order_acquire) != 0)
        pthread_cond_wait(&team->ends, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

/* ---- Members ---------------------------------------------------------------------------------- */

/* Waits for another round than the last one that the member has seen, and returns its number. */
static unsigned await_round(struct team *team, unsigned seen) {
    unsigned now;
    for (unsigned i = 0; i < SPINS; i++) {
        if ((now = atomic_load_explicit(&team->round, memory_order_acquire)) != seen)
            return now;
        relax();
    }
    pthread_mutex_lock(&team->lock);
    while ((now = atomic_load_explicit(&team->round, memory_order_acquire)) == seen)
        pthread_cond_wait(&team->begins, &team->lock);
    pthread_mutex_unlock(&team->lock);
    return now;
}

static void note_done(struct team *team) {
    if (atomic_fetch_sub_explicit(&team->working, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->ends);
    pthread_mutex_unlock(&team->lock);
}

static void *take_part(void *argument) {
    const struct member *member = argument;
    struct team *team = member->team;
    for (unsigned round = 0;;) {
        round = await_round(team, round);
        if (team->stop)
            return NULL;
        team->part(team->context, member->number);
        note_done(team);
    }
}

/* Keeps a thread on one of the processors that the process may use. */
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

/* ---- Life ------------------------------------------------------------------------------------- */

/* Returns a word that is 1, and 0 in the child of a fork; NULL if there is none. */
static atomic_uint *map_whole(void) {
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

static bool start_all(struct team *team, unsigned count) {
    for (; team->started < count; team->started++) {
        struct member *member = &team->member[team->started];
        *member = (struct member){ .team = team, .number = team->started + 1 };
        if (pthread_create(&member->thread, NULL, take_part, member) != 0)
            return false;
        pin(member->thread, member->number);
    }
    return true;
}

struct team *team_create(unsigned members, team_part *part, void *context) {
    size_t size = sizeof(struct team) + members * sizeof(struct member);
    struct team *team = aligned_alloc(TEAM_LINE, (size + TEAM_LINE - 1) / TEAM_LINE * TEAM_LINE);
    if (!team)
        return NULL;
    *team = (struct team){ .part = part, .context = context, .whole = map_whole() };
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begins, NULL);
    pthread_cond_init(&team->ends, NULL);
    if (team->whole && start_all(team, members - 1))
        return team;
    team_destroy(team);
    return NULL;
}

static void end_threads(struct team *team) {
    team->stop = true;
    team_begin(team);
    for (unsigned i = 0; i < team->started; i++)
        pthread_join(team->member[i].thread, NULL);
    pthread_cond_destroy(&team->ends);
    pthread_cond_destroy(&team->begins);
    pthread_mutex_destroy(&team->lock);
}

void team_destroy(struct team *team) {
    if (!team)
        return;
    if (team->whole) {
        if (team_is_whole(team))
            end_threads(team);
        (void)munmap(team->whole, (size_t)sysconf(_SC_PAGESIZE));
    }
    free(team);
}
