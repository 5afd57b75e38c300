/* The coprocessor of a tile in a box: programs of the cores put together word by word, and a record of the cycle in
 * which each instruction passed its gate. The cores run in lockstep and the machine is stepped cycle by cycle, so
 * that a record is exact. */
#ifndef SUPPORT_TENSIX_BOX_H
#define SUPPORT_TENSIX_BOX_H

#include "isa/overlay.h"
#include "isa/tensix.h"
#include "support/box.h"
#include "tensix/tensix.h"

/* TT(SETC16, 2, 5): operands in the order of the encoder. */
#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })

enum { TB_CODE = 768, TB_PASSES = 512, TB_LIMIT = 20000 };
enum { TB_T0 = 5, TB_T1 = 6, TB_T2 = 7 }; /* registers that the helpers use */

#define TB_GPRS   0xFFE00000u
#define TB_PUSH   0xFFE40000u
#define TB_PC_BUF 0xFFE80000u
#define TB_CONFIG 0xFFEF0000u
#define TB_MOP    0xFFB80000u

struct tensix_box {
    struct box *box;
    struct tensix *x;
    uint32_t code[BH_CORE_COUNT][TB_CODE];
    unsigned length[BH_CORE_COUNT];
    uint64_t now; /* every cycle before it has been run */
    unsigned passes[TENSIX_THREADS];
    uint64_t at[TENSIX_THREADS][TB_PASSES]; /* the cycles in which instructions passed, in order */
};

/* Streams are played: registers that tests set, of the last box made. */
static uint32_t tb_streams[OVERLAY_STREAMS][OVERLAY_STREAM_SIZE / 4];

static inline struct access tb_read_stream(void *owner, unsigned stream, unsigned index, uint32_t *value) {
    (void)owner;
    *value = tb_streams[stream][index];
    return access_done();
}

static inline struct tensix_box *tb_create_in(struct box *box) {
    static struct tensix_port port;
    struct tensix_box *tb = calloc(1, sizeof *tb);
    tb->box = box;
    tb->x = &tb->box->tile.tensix;
    port = *tb->x->port;
    port.stream = tb_read_stream;
    tb->x->port = &port;
    memset(tb_streams, 0, sizeof tb_streams);
    return tb;
}

static inline struct tensix_box *tb_create(void) {
    return tb_create_in(box_create(1));
}

/* A register of a stream has this value from now on. */
static inline void tb_stream(struct tensix_box *tb, unsigned stream, unsigned index, uint32_t value) {
    tb_streams[stream][index] = value;
    tensix_wake(tb->x, tb->now);
}

static inline void tb_destroy(struct tensix_box *tb) {
    box_destroy(tb->box);
    free(tb);
}

/* A cmocka test whose state is a box. */
#define BOXED(name) cmocka_unit_test_setup_teardown(name, tb_setup, tb_teardown)

static inline int tb_setup(void **state) {
    *state = tb_create();
    return 0;
}

static inline int tb_teardown(void **state) {
    tb_destroy(*state);
    return 0;
}

static inline struct core *core_of(struct tensix_box *tb, enum bh_core core) {
    return &tb->box->tile.core[core];
}

/* By a STALLWAIT, SEMWAIT or STREAMWAIT that it has passed. */
static inline bool tb_held(const struct tensix_box *tb, unsigned thread) {
    const struct tensix_thread *t = &tb->x->thread[thread];
    return t->waits_on == WAIT_LATCHED;
}

/* ---- Programs ------------------------------------------------------------------------------- */

static inline enum bh_core tb_core(unsigned thread) {
    return (enum bh_core)(BH_TRISC0 + thread);
}

/* A word of a core's program. */
static inline void tb_rv(struct tensix_box *tb, enum bh_core core, uint32_t word) {
    if (tb->length[core] == TB_CODE - 1)
        abort();
    tb->code[core][tb->length[core]++] = word;
}

static inline void tb_li(struct tensix_box *tb, enum bh_core core, unsigned rd, uint32_t value) {
    int32_t low = (int32_t)((value & 0xFFF) ^ 0x800) - 0x800;
    tb_rv(tb, core, asm_u(RV_LUI, rd, value + 0x800));
    tb_rv(tb, core, asm_i(RV_ADDI, rd, rd, low));
}

