/* Chip time: epochs, the faults that they leave, and the reasons why bh_run returns.
 *
 * The length of an epoch depends on packets in flight and on the next due time, never on which cores are awake. While
 * packets are in flight, an epoch is shorter than the shortest route through a NoC, so that every packet arrives at its
 * time. Otherwise the epochs grow to a sixteenth of the time since the last packet, up to CHIP_EPOCH; then the next
 * packet may come late, at the end of its epoch. As long as nothing is in flight and only one tile has something to do,
 * no packet can be late: the epoch lasts until the next tile has something to do, and ends early if the only tile
 * sends. Epochs end at multiples of their length. If the end of a run cuts an epoch short, the next run continues it.
 *
 * With loose timing epochs are long, except for a while after all agents had to wait for each other, because such a
 * wait lasts to the end of an epoch.
 *
 * Faults of an epoch are reported after it, ordered by cycle, then tile, then core, then thread, so that the order does
 * not depend on host threads.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/host_clock.h"
#include "base/list.h"
#include "base/order.h"
#include "chip/chip.h"
#include "chip/loose.h"
#include "chip/pool.h"
#include "chip/run.h"
#include "chip/save.h"
#include "tile/sleep.h"

/* ---- Tiles ---------------------------------------------------------------------------------- */

#define NEVER UINT64_MAX

unsigned run_due(struct bh_chip *chip, uint64_t until, uint64_t set[CHIP_AWAKE_WORDS]) {
    unsigned count = 0;
#pragma GCC unroll 4
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++) {
        set[word] = 0;
        for (uint64_t left = chip->awake[word] & ~chip->held[word]; left; left &= left - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(left);
            bool due = chip->due[word * 64 + bit] < until;
            set[word] |= (uint64_t)due << bit;
            count += due;
        }
    }
    return count;
}

static inline void run_tile(struct bh_chip *chip, unsigned index, uint64_t until, const struct run_notes *notes) {
    struct tile *tile = chip->tile[index];
    uint64_t bit = UINT64_C(1) << index % 64, *waiting = &notes->waiting[index / 64];
    BH_ASSERT(chip->made[index] && chip->in_epoch && tile->index == index);
    if (BH_UNLIKELY(tile->mail.pool_number != EXCHANGE_THREAD_POOL + notes->thread))
        mail_write_to(&tile->mail, EXCHANGE_THREAD_POOL + notes->thread);
    if (!tile_run(tile, until))
        notes->awake[index / 64] &= ~bit;
    chip->due[index] = tile->next;
    BH_ASSERT(tile->next >= tile->time || tile->loose);
    if (mail_is_full(&tile->mail))
        notes->queued[index / 64] |= bit;
    *waiting = tile->mail.inbox.count ? *waiting | bit : *waiting & ~bit;
}

static inline bool is_looking(const struct bh_chip *chip, unsigned index) {
    return chip->made[index] && chip->tile[index]->look_from != NEVER;
}

void run_end_looks(struct bh_chip *chip) {
    struct run_notes notes = run_notes_of(chip);
    bool in_epoch = chip->in_epoch;
    chip->in_epoch = true;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct tile *tile = chip->tile[i];
        if (!is_looking(chip, i))
            continue;
        tile->time = later(tile->time, chip->time);
        sleep_end_look(tile);
        run_tile(chip, i, chip->time, &notes);
    }
    chip->in_epoch = in_epoch;
}

static void prefetch(const struct bh_chip *chip, unsigned index) {
    tile_prefetch(chip->tile[index], chip->running_cores[index]);
    __builtin_prefetch(chip->coming[index]);
}

/* Notes what to prefetch when the tile runs again. */
static void note_next(struct bh_chip *chip, unsigned index) {
    const struct tile *tile = chip->tile[index];
    const struct mail *mail = &tile->mail;
    chip->running_cores[index] = tile->agents;
    chip->coming[index] = mail->inbox.count ? mail_read(mail, &mail->inbox.heap[0]) : NULL;
}

