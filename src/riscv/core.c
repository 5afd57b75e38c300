/* A core outside the interpreter: reset, sleep and wake, interrupts, faults (SoftReset.md, PIC.md). */
#include "riscv/core.h"

#include <stdarg.h>
#include <string.h>

#include "base/check.h"
#include "base/line.h"
#include "riscv/rvv/vec.h"

const char *bh_core_name(enum bh_core core) {
    static const char *const names[BH_CORE_COUNT] = { "brisc", "trisc0", "trisc1", "trisc2", "ncrisc" };
    return (unsigned)core < BH_CORE_COUNT ? names[core] : "no core";
}

/* Bit 0 of pmacfg puts a fence before each access, so the cache is off. A cache that is off has no lines. */
void core_configured(struct core *core) {
    core->caches = !core->loose && !(core->cfg0 & CFG0_DIS_L0) && !((core->pmacfg[0] | core->pmacfg[1]) & 1);
    if (!core->caches)
        l0_flush(&core->l0);
    if (core->port && core->port->configured)
        core->port->configured(core->owner, core);
}

void core_forget_blocks(struct core *core, uint32_t entries) {
    for (; entries; entries &= entries - 1) {
        uint32_t block = fetch_block_of(&core->fetch, (unsigned)__builtin_ctz(entries));
        if (block < FETCH_NO_BLOCK)
            core_forget(core->slots, core->marks, block * FETCH_BLOCK, FETCH_BLOCK);
    }
}

void core_invalidate(struct core *core) {
    core_forget_blocks(core, core->fetch.old);
    fetch_invalidate(&core->fetch);
    core->preempted = true; /* a running core has to fetch its present block again */
}

/* Sets registers and CSRs to their values after a reset. Counters restart. */
static void clear_registers(struct core *core) {
    memset(core->x, 0, sizeof core->x);
    memset(core->f, 0, sizeof core->f);
    memset(core->ready8, 0, sizeof core->ready8);
    vec_reset(&core->vec);
    core_invalidate(core);
    fetch_reset(&core->fetch);
    burst_reset(&core->burst);
    core->l0 = (struct core_l0){ 0 };
    core->cfg0 = CFG0_RESET;
    core->fcsr = 0;
    memset(core->pmacfg, 0, sizeof core->pmacfg);
    core_configured(core);
    memset(core->scratch, 0, sizeof core->scratch);
    memset(core->sstatus, 0, sizeof core->sstatus);
    memset(core->frozen_status, 0, sizeof core->frozen_status);
    core->mcountinhibit = 0;
    memset(core->hpm_event, 0, sizeof core->hpm_event);
    memset(core->hpm_counter, 0, sizeof core->hpm_counter);
    core->cycle_base = core_time(core);
    core->retired_base = core->retired;
    core->intp_restore_pc = core->return_pc = 0;
    core->in_interrupt = false;
    core->waited = 0;
    core->store_free8 = 0;
    core->float_ready = 0;
    core->store_last = UINT32_MAX;
    core->poll_pc = UINT32_MAX;
}

static void advance_to(struct core *core, uint64_t time) {
    if (time > core_time(core))
        core->stalled += (int64_t)(time - core_time(core));
}

void core_init(struct core *core) {
    for (unsigned shift = 0; shift < 3; shift++)
        core->l1_limit[shift] = (core->l1_size ? core->l1_size : CORE_L1_SIZE) >> shift;
    core->retired = 0;
    core->stalled = 0;
    core->state = BH_CORE_IN_RESET;
    core->waits_on = WAIT_NONE;
    core->pc = core->default_pc;
    core->ldm_ready = 0;
    core->ldm_limit = core->ldm_size;
    core->watch_count = 0;
    memset(core->ldm, 0, sizeof core->ldm);
    memset(&core->fault, 0, sizeof core->fault);
    clear_registers(core);
}

/* ---- Observers -------------------------------------------------------------------------------------------- */

void core_settle_profile(const struct core *core) {
    if (core->profile)
        profile_step(core->profile, core->l1, core->pc, core_time(core), core->retired);
}

/* Records a sleep that began at `start`, when `retired` instructions had retired. */
__attribute__((noinline)) static void note_wait(struct core *core, uint64_t start, uint64_t retired) {
    uint64_t end = core_time(core);
    observe_core_waited(core->observer, (enum bh_core)core->id, wait_text(core->waits_on), core->waits_at, core->pc,
                        start, end);
    if (core->profile)
        profile_slept(core->profile, core->pc, start, end, core->retired - retired);
    if (core->steps)
        core_note_waited(core, start, retired);
}

/* ---- Reset, sleep, interrupts, faults ------------------------------------------------------------------- */

void core_hold(struct core *core) {
    if (core->observer) {
        observe_core_held(core->observer, (enum bh_core)core->id, core_time(core));
        core_settle_profile(core);
    }
    if (core->steps) {
        core_note_settle(core);
        core->steps->open = false;
        core->steps->slept = 0;
    }
    core->state = BH_CORE_IN_RESET;
    core->waits_on = WAIT_NONE;
    core->watch_count = 0;
    core->preempted = core->moved = true;
}

