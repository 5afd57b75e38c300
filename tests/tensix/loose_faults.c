/* A loosely timed coprocessor: faults in the middle of whatever, and what a soft reset of a core keeps of its words. */
#include "loose_box.h"

/* ---- Faults -------------------------------------------------------------------------------------- */

static void assert_fault(struct tensix_box *tb, unsigned thread, uint32_t pc, uint32_t word) {
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.thread, thread);
    assert_int_equal(tb->box->fault.pc, pc);
    assert_int_equal(tb->box->fault.insn, word);
    assert_int_equal(at_gate(tb, thread).pc, pc);
    assert_int_equal(at_gate(tb, thread).word, word);
    unsigned other = (thread + 1) % 3; /* goes on */
    PUSH(tb, other, MARKED(77));
    assert_int_equal(mark(tb, other), 77);
    assert_int_equal(tb->box->faults, 1);
}

static void faults_in_rows(void **state) {
    (void)state;
    for (unsigned where = 0; where < 12; where++) {
        for (unsigned waits = 0; waits < 2; waits++) {
            struct tensix_box *tb = create();
            uint32_t row[12];
            for (unsigned i = 0; i < 12; i++)
                row[i] = i == where ? ILLEGAL : MARKED(1 + i);
            if (waits)
                PUSH(tb, 0, HELD(0));
            assert_int_equal(loose_push(tb->x, 0, row, push_shape(12, 1, FRONTEND_GROUP, !waits), 0x600, tb->now), 12);
            if (waits)
                post(tb, 0);
            assert_fault(tb, 0, 0x600 + 4 * where, ILLEGAL);
            assert_int_equal(mark(tb, 0), where);
            assert_int_equal(frontend_of(tb, 0)->in_flight, 12 - where);
            tb_destroy(tb);
        }
    }
}

/* In a MOP, and in a REPLAY that it emits: the pc is the MOP's. */
static void faults_in_expansions(void **state) {
    (void)state;
    for (unsigned replayed = 0; replayed < 2; replayed++) {
        for (unsigned waits = 0; waits < 2; waits++) {
            struct tensix_box *tb = create();
            uint32_t nop = TT(NOP, 0), play = TT(REPLAY, 0, 3, 0, 0), bad = replayed ? play : ILLEGAL;
            PUSH(tb, 0, TT(REPLAY, 0, 3, 0, 1), POST(1), ILLEGAL, POST(2));
            configure(tb, 0,
                      (const uint32_t[]){ 3, 4, POST(0), POST(3), nop, waits ? HELD(5) : POST(4), bad, bad, bad });
            const uint32_t words[] = { POST(6), TT(MOP, 1, 0, 0), MARKED(7) };
            assert_int_equal(loose_push(tb->x, 0, words, push_shape(3, 1, FRONTEND_GROUP, false), 0x600, tb->now), 3);
            post(tb, 5);
            assert_fault(tb, 0, 0x604, ILLEGAL);
            assert_int_equal(semaphore(tb, 0), 1);
            assert_int_equal(semaphore(tb, 1), replayed);
            assert_int_equal(semaphore(tb, 2), 0);
            assert_int_equal(semaphore(tb, 3), 0);
            assert_int_equal(mark(tb, 0), 0);
            tb_destroy(tb);
        }
    }
}

/* An unpacker finds it undefined when the instruction has long passed: nothing that was not pushed is touched. */
static void faults_of_units(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 3; waits++) {
        struct tensix_box *tb = create();
        uint32_t unpack = TT(UNPACR_NOP, 0, 0, 1, 0, 0, 0, 0, 0, 3), row[] = { MARKED(1), unpack, ILLEGAL };
        tb->x->config.bank[0][CONFIG_BASE_THCON] = 0;
        if (waits == 1)
            PUSH(tb, 0, HELD(0));
        assert_int_equal(loose_push(tb->x, 0, row, push_shape(2, 1, FRONTEND_GROUP, waits != 2), 0x600, tb->now), 2);
        if (waits == 1)
            post(tb, 0);
        assert_int_equal(tb->box->faults, tb->x->thread[0].faulted);
        assert_int_equal(frontend_of(tb, 0)->in_flight, 0);
        assert_int_equal(frontend_first_count(frontend_of(tb, 0)), 0);
        tb_destroy(tb);
    }
}

/* ---- Soft reset ---------------------------------------------------------------------------------- */

