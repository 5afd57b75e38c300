/* A loosely timed coprocessor (src/tensix/loose.c): a thread that has to wait does so in any state, and goes on when
 * the event comes. */
#include "loose_box.h"
#include "tensix/pack_setup.h"

/* ---- Waits --------------------------------------------------------------------------------------- */

/* Every round of a MOP plays words of which the first waits. */
static void in_the_middle_of_a_mop_of_replays(void **state) {
    enum { OUTER = 2, INNER = 3, BEHIND = 5 };
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, TT(REPLAY, 4, 4, 0, 1), HELD(0), GET(0));
    PUSH(tb, 0, POST(1), POST(2)); /* recorded in two pushes */
    configure_loop(tb, 0, OUTER, INNER, TT(REPLAY, 4, 4, 0, 0));
    PUSH(tb, 0, TT(MOP, 1, 0, 0), POST(3), POST(3), POST(3), POST(3), POST(3));
    for (unsigned i = 0; i < OUTER * INNER; i++) {
        assert_int_equal(semaphore(tb, 1), i);
        assert_int_equal(semaphore(tb, 2), i);
        assert_int_equal(semaphore(tb, 3), 0);
        assert_int_equal(frontend_of(tb, 0)->in_flight, 1 + BEHIND);
        if (i % 2)
            PUSH(tb, 1, POST(0));
        else
            post(tb, 0);
    }
    assert_int_equal(semaphore(tb, 2), OUTER * INNER);
    assert_int_equal(semaphore(tb, 3), BEHIND);
    assert_int_equal(frontend_of(tb, 0)->passes, 4 * OUTER * INNER + BEHIND);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* The agent that wakes a thread is ahead of it: the thread goes on when time has come there. */
static void woken_in_time(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 1, HELD(0), MARKED(9));
    loose_push(tb->x, 0, (const uint32_t[]){ POST(0) }, push_shape(1, 1, FRONTEND_GROUP, true), 0x100, tb->now);
    loose_push(tb->x, 0, (const uint32_t[]){ MARKED(5) }, push_shape(1, 1, FRONTEND_GROUP, true), 0x104, tb->now + 1);
    tensix_run(tb->x, tb->now + 1);
    assert_int_equal(mark(tb, 0), 5);
    assert_int_equal(mark(tb, 1), 0);
    settle(tb);
    assert_int_equal(mark(tb, 1), 9);
    tb_destroy(tb);
}

/* But before a core writes what words use, those go on that can. */
static void woken_before_writes(void **state) {
    enum { WORD = 12, GPR = 8, OTHER = 9, OLD = 3, NEW = 7 };
    struct tensix_box *tb = create();
    (void)state;
    tensix_config_write(tb->x, BH_TRISC1, 4 * WORD, tb->now++, OLD);
    tensix_gpr_write(tb->x, BH_TRISC1, 4 * OTHER, tb->now++, OLD);
    configure_loop(tb, 1, 1, 1, POST(3));
    PUSH(tb, 1, HELD(0), TT(RDCFG, GPR, WORD), HELD(1), TT(WRCFG, OTHER, 0, WORD), HELD(2), TT(MOP, 1, 0, 0));
    loose_push(tb->x, 0, (const uint32_t[]){ POST(0) }, push_shape(1, 1, FRONTEND_GROUP, true), 0x100, tb->now);
    tensix_config_write(tb->x, BH_TRISC1, 4 * WORD, tb->now, NEW);
    assert_int_equal(tb->x->gpr[1][GPR], OLD);
    loose_push(tb->x, 0, (const uint32_t[]){ POST(1) }, push_shape(1, 1, FRONTEND_GROUP, true), 0x100, tb->now);
    tensix_gpr_write(tb->x, BH_TRISC1, 4 * OTHER, tb->now, NEW);
    assert_int_equal(tb->x->config.bank[0][WORD], OLD);
    loose_push(tb->x, 0, (const uint32_t[]){ POST(2) }, push_shape(1, 1, FRONTEND_GROUP, true), 0x100, tb->now);
    configure_loop(tb, 1, 1, 1, POST(4));
    settle(tb);
    assert_int_equal(semaphore(tb, 3), 1);
    assert_int_equal(semaphore(tb, 4), 0);
    tb_destroy(tb);
}

