/* The tile's time: decides which agent runs next and how far, and which event wakes which core.
 *
 * The agent with the earliest time runs, a core at most `skew` cycles past the next one; of several with the same time,
 * the one with the lowest number is first. The coprocessor has the highest number and stops at the time of the first
 * core: it sees from cycle t + 1 on what a core does in cycle t. A core that is ahead of another core gives way before
 * an access that concerns the coprocessor (tile_in_turn). A core that makes another agent runnable gives way after that
 * instruction, so that the bound also applies to the woken agent.
 *
 * Inexact: a push of BRISC and a write of SOFT_RESET_0 run the coprocessor through their own cycle, before cores with a
 * higher number have had their turn in it. */
#include "tile/tile.h"

#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "base/order.h"
#include "isa/memmap.h"
#include "tile/debug.h"
#include "tile/sleep.h"
#include "tile/verify.h"

enum { NOBODY = TILE_AGENTS };
enum { DUE_SHIFT = TILE_DUE_SHIFT, DUE_NUMBER = 7 };
#define NEVER UINT64_MAX

/* The first pc of a core if no register sets it (SoftReset.md). */
static const uint32_t default_pc[BH_CORE_COUNT] = {
    [BH_BRISC] = 0x0, [BH_TRISC0] = 0x6000, [BH_TRISC1] = 0xA000, [BH_TRISC2] = 0xE000, [BH_NCRISC] = 0x12000,
};

unsigned tile_cores(const struct tile *tile) {
    return tile->kind == TILE_KIND_ETH ? 1u << eth_core(0) | 1u << eth_core(1) : BH_ALL_CORES;
}

static void init_core(struct tile *tile, unsigned i) {
    struct core *core = &tile->core[i];
    core->name = tile->kind == TILE_KIND_ETH ? eth_core_name(i) : bh_core_name((enum bh_core)i);
    core->l1_size = tile_l1_size(tile);
    core->ldm_size = tile_region(tile, CORE_LDM_BASE, i)->size;
    core->default_pc = tile->kind == TILE_KIND_TENSIX ? default_pc[i] : 0;
    core->l1 = tile->l1;
    core->slots = tile->slots;
    core->marks = tile->marks;
    core->coverage = &tile->coverage;
    core->memo = tile->memo;
    core->loose = tile->tensix.loose;
    core->port = &tile_core_port;
    core->owner = tile;
    core_init(core);
}

/* The cores that an Ethernet tile does not have stay zero, which means that they are in reset. */
void tile_init(struct tile *tile) {
    BH_ASSERT(memmap[MEMMAP_ROW_L1].size == CORE_L1_SIZE && memmap[MEMMAP_ROW_ETH_L1].size == ETH_L1_SIZE);
    BH_ASSERT(memmap[MEMMAP_ROW_PUSH0].base == CORE_PUSH_BASE);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        tile->core[i].id = (uint8_t)i;
        if (tile_cores(tile) >> i & 1)
            init_core(tile, i);
    }
    if (tile->kind == TILE_KIND_ETH)
        eth_init(&tile->eth);
    tile->time = 0;
    tile->running = NOBODY;
    tile->changed = true;
    tile->woken = false;
    tile->horizon = 0;
    tile->pic_armed = false;
    tile->loose = tile->tensix.loose;
    tile->tensix_waiters = tile->room_waiters = tile->stream_waiters = 0;
    control_init(&tile->control);
    memset(&tile->coverage, 0, sizeof tile->coverage);
    memset(&tile->mailboxes, 0, sizeof tile->mailboxes);
    memset(&tile->pcbufs, 0, sizeof tile->pcbufs);
    memset(&tile->pic, 0, sizeof tile->pic);
    memset(&tile->risc_debug, 0, sizeof tile->risc_debug);
    risc_debug_refresh(tile);
    debug_bus_init(&tile->debug_bus);
    memset(&tile->timestamp, 0, sizeof tile->timestamp);
    memset(&tile->perf, 0, sizeof tile->perf);
    tile_noc_init(tile);
    tile->tensix.l1 = tile->l1;
    tile->tensix.port = &tile_tensix_port;
    tile->tensix.owner = tile;
    tile->tensix.error = &tile->error;
    tensix_init(&tile->tensix);
    perf_refresh(tile);
}

