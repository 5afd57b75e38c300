/* The Configuration Unit on a bench: a coprocessor whose threads do nothing of their own. Instructions are offered to
 * the unit directly, in a cycle of the test's choice. */
#ifndef TENSIX_CONFIG_BENCH_H
#define TENSIX_CONFIG_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tensix/config/config.h"
#include "tensix/tensix.h"

struct bench {
    struct tensix x;
    uint32_t stream[64][1024]; /* registers of the overlay */
    struct bh_fault fault;
    unsigned faults, events;
    uint64_t last_event;
};

enum { BENCH_NO_REGISTER = 1000 /* of a stream */ };

static inline struct access bench_stream(void *owner, unsigned stream, unsigned index, uint32_t *value) {
    struct bench *bench = owner;
    if (index == BENCH_NO_REGISTER)
        return access_refused(BH_FAULT_UNMODELLED, "register 1000 is not modelled");
    *value = bench->stream[stream][index];
    return access_done();
}

static inline void bench_event(void *owner, uint64_t time, unsigned cores) {
    (void)cores;
    struct bench *bench = owner;
    bench->events++;
    bench->last_event = time;
}

static inline void bench_fault(void *owner, const struct bh_fault *fault) {
    struct bench *bench = owner;
    bench->faults++;
    bench->fault = *fault;
}

static inline struct bench *bench_create(void) {
    static const struct tensix_port port = {
        .stream = bench_stream,
        .event = bench_event,
        .fault = bench_fault,
    };
    struct bench *bench = calloc(1, sizeof *bench);
    bench->x.port = &port;
    bench->x.owner = bench;
    tensix_init(&bench->x);
    return bench;
}

static inline void bench_destroy(struct bench *bench) {
    free(bench);
}

/* Everything before `cycle` happens, and of it what comes before the threads: waiting requests. */
static inline void bench_to(struct bench *bench, uint64_t cycle) {
    tensix_run(&bench->x, cycle);
    if (bench->x.config.request_due <= cycle)
        config_step(&bench->x, cycle);
}

/* A word is at the gate of a thread in a cycle: 0 if it passes. */
static inline uint64_t bench_offer(struct bench *bench, unsigned thread, uint32_t word, uint64_t cycle) {
    bench_to(bench, cycle);
    switch (word >> 24) {
    case TENSIX_WRCFG: return execute_WRCFG(&bench->x, thread, word, cycle);
    case TENSIX_RDCFG: return execute_RDCFG(&bench->x, thread, word, cycle);
    case TENSIX_SETC16: return execute_SETC16(&bench->x, thread, word, cycle);
    case TENSIX_RMWCIB0: return execute_RMWCIB0(&bench->x, thread, word, cycle);
    case TENSIX_RMWCIB1: return execute_RMWCIB1(&bench->x, thread, word, cycle);
    case TENSIX_RMWCIB2: return execute_RMWCIB2(&bench->x, thread, word, cycle);
    case TENSIX_RMWCIB3: return execute_RMWCIB3(&bench->x, thread, word, cycle);
    case TENSIX_STREAMWRCFG: return execute_STREAMWRCFG(&bench->x, thread, word, cycle);
    case TENSIX_CFGSHIFTMASK: return execute_CFGSHIFTMASK(&bench->x, thread, word, cycle);
    default: abort();
    }
}

/* Offers the word until it passes. Returns the cycle. */
static inline uint64_t bench_pass(struct bench *bench, unsigned thread, uint32_t word, uint64_t cycle) {
    for (;;) {
        uint64_t again = bench_offer(bench, thread, word, cycle);
        if (!again)
            return cycle;
        assert_true(again > cycle);
        cycle = again;
    }
}

/* ---- Words --------------------------------------------------------------------------------------- */

static inline uint32_t wrcfg(unsigned gpr, bool quad, unsigned index) {
    return tensix_encode_WRCFG((struct tensix_WRCFG){ .GprAddress = gpr, .wr128b = quad, .CfgReg = index });
}
static inline uint32_t rdcfg(unsigned gpr, unsigned index) {
    return tensix_encode_RDCFG((struct tensix_RDCFG){ .GprAddress = gpr, .CfgReg = index });
}
static inline uint32_t setc16(unsigned index, unsigned value) {
    return tensix_encode_SETC16((struct tensix_SETC16){ .setc16_reg = index, .setc16_value = value });
}
static inline uint32_t rmwcib(unsigned byte, unsigned mask, unsigned data, unsigned index) {
    return (uint32_t)(TENSIX_RMWCIB0 + byte) << 24 | mask << 16 | data << 8 | index;
}
static inline uint32_t streamwrcfg(unsigned select, unsigned reg, unsigned index) {
    return tensix_encode_STREAMWRCFG(
        (struct tensix_STREAMWRCFG){ .stream_id_sel = select, .StreamRegAddr = reg, .CfgReg = index });
}
static inline uint32_t cfgshiftmask(bool keep, unsigned operation, unsigned width, unsigned rotate, unsigned scratch,
                                    unsigned index) {
    return tensix_encode_CFGSHIFTMASK((struct tensix_CFGSHIFTMASK){
        .disable_mask_on_old_val = keep,
        .operation = operation,
        .mask_width = width,
        .right_cshift_amt = rotate,
        .scratch_sel = scratch,
        .CfgReg = index,
    });
}

/* A reproducible stream of numbers. */
static inline uint32_t bench_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) ^ (uint32_t)(*state >> 12);
}

#endif
