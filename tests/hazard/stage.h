/* Two tiles without a chip, on which tests of hazard/hazard.h let agents act. */
#ifndef TESTS_HAZARD_STAGE_H
#define TESTS_HAZARD_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hazard/hazard.h"

enum { L1_SIZE = 0x10000, AT = 0, BUFFER = 0x1000, FLAG = 0x2000, BYTES = 256, NEAR = 10, FAR = 11 };

struct stage {
    struct hazard_search *search;
    struct hazard_tile *near, *far; /* two tiles */
    uint64_t now;
};

static inline struct stage begin(void) {
    struct stage s = { .search = hazard_search_make(32) };
    s.near = hazard_search_tile(s.search, NEAR, (struct bh_xy){ 1, 2 }, L1_SIZE);
    s.far = hazard_search_tile(s.search, FAR, (struct bh_xy){ 2, 2 }, L1_SIZE);
    assert_non_null(s.near);
    assert_non_null(s.far);
    return s;
}

/* Ends a stage that has found one hazard of this kind, or none. */
static inline void end_with(struct stage *s, enum bh_hazard_kind kind) {
    assert_int_equal(hazard_search_count(s->search), 1);
    assert_int_equal(hazard_search_at(s->search, 0)->kind, kind);
    assert_false(hazard_search_incomplete(s->search));
    hazard_search_free(s->search);
}

static inline void end_silent(struct stage *s) {
    assert_int_equal(hazard_search_count(s->search), 0);
    assert_false(hazard_search_incomplete(s->search));
    hazard_search_free(s->search);
}

static inline void step(struct stage *s, struct hazard_tile *t, unsigned core) {
    s->now += 10;
    hazard_core_step(t, core, 0x100 + (uint32_t)s->now, 0x13, s->now);
}

static inline void load(struct stage *s, struct hazard_tile *t, unsigned core, uint32_t address) {
    step(s, t, core);
    hazard_core_loads(t, core, address, 4);
}

static inline void store(struct stage *s, struct hazard_tile *t, unsigned core, uint32_t address) {
    step(s, t, core);
    hazard_core_stores(t, core, address, 4, 0);
}

/* A core sends a request. Returns its tick; that of its source is one agent before. */
static inline uint32_t request(struct stage *s, struct hazard_tile *t, unsigned core, unsigned agent,
                               uint32_t channel) {
    struct hazard_request_made made = {
        .core = (uint8_t)core,
        .agent = (uint8_t)agent,
        .channel = channel,
        .ordered = channel && agent != HAZARD_WRITE_SOURCE,
        .leaves = s->now + 50,
    };
    step(s, t, core);
    return hazard_request_begins(t, &made);
}

static inline uint32_t read_into(struct stage *s, unsigned core, uint32_t address) {
    uint32_t tick = request(s, s->near, core, HAZARD_READ, 0);
    hazard_request_access(s->near, s->near, 0, HAZARD_READ, tick, address, BYTES, HAZARD_WRITES);
    return tick;
}

static inline uint32_t write_from(struct stage *s, unsigned core, uint32_t address, uint32_t channel) {
    uint32_t source = request(s, s->near, core, HAZARD_WRITE_SOURCE, 0);
    hazard_request_access(s->near, s->near, 0, HAZARD_WRITE_SOURCE, source, address, BYTES, HAZARD_READS);
    return request(s, s->near, core, HAZARD_WRITE, channel);
}

static inline void arrive(struct stage *s, unsigned agent, uint32_t tick, uint32_t address, uint32_t size,
                          enum hazard_how how) {
    hazard_request_access(s->far, s->near, 0, agent, tick, address, size, how);
}

static inline void push(struct stage *s, unsigned thread, uint32_t word, uint32_t pc) {
    const struct hazard_push push = { &word, 1, 1, pc };
    hazard_pushes(s->near, BH_TRISC0 + thread, thread, &push);
    hazard_pushed(s->near, BH_TRISC0 + thread, thread, &push, 1);
}

static inline void post(struct stage *s, unsigned thread) {
    struct hazard_actor actor = hazard_thread_as(s->near, thread);
    hazard_semaphore_up(s->near, 0, &actor);
}

static inline void get(struct stage *s, unsigned thread) {
    struct hazard_actor actor = hazard_thread_as(s->near, thread);
    hazard_semaphore_down(s->near, 0, &actor);
}

static inline void set_to(struct stage *s, unsigned thread, unsigned value) {
    struct hazard_actor actor = hazard_thread_as(s->near, thread);
    hazard_semaphore_set(s->near, 0, value, &actor);
}

static inline void wait_for_post(struct stage *s, unsigned thread) {
    hazard_semaphore_not_zero(s->near, 0, hazard_thread_clock(s->near, thread));
}

/* A word of a thread that the thread's TRISC has just pushed passes. */
static inline void pass(struct stage *s, unsigned thread) {
    step(s, s->near, BH_TRISC0 + thread);
    push(s, thread, 0x1234, s->near->pc);
    hazard_thread_step(s->near, thread, s->near->pc, 0x1234, s->now, true);
}

static inline void use(struct stage *s, unsigned thread, unsigned unit, enum hazard_memory memory,
                       enum hazard_how how) {
    pass(s, thread);
    hazard_unit_step(s->near, thread, unit);
    hazard_unit_access(s->near, thread, unit, memory, AT, 64, how);
}

static inline void wait_for(struct stage *s, unsigned thread, unsigned unit) {
    hazard_thread_latches(s->near, thread);
    hazard_thread_waited(s->near, thread, unit);
}

#endif
