/* Words that pass one a cycle while their core pushes more of them pass in batches when the tile runs in one go, and
 * one by one when it is stepped: random rows must give the same result, to the cycle in which each push completes. */
#include "support/tensix_scene.h"
#include "tensix/batch.h"
#include "tile/watch.h"

enum {
    SCENES = BH_CHECKS ? 100 : 400,
    BLOCKS = 4,
    ROW_MOST = 40,
    COUNTER = 20,
    WINDOW = 21,
    VALUE = 22,
    VALUES = 6,
    GPRS = 9
};
enum { SCRATCH = 0x12234 / 4, STATUS = 0x120A8 / 4 }; /* of tile control; the second looks at frontends */
enum { TIMES = 10 };                                  /* the first register of a core with a time */
enum { B_THCON = 0x20, B_CONFIG = 0x80 };

static uint64_t seed_of_scene;
static unsigned others; /* threads that get in the way */

/* Mostly what passes one a cycle; then what holds, freezes, lands late, latches a wait, or looks at the tile. */
static uint32_t draw_word(uint64_t *seed) {
    uint32_t n = random_below(seed, 64);
    switch (n) {
    case 40: return TT(ADDDMAREG, 1, 6, 1, 5);
    case 41: return TT(WRCFG, 8, 0, 12);
    case 42: return TT(STALLWAIT, B_THCON, GATE_C_MEMORY);
    case 43: return TT(STOREREG, 4, SCRATCH);
    case 44: return TT(LOADREG, 8, SCRATCH);
    case 45: /* each waits a cycle for the result of the one before */
    case 52:
    case 53:
    case 54:
    case 55: return TT(SFPADD, .lreg_src_b = 1, .lreg_src_c = 2, .lreg_dest = 1);
    case 46: return TT(SFPLOADI, 1, 2, 7);
    case 47: return TT(SEMPOST, 1u << 2);
    case 48: return TT(SEMGET, 1u << 2);
    case 49: return 0x02000000 /* NOP */;
    case 50: return TT(MOP_CFG, 0);
    case 51: return TT(LOADREG, 9, STATUS);
    case 56: return TT(WRCFG, 9, 0, 13);
    case 57: return TT(RMWCIB1, .CfgRegAddr = 13, .Mask = 0xF0, .Data = 0xA0);
    case 58: return TT(STALLWAIT, B_CONFIG, GATE_C_MEMORY);
    case 59: return TT(WRCFG, 8, 1, 12);
    case 60: return TT(RDCFG, 10, 13);
    case 61: return TRACKING(random_below(seed, 2) ? 1u << 4 | 1u << 2 : 0);
    default: break;
    }
    return n < 20 ? TT(ZEROACC, .clear_mode = 1, .where = n) : TT(SETDMAREG, 0, n * 3, 0, 2 * (16 + n % 8));
}

/* What sets up a unit: GPRs, words of both kinds of configuration, and now and then a look at them. */
static uint32_t draw_setting(uint64_t *seed) {
    uint32_t n = random_below(seed, 64), value = random_below(seed, 1 << 14), gpr = 28 + n % 4, word = 12 + value % 4;
    enum { FORMAT = CONFIG_WORD_THCON_SEC0_REG1_Out_data_format, FORMAT_GPR = 27, HEADER = 2 << 3 | 3 };
    switch (n) { /* SETDMAREG with a signal looks at this word of Config at once */
    case 0:
    case 1: return TT(SETDMAREG, 0, (value & 15) << 4, 0, 2 * FORMAT_GPR);
    case 2:
    case 3:
    case 4: return TT(WRCFG, FORMAT_GPR, 0, FORMAT);
    case 5:
    case 6:
    case 7: return TT(SETDMAREG, 0, HEADER, 1, 2 * 20 + value % 8);
    default: break;
    }
    if (n < 24)
        return TT(SETDMAREG, 0, value, 0, 2 * gpr + value % 2);
    if (n < 36)
        return TT(SETC16, 12 + value % 8, value);
    if (n < 52)
        return TT(WRCFG, gpr, n == 51, word);
    switch (n) {
    case 52:
    case 53: return TT(RDCFG, 20 + value % 7, word);
    case 54: return TT(RMWCIB0, .CfgRegAddr = word, .Mask = 0x3C, .Data = value & 0xFF);
    case 55: return TT(RMWCIB1, .CfgRegAddr = word, .Mask = 0xF0, .Data = value & 0xFF);
    case 56: return TT(CFGSHIFTMASK, .mask_width = 5, .right_cshift_amt = 3, .scratch_sel = 3, .CfgReg = word);
    case 57: return TT(STALLWAIT, B_CONFIG, GATE_C_MEMORY);
    case 58: return TT(STALLWAIT, B_CONFIG, GATE_C_CONFIG);
    case 59: return TT(SETC16, CONFIG_WORD_UNPACK_MISC_CFG_CfgContextCntReset_0, value & 3);
    case 60: return TT(SEMPOST, 1u << 2);
    case 61: return TT(STOREREG, gpr, SCRATCH);
    case 62: return TT(ADDDMAREG, 1, 6, gpr, 28);
    default: return 0x02000000 /* NOP */;
    }
}

