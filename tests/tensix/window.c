/* The cores' side of the coprocessor, src/tensix/window.c, through the whole machine. Pages:
 * PushTensixInstruction.md, ManualTTSync.md, MOPExpander.md. More of it is in window_status.c and window_ttsync.c. */
#include "support/tensix_scene.h"

#define CONTROL      0xFFB12000u
#define CREG_READ    (CONTROL + 0x58)
#define CREG_RDDATA  (CONTROL + 0x78)
#define BUF_CTRL0    (CONTROL + 0xA0)
#define BUF_CTRL1    (CONTROL + 0xA4)
#define SEMAPHORE(i) (TB_PC_BUF + 0x20 + 4 * (i))

/* ---- Push ------------------------------------------------------------------------------------------ */

/* One by one: 29 are in flight, the next one goes in the cycle after the first of them has passed. */
static void stores_behind_a_held_gate(struct tensix_box *tb) {
    tb_push_store(tb, BH_TRISC0, 0, HELD(0));
    for (unsigned i = 0; i < 30; i++)
        tb_push_store(tb, BH_TRISC0, 0, TT(SETC16, 3, i));
    tb_cycle(tb, BH_TRISC0, 10);
    tb_push_store(tb, BH_TRISC0, 0, TT(SETC16, 4, 1));
    tb_post_later(tb, 2, 0, 500);
}

static void push_one_by_one(void **state) {
    struct tensix_box *tb = scene_play(stores_behind_a_held_gate);
    (void)state;
    assert_ended(tb);
    assert_int_equal(tb->passes[0], 32);
    assert_true(tb->at[0][1] > 500);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], tb->at[0][1] + 2);
    assert_int_equal(tb->x->config.thread[0][3], 29);
    assert_int_equal(tb->x->config.thread[0][4], 1);
    tb_destroy(tb);
}

/* In fours: 28 and four make 32; the next four go in when four have passed. */
static void groups_behind_a_held_gate(struct tensix_box *tb) {
    tb_push_store(tb, BH_TRISC1, 1, HELD(0));
    tb_nops(tb, BH_TRISC1, 20);
    for (unsigned i = 0; i < 36; i++)
        tb_push(tb, 1, TT(SETC16, 3, i));
    tb_cycle(tb, BH_TRISC1, 10);
    tb_post_later(tb, 2, 0, 500);
}

static void push_in_fours(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    groups_behind_a_held_gate(tb);
    tb_start(tb);
    tb_step(tb, 400);
    assert_int_equal(tb->x->thread[1].frontend.in_flight, 32);
    tb_destroy(tb);
    tb = scene_play(groups_behind_a_held_gate);
    assert_ended(tb);
    assert_int_equal(tb->passes[1], 37);
    assert_int_equal(core_of(tb, BH_TRISC1)->x[10], tb->at[1][4] + 2);
    for (unsigned i = 2; i < 37; i++) /* no word comes late */
        assert_int_equal(tb->at[1][i], tb->at[1][1] + i - 1);
    tb_destroy(tb);
}

/* Words pass one a cycle, and in each one BRISC, which comes first, has had the cycle run: what passes in it makes room
 * for a push in the next one only. The same for words that an expander consumes. */
static void room_is_for_the_next_cycle(void **state) {
    (void)state;
    for (unsigned consumed = 0; consumed < 2; consumed++)
        for (unsigned row = 0; row < 2; row++) {
            struct tensix_box *tb = tb_create();
            struct frontend *f = &tb->x->thread[0].frontend;
            uint32_t words[FRONTEND_FIRST];
            for (unsigned i = 0; i < FRONTEND_FIRST; i++)
                words[i] = consumed ? TT(MOP_CFG, i) : TT(NOP, 0);
            for (unsigned i = 0; i < FRONTEND_FIRST; i += FRONTEND_GROUP)
                scene_push(tb, BH_TRISC0, 0, words + i, FRONTEND_GROUP, 10);
            uint64_t now = 10;
            while (f->in_flight > FRONTEND_ACCEPTS) {
                tensix_run(tb->x, ++now + 1);
                frontend_advance(f, now + 1);
            }
            const uint32_t pair[] = { TT(SETC16, 3, 1), 0 };
            assert_int_equal(f->in_flight, FRONTEND_ACCEPTS);
            unsigned shape = push_shape(1, row ? 2 : 1, row ? FRONTEND_GROUP : 1, true);
            struct tensix_push push = { .words = pair, .shape = shape, .time = now, .in_turn = true };
            assert_int_equal(tensix_put(tb->x, 0, pair, shape, 0, now, now + 1), 0);
            assert_int_equal(tensix_push(tb->x, BH_TRISC0, 0, &push).result, ACCESS_WAIT);
            assert_int_equal(tb->x->alarm, now + 1);
            assert_int_equal(tensix_put(tb->x, 0, pair, shape, 0, now + 1, now + 2), 1);
            tb_destroy(tb);
        }
}

