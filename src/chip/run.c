/* Chip time: epochs, the faults they leave behind, and why bh_run came back.
 *
 * How long an epoch is depends on packets that are on their way and on what is due next, never on who is awake. While
 * packets are on their way it is shorter than the shortest way through a NoC, so that every packet arrives at its time.
 * In a time of silence epochs get longer, up to a sixteenth of the silence and to CHIP_EPOCH: the packet that ends the
 * silence may then come late, at the end of its epoch. As long as nothing is on its way and only one tile has something
 * to do, there is nobody who could be late: its epoch lasts until the next one has, and the tile itself ends it when it
 * sends. Epochs end at multiples of their length, and one that the end of a run has cut is gone on with in the next.
 *
 * Loosely timed epochs are long, except for a while after everybody has waited for somebody else, which takes to the
 * end of an epoch.
 *
 * Faults of an epoch are reported after it, ordered by cycle, then tile, then core, then Tensix thread, so that the
 * order does not depend on host threads.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/host_clock.h"
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
    if (BH_UNLIKELY(tile->mail.store_number != EXCHANGE_THREAD_STORE + notes->thread))
        mail_write_to(&tile->mail, EXCHANGE_THREAD_STORE + notes->thread);
    if (!tile_run(tile, until))
        notes->awake[index / 64] &= ~bit;
    chip->due[index] = tile->next;
    if (mail_is_full(&tile->mail))
        notes->posted[index / 64] |= bit;
    *waiting = tile->mail.inbox.count ? *waiting | bit : *waiting & ~bit;
}

static inline bool glances(const struct bh_chip *chip, unsigned index) {
    return chip->made[index] && chip->tile[index]->glance != NEVER;
}

void run_get_up(struct bh_chip *chip) {
    struct run_notes notes = run_notes_of(chip);
    bool in_epoch = chip->in_epoch;
    chip->in_epoch = true;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct tile *tile = chip->tile[i];
        if (!glances(chip, i))
            continue;
        tile->time = later(tile->time, chip->time);
        sleep_get_up(tile);
        run_tile(chip, i, chip->time, &notes);
    }
    chip->in_epoch = in_epoch;
}

static void prefetch(const struct bh_chip *chip, unsigned index) {
    tile_prefetch(chip->tile[index], chip->running_cores[index]);
    __builtin_prefetch(chip->coming[index]);
}

/* What will be needed first when the tile runs again. */
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
            if (left) /* the next one comes closer while this one runs */
                prefetch(chip, word * 64 + (unsigned)__builtin_ctzll(left));
            run_tile(chip, index, until, notes);
            note_next(chip, index);
        }
    }
}

static inline bool fault_pending(const struct bh_chip *chip) {
    return atomic_load_explicit(&chip->fault_pending, memory_order_relaxed);
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

/* In an epoch only the running tile wakes itself, and the result of tile_run says so too. From outside, the host does:
 * tiles meet before they go on, for what was true of this epoch, that a tile is alone for instance, may be no more. */
static void tile_woke(void *owner, struct tile *tile) {
    struct bh_chip *chip = owner;
    if (chip->in_epoch)
        return;
    if (chip->idle)
        chip->quiet_since = chip->time;
    chip->epoch_end = chip->time;
    tile->time = later(tile->time, chip->time);
    chip->posted[tile->index / 64] |= UINT64_C(1) << tile->index % 64;
    tile->changed = true;
    chip_wake(chip, tile->index, chip->time);
}

const struct tile_port chip_tile_port = { .fault = tile_faulted, .awake = tile_woke, .memory = loose_memory };

/* ---- Epochs ------------------------------------------------------------------------------------ */

/* Which tile has something to do first, and when the next one has. */
struct turn {
    uint64_t first, second; /* NEVER: none has */
    uint64_t endpoints;     /* when they have */
    unsigned tile;          /* the first one's number */
};

static struct turn next_turn(const struct bh_chip *chip) {
    struct turn turn = { NEVER, NEVER, exchange_due(&chip->exchange), TOPOLOGY_NONE };
#pragma GCC unroll 4
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++)
        for (uint64_t left = chip->awake[word]; left; left &= left - 1) {
            unsigned index = word * 64 + (unsigned)__builtin_ctzll(left);
            uint64_t due = chip->due[index], later = due > turn.first ? due : turn.first;
            turn.tile = due < turn.first ? index : turn.tile;
            turn.first = due < turn.first ? due : turn.first;
            turn.second = later < turn.second ? later : turn.second;
        }
    if (BH_UNLIKELY(chip_is_loose(chip) && chip_holds_any(chip)))
        turn.endpoints = smaller(turn.endpoints, chip->time);
    return turn;
}

