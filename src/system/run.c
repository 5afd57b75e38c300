/* Time of a system: see system.h. */
#include <string.h>

#include "base/order.h"
#include "chip/member.h"
#include "chip/run.h"
#include "system/crew.h"
#include "system/ranks.h"

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Moves frames from one end of a cable to the other, at this multiple of the quantum. */
static void move_frames(bh_system *system, struct cable *cable, unsigned from, uint64_t time) {
    struct eth_port *port = &cable->end[from], *peer = &cable->end[!from];
    if (port->record_count)
        eth_settle(member_eth_tile(system->chip[cable->link.chip[from]], cable->link.port[from]), time);
    if (!port->out.first)
        return;
    eth_frames_append(&peer->in, &port->out);
    member_expect(system->chip[cable->link.chip[!from]], cable->link.port[!from]);
}

static void exchange_frames(bh_system *system, uint64_t time) {
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            move_frames(system, system->cable[i], end, time);
}

/* ---- Time ----------------------------------------------------------------------------------------------------- */

/* Returns whether nothing can happen any more. Chips that sleep while a frame is on its way to them are not idle;
 * a frame that has not been exchanged is in `out`. */
static bool is_idle(const bh_system *system) {
    for (unsigned i = 0; i < system->chip_count; i++)
        if (ranks_own(system, i) && !member_is_idle(system->chip[i]))
            return false;
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            if (system->cable[i]->end[end].out.first && ranks_own(system, system->cable[i]->link.chip[end]))
                return false;
    return true;
}

/* Returns whether an exchange would change nothing. Precondition: is_idle. */
static bool is_drained(const bh_system *system) {
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            if (system->cable[i]->end[end].record_count && ranks_own(system, system->cable[i]->link.chip[end]))
                return false;
    return true;
}

/* Lets time pass in which nothing happens. Clients that poll do this most of the time. */
static void pass_time(bh_system *system, uint64_t until) {
    bool faulted;
    struct bh_fault fault;
    for (unsigned i = 0; i < system->chip_count; i++)
        if (ranks_own(system, i))
            (void)member_run(system->chip[i], until, &faulted, &fault);
    system->time = until;
}

static bool is_deadlocked(const bh_system *system, struct bh_system_stop *stop) {
    for (unsigned i = 0; i < system->chip_count; i++)
        if (ranks_own(system, i) && member_is_deadlocked(system->chip[i], &stop->fault)) {
            stop->chip = i;
            return true;
        }
    return false;
}

/* Notes the first fault, of the first chip. */
static bool note_fault(const struct crew_task *task, unsigned count, struct bh_system_stop *stop) {
    bool found = false;
    for (unsigned i = 0; i < count; i++) {
        if (!task[i].faulted || (found && task[i].fault.cycle >= stop->fault.cycle))
            continue;
        found = true;
        stop->chip = i;
        stop->fault = task[i].fault;
    }
    return found;
}

static bh_status failed(bh_system *system, const struct crew_task *task) {
    for (unsigned i = 0; i < system->chip_count; i++)
        if (task[i].status != BH_OK)
            return system_fail(system, task[i].status, "chip %u: %s", i, bh_message(system->chip[i]));
    return BH_OK;
}

/* Runs all chips up to this time, which is at most the end of the quantum, unless all chips are idle. *here: whether
 * stop has a fault of a chip of this process. */
static bh_status step(bh_system *system, uint64_t until, struct bh_system_stop *stop, struct ranks_view *view,
                      bool *here) {
    struct crew_task *task = system->task;
    uint64_t before = system->time, exchange = until - until % system->quantum;
    crew_run(system, task, until);
    system->time = until;
    for (unsigned i = 0; i < system->chip_count; i++)
        if (ranks_own(system, i))
            member_report(system->chip[i]);
    bh_status status = failed(system, task);
    if (!view->faulted)
        view->faulted = *here = note_fault(task, system->chip_count, stop);
    if (exchange <= before)
        return status;
    if (system->ranks) {
        view->idle = is_idle(system);
        return ranks_meet(system, exchange, status, view);
    }
    if (status == BH_OK)
        exchange_frames(system, exchange);
    return status;
}

