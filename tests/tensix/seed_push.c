/* The seed chapter on instruction push, section by section (docs/seeds.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/tensix_box.h"

/* Words pushed by a store and in the stream leave the coprocessor in the same state. */
static void two_delivery_mechanisms_same_result(void **state) {
    const uint32_t words[] = { TT(SETC16, 3, 0x1234), TT(SETDMAREG, 0, 0x777, 0, 9), TT(SEMINIT, 5, 3, 0x42),
                               TT(RMWCIB1, 0xFF, 0x5A, 12), TT(ADDDMAREG, 1, 20, 7, 4) };
    struct tensix_box *tb[2];
    (void)state;
    for (unsigned stored = 0; stored < 2; stored++) {
        tb[stored] = tb_create();
        for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
            if (stored)
                tb_push_store(tb[stored], BH_TRISC1, 1, words[i]);
            else
                tb_push(tb[stored], 1, words[i]);
        assert_true(tb_run(tb[stored]));
        assert_int_equal(tb[stored]->passes[1], 5);
    }
    assert_memory_equal(tb[0]->x->gpr, tb[1]->x->gpr, sizeof tb[0]->x->gpr);
    assert_memory_equal(tb[0]->x->config.bank, tb[1]->x->config.bank, sizeof tb[0]->x->config.bank);
    assert_memory_equal(tb[0]->x->config.thread, tb[1]->x->config.thread, sizeof tb[0]->x->config.thread);
    assert_memory_equal(tb[0]->x->sync.semaphore, tb[1]->x->sync.semaphore, sizeof tb[0]->x->sync.semaphore);
    assert_int_equal(tb[0]->x->config.thread[1][3], 0x1234);
    assert_int_equal(tb[0]->x->sync.semaphore[6].value, 3);
    tb_destroy(tb[0]);
    tb_destroy(tb[1]);
}

/* A word that is known at run time only: SETC16 with a value that the core computes. */
static void mmio_store(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_li(tb, BH_TRISC0, 5, TB_PUSH);
    tb_li(tb, BH_TRISC0, 6, TT(SETC16, 3, 0));
    tb_rv(tb, BH_TRISC0, asm_i(RV_ADDI, 7, 0, 21));
    tb_rv(tb, BH_TRISC0, asm_r(RV_ADD, 7, 7, 7));
    tb_rv(tb, BH_TRISC0, asm_r(RV_OR, 6, 6, 7));
    tb_rv(tb, BH_TRISC0, asm_s(RV_SW, 6, 0, 5));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.thread[0][3], 42);
    tb_destroy(tb);
}

/* Rotated left by two; the low bits are 0 to 2 because no word is 0xC0000000 or above. */
static void ttinsn_encoding(void **state) {
    uint32_t word = TT(SETC16, 0x2A, 0x1234);
    (void)state;
    assert_int_equal(word, 0xB22A1234);
    assert_int_equal(tensix_to_stream(word), 0xC8A848D2);
    assert_int_equal(tensix_from_stream(0xC8A848D2), word);
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        uint32_t stream = tensix_to_stream((uint32_t)tensix_rows[i].opcode << 24 | 0xFFFFFF);
        assert_true(tensix_in_stream(stream));
        assert_int_equal(tensix_from_stream(stream) >> 24, tensix_rows[i].opcode);
    }
}

/* Four adjacent words go in one cycle of a TRISC, so that a TRISC with twelve of them is done sooner than one with
 * twelve stores; BRISC takes a cycle for each. */
static void ttinsn_fusion(void **state) {
    uint64_t time[2];
    (void)state;
    for (unsigned by_brisc = 0; by_brisc < 2; by_brisc++) {
        struct tensix_box *tb = tb_create();
        enum bh_core core = by_brisc ? BH_BRISC : BH_TRISC0;
        for (unsigned i = 0; i < 12; i++)
            tb_rv(tb, core, tensix_to_stream(TT(NOP, 0)));
        assert_true(tb_run(tb));
        assert_int_equal(tb->passes[0], 12);
        time[by_brisc] = core_time(core_of(tb, core));
        tb_destroy(tb);
    }
    assert_int_equal(time[1] - time[0], 12 - 3);
}

