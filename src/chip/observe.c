/* Public functions about observation: see observe/observe.h.
 *
 * Work and waits in progress count up to chip time. Cores may be slightly ahead of chip time.
 */
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "tile/watch.h"

enum { OBSERVERS = TOPOLOGY_TILES + 1, ENDPOINTS = TOPOLOGY_TILES };

/* ---- Beginning and end ------------------------------------------------------------------------------------- */

void chip_free_observers(struct bh_chip *chip) {
    for (unsigned i = 0; chip->observers && i < OBSERVERS; i++)
        observe_free(&chip->observers[i]);
    free(chip->observers);
    chip->observers = NULL;
}

static void wire(struct bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (chip->observers || chip->made[i])
            tile_watch(chip_made(chip, i), chip->observers ? &chip->observers[i] : NULL, chip->time);
    chip->exchange.mail.observer = chip->observers ? &chip->observers[ENDPOINTS] : NULL;
}

void chip_watch_again(struct bh_chip *chip) {
    for (unsigned i = 0; i < OBSERVERS; i++)
        observe_clear(&chip->observers[i]);
    wire(chip);
}

static bool make_profiles(struct observer *o) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (!(o->profile[i] = calloc(1, sizeof *o->profile[i])))
            return false;
    return true;
}

static bool make_steps(struct observer *o) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (!(o->steps[i] = calloc(1, sizeof *o->steps[i])))
            return false;
    return true;
}

static bool make_observers(struct bh_chip *chip, unsigned what) {
    if (!(chip->observers = calloc(OBSERVERS, sizeof *chip->observers)))
        return false;
    for (unsigned i = 0; i < OBSERVERS; i++) {
        struct observer *o = &chip->observers[i];
        o->what = what;
        if (i != ENDPOINTS)
            o->tile = chip_made(chip, i)->xy;
        if ((what & BH_WATCH_PROFILE) && i != ENDPOINTS && !make_profiles(o))
            return false;
        if ((what & BH_WATCH_INSTRUCTIONS) && i != ENDPOINTS && !make_steps(o))
            return false;
    }
    return true;
}

bh_status bh_observe(bh_chip *chip, unsigned what, void (*on_event)(void *user, const struct bh_event *event),
                     void *user) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    bh_status status = BH_OK;
    if (what & ~(unsigned)(BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS | BH_WATCH_INSTRUCTIONS))
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_observe: there is no such bit in 0x%x", what);
    if ((what & BH_WATCH_EVENTS) && !on_event)
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_observe: events need an on_event");
    if ((what & BH_WATCH_INSTRUCTIONS) && !(what & BH_WATCH_EVENTS))
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_observe: instructions are events: BH_WATCH_EVENTS is missing");
    if (chip->in_events)
        return chip_fail(chip, BH_ERR_STATE, "bh_observe: events are being reported");
    chip_free_observers(chip);
    if (what && !make_observers(chip, what)) {
        chip_free_observers(chip);
        status = chip_fail(chip, BH_ERR_MEMORY, "bh_observe: no memory");
    }
    chip->on_event = on_event;
    chip->event_user = user;
    wire(chip);
    return status;
}

/* ---- Events ------------------------------------------------------------------------------------------------- */

static const char *name_of(uint32_t word) {
    struct rv_insn insn;
    const struct tensix_row *row = tensix_in_stream(word) ? tensix_decode(tensix_from_stream(word)) : NULL;
    return row ? row->name : tensix_in_stream(word) ? ".ttinsn" : rv_row(rv_decode(word, &insn))->name;
}

static void report_steps(const struct bh_chip *chip, struct observer *o) {
    for (size_t i = 0; i < o->step_count; i++) {
        struct observe_step *step = &o->step[i];
        if (step->done.vectors)
            step->done.vector = o->vector[step->vector_at];
        const struct bh_event event = { .kind = BH_EVENT_INSTRUCTION,
                                        .track = (enum bh_track)step->core,
                                        .tile = o->tile,
                                        .start = step->start,
                                        .end = step->end,
                                        .name = name_of(step->word),
                                        .count = 1,
                                        .word = step->word,
                                        .pc = step->pc,
                                        .at = step->done.address,
                                        .instruction = &step->done };
        chip->on_event(chip->event_user, &event);
    }
    o->step_count = o->vector_count = 0;
}