/* MOP_CFG makes room without passing the gate, one a cycle. */
static void words_that_are_consumed(struct tensix_box *tb) {
    for (unsigned i = 0; i < 64; i++)
        tb_push(tb, 0, TT(MOP_CFG, i));
    tb_cycle(tb, BH_TRISC0, 10);
    tb_push(tb, 0, TT(SETC16, 4, 1));
}

/* Likewise while the gate holds. */
static void consumed_behind_a_held_gate(struct tensix_box *tb) {
    TB_PUSH_ALL(tb, 0, HELD(0), TT(NOP, 0), TT(NOP, 0), TT(NOP, 0));
    words_that_are_consumed(tb);
    tb_post_later(tb, 2, 0, 500);
}

static void consumed_words_make_room(void **state) {
    struct tensix_box *tb = scene_play(words_that_are_consumed);
    (void)state;
    assert_ended(tb);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], 60 - 28 + 2); /* 28 are left when the last four go in */
    tb_destroy(tb);
    tb = scene_play(consumed_behind_a_held_gate);
    assert_ended(tb);
    assert_int_equal(tb->passes[0], 5);
    assert_in_range(core_of(tb, BH_TRISC0)->x[10], 40, 50);
    tb_destroy(tb);
}

/* BRISC's words wait in the FIFO of eight, and two behind it. */
static void brisc_behind_a_held_gate(struct tensix_box *tb) {
    tb_push_store(tb, BH_BRISC, 1, HELD(0));
    for (unsigned i = 0; i < 11; i++)
        tb_push_store(tb, BH_BRISC, 1, TT(SETC16, 3, i));
    tb_cycle(tb, BH_BRISC, 10);
    tb_post_later(tb, 2, 0, 400);
}

static void brisc_fifo_of_eight(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    brisc_behind_a_held_gate(tb);
    tb_start(tb);
    tb_step(tb, 300);
    assert_int_equal(core_of(tb, BH_BRISC)->state, BH_CORE_BLOCKED);
    assert_non_null(strstr(wait_text(core_of(tb, BH_BRISC)->waits_on), "FIFO before the Replay expander"));
    assert_int_equal(tb->x->thread[1].frontend.middle_count + tb->x->thread[1].frontend.last_count, 10);
    assert_int_equal(tb->x->thread[1].frontend.in_flight, 0);
    tb_destroy(tb);
    tb = scene_play(brisc_behind_a_held_gate);
    assert_ended(tb);
    assert_int_equal(tb->passes[1], 12);
    assert_int_equal(core_of(tb, BH_BRISC)->x[10], tb->at[1][1] + 2);
    tb_destroy(tb);
}

/* Recorded words make room in that FIFO without passing the gate. */
static void brisc_behind_a_recording(struct tensix_box *tb) {
    tb_push(tb, 1, HELD(0));
    tb_push(tb, 1, HELD(1)); /* passes when 0 is posted, and holds all that follows */
    tb_push(tb, 1, TT(NOP, 0));
    tb_push(tb, 1, TT(NOP, 0));
    tb_push(tb, 1, TT(REPLAY, 0, 12, 0, 1));
    for (unsigned i = 0; i < 12; i++)
        tb_push(tb, 1, TT(SETC16, 3, i));
    tb_nops(tb, BH_BRISC, 100);
    tb_push_store(tb, BH_BRISC, 1, TT(SETC16, 4, 1));
    tb_cycle(tb, BH_BRISC, 10);
    tb_post_later(tb, 2, 0, 400);
    tb_post_later(tb, 2, 1, 300);
}

