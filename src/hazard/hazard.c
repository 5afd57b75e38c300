/* Makes and frees the state of tiles, and compares accesses: see hazard.h. */
#include "hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

#include "hazard/hazards.h"

/* ---- Life ------------------------------------------------------------------------------------------------------ */

struct hazards *hazards_make(unsigned tiles) {
    struct hazards *all = calloc(1, sizeof *all);
    if (all && !(all->tile = calloc(tiles, sizeof(struct hazard_tile *)))) {
        free(all);
        return NULL;
    }
    if (!all)
        return NULL;
    all->tiles = tiles;
    all->room_left = HAZARD_MEMORY;
    return all;
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
    for (unsigned i = 0; i < HAZARD_PLACES; i++) {
        shadow_free(&t->place[i]);
        free(t->written[i]);
    }
    free(t);
}

void hazards_free(struct hazards *all) {
    if (!all)
        return;
    for (unsigned i = 0; i < all->tiles; i++)
        free_tile(all->tile[i]);
    hazard_clock_free(&all->scratch);
    free(all->tile);
    free(all->found);
    free(all->unwritten);
    free(all);
}

struct hazard_tile *hazards_tile(struct hazards *all, unsigned number, struct bh_xy xy, uint64_t memory) {
    const uint64_t size[HAZARD_PLACES] = {
        [HAZARD_L1] = memory,
        [HAZARD_GPR] = SHADOW_WORD * BH_THREADS * HAZARD_GPRS,
        [HAZARD_CONFIG_BANKS] = SHADOW_WORD * 2 * HAZARD_CONFIG_WORDS * 32,
        [HAZARD_DST] = SHADOW_WORD * HAZARD_DST_ROWS,
        [HAZARD_SRC] = SHADOW_LINE,
        [HAZARD_MOP_REGISTERS] = SHADOW_LINE * BH_THREADS,
        [HAZARD_LREG] = SHADOW_WORD * HAZARD_LREGS,
    };
    if (all->tile[number])
        return all->tile[number];
    struct hazard_tile *t = calloc(1, sizeof *t);
    for (unsigned i = 0; t && i < HAZARD_PLACES; i++)
        if (!shadow_make(&t->place[i], size[i], &all->room_left)) {
            free_tile(t);
            t = NULL;
        }
    if (!t)
        return NULL;
    t->all = all;
    t->number = (uint16_t)number;
    t->xy = xy;
    return all->tile[number] = t;
}

bool hazards_end_at(struct hazards *all, uint32_t address, uint32_t size, uint8_t value) {
    if (all->ends == HAZARD_ENDS)
        return false;
    all->end[all->ends++] = (struct hazard_end){ address, size, value };
    return true;
}

struct hazard_tile *hazard_tile_of(const struct hazards *all, unsigned number) {
    return number < all->tiles ? all->tile[number] : NULL;
}

void hazard_no_memory(struct hazards *all) {
    all->incomplete = true;
}

