/* How cores, threads and requests tell one another that something is over: semaphores, mutexes, mailboxes, counters and
 * streams. See hazard.h. */
#include "base/order.h"
#include "hazard/search.h"
#include "isa/overlay.h"

/* ---- Words that atomics count ------------------------------------------------------------------------------------ */

struct hazard_counter *hazard_find_counter(struct hazard_tile *t, uint32_t address) {
    for (unsigned i = 0; i < t->counters; i++)
        if (t->counter[i].used && t->counter[i].address == address)
            return &t->counter[i];
    return NULL;
}

/* Returns a new counter. If there is no room, it replaces the one that was used longest ago. */
static struct hazard_counter *new_counter(struct hazard_tile *t, uint32_t address) {
    struct hazard_counter *counter = &t->counter[t->counters < HAZARD_COUNTERS ? t->counters++ : 0];
    for (unsigned i = 0; i < t->counters; i++)
        if (t->counter[i].used < counter->used)
            counter = &t->counter[i];
    counter->address = address;
    counter->clock.count = 0;
    return counter;
}

static struct hazard_counter *use_counter(struct hazard_tile *t, uint32_t address) {
    struct hazard_counter *counter = hazard_find_counter(t, address);
    if (!counter)
        counter = new_counter(t, address);
    counter->used = ++t->counter_uses;
    return counter;
}

void hazard_word_counted(struct hazard_tile *t, uint32_t address, struct hazard_epoch by) {
    hazard_learn(t->search, &use_counter(t, address)->clock, by);
}

void hazard_unit_counts(struct hazard_tile *t, unsigned thread, unsigned unit, uint32_t address, uint32_t size,
                        enum hazard_how how) {
    struct hazard_actor actor = hazard_thread_as(t, thread);
    struct hazard_clock *clock = &use_counter(t, address & ~3u)->clock;
    actor.agent = (uint16_t)hazard_unit_agent(unit, thread);
    actor.flags = true;
    hazard_compare(t, HAZARD_L1, address, size, how, &actor);
    hazard_need(t, hazard_clock_join(clock, actor.knows));
    hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, actor.agent, actor.tick)));
}

/* The word at which a thread looks, and the clock that learns from it. */
struct look {
    struct hazard_tile *t;
    struct hazard_clock *clock;
};

static void see_cell(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct look *look = user;
    (void)address, (void)size;
    if (cell->write.epoch.tick && cell->write.small)
        hazard_learn(look->t->search, look->clock, cell->write.epoch);
}

void hazard_thread_saw_word(struct hazard_tile *t, unsigned thread, uint32_t address) {
    struct hazard_clock *clock = hazard_thread_clock(t, thread);
    const struct hazard_counter *counter = hazard_find_counter(t, address & ~3u);
    struct look look = { t, clock };
    hazard_need(t, shadow_visit(&t->shadow[HAZARD_L1], address, SHADOW_WORD, see_cell, &look));
    if (counter)
        hazard_need(t, hazard_clock_join(clock, &counter->clock));
}

/* ---- Semaphores, mutexes and mailboxes --------------------------------------------------------------------------- */

static const struct hazard_clock *change(const struct hazard_changes *changes, uint64_t index) {
    uint64_t oldest = changes->count > HAZARD_POSTS ? changes->count - HAZARD_POSTS : 0;
    index = smaller(later(index, oldest), changes->count - 1);
    return &changes->clock[index % HAZARD_POSTS];
}

/* Returns the access of a change. If the ring has dropped it, returns that of a later one; if there was no change, the
 * access has tick 0. */
static const struct hazard_access *access_of(const struct hazard_changes *changes, uint64_t index) {
    return &changes->access[index % HAZARD_POSTS];
}

/* Adds a change. It passes on what the earlier changes knew, and that it has been made. */
static void add_change(struct hazard_tile *t, struct hazard_changes *changes, const struct hazard_actor *actor) {
    struct hazard_clock *clock = &changes->clock[changes->count % HAZARD_POSTS];
    clock->count = 0;
    if (changes->count)
        hazard_need(t, hazard_clock_join(clock, change(changes, changes->count - 1)));
    hazard_need(t, hazard_clock_join(clock, actor->knows));
    hazard_need(t, hazard_clock_raise(clock, hazard_step_of(t, actor->agent, actor->tick)));
    changes->access[changes->count % HAZARD_POSTS] = hazard_access_of(t, HAZARD_CHANGES, actor);
    changes->count++;
}

