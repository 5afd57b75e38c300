/* The mover: its tasks, their cycles, and XMOV. */
#include "tensix/mover/mover.h"

#include <string.h>

#include "base/check.h"
#include "isa/memmap.h"
#include "tensix/config/pipeline.h"
#include "tensix/clock.h"

enum { WINDOW = 0x10000, IRAM_WINDOW = 4 /* the number of the instruction RAM's window */ };

enum target { TARGET_L1, TARGET_CONFIG, TARGET_IRAM, TARGET_NOWHERE };

static bool copies(const struct mover_task *task) {
    return task->direction == MOVER_L1_OTHER || task->direction == MOVER_L1_L1;
}

static enum target target_of(const struct mover_task *task) {
    if (task->direction == MOVER_ZERO_L1 || task->direction == MOVER_L1_L1)
        return TARGET_L1;
    switch (task->to / WINDOW) {
    case 0: return TARGET_CONFIG;
    case IRAM_WINDOW: return TARGET_IRAM;
    default: return TARGET_NOWHERE;
    }
}

/* ---- What can be done -------------------------------------------------------------------------------- */

static bool outside_l1(uint32_t address, uint32_t units) {
    return (uint64_t)address + (uint64_t)units * MOVER_UNIT > memmap[MEMMAP_ROW_L1].size ||
           address >= memmap[MEMMAP_ROW_L1].size;
}

const char *mover_refuses(const struct mover_task *task) {
    enum target target = target_of(task);
    uint32_t end = task->to % WINDOW + task->units * MOVER_UNIT;
    if (copies(task) && outside_l1(task->from, task->units))
        return "the mover's source lies outside L1, which has 1536 KiB";
    if (target == TARGET_L1)
        return outside_l1(task->to, task->units) ? "the mover's target lies outside L1, which has 1536 KiB" : NULL;
    if (target == TARGET_IRAM)
        return "the mover's target is NCRISC's instruction RAM, which Blackhole does not have";
    if (end > WINDOW)
        return "the mover's target goes on beyond its window of 64 KiB";
    if (target == TARGET_CONFIG && end > CONFIG_AT_THREAD)
        return "the mover's target goes on beyond Config; ThreadConfig, which is next, is written by SETC16 only";
    return NULL;
}

/* ---- A task ------------------------------------------------------------------------------------------- */

void mover_init(struct mover *mover) {
    mover->due = mover->write_at = mover->tdma.write_at = TENSIX_NEVER;
}

static uint32_t cycles_of(const struct mover_task *task) {
    uint32_t groups = (task->units + TENSIX_PART_XMOV_GROUP - 1) / TENSIX_PART_XMOV_GROUP;
    return task->units + (copies(task) ? groups * TENSIX_PART_XMOV_PAUSE : 0);
}

/* Returns the number of units that are written together. */
static uint32_t units_at_once(const struct mover_task *task) {
    switch (target_of(task)) {
    case TARGET_L1: return task->units < TENSIX_PART_XMOV_GROUP ? task->units : TENSIX_PART_XMOV_GROUP;
    case TARGET_NOWHERE: return task->units;
    default: return 1;
    }
}

/* Sets the cycle of the next write of a task that starts or continues in cycle `from`. */
static void set_write(struct mover *mover, uint64_t from) {
    const struct mover_task *task = &mover->task;
    switch (target_of(task)) {
    case TARGET_CONFIG:
        mover->write_at = from + (mover->in_group == 0 && copies(task) ? TENSIX_PART_XMOV_PAUSE : 0);
        break;
    case TARGET_NOWHERE: mover->write_at = mover->busy_until - 1; break;
    default: mover->write_at = from + (copies(task) ? TENSIX_PART_XMOV_PAUSE : 0) + units_at_once(task) - 1; break;
    }
}

bool mover_is_free(const struct tensix *x, uint64_t now) {
    return !x->mover.task.units && x->mover.busy_until <= now + TENSIX_LATENCY_XMOV;
}

static void set_busy(struct tensix *x, uint64_t until) {
    x->mover.busy_until = until;
    if (x->mover.thread < TENSIX_THREADS)
        tensix_busy_until(x, x->mover.thread, TENSIX_BUSY_MOVER, until);
}