/* Looks at the chips; with other processes, the last exchange has told what they do. */
static void look(const bh_system *system, struct ranks_view *view) {
    if (system->ranks)
        return;
    view->idle = is_idle(system);
    view->drained = view->idle && is_drained(system);
}

static bh_status run(bh_system *system, uint64_t end, unsigned flags, struct bh_system_stop *stop,
                     struct ranks_view *view, bool *here) {
    bh_status status = BH_OK;
    while (status == BH_OK && system->time < end && !(view->faulted && flags & BH_RUN_STOP_ON_FAULT)) {
        look(system, view);
        if (view->idle && flags & BH_RUN_STOP_ON_IDLE) {
            stop->reason = BH_STOP_IDLE;
            return BH_OK;
        }
        if (view->idle && view->drained) {
            pass_time(system, end);
            break;
        }
        uint64_t next = (system->time / system->quantum + 1) * system->quantum;
        status = step(system, view->idle ? end : smaller(next, end), stop, view, here);
    }
    return status;
}

static unsigned count_waiting(const bh_system *system) {
    unsigned count = 0;
    for (unsigned i = 0; i < system->chip_count; i++)
        count += ranks_own(system, i) ? member_waiting(system->chip[i]) : 0;
    return count;
}

/* Finds out why the run has ended: here, and in other processes. wanted: count waiting cores too. */
static bh_status conclude(bh_system *system, bh_status status, unsigned flags, struct bh_system_stop *stop,
                          bool faulted, bool wanted) {
    struct ranks_end end;
    bool idle = stop->reason == BH_STOP_IDLE;
    memset(&end, 0, sizeof end); /* all of it may be sent */
    end.faulted = faulted;
    end.fault = end.deadlock = *stop;
    end.deadlocked = idle && is_deadlocked(system, &end.deadlock);
    end.waiting = wanted || system->ranks ? count_waiting(system) : 0;
    if (system->ranks)
        status = ranks_end(system, status, &end);
    if (end.faulted)
        *stop = end.fault;
    else if (end.deadlocked)
        *stop = end.deadlock;
    if (end.faulted && (idle || flags & BH_RUN_STOP_ON_FAULT))
        stop->reason = BH_STOP_FAULT;
    else if (end.deadlocked)
        stop->reason = BH_STOP_DEADLOCK;
    stop->cycle = system->time;
    stop->waiting = end.waiting;
    return status;
}

bh_status bh_system_run(bh_system *system, uint64_t cycles, unsigned flags, struct bh_system_stop *stop) {
    struct bh_system_stop own;
    struct ranks_view view = { 0 };
    bool here = false;
    memset(&own, 0, sizeof own);
    own.reason = BH_STOP_CYCLES;
    if (!system)
        return BH_ERR_ARGUMENT;
    if (system->in_run)
        return system_fail(system, BH_ERR_STATE, "bh_system_run: a run is under way");
    if (flags & ~(unsigned)RUN_FLAGS)
        return system_fail(system, BH_ERR_ARGUMENT, "bh_system_run: there is no such flag in 0x%x", flags);
    system->in_run = true;
    uint64_t end = smaller(run_end_of(system->time, cycles), SYSTEM_TIME_END);
    bh_status status = BH_OK;
    if (system->ranks) {
        view.idle = is_idle(system);
        view.drained = view.idle && is_drained(system);
        status = ranks_begin(system, end, flags, &view);
    }
    if (status == BH_OK)
        status = run(system, end, flags, &own, &view, &here);
    status = conclude(system, status, flags, &own, here, stop != NULL);
    system->in_run = false;
    if (stop)
        *stop = own;
    return status;
}

uint64_t bh_system_cycle(const bh_system *system) {
    return system ? system->time : 0;
}

unsigned bh_system_quantum(const bh_system *system) {
    return system ? system->quantum : 0;
}
