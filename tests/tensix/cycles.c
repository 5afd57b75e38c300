/* Cycle counts of the documented sequences, pushed by cores: when each instruction passes its gate, and from which
 * cycle on its result is seen. Pages: ScalarUnit.md, ADDDMAREG.md, ConfigurationUnit.md and those of its instructions,
 * MOPExpander.md, REPLAY.md, STALLWAIT.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/tensix_box.h"

/* Distances between the passes of thread 0, from the first on. */
static void assert_gaps(const struct tensix_box *tb, unsigned thread, const unsigned *gaps, unsigned count) {
    assert_int_equal(tb->passes[thread], count + 1);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(tb->at[thread][i + 1] - tb->at[thread][i], gaps[i]);
}
#define ASSERT_GAPS(tb, thread, ...) \
    assert_gaps(tb, thread, (const unsigned[]){ __VA_ARGS__ }, \
                sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

/* A value changes, and is seen so many cycles after the first pass of thread 0. */
static void assert_seen_after(struct tensix_box *tb, const uint32_t *value, unsigned cycles) {
    uint64_t seen = tb_until_change(tb, value);
    assert_int_equal(seen, tb->at[0][0] + cycles);
}

/* ---- Scalar Unit ----------------------------------------------------------------------------------- */

static void setdmareg_one_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 6; i++)
        tb_push(tb, 0, TT(SETDMAREG, 0, i, 0, i));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 0, 1, 1, 1, 1, 1);
    assert_int_equal(tb->x->gpr[0][2], 5 << 16 | 4);
    tb_destroy(tb);
}

static void dmanop_one_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 1, TT(DMANOP, 0), TT(DMANOP, 0), TT(NOP, 0));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 1, 1, 1);
    tb_destroy(tb);
}

/* The thread stands still for three cycles, or four if the operands are not of one group of four. */
static void adddmareg_same_and_other_group(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(ADDDMAREG, 0, 20, 5, 6), /* 4..7 */
                TT(ADDDMAREG, 0, 20, 3, 4),        /* 0..3 and 4..7 */
                TT(ADDDMAREG, 1, 20, 3, 4),        /* a constant */
                TT(NOP, 0));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 0, 3, 4, 3);
    tb_destroy(tb);
}

static void arithmetic_of_the_scalar_unit(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 2, TT(SUBDMAREG, 0, 20, 5, 6), TT(MULDMAREG, 0, 20, 3, 4), TT(BITWOPDMAREG, 0, 0, 20, 8, 9),
                TT(SHIFTDMAREG, 0, 0, 20, 8, 12), TT(CMPDMAREG, 1, 0, 20, 8, 12), TT(NOP, 0));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 2, 3, 4, 3, 4, 3);
    tb_destroy(tb);
}

/* One instruction at a time for all threads together, but a thread that does not want the unit goes on. */
static void scalar_unit_is_not_pipelined(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        tb_push(tb, 0, TT(ADDDMAREG, 1, 20, 3, 4));
        tb_push(tb, 1, TT(ADDDMAREG, 1, 20, 3, 4));
        tb_push(tb, 2, TT(NOP, 0));
    }
    assert_true(tb_run(tb));
    uint64_t a = tb->at[0][0], b = tb->at[1][0];
    assert_int_equal(a < b ? b - a : a - b, 3);
    assert_int_equal(tb->at[0][1] - a, 6);
    assert_int_equal(tb->at[1][1] - b, 6);
    ASSERT_GAPS(tb, 2, 1);
    tb_destroy(tb);
}

/* ---- Configuration Unit ------------------------------------------------------------------------------ */

/* One a cycle; the word is written in the second cycle, so that the third sees it. */
static void wrcfg_back_to_back(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        tb->x->gpr[0][8 + i] = 100 + i;
    for (unsigned i = 0; i < 4; i++)
        tb_push(tb, 0, TT(WRCFG, 8 + i, 0, 12 + i));
    tb_start(tb);
    for (unsigned i = 0; i < 4; i++) {
        assert_seen_after(tb, &tb->x->config.bank[0][12 + i], i + 2);
        assert_int_equal(tb->x->config.bank[0][12 + i], 100 + i);
    }
    tb_step(tb, tb->now + 5);
    ASSERT_GAPS(tb, 0, 1, 1, 1);
    tb_destroy(tb);
}

/* One a cycle; the GPR is written in the second cycle, so that the third sees it. */
static void rdcfg_back_to_back(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        tb->x->config.bank[0][12 + i] = 100 + i;
        tb_push(tb, 0, TT(RDCFG, 8 + i, 12 + i));
    }
    tb_start(tb);
    for (unsigned i = 0; i < 4; i++)
        assert_seen_after(tb, &tb->x->gpr[0][8 + i], i + 2);
    tb_step(tb, tb->now + 5);
    ASSERT_GAPS(tb, 0, 1, 1, 1);
    tb_destroy(tb);
}

