/* Chip time: epochs, the faults they leave behind, and why bh_run came back.
 *
 * Epochs end at multiples of CHIP_EPOCH, wherever bh_run was entered. Faults of an epoch are reported after it, ordered
 * by cycle, then tile, then core, then Tensix thread, so that the order does not depend on host threads.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "chip/chip.h"
#include "chip/pool.h"
#include "chip/run.h"

/* ---- Tiles ---------------------------------------------------------------------------------- */

void run_tiles(const struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until,
               uint64_t asleep[CHIP_AWAKE_WORDS]) {
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++) {
        asleep[word] = 0;
        for (uint64_t left = set[word]; left;) {
            unsigned bit = (unsigned)__builtin_ctzll(left);
            left &= left - 1;
            if (left) /* the next one's cores come closer while this one runs */
                tile_prefetch(chip->tile[word * 64 + (unsigned)__builtin_ctzll(left)]);
            if (!tile_run(chip->tile[word * 64 + bit], until))
                asleep[word] |= UINT64_C(1) << bit;
        }
    }
}

/* Called by a tile on the thread that runs it: nothing here but fault_pending is shared between tiles. */
static void tile_faulted(void *owner, struct tile *tile, const struct bh_fault *fault) {
    struct bh_chip *chip = owner;
    unsigned bit = fault->core < 0 ? BH_CORE_COUNT + (unsigned)fault->thread : (unsigned)fault->core;
    if (fault->core < 0)
        tile->tensix.thread[fault->thread].fault.tile = tile->xy; /* the coprocessor does not know where it is */
    chip->fresh_faults[tile->index] |= (uint8_t)(1u << bit);
    atomic_store_explicit(&chip->fault_pending, true, memory_order_relaxed);
    if (!chip->in_epoch)
        chip->idle = false;
}

/* In an epoch only the running tile wakes itself, and the result of tile_run says so too. */
static void tile_woke(void *owner, struct tile *tile) {
    struct bh_chip *chip = owner;
    if (chip->in_epoch)
        return;
    chip->awake[tile->index / 64] |= UINT64_C(1) << (tile->index % 64);
    chip->touched[tile->index] = true;
    chip->idle = false;
}

const struct tile_port chip_tile_port = { .fault = tile_faulted, .awake = tile_woke };

/* ---- Epochs ------------------------------------------------------------------------------------ */

static inline bool any_awake(const struct bh_chip *chip) {
    uint64_t any = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->awake[i];
    return any != 0;
}

static void run_epoch(struct bh_chip *chip, uint64_t until) {
    chip->in_epoch = true;
    if (chip->pool) {
        pool_run(chip->pool, until);
    } else {
        uint64_t asleep[CHIP_AWAKE_WORDS];
        run_tiles(chip, chip->awake, until, asleep);
        for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
            chip->awake[i] &= ~asleep[i];
    }
    chip->in_epoch = false;
    chip->time = until;
}

/* ---- Faults -------------------------------------------------------------------------------------- */

enum { FAULTS_A_TILE = BH_CORE_COUNT + TENSIX_THREADS };
_Static_assert(FAULTS_A_TILE <= 8, "fresh_faults has eight bits a tile");

struct fault_ref {
    const struct bh_fault *fault;
    unsigned order; /* tile, then core, then thread */
};

static const struct bh_fault *fault_of(const struct tile *tile, unsigned bit) {
    return bit < BH_CORE_COUNT ? &tile->core[bit].fault : &tile->tensix.thread[bit - BH_CORE_COUNT].fault;
}

