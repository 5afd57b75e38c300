/* An instruction on an emulated coprocessor that does nothing else, and what can be observed of its time. */
#ifndef TESTS_TENSIX_TIMING_H
#define TESTS_TENSIX_TIMING_H

#include "tensix/pack_setup.h"
#include "tensix/unpack_setup.h"

enum { L1_AT = 0x30000, ADDRESS = 60, ZERO_GPR = 59, DATA_GPR = 40 };
enum { B0 = 1 << 0, B6 = 1 << 6, B_SYNC = 1 << 1 };

/* How a result is seen. */
enum result {
    IN_STATE,  /* registers or memory change for the last time */
    BY_READER, /* an instruction that uses it passes */
    IN_NEXT,   /* registers change in the next cycle, before the end of the instruction */
    AT_END,    /* only by the end of the instruction */
};

struct timed {
    uint8_t opcode;
    enum result result;
    uint32_t word;
    uint32_t next;   /* enters the same unit as soon as it can and needs no result; 0: the same word */
    uint32_t reader; /* BY_READER; 0: the same word */
    void (*prepare)(struct tensix_box *tb);
};

#define W(name, bits) ((uint32_t)TENSIX_##name << 24 | (uint32_t)(bits))
/* The word, and perhaps more members. */
#define ROW(name, how, ...) \
    { .opcode = TENSIX_##name, .result = how, .word = __VA_ARGS__ }

/* The state before the instruction */

static inline void fill(struct tensix *x) {
    uint64_t seed = 5;
    mr_draw_data(x, &seed);
    for (unsigned i = 0; i < 8; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            x->vector.lreg[i][lane] = 0x3F800000 + 0x10000 * i + 0x100 * lane;
    for (unsigned i = 0; i < TENSIX_GPRS; i++)
        x->gpr[0][i] = 0x11110000 + 0x101 * i;
    for (unsigned i = 0; i < 256; i++)
        x->l1[L1_AT + i] = (uint8_t)(i + 1);
    x->gpr[0][ADDRESS] = L1_AT / 16;
    x->gpr[0][ZERO_GPR] = 0;
}

static inline struct tensix_box *create(const struct timed *row) {
    struct tensix_box *tb = tb_create();
    fill(tb->x);
    if (row->prepare)
        row->prepare(tb);
    tensix_run(tb->x, tb->now = 100);
    tile_run(&tb->box->tile, 100);
    return tb;
}

/* ---- Observations ---------------------------------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* The value that an instruction of this cycle would read. */
static inline uint64_t visible(const struct tensix_box *tb) {
    const struct tensix *x = tb->x;
    const struct vector *v = &x->vector;
    uint32_t lregs[8][LANES];
    uint64_t hash = mix(5, x->gpr, sizeof x->gpr);
    for (unsigned i = 0; i < 8; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            lregs[i][lane] = vector_peek(v, i, lane, tb->now);
    hash = mix(hash, lregs, sizeof lregs);
    hash = mix(hash, &v->flags, sizeof v->flags);
    hash = mix(hash, &v->use_flags, sizeof v->use_flags);
    hash = mix(hash, v->stack, sizeof v->stack);
    hash = mix(hash, v->lane_config, sizeof v->lane_config);
    hash = mix(hash, x->config.bank, sizeof x->config.bank);
    hash = mix(hash, x->config.thread, sizeof x->config.thread);
    hash = mix(hash, x->adc, sizeof x->adc);
    hash = mix(hash, x->rwc, sizeof x->rwc);
    hash = mix(hash, x->src.bank, sizeof x->src.bank);
    hash = mix(hash, x->src.allowed, sizeof x->src.allowed);
    hash = mix(hash, x->src.unpacker_row, sizeof x->src.unpacker_row);
    hash = mix(hash, x->dst.bits, 64 * sizeof x->dst.bits[0]);
    hash = mix(hash, x->dst.invalid, sizeof x->dst.invalid);
    hash = mix(hash, x->packer.exponent_histogram, sizeof x->packer.exponent_histogram);
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        hash = mix(hash, &x->sync.semaphore[i].value, 2);
    for (unsigned i = 0; i < SYNC_MUTEXES; i++)
        hash = mix(hash, &x->sync.mutex[i].held_by, 1);
    hash = mix(hash, x->l1 + L1_AT, 256);
    return mix(hash, x->l1 + PT_TILE, 256);
}

static inline const char *problem(const struct tensix_box *tb) {
    return tb->box->faults ? tb->box->fault.text : wait_text(tb->x->thread[0].waits_on);
}

static inline void until_pass(struct tensix_box *tb, unsigned passes, const char *name) {
    while (tb->passes[0] < passes && tb->now < 2000)
        tb_step(tb, tb->now + 1);
    if (tb->passes[0] < passes)
        fail_msg("%s: instruction %u waits for %s", name, passes, problem(tb));
}

/* From the first to the second of these words. */
static inline unsigned distance(const struct timed *row, uint32_t second, const char *name) {
    struct tensix_box *tb = create(row);
    TB_PUSH_ALL(tb, 0, row->word, second);
    tb_start(tb);
    until_pass(tb, 2, name);
    unsigned cycles = (unsigned)(tb->at[0][1] - tb->at[0][0]);
    tb_destroy(tb);
    return cycles;
}

/* Cycles after its pass: the last change of anything visible (0: none), and the end of the instruction. */
static inline void observe(const struct timed *row, const char *name, unsigned *changed, unsigned *idle) {
    struct tensix_box *tb = create(row);
    tb_push(tb, 0, row->word);
    tb_start(tb);
    uint64_t before = visible(tb), seen = 0, end = 0, passed;
    do {
        before = visible(tb);
        until_pass(tb, tb->now < 2000 ? 0 : 1, name);
        tb_step(tb, tb->now + 1);
    } while (!tb->passes[0]);
    passed = tb->at[0][0];
    for (; tb->now < passed + 60; tb_step(tb, tb->now + 1)) {
        uint64_t now = visible(tb);
        if (now != before)
            seen = tb->now;
        before = now;
        if (!end && tensix_idle(tb->x, 0, tb->now))
            end = tb->now;
    }
    if (tb->box->faults || !end)
        fail_msg("%s: %s", name, problem(tb));
    *changed = seen ? (unsigned)(seen - passed) : 0;
    *idle = (unsigned)(end - passed);
    tb_destroy(tb);
}

#endif