static void rmwcib_one_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(RMWCIB0, 0xFF, 1, 12), TT(RMWCIB1, 0xFF, 2, 12), TT(RMWCIB2, 0xFF, 3, 12),
                TT(RMWCIB3, 0xFF, 4, 12));
    tb_start(tb);
    assert_seen_after(tb, &tb->x->config.bank[0][12], 1);
    tb_step(tb, tb->now + 10);
    ASSERT_GAPS(tb, 0, 1, 1, 1);
    assert_int_equal(tb->x->config.bank[0][12], 0x04030201);
    tb_destroy(tb);
}

/* Every other cycle; an instruction of another unit can go in the second one. */
static void cfgshiftmask_every_other_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t add_one = TT(CFGSHIFTMASK, 1, 3, 31, 0, 0, 12);
    (void)state;
    tb->x->config.bank[0][CONFIG_WORD_SCRATCH_SEC0_val] = tb->x->config.bank[1][CONFIG_WORD_SCRATCH_SEC0_val] = 1;
    TB_PUSH_ALL(tb, 0, add_one, add_one, add_one, TT(NOP, 0), add_one);
    tb_start(tb);
    assert_seen_after(tb, &tb->x->config.bank[0][12], 2);
    tb_step(tb, tb->now + 10);
    ASSERT_GAPS(tb, 0, 2, 2, 1, 1);
    assert_int_equal(tb->x->config.bank[0][12], 4);
    tb_destroy(tb);
}

/* Stages are kept in order: what enters at stage 0 waits while a WRCFG is in -1, and then in 0. */
static void stage_zero_waits_for_wrcfg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(WRCFG, 8, 0, 12), TT(RMWCIB0, 0xFF, 7, 12), TT(WRCFG, 8, 0, 13), TT(RDCFG, 20, 13));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 0, 2, 1, 2);
    assert_int_equal(tb->x->config.bank[0][12], 7);
    tb_destroy(tb);
}

/* Five cycles: stages -4 to 0. The sixth sees the word. */
static void streamwrcfg_five_cycles(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_stream(tb, 0, OVERLAY_CURR_PHASE, 77);
    TB_PUSH_ALL(tb, 0, TT(STREAMWRCFG, 0, OVERLAY_CURR_PHASE, 12), TT(NOP, 0));
    tb_start(tb);
    assert_seen_after(tb, &tb->x->config.bank[0][12], 5);
    assert_int_equal(tb->x->config.bank[0][12], 77);
    ASSERT_GAPS(tb, 0, 1);
    tb_destroy(tb);
}

/* SETC16 is in a group of its own: one of each thread in one cycle, beside a WRCFG of another. */
static void three_setc16_at_once(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned i = 0; i < 4; i++)
            tb_push(tb, thread, TT(SETC16, 1, 10 * thread + i));
    assert_true(tb_run(tb));
    for (unsigned thread = 0; thread < 3; thread++) {
        ASSERT_GAPS(tb, thread, 1, 1, 1);
        assert_int_equal(tb->at[thread][0], tb->at[0][0]);
        assert_int_equal(tb->x->config.thread[thread][1], 10 * thread + 3);
    }
    tb_destroy(tb);
}

static void setc16_beside_wrcfg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        tb_push(tb, 0, TT(WRCFG, 8, 0, 12));
        tb_push(tb, 1, TT(SETC16, 1, i));
    }
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 0, 1, 1, 1);
    ASSERT_GAPS(tb, 1, 1, 1, 1);
    assert_int_equal(tb->at[0][0], tb->at[1][0]);
    tb_destroy(tb);
}

/* Everything else shares one a cycle. */
static void config_group_is_shared(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        tb_push(tb, 0, TT(RDCFG, 8, 12));
        tb_push(tb, 1, TT(RDCFG, 8, 12));
    }
    assert_true(tb_run(tb));
    uint64_t first = tb->at[0][0] < tb->at[1][0] ? tb->at[0][0] : tb->at[1][0];
    uint64_t last = tb->at[0][5] > tb->at[1][5] ? tb->at[0][5] : tb->at[1][5];
    assert_int_equal(last - first, 11);
    tb_destroy(tb);
}

/* ---- Frontend ------------------------------------------------------------------------------------------ */