/* Epochs grow with the silence, or whatever it is. */
static inline uint64_t grown(uint64_t length, uint64_t silence) {
    while (length < CHIP_EPOCH && 2 * length <= silence)
        length *= 2;
    return length;
}

/* As long as nothing is on its way, to a sixteenth of the time that this lasts. */
static inline uint64_t epoch_length(struct bh_chip *chip, uint64_t start, bool in_flight) {
    enum { SHARE = 16 };
    if (in_flight)
        chip->quiet_since = start & ~(uint64_t)(CHIP_SHORT_EPOCH - 1);
    return in_flight ? CHIP_SHORT_EPOCH : grown(CHIP_SHORT_EPOCH, (start - chip->quiet_since) / SHARE);
}

/* As long as somebody has something to do, to half of that time. */
static uint64_t loose_length(const struct bh_chip *chip, uint64_t start) {
    return grown(CHIP_LOOSE_EPOCH, start - chip->quiet_since);
}

static uint64_t next_multiple(uint64_t time, uint64_t length) {
    return (time / length + 1) * length;
}

/* Up to its end, the first tile may be the only one to run, or even that has nothing to do before. */
static void choose_sole(struct bh_chip *chip, const struct turn *turn) {
    chip->sole = turn->second < chip->epoch_end ? CHIP_SEVERAL : (uint8_t)turn->tile;
}

static void begin_epoch(struct bh_chip *chip, uint64_t start, const struct turn *turn) {
    chip->alone = false;
    if (chip->config.epoch || chip_is_loose(chip)) {
        chip->epoch_end = next_multiple(start, chip->config.epoch ? chip->config.epoch : loose_length(chip, start));
        choose_sole(chip, turn);
        return;
    }
    bool in_flight = exchange_in_flight(chip);
    uint64_t length = epoch_length(chip, start, in_flight),
             alone_until = (start & ~(uint64_t)(CHIP_EPOCH - 1)) + CHIP_EPOCH;
    uint64_t second = turn->second < turn->endpoints ? turn->second : turn->endpoints;
    chip->epoch_end = (start & ~(length - 1)) + length;
    choose_sole(chip, turn);
    if (second < alone_until)
        alone_until = second;
    if (in_flight || turn->first >= turn->endpoints || alone_until <= chip->epoch_end)
        return;
    chip->alone = true;
    chip->epoch_end = alone_until;
}

/* Threads, if the chip may have any, are made when there is work for them. Without them the result is the same. */
static bool have_threads(struct bh_chip *chip) {
    if (chip->threads > 1 && !chip->pool) {
        chip->pool = pool_create(chip, chip->threads);
        if (!chip->pool)
            chip->threads = 1;
        exchange_wire_stores(chip);
    }
    return chip->threads > 1;
}

/* work: cycles of tiles. Below that threads cost more than they bring, unless tiles have much to do in each. */
static bool is_worth_threads(const struct bh_chip *chip, uint64_t work) {
    enum { WORTH_IT = 1024, NANOSECONDS = 10000 };
    double pace = chip->pace[0] < chip->pace[1] ? chip->pace[0] : chip->pace[1];
    return work >= WORTH_IT || (double)work * pace >= NANOSECONDS;
}

/* On this thread. One such epoch in so many is timed, if there could be others. */
static void run_short(struct bh_chip *chip, const uint64_t set[CHIP_AWAKE_WORDS], uint64_t until, uint64_t work) {
    enum { SAMPLE = 16 };
    struct run_notes notes = run_notes_of(chip);
    bool timed = chip->threads > 1 && chip->short_epochs++ % SAMPLE == 0;
    uint64_t start = timed ? host_nanoseconds() : 0;
    run_tiles(chip, set, until, &notes);
    if (timed) /* two, for the host may have had other things to do */
        chip->pace[chip->short_epochs / SAMPLE % 2] = (double)(host_nanoseconds() - start) / (double)work;
}