void mover_start(struct tensix *x, const struct mover_task *task, unsigned thread, uint64_t now) {
    struct mover *mover = &x->mover;
    uint64_t from = now + TENSIX_LATENCY_XMOV; /* a command starts after the same time */
    if (!BH_CHECK(x->error, mover_is_free(x, now) && !mover_refuses(task)) || !task->units)
        return;
    from += tensix_delay(x, BH_DELAY_MOVE, 0, thread, now);
    mover->task = *task;
    mover->in_group = 0;
    mover->thread = (uint8_t)thread;
    set_busy(x, from + cycles_of(task));
    set_write(mover, from);
    mover_set_due(x);
    if (x->observer)
        tensix_observe_mover(x, from, 1);
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

static void write_l1(struct tensix *x, const struct mover_task *task, uint32_t units, uint64_t now) {
    uint32_t size = units * MOVER_UNIT;
    BH_ASSERT(units && units <= task->units && !outside_l1(task->to, units));
    BH_ASSERT(!copies(task) || !outside_l1(task->from, units));
    tensix_l1_changes(x, task->to, size);
    if (copies(task))
        memmove(&x->l1[task->to], &x->l1[task->from], size);
    else
        memset(&x->l1[task->to], 0, size);
    x->port->l1_written(x->owner, BH_TRACK_MOVER, task->to, size, now + 1);
}

/* The address of the dual-write window gives CONFIG_BOTH. A unit never spans two banks, since their size is a multiple
 * of its size. */
static void write_config(struct tensix *x, const struct mover_task *task, uint64_t now) {
    static const uint8_t zeros[MOVER_UNIT];
    unsigned bank = task->to / CONFIG_AT_BANK1, index = task->to / 4 % CONFIG_WORDS;
    tensix_land(x, pipeline_enter(&x->config, PIPELINE_SINGLE, now),
                landing_key(TENSIX_LAND_CONFIG, bank, index, MOVER_UNIT), copies(task) ? &x->l1[task->from] : zeros,
                MOVER_UNIT);
}
_Static_assert(CONFIG_AT_BANK1 % MOVER_UNIT == 0, "");

static bool waits_for_config(struct tensix *x, uint64_t now) {
    uint64_t when = pipeline_admits(&x->config, PIPELINE_SINGLE, now);
    if (when == now)
        return false;
    x->mover.write_at = when;
    set_busy(x, x->mover.busy_until + (when - now));
    if (x->observer)
        tensix_observe_mover(x, now, 0);
    return true;
}

static void finish(struct tensix *x, uint64_t now) {
    x->mover.write_at = TENSIX_NEVER;
    (void)BH_CHECK(x->error, x->mover.busy_until == now + 1);
    tensix_wake(x, now + 1);
}

static void write(struct tensix *x, uint64_t now) {
    struct mover *mover = &x->mover;
    struct mover_task *task = &mover->task;
    enum target target = target_of(task);
    uint32_t units = units_at_once(task);
    if (target == TARGET_CONFIG && waits_for_config(x, now))
        return;
    if (target == TARGET_L1)
        write_l1(x, task, units, now);
    else if (target == TARGET_CONFIG)
        write_config(x, task, now);
    mover->in_group = (uint8_t)((mover->in_group + 1) % TENSIX_PART_XMOV_GROUP);
    task->to += units * MOVER_UNIT;
    task->from += units * MOVER_UNIT;
    task->units -= units;
    if (task->units)
        set_write(mover, now + 1);
    else
        finish(x, now);
}

void mover_set_due(struct tensix *x) {
    uint64_t commands = tdma_due(x);
    BH_ASSERT(x->mover.write_at == TENSIX_NEVER || x->mover.task.units);
    x->mover.due = x->mover.write_at < commands ? x->mover.write_at : commands;
    clock_other_event(x, x->mover.due);
}

void mover_step(struct tensix *x, uint64_t now) {
    if (x->mover.write_at == now)
        write(x, now);
    tdma_advance(x, now);
    mover_set_due(x);
}

/* ---- Soft reset --------------------------------------------------------------------------------------- */

void mover_abort(struct tensix *x, uint64_t now) {
    struct mover *mover = &x->mover;
    mover->task.units = 0;
    mover->write_at = TENSIX_NEVER;
    if (mover->busy_until > now + 1)
        mover->busy_until = now + 1;
    tensix_forget_busy(x, TENSIX_BUSY_MOVER, now + 1);
    tdma_advance(x, now);
    mover_set_due(x);
}

/* ---- XMOV ----------------------------------------------------------------------------------------------- */

static struct mover_task configured(const struct tensix *x, unsigned thread) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    return (struct mover_task){
        .to = CONFIG_GET(config, THCON_SEC0_REG6_Destination_address) * MOVER_UNIT,
        .from = CONFIG_GET(config, THCON_SEC0_REG6_Source_address) * MOVER_UNIT,
        .units = CONFIG_GET(config, THCON_SEC0_REG6_Buffer_size) & 0xFFFF,
        .direction = (uint8_t)CONFIG_GET(config, THCON_SEC0_REG6_Transfer_direction),
    };
}

static uint64_t wait_for_it(struct tensix *x, unsigned thread) {
    const struct mover *mover = &x->mover;
    return tensix_hold(x, thread, mover->task.units ? TENSIX_NEVER : mover->busy_until, WAIT_MOVER_BUSY);
}

/* The field Last has no effect: no document gives it one. */
uint64_t execute_XMOV(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    if (x->held & REG_HOLD_GLUE)
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_MOVER_RESET);
    if (x->held & REG_HOLD_MOVER)
        return TENSIX_PASSED; /* the instruction is discarded */
    if (x->mover.task.units || x->mover.busy_until > now)
        return wait_for_it(x, thread);
    if (tensix_decode_XMOV(word).Mov_block_selection)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                            "Mov_block_selection is 1: no document has a second mover");
    struct mover_task task = configured(x, thread);
    const char *why = mover_refuses(&task);
    if (why)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, task.to, now,
                            "direction %u, from 0x%08x to 0x%08x, %u bytes: %s", task.direction, task.from, task.to,
                            task.units * MOVER_UNIT, why);
    mover_start(x, &task, thread, now);
    tensix_wake(x, now + 1);
    return TENSIX_PASSED;
}
