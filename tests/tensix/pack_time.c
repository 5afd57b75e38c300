/* The packer in time: waits, speeds of formats and modes, the cycles in which results are visible, three threads at
 * once. */
#include "support/tensix_scene.h"
#include "tensix/pack_setup.h"

enum { B_CONFIG = 1 << 7 };
#define AFTER TT(SETC16, 3, 1)
#define DRAIN TT(STALLWAIT, B_CONFIG, GATE_C_PACK)

/* ---- One instruction -------------------------------------------------------------------------------------------- */

/* The thread goes on in the next cycle. */
static void one_cycle_of_its_thread(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(NOP, 0), PT_PACR(PT_LAST), AFTER);
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 1);
    assert_int_equal(tb->at[0][2], tb->at[0][1] + 1);
    tb_destroy(tb);
}

/* Cycles from passing to the first cycle that sees the data, by L1 and by C3. */
static uint64_t cycles_of(struct tensix_box *tb, uint32_t word) {
    uint32_t *first = (uint32_t *)(void *)(tb->x->l1 + PT_TILE);
    *first = word & PT_ZERO ? 1 : 0;
    pt_fill(tb);
    TB_PUSH_ALL(tb, 2, word, DRAIN, AFTER);
    tb_start(tb);
    uint64_t seen = tb_until_change(tb, first);
    tb_step(tb, seen + 10);
    assert_int_equal(tb->box->faults, 0);
    uint64_t cycles = seen - tb->at[2][0];
    if (cycles > 2) /* else the wait itself is longer */
        assert_int_equal(tb->at[2][2], seen + 1);
    assert_true(tensix_idle(tb->x, 2, tb->now));
    tb_destroy(tb);
    return cycles - 1; /* the first in the cycle after it passed */
}

/* 64 data: 128 bytes a cycle, also if they are added (measured on cards for BF16). */
static void speeds_of_formats(void **state) {
    static const struct {
        bool wide;
        unsigned in, out, cycles;
        bool adds;
    } cases[] = {
        { true, 0, 0, 2, true },   { true, 8, 8, 2, true },    { false, 5, 0, 2, true },   { false, 5, 5, 1, true },
        { false, 1, 1, 1, true },  { false, 9, 9, 1, false },  { true, 14, 14, 1, false }, { false, 5, 6, 1, false },
        { false, 5, 7, 1, false }, { false, 5, 15, 1, false },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned add = 0; add <= cases[i].adds; add++) {
            struct tensix_box *tb = pt_create();
            pt_formats(tb, cases[i].wide, cases[i].in, cases[i].out);
            MR_SET(pt_config(tb), THCON_SEC0_REG1_Pack_L1_Acc, add);
            assert_int_equal(cycles_of(tb, PT_PACR(PT_LAST)), cases[i].cycles);
        }
}

static void speeds_of_modes(void **state) {
    struct tensix_box *tb;
    (void)state;
    assert_int_equal(cycles_of(pt_create(), PT_PACR(PT_TWO | PT_LAST)), 1);
    tb = pt_create(); /* 16 bytes of a row */
    tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = tb->x->adc[2][ADC_PACKERS].channel[1].value[ADC_X] = 7;
    assert_int_equal(cycles_of(tb, PT_PACR(PT_LAST)), 1);
    tb = pt_create(); /* 1024 zeros */
    tb->x->adc[2][ADC_PACKERS].channel[1].value[ADC_X] = 1023;
    assert_int_equal(cycles_of(tb, PT_PACR(PT_ZERO | PT_LAST)), 16);
    tb = pt_create(); /* from L1, 16 bytes a cycle */
    MR_SET(pt_config(tb), THCON_SEC0_REG1_Source_interface_selection, 1);
    MR_SET(pt_config(tb), THCON_SEC0_REG1_L1_source_addr, 2);
    tb->x->l1[2 << 18] = 1;
    tb->x->adc[2][ADC_PACKERS].channel[1].value[ADC_X] = 1023;
    assert_int_equal(cycles_of(tb, PT_PACR(PT_LAST)), 128);
}

/* ---- More than one ----------------------------------------------------------------------------------------------- */

/* A tile of BF16, as tt-llk packs it: sixteen instructions, one a cycle. */
static void a_tile_in_sixteen_cycles(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        tb_push(tb, 0, PT_PACR(i == 15 ? PT_LAST : 0));
    TB_PUSH_ALL(tb, 0, DRAIN, AFTER);
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[0][15], tb->at[0][0] + 15);
    assert_int_equal(tb->at[0][17], tb->at[0][15] + 3);
    tb_destroy(tb);
}

/* Four in the packer; each further one waits for the last of the two cycles of the first. */
static void four_in_the_packer(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_formats(tb, true, 0, 0);
    for (unsigned i = 0; i < 12; i++)
        tb_push(tb, 0, PT_PACR(0));
    TB_PUSH_ALL(tb, 0, DRAIN, AFTER);
    assert_true(tb_run(tb));
    uint64_t first = tb->at[0][0];
    for (unsigned i = 1; i < 12; i++)
        assert_int_equal(tb->at[0][i] - first, i < 6 ? i : 2 * i - 6);
    assert_int_equal(tb->at[0][13], first + 1 + 24 + 1);
    tb_destroy(tb);
}

