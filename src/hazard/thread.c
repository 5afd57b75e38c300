/* Threads and units of the coprocessor, and what orders their work: see hazard.h. */
#include <string.h>

#include "hazard/search.h"
#include "isa/tensix.h"

static struct hazard_actor as(struct hazard_tile *t, unsigned thread, unsigned agent) {
    return (struct hazard_actor){ .tile = t,
                                  .agent = (uint16_t)agent,
                                  .tick = t->thread[thread].tick,
                                  .pc = t->pc,
                                  .word = t->word,
                                  .source = (uint8_t)(HAZARD_SOURCE_THREAD + thread),
                                  .knows = &t->thread[thread].clock };
}

struct hazard_actor hazard_thread_as(struct hazard_tile *t, unsigned thread) {
    return as(t, thread, HAZARD_THREAD + thread);
}

/* ---- Replay buffers ---------------------------------------------------------------------------------------------- */

static void record(struct hazard_tile *t, struct hazard_thread *h, const struct hazard_actor *actor, unsigned first,
                   unsigned count) {
    struct hazard_replay *replay = &h->replay;
    replay->recordings++;
    replay->at = (uint8_t)first;
    replay->left = (uint8_t)count;
    for (unsigned i = first; i < first + count; i++) {
        struct hazard_slot *slot = &replay->slot[i % HAZARD_SLOTS];
        *slot = (struct hazard_slot){ replay->recordings, slot->recording, hazard_access_of(t, HAZARD_WRITES, actor) };
    }
}

/* Returns whether one of these slots holds a word of the recording. */
static bool plays(const struct hazard_replay *replay, unsigned first, unsigned count, uint32_t recording) {
    for (unsigned i = first; i < first + count; i++)
        if (recording && replay->slot[i % HAZARD_SLOTS].recording == recording)
            return true;
    return false;
}

/* Reports a replay that runs from the words left of one recording into another recording that has overwritten the
 * rest. */
static void play(struct hazard_tile *t, struct hazard_thread *h, const struct hazard_actor *actor, unsigned first,
                 unsigned count, unsigned thread) {
    for (unsigned i = first; i < first + count; i++) {
        const struct hazard_slot *slot = &h->replay.slot[i % HAZARD_SLOTS];
        if (!plays(&h->replay, first, count, slot->over))
            continue;
        struct hazard_access second = hazard_access_of(t, HAZARD_READS, actor), made = slot->made;
        made.suspect = true;
        hazard_found(t->search, t, HAZARD_REPLAY, SHADOW_WORD * (HAZARD_SLOTS * thread + i % HAZARD_SLOTS), &made,
                     &second);
        return;
    }
}

/* Records a word that a core has pushed: one that is recorded, or one that begins a recording or a replay. A MOP inside
 * a recording ends it here, because the number of words that the MOP makes is not known. */
static void note_replay(struct hazard_tile *t, unsigned thread, const struct hazard_actor *actor) {
    struct hazard_thread *h = &t->thread[thread];
    struct tensix_REPLAY op = tensix_decode_REPLAY(actor->word);
    unsigned first = op.start_idx % HAZARD_SLOTS, count = op.len % HAZARD_SLOTS;
    count = count ? count : HAZARD_SLOTS;
    if (h->replay.left)
        h->replay.left = actor->word >> 24 == TENSIX_MOP ? 0 : (uint8_t)(h->replay.left - 1);
    else if (actor->word >> 24 == TENSIX_REPLAY && op.load_mode)
        record(t, h, actor, first, count);
    else if (actor->word >> 24 == TENSIX_REPLAY)
        play(t, h, actor, first, count, thread);
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

void hazard_pushes(struct hazard_tile *t, unsigned core, unsigned thread, const struct hazard_push *push) {
    struct hazard_thread *h = &t->thread[thread];
    hazard_keep_version(t, core);
    for (unsigned i = 0; i < push->count; i++)
        h->word[h->pushed++ % HAZARD_PUSHED] = (struct hazard_word){ .pc = push->pc + 4 * i,
                                                                     .word = push->words[(size_t)push->step * i],
                                                                     .tick = t->core[core].tick,
                                                                     .core = (uint8_t)core };
}

void hazard_pushed(struct hazard_tile *t, unsigned core, unsigned thread, const struct hazard_push *push,
                   unsigned pushed) {
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_THREAD);
    t->thread[thread].pushed -= push->count - pushed;
    actor.agent = (uint16_t)(HAZARD_THREAD + thread);
    actor.source = (uint8_t)(HAZARD_SOURCE_THREAD + thread);
    for (unsigned i = 0; i < pushed; i++) {
        actor.pc = push->pc + 4 * i;
        actor.word = push->words[(size_t)push->step * i];
        note_replay(t, thread, &actor);
    }
}