/* Prefetches cache lines, with one instruction each. Functions that only prefetch are always_inline, because gcc takes
 * them for functions without effects and drops the call. */
#define ONLY_PREFETCHES static inline __attribute__((always_inline))
#define PREFETCH(base, first, end) \
    _Pragma("GCC unroll 16") for (size_t at_ = (first); at_ < (end); at_ += 64) \
        __builtin_prefetch((const char *)(base) + at_)

/* Prefetches due times, and what a thread reads before an instruction passes. */
ONLY_PREFETCHES void prefetch_tensix(const struct tensix *x) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        PREFETCH(&x->thread[i], 0, offsetof(struct tensix_thread, frontend));
        PREFETCH(&x->thread[i].frontend, offsetof(struct frontend, after_pass), offsetof(struct frontend, mop));
    }
    __builtin_prefetch(&x->config.request_due);
    __builtin_prefetch(&x->mover.due);
    __builtin_prefetch(&x->data_due);
    __builtin_prefetch(&x->next_landing);
    __builtin_prefetch(&x->alarm);
}

void tile_prefetch(const struct tile *tile, unsigned agents) {
    PREFETCH(tile, offsetof(struct tile, xy), offsetof(struct tile, l1));
    for (unsigned left = agents & BH_ALL_CORES; left; left &= left - 1)
        PREFETCH(&tile->core[__builtin_ctz(left)], 0, offsetof(struct core, f));
    if (agents >> TILE_TENSIX & 1)
        prefetch_tensix(&tile->tensix);
}

/* Sets the time at which an agent runs next, with its number in the low bits: the smallest value has the next turn.
 * due[] is apart from the cores so that a turn touches only one core. */
static inline void set_due(struct tile *tile, unsigned i, bool goes_on, uint64_t time) {
    tile->due[i] = goes_on ? time << DUE_SHIFT | i : NEVER;
    tile->agents = (uint8_t)((tile->agents & ~(1u << i)) | (unsigned)goes_on << i);
}

static void note_due(struct tile *tile, unsigned i) {
    const struct core *core = &tile->core[i];
    set_due(tile, i, core->state == BH_CORE_RUNNING, core_time(core));
}

static void note_tensix_due(struct tile *tile) {
    uint64_t due = tensix_due(&tile->tensix);
    set_due(tile, TILE_TENSIX, due != TENSIX_NEVER, due);
}

static void note_all_due(struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        note_due(tile, i);
    note_tensix_due(tile);
    tile->changed = false;
}

/* Returns whether the coprocessor still has no time. An agent that wakes it calls tile_tensix_touched, which saves a
 * look at memory that is not in the cache. Only a TRISC with loose timing pushes without that call. */
static inline bool tensix_sleeps_on(const struct tile *tile, bool pushed) {
    return tile->due[TILE_TENSIX] == NEVER && !tile->woken && !pushed;
}

/* Updates due[] for the coprocessor; woken cores are in due[] already. pushed: words may have been pushed without a
 * call of tile_tensix_touched. */
static void note_changes(struct tile *tile, bool pushed) {
    if (tile->changed)
        note_all_due(tile);
    else if (!tensix_sleeps_on(tile, pushed))
        note_tensix_due(tile);
    tile->woken = false;
}

/* The next turns: that of the first core, of the core after it, and of the coprocessor. */
struct turn {
    uint64_t core, next_core, tensix;
};

/* Compares several agents without branches, which would be hard to predict. */
static inline struct turn next_turn(const struct tile *tile) {
    const uint64_t *due = tile->due;
    const unsigned cores = tile->agents & BH_ALL_CORES;
    if (!(cores & (cores - 1)))
        return (struct turn){ cores ? due[__builtin_ctz(cores)] : NEVER, NEVER, due[TILE_TENSIX] };
    struct turn turn = { due[0], NEVER, due[TILE_TENSIX] };
#pragma GCC unroll 8
    for (unsigned i = 1; i < BH_CORE_COUNT; i++) {
        uint64_t later = due[i] > turn.core ? due[i] : turn.core;
        turn.core = due[i] < turn.core ? due[i] : turn.core;
        turn.next_core = later < turn.next_core ? later : turn.next_core;
    }
    return turn;
}