static uint32_t (*draw)(uint64_t *seed) = draw_word;

/* A row, a few times over, and the time at its end. Of stores registers hold the words. */
static void add_block(struct tensix_box *tb, unsigned thread, unsigned number, uint64_t *seed) {
    enum bh_core core = tb_core(thread);
    unsigned length = 1 + random_below(seed, ROW_MOST), times = 1 + random_below(seed, 3);
    bool stores = random_below(seed, 3) == 0;
    for (unsigned i = 0; stores && i < VALUES; i++)
        tb_li(tb, core, VALUE + i, draw(seed));
    tb_li(tb, core, WINDOW, TB_PUSH);
    tb_li(tb, core, GPRS, TB_GPRS);
    tb_li(tb, core, COUNTER, times);
    unsigned back = tb->length[core];
    for (unsigned i = 0; i < length; i++)
        tb_rv(tb, core, stores ? asm_s(RV_SW, VALUE + i % VALUES, 0, WINDOW) : tensix_to_stream(draw(seed)));
    tb_nops(tb, core, random_below(seed, 4));
    tb_rv(tb, core, asm_i(RV_ADDI, COUNTER, COUNTER, -1));
    tb_rv(tb, core, asm_b(RV_BNE, COUNTER, 0, -4 * (int32_t)(tb->length[core] - back)));
    if (random_below(seed, 2)) /* waits for words that Auto TTSync follows */
        tb_rv(tb, core, asm_i(RV_LW, VALUE, GPRS, (int32_t)(4 * (8 + random_below(seed, 12)))));
    tb_cycle(tb, core, TIMES + number);
}

static void random_rows(struct tensix_box *tb) {
    uint64_t seed = seed_of_scene;
    for (unsigned i = 0; i < BLOCKS; i++)
        add_block(tb, 0, i, &seed);
    for (unsigned i = 1; i <= others; i++) {
        tb_nops(tb, tb_core(i), random_below(&seed, 100));
        add_block(tb, i, 0, &seed);
    }
}

/* A core that is not in lockstep with others pushes longer rows. An observer sees every word by itself. */
static struct tensix_box *play_far(scene_program *program, unsigned skew, bool watched) {
    static struct observer observer;
    struct tensix_box *tb = tb_create();
    tb->box->tile.skew = skew;
    program(tb);
    tb_start(tb);
    observer = (struct observer){ 0 };
    if (watched)
        tile_watch(&tb->box->tile, &observer, 0);
    tile_run(&tb->box->tile, SCENE_END);
    tensix_run(tb->x, SCENE_END);
    return tb;
}

static void rows_come_out_the_same(void **state) {
    uint64_t passes = 0;
    (void)state;
    for (seed_of_scene = 0; seed_of_scene < SCENES; seed_of_scene++) {
        others = 0;
        struct tensix_box *tb = scene_play(random_rows),
                          *far = play_far(random_rows, seed_of_scene % 2 ? 128 : 30, false);
        scene_assert_same(tb, far);
        assert_int_equal(tb->box->faults, 0);
        passes += tb->x->thread[0].frontend.passes;
        tb_destroy(tb);
        tb_destroy(far);
    }
    assert_true(passes > SCENES * 100);
}

