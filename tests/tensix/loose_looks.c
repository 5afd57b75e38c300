/* A loosely timed coprocessor: every look at it sees its present state, and the instructions of SFPLOADMACRO keep their
 * cycles. */
#include "loose_box.h"
#include "tile/watch.h"

/* ---- Looks --------------------------------------------------------------------------------------- */

/* A thread whose instruction an unpacker has, which waits for a bank, is not idle. */
static void idle_when_its_units_are(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, HAND_OVER);
    assert_true(tensix_idle(tb->x, 0, tb->now));
    PUSH(tb, 0, HAND_OVER);
    assert_false(tensix_idle(tb->x, 0, tb->now));
    assert_false(tensix_wait_idle(tb->x, 0, tb->now));
    PUSH(tb, 1, HAND_BACK);
    assert_true(tensix_idle(tb->x, 0, tb->now));
    tb_destroy(tb);
}

/* A core that waits for that goes on, with what its instructions have done. */
static void idle_scene(struct tensix_box *tb) {
    for (unsigned i = 0; i < 4; i++)
        tb_push(tb, 0, HAND_OVER);
    tb_finish(tb, 0);
    tb_store(tb, BH_TRISC0, L1, 1);
    tb_nops(tb, BH_TRISC1, 100);
    for (unsigned i = 0; i < 4; i++)
        TB_PUSH_ALL(tb, 1, TT(STALLWAIT, ALL, GATE_C_SRCA_VALID), i == 1 ? TT(NOP, 0) : MARKED(i), HAND_BACK);
    tb_load(tb, BH_TRISC1, 10, L1);
}

static void idle_check(void **state) {
    (void)state;
    tb_destroy(loose_play_both(idle_scene));
}

/* The MOP expander is done when its words are behind it. */
static void mop_done_check(void **state) {
    (void)state;
    for (unsigned words = 1; words < 20; words++) {
        struct tensix_box *tb = create();
        configure_loop(tb, 0, 1, words, POST(1));
        PUSH(tb, 0, HELD(0), TT(MOP, 1, 0, 0));
        bool busy = tensix_done_check(tb->x, 0, 4, false, tb->now).result == ACCESS_WAIT;
        assert_int_equal(busy, words > FRONTEND_MIDDLE + FRONTEND_LAST);
        post(tb, 0);
        assert_int_equal(tensix_done_check(tb->x, 0, 4, false, tb->now).result, ACCESS_DONE);
        assert_int_equal(semaphore(tb, 1), words < 15 ? words : 15);
        assert_empty(tb, 0);
        tb_destroy(tb);
    }
}

/* Auto TTSync: a core's access waits for words that wait, also in an expansion. */
static void tracked_scene(struct tensix_box *tb) {
    uint32_t nop = TT(NOP, 0), add = TT(ADDDMAREG, 1, 5, 1, 5);
    const uint32_t config[MOP_WORDS] = { 1, 4, nop, nop, nop, add, nop, HELD(1), nop };
    tb_push(tb, 0, TRACKING(0x1D));
    tb_finish(tb, 0);
    for (unsigned i = 0; i < MOP_WORDS; i++)
        tb_store(tb, BH_TRISC0, TB_MOP + 4 * i, config[i]);
    TB_PUSH_ALL(tb, 0, HELD(0), add);
    tb_load(tb, BH_TRISC0, 10, TB_GPRS + 4 * 5);
    TB_PUSH_ALL(tb, 0, TT(MOP, 1, 0, 0), add);
    tb_load(tb, BH_TRISC0, 11, TB_GPRS + 4 * 5);
    tb_store(tb, BH_TRISC0, TB_GPRS + 4 * 5, 100);
    tb_push(tb, 0, add);
    tb_post_later(tb, 2, 0, 100);
    tb_post_later(tb, 2, 1, 200);
}