/* *address = value, by a core. */
static inline void tb_store(struct tensix_box *tb, enum bh_core core, uint32_t address, uint32_t value) {
    tb_li(tb, core, TB_T0, address);
    tb_li(tb, core, TB_T1, value);
    tb_rv(tb, core, asm_s(RV_SW, TB_T1, 0, TB_T0));
}

/* rd = *address, by a core. */
static inline void tb_load(struct tensix_box *tb, enum bh_core core, unsigned rd, uint32_t address) {
    tb_li(tb, core, TB_T0, address);
    tb_rv(tb, core, asm_i(RV_LW, rd, TB_T0, 0));
}

/* A Tensix word in the program of the thread's own core. */
static inline void tb_push(struct tensix_box *tb, unsigned thread, uint32_t word) {
    tb_rv(tb, tb_core(thread), tensix_to_stream(word));
}

/* Pushes a word by a store, of the thread's own core or of BRISC. */
static inline void tb_push_store(struct tensix_box *tb, enum bh_core core, unsigned thread, uint32_t word) {
    tb_store(tb, core, TB_PUSH + (core == BH_BRISC ? thread << 16 : 0), word);
}

static inline void tb_push_all(struct tensix_box *tb, unsigned thread, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        tb_push(tb, thread, words[i]);
}
#define TB_PUSH_ALL(tb, thread, ...) \
    tb_push_all(tb, thread, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* GPR = value, by two SETDMAREG. */
static inline void tb_gpr(struct tensix_box *tb, unsigned thread, unsigned gpr, uint32_t value) {
    tb_push(tb, thread, TT(SETDMAREG, value >> 14 & 3, value & 0x3FFF, 0, 2 * gpr));
    tb_push(tb, thread, TT(SETDMAREG, value >> 30, value >> 16 & 0x3FFF, 0, 2 * gpr + 1));
}

/* ---- Running -------------------------------------------------------------------------------- */

/* Every core with a program runs it and then stops. */
static inline void tb_start(struct tensix_box *tb) {
    unsigned cores = 0;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        if (!tb->length[i])
            continue;
        tb->code[i][tb->length[i]] = EBREAK;
        box_code(tb->box, (enum bh_core)i, tb->code[i], tb->length[i] + 1);
        cores |= 1u << i;
    }
    box_release(tb->box, cores);
}

/* Runs up to a cycle. */
static inline void tb_step(struct tensix_box *tb, uint64_t until) {
    while (tb->now < until) {
        tb->now++;
        if (BH_CHECKS) /* tests change and run the coprocessor themselves */
            tile_tensix_touched(&tb->box->tile);
        tile_run(&tb->box->tile, tb->now);
        tensix_run(tb->x, tb->now);
        for (unsigned i = 0; i < TENSIX_THREADS; i++) {
            const struct tensix_thread *t = &tb->x->thread[i];
            if (t->frontend.passes == tb->passes[i])
                continue;
            if (tb->x->loose) { /* what is pushed is done at once */
                tb->passes[i] = (unsigned)t->frontend.passes;
                continue;
            }
            if (t->frontend.passes != tb->passes[i] + 1 || tb->passes[i] == TB_PASSES) /* more than one a cycle */
                abort();
            tb->at[i][tb->passes[i]++] = frontend_passed_at(&t->frontend);
        }
    }
}

static inline bool tb_quiet(struct tensix_box *tb) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tb->length[i] && tb->box->tile.core[i].state == BH_CORE_RUNNING)
            return false;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (!tensix_idle(tb->x, i, tb->now))
            return false;
    return tb->x->landings == 0 && tb->x->config.requests == 0 && tb->x->config.busy_until <= tb->now;
}

/* Starts and runs until nothing is left. False: something still is after TB_LIMIT cycles. */
static inline bool tb_run(struct tensix_box *tb) {
    tb_start(tb);
    while (tb->now < TB_LIMIT) {
        tb_step(tb, tb->now + 1);
        if (tb_quiet(tb))
            return tb->box->faults == 0;
    }
    return false;
}

/* Runs until a value is something else; the first cycle that sees the change. */
static inline uint64_t tb_until_change(struct tensix_box *tb, const uint32_t *value) {
    uint32_t old = *value;
    while (*value == old && tb->now < TB_LIMIT)
        tb_step(tb, tb->now + 1);
    return tb->now;
}

#endif