static void compare(struct hazard_tile *t, unsigned semaphore, const struct hazard_access *before,
                    const struct hazard_actor *actor) {
    hazard_compare_with(t, HAZARD_SEMAPHORE, SHADOW_WORD * semaphore, before, HAZARD_CHANGES, actor);
}

/* Reports a change that does nothing because the semaphore has been at 0, or at its maximum, since the access
 * `since`. */
static void lose_change(struct hazard_tile *t, unsigned semaphore, const struct hazard_access *since,
                        const struct hazard_actor *actor) {
    const struct hazard_access lost = hazard_access_of(t, HAZARD_CHANGES, actor);
    struct hazard_access first = *since;
    first.suspect = true;
    if (first.epoch.tick)
        hazard_found(t->search, t, HAZARD_SEMAPHORE, SHADOW_WORD * semaphore, &first, &lost);
}

/* A post of a semaphore that is at its maximum of 15 does nothing. */
void hazard_semaphore_up(struct hazard_tile *t, unsigned semaphore, const struct hazard_actor *actor) {
    struct hazard_semaphore *s = &t->semaphore[semaphore];
    compare(t, semaphore, &s->set, actor);
    compare(t, semaphore, &s->get_at_zero, actor);
    if (s->up.count < s->down.count + HAZARD_POSTS - 1)
        add_change(t, &s->up, actor);
    else
        lose_change(t, semaphore, access_of(&s->up, s->up.count - 1), actor);
}

/* A get takes the oldest post that no other get has taken. A get of a semaphore that is 0 does nothing. With other
 * timing such a get could come after the next post or, if a SEMINIT has removed the post, before that SEMINIT. */
void hazard_semaphore_down(struct hazard_tile *t, unsigned semaphore, const struct hazard_actor *actor) {
    struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->up.count <= s->down.count) {
        compare(t, semaphore, &s->set, actor);
        s->get_at_zero = hazard_access_of(t, HAZARD_CHANGES, actor);
        lose_change(t, semaphore, s->down.count ? access_of(&s->down, s->down.count - 1) : &s->set, actor);
        return;
    }
    compare(t, semaphore, access_of(&s->up, s->down.count), actor);
    add_change(t, &s->down, actor);
}

void hazard_core_posts(struct hazard_tile *t, unsigned core, unsigned semaphore, bool up) {
    struct hazard_actor actor = hazard_core_as(t, core, HAZARD_SEM_STORES);
    actor.knows = hazard_core_clock(t, core);
    t->core[core].last_semaphore_store = actor.tick;
    (up ? hazard_semaphore_up : hazard_semaphore_down)(t, semaphore, &actor);
}

void hazard_semaphore_set(struct hazard_tile *t, unsigned semaphore, unsigned value, const struct hazard_actor *actor) {
    struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->up.count)
        compare(t, semaphore, access_of(&s->up, s->up.count - 1), actor);
    if (s->down.count)
        compare(t, semaphore, access_of(&s->down, s->down.count - 1), actor);
    compare(t, semaphore, &s->set, actor);
    s->up.count = s->down.count = 0;
    for (unsigned i = 0; i < value; i++)
        add_change(t, &s->up, actor);
    s->set = hazard_access_of(t, HAZARD_WRITES, actor);
}

void hazard_semaphore_not_zero(struct hazard_tile *t, unsigned semaphore, struct hazard_clock *clock) {
    const struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->up.count)
        hazard_need(t, hazard_clock_join(clock, change(&s->up, s->down.count)));
}

void hazard_semaphore_not_full(struct hazard_tile *t, unsigned semaphore, unsigned max, struct hazard_clock *clock) {
    const struct hazard_semaphore *s = &t->semaphore[semaphore];
    if (s->down.count && s->up.count >= max)
        hazard_need(t, hazard_clock_join(clock, change(&s->down, s->up.count - max)));
}

/* A value of at least `least` shows that there were `least` more posts than gets. A value of at most `most` shows that
 * gets have taken all posts but `most`. */
void hazard_core_saw_semaphore(struct hazard_tile *t, unsigned core, unsigned semaphore, unsigned least,
                               unsigned most) {
    const struct hazard_semaphore *s = &t->semaphore[semaphore];
    hazard_core_learns(t, core, hazard_step_of(t, HAZARD_SEM_STORES + core, t->core[core].last_semaphore_store));
    if (least && s->up.count >= s->down.count + least)
        hazard_core_knows(t, core, change(&s->up, s->down.count + least - 1));
    if (s->down.count && s->up.count > most)
        hazard_core_knows(t, core, change(&s->down, s->up.count - most - 1));
}