static void play_beside_others(uint64_t seed) {
    unsigned skew = 8 + (unsigned)seed % 40;
    seed_of_scene = seed;
    others = 1 + seed % 2;
    tb_destroy(scene_play(random_rows));
    struct tensix_box *far = play_far(random_rows, skew, false), *seen = play_far(random_rows, skew, true);
    scene_assert_same(far, seen);
    tb_destroy(far);
    tb_destroy(seen);
}

static void rows_come_out_the_same_beside_others(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SCENES; seed++)
        play_beside_others(seed);
}

/* A word of Config that WRCFG writes early is not seen early, and rows of settings end where one of them looks. */
static void settings_come_out_the_same(void **state) {
    draw = draw_setting;
    rows_come_out_the_same(state);
    rows_come_out_the_same_beside_others(state);
    draw = draw_word;
}

/* T2 loads INSTRN_BUF_STATUS in the cycle in which a word of T0's lane passes: the slot that the word has left in the
 * FIFO before the Replay expander is still empty. */
static void a_look_in_the_cycle_of_a_pass_sees_the_slot_that_is_empty(void **state) {
    (void)state;
    play_beside_others(3147);
}

/* Rows of an instruction whose handler takes several words at once, with words in between that share some of its bits
 * or none. */
static uint32_t draw_move(uint64_t *seed) {
    uint32_t n = random_below(seed, 48), a = random_below(seed, 64), b = random_below(seed, 64);
    switch (n) {
    case 0: return TT(MOVB2A, .srca = a, .instr_mod = 0, .srcb = b);
    case 1: return TT(MOVB2A, .srca = a, .addr_mode = 1, .instr_mod = 2, .srcb = b);
    case 2: return TT(ZEROACC, .clear_mode = 1, .where = a % 16);
    case 3: return TT(SETDMAREG, 0, a, 0, 32);
    case 4: return TT(MOVD2A, .src = a, .instr_mod = 2, .dst = 4 * b);
    case 5: return TT(SETRWC, .rwc_b = b % 16, .rwc_a = a % 16, .BitMask = 3);
    case 6: return TT(RMWCIB0, .CfgRegAddr = CONFIG_WORD_ALU_ACC_CTRL_Zero_Flag_disabled_src, .Mask = 1, .Data = a & 1);
    default: return TT(MOVB2A, .srca = a, .addr_mode = n % 4 ? 0 : 2, .instr_mod = 2, .srcb = b);
    }
}

static uint32_t draw_zero(uint64_t *seed) {
    uint32_t n = random_below(seed, 48), where = random_below(seed, 80);
    switch (n) {
    case 0: return TT(ZEROACC, .clear_mode = 1, .addr_mode = 1, .where = where);
    case 1: return TT(ZEROACC, .clear_mode = 1, .use_32_bit_mode = 1, .where = where);
    case 2: return TT(ZEROACC, .clear_mode = 1, .clear_zero_flags = 1, .where = where);
    case 3: return TT(ZEROACC, .clear_mode = 0, .where = where);
    case 4: return TT(ZEROACC, .clear_mode = 3, .clear_zero_flags = 1);
    case 5: return TT(SETRWC, .rwc_d = where % 16, .BitMask = 4);
    default: return TT(ZEROACC, .clear_mode = 1, .where = where);
    }
}

/* Of rows that are invalid, and of some that are still being written. */
static uint32_t draw_read(uint64_t *seed) {
    uint32_t n = random_below(seed, 48), a = random_below(seed, 64), b = random_below(seed, 64);
    switch (n) {
    case 0: return TT(MOVD2A, .src = a, .instr_mod = 0, .dst = b);
    case 1: return TT(MOVD2A, .src = a, .addr_mode = 1, .instr_mod = 2, .dst = 4 * b);
    case 2: return TT(ZEROACC, .clear_mode = 1, .where = a % 16);
    case 3: return TT(MOVB2D, .src = a, .movb2d_instr_mod = 2, .dst = 4 * b);
    case 4: return TT(MOVB2A, .srca = a, .instr_mod = 2, .srcb = b);
    case 5: return TT(SETRWC, .rwc_b = b % 16, .rwc_a = a % 16, .BitMask = 3);
    case 6: return TT(SETRWC, .rwc_d = a % 16, .BitMask = 4);
    case 7: return TT(RMWCIB3, .CfgRegAddr = CONFIG_WORD_ALU_ACC_CTRL_Fp32_enabled, .Mask = 0x20, .Data = a & 0x20);
    default:
        return TT(MOVD2A, .src = a, .addr_mode = n % 4 ? 0 : 2, .instr_mod = 2, .dst = (n < 28 ? 4 : 16) * b + n % 4);
    }
}