static void recorded_words_make_room(void **state) {
    struct tensix_box *tb = scene_play(brisc_behind_a_recording);
    (void)state;
    assert_ended(tb);
    assert_in_range(core_of(tb, BH_BRISC)->x[10], tb->at[1][1], tb->at[1][1] + 12);
    tb_destroy(tb);
}

static void brisc_pushes_no_mop(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_push_store(tb, BH_BRISC, 2, TT(MOP, 1, 0, 0));
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(tb->box->fault.thread, 2);
    assert_int_equal(tb->box->fault.core, -1);
    assert_non_null(strstr(tb->box->fault.text, "behind the MOP expander"));
    tb_destroy(tb);
}

/* The TRISC's word is lost in that one cycle only. */
static void collision(void **state) {
    (void)state;
    for (uint64_t time = 9; time <= 11; time++) {
        struct tensix_box *tb = tb_create();
        const uint32_t mine = TT(SETC16, 3, 1), theirs = TT(SETC16, 4, 1);
        scene_push(tb, BH_TRISC1, 1, &theirs, 1, 10);
        scene_push(tb, BH_BRISC, 1, &mine, 1, time);
        tensix_run(tb->x, 100);
        assert_int_equal(tb->x->config.thread[1][3], 1);
        assert_int_equal(tb->x->config.thread[1][4], time != 10);
        assert_int_equal(tb->x->thread[1].frontend.lost, time == 10);
        assert_int_equal(tb->x->thread[1].frontend.in_flight, 0);
        tb_destroy(tb);
    }
}

/* A core's store before a push is visible when the instruction executes. */
static void stores_then_pushes(struct tensix_box *tb) {
    tb_store(tb, BH_TRISC0, TB_GPRS + 4 * 5, 1000);
    tb_push(tb, 0, TT(ADDDMAREG, 1, 6, 7, 5));
    tb_store(tb, BH_TRISC0, TB_CONFIG + 4 * 12, 2000);
    tb_push(tb, 0, TT(RDCFG, 8, 12));
    tb_store(tb, BH_TRISC0, SEMAPHORE(3), 0);
    TB_PUSH_ALL(tb, 0, HELD(3), TT(SEMGET, 1 << 3), TT(SETC16, 3, 1));
}

static void program_order(void **state) {
    struct tensix_box *tb = scene_play(stores_then_pushes);
    (void)state;
    assert_ended(tb);
    assert_int_equal(tb->x->gpr[0][6], 1007);
    assert_int_equal(tb->x->gpr[0][8], 2000);
    assert_int_equal(tb->x->sync.semaphore[3].value, 0);
    assert_int_equal(tb->x->config.thread[0][3], 1);
    tb_destroy(tb);
}

static void hanging_store(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_store(tb, BH_TRISC2, 0xFFE50000, TT(NOP, 0));
    tb_post_later(tb, 0, 0, 200); /* events do not let it go */
    tb_start(tb);
    tb_step(tb, 600);
    assert_int_equal(core_of(tb, BH_TRISC2)->state, BH_CORE_BLOCKED);
    assert_non_null(strstr(wait_text(core_of(tb, BH_TRISC2)->waits_on), "hangs the core"));
    tb_destroy(tb);
}

/* ---- Debug registers ---------------------------------------------------------------------------------- */

/* The debug bus pushes on a rising edge, if it has the FIFO, before any core runs. */
static void debug_bus(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    box_poke32(tb->box, BUF_CTRL1, TT(SEMPOST, 1));
    box_poke32(tb->box, BUF_CTRL0, 0x20); /* not its FIFO */
    box_poke32(tb->box, BUF_CTRL0, 0x02);
    tb_step(tb, 20);
    assert_int_equal(tb->x->sync.semaphore[0].value, 0);
    box_poke32(tb->box, BUF_CTRL0, 0x22);
    tb_step(tb, 40);
    assert_int_equal(tb->x->sync.semaphore[0].value, 1);
    box_poke32(tb->box, BUF_CTRL0, 0x22);
    box_poke32(tb->box, BUF_CTRL0, 0x02);
    tb_step(tb, 60);
    assert_int_equal(tb->x->sync.semaphore[0].value, 1);
    box_poke32(tb->box, BUF_CTRL0, 0x22);
    tb_step(tb, 80);
    assert_int_equal(tb->x->sync.semaphore[0].value, 2);
    assert_int_equal(tb->passes[1], 2);
    tb_destroy(tb);
}