void run_tiles(struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until,
               const struct run_notes *notes) {
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++) {
        for (uint64_t left = set[word]; left;) {
            unsigned index = word * 64 + (unsigned)__builtin_ctzll(left);
            left &= left - 1;
            if (left) /* prefetch the next tile while this one runs */
                prefetch(chip, word * 64 + (unsigned)__builtin_ctzll(left));
            run_tile(chip, index, until, notes);
            note_next(chip, index);
        }
    }
}

static inline bool fault_pending(const struct bh_chip *chip) {
    return atomic_load_explicit(&chip->fault_pending, memory_order_relaxed);
}

/* Called by a tile on the host thread that runs it. Tiles share only fault_pending. */
static void tile_faulted(void *owner, struct tile *tile, const struct bh_fault *fault) {
    struct bh_chip *chip = owner;
    unsigned bit = fault->core < 0 ? BH_CORE_COUNT + (unsigned)fault->thread : (unsigned)fault->core;
    if (fault->core < 0)
        tile->tensix.thread[fault->thread].fault.tile = tile->xy; /* the coprocessor does not know its tile */
    chip->fresh_faults[tile->index] |= (uint8_t)(1u << bit);
    if (BH_UNLIKELY(chip->debug != NULL))
        chip_debug_fault(chip, tile->index, bit);
    atomic_store_explicit(&chip->fault_pending, true, memory_order_relaxed);
    if (!chip->in_epoch)
        chip->idle = false;
}

/* Inside an epoch only the running tile wakes itself, which tile_run reports anyway. Outside an epoch the host has
 * woken the tile; then the epoch ends now, because its assumptions, such as open_ended_epoch, may no longer hold. */
static void tile_woke(void *owner, struct tile *tile) {
    struct bh_chip *chip = owner;
    if (chip->in_epoch) {
        if (BH_UNLIKELY(chip->in_debug)) { /* a debugger has woken a tile that does not run */
            tile->changed = true;
            chip_wake(chip, tile->index, chip->time);
        }
        return;
    }
    if (chip->idle)
        chip->quiet_since = chip->time;
    chip->epoch_end = chip->time;
    tile->time = later(tile->time, chip->time);
    chip->queued[tile->index / 64] |= UINT64_C(1) << tile->index % 64;
    if (tile->mail.inbox.count) /* a packet that the host makes the tile send to itself */
        chip->waiting[tile->index / 64] |= UINT64_C(1) << tile->index % 64;
    tile->changed = true;
    chip_wake(chip, tile->index, chip->time);
}

const struct tile_port chip_tile_port = { .fault = tile_faulted, .awake = tile_woke, .memory = loose_memory };

/* ---- Epochs ------------------------------------------------------------------------------------ */

/* The tile that has something to do first, and the time at which the next tile does. */
struct next_work {
    uint64_t first, second; /* NEVER: no tile */
    uint64_t served;        /* time of the first request to a served tile, or of the next packet that leaves */
    unsigned tile;          /* number of the first tile */
};

static struct next_work find_next_work(const struct bh_chip *chip) {
    struct next_work next = { NEVER, NEVER, exchange_due(&chip->exchange), TOPOLOGY_NONE };
#pragma GCC unroll 4
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++)
        for (uint64_t left = chip->awake[word]; left; left &= left - 1) {
            unsigned index = word * 64 + (unsigned)__builtin_ctzll(left);
            uint64_t due = chip->due[index], later = due > next.first ? due : next.first;
            next.tile = due < next.first ? index : next.tile;
            next.first = due < next.first ? due : next.first;
            next.second = later < next.second ? later : next.second;
        }
    if (BH_UNLIKELY(chip_is_loose(chip) && chip_holds_any(chip)))
        next.served = smaller(next.served, chip->time);
    return next;
}