/* Instructions are reported before the events that they cause. The callback gets a copy of an event, because it may ask
 * for statistics, which can add events. */
void chip_report_events(struct bh_chip *chip) {
    chip->in_events = true;
    for (unsigned i = 0; i < OBSERVERS; i++) {
        struct observer *o = &chip->observers[i];
        report_steps(chip, o);
        for (size_t event = 0; event < o->events; event++) {
            const struct bh_event copy = o->event[event];
            chip->on_event(chip->event_user, &copy);
        }
        o->events = 0;
    }
    chip->in_events = false;
}

/* Records the work or wait that a core is in the middle of, up to now. */
static void close_core(const struct bh_chip *chip, const struct core *core) {
    uint64_t here = core_time(core);
    struct observer *o = core->observer;
    enum bh_core id = (enum bh_core)core->id;
    bool waits = core->state == BH_CORE_POLLING || core->state == BH_CORE_BLOCKED;
    uint64_t until = waits && chip->time > here ? chip->time : here;
    if (!o->core[id].counts)
        return;
    observe_core_waited(o, id, wait_text(core->waits_on), core->waits_at, core->pc, here, until);
    core_settle_profile(core);
    if (core->profile)
        profile_slept(core->profile, core->pc, here, until, 0);
}

static void close_thread(const struct bh_chip *chip, struct observer *o, unsigned thread) {
    struct observe_held *h = &o->held[thread];
    if (!h->why || chip->time <= h->since)
        return;
    observe_wait(
        o, (enum bh_track)(BH_TRACK_T0 + thread),
        (struct bh_event){ .start = h->since, .end = chip->time, .name = h->why, .word = h->word, .pc = h->pc });
    h->since = chip->time;
}

static void close_tile(const struct bh_chip *chip, struct tile *tile) {
    struct observer *o = tile->tensix.observer;
    chip_catch_up(chip, tile);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tile_cores(tile) >> i & 1)
            close_core(chip, &tile->core[i]);
    for (unsigned i = 0; i < BH_THREADS; i++)
        close_thread(chip, o, i);
}

static void settle_steps(struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tile->core[i].steps)
            core_note_settle(&tile->core[i]);
}

bh_status bh_observe_flush(bh_chip *chip) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    if (!chip->observers)
        return chip_fail(chip, BH_ERR_STATE, "the chip is not observed: bh_observe comes first");
    if (chip->in_events)
        return chip_fail(chip, BH_ERR_STATE, "bh_observe_flush: events are being reported");
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (chip->touched[i]) {
            close_tile(chip, chip_made(chip, i));
            settle_steps(chip_made(chip, i));
        }
    bool lost = false;
    for (unsigned i = 0; i < OBSERVERS; i++) {
        observe_close(&chip->observers[i]);
        lost |= chip->observers[i].lost;
    }
    bool in_run = chip->in_run;
    chip->in_run = true; /* so that callbacks cannot run or change the chip */
    if (chip->on_event)
        chip_report_events(chip);
    chip->in_run = in_run;
    return lost ? chip_fail(chip, BH_ERR_MEMORY, "there was no memory for all events") : BH_OK;
}

/* ---- Statistics --------------------------------------------------------------------------------------------- */

/* Copies the track to *copy, as if everything in progress ended now. */
static bh_status look(const bh_chip *chip, struct bh_xy at, enum bh_track track, struct observer **o,
                      struct observe_track *copy) {
    struct tile *tile;
    if (!chip->observers)
        return chip_fail(chip, BH_ERR_STATE, "the chip is not observed: bh_observe comes first");
    if ((unsigned)track >= BH_TRACK_COUNT)
        return chip_fail(chip, BH_ERR_ARGUMENT, "track %u: there are %u, from 0", (unsigned)track, BH_TRACK_COUNT);
    bh_status status = chip_tile(chip, at, &tile);
    if (status != BH_OK)
        return status;
    *o = &chip->observers[tile->index];
    if (chip->touched[tile->index])
        close_tile(chip, tile);
    *copy = (*o)->track[track];
    return BH_OK;
}