/* Meanwhile the cores' words are lost, but only for that thread. */
static void debug_bus_takes_the_fifo(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    box_poke32(tb->box, BUF_CTRL0, 0x02);
    tb_push(tb, 1, TT(SETC16, 3, 1));
    tb_push(tb, 0, TT(SETC16, 3, 1));
    tb_push_store(tb, BH_BRISC, 1, TT(SETC16, 4, 1));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.thread[0][3], 1);
    assert_int_equal(tb->x->config.thread[1][3] | tb->x->config.thread[1][4], 0);
    tb_destroy(tb);
}

/* NC, which has no window on Config, sees through TENSIX_CREG_RDDATA what an instruction wrote. */
static void creg_read_scene(struct tensix_box *tb) {
    tb_streams[0][OVERLAY_CURR_PHASE] = 0x1234;
    TB_PUSH_ALL(tb, 0, TT(SETC16, 3, 0x77), TT(STREAMWRCFG, 0, OVERLAY_CURR_PHASE, 12));
    tb_nops(tb, BH_NCRISC, 60);
    tb_store(tb, BH_NCRISC, CREG_READ, 12);
    tb_load(tb, BH_NCRISC, 10, CREG_RDDATA);
    tb_store(tb, BH_NCRISC, CREG_READ, CONFIG_AT_THREAD / 4 + 3);
    tb_load(tb, BH_NCRISC, 11, CREG_RDDATA);
    tb_store(tb, BH_NCRISC, CREG_READ, 0x400 + 12); /* behind ThreadConfig: nothing */
    tb_load(tb, BH_NCRISC, 12, CREG_RDDATA);
    tb_store(tb, BH_NCRISC, CREG_READ, 0x800 + 12); /* eleven bits count */
    tb_load(tb, BH_NCRISC, 13, CREG_RDDATA);
}

static void creg_read(void **state) {
    struct tensix_box *tb = scene_play(creg_read_scene);
    (void)state;
    assert_ended(tb);
    assert_int_equal(core_of(tb, BH_NCRISC)->x[10], 0x1234);
    assert_int_equal(core_of(tb, BH_NCRISC)->x[11], 0x77);
    assert_int_equal(core_of(tb, BH_NCRISC)->x[12], 0);
    assert_int_equal(core_of(tb, BH_NCRISC)->x[13], 0x1234);
    tb_destroy(tb);
}

/* ---- GPRs ------------------------------------------------------------------------------------------------ */

static void gpr_windows_scene(struct tensix_box *tb) {
    for (unsigned i = 0; i < 3; i++) {
        tb_store(tb, tb_core(i), TB_GPRS + 0x100 * i + 4 * 9, 0x80818283 + i);
        tb_load(tb, tb_core(i), 10, TB_GPRS + 0xF00 + 4 * 9);
    }
    tb_nops(tb, BH_BRISC, 40);
    for (unsigned i = 0; i < 3; i++)
        tb_load(tb, BH_BRISC, 10 + i, TB_GPRS + 0x100 * i + 4 * 9);
    tb_store(tb, BH_BRISC, TB_GPRS + 0x2FC, 63);
    tb_li(tb, BH_BRISC, TB_T0, TB_GPRS + 4 * 9);
    tb_rv(tb, BH_BRISC, asm_i(RV_LB, 13, TB_T0, 3));
    tb_rv(tb, BH_BRISC, asm_i(RV_LBU, 14, TB_T0, 1));
    tb_rv(tb, BH_BRISC, asm_i(RV_LH, 15, TB_T0, 2));
    tb_rv(tb, BH_BRISC, asm_i(RV_LHU, 16, TB_T0, 0));
}

static void gpr_windows(void **state) {
    struct tensix_box *tb = scene_play(gpr_windows_scene);
    const uint32_t *brisc = core_of(tb, BH_BRISC)->x;
    (void)state;
    assert_ended(tb);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(tb->x->gpr[i][9], 0x80818283 + i);
        assert_int_equal(core_of(tb, tb_core(i))->x[10], 0x80818283 + i);
        assert_int_equal(brisc[10 + i], 0x80818283 + i);
    }
    assert_int_equal(tb->x->gpr[2][63], 63);
    assert_int_equal(brisc[13], 0xFFFFFF80);
    assert_int_equal(brisc[14], 0x82);
    assert_int_equal(brisc[15], 0xFFFF8081);
    assert_int_equal(brisc[16], 0x8283);
    tb_destroy(tb);
}

