/* Auto TTSync from end to end: the four scenarios of AutoTTSync.md, with and without tracking. T0's core is the one
 * that is kept in order; T2 lets T0's gate go after a while. */
#include "support/tensix_scene.h"

enum { OFF = 0, CFG = 1 << 0, GPR = 1 << 2, TDMA = 1 << 3, INSTRUCTIONS = 1 << 4, HELD_FOR = 400 };
enum { WORD = 12, OLD = 10, NEW = 100 };

#define GPR_AT(n)  (TB_GPRS + 4 * (n))
#define CONFIG(at) (TB_CONFIG + 4 * (at))

/* GPR 5 and a word of Config have the old value, and tracking is as it should be. */
static void begin(struct tensix_box *tb, unsigned tracked) {
    tb->x->gpr[0][5] = OLD;
    tb->x->config.bank[0][WORD] = OLD;
    tb_push(tb, 0, TRACKING(tracked ? tracked | INSTRUCTIONS : 0));
    tb_finish(tb, 0);
}

static uint32_t result(struct tensix_box *tb, unsigned reg) {
    return core_of(tb, BH_TRISC0)->x[reg];
}

/* ---- A store after a push -------------------------------------------------------------------------------- */

static void store_gpr(struct tensix_box *tb, unsigned tracked, uint32_t consumer) {
    begin(tb, tracked);
    TB_PUSH_ALL(tb, 0, HELD(0), consumer);
    tb_store(tb, BH_TRISC0, GPR_AT(5), NEW);
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, HELD_FOR);
}

static void store_gpr_off(struct tensix_box *tb) {
    store_gpr(tb, OFF, TT(ADDDMAREG, 1, 6, 1, 5));
}
static void store_gpr_on(struct tensix_box *tb) {
    store_gpr(tb, GPR, TT(ADDDMAREG, 1, 6, 1, 5));
}
static void store_gpr_other(struct tensix_box *tb) { /* an instruction that has nothing to do with GPRs */
    store_gpr(tb, GPR, TT(SETC16, 3, 1));
}

static void store_after_push_gpr(void **state) {
    struct tensix_box *tb = scene_play(store_gpr_off);
    (void)state;
    assert_ended(tb);
    assert_int_equal(tb->x->gpr[0][6], NEW + 1);
    assert_true(result(tb, 10) < HELD_FOR);
    tb_destroy(tb);
    tb = scene_play(store_gpr_on);
    assert_ended(tb);
    assert_int_equal(tb->x->gpr[0][6], OLD + 1);
    assert_int_equal(tb->x->gpr[0][5], NEW);
    assert_int_equal(result(tb, 10), tb->at[0][2] + 2); /* in the cycle after the pass */
    tb_destroy(tb);
    tb = scene_play(store_gpr_other);
    assert_ended(tb);
    assert_true(result(tb, 10) < HELD_FOR);
    tb_destroy(tb);
}

static void store_config(struct tensix_box *tb, unsigned tracked) {
    begin(tb, tracked);
    TB_PUSH_ALL(tb, 0, HELD(0), TT(RDCFG, 6, WORD));
    tb_store(tb, BH_TRISC0, CONFIG(WORD), NEW);
    tb_post_later(tb, 2, 0, HELD_FOR);
}
static void store_config_off(struct tensix_box *tb) {
    store_config(tb, OFF);
}
static void store_config_on(struct tensix_box *tb) {
    store_config(tb, CFG);
}

static void store_after_push_config(void **state) {
    (void)state;
    for (unsigned on = 0; on < 2; on++) {
        struct tensix_box *tb = scene_play(on ? store_config_on : store_config_off);
        assert_ended(tb);
        assert_int_equal(tb->x->gpr[0][6], on ? OLD : NEW);
        assert_int_equal(tb->x->config.bank[0][WORD], NEW);
        tb_destroy(tb);
    }
}

/* ---- A load after a push ---------------------------------------------------------------------------------- */

static void load_both(struct tensix_box *tb, unsigned tracked) {
    begin(tb, tracked);
    TB_PUSH_ALL(tb, 0, HELD(0), TT(SETDMAREG, 0, NEW, 0, 10), TT(WRCFG, 5, 0, WORD));
    tb_rv(tb, BH_TRISC0, FENCE);
    tb_load(tb, BH_TRISC0, 11, GPR_AT(5));
    tb_load(tb, BH_TRISC0, 12, CONFIG(WORD));
    tb_post_later(tb, 2, 0, HELD_FOR);
}
static void load_off(struct tensix_box *tb) {
    load_both(tb, OFF);
}
static void load_gpr_on(struct tensix_box *tb) {
    load_both(tb, GPR);
}
static void load_config_on(struct tensix_box *tb) {
    load_both(tb, CFG);
}

