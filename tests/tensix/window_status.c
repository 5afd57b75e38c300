/* The coprocessor as cores see it: done checks, PCBufs, semaphores and status. Pages: ManualTTSync.md, PCBufs.md,
 * CSRs.md, SyncUnit.md. */
#include "support/tensix_scene.h"

#define PC_OVERRIDE  0xFFB12090u
#define SEMAPHORE(i) (TB_PC_BUF + 0x20 + 4 * (i))

enum { QSTATUS = 0xBC0, BSTATUS = 0xBC1, CFG0 = 0x7C0 };

static void tb_csr(struct tensix_box *tb, enum bh_core core, unsigned rd, unsigned csr) {
    tb_rv(tb, core, asm_csr(RV_CSRRS, rd, csr, 0));
}

/* ---- Coprocessor done, PCBufs ----------------------------------------------------------------------------------- */

/* The late result of an atomic counts: when the check comes back it can be seen. */
static void done_after_an_atomic(struct tensix_box *tb) {
    box_poke32(tb->box, 0x40000, 77);
    tb_gpr(tb, 1, 8, 0x40000 / 16);
    TB_PUSH_ALL(tb, 1, HELD(0), TT(ATINCGET, 0, 31, 0, 12, 8));
    tb_load(tb, BH_TRISC1, TB_T2, TB_PC_BUF + 4);
    tb_rv(tb, BH_TRISC1, asm_r(RV_AND, TB_T2, TB_T2, TB_T2));
    tb_load(tb, BH_TRISC1, 11, TB_GPRS + 4 * 12);
    tb_cycle(tb, BH_TRISC1, 10);
    tb_post_later(tb, 2, 0, 300);
}

static void done_check_waits_for_late_results(void **state) {
    struct tensix_box *tb = scene_play(done_after_an_atomic);
    uint64_t atomic;
    (void)state;
    assert_ended(tb);
    atomic = tb->at[1][tb->passes[1] - 1];
    assert_int_equal(core_of(tb, BH_TRISC1)->x[11], 77);
    assert_in_range(core_of(tb, BH_TRISC1)->x[10], atomic + TENSIX_LATENCY_ATINCGET + 3,
                    atomic + TENSIX_LATENCY_ATINCGET + 14);
    tb_destroy(tb);
}

/* Enable and busy of TRISC_PC_BUF_OVERRIDE let both checks come back at once. */
static void overridden_checks(struct tensix_box *tb) {
    box_poke32(tb->box, PC_OVERRIDE, 3u << 10);
    TB_PUSH_ALL(tb, 1, HELD(0), TT(NOP, 0));
    tb_finish(tb, 1);
    tb_load(tb, BH_TRISC1, TB_T2, TB_PC_BUF + 8);
    tb_cycle(tb, BH_TRISC1, 10);
    TB_PUSH_ALL(tb, 0, HELD(0), TT(NOP, 0));
    tb_finish(tb, 0);
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, 400);
}

static void override_bits(void **state) {
    struct tensix_box *tb = scene_play(overridden_checks);
    (void)state;
    assert_ended(tb);
    assert_true(core_of(tb, BH_TRISC1)->x[10] < 100);
    assert_true(core_of(tb, BH_TRISC0)->x[10] > 400);
    tb_destroy(tb);
}

/* BRISC's read of a PCBuf waits for all three: the FIFO is empty, T1 stands in a read, its thread is idle. */
static void barrier(struct tensix_box *tb) {
    tb_store(tb, BH_BRISC, 0xFFE90000, 5);
    tb_load(tb, BH_BRISC, TB_T2, 0xFFE90000);
    tb_cycle(tb, BH_BRISC, 10);
    tb_store(tb, BH_BRISC, 0xFFE90000, 6);
    tb_nops(tb, BH_TRISC1, 100);
    tb_load(tb, BH_TRISC1, 11, TB_PC_BUF);
    tb_nops(tb, BH_TRISC1, 100);
    TB_PUSH_ALL(tb, 1, HELD(0), TT(NOP, 0));
    tb_load(tb, BH_TRISC1, 12, TB_PC_BUF);
    tb_rv(tb, BH_TRISC1, asm_r(RV_AND, 12, 12, 12));
    tb_cycle(tb, BH_TRISC1, 10);
    tb_post_later(tb, 2, 0, 500);
}

static void pcbuf_barrier(void **state) {
    struct tensix_box *tb = scene_play(barrier);
    (void)state;
    assert_ended(tb);
    assert_int_equal(core_of(tb, BH_TRISC1)->x[11], 5);
    assert_int_equal(core_of(tb, BH_TRISC1)->x[12], 6);
    assert_int_equal(core_of(tb, BH_BRISC)->x[10], tb->at[1][1] + 1 + 3);
    assert_in_range(core_of(tb, BH_TRISC1)->x[10], core_of(tb, BH_BRISC)->x[10] + 1, core_of(tb, BH_BRISC)->x[10] + 12);
    tb_destroy(tb);
}