static void assert_faults(enum bh_core core, uint32_t address, bool loads, enum bh_fault_kind kind) {
    struct tensix_box *tb = tb_create();
    if (loads)
        tb_load(tb, core, 10, address);
    else
        tb_store(tb, core, address, 1);
    tb_start(tb);
    tb_step(tb, 50);
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.core, core);
    assert_int_equal(tb->box->fault.kind, kind);
    assert_int_equal(tb->box->fault.address, address);
    tb_destroy(tb);
}

static void no_such_register(void **state) {
    (void)state;
    for (unsigned loads = 0; loads < 2; loads++) {
        assert_faults(BH_BRISC, TB_GPRS + 0x300, loads, BH_FAULT_UNMAPPED);
        assert_faults(BH_NCRISC, TB_GPRS, loads, BH_FAULT_UNMAPPED);
        assert_faults(BH_TRISC0, SEMAPHORE(8), loads, BH_FAULT_UNMAPPED);
        assert_faults(BH_BRISC, TB_MOP, loads, BH_FAULT_UNMAPPED);
    }
    assert_faults(BH_TRISC0, TB_PC_BUF + 12, true, BH_FAULT_UNMAPPED);
    assert_faults(BH_TRISC1, TB_MOP + 4, true, BH_FAULT_UNDEFINED); /* write-only */
    assert_faults(BH_TRISC0, TB_PUSH + 4, false, BH_FAULT_UNDEFINED);
}

/* ---- MOP ------------------------------------------------------------------------------------------------------ */

static void set_loop(struct tensix_box *tb, unsigned thread, uint32_t inner, uint32_t loop, uint32_t last) {
    uint32_t nop = TT(NOP, 0);
    const uint32_t words[9] = { 1, inner, nop, nop, nop, loop, nop, last, nop };
    for (unsigned i = 0; i < 9; i++)
        tb_store(tb, tb_core(thread), TB_MOP + 4 * i, words[i]);
}

/* The configuration counts when a word comes out, and ten words of an expansion fit behind the expander. */
static void mop_changed_on_the_way(struct tensix_box *tb) {
    set_loop(tb, 0, 15, TT(SEMPOST, 1 << 1), TT(SEMPOST, 1 << 3));
    TB_PUSH_ALL(tb, 0, HELD(0), TT(MOP, 1, 0, 0));
    tb_nops(tb, BH_TRISC0, 60);
    tb_store(tb, BH_TRISC0, TB_MOP + 4 * 5, TT(SEMPOST, 1 << 2));
    tb_post_later(tb, 2, 0, 400);
}

static void mop_is_sampled_as_it_goes(void **state) {
    struct tensix_box *tb = scene_play(mop_changed_on_the_way);
    (void)state;
    assert_ended(tb);
    assert_int_equal(tb->x->sync.semaphore[1].value, 10);
    assert_int_equal(tb->x->sync.semaphore[2].value, 4);
    assert_int_equal(tb->x->sync.semaphore[3].value, 1);
    tb_destroy(tb);
}

/* While a recording takes the words, nothing comes to the gate; the expansion takes its time all the same. */
static void mop_into_a_recording(struct tensix_box *tb) {
    set_loop(tb, 0, 31, TT(SEMPOST, 1 << 1), TT(SEMPOST, 1 << 3));
    TB_PUSH_ALL(tb, 0, TT(REPLAY, 0, 31, 0, 1), TT(MOP, 1, 0, 0));
    tb_li(tb, BH_TRISC0, 6, TB_MOP + 4 * 5);
    tb_li(tb, BH_TRISC0, 7, TT(SEMPOST, 1 << 2));
    tb_li(tb, BH_TRISC0, 5, SEMAPHORE(0));
    tb_rv(tb, BH_TRISC0, asm_i(RV_LW, 8, 5, 0));
    tb_rv(tb, BH_TRISC0, asm_b(RV_BEQ, 8, 0, -4));
    tb_rv(tb, BH_TRISC0, asm_s(RV_SW, 7, 0, 6));
    tb_nops(tb, BH_TRISC0, 60);
    tb_push(tb, 0, TT(REPLAY, 0, 31, 0, 0));
    tb_post_later(tb, 2, 0, 58);
}