bool hazards_incomplete(const struct hazards *all) {
    return all->incomplete;
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
static bool is_issued_before(struct hazard_epoch epoch, const struct hazard_who *who) {
    if (!is_same_unit(epoch.agent, who->agent))
        return false;
    epoch.agent = (uint16_t)(HAZARD_THREAD + (epoch.agent - HAZARD_IN_UNIT) % BH_THREADS);
    return hazard_clock_knows(who->knows, epoch, 0);
}

/* Returns whether one agent makes both accesses in order. The writes of a NIU are in order on one channel only, which
 * clocks know; two accesses of one write are parts of the same access. */
static bool is_in_order(const struct hazard_epoch *before, const struct hazard_who *who) {
    unsigned agent = (unsigned)(who->agent - HAZARD_NIU0) % HAZARD_NOC_AGENTS;
    bool is_write = who->agent >= HAZARD_NIU0 && (agent == HAZARD_WRITE || agent == HAZARD_POSTED);
    return before->agent == who->agent && (!is_write || before->tick == who->tick);
}

bool hazard_is_ordered(const struct hazard_access *before, const struct hazard_who *who) {
    const struct hazard_epoch *epoch = &before->epoch;
    if (before->cycle < who->tile->all->told)
        return true;
    if (epoch->tile == who->tile->number &&
        (is_in_order(epoch, who) || is_issued_before(*epoch, who) ||
         (core_of(who->agent) < BH_CORE_COUNT && core_of(epoch->agent) == core_of(who->agent))))
        return true; /* in order by themselves */
    return hazard_clock_knows(who->knows, *epoch, before->channel);
}

/* An access that is being compared with earlier ones. */
struct comparison {
    struct hazard_tile *t;
    enum hazard_place place;
    struct hazard_access access;
    const struct hazard_who *who;
};

static bool is_from_request(const struct hazard_access *access) {
    return access->how != HAZARD_READS && access->epoch.agent >= HAZARD_NIU0;
}

static bool is_plain_store(const struct hazard_access *access) {
    return access->how == HAZARD_WRITES && access->epoch.agent < HAZARD_THREAD;
}

/* A word that cores, atomics and small writes share is a flag: it orders other accesses, and accesses to it are not a
 * hazard. But if a core stores to the word and a request writes it, one of the two values is lost. */
static bool are_flags(enum hazard_place place, const struct hazard_access *a, const struct hazard_access *b) {
    bool lost = (is_from_request(a) && is_plain_store(b)) || (is_from_request(b) && is_plain_store(a));
    return place == HAZARD_L1 && a->small && b->small && !lost;
}

/* Returns whether the agent knows that a core has made the store, although the store may be in flight. */
static bool knows_store(const struct hazard_access *before, const struct hazard_who *who) {
    struct hazard_epoch epoch = before->epoch;
    if (epoch.agent < HAZARD_L1_STORES || epoch.agent >= HAZARD_THREAD)
        return false;
    epoch.agent = (uint16_t)(HAZARD_CORE + core_of(epoch.agent));
    return hazard_clock_knows(who->knows, epoch, 0);
}

/* Returns whether the same thread has issued so many words since an instruction of the Matrix or Vector Unit that the
 * instruction must be over: latencies of these units are fixed and short, and a word takes at least a cycle. */
static bool is_long_issued(enum hazard_place place, const struct hazard_access *before, const struct hazard_who *who) {
    /* For Dst, as many words as a MOP makes. One instruction changes all rows of a bank of Src, so fewer are enough. */
    const uint32_t words = place == HAZARD_SRC ? 8 : 32;
    unsigned unit = (unsigned)(before->epoch.agent - HAZARD_IN_UNIT) / BH_THREADS;
    bool is_short = hazard_is_in_unit(before->epoch.agent) && (unit == HAZARD_MATRIX || unit == HAZARD_VECTOR);
    return is_short && before->epoch.tile == who->tile->number && before->source == who->source &&
           who->tick - before->epoch.tick >= words;
}

/* Returns whether both accesses write the same value to these bytes. A value written to Config is a whole word, and
 * each of its bits has an address: only the bits in the range are compared. */
static bool is_same_value(const struct comparison *c, const struct hazard_access *before, uint32_t address,
                          uint32_t size) {
    uint32_t mask = ~UINT32_C(0);
    if (c->place == HAZARD_CONFIG_BANKS && size < 32 * SHADOW_WORD)
        mask = ((UINT32_C(1) << size / SHADOW_WORD) - 1) << address / SHADOW_WORD % 32;
    return before->has_value && c->access.has_value && !((before->value ^ c->access.value) & mask);
}

static void compare_one(const struct comparison *c, const struct hazard_access *before, uint32_t address,
                        uint32_t size) {
    if (!before->epoch.tick || hazard_is_ordered(before, c->who) || are_flags(c->place, before, &c->access))
        return;
    struct hazard_access first = *before;
    first.in_time = knows_store(before, c->who) || is_long_issued(c->place, before, c->who);
    first.same = is_same_value(c, before, address, size) || (before->how == HAZARD_READS && c->who->changes_nothing);
    hazard_found(c->t->all, c->t, c->place, address, &first, &c->access);
}

/* Keeps a read. It replaces an older read of the same agent, or else the oldest read. */
static void keep_read(struct hazard_cell *cell, const struct hazard_access *access) {
    struct hazard_access *place = &cell->read[0];
    for (unsigned i = 0; i < SHADOW_READS; i++) {
        struct hazard_access *read = &cell->read[i];
        bool same = read->epoch.tile == access->epoch.tile && read->epoch.agent == access->epoch.agent;
        if (same || !read->epoch.tick) {
            place = read;
            break;
        }
        if (read->cycle < place->cycle)
            place = read;
    }
    *place = *access;
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
static uint8_t turns_with(const struct hazard_access *before, const struct hazard_access *access, uint64_t told) {
    bool talks = access->small && (is_message(access) || is_plain_store(access));
    uint8_t turns = before->cycle < told ? 0 : before->turns;
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
        hazard_found(c->t->all, c->t, c->place, address, &first, &c->access);
}

static void compare_cell(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct comparison *c = user;
    compare_one(c, &cell->write, address, size);
    if (c->access.how == HAZARD_READS && c->who->polls)
        forget_read(cell, &c->access); /* a core that polls waits for a write */
    else if (c->access.how == HAZARD_READS)
        keep_read(cell, &c->access);
    if (c->access.how == HAZARD_READS)
        return;
    for (unsigned i = 0; i < SHADOW_READS; i++)
        compare_one(c, &cell->read[i], address, size);
    uint8_t turns = c->place == HAZARD_L1 ? turns_with(&cell->write, &c->access, c->t->all->told) : 0;
    if (turns)
        find_lost_message(c, &cell->write, address);
    memset(cell, 0, sizeof *cell);
    cell->write = c->access;
    cell->write.turns = turns;
}

struct hazard_access hazard_access_of(const struct hazard_tile *t, enum hazard_how how, const struct hazard_who *who) {
    return (struct hazard_access){
        .epoch = { who->tile->number, who->agent, who->tick },
        .pc = who->pc,
        .word = who->word,
        .cycle = t->now,
        .begun = who->begun,
        .how = (uint8_t)how,
        .source = who->source,
        .retried = who->retried,
        .uncertain = who->uncertain,
        .open_end = who->open_end,
        .has_value = who->has_value,
        .value = who->value,
        .channel = who->channel,
    };
}

void hazard_compare_with(struct hazard_tile *t, enum hazard_place place, uint32_t address,
                         const struct hazard_access *before, enum hazard_how how, const struct hazard_who *who) {
    const struct comparison c = { .t = t, .place = place, .who = who, .access = hazard_access_of(t, how, who) };
    compare_one(&c, before, address, SHADOW_WORD);
}

void hazard_compare(struct hazard_tile *t, enum hazard_place place, uint32_t address, uint32_t size,
                    enum hazard_how how, const struct hazard_who *who) {
    struct comparison c = { .t = t, .place = place, .who = who, .access = hazard_access_of(t, how, who) };
    c.access.small = who->flags && size <= SHADOW_WORD;
    if (how != HAZARD_READS)
        hazard_is_written(t, place, address, size);
    else if (who->agent < HAZARD_NIU0) /* packets only copy bytes, and do not use them */
        hazard_needs_written(t, place, address, size, &c.access);
    if (!shadow_visit(&t->place[place], address, size, compare_cell, &c))
        hazard_no_memory(t->all);
}

void hazard_host_reads(struct hazard_tile *t) {
    t->all->host_reads = true;
}

void hazard_host_writes(struct hazard_tile *t, uint32_t address, uint32_t size, uint64_t now) {
    hazard_forget(t, address, size);
    if (t->all->host_reads)
        t->all->told = now;
    t->all->host_reads = false;
}

void hazard_frame_leaves(struct hazard_tile *t, uint64_t now) {
    if (now >= t->all->sent)
        t->all->sent = now + 1;
}

void hazard_frame_came(struct hazard_tile *t) {
    t->all->returned = t->all->sent;
}

void hazard_forget(struct hazard_tile *t, uint32_t address, uint32_t size) {
    hazard_need(t, shadow_forget(&t->place[HAZARD_L1], address, size));
    hazard_is_written(t, HAZARD_L1, address, size);
}