static void run_several(struct bh_chip *chip, uint64_t until) {
    uint64_t set[CHIP_AWAKE_WORDS];
    unsigned count = run_due(chip, until, set);
    uint64_t work = count * (until - chip->time);
    if (count > 1 && is_worth_threads(chip, work) && have_threads(chip))
        pool_run(chip->pool, set, count, until);
    else if (count)
        run_short(chip, set, until, work);
}

static inline bool is_due(const struct bh_chip *chip, unsigned index, uint64_t until) {
    return chip->due[index] < until && (chip->awake[index / 64] & ~chip->held[index / 64]) >> index % 64 & 1;
}

/* A tile that is alone stops by itself where others have to know what it has sent. */
static void run_sole(struct bh_chip *chip, uint64_t until) {
    struct tile *tile = chip->tile[chip->sole];
    struct run_notes notes = run_notes_of(chip);
    if (!chip->alone && !is_due(chip, chip->sole, until))
        return;
    tile->lone = chip->alone;
    run_tile(chip, chip->sole, until, &notes);
    tile->lone = false;
    if (chip->alone && tile->seen_from < chip->epoch_end)
        chip->epoch_end = tile->seen_from;
}

static bool is_anybody_awake(const struct bh_chip *chip) {
    uint64_t any = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->awake[i];
    return any;
}

/* Loosely timed tiles meet at the end of every run too: who looks from outside has to see what they have put off. */
static inline bool do_tiles_meet(struct bh_chip *chip) {
    if (!chip_is_loose(chip))
        return chip->time >= chip->epoch_end;
    if (!is_anybody_awake(chip))
        chip->quiet_since = chip->time;
    return true;
}

static void run_epoch(struct bh_chip *chip, uint64_t until) {
    chip->in_epoch = true;
    if (chip->sole == CHIP_SEVERAL)
        run_several(chip, until);
    else if (chip->sole != TOPOLOGY_NONE)
        run_sole(chip, until);
    chip->time = until < chip->epoch_end ? until : chip->epoch_end;
    chip->in_epoch = false;
    if (do_tiles_meet(chip))
        exchange(chip);
    if (BH_UNLIKELY(fault_pending(chip)))
        run_get_up(chip);
    if (BH_UNLIKELY(chip->observers))
        chip_tell_events(chip);
}

/* ---- Faults -------------------------------------------------------------------------------------- */

enum { FAULTS_A_TILE = BH_CORE_COUNT + TENSIX_THREADS, FAULTS_MAX = 2 * TOPOLOGY_TILES * FAULTS_A_TILE };
_Static_assert(FAULTS_A_TILE <= 8, "fresh_faults has eight bits a tile");

struct fault_ref {
    const struct bh_fault *fault;
    unsigned order; /* tile, then core, then thread; at last those whose tile has nobody to blame */
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
    for (uint32_t i = 0; i < chip->exchange.loose_count && count < FAULTS_MAX; i++)
        list[count++] = (struct fault_ref){ &chip->exchange.loose[i], TOPOLOGY_TILES * FAULTS_A_TILE + i };
    chip->exchange.loose_count = 0;
    atomic_store_explicit(&chip->fault_pending, false, memory_order_relaxed);
    return count;
}

/* Tells the owner of every new fault; true if there was one, the first of them in *first. */
static bool report_faults(struct bh_chip *chip, struct bh_fault *first) {
    struct fault_ref list[FAULTS_MAX];
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

/* Nor will there be, if nobody comes from outside. */
static bool nothing_to_do(const struct bh_chip *chip) {
    uint64_t any = chip->exchange.mail.inbox.count | chip->exchange.mail.outbox.count;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->awake[i] | chip->posted[i];
    return any == 0;
}

static unsigned count_waiting(const struct bh_chip *chip) {
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
    if (flags & BH_RUN_STOP_ON_IDLE)
        return faulted ? BH_STOP_FAULT : chip_deadlock(chip, first) ? BH_STOP_DEADLOCK : BH_STOP_IDLE;
    chip->time = chip->epoch_end = end;
    return BH_STOP_CYCLES;
}

/* Have two tiles something to do before this time? */
static inline bool are_two_due(const struct bh_chip *chip, uint64_t until) {
    unsigned count = 0;
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++)
        for (uint64_t left = chip->awake[word]; left && count < 2; left &= left - 1)
            count += chip->due[word * 64 + (unsigned)__builtin_ctzll(left)] < until;
    return count == 2;
}