/* Returns a power of two times `length` that grows with the time since the last packet, or since the last wait. */
static inline uint64_t grown(uint64_t length, uint64_t silence) {
    while (length < CHIP_EPOCH && 2 * length <= silence)
        length *= 2;
    return length;
}

/* Returns the length of an epoch. Without packets in flight it is at most a sixteenth of the time since the last
 * packet. */
static inline uint64_t epoch_length(struct bh_chip *chip, uint64_t start, bool in_flight) {
    enum { SHARE = 16 };
    if (in_flight)
        chip->quiet_since = start & ~(uint64_t)(CHIP_SHORT_EPOCH - 1);
    return in_flight ? CHIP_SHORT_EPOCH : grown(CHIP_SHORT_EPOCH, (start - chip->quiet_since) / SHARE);
}

/* Returns the length of an epoch with loose timing in which some tile has something to do. It grows with the time since
 * all agents last waited. */
static uint64_t loose_length(const struct bh_chip *chip, uint64_t start) {
    return grown(CHIP_LOOSE_EPOCH, start - chip->quiet_since);
}

static uint64_t next_multiple(uint64_t time, uint64_t length) {
    return (time / length + 1) * length;
}

/* Notes which tile is the only one to run before the end of the epoch: one, none or several. */
static void choose_only_tile(struct bh_chip *chip, const struct next_work *next) {
    chip->only_tile = next->second < chip->epoch_end ? CHIP_SEVERAL : (uint8_t)next->tile;
}

static void begin_epoch(struct bh_chip *chip, uint64_t start, const struct next_work *next) {
    chip->open_ended_epoch = false;
    if (chip->config.epoch || chip_is_loose(chip)) {
        chip->epoch_end = next_multiple(start, chip->config.epoch ? chip->config.epoch : loose_length(chip, start));
        choose_only_tile(chip, next);
        return;
    }
    bool in_flight = exchange_in_flight(chip);
    uint64_t length = epoch_length(chip, start, in_flight),
             only_until = (start & ~(uint64_t)(CHIP_EPOCH - 1)) + CHIP_EPOCH;
    uint64_t second = next->second < next->served ? next->second : next->served;
    chip->epoch_end = (start & ~(length - 1)) + length;
    BH_ASSERT(chip->epoch_end > start && (length & (length - 1)) == 0 && length <= CHIP_EPOCH);
    choose_only_tile(chip, next);
    if (second < only_until)
        only_until = second;
    if (in_flight || next->first >= next->served || only_until <= chip->epoch_end)
        return;
    BH_ASSERT(chip->only_tile < TOPOLOGY_TILES && only_until <= next->second);
    chip->open_ended_epoch = true;
    chip->epoch_end = only_until;
}

/* Creates the host threads when there is work for them for the first time. Returns whether there are several. The
 * result of a run does not depend on them. */
static bool have_threads(struct bh_chip *chip) {
    if (chip->threads > 1 && !chip->pool) {
        chip->pool = pool_create(chip, chip->threads);
        if (!chip->pool)
            chip->threads = 1;
        exchange_wire_pools(chip);
    }
    return chip->threads > 1;
}

/* Returns whether host threads are worth their cost for this work (in cycles of tiles). For little work they are not,
 * unless tiles do much in each cycle. */
static bool is_worth_threads(const struct bh_chip *chip, uint64_t work) {
    enum { WORTH_IT = 1024, NANOSECONDS = 10000 };
    double pace = chip->pace[0] < chip->pace[1] ? chip->pace[0] : chip->pace[1];
    return work >= WORTH_IT || (double)work * pace >= NANOSECONDS;
}

/* Runs tiles on the caller's host thread. If there could be several host threads, times one such epoch in SAMPLE. */
static void run_short(struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until, uint64_t work) {
    enum { SAMPLE = 16 };
    struct run_notes notes = run_notes_of(chip);
    bool timed = chip->threads > 1 && chip->short_epochs++ % SAMPLE == 0;
    uint64_t start = timed ? host_nanoseconds() : 0;
    run_tiles(chip, set, until, &notes);
    if (timed) /* two measurements, because the host may have been busy in one */
        chip->pace[chip->short_epochs / SAMPLE % 2] = (double)(host_nanoseconds() - start) / (double)work;
}