static void load_after_push(void **state) {
    struct tensix_box *tb = scene_play(load_off);
    (void)state;
    assert_ended(tb);
    assert_int_equal(result(tb, 11), OLD);
    assert_int_equal(result(tb, 12), OLD);
    tb_destroy(tb);
    tb = scene_play(load_gpr_on);
    assert_ended(tb);
    assert_int_equal(result(tb, 11), NEW);
    tb_destroy(tb);
    tb = scene_play(load_config_on);
    assert_ended(tb);
    assert_int_equal(result(tb, 11), OLD);
    assert_int_equal(result(tb, 12), NEW);
    tb_destroy(tb);
}

/* A load does not wait for those that only read. */
static void load_behind_a_reader_scene(struct tensix_box *tb) {
    begin(tb, CFG);
    TB_PUSH_ALL(tb, 0, HELD(0), TT(RDCFG, 6, WORD));
    tb_load(tb, BH_TRISC0, 12, CONFIG(WORD));
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, HELD_FOR);
}

static void load_behind_a_reader(void **state) {
    struct tensix_box *tb = scene_play(load_behind_a_reader_scene);
    (void)state;
    assert_ended(tb);
    assert_true(result(tb, 10) < HELD_FOR);
    tb_destroy(tb);
}

/* ---- A push after a store or a load ------------------------------------------------------------------------- */

/* T1 has a WRCFG in every cycle, so that the store waits in the queue; T0's own WRCFG gets its turn. */
static void push_after_store(struct tensix_box *tb, unsigned tracked) {
    begin(tb, tracked);
    tb_nops(tb, BH_TRISC0, 40);
    tb_store(tb, BH_TRISC0, CONFIG(WORD), NEW);
    tb_push(tb, 0, TT(WRCFG, 5, 0, WORD));
    for (unsigned i = 0; i < 200; i++)
        tb_push(tb, 1, TT(WRCFG, 8, 0, 30));
}
static void push_after_store_off(struct tensix_box *tb) {
    push_after_store(tb, OFF);
}
static void push_after_store_on(struct tensix_box *tb) {
    push_after_store(tb, CFG);
}

static void push_after_store_config(void **state) {
    (void)state;
    for (unsigned on = 0; on < 2; on++) {
        struct tensix_box *tb = scene_play(on ? push_after_store_on : push_after_store_off);
        assert_ended(tb);
        assert_int_equal(tb->x->config.bank[0][WORD], on ? OLD : NEW); /* GPR 5 is OLD */
        tb_destroy(tb);
    }
}

/* A load has its value before the core can push: right in any case. */
static void push_after_load_scene(struct tensix_box *tb) {
    begin(tb, CFG | GPR);
    tb_nops(tb, BH_TRISC0, 40);
    tb_load(tb, BH_TRISC0, 11, CONFIG(WORD));
    tb_push(tb, 0, TT(RMWCIB0, 0xFF, NEW, WORD));
    tb_finish(tb, 0);
    tb_load(tb, BH_TRISC0, 12, GPR_AT(5));
    tb_push(tb, 0, TT(SETDMAREG, 0, NEW, 0, 10));
    for (unsigned i = 0; i < 200; i++)
        tb_push(tb, 1, TT(WRCFG, 8, 0, 30));
}

static void push_after_load(void **state) {
    struct tensix_box *tb = scene_play(push_after_load_scene);
    (void)state;
    assert_ended(tb);
    assert_int_equal(result(tb, 11), OLD);
    assert_int_equal(result(tb, 12), OLD);
    assert_int_equal(tb->x->config.bank[0][WORD], NEW);
    assert_int_equal(tb->x->gpr[0][5], NEW);
    tb_destroy(tb);
}

/* ---- Expansions, declarations --------------------------------------------------------------------------------- */

/* The core waits for all of a MOP or a REPLAY, whatever its words are. */
static void behind_an_expansion(struct tensix_box *tb, uint32_t parent) {
    uint32_t nop = TT(NOP, 0), word = TT(SETC16, 3, 1);
    const uint32_t mop[9] = { 1, 12, nop, nop, nop, word, nop, word, nop };
    for (unsigned i = 0; i < 9; i++)
        tb_store(tb, BH_TRISC0, TB_MOP + 4 * i, mop[i]);
    tb_push(tb, 0, TT(REPLAY, 0, 12, 0, 1));
    for (unsigned i = 0; i < 12; i++)
        tb_push(tb, 0, word);
    begin(tb, GPR);
    TB_PUSH_ALL(tb, 0, HELD(0), parent);
    tb_store(tb, BH_TRISC0, GPR_AT(5), NEW);
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, HELD_FOR);
}
static void behind_a_mop(struct tensix_box *tb) {
    behind_an_expansion(tb, TT(MOP, 1, 0, 0));
}
static void behind_a_replay(struct tensix_box *tb) {
    behind_an_expansion(tb, TT(REPLAY, 0, 12, 0, 0));
}

