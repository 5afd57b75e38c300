/* src/tensix/regs/rwc.h and src/tensix/matrix/rwc.c: address modes, SETRWC and INCRWC against their pages, the banks
 * that SETRWC hands back, and when they enter the Matrix Unit. */
#include "support/tensix_scene.h"

#include "tensix/dst_model.h"

enum { ROUNDS = 20000 };

static void address_modes(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint16_t config[CONFIG_THREAD_WORDS];
        struct rwc rwc, partial;
        unsigned i = random_below(&seed, 8);
        for (unsigned n = 0; n < CONFIG_THREAD_WORDS; n++)
            config[n] = (uint16_t)random_next(&seed);
        dm_draw_rwc(&rwc, &seed);
        struct rwc want = dm_apply(rwc, config, i, true), want_partial = dm_apply(rwc, config, i, false);
        partial = rwc;
        rwc_apply(&rwc, config, i);
        rwc_apply_partial(&partial, config, i);
        assert_memory_equal(&rwc, &want, sizeof rwc);
        assert_memory_equal(&partial, &want_partial, sizeof rwc);
    }
}

/* ---- SETRWC --------------------------------------------------------------------------------------------------- */

struct set {
    bool a, b, d, fidelity, sp;                           /* BitMask */
    bool a_from_cr, b_from_cr, d_from_cr, d_from_counter; /* rwc_cr */
    unsigned value_a, value_b, value_d;
};

static struct rwc set_by_page(struct rwc rwc, const struct set *s) {
    unsigned value = s->value_a + (s->a_from_cr ? rwc.src_a_cr : 0);
    if (s->a)
        rwc.src_a = rwc.src_a_cr = value % 64;
    value = s->value_b + (s->b_from_cr ? rwc.src_b_cr : 0);
    if (s->b)
        rwc.src_b = rwc.src_b_cr = value % 64;
    value = s->value_d + (s->d_from_counter ? rwc.dst : s->d_from_cr ? rwc.dst_cr : 0);
    if (s->d || s->d_from_counter)
        rwc.dst = rwc.dst_cr = value % 1024;
    if (s->fidelity)
        rwc.fidelity = 0;
    if (s->sp)
        rwc.sp = (s->value_a + 16 * s->value_b + 256 * s->value_d) % 1024;
    return rwc;
}

static void setrwc(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 2;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned mask = random_below(&seed, 32), cr = random_below(&seed, 16), thread = random_below(&seed, 3);
        struct set s = { mask & 1,
                         mask >> 1 & 1,
                         mask >> 2 & 1,
                         mask >> 3 & 1,
                         mask >> 4,
                         cr & 1,
                         cr >> 1 & 1,
                         cr >> 2 & 1,
                         cr >> 3,
                         random_below(&seed, 16),
                         random_below(&seed, 16),
                         random_below(&seed, 16) };
        for (unsigned i = 0; i < TENSIX_THREADS; i++)
            dm_draw_rwc(&tb->x->rwc[i], &seed);
        struct rwc want[TENSIX_THREADS];
        memcpy(want, tb->x->rwc, sizeof want);
        want[thread] = set_by_page(want[thread], &s);
        uint32_t word = TT(SETRWC, 0, cr, s.value_d, s.value_b, s.value_a, mask);
        assert_int_equal(execute_SETRWC(tb->x, thread, word, tb->now++), TENSIX_PASSED);
        assert_memory_equal(tb->x->rwc, want, sizeof want);
    }
}

/* Each of two files on its own: whose the bank is, and which is next. */
static void setrwc_hands_banks_back(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    for (unsigned mode = 0; mode < 64; mode++) {
        unsigned clear = mode & 3, keep = mode >> 2 & 3, bank = mode >> 4;
        memset(src->allowed, SRC_MATRIX, sizeof src->allowed);
        src->matrix_bank[SRC_A] = bank & 1;
        src->matrix_bank[SRC_B] = bank >> 1 & 1;
        tb->x->config.thread[2][7] = (uint16_t)keep;
        tb->x->config.thread[0][7] = (uint16_t)~keep;
        assert_int_equal(execute_SETRWC(tb->x, 2, TT(SETRWC, clear, 0, 0, 0, 0, 0), tb->now++), TENSIX_PASSED);
        tensix_run(tb->x, tb->now + 1);
        for (unsigned file = 0; file < SRC_FILES; file++) {
            unsigned was = bank >> file & 1;
            bool flips = clear >> file & 1, kept = keep >> file & 1;
            assert_int_equal(src->matrix_bank[file], was ^ flips);
            assert_int_equal(src->allowed[file][was], flips && !kept ? SRC_UNPACKERS : SRC_MATRIX);
            assert_int_equal(src->allowed[file][!was], SRC_MATRIX);
        }
    }
}