static void run_several(struct bh_chip *chip, uint64_t until) {
    uint64_t set[CHIP_AWAKE_WORDS];
    unsigned count = run_due(chip, until, set);
    uint64_t work = count * (until - chip->time);
    if (count > 1 && !chip->hazards && !chip->debug && is_worth_threads(chip, work) && have_threads(chip))
        pool_run(chip->pool, set, count, until);
    else if (count)
        run_short(chip, set, until, work);
}

static inline bool is_due(const struct bh_chip *chip, unsigned index, uint64_t until) {
    return chip->due[index] < until && (chip->awake[index / 64] & ~chip->held[index / 64]) >> index % 64 & 1;
}

/* With open_ended_epoch, the tile stops at the cycle in which other tiles could see what it has sent. */
static void run_only_tile(struct bh_chip *chip, uint64_t until) {
    struct tile *tile = chip->tile[chip->only_tile];
    struct run_notes notes = run_notes_of(chip);
    if (!chip->open_ended_epoch && !is_due(chip, chip->only_tile, until))
        return;
    BH_ASSERT(chip->only_tile < TOPOLOGY_TILES && chip->made[chip->only_tile] && !tile->stop_at_send);
    tile->stop_at_send = chip->open_ended_epoch;
    run_tile(chip, chip->only_tile, until, &notes);
    tile->stop_at_send = false;
    if (chip->open_ended_epoch && tile->seen_from < chip->epoch_end)
        chip->epoch_end = tile->seen_from;
}

static bool is_any_tile_awake(const struct bh_chip *chip) {
    uint64_t any = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->awake[i];
    return any;
}

/* Returns whether tiles exchange packets now. With loose timing they also do so at the end of every run, because the
 * host has to see the effects of deferred transactions. */
static inline bool exchanges_now(struct bh_chip *chip) {
    if (!chip_is_loose(chip))
        return chip->time >= chip->epoch_end;
    if (!is_any_tile_awake(chip))
        chip->quiet_since = chip->time;
    return true;
}

static void run_epoch(struct bh_chip *chip, uint64_t until) {
    BH_ASSERT(!chip->in_epoch && until > chip->time && until <= chip->epoch_end);
    chip->in_epoch = true;
    if (chip->only_tile == CHIP_SEVERAL)
        run_several(chip, until);
    else if (chip->only_tile != TOPOLOGY_NONE)
        run_only_tile(chip, until);
    BH_ASSERT(chip->epoch_end >= chip->time && until >= chip->time);
    chip->time = until < chip->epoch_end ? until : chip->epoch_end;
    chip->in_epoch = false;
    if (BH_UNLIKELY(chip->debug != NULL))
        chip_debug_epoch(chip);
    if (exchanges_now(chip))
        exchange(chip);
    if (BH_UNLIKELY(fault_pending(chip)))
        run_end_looks(chip);
    if (BH_UNLIKELY(chip->observers))
        chip_report_events(chip);
}

/* ---- Faults -------------------------------------------------------------------------------------- */

enum { FAULTS_A_TILE = BH_CORE_COUNT + TENSIX_THREADS, FAULTS_MAX = 2 * TOPOLOGY_TILES * FAULTS_A_TILE };
_Static_assert(FAULTS_A_TILE <= 8, "fresh_faults has eight bits a tile");

struct fault_ref {
    const struct bh_fault *fault;
    unsigned order; /* tile, then core, then thread; orphan faults last */
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
    for (uint32_t i = 0; i < chip->exchange.orphan_count && count < FAULTS_MAX; i++)
        list[count++] = (struct fault_ref){ &chip->exchange.orphan[i], TOPOLOGY_TILES * FAULTS_A_TILE + i };
    chip->exchange.orphan_count = 0;
    atomic_store_explicit(&chip->fault_pending, false, memory_order_relaxed);
    return count;
}