void hazard_mutex_taken(struct hazard_tile *t, unsigned thread, unsigned mutex) {
    hazard_need(t, hazard_clock_join(hazard_thread_clock(t, thread), &t->mutex[mutex % HAZARD_MUTEXES]));
}

void hazard_mutex_released(struct hazard_tile *t, unsigned thread, unsigned mutex) {
    hazard_need(t, hazard_clock_copy(&t->mutex[mutex % HAZARD_MUTEXES], hazard_thread_clock(t, thread)));
}

void hazard_message_sent(struct hazard_tile *t, unsigned from, unsigned to) {
    struct hazard_actor actor = hazard_core_as(t, from, HAZARD_CORE);
    actor.knows = hazard_core_clock(t, from);
    add_change(t, &t->mailbox[to][from], &actor);
}

void hazard_message_read(struct hazard_tile *t, unsigned from, unsigned to) {
    const struct hazard_changes *sent = &t->mailbox[to][from];
    if (sent->count > t->mailbox_read[to][from])
        hazard_core_knows(t, to, change(sent, t->mailbox_read[to][from]++));
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

enum { TAKEN = 8, PUT_IN = 10 }; /* registers of a stream in which tt-metal counts the pages of a circular buffer */

/* A register of a stream. */
struct stream {
    unsigned number;
    enum hazard_stream_part part;
    unsigned buffer; /* circular buffer whose pages the register counts; HAZARD_CBS: none */
};

static struct stream stream_at(const struct hazard_tile *t, uint32_t offset) {
    unsigned index = offset % OVERLAY_STREAM_SIZE / SHADOW_WORD;
    struct stream stream = {
        .number = offset / OVERLAY_STREAM_SIZE % HAZARD_STREAMS,
        .part = index == TAKEN    ? HAZARD_STREAM_TAKEN
                : index == PUT_IN ? HAZARD_STREAM_PUT_IN
                                  : HAZARD_STREAM_ANY,
        .buffer = HAZARD_CBS,
    };
    if (stream.part != HAZARD_STREAM_ANY && t->firmware &&
        stream.number - t->firmware->cb_stream < t->firmware->cb_count)
        stream.buffer = stream.number - t->firmware->cb_stream;
    return stream;
}

/* An agent that reads a page count learns only from the agents that wrote this count; an agent that reads any other
 * register learns from all agents that wrote to the stream. */
void hazard_stream_written(struct hazard_tile *t, uint32_t offset, uint32_t value, const struct hazard_actor *actor) {
    struct stream stream = stream_at(t, offset);
    if (stream.buffer < HAZARD_CBS)
        hazard_pages_counted(t, stream.buffer, stream.part == HAZARD_STREAM_TAKEN, value, actor);
    hazard_need(t, hazard_clock_join(&t->stream[stream.number][stream.part], actor->knows));
    hazard_need(t, hazard_clock_join(&t->stream[stream.number][HAZARD_STREAM_ANY], actor->knows));
}

void hazard_stream_requested(struct hazard_tile *t, uint32_t offset, struct hazard_epoch by) {
    struct stream stream = stream_at(t, offset);
    hazard_learn(t->search, &t->stream[stream.number][stream.part], by);
    hazard_learn(t->search, &t->stream[stream.number][HAZARD_STREAM_ANY], by);
}

/* The packet may change any register of the receiving stream. */
void hazard_stream_passed(struct hazard_tile *t, unsigned stream, const struct hazard_tile *sender, unsigned from) {
    for (unsigned part = 0; part < HAZARD_STREAM_PARTS; part++)
        hazard_need(t, hazard_clock_join(&t->stream[stream][part], &sender->stream[from][HAZARD_STREAM_ANY]));
}

void hazard_stream_read(struct hazard_tile *t, unsigned core, uint32_t offset) {
    struct stream stream = stream_at(t, offset);
    if (stream.buffer == HAZARD_CBS || hazard_count_orders(t, stream.buffer, stream.part == HAZARD_STREAM_TAKEN, core))
        hazard_core_knows(t, core, &t->stream[stream.number][stream.part]);
}
