/* Scenes in a tensix_box: programs that are played cycle by cycle, in one go, and in one go without sleep. All three
 * must end the same. */
#ifndef SUPPORT_TENSIX_SCENE_H
#define SUPPORT_TENSIX_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/order.h"
#include "support/random.h"
#include "support/tensix_box.h"

enum { SCENE_END = 2500 };

#define HELD(semaphore)  TT(SEMWAIT, 0x1FF, 1u << (semaphore), GATE_SEM_ZERO)
#define TRACKING(fields) TT(SETC16, CONFIG_WORD_TENSIX_TRISC_SYNC_TrackGPR, (fields))

typedef void scene_program(struct tensix_box *tb);

/* Random bytes in L1. */
static inline void fill_l1(struct tensix *x, uint32_t from, uint32_t size, uint64_t *seed) {
    for (uint32_t at = from; at < from + size; at += 8) {
        uint64_t word = random_next(seed);
        memcpy(&x->l1[at], &word, sizeof word);
    }
}

static inline void assert_text(uint32_t word, const char *expected) {
    char text[128];
    tensix_disasm(word, text, sizeof text);
    assert_string_equal(text, expected);
}

static inline void tb_nops(struct tensix_box *tb, enum bh_core core, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        tb_rv(tb, core, NOP);
}

/* rd = mcycle, one cycle after the instruction before it. */
static inline void tb_cycle(struct tensix_box *tb, enum bh_core core, unsigned rd) {
    tb_rv(tb, core, asm_csr(RV_CSRRS, rd, 0xB00, 0));
}

/* The thread posts a semaphore after about so many cycles. */
static inline void tb_post_later(struct tensix_box *tb, unsigned thread, unsigned semaphore, unsigned cycles) {
    tb_nops(tb, tb_core(thread), cycles);
    tb_push(tb, thread, TT(SEMPOST, 1u << semaphore));
}

/* A push as a core makes it in that cycle, without the core. */
static inline void scene_push(struct tensix_box *tb, enum bh_core core, unsigned thread, const uint32_t *words,
                              unsigned count, uint64_t time) {
    struct tensix_push push = {
        .words = words, .shape = push_shape(count, 1, CORE_FUSED_MAX, false), .time = time, .in_turn = true
    };
    assert_int_equal(tensix_push(tb->x, core, thread, &push).result, ACCESS_DONE);
}

/* Waits until a thread's instructions so far are done, by its own core. */
static inline void tb_finish(struct tensix_box *tb, unsigned thread) {
    tb_load(tb, tb_core(thread), TB_T2, TB_PC_BUF + 4);
    tb_rv(tb, tb_core(thread), asm_r(RV_AND, TB_T2, TB_T2, TB_T2));
}

static inline void scene_assert_same(const struct tensix_box *a, const struct tensix_box *b) {
    const struct tensix *x = a->x, *y = b->x;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        const struct core *c = &a->box->tile.core[i], *d = &b->box->tile.core[i];
        assert_int_equal(c->state, d->state);
        if (c->state == BH_CORE_PAUSED)
            assert_int_equal(core_time(c), core_time(d));
        assert_memory_equal(c->x, d->x, 32 * sizeof c->x[0]);
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        assert_int_equal(x->thread[i].frontend.passes, y->thread[i].frontend.passes);
        assert_int_equal(frontend_passed_at(&x->thread[i].frontend), frontend_passed_at(&y->thread[i].frontend));
        assert_int_equal(x->thread[i].frontend.lost, y->thread[i].frontend.lost);
        assert_int_equal(x->thread[i].frontend.in_flight, y->thread[i].frontend.in_flight);
        assert_int_equal(x->thread[i].frontend.after_second, y->thread[i].frontend.after_second);
        /* A lane does not keep the times of the expanders before the pass of the word before the last. */
        assert_int_equal(later(x->thread[i].frontend.mop_free, x->thread[i].frontend.after_second),
                         later(y->thread[i].frontend.mop_free, y->thread[i].frontend.after_second));
    }
    assert_memory_equal(x->gpr, y->gpr, sizeof x->gpr);
    assert_memory_equal(x->config.bank, y->config.bank, sizeof x->config.bank);
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        assert_int_equal(x->sync.semaphore[i].value, y->sync.semaphore[i].value);
}

/* Cycle by cycle; what is left to look at afterwards. */
static inline struct tensix_box *scene_play(scene_program *program) {
    struct tensix_box *stepped = tb_create();
    program(stepped);
    tb_start(stepped);
    tb_step(stepped, SCENE_END);
    for (unsigned sleepless = 0; sleepless < 2; sleepless++) {
        struct tensix_box *whole = tb_create();
        program(whole);
        for (unsigned i = 0; i < BH_CORE_COUNT; i++)
            whole->box->tile.core[i].sleepless = sleepless;
        tb_start(whole);
        tile_run(&whole->box->tile, SCENE_END);
        tensix_run(whole->x, SCENE_END);
        scene_assert_same(stepped, whole);
        tb_destroy(whole);
    }
    return stepped;
}

static inline void assert_ended(struct tensix_box *tb) {
    if (tb->box->faults)
        fail_msg("%s", tb->box->fault.text);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tb->length[i])
            assert_int_equal(tb->box->tile.core[i].state, BH_CORE_PAUSED);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        assert_true(tensix_idle(tb->x, i, SCENE_END));
}

#endif