/* Keeps a fault for member_report, because this host thread may not be the one that runs the system. */
static void keep_fault(struct bh_chip *chip, const struct bh_fault *fault) {
    struct bh_fault *list = list_room(chip->unreported, chip->unreported_count, &chip->unreported_room, sizeof *list);
    if (!list)
        return;
    chip->unreported = list;
    chip->unreported[chip->unreported_count++] = *fault;
}

/* Passes every new fault to on_fault. Returns whether there was one, and sets *first to the first. */
static bool report_faults(struct bh_chip *chip, struct bh_fault *first) {
    struct fault_ref list[FAULTS_MAX];
    if (!fault_pending(chip))
        return false;
    unsigned count = collect(chip, list);
    qsort(list, count, sizeof list[0], earlier);
    *first = *list[0].fault;
    for (unsigned i = 0; i < count && chip->config.on_fault; i++) {
        struct bh_fault fault = *list[i].fault; /* a copy, because the callback may reset the core */
        if (chip->is_member)
            keep_fault(chip, &fault);
        else
            chip->config.on_fault(chip->config.user, chip, &fault);
    }
    return true;
}

/* ---- Internal errors ------------------------------------------------------------------------------ */

static inline bool is_broken(const struct bh_chip *chip) {
    return atomic_load_explicit(&chip->is_broken, memory_order_relaxed);
}

/* Names the first tile with a failed check; the order of tiles does not depend on host threads. */
static bh_status internal_error(const struct bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        const struct tile *tile = chip->tile[i];
        const char *where = chip->made[i] ? tile->error.where : NULL;
        if (where)
            return chip_fail(chip, BH_ERR_INTERNAL, "%s, tile (%u,%u), before cycle %llu: a bug of bhemu", where,
                             tile->xy.x, tile->xy.y, (unsigned long long)chip->time);
    }
    return chip_fail(chip, BH_ERR_INTERNAL, "%s, before cycle %llu: a bug of bhemu", chip->error.where,
                     (unsigned long long)chip->time);
}

/* ---- bh_run -------------------------------------------------------------------------------------- */

/* Returns whether nothing can happen unless the host acts. */
static bool nothing_to_do(const struct bh_chip *chip) {
    const struct exchange *x = &chip->exchange;
    uint64_t any = x->mail.inbox.count | x->mail.outbox.count | departures_count(&x->leaving);
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->awake[i] | chip->queued[i];
    return any == 0;
}

unsigned run_count_waiting(const struct bh_chip *chip) {
    unsigned count = 0;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (!chip->touched[i])
            continue;
        if (chip->unread && chip->unread->tile[i].at) {
            count += chip->unread->tile[i].waiting;
            continue;
        }
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            enum bh_core_state state = chip->tile[i]->core[core].state;
            count += state == BH_CORE_POLLING || state == BH_CORE_BLOCKED;
        }
    }
    return count;
}

static enum bh_stop_reason run_idle(struct bh_chip *chip, uint64_t end, unsigned flags, bool faulted,
                                    struct bh_fault *first) {
    if (flags & RUN_REPORT_FAULT) {
        chip->time = chip->epoch_end = end;
        return faulted ? BH_STOP_FAULT : BH_STOP_CYCLES;
    }
    if (flags & BH_RUN_STOP_ON_IDLE)
        return faulted ? BH_STOP_FAULT : chip_deadlock(chip, first) ? BH_STOP_DEADLOCK : BH_STOP_IDLE;
    chip->time = chip->epoch_end = end;
    return BH_STOP_CYCLES;
}

