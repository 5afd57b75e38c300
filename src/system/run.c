/* Time of a system: see system.h. */
#include "base/order.h"
#include "chip/member.h"
#include "system/crew.h"
#include "system/system.h"

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
        if (!member_is_idle(system->chip[i]))
            return false;
    for (unsigned i = 0; i < system->link_count; i++)
        if (system->cable[i]->end[0].out.first || system->cable[i]->end[1].out.first)
            return false;
    return true;
}

/* Returns whether an exchange would change nothing. Precondition: is_idle. */
static bool is_settled(const bh_system *system) {
    for (unsigned i = 0; i < system->link_count; i++)
        if (system->cable[i]->end[0].record_count || system->cable[i]->end[1].record_count)
            return false;
    return true;
}

/* Lets time pass in which nothing happens. Clients that poll do this most of the time. */
static void pass_time(bh_system *system, uint64_t until) {
    bool faulted;
    struct bh_fault fault;
    for (unsigned i = 0; i < system->chip_count; i++)
        (void)member_run(system->chip[i], until, &faulted, &fault);
    system->time = until;
}

static bool is_deadlocked(const bh_system *system, struct bh_system_stop *stop) {
    for (unsigned i = 0; i < system->chip_count; i++)
        if (member_is_deadlocked(system->chip[i], &stop->fault)) {
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

/* Runs all chips up to this time, which is at most the end of the quantum, unless all chips are idle. */
static bh_status step(bh_system *system, uint64_t until, struct bh_system_stop *stop, bool *faulted) {
    struct crew_task task[BH_SYSTEM_CHIPS];
    uint64_t before = system->time, exchange = until - until % system->quantum;
    crew_run(system, task, until);
    system->time = until;
    for (unsigned i = 0; i < system->chip_count; i++)
        member_tell(system->chip[i]);
    bh_status status = failed(system, task);
    if (status == BH_OK && exchange > before)
        exchange_frames(system, exchange);
    if (!*faulted)
        *faulted = note_fault(task, system->chip_count, stop);
    return status;
}

static bh_status run(bh_system *system, uint64_t end, unsigned flags, struct bh_system_stop *stop) {
    bool faulted = false;
    bh_status status = BH_OK;
    stop->reason = BH_STOP_CYCLES;
    while (status == BH_OK && system->time < end && !(faulted && flags & BH_RUN_STOP_ON_FAULT)) {
        bool idle = is_idle(system);
        if (idle && flags & BH_RUN_STOP_ON_IDLE) {
            stop->reason = faulted ? BH_STOP_FAULT : is_deadlocked(system, stop) ? BH_STOP_DEADLOCK : BH_STOP_IDLE;
            return BH_OK;
        }
        if (idle && is_settled(system)) {
            pass_time(system, end);
            break;
        }
        uint64_t next = (system->time / system->quantum + 1) * system->quantum;
        status = step(system, idle ? end : smaller(next, end), stop, &faulted);
    }
    if (faulted && flags & BH_RUN_STOP_ON_FAULT)
        stop->reason = BH_STOP_FAULT;
    return status;
}

bh_status bh_system_run(bh_system *system, uint64_t cycles, unsigned flags, struct bh_system_stop *stop) {
    struct bh_system_stop own = { 0 };
    if (!system)
        return BH_ERR_ARGUMENT;
    if (system->in_run)
        return system_fail(system, BH_ERR_STATE, "bh_system_run: a run is under way");
    system->in_run = true;
    bh_status status =
        run(system, cycles > UINT64_MAX - system->time ? UINT64_MAX : system->time + cycles, flags, &own);
    system->in_run = false;
    own.cycle = system->time;
    for (unsigned i = 0; i < system->chip_count && stop; i++)
        own.waiting += member_waiting(system->chip[i]);
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