static void add_core(const bh_chip *chip, struct bh_xy at, enum bh_track track, const struct observer *o,
                     struct bh_track_stats *stats) {
    struct tile *tile;
    uint64_t time;
    if (chip_tile(chip, at, &tile) != BH_OK)
        return;
    core_observe(&tile->core[track], chip->time, &time, &stats->instructions);
    stats->instructions -= o->core[track].retired_out;
}

bh_status bh_stats_get(const bh_chip *chip, struct bh_xy at, enum bh_track track, struct bh_track_stats *stats) {
    if (!chip || !stats)
        return chip_null(chip, "stats");
    struct observer *o = NULL;
    struct observe_track copy = { 0 };
    bh_status status = look(chip, at, track, &o, &copy);
    if (status != BH_OK)
        return status;
    *stats = (struct bh_track_stats){ .busy = copy.busy, .stalled = copy.stalled, .instructions = copy.instructions };
    if ((unsigned)track < BH_CORE_COUNT)
        add_core(chip, at, track, o, stats);
    if (track >= BH_TRACK_NOC0) {
        const struct observe_noc *noc = &o->noc[track - BH_TRACK_NOC0];
        stats->packets_in = noc->packets_in;
        stats->bytes_in = noc->bytes_in;
        stats->bytes_out = noc->bytes_out;
    }
    return BH_OK;
}

static void add_packets(const struct observer *o, struct bh_track_stats *stats) {
    for (unsigned noc = 0; noc < 2; noc++) {
        stats->instructions += o->track[BH_TRACK_NOC0 + noc].instructions;
        stats->packets_in += o->noc[noc].packets_in;
        stats->bytes_in += o->noc[noc].bytes_in;
        stats->bytes_out += o->noc[noc].bytes_out;
    }
}

bh_status bh_endpoint_stats(const bh_chip *chip, struct bh_track_stats *stats) {
    if (!chip || !stats)
        return chip_null(chip, "stats");
    if (!chip->observers)
        return chip_fail(chip, BH_ERR_STATE, "the chip is not observed: bh_observe comes first");
    *stats = (struct bh_track_stats){ .busy = 0 };
    for (unsigned i = TOPOLOGY_TENSIX; i < OBSERVERS; i++)
        add_packets(&chip->observers[i], stats);
    return BH_OK;
}

/* Returns the index of the entry with the index-th largest count, equal counts in order; `count` if fewer entries are
 * not zero. */
static unsigned ranked(const uint64_t *counts, unsigned count, unsigned index) {
    for (unsigned i = 0; i < count; i++) {
        unsigned before = 0;
        if (!counts[i]) /* most are zero */
            continue;
        for (unsigned j = 0; j < count; j++)
            before += counts[j] > counts[i] || (counts[j] == counts[i] && j < i);
        if (before == index)
            return i;
    }
    return count;
}

bh_status bh_stall_at(const bh_chip *chip, struct bh_xy at, enum bh_track track, unsigned index,
                      struct bh_stall *stall) {
    if (!chip || !stall)
        return chip_null(chip, "stall");
    struct observer *o = NULL;
    struct observe_track copy = { 0 };
    uint64_t cycles[OBSERVE_REASONS];
    bh_status status = look(chip, at, track, &o, &copy);
    if (status != BH_OK)
        return status;
    for (unsigned i = 0; i < copy.reasons; i++)
        cycles[i] = copy.reason[i].cycles;
    unsigned found = ranked(cycles, copy.reasons, index);
    if (found == copy.reasons)
        return chip_fail(chip, BH_ERR_ARGUMENT, "%s has not waited for so many things", bh_track_name(track));
    *stall = copy.reason[found];
    return BH_OK;
}