static void expansions(void **state) {
    (void)state;
    for (unsigned replay = 0; replay < 2; replay++) {
        struct tensix_box *tb = scene_play(replay ? behind_a_replay : behind_a_mop);
        assert_ended(tb);
        assert_int_equal(tb->passes[0], 1 + 1 + 12); /* the SETC16 of begin, the wait, the expansion */
        assert_int_equal(result(tb, 10), tb->at[0][13] + 2);
        tb_destroy(tb);
    }
}

/* Recorded words are gone without having passed: nothing waits for them for ever. */
static void behind_a_recording_scene(struct tensix_box *tb) {
    begin(tb, GPR | CFG);
    TB_PUSH_ALL(tb, 0, TT(REPLAY, 0, 2, 0, 1), TT(SETDMAREG, 0, NEW, 0, 10), TT(SETDMAREG, 0, NEW, 0, 10));
    tb_load(tb, BH_TRISC0, 11, GPR_AT(5));
    tb_cycle(tb, BH_TRISC0, 10);
    TB_PUSH_ALL(tb, 0, TT(REPLAY, 4, 2, 0, 1), TT(WRCFG, 5, 0, WORD), TT(WRCFG, 5, 0, WORD));
    tb_store(tb, BH_TRISC0, CONFIG(WORD), NEW);
}

static void behind_a_recording(void **state) {
    struct tensix_box *tb = scene_play(behind_a_recording_scene);
    (void)state;
    assert_ended(tb);
    assert_int_equal(result(tb, 11), OLD);
    assert_int_equal(tb->x->config.bank[0][WORD], NEW);
    tb_destroy(tb);
}

/* A declaration takes the GPRs away from class 0, and soft reset bit 23 gives them back. */
static void declared(struct tensix_box *tb, bool reset) {
    begin(tb, GPR);
    tb_push(tb, 0, TT(RESOURCEDECL, 0, 0, 0));
    tb_finish(tb, 0);
    if (reset) {
        tb_store(tb, BH_TRISC0, 0xFFB121B0, 1u << 23 | tile_reset_bits(1u << BH_NCRISC));
        tb_store(tb, BH_TRISC0, 0xFFB121B0, tile_reset_bits(1u << BH_NCRISC));
    }
    TB_PUSH_ALL(tb, 0, HELD(0), TT(ADDDMAREG, 1, 6, 1, 5));
    tb_store(tb, BH_TRISC0, GPR_AT(5), NEW);
    tb_post_later(tb, 2, 0, HELD_FOR);
    tb_post_later(tb, 1, 7, 1);
    tb_nops(tb, BH_BRISC, 2);
}
static void declared_away(struct tensix_box *tb) {
    declared(tb, false);
}
static void declared_and_reset(struct tensix_box *tb) {
    declared(tb, true);
}

static void declarations(void **state) {
    (void)state;
    for (unsigned reset = 0; reset < 2; reset++) {
        struct tensix_box *tb = scene_play(reset ? declared_and_reset : declared_away);
        assert_ended(tb);
        assert_int_equal(tb->x->gpr[0][6], (reset ? OLD : NEW) + 1);
        tb_destroy(tb);
    }
}

/* BRISC is not kept in order, not even with T0's tracking. */
static void brisc_scene(struct tensix_box *tb) {
    begin(tb, GPR);
    TB_PUSH_ALL(tb, 0, HELD(0), TT(ADDDMAREG, 1, 6, 1, 5));
    tb_nops(tb, BH_BRISC, 100);
    tb_store(tb, BH_BRISC, GPR_AT(5), NEW);
    tb_cycle(tb, BH_BRISC, 10);
    tb_post_later(tb, 2, 0, HELD_FOR);
}

static void not_for_brisc(void **state) {
    struct tensix_box *tb = scene_play(brisc_scene);
    (void)state;
    assert_ended(tb);
    assert_int_equal(tb->x->gpr[0][6], NEW + 1);
    assert_true(core_of(tb, BH_BRISC)->x[10] < HELD_FOR);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_after_push_gpr),
        cmocka_unit_test(store_after_push_config),
        cmocka_unit_test(load_after_push),
        cmocka_unit_test(load_behind_a_reader),
        cmocka_unit_test(push_after_store_config),
        cmocka_unit_test(push_after_load),
        cmocka_unit_test(expansions),
        cmocka_unit_test(behind_a_recording),
        cmocka_unit_test(declarations),
        cmocka_unit_test(not_for_brisc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
