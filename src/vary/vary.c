/* Delays: see vary.h. */
#include "vary/vary.h"

#include <stdlib.h>

#include "base/list.h"

static const uint32_t most[BH_DELAY_KIND_COUNT] = {
#define BH_DELAY(name, word, agent, most, text, source) [BH_DELAY_##name] = (most),
#include "bhemu_delay.def"
};

int vary_compare(const void *left, const void *right) {
    const struct vary_event *a = &((const struct vary_delay *)left)->event;
    const struct vary_event *b = &((const struct vary_delay *)right)->event;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (a->agent != b->agent)
        return a->agent < b->agent ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The finalizer of splitmix64: each bit of the result depends on each bit of the value. */
static uint64_t scramble(uint64_t value) {
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static uint64_t hash(uint64_t seed, uint64_t value) {
    return scramble(seed + scramble(value + UINT64_C(0x9E3779B97F4A7C15)));
}

/* How a seed delays one agent. one_in: one event in this many is delayed; 0: none. shift: the longest delay is `most`
 * shifted right by this. */
struct delay_profile {
    uint16_t one_in;
    uint8_t shift;
};

/* A seed delays nothing of half of the kinds, and nothing of a quarter of the agents of the other kinds, because faults
 * appear where one thing is slow compared with another. */
static struct delay_profile profile_of(uint64_t seed, const struct vary_event *event) {
    static const struct delay_profile profiles[] = { { 0, 0 }, { 4, 0 }, { 2, 3 }, { 1, 0 } };
    uint64_t kind = hash(seed, event->kind), agent = hash(kind, (uint64_t)event->site << 8 | event->agent);
    if (kind & 1)
        return profiles[0];
    return profiles[agent % (sizeof profiles / sizeof *profiles)];
}

/* Returns the length of a delay, from 1 to `longest`. In half of the cases all lengths are equally likely. In the other
 * half all numbers of bits are, so that short delays prevail. */
static uint32_t length_of(uint64_t drawn, uint32_t longest) {
    unsigned bits = 32 - (unsigned)__builtin_clz(longest), few = (unsigned)(drawn >> 1) % bits;
    uint32_t mask = drawn & 1 ? UINT32_MAX : (UINT32_C(2) << few) - 1;
    return 1 + ((uint32_t)(drawn >> 8) & mask) % longest;
}

static uint32_t by_seed(uint64_t seed, const struct vary_event *event) {
    struct delay_profile profile = profile_of(seed, event);
    uint32_t longest = most[event->kind] >> profile.shift;
    uint64_t drawn =
        hash(hash(seed, (uint64_t)event->kind << 16 | (uint64_t)event->site << 8 | event->agent), event->number);
    if (!profile.one_in || drawn % profile.one_in)
        return 0;
    return length_of(scramble(drawn), longest ? longest : 1);
}

static uint32_t by_list(const struct vary *vary, const struct vary_event *event) {
    const struct vary_delay key = { .event = *event };
    const struct vary_delay *found =
        vary->count ? bsearch(&key, vary->list, vary->count, sizeof key, vary_compare) : NULL;
    return found ? found->cycles : 0;
}

uint32_t vary_cycles(const struct vary *vary, const struct vary_event *event) {
    return vary->listed ? by_list(vary, event) : by_seed(vary->seed, event);
}

uint32_t vary_draw(struct vary_tile *tile, struct vary_event event) {
    uint32_t cycles = vary_cycles(tile->vary, &event);
    struct vary_delay *log = cycles ? list_room(tile->log, tile->count, &tile->room, sizeof *log) : NULL;
    if (!log) {
        tile->incomplete |= cycles != 0;
        return cycles;
    }
    tile->log = log;
    log[tile->count++] = (struct vary_delay){ .event = event, .cycles = cycles, .core = -1 };
    return cycles;
}

uint32_t vary_next(struct vary_tile *tile, enum bh_delay_kind kind, unsigned agent) {
    return vary_draw(tile,
                     (struct vary_event){ (uint8_t)kind, tile->site, (uint8_t)agent, tile->number[kind][agent]++ });
}

void vary_note(struct vary_tile *tile, uint64_t time, int core, uint32_t pc) {
    if (!tile->count)
        return;
    struct vary_delay *last = &tile->log[tile->count - 1];
    last->time = time;
    last->core = (int8_t)core;
    last->pc = pc;
}

void vary_free_log(struct vary_tile *tile) {
    free(tile->log);
    tile->log = NULL;
    tile->count = tile->room = 0;
    tile->incomplete = false;
}