/* Returns whether two tiles have something to do before this time. */
static inline bool are_two_due(const struct bh_chip *chip, uint64_t until) {
    unsigned count = 0;
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++)
        for (uint64_t left = chip->awake[word]; left && count < 2; left &= left - 1)
            count += chip->due[word * 64 + (unsigned)__builtin_ctzll(left)] < until;
    return count == 2;
}

/* Begins the next short epoch if packets are in flight and several tiles have something to do. The result is that of
 * begin_epoch, without a visit to all tiles. Returns false if the next epoch may be of another kind. */
static inline bool begin_short_epoch(struct bh_chip *chip) {
    uint64_t begin = chip->time & ~(uint64_t)(CHIP_SHORT_EPOCH - 1), end = begin + CHIP_SHORT_EPOCH;
    if (chip->only_tile != CHIP_SEVERAL) /* a fast test: this rarely changes */
        return false;
    if (chip->config.epoch || chip_is_loose(chip) || !exchange_in_flight(chip) || !are_two_due(chip, end))
        return false;
    chip->open_ended_epoch = false;
    chip->quiet_since = begin;
    chip->epoch_end = end;
    BH_ASSERT(end > chip->time && begin <= chip->time);
    chip->only_tile = CHIP_SEVERAL;
    return true;
}

/* Returns the turn of the first sleeping core that is about to look. Nothing else is due, but a look takes time as if
 * the core were awake, and counts as a turn. */
static __attribute__((noinline)) struct next_work find_next_look(const struct bh_chip *chip, struct next_work next) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (!is_looking(chip, i) || sleep_look_until(chip->tile[i]) < chip->time)
            continue;
        uint64_t due = later(chip->tile[i]->look_from, chip->time);
        next.second = smaller(next.second, due > next.first ? due : next.first);
        next.tile = due < next.first ? i : next.tile;
        next.first = smaller(due, next.first);
    }
    return next;
}

/* Begins the epoch that contains the next due time. Returns false if nothing is due. */
static bool begin_next_epoch(struct bh_chip *chip) {
    if (begin_short_epoch(chip))
        return true;
    struct next_work next = find_next_work(chip);
    if (BH_UNLIKELY(next.first == NEVER && next.served == NEVER))
        next = find_next_look(chip, next);
    uint64_t first = next.first < next.served ? next.first : next.served;
    if (first == NEVER)
        return false;
    if (first > chip->time + CHIP_EPOCH)
        chip->quiet_since = first; /* every agent slept: no core is that far ahead */
    begin_epoch(chip, first > chip->time ? first : chip->time, &next);
    BH_ASSERT(chip->epoch_end > chip->time);
    return true;
}

static enum bh_stop_reason run_busy(struct bh_chip *chip, uint64_t end, unsigned flags, struct bh_fault *first) {
    chip->run_end = end;
    if (chip->time >= chip->epoch_end)
        exchange(chip); /* packets that the host has caused since the last run */
    bool faulted = report_faults(chip, first);
    while (chip->time < end && !(faulted && flags & BH_RUN_STOP_ON_FAULT) && BH_LIKELY(!is_broken(chip))) {
        if (chip->time >= chip->epoch_end && !begin_next_epoch(chip))
            return run_idle(chip, end, flags, faulted, first);
        run_epoch(chip, chip->epoch_end < end ? chip->epoch_end : end);
        struct bh_fault next;
        if (report_faults(chip, &next) && !faulted) {
            faulted = true;
            *first = next;
        }
    }
    exchange_serve(chip); /* so that the host sees what has arrived before the end of the run */
    return faulted && flags & (BH_RUN_STOP_ON_FAULT | RUN_REPORT_FAULT) ? BH_STOP_FAULT : BH_STOP_CYCLES;
}

static bh_status fill_stop(const struct bh_chip *chip, struct bh_stop *stop, enum bh_stop_reason reason,
                           const struct bh_fault *fault) {
    if (!stop)
        return BH_OK;
    *stop = (struct bh_stop){ .reason = reason, .cycle = chip->time, .waiting = run_count_waiting(chip) };
    if (reason == BH_STOP_FAULT || reason == BH_STOP_DEADLOCK)
        stop->fault = *fault;
    return BH_OK;
}

