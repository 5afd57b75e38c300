/* Host threads that run chips: see crew.h.
 *
 * The chips of a quantum are a list, from which each thread takes the next. Chips that call functions of the user run
 * on the caller's thread, and so do all chips if only one has something to do, or if threads have turned out to be
 * slower because quanta are short or the host is busy (pace_probe.h). */
#include "system/crew.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/host_clock.h"
#include "base/order.h"
#include "base/team.h"
#include "chip/member.h"
#include "chip/pace_probe.h"
#include "system/ranks.h"

struct crew {
    struct team *team;
    struct pace_probe probe; /* true: all threads run chips; false: only the caller's */

    /* The quantum */
    bh_system *system;
    struct crew_task *task;
    uint64_t until;
    unsigned list[BH_SYSTEM_CHIPS], count;
    atomic_uint next;
};

static void run_one(bh_system *system, struct crew_task *task, unsigned chip, uint64_t until) {
    task[chip].status = member_run(system->chip[chip], until, &task[chip].faulted, &task[chip].fault);
}

static void run_list(void *context, unsigned thread) {
    struct crew *crew = context;
    (void)thread;
    for (unsigned i; (i = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed)) < crew->count;)
        run_one(crew->system, crew->task, crew->list[i], crew->until);
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static struct crew *create(unsigned threads) {
    struct crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    pace_probe_init(&crew->probe, true, PACE_PROBE_LONG);
    crew->team = team_create(threads, run_list, crew);
    if (crew->team)
        return crew;
    free(crew);
    return NULL;
}

void crew_destroy(struct crew *crew) {
    if (!crew)
        return;
    team_destroy(crew->team);
    free(crew);
}

/* ---- A quantum -------------------------------------------------------------------------------------------------- */

/* Returns the crew, NULL if there is only the caller's thread. More threads than chips would only wait. */
static struct crew *crew_of(bh_system *system) {
    unsigned threads = (unsigned)smaller(system->threads, system->chip_count);
    if (!system->crew && threads > 1) {
        system->crew = create(threads);
        if (!system->crew)
            system->threads = 1;
    }
    return system->crew && team_is_whole(system->crew->team) ? system->crew : NULL;
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
    team_begin(crew->team);
    for (unsigned i = 0; i < system->chip_count; i++)
        if (!shared[i] && ranks_own(system, i))
            run_one(system, task, i, until);
    run_list(crew, 0);
    team_finish(crew->team);
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