/* Returns how far the core with this turn may run before another agent or the NoC has to act. */
static uint64_t limit_of(const struct tile *tile, const struct turn *turn) {
    uint64_t core = (turn->next_core >> DUE_SHIFT) + tile->skew, tensix = (turn->tensix >> DUE_SHIFT) + BH_SKEW_MAX;
    if (BH_LIKELY(tile->skew > 1)) /* the coprocessor allows more than another core does: pushed words carry their
                                    * times */
        return smaller(smaller(core, tensix), tile->stop);
    uint64_t second = smaller(turn->next_core, turn->tensix); /* lockstep: one cycle at a time, in the order of
                                                               * numbers */
    return smaller((second >> DUE_SHIFT) + ((turn->core & DUE_NUMBER) < (second & DUE_NUMBER)), tile->stop);
}

/* Prefetches the decoded code that the cores run next, a few lines each. */
ONLY_PREFETCHES void prefetch_code(const struct tile *tile) {
    enum { LINE = 64, LINES = 3 };
    for (unsigned left = tile->agents & BH_ALL_CORES; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (tile->due[i] >= tile->until << DUE_SHIFT)
            continue;
        const char *code = (const char *)(tile->slots + tile->core[i].pc / 4);
        for (unsigned line = 0; line < LINES; line++)
            __builtin_prefetch(code + line * LINE);
    }
}

static void set_bit(uint8_t *mask, unsigned bit, bool value) {
    *mask = (uint8_t)((*mask & ~(1u << bit)) | (unsigned)value << bit);
}

static bool is_within(enum memmap_id first, unsigned rows, uint32_t address) {
    return address - memmap[first].base < rows * memmap[first].size;
}

/* Returns whether a pass will wake a core that waits for room in its instruction FIFO (tensix_thread.room_wanted). With
 * loose timing, words may also leave the FIFO without passing the gate; then the core has to look for itself. */
static bool is_woken_by_room(const struct tile *tile, const struct core *core) {
    return core_is_trisc(core) && core->waits_at == memmap[MEMMAP_ROW_PUSH0].base &&
           !(tile->loose && frontend_may_consume(&tile->tensix.thread[core->id - BH_TRISC0].frontend));
}

/* Records the events that can wake a core that has stopped: any change of the coprocessor, unless the core clearly
 * waits for something else. */
static void note_wait(struct tile *tile, const struct core *core) {
    bool blocked = core->state == BH_CORE_BLOCKED, room = blocked && is_woken_by_room(tile, core);
    bool niu = false, stream = false, tensix = blocked && !room;
    for (unsigned i = 0; core->state == BH_CORE_POLLING && i < core->watch_count; i++) {
        uint32_t address = core->watch[i].address;
        if (is_within(MEMMAP_ROW_NIU0, 2, address))
            niu = true;
        else if (is_within(MEMMAP_ROW_OVERLAY, 1, address))
            stream = true;
        else
            tensix |= address >= core->l1_limit[0] && address - CORE_LDM_BASE >= CORE_LDM_MAX;
    }
    set_bit(&tile->tensix_waiters, core->id, tensix);
    set_bit(&tile->room_waiters, core->id, room);
    set_bit(&tile->stream_waiters, core->id, stream);
    if (niu || tile->niu_watchers)
        tile_niu_watched(tile, core);
}

bool tile_in_turn(const struct tile *tile, const struct core *core) {
    return tile->loose || tile_is_first(tile, core);
}

bool tile_is_first(const struct tile *tile, const struct core *core) {
    uint64_t time = core_time(core), own = time << DUE_SHIFT | core->id;
    bool first = time < tile->stop;
    if (tile->running != core->id)
        return true;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        first &= i == core->id || tile->due[i] > own;
    return first;
}

/* Runs a core whose instruction cache has blocks that other cores have too, with other words: these are decoded
 * again. */
__attribute__((noinline)) static void run_with_old_code(struct core *core, uint64_t limit, bool lockstep) {
    core_forget_blocks(core, core->fetch.shared);
    core_run(core, limit, lockstep);
    core_forget_blocks(core, core->fetch.shared);
}

static bool is_interrupted(const struct tile *tile, const struct core *core) {
    return !core->in_interrupt && pic_pending(&tile->pic, core->id);
}