static enum bh_stop_reason run_to(bh_chip *chip, uint64_t end, unsigned flags, struct bh_fault *fault) {
    chip->in_run = true;
    enum bh_stop_reason reason = run_busy(chip, end, flags, fault);
    chip->in_run = false;
    chip->idle = nothing_to_do(chip) && !fault_pending(chip) && !is_broken(chip);
    chip->unsettled = chip->commanded = false;
    return reason;
}

/* Not inlined, to keep its stack frame out of the fast path of bh_run. */
__attribute__((noinline)) static bh_status run(bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    struct bh_fault fault;
    uint64_t end = run_end_of(chip->time, cycles);
    if (BH_UNLIKELY(chip->in_run))
        return chip_fail(chip, BH_ERR_STATE, "bh_run: a run is under way");
    if (BH_UNLIKELY(flags & ~(unsigned)RUN_FLAGS))
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_run: there is no such flag in 0x%x", flags);
    enum bh_stop_reason reason = run_to(chip, end, flags, &fault);
    bh_status status = fill_stop(chip, stop, reason, &fault);
    return BH_UNLIKELY(is_broken(chip)) ? internal_error(chip) : status;
}

bh_status run_member(bh_chip *chip, uint64_t until, bool *faulted, struct bh_fault *fault) {
    *faulted = false;
    if (chip->idle)
        chip->time = until;
    if (until <= chip->time)
        return BH_OK;
    *faulted = run_to(chip, until, RUN_REPORT_FAULT, fault) == BH_STOP_FAULT;
    return BH_UNLIKELY(is_broken(chip)) ? internal_error(chip) : BH_OK;
}

bh_status bh_run(bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    if (BH_UNLIKELY(!chip))
        return BH_ERR_ARGUMENT;
    if (BH_UNLIKELY(chip->is_member))
        return chip_fail(chip, BH_ERR_STATE, "bh_run: the chip belongs to a system, which bh_system_run runs");
    /* Nothing can happen: only time passes. */
    if (BH_LIKELY(chip->idle && !stop && !flags && run_end_of(chip->time, cycles) - chip->time == cycles)) {
        chip->time += cycles;
        return BH_OK;
    }
    return run(chip, cycles, flags, stop);
}

uint64_t bh_cycle(const bh_chip *chip) {
    return chip ? chip->time : 0;
}

bool bh_deadlocked(const bh_chip *chip) {
    struct bh_fault fault;
    return chip && nothing_to_do(chip) && chip_deadlock(chip, &fault);
}

/* Returns whether the tile is in its power-on state, because nobody has used it. */
static bool is_unused(const struct bh_chip *chip, unsigned index) {
    return !chip->made[index] && !(chip->unread && chip->unread->tile[index].at);
}

/* The time of a core that waits is the cycle in which its wait began. */
uint64_t bh_asleep(const bh_chip *chip, struct bh_xy at) {
    unsigned index = 0;
    uint64_t last = 0;
    if (!chip || chip_tile_number(chip, at, &index) != BH_OK)
        return 0;
    if (is_unused(chip, index))
        return chip->time;
    const struct tile *tile = chip_made(chip, index);
    unsigned word = index / 64, bit = index % 64;
    if ((chip->awake[word] | chip->queued[word] | chip->waiting[word]) >> bit & 1)
        return 0;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        last = later(last, core_time(&tile->core[i]));
    return chip->time > last ? chip->time - last : 0;
}

bool bh_unsettled(const bh_chip *chip) {
    return chip && chip->unsettled;
}

bool bh_commanded(const bh_chip *chip) {
    return chip && chip->commanded;
}

unsigned bh_epoch(const bh_chip *chip) {
    return chip && chip->config.epoch ? chip->config.epoch : CHIP_EPOCH;
}
