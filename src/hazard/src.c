/* The banks of SrcA and SrcB, which the unpackers and the Matrix Unit hand to each other: see hazard.h.
 *
 * An unpacker waits until a bank is free, and most instructions of the Matrix Unit wait until it is valid. Either side
 * then comes after what the other side did with the bank. MOVD2A, MOVD2B and similar instructions do not wait, so their
 * thread has to wait with a STALLWAIT on the bank. The STALLWAIT looks at the bank that the Matrix Unit has when the
 * wait is latched: an earlier instruction that switches banks must be over by then.
 */
#include <string.h>

#include "hazard/search.h"

static void raise_clock(struct hazard_tile *t, struct hazard_clock *clock, unsigned unit,
                        const uint32_t done[BH_THREADS]) {
    for (unsigned i = 0; i < BH_THREADS; i++)
        if (done[i])
            hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, hazard_unit_agent(unit, i), done[i])));
}

/* Writes to `known` the last step of each thread in a unit that the clock knows. */
static void known_of(const struct hazard_tile *t, const struct hazard_clock *clock, unsigned unit,
                     uint32_t known[BH_THREADS]) {
    for (unsigned i = 0; i < BH_THREADS; i++)
        known[i] = hazard_clock_tick(clock, t->number, hazard_unit_agent(unit, i));
}

/* ---- Unpackers --------------------------------------------------------------------------------------------------- */

void hazard_unpack_queued(struct hazard_tile *t, unsigned thread, unsigned unpacker, unsigned job) {
    const struct hazard_thread *h = &t->thread[thread];
    struct hazard_job *queued = &t->job[unpacker][job];
    queued->pc = t->pc;
    queued->word = t->word;
    queued->tick = h->tick;
    queued->thread = (uint8_t)thread;
    hazard_need(t, hazard_clock_copy(&queued->knows, &h->clock));
    memcpy(queued->done, h->done[HAZARD_UNPACK0 + unpacker], sizeof queued->done);
    known_of(t, &h->clock, HAZARD_MATRIX, queued->matrix);
}

void hazard_unpack_writes(struct hazard_tile *t, unsigned unpacker, unsigned job, unsigned bank, uint64_t now) {
    const struct hazard_job *of = &t->job[unpacker][job];
    struct hazard_clock *knows = &t->search->scratch;
    struct hazard_actor actor = { .tile = t,
                                  .agent = (uint16_t)hazard_unit_agent(HAZARD_UNPACK0 + unpacker, of->thread),
                                  .tick = of->tick,
                                  .pc = of->pc,
                                  .word = of->word,
                                  .source = (uint8_t)(HAZARD_SOURCE_THREAD + of->thread),
                                  .knows = knows };
    knows->count = 0;
    raise_clock(t, knows, HAZARD_MATRIX, of->matrix);
    raise_clock(t, knows, HAZARD_MATRIX, t->given[unpacker][bank]);
    raise_clock(t, knows, HAZARD_UNPACK0 + unpacker, of->done);
    t->now = now;
    hazard_compare(t, HAZARD_SRC, hazard_src(unpacker, bank), SHADOW_WORD, HAZARD_WRITES, &actor);
}

/* Keeps what the thread knew that hands over the bank: an agent that waits for the bank comes after it. */
static void hand(struct hazard_tile *t, unsigned file, unsigned bank, const struct hazard_clock *knows) {
    hazard_need(t, hazard_clock_copy(&t->handed_by[file][bank], knows));
    for (unsigned i = 0; i < BH_THREADS; i++)
        t->handed_anew[file][bank][i] = true;
}

void hazard_bank_handed(struct hazard_tile *t, unsigned unpacker, unsigned job, unsigned bank) {
    const struct hazard_job *of = &t->job[unpacker][job];
    memcpy(t->handed[unpacker][bank], of->done, sizeof t->handed[0][0]);
    hand(t, unpacker, bank, &of->knows);
    t->valid[unpacker][bank] = (struct hazard_access){
        .epoch = hazard_step_of(t, hazard_unit_agent(HAZARD_UNPACK0 + unpacker, of->thread), of->tick),
        .pc = of->pc,
        .word = of->word,
        .cycle = t->now,
        .how = HAZARD_WRITES,
        .source = (uint8_t)(HAZARD_SOURCE_THREAD + of->thread),
        .suspect = true,
    };
}