void core_release(struct core *core, uint32_t pc, uint64_t time, bool keep_ldm) {
    advance_to(core, time);
    clear_registers(core);
    core->pc = pc;
    core->state = BH_CORE_RUNNING;
    core->waits_on = WAIT_NONE;
    core->watch_count = 0;
    core->preempted = core->moved = true;
    core->ldm_limit = core->ldm_size;
    if (core->observer)
        observe_core_released(core->observer, (enum bh_core)core->id, core_time(core));
    if (core->profile)
        core->profile->time = core_time(core);
    if (keep_ldm)
        return;
    /* The sweep clears one word a cycle. SoftReset.md gives a maximum of 2048 cycles, which is the number of words in 8
     * KiB. */
    memset(core->ldm, 0, sizeof core->ldm);
    core->ldm_ready = core_time(core) + core->ldm_size / 4;
    core->ldm_limit = 0;
}

/* ---- Iterations of a polling loop that a core sleeps through --------------------------------------------- */

/* Returns the iterations until the cache drops all lines. The iteration after them misses, and so does every
 * L0_FLUSH_EVERYth one after that. */
static uint64_t rounds_to_flush(const struct core *core) {
    bool flushes = core->poll_l0 == POLL_HITS && !(core->cfg0 & CFG0_DIS_L0_FLUSH);
    return flushes ? (uint64_t)(L0_FLUSH_EVERY - core->l0.requests) : UINT64_MAX;
}

/* Returns the number of misses in this many iterations. */
static uint64_t misses_in(const struct core *core, uint64_t rounds) {
    uint64_t hits = rounds_to_flush(core);
    return rounds > hits ? 1 + (rounds - hits - 1) / L0_FLUSH_EVERY : 0;
}

static uint64_t cycles_of(const struct core *core, uint64_t rounds) {
    return rounds * core->poll_cycles + misses_in(core, rounds) * core->poll_miss;
}

/* Returns the number of whole iterations of the polling loop that end by this time. */
static uint64_t rounds_until(const struct core *core, uint64_t time) {
    uint64_t cycles = time > core_time(core) ? time - core_time(core) : 0, hits = rounds_to_flush(core);
    if (hits == UINT64_MAX || cycles / core->poll_cycles <= hits)
        return cycles / core->poll_cycles;
    /* From here on time has periods, each of one miss and the hits that follow it. */
    uint64_t miss = core->poll_cycles + core->poll_miss, period = cycles_of(core, hits + L0_FLUSH_EVERY);
    period -= cycles_of(core, hits);
    cycles -= cycles_of(core, hits);
    uint64_t rest = cycles % period;
    return hits + cycles / period * L0_FLUSH_EVERY + (rest < miss ? 0 : 1 + (rest - miss) / core->poll_cycles);
}

/* Sets the cache to its state after this many iterations. Precondition: L1 has not changed in the line that the load
 * reads. */
static void settle_l0(struct core *core, uint64_t rounds) {
    if (core->poll_l0 == POLL_UNCACHED || !rounds)
        return;
    uint64_t fills = core->poll_l0 == POLL_MISSES ? rounds : misses_in(core, rounds);
    l0_refill(&core->l0, core->poll_at, fills);
    if (!(core->cfg0 & CFG0_DIS_L0_FLUSH) && l0_count(&core->l0, rounds) && !core->l0.requests)
        l0_flush(&core->l0);
}

void core_wake(struct core *core, uint64_t time, uint32_t offset) {
    uint64_t start = core_time(core), retired = core->retired;
    if (core->state == BH_CORE_POLLING) {
        uint64_t rounds = rounds_until(core, time > offset ? time - offset : 0);
        rounds += core_time(core) + cycles_of(core, rounds) + offset < time;
        core->stalled += (int64_t)(cycles_of(core, rounds) - rounds * core->poll_instructions);
        core->retired += rounds * core->poll_instructions;
        settle_l0(core, rounds);
        core->poll_time =
            core_time(core); /* an iteration like the others ends here, so the core may sleep again after one more */
        core->poll_retired = core->retired;
    } else if (core->state == BH_CORE_BLOCKED) {
        advance_to(core, time);
    } else {
        return;
    }
    if (BH_UNLIKELY(core->observer))
        note_wait(core, start, retired);
    core->state = BH_CORE_RUNNING;
    core->waits_on = WAIT_NONE;
    core->watch_count = 0;
}

void core_pushed(struct core *core, unsigned count, uint64_t time) {
    core->pc += 4 * count;
    core->retired += count;
    core->stalled = (int64_t)(time - core->retired);
    core->waited = core->retired + 1;
}

void core_observe(const struct core *core, uint64_t now, uint64_t *time, uint64_t *retired) {
    uint64_t rounds = core->state == BH_CORE_POLLING ? rounds_until(core, now) : 0;
    *time = core_time(core) + (rounds ? cycles_of(core, rounds) : 0);
    *retired = core->retired + rounds * core->poll_instructions;
}

void core_interrupt(struct core *core, uint32_t handler_pc, uint64_t time) {
    core_wake(core, time, 0);
    core->return_pc = core->intp_restore_pc = core->pc;
    core->in_interrupt = true;
    core->pc = handler_pc;
    core->preempted = core->moved = true;
}

void core_fault(struct core *core, enum bh_fault_kind kind, uint32_t insn, uint64_t address, const char *format, ...) {
    struct bh_fault *fault = &core->fault;
    va_list arguments;
    line_put(fault->text, sizeof fault->text, "%s at pc 0x%x: ", core_name(core), core->pc);
    va_start(arguments, format);
    line_add_list(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    fault->kind = kind;
    fault->thread = -1;
    fault->core = core->id;
    fault->pc = core->pc;
    fault->insn = insn;
    fault->address = address;
    fault->cycle = core_time(core);
    core->state = BH_CORE_FAULTED;
    core->waits_on = WAIT_NONE;
    core->preempted = true;
    core->port->fault(core->owner, core, fault);
}