/* Constants for GPRs and registers of ThreadConfig, some of which do more than change; mostly of one kind. */
static uint32_t draw_set(uint64_t *seed) {
    uint32_t n = random_below(seed, 40), value = random_below(seed, 1 << 14);
    switch (n) {
    case 0: return TT(SETDMAREG, 1, 0, 1, 2 * 40); /* the packer's accumulated size */
    case 1: return TT(SETC16, CONFIG_WORD_UNPACK_MISC_CFG_CfgContextCntReset_0, value & 0x11);
    case 2: return TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC0_BankSel, value & 63);
    case 3: return TT(WRCFG, 16, 0, 12);
    case 4: return TT(STALLWAIT, B_THCON | B_CONFIG, GATE_C_MEMORY);
    case 5: return TT(ADDDMAREG, 0, 17, 18, 16);
    default: break;
    }
    bool constant = seed_of_scene / 4 % 2 ? n > 9 : n < 10;
    return constant ? TT(SETDMAREG, value >> 12, value, 0, 32 + n) : TT(SETC16, 12 + n % 28, value);
}

static uint32_t draw_taken(uint64_t *seed) {
    switch (seed_of_scene % 4) {
    case 0: return draw_zero(seed);
    case 1: return draw_read(seed);
    case 2: return draw_set(seed);
    default: return draw_move(seed);
    }
}

static void random_moves(struct tensix_box *tb) {
    uint64_t seed = seed_of_scene;
    struct src *src = &tb->x->src;
    uint16_t *own = tb->x->config.thread[0];
    for (unsigned i = 0; i < SRC_ROWS * SRC_COLUMNS; i++)
        src_set(&src->bank[SRC_B][0], i / SRC_COLUMNS, i % SRC_COLUMNS,
                random_below(&seed, 1 << 19) & ~(i % 3 ? 0 : 0xFFu));
    for (unsigned i = 0; i < DST_ROWS * DST_COLUMNS; i++)
        tb->x->dst.bits[i / DST_COLUMNS][i % DST_COLUMNS] = (uint16_t)random_next(&seed);
    src->allowed[SRC_B][0] = SRC_MATRIX;
    own[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + 1] = 0x0304;
    own[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + 1] = 0x0140;
    for (unsigned i = 0, length = 60 + random_below(&seed, 200); i < length; i++)
        tb_push(tb, 0, draw_taken(&seed));
    if (seed_of_scene / 4 % 4 == 0) { /* the last of these words for ever wait */
        tb_push(tb, 0, TT(CLEARDVALID, .cleardvalid = 2));
        for (unsigned i = 0; i < 40; i++)
            tb_push(tb, 0, draw_taken(&seed));
    }
    tb_cycle(tb, BH_TRISC0, TIMES);
}

static void assert_same_moves(const struct tensix *x, const struct tensix *y) {
    assert_memory_equal(x->src.bank, y->src.bank, sizeof x->src.bank);
    assert_memory_equal(x->dst.invalid, y->dst.invalid, sizeof x->dst.invalid);
    assert_memory_equal(&x->matrix, &y->matrix, sizeof x->matrix);
    assert_memory_equal(x->rwc, y->rwc, sizeof x->rwc);
    assert_memory_equal(x->thread[0].busy, y->thread[0].busy, sizeof x->thread[0].busy);
    assert_int_equal(x->thread[0].idle_at, y->thread[0].idle_at);
    assert_memory_equal(x->gpr, y->gpr, sizeof x->gpr);
    assert_memory_equal(x->config.thread, y->config.thread, sizeof x->config.thread);
    assert_int_equal(x->config.version, y->config.version);
    assert_int_equal(x->scalar.busy_until, y->scalar.busy_until);
}