/* Template 1, two times (start, three loops, end): ten words, one a cycle, and one dead cycle before the next word. */
static void mop_expansion_and_its_dead_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t nop = TT(NOP, 0);
    const uint32_t config[9] = {
        2, 3, TT(SETC16, 1, 1), TT(SETC16, 2, 2), nop, TT(SETC16, 3, 3), nop, TT(SETC16, 3, 4), TT(SETC16, 3, 5)
    };
    (void)state;
    for (unsigned i = 0; i < 9; i++)
        tb_store(tb, BH_TRISC1, TB_MOP + 4 * i, config[i]);
    TB_PUSH_ALL(tb, 1, TT(MOP, 1, 0, 0), TT(SETC16, 4, 6), TT(SETC16, 4, 7));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1);
    tb_destroy(tb);
}

/* MOP after MOP: no dead cycle. */
static void mop_after_mop(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t nop = TT(NOP, 0);
    const uint32_t config[9] = { 1, 4, nop, nop, nop, TT(SETC16, 3, 3), nop, TT(SETC16, 3, 4), TT(SETC16, 3, 5) };
    (void)state;
    for (unsigned i = 0; i < 9; i++)
        tb_store(tb, BH_TRISC0, TB_MOP + 4 * i, config[i]);
    TB_PUSH_ALL(tb, 0, TT(MOP, 1, 0, 0), TT(MOP, 1, 0, 0));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 0, 1, 1, 1, 1, 1, 1, 1);
    tb_destroy(tb);
}

/* Recording without execution passes nothing, with execution everything; playing passes one a cycle, without a gap
 * before or behind. */
static void replay_one_a_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 2, TT(REPLAY, 4, 3, 0, 1), TT(SETC16, 1, 1), TT(SETC16, 2, 2), TT(SETC16, 3, 3), /* recorded */
                TT(REPLAY, 10, 2, 1, 1), TT(SETC16, 4, 4), TT(SETC16, 5, 5),                         /* and executed */
                TT(NOP, 0), TT(REPLAY, 4, 3, 0, 0), TT(NOP, 0), TT(REPLAY, 10, 2, 0, 0), TT(NOP, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->passes[2], 2 + 1 + 3 + 1 + 2 + 1);
    for (unsigned i = 1; i < tb->passes[2]; i++)
        assert_int_equal(tb->at[2][i], tb->at[2][0] + i);
    for (unsigned i = 1; i <= 5; i++)
        assert_int_equal(tb->x->config.thread[2][i], i);
    tb_destroy(tb);
}

/* ---- Wait Gate ------------------------------------------------------------------------------------------- */

/* The block is there for one cycle even if there is nothing to wait for. */
static void gate_lag_one_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, 0x80, 0x200), TT(SETC16, 1, 1), TT(STALLWAIT, 0x40, 0x200), TT(SETC16, 1, 2));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 0, 2, 1, 1);
    tb_destroy(tb);
}

/* WRCFG in c: in stage 0 in c + 1, nothing in the pipeline from c + 2 on. C12 is met then, the block gone in c + 3. */
static void gate_waits_for_the_config_unit(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(WRCFG, 8, 0, 12), TT(STALLWAIT, 0x80, 0x1000), TT(SETC16, 1, 1));
    assert_true(tb_run(tb));
    ASSERT_GAPS(tb, 0, 1, 2);
    tb_destroy(tb);
}

/* The TRISC pushes four words a cycle, the gate passes one. */
static void thread_passes_one_a_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 200; i++)
        tb_push(tb, 0, TT(SETC16, 1, i));
    assert_true(tb_run(tb));
    assert_int_equal(tb->passes[0], 200);
    for (unsigned i = 1; i < 200; i++)
        assert_int_equal(tb->at[0][i], tb->at[0][0] + i);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setdmareg_one_cycle),
        cmocka_unit_test(dmanop_one_cycle),
        cmocka_unit_test(adddmareg_same_and_other_group),
        cmocka_unit_test(arithmetic_of_the_scalar_unit),
        cmocka_unit_test(scalar_unit_is_not_pipelined),
        cmocka_unit_test(wrcfg_back_to_back),
        cmocka_unit_test(rdcfg_back_to_back),
        cmocka_unit_test(rmwcib_one_cycle),
        cmocka_unit_test(cfgshiftmask_every_other_cycle),
        cmocka_unit_test(stage_zero_waits_for_wrcfg),
        cmocka_unit_test(streamwrcfg_five_cycles),
        cmocka_unit_test(three_setc16_at_once),
        cmocka_unit_test(setc16_beside_wrcfg),
        cmocka_unit_test(config_group_is_shared),
        cmocka_unit_test(mop_expansion_and_its_dead_cycle),
        cmocka_unit_test(mop_after_mop),
        cmocka_unit_test(replay_one_a_cycle),
        cmocka_unit_test(gate_lag_one_cycle),
        cmocka_unit_test(gate_waits_for_the_config_unit),
        cmocka_unit_test(thread_passes_one_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