/* ---- Instructions ------------------------------------------------------------------------------------------- */

static void core_mix(const struct observer *o, unsigned core, uint64_t mix[RV_COUNT + 1]) {
    memset(mix, 0, (RV_COUNT + 1) * sizeof *mix);
    if (o->profile[core])
        profile_mix(o->profile[core], mix);
}

static void tensix_mix(const struct observer *o, enum bh_track track, uint64_t mix[TENSIX_ROW_COUNT]) {
    for (unsigned row = 0; row < TENSIX_ROW_COUNT; row++) {
        mix[row] = 0;
        if (track <= BH_TRACK_T2)
            mix[row] = o->mix[track - BH_TRACK_T0][row];
        else if (track <= BH_TRACK_UNPACK1)
            mix[row] = o->unit_mix[track - BH_TRACK_UNPACK0][row];
        else if (tensix_track_of(&tensix_rows[row]) == (unsigned)track)
            mix[row] = o->mix[0][row] + o->mix[1][row] + o->mix[2][row];
    }
}

bh_status bh_mix_at(const bh_chip *chip, struct bh_xy at, enum bh_track track, unsigned index, struct bh_mix *mix) {
    if (!chip || !mix)
        return chip_null(chip, "mix");
    struct observer *o = NULL;
    struct observe_track copy = { 0 };
    uint64_t counts[RV_COUNT + 1 > TENSIX_ROW_COUNT ? RV_COUNT + 1 : TENSIX_ROW_COUNT];
    unsigned count = (unsigned)track < BH_CORE_COUNT ? RV_COUNT + 1 : TENSIX_ROW_COUNT;
    bh_status status = look(chip, at, track, &o, &copy);
    if (status != BH_OK)
        return status;
    if ((unsigned)track < BH_CORE_COUNT)
        core_mix(o, track, counts);
    else
        tensix_mix(o, track, counts);
    unsigned found = ranked(counts, count, index);
    if (found == count)
        return chip_fail(chip, BH_ERR_ARGUMENT, "%s has not run so many instructions", bh_track_name(track));
    mix->count = counts[found];
    if ((unsigned)track >= BH_CORE_COUNT)
        mix->name = tensix_rows[found].name;
    else
        mix->name = found == RV_COUNT ? ".ttinsn" : rv_row((enum rv_id)found)->name;
    return BH_OK;
}

bh_status bh_profile_from(const bh_chip *chip, struct bh_xy at, enum bh_core core, uint32_t pc,
                          struct bh_profile *row) {
    if (!chip || !row)
        return chip_null(chip, "row");
    struct observer *o = NULL;
    struct observe_track copy = { 0 };
    if ((unsigned)core >= BH_CORE_COUNT)
        return chip_fail(chip, BH_ERR_ARGUMENT, "core %u: there are %u, from 0", (unsigned)core, BH_CORE_COUNT);
    bh_status status = look(chip, at, (enum bh_track)core, &o, &copy);
    if (status != BH_OK)
        return status;
    if (!o->profile[core])
        return chip_fail(chip, BH_ERR_STATE, "the chip is not observed with BH_WATCH_PROFILE: bh_observe comes first");
    for (uint32_t word = pc / 4 + (pc % 4 != 0); word < OBSERVE_PAGES * OBSERVE_PAGE; word++) {
        const struct observe_word *page = o->profile[core]->page[word / OBSERVE_PAGE];
        if (!page) {
            word |= OBSERVE_PAGE - 1;
            continue;
        }
        const struct observe_word *found = &page[word % OBSERVE_PAGE];
        if (!found->count && !found->cycles && !found->waited)
            continue;
        *row = (struct bh_profile){ word * 4, found->word, found->count, found->cycles, found->waited };
        return BH_OK;
    }
    return chip_fail(chip, BH_ERR_ARGUMENT, "%s has run nothing from 0x%x on", bh_core_name_at(chip, at, core), pc);
}
