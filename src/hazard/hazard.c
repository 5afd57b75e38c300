/* Makes and frees the state of tiles, and compares accesses: see hazard.h. */
#include "hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

#include "hazard/search.h"

/* ---- Life ------------------------------------------------------------------------------------------------------ */

struct hazard_search *hazard_search_make(unsigned tiles) {
    struct hazard_search *search = calloc(1, sizeof *search);
    if (search && !(search->tile = calloc(tiles, sizeof(struct hazard_tile *)))) {
        free(search);
        return NULL;
    }
    if (!search)
        return NULL;
    search->tiles = tiles;
    search->room_left = HAZARD_SHADOW_BYTES;
    return search;
}

static void free_changes(struct hazard_changes *changes) {
    for (unsigned i = 0; i < HAZARD_POSTS; i++)
        hazard_clock_free(&changes->clock[i]);
}

static void free_core(struct hazard_core *core) {
    hazard_clock_free(&core->clock);
    for (unsigned i = 0; i < HAZARD_VERSIONS; i++)
        hazard_clock_free(&core->version[i].clock);
}

static void free_tile(struct hazard_tile *t) {
    if (!t)
        return;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        free_core(&t->core[i]);
    for (unsigned i = 0; i < BH_THREADS; i++)
        hazard_clock_free(&t->thread[i].clock);
    for (unsigned i = 0; i < 2 * HAZARD_JOBS; i++)
        hazard_clock_free(&t->job[i / HAZARD_JOBS][i % HAZARD_JOBS].knows);
    for (unsigned i = 0; i < 4; i++)
        hazard_clock_free(&t->handed_by[i / 2][i % 2]);
    for (unsigned i = 0; i < HAZARD_SEMAPHORES; i++) {
        free_changes(&t->semaphore[i].up);
        free_changes(&t->semaphore[i].down);
    }
    for (unsigned to = 0; to < BH_CORE_COUNT; to++)
        for (unsigned from = 0; from < BH_CORE_COUNT; from++)
            free_changes(&t->mailbox[to][from]);
    for (unsigned i = 0; i < HAZARD_MUTEXES; i++)
        hazard_clock_free(&t->mutex[i]);
    for (unsigned i = 0; i < HAZARD_STREAMS * HAZARD_STREAM_PARTS; i++)
        hazard_clock_free(&t->stream[i / HAZARD_STREAM_PARTS][i % HAZARD_STREAM_PARTS]);
    hazard_free_buffers(t);
    for (unsigned i = 0; i < HAZARD_COUNTERS; i++)
        hazard_clock_free(&t->counter[i].clock);
    for (unsigned i = 0; i < HAZARD_MEMORIES; i++) {
        shadow_free(&t->shadow[i]);
        free(t->written[i]);
    }
    free(t);
}

void hazard_search_free(struct hazard_search *search) {
    if (!search)
        return;
    for (unsigned i = 0; i < search->tiles; i++)
        free_tile(search->tile[i]);
    hazard_clock_free(&search->scratch);
    free(search->tile);
    free(search->found);
    free(search->aside);
    free(search);
}

struct hazard_tile *hazard_search_tile(struct hazard_search *search, unsigned number, struct bh_xy xy, uint64_t bytes) {
    const uint64_t size[HAZARD_MEMORIES] = {
        [HAZARD_L1] = bytes,
        [HAZARD_GPR] = SHADOW_WORD * BH_THREADS * HAZARD_GPRS,
        [HAZARD_CONFIG_BANKS] = SHADOW_WORD * 2 * HAZARD_CONFIG_WORDS * 32,
        [HAZARD_DST] = SHADOW_WORD * HAZARD_DST_ROWS,
        [HAZARD_SRC] = SHADOW_LINE,
        [HAZARD_MOP_REGISTERS] = SHADOW_LINE * BH_THREADS,
        [HAZARD_LREG] = SHADOW_WORD * HAZARD_LREGS,
    };
    if (search->tile[number])
        return search->tile[number];
    struct hazard_tile *t = calloc(1, sizeof *t);
    for (unsigned i = 0; t && i < HAZARD_MEMORIES; i++)
        if (!shadow_make(&t->shadow[i], size[i], &search->room_left)) {
            free_tile(t);
            t = NULL;
        }
    if (!t)
        return NULL;
    t->search = search;
    t->number = (uint16_t)number;
    t->xy = xy;
    return search->tile[number] = t;
}