/* While packets are on their way and several tiles have something to do, the next epoch is the next short one: what
 * begin_epoch comes to, without a look at all of them. False: it may be another one. */
static inline bool begin_short_epoch(struct bh_chip *chip) {
    uint64_t begin = chip->time & ~(uint64_t)(CHIP_SHORT_EPOCH - 1), end = begin + CHIP_SHORT_EPOCH;
    if (chip->sole != CHIP_SEVERAL) /* mostly it is as it was */
        return false;
    if (chip->config.epoch || chip_is_loose(chip) || !exchange_in_flight(chip) || !are_two_due(chip, end))
        return false;
    chip->alone = false;
    chip->quiet_since = begin;
    chip->epoch_end = end;
    chip->sole = CHIP_SEVERAL;
    return true;
}

/* Nothing is due, but a sleeper may still have to glance, which takes time as if it was awake: as a turn. */
static __attribute__((noinline)) struct turn next_glance(const struct bh_chip *chip, struct turn turn) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (!glances(chip, i) || sleep_glance_over(chip->tile[i]) < chip->time)
            continue;
        uint64_t due = later(chip->tile[i]->glance, chip->time);
        turn.second = smaller(turn.second, due > turn.first ? due : turn.first);
        turn.tile = due < turn.first ? i : turn.tile;
        turn.first = smaller(due, turn.first);
    }
    return turn;
}

/* Where tiles meet: the next epoch begins with what is due next. False if that is nothing. */
static bool meet(struct bh_chip *chip) {
    if (begin_short_epoch(chip))
        return true;
    struct turn turn = next_turn(chip);
    if (BH_UNLIKELY(turn.first == NEVER && turn.endpoints == NEVER))
        turn = next_glance(chip, turn);
    uint64_t first = turn.first < turn.endpoints ? turn.first : turn.endpoints;
    if (first == NEVER)
        return false;
    if (first > chip->time + CHIP_EPOCH)
        chip->quiet_since = first; /* everybody slept: no core is ever so far ahead */
    begin_epoch(chip, first > chip->time ? first : chip->time, &turn);
    return true;
}

static enum bh_stop_reason run_busy(struct bh_chip *chip, uint64_t end, unsigned flags, struct bh_fault *first) {
    chip->run_end = end;
    if (chip->time >= chip->epoch_end)
        exchange(chip); /* of what the host has caused since */
    bool faulted = report_faults(chip, first);
    while (chip->time < end && !(faulted && flags & BH_RUN_STOP_ON_FAULT) && BH_LIKELY(!is_broken(chip))) {
        if (chip->time >= chip->epoch_end && !meet(chip))
            return run_idle(chip, end, flags, faulted, first);
        run_epoch(chip, chip->epoch_end < end ? chip->epoch_end : end);
        struct bh_fault next;
        if (report_faults(chip, &next) && !faulted) {
            faulted = true;
            *first = next;
        }
    }
    exchange_endpoints(chip); /* what has arrived before the end of the run is seen after it */
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
    chip->idle = nothing_to_do(chip) && !fault_pending(chip) && !is_broken(chip);
    chip->unsettled = false;
    bh_status status = fill_stop(chip, stop, reason, &fault);
    return BH_UNLIKELY(is_broken(chip)) ? internal_error(chip) : status;
}

bh_status bh_run(bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    if (BH_UNLIKELY(!chip))
        return BH_ERR_ARGUMENT;
    /* Nothing can happen: time passes, that is all. */
    if (BH_LIKELY(chip->idle && !stop && !flags && cycles <= UINT64_MAX - chip->time)) {
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

bool bh_unsettled(const bh_chip *chip) {
    return chip && chip->unsettled;
}

unsigned bh_epoch(const bh_chip *chip) {
    return chip && chip->config.epoch ? chip->config.epoch : CHIP_EPOCH;
}