static void rows_of_moves_come_out_the_same(void **state) {
    (void)state;
    for (seed_of_scene = 0; seed_of_scene < SCENES; seed_of_scene++) {
        unsigned skew = (const unsigned[]){ 1, 30, 128 }[seed_of_scene / 4 % 3];
        tb_destroy(scene_play(random_moves));
        struct tensix_box *far = play_far(random_moves, skew, false), *seen = play_far(random_moves, skew, true);
        scene_assert_same(far, seen);
        assert_same_moves(far->x, seen->x);
        assert_int_equal(far->box->faults, 0);
        assert_true(far->x->thread[0].frontend.passes >= 60);
        tb_destroy(far);
        tb_destroy(seen);
    }
}

/* How far a row goes: `more` words follow the one that passes in cycle 100, which is the second of ten. */
static void assert_row(uint64_t handler_only_until, unsigned different, unsigned more) {
    enum { NOW = 100, SIZE = 10, BEFORE = 1, AT = 28 };
    struct tensix_box *tb = tb_create();
    struct frontend *f = &tb->x->thread[0].frontend;
    struct tensix_batch batch = { .frontend = f, .size = SIZE, .left = SIZE - BEFORE };
    uint32_t word = 0x12340000;
    f->first_at = AT;
    for (unsigned i = 0; i < SIZE; i++)
        f->first.word[(AT + i) % FRONTEND_FIRST] = i == different ? 0x12350000 : 0x12340000 + i;
    tb->x->batch = &batch;
    tb->x->handler_only_until = handler_only_until;
    struct batch_row row = batch_row(tb->x, NOW);
    for (unsigned i = 0; i < more; i++) {
        assert_true(batch_row_next(&row, &word, 0xFFFF0000));
        assert_int_equal(word, 0x12340000 + BEFORE + 1 + i);
    }
    assert_false(batch_row_next(&row, &word, 0xFFFF0000));
    assert_int_equal(row.now, NOW + more);
    assert_int_equal(batch_row_end(tb->x, &row, NOW), more ? BATCH_ROW_PASSED : TENSIX_PASSED);
    assert_int_equal(batch.left, SIZE - BEFORE - (more ? more + 1 : 0));
    for (unsigned i = 0; more && i <= more; i++)
        assert_int_equal(batch.after[SIZE - BEFORE - 1 - i], NOW + 1 + i);
    tb->x->batch = NULL;
    tb_destroy(tb);
}

static void rows_end_where_they_must(void **state) {
    (void)state;
    assert_row(1000, 99, 8);
    assert_row(1000, 2, 0);
    assert_row(1000, 6, 4);
    assert_row(101, 99, 0);
    assert_row(100, 99, 0);
    assert_row(104, 99, 3);
}

/* A batch goes no further than to the first word that Auto TTSync has wait, wherever the ring wraps. */
static void batches_end_before_words_that_wait(void **state) {
    enum { AT = 28, COUNT = 10 };
    struct tensix_box *tb = tb_create();
    struct frontend *f = &tb->x->thread[0].frontend;
    (void)state;
    f->first_at = AT;
    f->first_end = AT + COUNT;
    for (unsigned tagged = 0; tagged <= COUNT; tagged++) {
        for (unsigned i = 0; i <= COUNT; i++)
            f->first.tag[(AT + i) % FRONTEND_FIRST] = i == tagged;
        f->none_tagged = false;
        assert_int_equal(frontend_count_untagged(f, 6), tagged < 6 ? tagged : 6);
        assert_int_equal(f->none_tagged, tagged == COUNT);
    }
    tb_destroy(tb);
}

/* At every look the frontend is what it would be without batches: a word that faults in the middle of a row names its
 * pc. */
static void fault_in_a_row(struct tensix_box *tb) {
    for (unsigned i = 0; i < 60; i++)
        tb_push(tb, 0, i == 45 ? UINT32_C(0xFF) << 24 : TT(ZEROACC, .clear_mode = 1));
}