/* ---- Semaphores -------------------------------------------------------------------------------------------------- */

/* Bit 0 of what is stored: clear posts, set gets. */
static void posts_and_gets(struct tensix_box *tb) {
    tb_store(tb, BH_TRISC0, SEMAPHORE(1), 0xFFFFFFFE);
    tb_store(tb, BH_TRISC0, SEMAPHORE(1), 0);
    tb_store(tb, BH_TRISC0, SEMAPHORE(1), 3);
    tb_store(tb, BH_TRISC0, SEMAPHORE(2), 1);
    for (unsigned i = 0; i < 17; i++)
        tb_store(tb, BH_TRISC0, SEMAPHORE(7), 0);
    for (unsigned i = 0; i < 8; i++)
        tb_load(tb, BH_TRISC0, 10 + i, SEMAPHORE(i));
}

static void semaphore_window(void **state) {
    static const uint32_t expected[8] = { 0, 1, 0, 0, 0, 0, 0, 15 };
    struct tensix_box *tb = scene_play(posts_and_gets);
    (void)state;
    assert_ended(tb);
    assert_memory_equal(&core_of(tb, BH_TRISC0)->x[10], expected, sizeof expected);
    tb_destroy(tb);
}

/* Cores that poll a semaphore sleep, and see a post in the round in which they would have without sleep
 * (scene_play compares). T0 posts by an instruction, then T1 by a store. */
static void pollers(struct tensix_box *tb) {
    for (unsigned i = 1; i < 3; i++) {
        tb_nops(tb, tb_core(i), i);
        tb_li(tb, tb_core(i), 5, SEMAPHORE(i - 1));
        tb_rv(tb, tb_core(i), asm_i(RV_LW, 8, 5, 0));
        tb_rv(tb, tb_core(i), asm_b(RV_BEQ, 8, 0, -4));
        tb_cycle(tb, tb_core(i), 10);
    }
    tb_store(tb, BH_TRISC1, SEMAPHORE(1), 0);
    tb_post_later(tb, 0, 0, 401);
}

static void polled_semaphore(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    pollers(tb);
    tb_start(tb);
    tb_step(tb, 300);
    assert_int_equal(core_of(tb, BH_TRISC1)->state, BH_CORE_POLLING);
    tb_destroy(tb);
    tb = scene_play(pollers);
    assert_ended(tb);
    assert_in_range(core_of(tb, BH_TRISC1)->x[10], tb->at[0][0] + 3, tb->at[0][0] + 16);
    assert_true(core_of(tb, BH_TRISC2)->x[10] > core_of(tb, BH_TRISC1)->x[10]);
    tb_destroy(tb);
}

/* ---- Status ------------------------------------------------------------------------------------------------------ */

enum { LANE_BITS = 1 << 11 | 1 << 24, Q_ALL = 13, B_ALL = 11 };

static void assert_status(struct tensix *x, unsigned thread, uint32_t types) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        uint32_t own = i == thread ? types : 0;
        assert_int_equal(tensix_qstatus(x, tb_core(i), 200), own | LANE_BITS | types << Q_ALL);
        assert_int_equal(tensix_bstatus(x, tb_core(i), 200), own | types << B_ALL);
    }
    assert_int_equal(tensix_qstatus(x, BH_BRISC, 200), types | LANE_BITS | types << Q_ALL);
    assert_int_equal(tensix_bstatus(x, BH_BRISC, 200), types | types << B_ALL);
}

