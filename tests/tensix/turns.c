/* Many instructions that pass in one turn of their thread (src/tensix/tensix.c) do it in the cycles, and with what
 * cores see, of instructions that pass one by one: scene_play runs every scene both ways and compares. */
#include "support/tensix_scene.h"

enum { B_CFG = 0x80, C_VECTOR = 0x800, HELD_FOR = 300, OLD = 10, NEW = 100 };
enum { OUTER, INNER, START, END0, END1, LOOP, LOOP1, LAST, LAST_INNER, MOP_REGISTERS };

#define SETC              TT(SETC16, 3, 1)
#define COMPUTE           TT(SFPMAD, .lreg_src_a = 1, .lreg_src_b = 2, .lreg_src_c = 3, .lreg_dest = 4)
#define A_WAIT            TT(STALLWAIT, B_CFG, C_VECTOR)
#define NOTHING           ((uint32_t)TENSIX_NOP << 24)
#define PLAY(first, many) TT(REPLAY, .start_idx = (first), .len = (many))
#define RECORD(at, many)  TT(REPLAY, .start_idx = (at), .len = (many), .load_mode = 1)

/* ---- A wait is looked at before what is behind it changes the answer -------------------------------------- */

/* The Vector Unit is empty in the cycle in which the wait is evaluated, in which the next word enters it: the wait is
 * met, and nothing holds the word behind that. */
static void looked_at_in_time(struct tensix_box *tb) {
    tb_push(tb, 0, HELD(0)); /* so that all of it is there when it begins */
    for (unsigned i = 0; i < 8; i++)
        TB_PUSH_ALL(tb, 0, A_WAIT, COMPUTE, SETC);
    tb_post_later(tb, 2, 0, HELD_FOR);
}

static void waits_are_looked_at_in_time(void **state) {
    struct tensix_box *tb = scene_play(looked_at_in_time);
    (void)state;
    assert_ended(tb);
    for (unsigned i = 0; i < 8; i++) /* HELD has been the first */
        assert_int_equal(tb->at[0][3 * i + 3] - tb->at[0][3 * i + 1], 2);
    tb_destroy(tb);
}

/* A pass wakes cores, however many words are behind */

static void behind_one_word(struct tensix_box *tb) {
    enum { GPR = 1 << 2, INSTRUCTIONS = 1 << 4, BEHIND = 30 };
    tb->x->gpr[0][5] = OLD;
    tb_push(tb, 0, TRACKING(GPR | INSTRUCTIONS));
    tb_finish(tb, 0);
    TB_PUSH_ALL(tb, 0, HELD(0), TT(ADDDMAREG, 1, 6, 1, 5));
    for (unsigned i = 0; i < BEHIND; i++)
        tb_push(tb, 0, SETC);
    tb_store(tb, BH_TRISC0, TB_GPRS + 4 * 5, NEW);
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, HELD_FOR);
}

static void cores_are_told_of_a_pass(void **state) {
    struct tensix_box *tb = scene_play(behind_one_word);
    (void)state;
    assert_ended(tb);
    assert_int_equal(tb->x->gpr[0][6], OLD + 1);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], tb->at[0][2] + 2);
    tb_destroy(tb);
}

/* ---- A turn ends where another thread has its own --------------------------------------------------------- */

enum { EACH = 12 };

static void two_at_one_unit(struct tensix_box *tb) {
    for (unsigned thread = 0; thread < 2; thread++) {
        tb_push(tb, thread, HELD(0));
        for (unsigned i = 0; i < EACH; i++)
            tb_push(tb, thread, COMPUTE);
    }
    tb_post_later(tb, 2, 0, HELD_FOR);
}

static void threads_take_turns(void **state) {
    struct tensix_box *tb = scene_play(two_at_one_unit);
    (void)state;
    assert_ended(tb);
    for (unsigned i = 2; i <= EACH; i++)
        for (unsigned thread = 0; thread < 2; thread++)
            assert_int_equal(tb->at[thread][i], tb->at[thread][i - 1] + 2);
    tb_destroy(tb);
}

/* ---- Expansions ----------------------------------------------------------------------------------------- */

static void configure(struct tensix_box *tb, unsigned thread, const uint32_t words[MOP_REGISTERS]) {
    for (unsigned i = 0; i < MOP_REGISTERS; i++)
        tb_store(tb, tb_core(thread), TB_MOP + 4 * i, words[i]);
}

/* A MOP that is longer than the FIFOs, words before and behind, and one that the core changes under way. */
static void changed_on_the_way(struct tensix_box *tb) {
    const uint32_t waits[MOP_REGISTERS] = {
        [OUTER] = 3,      [INNER] = 6,       [START] = A_WAIT, [END0] = SETC,          [END1] = NOTHING,
        [LOOP] = COMPUTE, [LOOP1] = NOTHING, [LAST] = SETC,    [LAST_INNER] = COMPUTE,
    };
    configure(tb, 0, waits);
    TB_PUSH_ALL(tb, 0, HELD(0), SETC, TT(MOP, 1, 0, 0), SETC, TT(MOP, 1, 0, 0), COMPUTE);
    tb_nops(tb, BH_TRISC0, HELD_FOR - 20);
    for (unsigned i = 0; i < 12; i++) { /* before, while and after it comes to the word */
        tb_store(tb, BH_TRISC0, TB_MOP + 4 * LOOP, i & 1 ? COMPUTE : SETC);
        tb_nops(tb, BH_TRISC0, i);
    }
    tb_load(tb, BH_TRISC0, 11, TB_PC_BUF + 8); /* until no MOP is left */
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, HELD_FOR);
}

/* A REPLAY of words that wait, out of a MOP, while another thread contends for the Vector Unit. */
static void played_beside_another(struct tensix_box *tb) {
    const uint32_t plays[MOP_REGISTERS] = {
        [OUTER] = 2,         [INNER] = 3,       [START] = SETC,      [END0] = NOTHING,       [END1] = NOTHING,
        [LOOP] = PLAY(4, 5), [LOOP1] = NOTHING, [LAST] = PLAY(6, 3), [LAST_INNER] = COMPUTE,
    };
    configure(tb, 0, plays);
    TB_PUSH_ALL(tb, 0, RECORD(4, 5), SETC, COMPUTE, A_WAIT, COMPUTE, SETC, HELD(0));
    for (unsigned i = 0; i < 12; i++)
        TB_PUSH_ALL(tb, 0, TT(MOP, 1, 0, 0), COMPUTE, PLAY(4, 5));
    tb_cycle(tb, BH_TRISC0, 10);
    tb_push(tb, 1, HELD(0));
    for (unsigned i = 0; i < 60; i++)
        tb_push(tb, 1, i % 3 ? COMPUTE : SETC);
    tb_post_later(tb, 2, 0, HELD_FOR);
}

static void expansions_in_one_turn(void **state) {
    (void)state;
    scene_program *const programs[] = { changed_on_the_way, played_beside_another };
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        struct tensix_box *tb = scene_play(programs[i]);
        assert_ended(tb);
        assert_true(tb->passes[0] > 40);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_looked_at_in_time),
        cmocka_unit_test(cores_are_told_of_a_pass),
        cmocka_unit_test(threads_take_turns),
        cmocka_unit_test(expansions_in_one_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