/* Which core reaches which thread, by both ways of pushing. */
static void address_routing(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 40; i++) /* not in the cycle of a TRISC's word, which would be lost */
        tb_rv(tb, BH_BRISC, NOP);
    for (unsigned thread = 0; thread < 3; thread++) {
        tb_push_store(tb, BH_BRISC, thread, TT(SETC16, 3, 10 + thread));
        tb_push_store(tb, tb_core(thread), thread, TT(SETC16, 4, 20 + thread));
        tb_push(tb, thread, TT(SETC16, 5, 30 + thread));
    }
    tb_rv(tb, BH_BRISC, tensix_to_stream(TT(SETC16, 6, 40)));
    assert_true(tb_run(tb));
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(tb->x->config.thread[thread][3], 10 + thread);
        assert_int_equal(tb->x->config.thread[thread][4], 20 + thread);
        assert_int_equal(tb->x->config.thread[thread][5], 30 + thread);
        assert_int_equal(tb->x->config.thread[thread][6], thread == 0 ? 40 : 0);
    }
    tb_destroy(tb);
}

/* A word of BRISC in the very cycle in which the MOP expander passes on one of the TRISC: the TRISC's is lost. Returns
 * which ones are, a mask. */
static unsigned lose_words(unsigned delay, bool loose) {
    struct tensix_box *tb = tb_create_in(box_create_timed(32, loose));
    unsigned lost = 0;
    for (unsigned i = 0; i < 6; i++) /* as many as BRISC needs for its store */
        tb_rv(tb, BH_TRISC1, NOP);
    for (unsigned i = 0; i < delay; i++)
        tb_rv(tb, BH_BRISC, NOP);
    tb_push_store(tb, BH_BRISC, 1, TT(SETC16, 3, 1));
    TB_PUSH_ALL(tb, 1, TT(SETC16, 4, 1), TT(SETC16, 5, 1), TT(SETC16, 6, 1));
    tb_start(tb);
    tb_step(tb, 600);
    const uint16_t *config = tb->x->config.thread[1];
    assert_int_equal(tb->box->faults, 0);
    assert_int_equal(config[3], 1);
    for (unsigned i = 0; i < 3; i++)
        lost |= (unsigned)!config[4 + i] << i;
    assert_int_equal(__builtin_popcount(lost), tb->x->thread[1].frontend.lost);
    assert_int_equal(tb->x->thread[1].frontend.in_flight, 0);
    tb_destroy(tb);
    return lost;
}

static void address_routing_collision(void **state) {
    unsigned all = 0;
    (void)state;
    for (unsigned delay = 0; delay < 12; delay++) {
        unsigned lost = lose_words(delay, false);
        assert_int_equal(lost, lose_words(delay, true));
        assert_true(lost == 0 || lost == 1 || lost == 2 || lost == 4);
        assert_int_equal(all & lost, 0); /* each in one cycle of the twelve */
        all |= lost;
    }
    assert_int_equal(all, 7);
}

/* Words of a MOP, one a cycle, against words of BRISC, which follow one another: each of BRISC's takes the place of
 * one. BRISC's first word comes before the MOP, so that the thread does not run ahead of it. */
static unsigned count_lost(unsigned delay, bool loose) {
    enum { WORDS = 200 };
    struct tensix_box *tb = tb_create_in(box_create_timed(32, loose));
    struct frontend *f = &tb->x->thread[1].frontend;
    const uint32_t add = TT(SEMPOST, 0); /* of no semaphore: one a cycle */
    const uint32_t config[] = { 1, WORDS, TT(NOP, 0), TT(NOP, 0), TT(NOP, 0), add, TT(NOP, 0), add, add };
    for (unsigned i = 0; i < 9; i++)
        frontend_configure_mop(f, i, config[i]);
    for (unsigned i = 0; i < 80; i++)
        tb_rv(tb, BH_TRISC1, NOP);
    tb_push(tb, 1, TT(MOP, 1, 0, 0));
    tb_push_store(tb, BH_BRISC, 1, TT(SETC16, 3, 1));
    for (unsigned i = 0; i < 100 + delay; i++)
        tb_rv(tb, BH_BRISC, NOP);
    for (unsigned i = 0; i < 10; i++)
        tb_push_store(tb, BH_BRISC, 1, TT(SETC16, 4, i));
    tb_start(tb);
    tb_step(tb, 1500);
    assert_int_equal(tb->box->faults, 0);
    assert_int_equal(tb->x->config.thread[1][4], 9);
    assert_int_equal(f->in_flight, 0);
    assert_int_equal(f->passes, 11 + WORDS - f->lost);
    unsigned lost = f->lost;
    tb_destroy(tb);
    return lost;
}