/* Lets the core take an interrupt. Returns whether it cannot do so before it has completed an access that waited. */
static bool interrupt(struct tile *tile, struct core *core) {
    pic_deliver(&tile->pic, core);
    return core_repeats(core) && is_interrupted(tile, core);
}

static void run_core(struct tile *tile, const struct turn *turn) {
    unsigned i = turn->core & DUE_NUMBER;
    struct core *core = &tile->core[i];
    bool one = tile->pic_armed && interrupt(tile, core); /* only one instruction: the interrupt follows */
    tile->running = i;
    uint64_t limit = one ? core_time(core) + 1 : limit_of(tile, turn);
    BH_ASSERT(core->state == BH_CORE_RUNNING && core_time(core) == turn->core >> DUE_SHIFT);
    BH_ASSERT(limit > core_time(core) && limit <= tile->stop);
    if (tensix_has_thread(i)) /* a TRISC's pushes may run the coprocessor */
        tile->horizon = smaller(limit, turn->next_core >> DUE_SHIFT);
    if (BH_UNLIKELY(core->fetch.shared))
        run_with_old_code(core, limit, one || tile->skew == 1);
    else
        core_run(core, limit, one || tile->skew == 1);
    tile->running = NOBODY;
    tile->horizon = 0;
    note_due(tile, i);
    if (core->state != BH_CORE_RUNNING)
        note_wait(tile, core);
}

static void run_tensix(struct tile *tile, const struct turn *turn) {
    BH_ASSERT(tile->running == NOBODY && turn->tensix <= turn->core);
    tile->running = TILE_TENSIX;
    tensix_run(&tile->tensix, smaller(turn->core >> DUE_SHIFT, tile->stop));
    tile->running = NOBODY;
}

/* Runs agents up to tile->stop. Returns the time of the agent that is next then. */
static uint64_t run_agents(struct tile *tile) {
    while (true) {
        struct turn turn = next_turn(tile);
        uint64_t first = smaller(turn.core, turn.tensix);
        if (first >> DUE_SHIFT >= tile->stop)
            return first == NEVER ? NEVER : first >> DUE_SHIFT;
        bool tensix = first == turn.tensix;
        if (tensix)
            run_tensix(tile, &turn);
        else
            run_core(tile, &turn);
        note_changes(tile, tile->loose && !tensix && tensix_has_thread(turn.core & DUE_NUMBER));
    }
}

/* Delivers packets as long as every agent sleeps. Returns false if an agent has been woken or has to be. */
static bool take_packets(struct tile *tile) {
    while (tile->noc_due < tile->until) {
        if (!sleep_is_undisturbed(tile, tile->noc_due))
            return false;
        tile->time = later(tile->time, tile->noc_due);
        tile->stop = tile->noc_due;
        BH_ASSERT(tile->may_sleep_on && !(tile->agents & BH_ALL_CORES));
        tile_noc_run(tile);
        if (!sleep_is_total(tile))
            return false;
    }
    tile->time = tile->until;
    tile->next = tile->noc_due;
    tile_verify(tile);
    return true;
}

/* Returns whether every agent has slept through to the end of the run. */
static bool sleep_through(struct tile *tile) {
    tile->may_sleep_on = sleep_is_total(tile);
    if (tile->may_sleep_on && take_packets(tile))
        return true;
    tile->may_sleep_on = false;
    sleep_end_look(tile);
    return false;
}

static void set_stop(struct tile *tile) {
    tile->stop = smaller(tile->noc_due, tile->until);
    if (tile->changed || tile->woken)
        note_changes(tile, false);
}

/* Lets blocked TRISCs count the words of their rows that have been pushed. Only a core that waits has a row. */
static void count_rows(struct tile *tile) {
    enum { TRISCS = ((1 << TENSIX_THREADS) - 1) << BH_TRISC0 };
    for (unsigned left = (tile->room_waiters | tile->tensix_waiters) & TRISCS; left; left &= left - 1)
        tensix_count_row(&tile->tensix, (unsigned)__builtin_ctz(left) - BH_TRISC0);
}