static void tracked(void **state) {
    struct tensix_box *tb = loose_play_both(tracked_scene);
    (void)state;
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], 1);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[11], 5);
    assert_int_equal(tb->x->gpr[0][5], 101);
    tb_destroy(tb);
}

#define TDMA 0xFFB11000u

/* The mover is ahead of the core, which sees it as it is then and not in its own time. */
static void tdma_scene(struct tensix_box *tb) {
    enum { FROM, TO, SIZE, DIRECTION, COMMAND, STATUS, MOVE = 0x40, WAIT = 0x46 };
    const uint32_t parameters[] = { L1 / 16, L1 / 16 + 0x1000, 100, 2 };
    for (unsigned i = 0; i < 4; i++)
        tb_store(tb, BH_TRISC0, TDMA + 4 * i, parameters[i]);
    tb_store(tb, BH_TRISC0, TDMA + 4 * COMMAND, MOVE);
    tb_store(tb, BH_TRISC0, TDMA + 4 * COMMAND, 0x80000000 | WAIT);
    tb_li(tb, BH_TRISC0, TB_T0, TDMA + 4 * STATUS);
    tb_rv(tb, BH_TRISC0, asm_i(RV_LW, TB_T1, TB_T0, 0));
    tb_rv(tb, BH_TRISC0, asm_i(RV_ANDI, TB_T1, TB_T1, 1));
    tb_rv(tb, BH_TRISC0, asm_b(RV_BNE, TB_T1, 0, -8));
    tb_rv(tb, BH_TRISC0, asm_i(RV_ADDI, TB_T1, 0, 0));
}

static void the_mover_is_ahead(void **state) {
    (void)state;
    tb_destroy(loose_play_both(tdma_scene));
}

/* An observer sees every word once, on the track of its unit, with the pc that pushed it. */
static void watched(void **state) {
    static struct observer observer;
    struct tensix_box *tb = create();
    (void)state;
    observer = (struct observer){ .what = BH_WATCH_EVENTS };
    tile_watch(&tb->box->tile, &observer, 0);
    configure_loop(tb, 0, 1, 6, TT(SETADCXX, 1, 0, 0));
    const uint32_t words[] = { POST(1), POST(1), HELD(0), POST(1), TT(MOP, 1, 0, 0), POST(2), POST(2) };
    assert_int_equal(loose_push(tb->x, 0, words, push_shape(7, 1, FRONTEND_GROUP, false), 0x700, tb->now++), 7);
    push_by_brisc(tb, 0, TT(SETC16, MARK, 4));
    post(tb, 0);
    unsigned row = tensix_row_index(TENSIX_SEMPOST);
    assert_int_equal(observer.mix[0][row], 2 + 1 + 2);
    assert_int_equal(observer.mix[0][tensix_row_index(TENSIX_SETADCXX)], 6);
    assert_int_equal(observer.mix[0][tensix_row_index(TENSIX_SEMWAIT)], 1);
    assert_int_equal(observer.mix[0][tensix_row_index(TENSIX_SETC16)], 1);
    assert_int_equal(observer.held[0].pc, 0); /* BRISC's */
    observe_close(&observer);
    unsigned of_mop = 0;
    for (size_t i = 0; i < observer.events; i++)
        if (observer.event[i].word >> 24 == TENSIX_SETADCXX) {
            assert_int_equal(observer.event[i].pc, 0x710);
            of_mop++;
        }
    assert_true(of_mop > 0);
    observe_free(&observer);
    tb_destroy(tb);
}

/* ---- SFPLOADMACRO -------------------------------------------------------------------------------- */

static uint64_t seed_of_macros;

/* An instruction that reads or writes what the scheduled ones do, or another macro. */
static uint32_t draw_between(uint64_t *seed) {
    unsigned vd = random_below(seed, 4);
    switch (random_below(seed, 5)) {
    case 0: return TT(SFPLOADMACRO, vd, 4, 0, 4 * random_below(seed, 8));
    case 1: return TT(SFPMOV, 0, vd, 4 + random_below(seed, 4), 0);
    case 2: return TT(SFPLOADI, vd, 2, random_below(seed, 0x10000));
    case 3: return TT(SFPNOP, 0);
    default: return TT(SFPIADD, random_below(seed, 4096), vd, 4 + random_below(seed, 4), 5);
    }
}