static void address_routing_collision_with_a_mop(void **state) {
    (void)state;
    for (unsigned delay = 0; delay < 5; delay++) {
        assert_int_equal(count_lost(delay, false), 10);
        assert_int_equal(count_lost(delay, true), 10);
    }
}

/* A TRISC that stores to the window of another thread hangs: it is blocked, with a reason, and nothing else happens. */
static void address_routing_hangs(void **state) {
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned window = 1; window < 3; window++) {
            struct tensix_box *tb = tb_create();
            enum bh_core core = tb_core(thread);
            tb_store(tb, core, TB_PUSH + 0x10000 * window, TT(SETC16, 3, 1));
            tb_start(tb);
            tb_step(tb, 300);
            assert_int_equal(core_of(tb, core)->state, BH_CORE_BLOCKED);
            assert_non_null(strstr(wait_text(core_of(tb, core)->waits_on), "hangs"));
            assert_int_equal(tb->box->faults, 0);
            for (unsigned i = 0; i < 3; i++)
                assert_int_equal(tb->passes[i], 0);
            tb_destroy(tb);
        }
}

static void address_routing_ncrisc(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_store(tb, BH_NCRISC, TB_PUSH, TT(SETC16, 3, 1));
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.core, BH_NCRISC);
    tb_destroy(tb);
}

/* A thread that stands still takes 29 words pushed one by one: while it holds more than 28 nothing goes in. The core
 * stops by itself and goes on when there is room. */
static void fifo_backpressure(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 1000);
    tb_push_store(tb, BH_TRISC0, 0, TT(STALLWAIT, 0x1FF, GATE_C_PACK));
    for (unsigned i = 0; i < 40; i++)
        tb_push_store(tb, BH_TRISC0, 0, TT(SETC16, 3, i));
    tb_start(tb);
    tb_step(tb, 900);
    assert_int_equal(tb->passes[0], 1);
    assert_int_equal(tb->x->thread[0].frontend.in_flight, 29);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_BLOCKED);
    assert_non_null(strstr(wait_text(core_of(tb, BH_TRISC0)->waits_on), "FIFO"));
    tb_step(tb, 1400);
    assert_int_equal(tb->passes[0], 41);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_PAUSED);
    assert_int_equal(tb->x->config.thread[0][3], 39);
    tb_destroy(tb);
}

/* INSTRN_BUF_STATUS shows the FIFO before the Replay expander: bit 1 not full, bit 5 empty, for T1. */
static void fifo_status(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 1, TENSIX_BUSY_PACK, 400);
    tb_load(tb, BH_BRISC, 10, 0xFFB120A8);
    for (unsigned i = 0; i < 100; i++)
        tb_rv(tb, BH_BRISC, NOP);
    tb_load(tb, BH_BRISC, 11, 0xFFB120A8);
    for (unsigned i = 0; i < 20; i++) /* after the first look */
        tb_rv(tb, BH_TRISC1, NOP);
    tb_push(tb, 1, TT(STALLWAIT, 0x1FF, GATE_C_PACK));
    for (unsigned i = 0; i < 20; i++)
        tb_push(tb, 1, TT(NOP, 0));
    assert_true(tb_run(tb));
    assert_int_equal(core_of(tb, BH_BRISC)->x[10], 0x77);
    assert_int_equal(core_of(tb, BH_BRISC)->x[11], 0x55);
    tb_destroy(tb);
}