/* In each cycle the NoC acts before the agents. */
bool tile_run(struct tile *tile, uint64_t until) {
    uint64_t next;
    BH_ASSERT(tile->running == NOBODY && !tile->tensix.running && until >= tile->time);
    tile->until = tile->stop_at_send ? smaller(tile->seen_from, until) : until;
    if (sleep_through(tile))
        return tile->next != NEVER;
    set_stop(tile);
    prefetch_code(tile);
    while (next = run_agents(tile), tile->stop < tile->until) {
        if (next == NEVER) {
            count_rows(tile);
            if (sleep_through(tile))
                return tile->next != NEVER;
        }
        if (next != NEVER) {
            tile->time = later(tile->time, tile->stop);
            tile_noc_run(tile);
        }
        set_stop(tile);
    }
    tile->time = tile->until;
    tile->next = smaller(next, tile->noc_due);
    count_rows(tile);
    tile_verify(tile);
    return tile->next != NEVER;
}

/* Ends the running turn; outside of a run, notifies the chip. */
static void end_turn(struct tile *tile) {
    tile->horizon = 0;
    if (tile->running < BH_CORE_COUNT)
        tile->core[tile->running].preempted = true;
    else if (tile->running == NOBODY)
        tile->port->awake(tile->owner, tile);
}

void tile_reschedule(struct tile *tile) {
    tile->changed = true;
    end_turn(tile);
}

void tile_tensix_awake(struct tile *tile) {
    tile->woken = true;
    end_turn(tile);
}

/* Returns whether a core causes the current event. While the coprocessor runs, the coprocessor does, even if a core's
 * access made it run. */
static bool caused_by_core(const struct tile *tile) {
    return tile->running < BH_CORE_COUNT && !tile->tensix.running;
}

/* Returns the cycle in which a core sees an event. In the cycle of the event, cores with a lower number than the core
 * that causes it have already run. */
static uint64_t seen_from(const struct tile *tile, unsigned core, uint64_t time) {
    bool late = tile->by_tensix || (caused_by_core(tile) && core < tile->running);
    return late ? time + 1 : time;
}

static void wake(struct tile *tile, unsigned i, uint64_t time, uint32_t offset) {
    BH_ASSERT(tile->core[i].state == BH_CORE_BLOCKED || tile->core[i].state == BH_CORE_POLLING);
    core_wake(&tile->core[i], time, offset);
    note_due(tile, i);
}

/* Wakes a core that may wait for this event; the core tries again. Returns whether the core may act now. */
static bool wake_core(struct tile *tile, unsigned i, uint64_t time) {
    struct core *core = &tile->core[i];
    if (tensix_has_thread(i))
        tensix_detach_row(&tile->tensix, i - BH_TRISC0);
    bool polls = core->state == BH_CORE_POLLING;
    bool waits = core->state == BH_CORE_BLOCKED || (polls && core->watches_registers);
    if (!waits && !is_interrupted(tile, core))
        return false;
    /* It is unknown which of several words has changed: the next whole round sees the change */
    if (waits || polls)
        wake(tile, i, time, core->watch_count == 1 ? core->watch[0].offset : 0);
    return waits || polls || core->state == BH_CORE_RUNNING;
}

/* Ends the running turn, because a core has been woken at this time. The core may push, so a running coprocessor stops
 * there. */
static void give_way(struct tile *tile, uint64_t time) {
    if (tile->running != NOBODY && tile->tensix.running)
        tensix_stop_at(&tile->tensix, time);
    tile->woken = true;
    end_turn(tile);
}

void tile_row_pushed(struct tile *tile, unsigned thread, unsigned count, uint64_t time, bool last) {
    struct core *core = &tile->core[BH_TRISC0 + thread];
    BH_ASSERT(core->state == BH_CORE_BLOCKED);
    core_pushed(core, count, time);
    if (!last)
        return;
    wake(tile, core->id, time, 0);
    give_way(tile, time);
}

static void detach_rows(struct tile *tile) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        tensix_detach_row(&tile->tensix, i);
}

void tile_event(struct tile *tile, uint64_t time) {
    bool woken = false;
    tile->pic_armed = pic_armed(&tile->pic);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        woken |= wake_core(tile, i, seen_from(tile, i, time));
    if (woken)
        give_way(tile, time);
}