/* The thread has passed what waits, or waits with it. */
static void assert_waits(struct tensix_box *tb, unsigned thread, bool waits) {
    settle(tb);
    assert_int_equal(mark(tb, thread), waits ? 0 : 9);
    assert_int_equal(tensix_waits(tb->x, thread), waits);
    if (!waits)
        assert_empty(tb, thread);
}

static void semaphores(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, HELD(5), MARKED(9));
    assert_waits(tb, 0, true);
    post(tb, 4);
    assert_waits(tb, 0, true);
    PUSH(tb, 2, POST(5));
    assert_waits(tb, 0, false);
    tb_destroy(tb);
}

/* Behind waits of all threads stand more instructions than the packer takes, from BRISC: as they go on, they pass when
 * the packer, whose time has come no further than that of the first of them, gets rid of others. */
static void more_than_the_packer_takes(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    pt_setup(tb);
    pt_fill(tb);
    config_changed(&tb->x->config);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        PUSH(tb, thread, HELD(5));
        for (unsigned i = 0; i < 3; i++)
            push_by_brisc(tb, thread, PT_PACR(1 << 15));
        push_by_brisc(tb, thread, MARKED(9));
        assert_waits(tb, thread, true);
    }
    post(tb, 5);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
        assert_waits(tb, thread, false);
    assert_int_equal(pt_half(tb, 16), pt_number(1, 0));
    tb_destroy(tb);
}

/* A latched wait is looked at in every cycle: it is over though the semaphore is back at zero when its thread has its
 * turn. T1 knows that T0 has latched. */
static void pulse_scene(struct tensix_box *tb) {
    TB_PUSH_ALL(tb, 0, TT(SEMWAIT, 1u << 7, 1u << 0, GATE_SEM_ZERO), POST(5), MARKED(9));
    TB_PUSH_ALL(tb, 1, HELD(5), GET(5), POST(0), GET(0), MARKED(8));
}

static void pulses(void **state) {
    struct tensix_box *tb = loose_play_both(pulse_scene);
    (void)state;
    assert_int_equal(mark(tb, 0), 9);
    assert_int_equal(semaphore(tb, 0), 0);
    tb_destroy(tb);
}

static void mutexes(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, TT(ATGETM, 2));
    PUSH(tb, 1, TT(ATGETM, 2), MARKED(9));
    assert_waits(tb, 1, true);
    PUSH(tb, 0, TT(ATRELM, 2));
    assert_waits(tb, 1, false);
    assert_int_equal(tb->x->sync.mutex[2].held_by, 1);
    tb_destroy(tb);
}

static void banks(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 1, TT(STALLWAIT, ALL, GATE_C_SRCA_VALID), MARKED(9));
    assert_waits(tb, 1, true);
    PUSH(tb, 0, HAND_OVER);
    assert_waits(tb, 1, false);
    tb_destroy(tb);
}

static void streams(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 2, TT(STREAMWAIT, ALL, 5, 1, 2), MARKED(9));
    assert_waits(tb, 2, true);
    tb_stream(tb, 0, OVERLAY_NUM_MSGS_RECEIVED, 4);
    assert_waits(tb, 2, true);
    tb_stream(tb, 0, OVERLAY_NUM_MSGS_RECEIVED, 5);
    assert_waits(tb, 2, false);
    tb_destroy(tb);
}

/* A word of L1 that another agent writes, or a GPR with its address. */
static void memory(void **state) {
    (void)state;
    for (unsigned by_gpr = 0; by_gpr < 2; by_gpr++) {
        struct tensix_box *tb = create();
        box_poke32(tb->box, L1 + 16 + 4, 3);
        tb->x->gpr[0][5] = L1 / 16;
        PUSH(tb, 0, TT(ATCAS, 0, 9, 3, 1, 0, 5), MARKED(9));
        assert_waits(tb, 0, true);
        if (by_gpr) {
            tensix_gpr_write(tb->x, BH_TRISC0, 4 * 5, tb->now, L1 / 16 + 1);
            assert_waits(tb, 0, false);
            assert_int_equal(box_peek32(tb->box, L1 + 16 + 4), 9);
        } else {
            box_poke32(tb->box, L1 + 4, 3);
            assert_waits(tb, 0, false);
            assert_int_equal(box_peek32(tb->box, L1 + 4), 9);
        }
        tb_destroy(tb);
    }
}