bool hazard_search_end_at(struct hazard_search *search, uint32_t address, uint32_t size, uint8_t value) {
    if (search->ends == HAZARD_ENDS)
        return false;
    search->end[search->ends++] = (struct hazard_end){ address, size, value };
    return true;
}

struct hazard_tile *hazard_tile_of(const struct hazard_search *search, unsigned number) {
    return number < search->tiles ? search->tile[number] : NULL;
}

void hazard_no_memory(struct hazard_search *search) {
    search->incomplete = true;
}

bool hazard_search_incomplete(const struct hazard_search *search) {
    return search->incomplete;
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

/* Returns the core that an agent is, or whose stores it is; BH_CORE_COUNT if the agent is something else. */
static unsigned core_of(unsigned agent) {
    return agent < HAZARD_THREAD ? agent % BH_CORE_COUNT : BH_CORE_COUNT;
}

/* Returns whether two agents of a tile are the same unit, working for the same or for different threads. */
static bool is_same_unit(unsigned agent, unsigned other) {
    return hazard_is_in_unit(agent) && hazard_is_in_unit(other) &&
           (agent - HAZARD_IN_UNIT) / BH_THREADS == (other - HAZARD_IN_UNIT) / BH_THREADS;
}

/* Returns whether the agent knows that the word of an earlier access in the same unit has been issued. */
static bool is_issued_before(struct hazard_epoch epoch, const struct hazard_actor *actor) {
    if (!is_same_unit(epoch.agent, actor->agent))
        return false;
    epoch.agent = (uint16_t)(HAZARD_THREAD + (epoch.agent - HAZARD_IN_UNIT) % BH_THREADS);
    return hazard_clock_knows(actor->knows, epoch, 0);
}

/* Returns whether one agent makes both accesses in order. The writes of a NIU are in order on one channel only, which
 * clocks know; two accesses of one write are parts of the same access. */
static bool is_in_order(const struct hazard_epoch *before, const struct hazard_actor *actor) {
    unsigned agent = (unsigned)(actor->agent - HAZARD_NIU0) % HAZARD_NOC_AGENTS;
    bool is_write = actor->agent >= HAZARD_NIU0 && (agent == HAZARD_WRITE || agent == HAZARD_POSTED);
    return before->agent == actor->agent && (!is_write || before->tick == actor->tick);
}

/* Returns whether the agent knows that the earlier access is over, or whether both accesses are in order by
 * themselves. */
static bool is_ordered(const struct hazard_access *before, const struct hazard_actor *actor) {
    const struct hazard_epoch *epoch = &before->epoch;
    if (before->cycle < actor->tile->search->ordered_until)
        return true;
    if (epoch->tile == actor->tile->number &&
        (is_in_order(epoch, actor) || is_issued_before(*epoch, actor) ||
         (core_of(actor->agent) < BH_CORE_COUNT && core_of(epoch->agent) == core_of(actor->agent))))
        return true; /* in order by themselves */
    return hazard_clock_knows(actor->knows, *epoch, before->channel);
}

/* An access that is being compared with earlier ones. */
struct comparison {
    struct hazard_tile *t;
    enum hazard_memory memory;
    struct hazard_access access;
    const struct hazard_actor *actor;
};

static bool is_from_request(const struct hazard_access *access) {
    return access->how != HAZARD_READS && access->epoch.agent >= HAZARD_NIU0;
}

static bool is_plain_store(const struct hazard_access *access) {
    return access->how == HAZARD_WRITES && access->epoch.agent < HAZARD_THREAD;
}

/* A word that cores, atomics and small writes share is a flag: it orders other accesses, and accesses to it are not a
 * hazard. But if a core stores to the word and a request writes it, one of the two values is lost. */
static bool are_flags(enum hazard_memory memory, const struct hazard_access *a, const struct hazard_access *b) {
    bool lost = (is_from_request(a) && is_plain_store(b)) || (is_from_request(b) && is_plain_store(a));
    return memory == HAZARD_L1 && a->small && b->small && !lost;
}

/* Returns whether the agent knows that a core has made the store, although the store may be in flight. */
static bool knows_store(const struct hazard_access *before, const struct hazard_actor *actor) {
    struct hazard_epoch epoch = before->epoch;
    if (epoch.agent < HAZARD_L1_STORES || epoch.agent >= HAZARD_THREAD)
        return false;
    epoch.agent = (uint16_t)(HAZARD_CORE + core_of(epoch.agent));
    return hazard_clock_knows(actor->knows, epoch, 0);
}

/* Returns whether the same thread has issued so many words since an instruction of the Matrix or Vector Unit that the
 * instruction must be over: latencies of these units are fixed and short, and a word takes at least a cycle. */
static bool is_long_issued(enum hazard_memory memory, const struct hazard_access *before,
                           const struct hazard_actor *actor) {
    /* For Dst, as many words as a MOP makes. One instruction changes all rows of a bank of Src, so fewer are enough. */
    const uint32_t words = memory == HAZARD_SRC ? 8 : 32;
    unsigned unit = (unsigned)(before->epoch.agent - HAZARD_IN_UNIT) / BH_THREADS;
    bool is_short = hazard_is_in_unit(before->epoch.agent) && (unit == HAZARD_MATRIX || unit == HAZARD_VECTOR);
    return is_short && before->epoch.tile == actor->tile->number && before->source == actor->source &&
           actor->tick - before->epoch.tick >= words;
}

/* Returns whether both accesses write the same value to these bytes. A value written to Config is a whole word, and
 * each of its bits has an address: only the bits in the range are compared. */
static bool is_same_value(const struct comparison *c, const struct hazard_access *before, uint32_t address,
                          uint32_t size) {
    uint32_t mask = ~UINT32_C(0);
    if (c->memory == HAZARD_CONFIG_BANKS && size < 32 * SHADOW_WORD)
        mask = ((UINT32_C(1) << size / SHADOW_WORD) - 1) << address / SHADOW_WORD % 32;
    return before->has_value && c->access.has_value && !((before->value ^ c->access.value) & mask);
}

static void compare_one(const struct comparison *c, const struct hazard_access *before, uint32_t address,
                        uint32_t size) {
    if (!before->epoch.tick || is_ordered(before, c->actor) || are_flags(c->memory, before, &c->access))
        return;
    struct hazard_access first = *before;
    first.in_time = knows_store(before, c->actor) || is_long_issued(c->memory, before, c->actor);
    first.same = is_same_value(c, before, address, size) || (before->how == HAZARD_READS && c->actor->changes_nothing);
    hazard_found(c->t->search, c->t, c->memory, address, &first, &c->access);
}

/* Keeps a read. It replaces an older read of the same agent, or else the oldest read. */
static void keep_read(struct hazard_cell *cell, const struct hazard_access *access) {
    struct hazard_access *kept = &cell->read[0];
    for (unsigned i = 0; i < SHADOW_READS; i++) {
        struct hazard_access *read = &cell->read[i];
        bool same = read->epoch.tile == access->epoch.tile && read->epoch.agent == access->epoch.agent;
        if (same || !read->epoch.tick) {
            kept = read;
            break;
        }
        if (read->cycle < kept->cycle)
            kept = read;
    }
    *kept = *access;
}

/* Forgets earlier reads by the same instruction. */
static void forget_read(struct hazard_cell *cell, const struct hazard_access *access) {
    for (unsigned i = 0; i < SHADOW_READS; i++) {
        struct hazard_access *read = &cell->read[i];
        if (read->epoch.tile == access->epoch.tile && read->epoch.agent == access->epoch.agent &&
            read->pc == access->pc)
            *read = (struct hazard_access){ 0 };
    }
}

static bool is_message(const struct hazard_access *access) {
    return access->small && access->how == HAZARD_WRITES && is_from_request(access);
}

/* Returns how often messages and answers have alternated in a word up to this write: a request writes the message, and
 * a core answers by a store to the same word. */
static uint8_t turns_with(const struct hazard_access *before, const struct hazard_access *access,
                          uint64_t ordered_until) {
    bool talks = access->small && (is_message(access) || is_plain_store(access));
    uint8_t turns = before->cycle < ordered_until ? 0 : before->turns;
    bool in_turn = is_message(before) != is_message(access) || !turns;
    return !talks ? 0 : in_turn && turns < UINT8_MAX ? turns + 1 : turns;
}

/* Reports a message that overwrites another. Once a message has been answered in its own word, each later message needs
 * an answer before the next one comes. */
static void find_lost_message(const struct comparison *c, const struct hazard_access *before, uint32_t address) {
    enum { ONE_ANSWERED = 2 };
    struct hazard_access first = *before;
    first.suspect = true;
    if (is_message(before) && is_message(&c->access) && before->turns > ONE_ANSWERED)
        hazard_found(c->t->search, c->t, c->memory, address, &first, &c->access);
}

static void compare_cell(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct comparison *c = user;
    compare_one(c, &cell->write, address, size);
    if (c->access.how == HAZARD_READS && c->actor->polls)
        forget_read(cell, &c->access); /* a core that polls waits for a write */
    else if (c->access.how == HAZARD_READS)
        keep_read(cell, &c->access);
    if (c->access.how == HAZARD_READS)
        return;
    for (unsigned i = 0; i < SHADOW_READS; i++)
        compare_one(c, &cell->read[i], address, size);
    uint8_t turns = c->memory == HAZARD_L1 ? turns_with(&cell->write, &c->access, c->t->search->ordered_until) : 0;
    if (turns)
        find_lost_message(c, &cell->write, address);
    memset(cell, 0, sizeof *cell);
    cell->write = c->access;
    cell->write.turns = turns;
}

struct hazard_access hazard_access_of(const struct hazard_tile *t, enum hazard_how how,
                                      const struct hazard_actor *actor) {
    return (struct hazard_access){
        .epoch = { actor->tile->number, actor->agent, actor->tick },
        .pc = actor->pc,
        .word = actor->word,
        .cycle = t->now,
        .begun = actor->begun,
        .how = (uint8_t)how,
        .source = actor->source,
        .retried = actor->retried,
        .uncertain = actor->uncertain,
        .open_end = actor->open_end,
        .has_value = actor->has_value,
        .value = actor->value,
        .channel = actor->channel,
    };
}

void hazard_compare_with(struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                         const struct hazard_access *before, enum hazard_how how, const struct hazard_actor *actor) {
    const struct comparison c = { .t = t, .memory = memory, .actor = actor, .access = hazard_access_of(t, how, actor) };
    compare_one(&c, before, address, SHADOW_WORD);
}

void hazard_compare(struct hazard_tile *t, enum hazard_memory memory, uint32_t address, uint32_t size,
                    enum hazard_how how, const struct hazard_actor *actor) {
    struct comparison c = { .t = t, .memory = memory, .actor = actor, .access = hazard_access_of(t, how, actor) };
    c.access.small = actor->flags && size <= SHADOW_WORD;
    if (how != HAZARD_READS)
        hazard_note_write(t, memory, address, size);
    else if (actor->agent < HAZARD_NIU0) /* packets only copy bytes, and do not use them */
        hazard_note_read(t, memory, address, size, &c.access);
    if (!shadow_visit(&t->shadow[memory], address, size, compare_cell, &c))
        hazard_no_memory(t->search);
}

void hazard_host_reads(struct hazard_tile *t) {
    t->search->host_reads = true;
}

void hazard_host_writes(struct hazard_tile *t, uint32_t address, uint32_t size, uint64_t now) {
    hazard_forget(t, address, size);
    if (t->search->host_reads)
        t->search->ordered_until = now;
    t->search->host_reads = false;
}

void hazard_frame_leaves(struct hazard_tile *t, uint64_t now) {
    if (now >= t->search->frame_left_until)
        t->search->frame_left_until = now + 1;
}

void hazard_frame_arrived(struct hazard_tile *t) {
    t->search->passed_on_until = t->search->frame_left_until;
}

void hazard_forget(struct hazard_tile *t, uint32_t address, uint32_t size) {
    hazard_need(t, shadow_forget(&t->shadow[HAZARD_L1], address, size));
    hazard_note_write(t, HAZARD_L1, address, size);
}