/* A core that sleeps in a loop continues in the iteration that contains this time. */
void tile_rouse(struct tile *tile, unsigned number, uint64_t time) {
    struct core *core = &tile->core[number];
    if (tensix_has_thread(number))
        tensix_detach_row(&tile->tensix, number - BH_TRISC0);
    if (core->state == BH_CORE_PAUSED)
        core->state = BH_CORE_BLOCKED; /* to an observer, the core has waited in the instruction */
    if (core->state == BH_CORE_POLLING)
        wake(tile, number, time, core->poll_cycles - 1);
    else if (core->state == BH_CORE_BLOCKED)
        wake(tile, number, seen_from(tile, number, time), 0);
    give_way(tile, time);
}

void tile_event_at(struct tile *tile, uint64_t time, unsigned cores) {
    bool woken = false;
    for (unsigned left = cores; left; left &= left - 1)
        woken |= wake_core(tile, (unsigned)__builtin_ctz(left), time);
    if (woken)
        give_way(tile, time);
}

void tile_niu_event(struct tile *tile, uint64_t time, unsigned cores) {
    bool tensix = tile->woken;
    tile_event_at(tile, time, cores);
    tile->woken = tensix;
}

/* Returns whether there may be room for the core's push. There is none if only a pass makes room, since a pass would
 * have woken the core. */
static bool may_have_room(const struct tensix *x, unsigned thread, uint64_t time) {
    const struct tensix_thread *t = &x->thread[thread];
    if (!t->room_wanted || frontend_has_room(&t->frontend))
        return true;
    return t->room_at ? t->room_at <= time : frontend_may_consume(&t->frontend);
}

/* Returns those of the cores that still wait. A core that another event has woken runs, but is still listed as
 * waiting. */
static inline unsigned still_waiting(const struct tile *tile, unsigned cores) {
    unsigned waiting = 0;
    for (unsigned left = cores; left; left &= left - 1)
        if (tile->core[__builtin_ctz(left)].state != BH_CORE_RUNNING)
            waiting |= left & -left;
    return BH_LIKELY(!tile->pic_armed) ? waiting : cores; /* an interrupt may concern any core */
}

/* Wakes waiting cores, except those that wait for room when there cannot be any. */
static __attribute__((noinline)) void wake_waiters(struct tile *tile, uint64_t time, unsigned waiters) {
    for (unsigned left = waiters & tile->room_waiters & ~tile->tensix_waiters; left; left &= left - 1)
        if (!may_have_room(&tile->tensix, (unsigned)__builtin_ctz(left) - BH_TRISC0, time))
            waiters &= ~(left & -left);
    tile_event_at(tile, time, waiters);
}

void tile_tensix_event(struct tile *tile, uint64_t time, unsigned cores) {
    unsigned waiters = still_waiting(tile, (tile->tensix_waiters | tile->room_waiters) & cores);
    if (BH_UNLIKELY(waiters))
        wake_waiters(tile, time, waiters);
}

static bool polls_stream(const struct core *core, uint32_t address) {
    for (unsigned i = 0; i < core->watch_count; i++)
        if (core->watch[i].address / OVERLAY_STREAM_SIZE == address / OVERLAY_STREAM_SIZE)
            return core->state == BH_CORE_POLLING;
    return false;
}

void tile_stream_event(struct tile *tile, uint64_t time, uint32_t address) {
    unsigned cores = 0;
    for (unsigned left = tile->stream_waiters; left; left &= left - 1)
        if (polls_stream(&tile->core[__builtin_ctz(left)], address))
            cores |= left & -left;
    tile_event_at(tile, time, cores);
}

/* Returns the first word among these bytes that a sleeping core watches (the code of its loop counts too); NULL if
 * there is none. */
static const struct core_watch *watched(const struct core *core, uint32_t first, uint32_t last) {
    static const struct core_watch the_loop = { 0 };
    if (core->state != BH_CORE_POLLING)
        return NULL;
    if (core->pc <= last && core->poll_pc + 3 >= first)
        return &the_loop;
    for (unsigned i = 0; i < core->watch_count; i++)
        if (core->watch[i].address <= last && core->watch[i].address + core->watch[i].size > first)
            return &core->watch[i];
    return NULL;
}