/* ---- FIFOs --------------------------------------------------------------------------------------- */

/* A core without room blocks, and wakes when there is room. */
static void full_scene(struct tensix_box *tb) {
    tb_push(tb, 0, HELD(0));
    for (unsigned i = 0; i < 70; i++)
        tb_push(tb, 0, i % 9 ? MARKED(i) : POST(1 + i / 9 % 2));
    tb_post_later(tb, 2, 0, 300);
}

static void full(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    full_scene(tb);
    tb_start(tb);
    tb_step(tb, 200);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_BLOCKED);
    assert_string_equal(wait_text(core_of(tb, BH_TRISC0)->waits_on), "room in the instruction FIFO");
    assert_in_range(frontend_of(tb, 0)->in_flight, FRONTEND_ACCEPTS + 1, FRONTEND_FIRST);
    assert_int_equal(mark(tb, 0), 0);
    tb_destroy(tb);
    tb = loose_play_both(full_scene);
    assert_int_equal(mark(tb, 0), 69);
    assert_int_equal(frontend_of(tb, 0)->passes, 71);
    tb_destroy(tb);
}

/* Words that the frontend consumes make room, whatever waits at the gate: here the core itself releases it. */
static void consumed_scene(struct tensix_box *tb) {
    tb_push(tb, 0, HELD(0));
    tb_push(tb, 0, MARKED(5));
    for (unsigned i = 0; i < 60; i++)
        tb_push(tb, 0, TT(MOP_CFG, i));
    tb_push(tb, 0, TT(REPLAY, 0, 31, 0, 1));
    for (unsigned i = 0; i < 31; i++)
        tb_push(tb, 0, MARKED(i));
    tb_store(tb, BH_TRISC0, SEMAPHORE(0), 0);
    tb_push(tb, 0, TT(REPLAY, 8, 4, 0, 0));
}

static void consumed_words_make_room(void **state) {
    struct tensix_box *tb = loose_play_both(consumed_scene);
    (void)state;
    assert_int_equal(mark(tb, 0), 11);
    assert_int_equal(frontend_of(tb, 0)->mop.mask_high, 59);
    tb_destroy(tb);
}

/* ---- Behind the MOP expander --------------------------------------------------------------------- */