/* Four fused words on top of 28 make 32. */
static void fifo_burst_by_fusion(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 1000);
    tb_push_store(tb, BH_TRISC0, 0, TT(STALLWAIT, 0x1FF, GATE_C_PACK));
    for (unsigned i = 0; i < 60; i++) /* the wait passes before the FIFO is full */
        tb_rv(tb, BH_TRISC0, NOP);
    for (unsigned i = 0; i < 40; i++)
        tb_push(tb, 0, TT(SETC16, 3, i));
    tb_start(tb);
    tb_step(tb, 900);
    assert_int_equal(tb->x->thread[0].frontend.in_flight, 32);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_BLOCKED);
    tb_step(tb, 1400);
    assert_int_equal(tb->passes[0], 41);
    tb_destroy(tb);
}

/* A push is done when the word is in the FIFO: the core goes on while its instruction waits. */
static void pushed_is_not_executed(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 500);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, 0x80, GATE_C_PACK), TT(SETC16, 3, 7));
    tb_rv(tb, BH_TRISC0, asm_i(RV_ADDI, 10, 0, 1));
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_PAUSED);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], 1);
    assert_int_equal(tb->x->config.thread[0][3], 0);
    tb_destroy(tb);
}

/* tensix_sync(): the load of the second word of the PC buffer comes back when the thread is idle. */
static void tensix_sync(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 500);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, 0x80, GATE_C_PACK), TT(SETC16, 3, 7));
    tb_li(tb, BH_TRISC0, 5, TB_PC_BUF + 4);
    tb_rv(tb, BH_TRISC0, asm_s(RV_SW, 0, 0, 5));
    tb_rv(tb, BH_TRISC0, asm_i(RV_LW, 6, 5, 0));
    tb_rv(tb, BH_TRISC0, asm_r(RV_AND, 6, 6, 6));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 10, 0xB00, 0));
    tb_start(tb);
    tb_step(tb, 499);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_BLOCKED);
    tb_step(tb, 700);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_PAUSED);
    assert_int_equal(tb->x->config.thread[0][3], 7);
    tb_destroy(tb);
}

/* FIFO, MOP expander, Replay expander, gate: a MOP that plays what was recorded. From BRISC, whose words come in
 * behind the MOP expander, a MOP is not expanded. */
static void pipeline_order(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t nop = TT(NOP, 0);
    const uint32_t mop[9] = { 1, 3, nop, nop, nop, TT(REPLAY, 0, 2, 0, 0), nop, TT(REPLAY, 0, 2, 0, 0), nop };
    (void)state;
    for (unsigned i = 0; i < 9; i++)
        tb_store(tb, BH_TRISC2, TB_MOP + 4 * i, mop[i]);
    TB_PUSH_ALL(tb, 2, TT(REPLAY, 0, 2, 0, 1), TT(SEMPOST, 1), TT(SEMPOST, 2), TT(MOP, 1, 0, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->passes[2], 6);
    assert_int_equal(tb->x->sync.semaphore[0].value, 3);
    assert_int_equal(tb->x->sync.semaphore[1].value, 3);
    tb_destroy(tb);

    tb = tb_create();
    const uint32_t posts[9] = { 1, 3, nop, nop, nop, TT(SEMPOST, 1), nop, TT(SEMPOST, 1), nop };
    for (unsigned i = 0; i < 9; i++)
        tb_store(tb, BH_TRISC2, TB_MOP + 4 * i, posts[i]);
    for (unsigned i = 0; i < 60; i++)
        tb_rv(tb, BH_BRISC, NOP);
    tb_push_store(tb, BH_BRISC, 2, TT(MOP, 1, 0, 0));
    tb_start(tb);
    tb_step(tb, 300);
    assert_int_equal(tb->x->sync.semaphore[0].value, 0);
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_delivery_mechanisms_same_result),
        cmocka_unit_test(mmio_store),
        cmocka_unit_test(ttinsn_encoding),
        cmocka_unit_test(ttinsn_fusion),
        cmocka_unit_test(address_routing),
        cmocka_unit_test(address_routing_collision),
        cmocka_unit_test(address_routing_collision_with_a_mop),
        cmocka_unit_test(address_routing_hangs),
        cmocka_unit_test(address_routing_ncrisc),
        cmocka_unit_test(fifo_backpressure),
        cmocka_unit_test(fifo_status),
        cmocka_unit_test(fifo_burst_by_fusion),
        cmocka_unit_test(pushed_is_not_executed),
        cmocka_unit_test(tensix_sync),
        cmocka_unit_test(pipeline_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
