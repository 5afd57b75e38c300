/* A coprocessor on the bench: no tile, no frontend, handlers called one by one, and a port that records its calls. */
#ifndef TENSIX_SCALAR_BENCH_H
#define TENSIX_SCALAR_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/tensix.h"

enum { BENCH_L1 = 0x180000 };

struct bench {
    struct tensix x;
    struct bh_fault fault; /* the last one */
    unsigned faults;
    struct access reply; /* of the registers */
    uint32_t register_address, register_value;
    uint64_t register_time;
    unsigned reads, writes;
    uint32_t written_address, written_size;
    uint64_t written_time;
    unsigned written;
    uint32_t watched, watched_size;
};

static inline struct access bench_read(void *owner, uint32_t address, uint64_t time, uint32_t *value) {
    struct bench *b = owner;
    b->register_address = address;
    b->register_time = time;
    b->reads++;
    *value = b->register_value;
    return b->reply;
}

static inline struct access bench_write(void *owner, uint32_t address, uint64_t time, uint32_t value) {
    struct bench *b = owner;
    b->register_address = address;
    b->register_time = time;
    b->register_value = value;
    b->writes++;
    return b->reply;
}

static inline void bench_l1_written(void *owner, enum bh_track unit, uint32_t address, uint32_t size, uint64_t time) {
    struct bench *b = owner;
    (void)unit;
    b->written_address = address;
    b->written_size = size;
    b->written_time = time;
    b->written++;
    if (address < b->watched + b->watched_size && address + size > b->watched)
        tensix_l1_written(&b->x, address, size, time);
}

static inline void bench_watch(void *owner, uint32_t address, uint32_t size) {
    struct bench *b = owner;
    b->watched = address;
    b->watched_size = size;
}

static inline void bench_event(void *owner, uint64_t time, unsigned cores) {
    (void)cores;
    (void)owner, (void)time;
}

static inline void bench_fault(void *owner, const struct bh_fault *fault) {
    struct bench *b = owner;
    b->fault = *fault;
    b->faults++;
}

static inline struct bench *bench_create(void) {
    static const struct tensix_port port = {
        .read = bench_read,
        .write = bench_write,
        .l1_written = bench_l1_written,
        .watch_l1 = bench_watch,
        .event = bench_event,
        .fault = bench_fault,
    };
    struct bench *b = calloc(1, sizeof *b);
    b->x.l1 = calloc(1, BENCH_L1);
    b->x.port = &port;
    b->x.owner = b;
    tensix_init(&b->x);
    return b;
}

static inline int bench_setup(void **state) {
    *state = bench_create();
    return 0;
}

static inline int bench_teardown(void **state) {
    struct bench *b = *state;
    free(b->x.l1);
    free(b);
    return 0;
}

/* A fresh machine inside a test. */
static inline void bench_renew(struct bench **b) {
    free((*b)->x.l1);
    free(*b);
    *b = bench_create();
}

static inline uint32_t bench_word(const struct bench *b, uint32_t address) {
    uint32_t value;
    memcpy(&value, &b->x.l1[address], 4);
    return value;
}

static inline void bench_put(struct bench *b, uint32_t address, uint32_t value) {
    memcpy(&b->x.l1[address], &value, 4);
}

/* Another agent writes a word, visible from this cycle on. */
static inline void bench_poke(struct bench *b, uint32_t address, uint32_t value, uint64_t time) {
    bench_put(b, address, value);
    bench_l1_written(b, BH_TRACK_SCALAR, address, 4, time);
}

/* Checks that the instruction passes in cycle `now` and occupies unit and thread for this many cycles. (With a single
 * cycle the thread has no busy time: it could not issue before the next cycle anyway.) */
#define assert_takes(b, handler, thread_, word, now, cycles) \
    do { \
        assert_int_equal(handler(&(b)->x, thread_, word, now), TENSIX_PASSED); \
        assert_int_equal((b)->faults, 0); \
        assert_int_equal((b)->x.scalar.busy_until, (now) + (cycles)); \
        if ((cycles) > 1) { \
            assert_int_equal((b)->x.thread[thread_].frozen_until, (now) + (cycles)); \
            assert_int_equal((b)->x.thread[thread_].busy[TENSIX_BUSY_SCALAR], (now) + (cycles)); \
        } \
        assert_int_equal((b)->x.scalar.owner, SCALAR_NOBODY); \
    } while (0)

/* Checks that the instruction is held with a reason, and leaves unit and GPRs unchanged. */
#define assert_faults(b, handler, thread_, word, now, kind_, part) \
    do { \
        static struct tensix old_x; \
        old_x = (b)->x; \
        (b)->faults = 0; \
        assert_int_equal(handler(&(b)->x, thread_, word, now), TENSIX_NEVER); \
        assert_int_equal((b)->faults, 1); \
        assert_int_equal((b)->fault.kind, kind_); \
        assert_int_equal((b)->fault.insn, word); \
        assert_int_equal((b)->fault.thread, thread_); \
        if (!strstr((b)->fault.text, part)) \
            fail_msg("\"%s\" does not say \"%s\"", (b)->fault.text, part); \
        assert_true((b)->x.thread[thread_].faulted); \
        assert_memory_equal(old_x.gpr, (b)->x.gpr, sizeof old_x.gpr); \
        assert_memory_equal(&old_x.scalar, &(b)->x.scalar, sizeof old_x.scalar); \
        assert_int_equal(old_x.landings, (b)->x.landings); \
        (b)->x.thread[thread_].faulted = false; \
        (b)->faults = 0; \
    } while (0)

#endif