static void words_of_brisc(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    push_by_brisc(tb, 0, POST(1));
    assert_int_equal(semaphore(tb, 1), 1);
    PUSH(tb, 0, HELD(0), POST(2), POST(2), POST(2));
    push_by_brisc(tb, 0, POST(1)); /* waits too */
    PUSH(tb, 0, POST(2));
    assert_int_equal(semaphore(tb, 1), 1);
    assert_int_equal(semaphore(tb, 2), 0);
    post(tb, 0);
    assert_int_equal(semaphore(tb, 1), 2);
    assert_int_equal(semaphore(tb, 2), 4);
    assert_int_equal(frontend_of(tb, 0)->lost, 0);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* Words of BRISC wait in the middle of a REPLAY: those of the own core come after them. */
static void words_of_brisc_wait(void **state) {
    (void)state;
    for (unsigned reset = 0; reset < 2; reset++) {
        struct tensix_box *tb = create();
        PUSH(tb, 0, TT(REPLAY, 0, 4, 0, 1), MARKED(1), HELD(0), MARKED(2), POST(3));
        push_by_brisc(tb, 0, TT(REPLAY, 0, 4, 0, 0));
        assert_int_equal(mark(tb, 0), 1);
        PUSH(tb, 0, MARKED(5), MARKED(6));
        assert_int_equal(mark(tb, 0), 1);
        assert_int_equal(frontend_of(tb, 0)->in_flight, 2);
        if (reset)
            box_poke32(tb->box, SOFT_RESET_0, 0x47800);
        post(tb, 0);
        assert_int_equal(semaphore(tb, 3), 1);
        assert_int_equal(mark(tb, 0), 6); /* both are behind the MOP expander */
        assert_empty(tb, 0);
        tb_destroy(tb);
    }
}

static void a_mop_of_which_brisc_knows_nothing(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    configure_loop(tb, 0, 1, 5, POST(1));
    PUSH(tb, 0, HELD(0), TT(MOP, 1, 0, 0), POST(2));
    push_by_brisc(tb, 0, POST(3));
    post(tb, 0);
    assert_int_equal(semaphore(tb, 1), 5);
    assert_int_equal(semaphore(tb, 2), 1);
    assert_int_equal(semaphore(tb, 3), 1);
    assert_empty(tb, 0);
    PUSH(tb, 0, HELD(4), POST(2)); /* and all is as before */
    post(tb, 4);
    assert_int_equal(semaphore(tb, 2), 2);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* BRISC's .ttinsn and stores, while other cores are behind and ahead of it. The semaphores that BRISC posts are events,
 * after which the words of the TRISCs pass: so none of them is lost. (With cycles some are.) */
static void brisc_scene(struct tensix_box *tb) {
    for (unsigned i = 0; i < 12; i++) {
        tb_push_store(tb, BH_BRISC, 1 + i % 2, POST(1 + i % 2));
        tb_rv(tb, BH_BRISC, tensix_to_stream(POST(0)));
    }
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned i = 0; i < 60; i++)
            tb_push(tb, thread, TT(SETADCXX, 1, i, i));
}

static void brisc_among_others(void **state) {
    (void)state;
    for (unsigned skew = 1; skew <= 128; skew += 9) {
        struct tensix_box *tb = loose_play(brisc_scene, skew, true);
        assert_at_rest(tb);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(semaphore(tb, i), i ? 6 : 12);
            assert_int_equal(frontend_of(tb, i)->passes, 60 + (i ? 6 : 12));
        }
        tb_destroy(tb);
    }
}

/* By STOREREG a thread pushes to another one through the debug bus, whose core's words are lost meanwhile. */
static void debug_bus(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    assert_int_equal(tile_register_write(&tb->box->tile, BUF_CTRL0 + 4, 0, POST(1)).result, ACCESS_DONE);
    tb->x->gpr[0][4] = 0x22; /* T1: the bus has its FIFO, and pushes */
    tb->x->gpr[0][5] = 0x02;
    tb->x->gpr[0][6] = 0;
    PUSH(tb, 0, TT(STOREREG, 4, REG(BUF_CTRL0)));
    assert_int_equal(semaphore(tb, 1), 1);
    PUSH(tb, 1, POST(2));
    assert_int_equal(semaphore(tb, 2), 0);
    PUSH(tb, 1, HELD(0)); /* lost as well */
    PUSH(tb, 0, TT(STOREREG, 5, REG(BUF_CTRL0)), TT(STOREREG, 4, REG(BUF_CTRL0)), TT(STOREREG, 6, REG(BUF_CTRL0)));
    assert_int_equal(semaphore(tb, 1), 2);
    PUSH(tb, 1, POST(2));
    assert_int_equal(semaphore(tb, 2), 1);
    assert_empty(tb, 1);
    tb_destroy(tb);
}

/* ---- Work in one call ------------------------------------------------------------------------------------ */

enum { PLAYED = 32, COUNTED = 9, TURN = 4096 /* TURN_WORDS of loose.c */ };

/* The Replay expander's words add 1 to a GPR, and a MOP plays them so many times. */
static void push_counter(struct tensix_box *tb, unsigned outer, unsigned inner) {
    uint32_t words[1 + PLAYED] = { TT(REPLAY, 0, PLAYED, 0, 1) };
    for (unsigned i = 0; i < PLAYED; i++)
        words[1 + i] = TT(ADDDMAREG, 1, COUNTED, 1, COUNTED);
    assert_int_equal(loose_push(tb->x, 0, words, push_shape(1 + PLAYED, 1, FRONTEND_GROUP, false), 0x100, tb->now++),
                     1 + PLAYED);
    configure_loop(tb, 0, outer, inner, TT(REPLAY, 0, PLAYED, 0, 0));
    assert_int_equal(loose_push(tb->x, 0, &(uint32_t){ TT(MOP, 1, 0, 0) }, push_shape(1, 1, FRONTEND_GROUP, false),
                                0x200, tb->now++),
                     1);
}