/* Every type of instruction, queued behind a wait. */
static void status_of_types(void **state) {
    static const struct {
        uint32_t word, types;
    } rows[] = {
        { (uint32_t)TENSIX_REPLAY << 24 | 31 << 4, 1 << 0 },
        { (uint32_t)TENSIX_REPLAY << 24 | 31 << 4 | 1, 0 },
        { (uint32_t)TENSIX_REPLAY << 24 | 31 << 4 | 3, 0 }, /* the recording itself is over at once */
        { (uint32_t)TENSIX_SETDMAREG << 24, 1 << 2 | 1 << 8 },
        { (uint32_t)TENSIX_XMOV << 24, 1 << 3 | 1 << 8 },
        { (uint32_t)TENSIX_UNPACR << 24, 1 << 4 | 1 << 8 },
        { (uint32_t)TENSIX_PACR << 24, 1 << 5 | 1 << 8 },
        { (uint32_t)TENSIX_SETC16 << 24, 1 << 6 },
        { (uint32_t)TENSIX_SEMPOST << 24, 1 << 7 },
        { (uint32_t)TENSIX_SETADC << 24, 1 << 8 },
        { (uint32_t)TENSIX_SFPLOAD << 24, 1 << 9 },
        { (uint32_t)TENSIX_MVMUL << 24, 1 << 10 },
        { (uint32_t)TENSIX_NOP << 24, 0 },
        { (uint32_t)TENSIX_MOP_CFG << 24, 0 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tensix_box *tb = tb_create();
        const uint32_t words[2] = { HELD(0), rows[i].word };
        unsigned thread = i % 3;
        scene_push(tb, tb_core(thread), thread, words, 2, 10);
        assert_status(tb->x, thread, rows[i].types);
        tb_destroy(tb);
    }
}

/* A MOP is one until all of it is behind the expander; then its words are what they are. */
static void status_of_a_mop(void **state) {
    struct tensix_box *tb = tb_create();
    const uint32_t words[2] = { HELD(0), TT(MOP, 1, 0, 0) };
    const uint32_t config[9] = {
        1, 20, TT(NOP, 0), TT(NOP, 0), TT(NOP, 0), TT(SETC16, 3, 1), TT(NOP, 0), TT(SETC16, 3, 1), TT(NOP, 0)
    };
    (void)state;
    for (unsigned i = 0; i < 9; i++)
        tensix_mop_write(tb->x, BH_TRISC0, 4 * i, 5, config[i]);
    scene_push(tb, BH_TRISC0, 0, words, 2, 10);
    assert_status(tb->x, 0, 1 << 1 | 1 << 6);
    tensix_semaphore_write(tb->x, BH_TRISC0, 0, 300, 0);
    tensix_run(tb->x, 500);
    assert_int_equal(tensix_qstatus(tb->x, BH_TRISC0, 500), LANE_BITS);
    tb_destroy(tb);
}

/* Words that BRISC pushed belong to no TRISC. */
static void status_of_brisc_pushes(void **state) {
    struct tensix_box *tb = tb_create();
    const uint32_t words[2] = { HELD(0), TT(SETC16, 3, 1) };
    (void)state;
    scene_push(tb, BH_BRISC, 0, &words[0], 1, 10);
    scene_push(tb, BH_BRISC, 0, &words[1], 1, 11);
    assert_int_equal(tensix_qstatus(tb->x, BH_TRISC0, 100), LANE_BITS);
    tb_destroy(tb);
}

/* Behind the gate only bstatus shows it: an atomic in flight. */
static void status_of_pipelines(void **state) {
    struct tensix_box *tb = tb_create();
    const uint32_t word = TT(ATINCGET, 0, 31, 0, 12, 8);
    uint32_t scalar = 1 << 2 | 1 << 8;
    (void)state;
    scene_push(tb, BH_TRISC1, 1, &word, 1, 10);
    tensix_run(tb->x, 20);
    uint64_t passed = frontend_passed_at(&tb->x->thread[1].frontend);
    assert_int_equal(tb->x->thread[1].frontend.passes, 1);
    assert_int_equal(tensix_qstatus(tb->x, BH_TRISC1, 20), LANE_BITS);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC1, 20), scalar | scalar << B_ALL);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC0, 20), scalar << B_ALL);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC1, passed + TENSIX_LATENCY_ATINCGET - 1), scalar | scalar << B_ALL);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC1, passed + TENSIX_LATENCY_ATINCGET), 0);
    tb_destroy(tb);
}

/* cfg0 bit 29 keeps what was shown. */
static void status_frozen_scene(struct tensix_box *tb) {
    TB_PUSH_ALL(tb, 0, HELD(0), TT(SETC16, 3, 1));
    tb_nops(tb, BH_TRISC0, 20);
    tb_csr(tb, BH_TRISC0, 10, QSTATUS);
    tb_li(tb, BH_TRISC0, 5, 1u << 29);
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 0, CFG0, 5));
    tb_finish(tb, 0);
    tb_csr(tb, BH_TRISC0, 11, QSTATUS);
    tb_csr(tb, BH_TRISC0, 12, BSTATUS);
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRC, 0, CFG0, 5));
    tb_csr(tb, BH_TRISC0, 13, QSTATUS);
    tb_csr(tb, BH_TRISC0, 14, BSTATUS);
    tb_post_later(tb, 2, 0, 300);
}

static void status_frozen(void **state) {
    enum { TYPES = 1 << 6 };
    struct tensix_box *tb = scene_play(status_frozen_scene);
    const uint32_t *x = core_of(tb, BH_TRISC0)->x;
    (void)state;
    assert_ended(tb);
    assert_int_equal(x[10], TYPES | LANE_BITS | TYPES << Q_ALL);
    assert_int_equal(x[11], x[10]);
    assert_int_equal(x[12], TYPES | TYPES << B_ALL);
    assert_int_equal(x[13], LANE_BITS);
    assert_int_equal(x[14], 0);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(done_check_waits_for_late_results),
        cmocka_unit_test(override_bits),
        cmocka_unit_test(pcbuf_barrier),
        cmocka_unit_test(semaphore_window),
        cmocka_unit_test(polled_semaphore),
        cmocka_unit_test(status_of_types),
        cmocka_unit_test(status_of_a_mop),
        cmocka_unit_test(status_of_brisc_pushes),
        cmocka_unit_test(status_of_pipelines),
        cmocka_unit_test(status_frozen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