/* A thread that waits for a bank sees it when the instruction has left the Matrix Unit. */
static void a_bank_is_seen_behind_the_pipeline(void **state) {
    struct tensix_box *tb = *state;
    tb->x->src.allowed[SRC_A][0] = SRC_MATRIX;
    tb_push(tb, 0, TT(STALLWAIT, 0x1FF, GATE_C_SRCA_FREE));
    tb_push(tb, 0, TT(DMANOP, 0));
    tb_nops(tb, BH_TRISC1, 60);
    tb_push(tb, 1, TT(SETRWC, 1, 0, 0, 0, 0, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->passes[0], 2);
    assert_int_equal(tb->at[0][1], tb->at[1][0] + TENSIX_PART_HAND_BACK + 1); /* the wait ends; then the word passes */
}

/* ---- INCRWC ---------------------------------------------------------------------------------------------------- */

static void incrwc(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned cr = random_below(&seed, 8), thread = random_below(&seed, 3);
        unsigned a = random_below(&seed, 16), b = random_below(&seed, 16), d = random_below(&seed, 16);
        for (unsigned i = 0; i < TENSIX_THREADS; i++)
            dm_draw_rwc(&tb->x->rwc[i], &seed);
        struct rwc want[TENSIX_THREADS], *w = &want[thread];
        memcpy(want, tb->x->rwc, sizeof want);
        if (cr & 1)
            w->src_a_cr = (w->src_a_cr + a) % 64;
        w->src_a = cr & 1 ? w->src_a_cr : (w->src_a + a) % 64;
        if (cr & 2)
            w->src_b_cr = (w->src_b_cr + b) % 64;
        w->src_b = cr & 2 ? w->src_b_cr : (w->src_b + b) % 64;
        if (cr & 4)
            w->dst_cr = (w->dst_cr + d) % 1024;
        w->dst = cr & 4 ? w->dst_cr : (w->dst + d) % 1024;
        assert_int_equal(execute_INCRWC(tb->x, thread, TT(INCRWC, cr, d, b, a), tb->now++), TENSIX_PASSED);
        assert_memory_equal(tb->x->rwc, want, sizeof want);
    }
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

static void one_a_cycle(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned i = 0; i < 8; i++)
        tb_push(tb, 1, i & 1 ? TT(INCRWC, 0, 1, 0, 0) : TT(SETRWC, 0, 4, 1, 0, 0, 4));
    assert_true(tb_run(tb));
    for (unsigned i = 1; i < 8; i++)
        assert_int_equal(tb->at[1][i], tb->at[1][i - 1] + 1);
    assert_int_equal(tb->x->rwc[1].dst, 5); /* four of each; the former go on from the copy */
}

/* Three threads share the unit: one instruction a cycle in all. */
static void threads_take_turns(void **state) {
    struct tensix_box *tb = *state;
    bool taken[TB_LIMIT] = { false };
    enum { EACH = 20 };
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
        for (unsigned i = 0; i < EACH; i++)
            tb_push(tb, thread, TT(INCRWC, 0, 1, 1, 1));
    assert_true(tb_run(tb));
    uint64_t first = TB_LIMIT, last = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        assert_int_equal(tb->passes[thread], EACH);
        assert_int_equal(tb->x->rwc[thread].dst, EACH);
        for (unsigned i = 0; i < EACH; i++) {
            uint64_t at = tb->at[thread][i];
            assert_false(taken[at]);
            taken[at] = true;
            first = at < first ? at : first;
            last = at > last ? at : last;
        }
    }
    assert_int_equal(last - first + 1, TENSIX_THREADS * EACH);
}

/* The instruction behind it in the same thread uses the new value. */
static void the_next_instruction_sees_it(void **state) {
    struct tensix_box *tb = *state;
    enum { UINT16 = 6 };
    tb_push(tb, 1, TT(SETRWC, 0, 0, 8, 0, 0, 4));
    tb_push(tb, 1, TT(SFPSTORE, 8, UINT16, 0, 32));
    tb_push(tb, 1, TT(INCRWC, 0, 4, 0, 0));
    tb_push(tb, 1, TT(SFPSTORE, 8, UINT16, 0, 34));
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[1][3], tb->at[1][0] + 3);
    assert_int_equal(tb->x->dst.bits[40][0], 0x594B);
    assert_int_equal(tb->x->dst.bits[44][1], 0x594B);
    assert_int_equal(tb->x->dst.bits[44][0], 0);
}

static void a_unit_in_reset_takes_nothing(void **state) {
    struct tensix_box *tb = *state;
    tb_push(tb, 1, TT(INCRWC, 0, 3, 0, 0));
    tb_start(tb);
    tensix_soft_reset(tb->x, REG_HOLD_FPU, 0);
    tb_step(tb, 500);
    assert_int_equal(tb->passes[1], 0);
    tensix_soft_reset(tb->x, 0, 500);
    tb_step(tb, 600);
    assert_int_equal(tb->passes[1], 1);
    assert_int_equal(tb->x->rwc[1].dst, 3);
}

/* B6 of a latched wait holds them, as everything of the Matrix Unit. */
static void the_gate_class(void **state) {
    struct tensix_box *tb = *state;
    tb->x->src.allowed[SRC_A][0] = SRC_MATRIX;
    tb_push(tb, 1, TT(STALLWAIT, 1 << 6, GATE_C_SRCA_FREE));
    tb_push(tb, 1, TT(SETDMAREG, 0, 5, 0, 0));
    tb_push(tb, 1, TT(INCRWC, 0, 3, 0, 0));
    tb_start(tb);
    tb_step(tb, 500);
    assert_int_equal(tb->passes[1], 2);
    assert_int_equal(tb->x->rwc[1].dst, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_modes),
        BOXED(setrwc),
        BOXED(setrwc_hands_banks_back),
        BOXED(a_bank_is_seen_behind_the_pipeline),
        BOXED(incrwc),
        BOXED(one_a_cycle),
        BOXED(threads_take_turns),
        BOXED(the_next_instruction_sees_it),
        BOXED(a_unit_in_reset_takes_nothing),
        BOXED(the_gate_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