/* A push, a look and a write of a core come back after a bounded number of words, however many there are. */
static void one_call_is_bounded(void **state) {
    struct tensix_box *tb = create();
    const uint64_t *passes = &frontend_of(tb, 0)->passes;
    uint32_t value;
    (void)state;
    push_counter(tb, 1023, 1023);
    assert_true(*passes > TURN / 8 && *passes <= TURN);
    assert_false(tensix_waits(tb->x, 0));
    assert_false(tensix_idle(tb->x, 0, tb->now));
    uint64_t before = *passes;
    tensix_gpr_read(tb->x, BH_TRISC0, 4 * COUNTED, tb->now, &value);
    assert_int_equal(*passes, before); /* the core's time has not come there */
    tensix_gpr_write(tb->x, BH_BRISC, 4 * 20, tb->now, 1);
    assert_true(*passes > before && *passes <= before + 2 * TURN);
    for (unsigned i = 0; i < 10; i++) {
        before = *passes;
        tb->now = tensix_due(tb->x) + 1;
        tensix_run(tb->x, tb->now);
        assert_true(*passes > before && *passes <= before + 2 * TURN);
    }
    tb_destroy(tb);
}

/* So do words that nothing comes of: all that the MOP emits is recorded. */
static void recorded_words_are_bounded(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    configure_loop(tb, 0, 1023, 1023, TT(REPLAY, 0, 31, 0, 1));
    loose_push(tb->x, 0, &(uint32_t){ TT(MOP, 1, 0, 0) }, push_shape(1, 1, FRONTEND_GROUP, false), 0x200, tb->now);
    assert_int_not_equal(tensix_due(tb->x), TENSIX_NEVER);
    assert_true(frontend_of(tb, 0)->mop.active);
    assert_true(tb->x->thread[0].clock <= tb->now + 2 * TURN);
    settle(tb);
    assert_int_equal(frontend_of(tb, 0)->replay.left, 31 - (1023 * 1023 - 1) % 32);
    PUSH(tb, 0, POST(3), POST(3)); /* recorded as well, or done */
    assert_int_equal(frontend_of(tb, 0)->in_flight, 0);
    assert_int_equal(frontend_of(tb, 0)->mops, 0);
    tb_destroy(tb);
}

/* The words that did not fit in one turn are done in others. */
static void goes_on_in_the_next_call(void **state) {
    enum { OUTER = 40, INNER = 50 };
    struct tensix_box *tb = create();
    (void)state;
    push_counter(tb, OUTER, INNER);
    assert_true(tb->x->gpr[0][COUNTED] < OUTER * INNER * PLAYED);
    PUSH(tb, 0, POST(3));
    settle(tb);
    assert_int_equal(tb->x->gpr[0][COUNTED], OUTER * INNER * PLAYED);
    assert_int_equal(semaphore(tb, 3), 1);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_is_bounded),
        cmocka_unit_test(recorded_words_are_bounded),
        cmocka_unit_test(goes_on_in_the_next_call),
        cmocka_unit_test(in_the_middle_of_a_mop_of_replays),
        cmocka_unit_test(woken_in_time),
        cmocka_unit_test(woken_before_writes),
        cmocka_unit_test(semaphores),
        cmocka_unit_test(more_than_the_packer_takes),
        cmocka_unit_test(pulses),
        cmocka_unit_test(mutexes),
        cmocka_unit_test(banks),
        cmocka_unit_test(streams),
        cmocka_unit_test(memory),
        cmocka_unit_test(full),
        cmocka_unit_test(consumed_words_make_room),
        cmocka_unit_test(words_of_brisc),
        cmocka_unit_test(words_of_brisc_wait),
        cmocka_unit_test(a_mop_of_which_brisc_knows_nothing),
        cmocka_unit_test(brisc_among_others),
        cmocka_unit_test(debug_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