static bool tensix_watches(const struct tile *tile, uint32_t first, uint32_t last) {
    return tile->watch_size && tile->watch_address <= last && tile->watch_address + tile->watch_size > first;
}

static bool wake_watchers(struct tile *tile, uint32_t first, uint32_t last, uint64_t time) {
    bool woken = false;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        const struct core_watch *watch = watched(&tile->core[i], first, last);
        if (!watch)
            continue;
        wake(tile, i, seen_from(tile, i, time), watch->offset);
        woken = true;
    }
    if (tensix_watches(tile, first, last)) {
        tensix_l1_written(&tile->tensix, first, last - first + 1, caused_by_core(tile) ? time + 1 : time);
        woken = true;
    }
    return woken;
}

/* ---- Instruction caches: cores that have code which L1 no longer has ------------------------------------------- */

/* Records which blocks with outdated words of this core another core has too. The slots of these blocks are decoded
 * again for each of the cores. */
static void note_shared(struct tile *tile, struct core *core) {
    core->fetch.shared = 0;
    for (uint32_t left = core->fetch.old; left; left &= left - 1) {
        uint32_t block = fetch_block_of(&core->fetch, (unsigned)__builtin_ctz(left));
        for (unsigned i = 0; i < BH_CORE_COUNT; i++)
            if (i != core->id && fetch_entry_of(&tile->core[i].fetch, block) != FETCH_ENTRIES)
                core->fetch.shared |= left & -left;
    }
}

static void code_written(struct tile *tile, uint32_t address, uint32_t size) {
    for (unsigned i = 0; i < BH_CORE_COUNT && !tile->loose; i++)
        fetch_written(&tile->core[i].fetch, address, size);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tile->core[i].fetch.old)
            note_shared(tile, &tile->core[i]);
}

/* Another core may have outdated words of this block, and may have decoded them. */
void tile_code_cached(struct tile *tile, struct core *core) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct core *other = &tile->core[i];
        unsigned entry = other->fetch.old ? fetch_entry_of(&other->fetch, core->fetch.block) : FETCH_ENTRIES;
        if (i == core->id || entry == FETCH_ENTRIES || !(other->fetch.old >> entry & 1))
            continue;
        core_forget_blocks(other, 1u << entry);
        other->fetch.shared |= 1u << entry;
    }
}

void tile_invalidate(struct tile *tile, unsigned cores) {
    for (unsigned left = cores & tile_cores(tile); left && !tile->loose; left &= left - 1)
        core_invalidate(&tile->core[__builtin_ctz(left)]);
}

/* Removes the mark of a grain that no sleeping core watches any more. */
static void refresh_mark(struct tile *tile, uint32_t grain) {
    uint32_t first = grain << CORE_CODE_GRAIN, last = first + (1u << CORE_CODE_GRAIN) - 1;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (watched(&tile->core[i], first, last))
            return;
    if (tensix_watches(tile, first, last))
        return;
    tile->marks[grain] &= (uint8_t)~MARK_WATCHED;
}

__attribute__((noinline)) static void marks_written(struct tile *tile, uint32_t address, uint32_t size, uint64_t time,
                                                    unsigned marks) {
    uint32_t last = address + size - 1;
    if (marks & MARK_CODE) {
        core_forget(tile->slots, tile->marks, address, size);
        code_written(tile, address, size);
        detach_rows(tile); /* the rows' words may be among these bytes */
    }
    bool woken = wake_watchers(tile, address, last, time);
    for (uint32_t grain = address >> CORE_CODE_GRAIN; grain <= last >> CORE_CODE_GRAIN; grain++)
        if (tile->marks[grain] & MARK_WATCHED)
            refresh_mark(tile, grain);
    if (woken)
        give_way(tile, time);
}

void tile_l1_notify(struct tile *tile, uint32_t address, uint32_t size, uint64_t time) {
    unsigned marks = 0;
    for (uint32_t grain = address >> CORE_CODE_GRAIN; grain <= (address + size - 1) >> CORE_CODE_GRAIN; grain++)
        marks |= tile->marks[grain];
    if (BH_UNLIKELY(marks & MARK_DEBUG))
        debug_written(tile, address, size, time);
    if (marks & (MARK_CODE | MARK_WATCHED))
        marks_written(tile, address, size, time, marks);
}