static void faults_name_their_place(void **state) {
    struct tensix_box *tb = scene_play(fault_in_a_row), *whole = play_far(fault_in_a_row, 128, false);
    (void)state;
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(whole->box->faults, 1);
    assert_int_equal(tb->box->fault.pc, core_of(tb, BH_TRISC0)->default_pc + 4 * 45);
    assert_int_equal(whole->box->fault.pc, tb->box->fault.pc);
    assert_int_equal(whole->box->fault.cycle, tb->box->fault.cycle);
    tb_destroy(tb);
    tb_destroy(whole);
}

/* Words that come in groups, with gaps between them; the run ends anywhere. */
static struct tensix_box *run_to(uint64_t seed, uint64_t end, bool watched) {
    enum { GROUPS = 7, GAP = 8 };
    static struct observer observer;
    struct tensix_box *tb = tb_create();
    uint64_t time = 0;
    observer = (struct observer){ 0 };
    if (watched)
        tile_watch(&tb->box->tile, &observer, 0);
    for (unsigned i = 0; i < GROUPS; i++, time += 1 + random_below(&seed, GAP)) {
        uint32_t words[FRONTEND_GROUP];
        for (unsigned k = 0; k < FRONTEND_GROUP; k++)
            words[k] = draw_word(&seed);
        scene_push(tb, BH_TRISC0, 0, words, FRONTEND_GROUP, time);
    }
    tensix_run(tb->x, end);
    return tb;
}

/* Wherever a run ends, a thread is what it would be without batches: also when it tries next, on which it depends how
 * far cores run, and why it waits. */
static void runs_end_the_same(void **state) {
    enum { RUNS = 3000, LONGEST = 80 };
    (void)state;
    for (uint64_t i = 0; i < RUNS; i++) {
        uint64_t seed = i, end = 1 + random_below(&seed, LONGEST);
        struct tensix_box *tb = run_to(i, end, false), *seen = run_to(i, end, true);
        const struct tensix_thread *t = &tb->x->thread[0], *u = &seen->x->thread[0];
        scene_assert_same(tb, seen);
        assert_int_equal(t->due, u->due);
        assert_int_equal(t->waits_on, u->waits_on);
        assert_int_equal(t->gate.free_at, u->gate.free_at);
        assert_memory_equal(t->busy, u->busy, sizeof t->busy);
        assert_int_equal(tb->x->next_landing, seen->x->next_landing);
        tb_destroy(tb);
        tb_destroy(seen);
    }
}

/* A word that is woken by something else, with others behind it, still waits for the same thing. */
static void a_reason_to_wait_stays(void **state) {
    enum { WAKES = 20, GAP = 50 };
    uint32_t words[4] = { TT(ATCAS, .CmpVal = 5, .AddrRegIndex = 8) };
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 1; i < 4; i++)
        words[i] = TT(ZEROACC, .clear_mode = 1);
    scene_push(tb, BH_TRISC0, 0, words, 4, 0);
    scene_push(tb, BH_TRISC0, 0, words, 4, 1);
    tensix_run(tb->x, GAP);
    unsigned why = tb->x->thread[0].waits_on;
    assert_non_null(why);
    for (unsigned i = 1; i < WAKES; i++) {
        tensix_wake(tb->x, i * GAP);
        tensix_run(tb->x, (i + 1) * GAP);
        assert_int_equal(tb->x->thread[0].waits_on, why);
    }
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_out_the_same),
        cmocka_unit_test(rows_come_out_the_same_beside_others),
        cmocka_unit_test(settings_come_out_the_same),
        cmocka_unit_test(a_look_in_the_cycle_of_a_pass_sees_the_slot_that_is_empty),
        cmocka_unit_test(rows_of_moves_come_out_the_same),
        cmocka_unit_test(batches_end_before_words_that_wait),
        cmocka_unit_test(rows_end_where_they_must),
        cmocka_unit_test(faults_name_their_place),
        cmocka_unit_test(runs_end_the_same),
        cmocka_unit_test(a_reason_to_wait_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