static void mop_sampled_while_recording(void **state) {
    struct tensix_box *tb = scene_play(mop_into_a_recording);
    (void)state;
    assert_ended(tb);
    assert_in_range(tb->x->sync.semaphore[2].value, 2, 14); /* changed in the middle */
    assert_int_equal(tb->x->sync.semaphore[3].value, 1);
    tb_destroy(tb);
}

/* MOPExpanderDoneCheck: ten of 20 words fit, the others need room; the last one leaves two cycles after the tenth has
 * passed, and the core sees that in the next. */
static void mop_done_behind_a_held_gate(struct tensix_box *tb) {
    set_loop(tb, 0, 20, TT(SETC16, 3, 1), TT(SETC16, 3, 2));
    TB_PUSH_ALL(tb, 0, HELD(0), TT(MOP, 1, 0, 0), TT(SETC16, 4, 1));
    tb_load(tb, BH_TRISC0, TB_T2, TB_PC_BUF + 8);
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, 400);
}

static void mop_done_check(void **state) {
    struct tensix_box *tb = scene_play(mop_done_behind_a_held_gate);
    uint32_t done = core_of(tb, BH_TRISC0)->x[10];
    (void)state;
    assert_ended(tb);
    assert_int_equal(done, tb->at[0][10] + 3 + 7); /* the load takes seven cycles */
    tb_destroy(tb);
}

/* The last word comes out although nothing passes the gate any more. */
static void mop_done_without_a_pass(struct tensix_box *tb) {
    set_loop(tb, 0, 10, TT(SETC16, 3, 1), TT(SETC16, 3, 2));
    TB_PUSH_ALL(tb, 0, HELD(0), HELD(1), TT(MOP, 1, 0, 0));
    tb_load(tb, BH_TRISC0, TB_T2, TB_PC_BUF + 8);
    tb_cycle(tb, BH_TRISC0, 10);
    tb_post_later(tb, 2, 0, 400);
    tb_post_later(tb, 2, 1, 300);
}

static void mop_done_check_while_held(void **state) {
    struct tensix_box *tb = scene_play(mop_done_without_a_pass);
    (void)state;
    assert_ended(tb);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], tb->at[0][1] + 3 + 7);
    tb_destroy(tb);
}

/* Rows of plain words come to an idle thread: they pass one a cycle from the third cycle after the first push on,
 * however many of them are pushed together. */
static unsigned row_length;

static void row_to_an_idle_thread(struct tensix_box *tb) {
    for (unsigned i = 0; i < row_length; i++)
        tb_push(tb, 0, TT(SETDMAREG, 0, i, 0, i % 64));
}

static void test_rows_to_an_idle_thread(void **state) {
    (void)state;
    for (row_length = 1; row_length <= 64; row_length++) {
        struct tensix_box *tb = scene_play(row_to_an_idle_thread);
        assert_ended(tb);
        for (unsigned i = 0; i < row_length; i++)
            assert_int_equal(tb->at[0][i], 3 + i);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_to_an_idle_thread),
        cmocka_unit_test(push_one_by_one),
        cmocka_unit_test(push_in_fours),
        cmocka_unit_test(room_is_for_the_next_cycle),
        cmocka_unit_test(consumed_words_make_room),
        cmocka_unit_test(brisc_fifo_of_eight),
        cmocka_unit_test(recorded_words_make_room),
        cmocka_unit_test(brisc_pushes_no_mop),
        cmocka_unit_test(collision),
        cmocka_unit_test(program_order),
        cmocka_unit_test(hanging_store),
        cmocka_unit_test(debug_bus),
        cmocka_unit_test(debug_bus_takes_the_fifo),
        cmocka_unit_test(creg_read),
        cmocka_unit_test(gpr_windows),
        cmocka_unit_test(no_such_register),
        cmocka_unit_test(mop_is_sampled_as_it_goes),
        cmocka_unit_test(mop_sampled_while_recording),
        cmocka_unit_test(mop_done_check),
        cmocka_unit_test(mop_done_check_while_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
