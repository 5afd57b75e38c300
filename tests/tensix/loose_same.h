/* Programs in a tensix_box that run with either timing, and what has to be the same at rest. */
#ifndef TESTS_TENSIX_LOOSE_SAME_H
#define TESTS_TENSIX_LOOSE_SAME_H

#include "support/tensix_scene.h"

enum { LOOSE_LIMIT = 60000, LOOSE_SLICE = 500 };

#define SEMAPHORE(i) (TB_PC_BUF + 0x20 + 4 * (i)) /* as TRISCs see it: an even value posts, an odd one gets */
#define MOP_DONE     (TB_PC_BUF + 8)

static inline struct tensix_box *loose_create(unsigned skew, bool loose) {
    return tb_create_in(box_create_timed(skew, loose));
}

static inline bool loose_ended(struct tensix_box *tb) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tb->length[i] && tb->box->tile.core[i].state != BH_CORE_PAUSED)
            return false;
    return tb_quiet(tb);
}

/* Runs until every core has stopped and nothing moves any more, or for long. */
static inline void loose_run_on(struct tensix_box *tb) {
    uint64_t end = tb->now + LOOSE_LIMIT;
    do {
        tb->now += LOOSE_SLICE;
        tile_run(&tb->box->tile, tb->now);
        tensix_run(tb->x, tb->now);
    } while (tb->now < end && !loose_ended(tb));
}

static inline struct tensix_box *loose_play(scene_program *program, unsigned skew, bool loose) {
    struct tensix_box *tb = loose_create(skew, loose);
    program(tb);
    tb_start(tb);
    loose_run_on(tb);
    return tb;
}

static inline void assert_at_rest(struct tensix_box *tb) {
    if (tb->box->faults)
        fail_msg("%s", tb->box->fault.text);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tb->length[i] && tb->box->tile.core[i].state != BH_CORE_PAUSED)
            fail_msg("core %u waits on %s", i, wait_text(tb->box->tile.core[i].waits_on));
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct frontend *f = &tb->x->thread[i].frontend;
        assert_true(tensix_idle(tb->x, i, tb->now));
        assert_int_equal(f->in_flight, 0);
        assert_int_equal(f->mops, 0);
        assert_int_equal(f->special, 0);
    }
}

#define ASSERT_SAME(field) assert_memory_equal(&x->field, &y->field, sizeof x->field)

static inline void assert_same_thread(const struct tensix *x, const struct tensix *y, unsigned i) {
    const struct frontend *f = &x->thread[i].frontend, *g = &y->thread[i].frontend;
    assert_int_equal(f->passes, g->passes);
    assert_memory_equal(f->replay.word, g->replay.word, sizeof f->replay.word);
    assert_int_equal(f->replay.left, g->replay.left);
    assert_memory_equal(f->mop.config, g->mop.config, sizeof f->mop.config);
    assert_int_equal(f->mop.mask_high, g->mop.mask_high);
    assert_memory_equal(f->ttsync.declared, g->ttsync.declared, sizeof f->ttsync.declared);
    assert_int_equal(f->ttsync.bank, g->ttsync.bank);
    ASSERT_SAME(rwc[i]);
    ASSERT_SAME(adc[i]);
    ASSERT_SAME(gpr[i]);
}

/* Values that software can see once nothing moves any more. */
static inline void assert_same_values(struct tensix_box *a, struct tensix_box *b) {
    const struct tensix *x = a->x, *y = b->x;
    vector_arrive(&a->x->vector, TENSIX_NEVER);
    vector_arrive(&b->x->vector, TENSIX_NEVER);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        assert_same_thread(x, y, i);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        assert_memory_equal(core_of(a, (enum bh_core)i)->x, core_of(b, (enum bh_core)i)->x, 32 * sizeof(uint32_t));
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        assert_int_equal(x->sync.semaphore[i].value, y->sync.semaphore[i].value);
    for (unsigned i = 0; i < SYNC_MUTEXES; i++)
        assert_int_equal(x->sync.mutex[i].held_by, y->sync.mutex[i].held_by);
    ASSERT_SAME(config.bank);
    ASSERT_SAME(config.thread);
    ASSERT_SAME(dst.bits);
    ASSERT_SAME(dst.invalid);
    ASSERT_SAME(src.bank);
    ASSERT_SAME(src.allowed);
    ASSERT_SAME(src.unpacker_bank);
    ASSERT_SAME(src.matrix_bank);
    ASSERT_SAME(vector.lreg);
    assert_memory_equal(x->l1, y->l1, CORE_L1_SIZE);
}

/* Checks equal values in both timings, and with and without lockstep of cores. Returns the last value with loose
 * timing. */
static inline struct tensix_box *loose_play_both(scene_program *program) {
    struct tensix_box *exact = loose_play(program, 1, false), *loose = NULL;
    static const unsigned skews[] = { 1, 7, 128 };
    assert_at_rest(exact);
    for (unsigned i = 0; i < 3; i++) {
        if (loose)
            tb_destroy(loose);
        loose = loose_play(program, skews[i], true);
        assert_at_rest(loose);
        assert_same_values(exact, loose);
    }
    tb_destroy(exact);
    return loose;
}

#endif