/* The MOP expander reads its registers until it has made the last word. */
static void use_mop(struct hazard_tile *t, unsigned thread) {
    struct hazard_actor actor = hazard_thread_as(t, thread);
    actor.agent = (uint16_t)(HAZARD_MOP + thread);
    hazard_compare(t, HAZARD_MOP_REGISTERS, SHADOW_LINE * thread, SHADOW_LINE, HAZARD_READS, &actor);
}

void hazard_thread_step(struct hazard_tile *t, unsigned thread, uint32_t pc, uint32_t word, uint64_t now, bool ends) {
    struct hazard_thread *h = &t->thread[thread];
    t->pc = pc;
    t->word = word;
    t->now = now;
    hazard_need(t, hazard_clock_raise(&h->clock, hazard_step_of(t, HAZARD_MOP + thread, h->tick)));
    hazard_need(t, hazard_clock_raise(&h->clock, hazard_step_of(t, HAZARD_THREAD + thread, ++h->tick)));
    if (h->pushed - h->passed > HAZARD_PUSHED)
        h->passed = h->pushed - HAZARD_PUSHED;
    for (uint64_t at = h->passed; at < h->pushed; at++) {
        const struct hazard_word *from = &h->word[at % HAZARD_PUSHED];
        if (from->pc != pc)
            continue; /* no word that it became has reached the gate */
        hazard_thread_learns_core(t, thread, from->core, from->tick);
        hazard_need(t, hazard_clock_raise(&h->clock, hazard_step_of(t, HAZARD_SEM_STORES + from->core, from->tick)));
        if (from->word >> 24 == TENSIX_MOP && at >= h->expanded)
            use_mop(t, thread);
        h->passed = at + ends;
        break;
    }
}

struct hazard_clock *hazard_thread_clock(struct hazard_tile *t, unsigned thread) {
    return &t->thread[thread].clock;
}

/* ---- Waits ------------------------------------------------------------------------------------------------------- */

/* Makes a clock know the steps of each thread in a unit. */
static void raise_unit(struct hazard_tile *t, struct hazard_clock *clock, unsigned unit,
                       const uint32_t done[BH_THREADS]) {
    for (unsigned i = 0; i < BH_THREADS; i++)
        if (done[i])
            hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, hazard_unit_agent(unit, i), done[i])));
}

void hazard_raise_all(struct hazard_tile *t, struct hazard_clock *clock, unsigned thread, uint32_t tick) {
    hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, HAZARD_THREAD + thread, tick)));
    hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, HAZARD_MOP + thread, tick)));
    for (unsigned unit = 0; unit < HAZARD_UNITS; unit++)
        hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, hazard_unit_agent(unit, thread), tick)));
}

void hazard_thread_latches(struct hazard_tile *t, unsigned thread) {
    struct hazard_thread *h = &t->thread[thread];
    memcpy(h->wait.done, h->done, sizeof h->done);
    for (unsigned i = 0; i < BH_THREADS; i++)
        h->wait.passed[i] = hazard_clock_tick(&h->clock, t->number, HAZARD_THREAD + i);
    for (unsigned file = 0; file < 2; file++)
        h->wait.sees_bank[file] =
            !h->switched[file] ||
            hazard_clock_knows(&h->clock,
                               hazard_step_of(t, hazard_unit_agent(HAZARD_MATRIX, thread), h->switched[file]), 0);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        h->wait.stores[i] = hazard_clock_tick(&h->clock, t->number, HAZARD_CORE + i);
}