void hazard_bank_set_valid(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank) {
    struct hazard_actor actor = hazard_thread_as(t, thread);
    known_of(t, &t->thread[thread].clock, HAZARD_UNPACK0 + file, t->handed[file][bank]);
    hand(t, file, bank, &t->thread[thread].clock);
    t->valid[file][bank] = hazard_access_of(t, HAZARD_WRITES, &actor);
    t->valid[file][bank].suspect = true;
}

/* ---- Matrix Unit ------------------------------------------------------------------------------------------------- */

/* Records that the thread has waited for the bank. It waited at its gate, so everything that it issues later comes
 * after that, too. */
static void saw_bank(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank) {
    struct hazard_clock *clock = &t->thread[thread].clock;
    raise_clock(t, clock, HAZARD_UNPACK0 + file, t->handed[file][bank]);
    if (!t->handed_anew[file][bank][thread])
        return;
    hazard_need(t, hazard_clock_join(clock, &t->handed_by[file][bank]));
    t->handed_anew[file][bank][thread] = false;
}

void hazard_matrix_uses(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank, enum hazard_how how,
                        bool waits) {
    struct hazard_thread *h = &t->thread[thread];
    struct hazard_clock *knows = &t->search->scratch;
    struct hazard_actor actor = hazard_thread_as(t, thread);
    uint32_t known[BH_THREADS];
    h->has_bank[file] |= waits;
    if (waits)
        saw_bank(t, thread, file, bank);
    actor.agent = (uint16_t)hazard_unit_agent(HAZARD_MATRIX, thread);
    actor.knows = knows;
    knows->count = 0;
    for (unsigned i = 0; i < BH_THREADS; i++)
        hazard_need(
            t, hazard_clock_raise(knows, hazard_step_of(t, HAZARD_THREAD + i,
                                                        hazard_clock_tick(&h->clock, t->number, HAZARD_THREAD + i))));
    known_of(t, &h->clock, HAZARD_UNPACK0 + file, known);
    raise_clock(t, knows, HAZARD_UNPACK0 + file, known);
    if (h->has_bank[file])
        raise_clock(t, knows, HAZARD_UNPACK0 + file, t->handed[file][bank]);
    hazard_compare(t, HAZARD_SRC, hazard_src(file, bank), SHADOW_WORD, how, &actor);
}

void hazard_bank_given(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank) {
    struct hazard_thread *h = &t->thread[thread];
    memcpy(t->given[file][bank], h->done[HAZARD_MATRIX], sizeof t->given[0][0]);
    t->valid[file][bank].epoch.tick = 0;
    h->switched[file] = h->tick;
    h->has_bank[file] = false;
}

void hazard_banks_at_end(struct hazard_tile *t, const struct hazard_actor *actor) {
    const struct hazard_access end = hazard_access_of(t, HAZARD_READS, actor);
    for (unsigned file = 0; file < 2; file++)
        for (unsigned bank = 0; bank < 2; bank++)
            if (t->valid[file][bank].epoch.tick)
                hazard_found(t->search, t, HAZARD_SRC, hazard_src(file, bank), &t->valid[file][bank], &end);
}

/* ---- Waits ------------------------------------------------------------------------------------------------------- */

void hazard_thread_saw_valid(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank) {
    if (t->thread[thread].wait.sees_bank[file])
        saw_bank(t, thread, file, bank);
}

void hazard_thread_saw_free(struct hazard_tile *t, unsigned thread, unsigned file, unsigned bank) {
    raise_clock(t, &t->thread[thread].clock, HAZARD_MATRIX, t->given[file][bank]);
}