/* Each thread one after the other, in the order in which they came; the data of all are there. */
static void three_threads(void **state) {
    struct tensix_box *tb = pt_create();
    uint64_t all = 0;
    (void)state;
    pt_fill(tb);
    for (unsigned thread = 0; thread < 3; thread++) {
        tb->x->adc[thread][ADC_PACKERS].channel[0].value[ADC_Y] = 4 * thread;
        tb_push(tb, thread, PT_PACR(PT_ONE));
        tb_push(tb, thread, AFTER);
    }
    assert_true(tb_run(tb));
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(tb->at[thread][1], tb->at[thread][0] + 1);
        all += UINT64_C(1) << (tb->at[thread][0] - tb->at[0][0]);
    }
    assert_int_equal(all, 7); /* one a cycle */
    for (unsigned thread = 0; thread < 3; thread++)
        assert_int_equal(pt_half(tb, 16 * (unsigned)(tb->at[thread][0] - tb->at[0][0])), pt_number(4 * thread, 0));
    tb_destroy(tb);
}

/* PACR_SETREG takes its turn: its write is seen when the PACR before it is done. */
static void registers_in_turn(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    tb->x->packer.set_reg_base[0] = 0x2C;
    pt_formats(tb, true, 0, 0);
    TB_PUSH_ALL(tb, 0, TT(PACR_SETREG, 0, 1, 7, 0, 0, 2, 0, 0), PT_PACR(PT_LAST),
                TT(PACR_SETREG, 1, 0, 0, 0, 0, 0x11, 1, 0));
    tb_start(tb);
    uint64_t seen = tb_until_change(tb, &tb->x->mover.tdma.base[BH_TRISC0]);
    assert_int_equal(tb->box->faults, 0);
    assert_int_equal(tb->at[0][2], tb->at[0][0] + 2);
    assert_int_equal(seen, tb->at[0][0] + 1 + 1 + 2 + 1);
    tb_destroy(tb);
}

/* Configuration and counters count at the time of the pass. */
static void configuration_is_taken_when_it_passes(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_fill(tb);
    tb_gpr(tb, 0, 8, PT_TILE / 16 + 63);
    for (unsigned i = 0; i < 3; i++)
        tb_push(tb, 0, PT_PACR(PT_LAST));
    TB_PUSH_ALL(tb, 0, TT(WRCFG, 8, 0, CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr), TT(NOP, 0),
                PT_PACR(PT_ONE | PT_LAST));
    assert_true(tb_run(tb));
    assert_int_equal(pt_half(tb, 63), pt_number(3, 15));
    assert_int_equal(pt_half(tb, 64), 0);
    assert_int_equal(pt_half(tb, 512), pt_number(0, 0));
    tb_destroy(tb);
}

/* Dst is read in the last cycle of an instruction: a thread that does not wait may change it before. */
static void dst_is_read_late(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct tensix_box *tb = pt_create();
        pt_formats(tb, false, 5, 0); /* BF16 to FP32: two cycles each */
        pt_fill(tb);
        TB_PUSH_ALL(tb, 0, PT_PACR(0), PT_PACR(0), PT_PACR(PT_LAST));
        if (waits)
            tb_push(tb, 0, TT(STALLWAIT, 1 << 6, GATE_C_PACK));
        tb_push(tb, 0, TT(ZEROACC, 3, 0, 0, 0, 0)); /* all */
        assert_true(tb_run(tb));
        assert_int_equal(pt_half(tb, 2 * 128 + 1), waits ? pt_number(0, 0) : 0);
        tb_destroy(tb);
    }
}

/* ---- The Matrix Unit --------------------------------------------------------------------------------------------- */

/* Rows that it has just written cannot be read yet; others can. */
static void waits_for_rows(void **state) {
    (void)state;
    for (unsigned near = 0; near < 2; near++) {
        struct tensix_box *tb = pt_create();
        tb->x->src.allowed[SRC_A][0] = tb->x->src.allowed[SRC_B][0] = SRC_MATRIX;
        tb->x->src.format[SRC_A][0] = tb->x->src.format[SRC_B][0] = PT_BF16;
        tb->x->adc[0][ADC_PACKERS].channel[0].value[ADC_Y] = near ? 4 : 8;
        TB_PUSH_ALL(tb, 0, TT(MVMUL, 0, 0, 0, 0), PT_PACR(PT_LAST));
        assert_true(tb_run(tb));
        assert_int_equal(tb->at[0][1], tb->at[0][0] + (near ? 6 : 1));
        tb_destroy(tb);
    }
}

/* ---- Reports ----------------------------------------------------------------------------------------------------- */

static void says_why_it_waits(void **state) {
    struct tensix_box *tb = pt_create();
    char text[256] = "";
    (void)state;
    tb_push(tb, 0, PT_PACR(PT_LAST));
    tb_start(tb);
    tensix_soft_reset(tb->x, REG_HOLD_PACKER, 0);
    tb_step(tb, 100);
    tensix_explain(tb->x, 0, text, sizeof text);
    assert_non_null(strstr(text, "the packer, held in soft reset"));
    tensix_soft_reset(tb->x, 0, tb->now);
    tb_step(tb, tb->now + 20);
    assert_int_equal(tb->passes[0], 1);
    assert_int_equal(tb->x->packer.last_tile_size, 8);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cycle_of_its_thread), cmocka_unit_test(speeds_of_formats),
        cmocka_unit_test(speeds_of_modes),         cmocka_unit_test(a_tile_in_sixteen_cycles),
        cmocka_unit_test(four_in_the_packer),      cmocka_unit_test(three_threads),
        cmocka_unit_test(registers_in_turn),       cmocka_unit_test(configuration_is_taken_when_it_passes),
        cmocka_unit_test(dst_is_read_late),        cmocka_unit_test(waits_for_rows),
        cmocka_unit_test(says_why_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