void hazard_thread_waited(struct hazard_tile *t, unsigned thread, unsigned unit) {
    struct hazard_thread *h = &t->thread[thread];
    raise_unit(t, &h->clock, unit, h->wait.done[unit]);
    if (unit == HAZARD_MATRIX)
        h->wait.sees_bank[0] = h->wait.sees_bank[1] = true;
}

void hazard_thread_waited_for_all(struct hazard_tile *t, unsigned thread, unsigned unit) {
    raise_unit(t, &t->thread[thread].clock, unit, t->thread[thread].wait.passed);
}

void hazard_thread_passed(struct hazard_tile *t, unsigned thread, unsigned unit) {
    raise_unit(t, &t->thread[thread].clock, unit, t->thread[thread].done[unit]);
}

void hazard_thread_waited_for_stores(struct hazard_tile *t, unsigned thread) {
    struct hazard_thread *h = &t->thread[thread];
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        uint32_t tick = h->wait.stores[i];
        if (!tick)
            continue;
        hazard_need(t, hazard_clock_raise(&h->clock, hazard_step_of(t, HAZARD_GPR_STORES + i, tick)));
        hazard_need(t, hazard_clock_raise(&h->clock, hazard_step_of(t, HAZARD_CONFIG_STORES + i, tick)));
    }
}

void hazard_core_synced(struct hazard_tile *t, unsigned core, unsigned thread) {
    struct hazard_thread *h = &t->thread[thread];
    struct hazard_clock *clock = &t->search->scratch;
    h->expanded = h->pushed;
    hazard_need(t, hazard_clock_copy(clock, &h->clock));
    for (unsigned i = 0; i < HAZARD_UNITS; i++)
        raise_unit(t, clock, i, h->done[i]);
    hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, HAZARD_MOP + thread, h->tick)));
    hazard_core_knows(t, core, clock);
}

/* ---- Units ------------------------------------------------------------------------------------------------------- */

/* The unit works in the order of issue: words of other threads that are known to have passed are over first. */
void hazard_unit_step(struct hazard_tile *t, unsigned thread, unsigned unit) {
    struct hazard_thread *h = &t->thread[thread];
    for (unsigned i = 0; i < BH_THREADS; i++)
        h->done[unit][i] = i == thread ? h->tick : hazard_clock_tick(&h->clock, t->number, HAZARD_THREAD + i);
}

void hazard_unit_access(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                        uint32_t address, uint32_t size, enum hazard_how how) {
    struct hazard_actor actor = as(t, thread, hazard_unit_agent(unit, thread));
    hazard_compare(t, memory, address, size, how, &actor);
}

void hazard_unit_writes(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                        uint32_t address, uint32_t size, uint32_t value) {
    struct hazard_actor actor = as(t, thread, hazard_unit_agent(unit, thread));
    actor.has_value = true;
    actor.value = value;
    hazard_compare(t, memory, address, size, HAZARD_WRITES, &actor);
}

void hazard_unit_access_open_end(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                                 uint32_t address, uint32_t size, enum hazard_how how) {
    struct hazard_actor actor = as(t, thread, hazard_unit_agent(unit, thread));
    actor.open_end = true;
    hazard_compare(t, memory, address, size, how, &actor);
}

void hazard_unit_access_sometime(struct hazard_tile *t, unsigned thread, unsigned unit, enum hazard_memory memory,
                                 uint32_t address, uint32_t size, enum hazard_how how) {
    struct hazard_actor actor = as(t, thread, hazard_unit_agent(unit, thread));
    actor.uncertain = true;
    hazard_compare(t, memory, address, size, how, &actor);
}

void hazard_thread_access(struct hazard_tile *t, unsigned thread, enum hazard_memory memory, uint32_t address,
                          uint32_t size, enum hazard_how how) {
    struct hazard_actor actor = hazard_thread_as(t, thread);
    hazard_compare(t, memory, address, size, how, &actor);
}