/* Macro 0 adds and stores, each after a while, to what it loads. The words in between pass one a cycle. */
static void macros(struct tensix_box *tb) {
    uint64_t seed = seed_of_macros;
    unsigned add = random_below(&seed, 6), store = random_below(&seed, 8);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        tb->x->vector.macro[i].misc = 4;
        tb->x->vector.macro[i].template[0] = TT(SFPIADD, 3, 0, 0, 5);
        tb->x->vector.macro[i].sequence[0] = (4u | add << 3) | (3u | store << 3) << 24;
    }
    for (unsigned i = 0; i < 8; i++)
        TB_PUSH_ALL(tb, 1, TT(SFPLOADI, i, 2, random_below(&seed, 0x10000)), TT(SFPSTORE, i, 4, 0, 4 * i));
    tb_push(tb, 1, TT(REPLAY, 0, 31, 0, 1));
    for (unsigned i = 0; i < 31; i++)
        tb_push(tb, 1, draw_between(&seed));
    TB_PUSH_ALL(tb, 1, TT(STALLWAIT, ALL, GATE_C_VECTOR), TT(REPLAY, 0, 31, 0, 0), TT(REPLAY, 3, 20, 0, 0));
}

static void macros_keep_their_cycles(void **state) {
    unsigned ended = 0;
    (void)state;
    for (seed_of_macros = 1; seed_of_macros < 400; seed_of_macros++) {
        struct tensix_box *exact = loose_play(macros, 1, false), *loose = loose_play(macros, 1, true);
        assert_int_equal(exact->box->faults, loose->box->faults);
        if (!exact->box->faults) {
            assert_at_rest(loose);
            assert_same_values(exact, loose);
            ended++;
        }
        tb_destroy(exact);
        tb_destroy(loose);
    }
    assert_true(ended > 100);
}

/* A look a few cycles later finds them done. */
static void macros_end_for_who_looks(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    seed_of_macros = 5;
    macros(tb); /* not started: only what it sets up */
    PUSH(tb, 1, TT(SFPLOADI, 0, 2, 7));
    uint32_t macro = TT(SFPLOADMACRO, 0, 4, 0, 0);
    assert_int_equal(loose_push(tb->x, 1, &macro, push_shape(1, 1, FRONTEND_GROUP, true), 0, tb->now), 1);
    assert_int_not_equal(tb->x->landings, 0);
    tensix_run(tb->x, tb->x->time + 20);
    assert_int_equal(tb->x->landings, 0);
    assert_false(tb->x->vector.macros);
    tb_destroy(tb);
}

/* The tile gives them their time if no word follows and no core moves any more. */
static void macros_end_by_themselves(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    seed_of_macros = 5;
    macros(tb);
    tb_push(tb, 1, TT(SFPLOADMACRO, 0, 4, 0, 0));
    tb_start(tb);
    tile_run(&tb->box->tile, 20000);
    assert_int_equal(core_of(tb, BH_TRISC1)->state, BH_CORE_PAUSED);
    assert_int_equal(tb->box->faults, 0);
    assert_int_equal(tb->x->landings, 0);
    assert_false(tb->x->vector.macros);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_when_its_units_are),  cmocka_unit_test(idle_check),
        cmocka_unit_test(mop_done_check),           cmocka_unit_test(tracked),
        cmocka_unit_test(the_mover_is_ahead),       cmocka_unit_test(watched),
        cmocka_unit_test(macros_keep_their_cycles), cmocka_unit_test(macros_end_for_who_looks),
        cmocka_unit_test(macros_end_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