/* Words behind the MOP expander stay, the others are lost, and nothing is counted twice. */
static void reset_of_a_core_that_waits(void **state) {
    (void)state;
    for (unsigned words = 1; words < 40; words++) {
        struct tensix_box *tb = create();
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        configure_loop(tb, 0, 1, words, POST(1));
        PUSH(tb, 0, HELD(0), TT(MOP, 1, 0, 0), POST(2));
        box_poke32(tb->box, SOFT_RESET_0, 0x47800);
        post(tb, 0);
        unsigned behind = words < 10 ? words : 10;
        assert_int_equal(semaphore(tb, 1), behind);
        assert_int_equal(semaphore(tb, 2), words < 10);
        assert_empty(tb, 0);
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        PUSH(tb, 0, POST(3));
        assert_int_equal(semaphore(tb, 3), 1);
        tb_destroy(tb);
    }
}

/* In the middle of a MOP whose words wait one by one, and then behind. */
static void reset_in_a_mop_of_replays(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    box_poke32(tb->box, SOFT_RESET_0, 0x46800);
    PUSH(tb, 0, TT(REPLAY, 0, 3, 0, 1), HELD(0), GET(0), POST(1));
    configure_loop(tb, 0, 1, 30, TT(REPLAY, 0, 3, 0, 0));
    PUSH(tb, 0, TT(MOP, 1, 0, 0));
    post(tb, 0);
    box_poke32(tb->box, SOFT_RESET_0, 0x47800);
    for (unsigned i = 1; i < 15; i++)
        post(tb, 0);
    assert_in_range(semaphore(tb, 1), 2, 12);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* A thread resets its own core: what this one has pushed behind it is lost, whether it stands in the FIFO or not. */
static void reset_of_the_own_core(void **state) {
    (void)state;
    for (unsigned how = 0; how < 4; how++) {
        struct tensix_box *tb = create();
        uint32_t reset = TT(STOREREG, 4, REG(SOFT_RESET_0));
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        tb->x->gpr[0][4] = 0x47800;
        configure_loop(tb, 0, 1, 20, reset);
        if (how % 2)
            PUSH(tb, 0, HELD(0));
        PUSH(tb, 0, how / 2 ? TT(MOP, 1, 0, 0) : reset, POST(1), POST(1), POST(1), POST(1), POST(1), POST(1), POST(1),
             POST(1), POST(1), POST(1), POST(1), POST(1));
        if (how % 2)
            post(tb, 0);
        assert_in_range(semaphore(tb, 1), 0, 10);
        assert_empty(tb, 0);
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        PUSH(tb, 0, POST(2), HELD(3), POST(2));
        post(tb, 3);
        assert_int_equal(semaphore(tb, 2), 2);
        assert_empty(tb, 0);
        tb_destroy(tb);
    }
}

/* From end to end: the core is reset in the middle of its row, and starts anew when it is released. */
static void restart_scene(struct tensix_box *tb) {
    enum { FLAG = L1 + 0x100, ROW = 12 };
    tb->x->gpr[0][4] = 0x47000; /* all but BRISC */
    tb_load(tb, BH_TRISC0, TB_T2, FLAG);
    tb_rv(tb, BH_TRISC0, asm_b(RV_BNE, TB_T2, 0, 4 * (6 + ROW)));
    tb_store(tb, BH_TRISC0, FLAG, 1);
    for (unsigned i = 0; i < ROW; i++)
        tb_push(tb, 0, i ? POST(1) : TT(STOREREG, 4, REG(SOFT_RESET_0)));
    tb_push(tb, 0, MARKED(9));
    tb_nops(tb, BH_BRISC, 400);
    tb_store(tb, BH_BRISC, SOFT_RESET_0, 0x46000);
}

static void a_core_that_is_reset_starts_anew(void **state) {
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct tensix_box *tb = loose_play(restart_scene, 1, loose);
        assert_at_rest(tb);
        assert_int_equal(mark(tb, 0), 9);
        assert_in_range(semaphore(tb, 1), 0, 10);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_in_rows),
        cmocka_unit_test(faults_in_expansions),
        cmocka_unit_test(faults_of_units),
        cmocka_unit_test(reset_of_a_core_that_waits),
        cmocka_unit_test(reset_in_a_mop_of_replays),
        cmocka_unit_test(reset_of_the_own_core),
        cmocka_unit_test(a_core_that_is_reset_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