static int earlier(const void *left, const void *right) {
    const struct fault_ref *a = left, *b = right;
    if (a->fault->cycle != b->fault->cycle)
        return a->fault->cycle < b->fault->cycle ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static unsigned collect(struct bh_chip *chip, struct fault_ref *list) {
    unsigned count = 0;
    for (unsigned tile = 0; tile < TOPOLOGY_TILES; tile++) {
        for (unsigned bit = 0; chip->fresh_faults[tile] >> bit; bit++) {
            if (!(chip->fresh_faults[tile] >> bit & 1))
                continue;
            list[count++] = (struct fault_ref){ fault_of(chip->tile[tile], bit), tile * FAULTS_A_TILE + bit };
        }
        chip->fresh_faults[tile] = 0;
    }
    atomic_store_explicit(&chip->fault_pending, false, memory_order_relaxed);
    return count;
}

static inline bool fault_pending(const struct bh_chip *chip) {
    return atomic_load_explicit(&chip->fault_pending, memory_order_relaxed);
}

/* Tells the owner of every new fault; true if there was one, the first of them in *first. */
static bool report_faults(struct bh_chip *chip, struct bh_fault *first) {
    struct fault_ref list[TOPOLOGY_TILES * FAULTS_A_TILE];
    if (!fault_pending(chip))
        return false;
    unsigned count = collect(chip, list);
    qsort(list, count, sizeof list[0], earlier);
    *first = *list[0].fault;
    for (unsigned i = 0; i < count && chip->config.on_fault; i++) {
        struct bh_fault fault = *list[i].fault; /* a copy: the callback may reset the core */
        chip->config.on_fault(chip->config.user, chip, &fault);
    }
    return true;
}

/* ---- bh_run -------------------------------------------------------------------------------------- */

static unsigned count_waiting(const struct bh_chip *chip) {
    unsigned count = 0;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (!chip->touched[i])
            continue;
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            enum bh_core_state state = chip->tile[i]->core[core].state;
            count += state == BH_CORE_POLLING || state == BH_CORE_BLOCKED;
        }
    }
    return count;
}

static enum bh_stop_reason run_busy(struct bh_chip *chip, uint64_t end, unsigned flags, struct bh_fault *first) {
    bool faulted = report_faults(chip, first);
    while (chip->time < end && !(faulted && flags & BH_RUN_STOP_ON_FAULT)) {
        if (!any_awake(chip)) {
            if (flags & BH_RUN_STOP_ON_IDLE)
                return faulted ? BH_STOP_FAULT : chip_deadlock(chip, first) ? BH_STOP_DEADLOCK : BH_STOP_IDLE;
            chip->time = end;
            break;
        }
        uint64_t boundary = (chip->time | (CHIP_EPOCH - 1)) + 1;
        run_epoch(chip, boundary < end && boundary > chip->time ? boundary : end);
        struct bh_fault next;
        if (report_faults(chip, &next) && !faulted) {
            faulted = true;
            *first = next;
        }
    }
    return faulted && flags & BH_RUN_STOP_ON_FAULT ? BH_STOP_FAULT : BH_STOP_CYCLES;
}

static bh_status fill_stop(const struct bh_chip *chip, struct bh_stop *stop, enum bh_stop_reason reason,
                           const struct bh_fault *fault) {
    if (!stop)
        return BH_OK;
    *stop = (struct bh_stop){ .reason = reason, .cycle = chip->time, .waiting = count_waiting(chip) };
    if (reason == BH_STOP_FAULT || reason == BH_STOP_DEADLOCK)
        stop->fault = *fault;
    return BH_OK;
}

/* Apart from bh_run, whose first lines must not pay for this function's frame. */
__attribute__((noinline)) static bh_status run(bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    struct bh_fault fault;
    uint64_t end = cycles > UINT64_MAX - chip->time ? UINT64_MAX : chip->time + cycles;
    enum bh_stop_reason reason = run_busy(chip, end, flags, &fault);
    chip->idle = !any_awake(chip) && !fault_pending(chip);
    chip->unsettled = false;
    return fill_stop(chip, stop, reason, &fault);
}

bh_status bh_run(bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    /* Nothing can happen: time passes, that is all. */
    if (BH_LIKELY(chip->idle && !stop && !flags && cycles <= UINT64_MAX - chip->time)) {
        chip->time += cycles;
        return BH_OK;
    }
    return run(chip, cycles, flags, stop);
}

uint64_t bh_cycle(const bh_chip *chip) {
    return chip->time;
}

bool bh_deadlocked(const bh_chip *chip) {
    struct bh_fault fault;
    return !any_awake(chip) && chip_deadlock(chip, &fault);
}

bool bh_unsettled(const bh_chip *chip) {
    return chip->unsettled;
}

unsigned bh_epoch(const bh_chip *chip) {
    (void)chip;
    return CHIP_EPOCH;
}
