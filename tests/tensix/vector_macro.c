/* SFPLOADMACRO rule by rule: src/tensix/vector/macro.c, SFPLOADMACRO.md. */
#include "tensix/vector_macro.h"

/* ---- Delays ------------------------------------------------------------------------------------------------------ */

/* Delay d: it executes d + 1 cycles after SFPLOADMACRO, and its result can be read a cycle later. */
static void test_delays(void **state) {
    (void)state;
    for (unsigned delay = 0; delay < 8; delay++) {
        struct tensix_box *tb = create();
        set_template(tb, 0, ADD_TO_C(5));
        set_sequence(tb, 1, SIMPLE, AFTER(delay, 0));
        vd_pass(tb, 0, MACRO(1, 3, 0), START);
        assert_int_equal(read_at(tb, 3, START + 1), 0x1000);
        for (uint64_t at = START + 1; at <= START + 1 + delay; at++)
            assert_int_equal(read_at(tb, 3, at), 0x1000);
        assert_int_equal(read_at(tb, 3, START + 2 + delay), 0x1005);
        assert_int_equal(read_at(tb, 3, START + 40), 0x1005);
        tb_destroy(tb);
    }
}

/* Instructions that are issued do not matter to those that wait for cycles. */
static void test_cycles_pass(void **state) {
    (void)state;
    for (unsigned issued = 0; issued < 5; issued++) {
        struct tensix_box *tb = create();
        set_template(tb, 0, ADD_TO_C(5));
        set_sequence(tb, 0, SIMPLE, AFTER(3, 0));
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        for (unsigned i = 0; i < issued; i++)
            vd_pass(tb, 0, SFPNOP_WORD, START + 1 + i);
        assert_int_equal(read_at(tb, 3, START + 4), 0x1000);
        assert_int_equal(read_at(tb, 3, START + 5), 0x1005);
        tb_destroy(tb);
    }
}

/* The other kind waits for as many instructions, of any thread, and then executes in the next cycle. */
static void test_instructions_pass(void **state) {
    (void)state;
    for (unsigned delay = 0; delay < 8; delay++) {
        struct tensix_box *tb = create();
        set_template(tb, 0, ADD_TO_C(5));
        set_sequence(tb, 0, SIMPLE, AFTER(delay, 0));
        set_misc(tb, INT32 | COUNT_ISSUES(SIMPLE));
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        uint64_t at = START;
        for (unsigned i = 0; i < delay; i++) {
            at += 3;
            assert_int_equal(read_at(tb, 3, at), 0x1000);
            vd_pass(tb, i % 3, i % 2 ? SFPNOP_WORD : MOV(5, 6), at);
        }
        assert_int_equal(read_at(tb, 3, at + 1), 0x1000);
        assert_int_equal(read_at(tb, 3, at + 2), 0x1005);
        tb_destroy(tb);
    }
}

/* As long as one waits for instructions all do. */
static void test_kinds_mixed(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_template(tb, 0, ADD_TO_C(5));
    set_sequence(tb, 0, SIMPLE, AFTER(1, 0)); /* cycles */
    set_sequence(tb, 0, ROUND, NOP_AFTER(2)); /* instructions */
    set_misc(tb, INT32 | COUNT_ISSUES(ROUND));
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    assert_int_equal(read_at(tb, 3, START + 30), 0x1000);
    vd_pass(tb, 0, SFPNOP_WORD, START + 30);
    assert_int_equal(read_at(tb, 3, START + 31), 0x1000);
    assert_int_equal(read_at(tb, 3, START + 32), 0x1005);
    vd_pass(tb, 0, MACRO(0, 4, 0), START + 40); /* this is the second one, so that the SFPNOP goes */
    vd_pass(tb, 0, SFPNOP_WORD, START + 41);
    assert_int_equal(read_at(tb, 4, START + 43), 0x1005);
    tb_destroy(tb);
}

/* Instructions that an SFPLOADMACRO schedules replace those of the same cycle, even by nothing. */
static void test_forgetting(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct tensix_box *tb = create();
        set_template(tb, 0, ADD_TO_C(5));
        set_template(tb, 1, ADD_TO_C(7));
        set_sequence(tb, 0, SIMPLE, AFTER(3, 0));
        set_sequence(tb, 1, SIMPLE, kind == 0 ? AFTER(1, 1) : kind == 1 ? 1 << 3 : 2 << 3);
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        vd_pass(tb, 0, SFPNOP_WORD, START + 1);
        vd_pass(tb, 0, MACRO(1, 4, 0), START + 2); /* both would execute in START + 4 */
        vd_settled(tb);
        assert_int_equal(read_at(tb, 3, tb->now), kind == 2 ? 0x1005 : 0x1000);
        assert_int_equal(read_at(tb, 4, tb->now), kind == 0 ? 0x1007 : 0x1000);
        tb_destroy(tb);
    }
}

/* One for each delay can wait. */
static void test_eight_waiting(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_template(tb, 0, TT(SFPIADD, 0, 7, 0, 4)); /* VD += LReg7, by INTO_B */
    set_sequence(tb, 0, SIMPLE, AFTER(7, 0) | INTO_B);
    for (unsigned i = 0; i < 7; i++)
        vd_pass(tb, 0, MACRO(0, i, 0), START + i);
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(read_at(tb, i, START + i + 8), 0x1000);
        assert_int_equal(read_at(tb, i, START + i + 9), 0x1700);
    }
    tb_destroy(tb);
}

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

struct operand_case {
    uint32_t template;
    unsigned unit, bits;
    unsigned lreg; /* where the result goes */
    uint32_t result;
};

/* SFPLOADMACRO loads LReg3, 0x1000. */
static const struct operand_case operand_cases[] = {
    { 0x79000244, SIMPLE, 0, 3, 0x1000 + 0x400 },      /* SFPIADD: VC = 3, VB = VD of the template: 4 */
    { 0x79000244, SIMPLE, INTO_B, 3, 0x1000 + 0x200 }, /* VB = 3, VC stays 2 */
    { 0x79000244, SIMPLE, TO_16, 16, 0x1000 + 0x400 },
    { 0x79000246, SIMPLE, INTO_B | TO_16, 16, 0x200u - 0x1000u }, /* VC - VB */
    { 0x7F000240, SIMPLE, INTO_B, 3, 0x1200 },                    /* SFPOR without VB, as others */
    { 0x7F000240, SIMPLE, 0, 3, 0x1400 },
    { 0x7F005241, SIMPLE, 0, 3, 0x1500 }, /* with VB = 5, and VC = 3 */
    { 0x7F005241, SIMPLE, INTO_B, 3, 0x1200 },
    { 0x94001046, ROUND, 0, 3, 0x200 },       /* SFPSHFT2 SHFT_IMM: VB = 1, shifted by 1 */
    { 0x94001046, ROUND, INTO_B, 3, 0x2000 }, /* VB = 3 */
    { 0x94006545, ROUND, TO_16, 16, 0x600 },  /* SHFT_LREG: VB = 6 by VC = 3, 0x1000: by 0 */
    { 0x84090940, MAD, 0, 3, 0 },             /* 0 * 0 + VC, a denormal: 0 */
    { 0x75000052, MAD, 0, 3, 0 },             /* SFPADDI 0: VC = 3 */
};

static void test_operands(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof operand_cases / sizeof *operand_cases; i++) {
        const struct operand_case *c = &operand_cases[i];
        struct tensix_box *tb = create();
        set_template(tb, 2, c->template);
        set_sequence(tb, 3, c->unit, AFTER(1, 2) | c->bits);
        vd_pass(tb, 0, MACRO(3, 3, 0), START);
        vd_settled(tb);
        uint32_t result = tb->x->vector.lreg[c->lreg][17];
        if (result != c->result)
            fail_msg("case %u: %x, not %x", (unsigned)i, result, c->result);
        assert_int_equal(tb->x->vector.lreg[4][17], 0x400); /* VD of the template is not written */
        tb_destroy(tb);
    }
}

/* SFPADDI and SFPMULI: VC is VD of the template if it is not the load's. */
static void test_immediate_operands(void **state) {
    (void)state;
    for (unsigned into_b = 0; into_b < 2; into_b++) {
        struct tensix_box *tb = create();
        vd_fill(tb, 5, 0x40000000);                     /* 2 */
        set_template(tb, 0, TT(SFPADDI, 0x3F80, 5, 0)); /* + 1 */
        set_sequence(tb, 0, MAD, AFTER(0, 0) | (into_b ? INTO_B : 0));
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        vd_assert_lreg(tb, 3, into_b ? 0x40400000 : 0x3F800000);
        tb_destroy(tb);
    }
}

/* An instruction that a sub-unit cannot execute is SFPNOP there. */
static void test_wrong_sub_unit(void **state) {
    static const uint32_t words[] = { 0x84000000, 0x79000005, 0x94000000, 0x72000000, 0x71000000, 0x02000000, 0 };
    static const unsigned own[] = { MAD, SIMPLE, ROUND, STORE, 9, 9, 9 };
    (void)state;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        for (unsigned unit = SIMPLE; unit < STORE; unit++) {
            if (unit == own[i])
                continue;
            struct tensix_box *tb = create();
            set_template(tb, 0, words[i] | 0x00A500);
            set_sequence(tb, 0, unit, AFTER(0, 0));
            vd_pass(tb, 0, MACRO(0, 3, 0), START);
            const uint32_t regular[] = { MOV(5, 6), TT(SFPMAD, 9, 9, 5, 6, 0), TT(SFPSHFT2, 5, 9, 6, 5) };
            vd_pass(tb, 0, regular[unit], START + 1); /* SFPNOP still takes the sub-unit */
            vd_assert_lreg(tb, 6, 0x600);
            vd_assert_lreg(tb, 3, 0x1000);
            tb_destroy(tb);
        }
}

/* ---- Stores ------------------------------------------------------------------------------------------------------ */

/* The load's address, whatever happens to the counters, and no address mode of its own. */
static void test_store_address(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        tb->x->config.thread[0][CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] = (uint16_t)(16 * i);
    set_template(tb, 0, ADD_TO_C(5));
    set_sequence(tb, 0, SIMPLE, AFTER(0, 0));
    set_sequence(tb, 0, STORE, STORE_AFTER(2));
    vd_pass(tb, 0, TT(SFPLOADMACRO, 3, INT32, 1, 0), START);
    assert_int_equal(tb->x->rwc[0].dst, 16);
    vd_pass(tb, 0, TT(SFPLOAD, 5, INT32, 2, 32), START + 1);
    assert_int_equal(tb->x->rwc[0].dst, 48);
    assert_int_equal(dst_at(tb, 0, START + 3), 0x1000);
    assert_int_equal(dst_at(tb, 0, START + 4), 0x1005);
    assert_int_equal(tb->x->rwc[0].dst, 48);
    tb_destroy(tb);
}

/* VD: the load's, that of the template, or LReg16; mode: of Misc or of the load. */
static void test_store_operands(void **state) {
    static const struct {
        unsigned bits, uses_load;
        uint32_t value;
    } cases[] = {
        { STORE_AFTER(0), 0, 0x1000 },
        { STORE_AFTER(0) | AS_TEMPLATE, 0, 0x70 }, /* LReg0 */
        { STORE_AFTER(0) | TO_16, 0, 0x777 },
        { STORE_AFTER(0) | TO_16 | AS_TEMPLATE, 0, 0x777 },
        { AFTER(0, 1) | AS_TEMPLATE, 0, 0x600 },
        { AFTER(0, 1), 0, 0x1000 },
        { AFTER(0, 2) | AS_TEMPLATE, 0, 0x3F800000 }, /* VD = 10, or more than 11: it is a store all the same */
        { STORE_AFTER(0) | TO_16, 1, 0x777 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensix_box *tb = create();
        vd_fill(tb, 16, 0x777);
        vd_fill(tb, 0, 0x70);
        set_template(tb, 1, TT(SFPSTORE, 6, 0, 3, 99));
        set_template(tb, 2, TT(SFPSTORE, 10, 0, 3, 99));
        set_sequence(tb, 2, STORE, cases[i].bits);
        set_misc(tb, cases[i].uses_load ? 1 << 6 : INT32); /* if it is not the load's it would be another one */
        vd_pass(tb, 0, MACRO(2, 3, 0), START);
        assert_int_equal(dst_at(tb, 0, START + 2), cases[i].value);
        tb_destroy(tb);
    }
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

/* Delays, kinds and instructions by column. */
static void test_columns(void **state) {
    struct tensix_box *tb = create();
    struct vector *v = &tb->x->vector;
    (void)state;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        v->macro[i].template[0] = ADD_TO_C(i + 1);
        v->macro[i].sequence[0] = i == 7 ? 0 : AFTER(i % 3, 0);
        v->macro[i].misc = INT32 | (i == 5 ? COUNT_ISSUES(SIMPLE) : 0);
    }
    vector_derive(v);
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    for (uint64_t at = START + 1; at < START + 5; at++) {
        vd_until(tb, at);
        for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
            bool done = i != 7 && i != 5 && at >= START + 2 + i % 3;
            uint32_t is = v->open ? v->before[3][8 + i] : v->lreg[3][8 + i];
            assert_int_equal(is, done ? 0x1001 + i : 0x1000);
        }
    }
    vd_pass(tb, 0, SFPNOP_WORD, START + 10);
    vd_pass(tb, 0, SFPNOP_WORD, START + 11);
    vd_until(tb, START + 13);
    assert_int_equal(v->lreg[3][5], 0x1006);
    assert_int_equal(v->lreg[3][7], 0x1000);
    tb_destroy(tb);
}

/* ---- The unit's surroundings ------------------------------------------------------------------------------------- */

/* C11 waits for those that wait for cycles. */
static void test_stallwait(void **state) {
    (void)state;
    for (unsigned delay = 0; delay < 8; delay++)
        for (unsigned mad = 0; mad < 2; mad++) {
            struct tensix_box *tb = create();
            set_template(tb, 0, ADD_TO_C(5));
            set_template(tb, 1, TT(SFPMAD, 9, 9, 9, 0, 0));
            set_sequence(tb, 0, mad ? MAD : SIMPLE, AFTER(delay, mad));
            const uint32_t words[] = { MACRO(0, 3, 0), TT(STALLWAIT, 0x1FF, GATE_C_VECTOR), TT(SETC16, 3, 1),
                                       NOP_WORD };
            scene_push(tb, tb_core(0), 0, words, 4, START);
            tb->now = tb->x->time;
            tb_step(tb, START + 60);
            assert_int_equal(tb->passes[0], 4);
            unsigned until = 2 + delay + mad; /* from then on nothing is in the pipeline; then a cycle for the gate */
            assert_int_equal(tb->at[0][2] - tb->at[0][0], (until > 2 ? until : 2) + 1);
            tb_destroy(tb);
        }
}

/* It does not wait for instructions that wait for others, but again for the others when these are gone. */
static void test_stallwait_mixed(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_template(tb, 0, ADD_TO_C(5));
    set_sequence(tb, 0, SIMPLE, AFTER(1, 0));
    set_sequence(tb, 0, STORE, STORE_AFTER(7));
    set_misc(tb, INT32 | COUNT_ISSUES(SIMPLE));
    const uint32_t words[] = { MACRO(0, 3, 0), TT(STALLWAIT, 0x1FF, GATE_C_VECTOR), SFPNOP_WORD,
                               TT(STALLWAIT, 0x1FF, GATE_C_VECTOR), TT(SETC16, 3, 1) };
    scene_push(tb, tb_core(0), 0, words, 4, START);
    scene_push(tb, tb_core(0), 0, words + 4, 1, START + 1);
    tb->now = tb->x->time;
    tb_step(tb, START + 60);
    assert_int_equal(tb->passes[0], 5);
    assert_int_equal(tb->at[0][2] - tb->at[0][0], 3); /* nothing to wait for */
    uint64_t nop = tb->at[0][2]; /* the store has delay 6 then, and counts cycles from the next on */
    assert_int_equal(tb->at[0][4] - nop, 1 + 6 + 1 + 1); /* in which simple executes */
    tb_destroy(tb);
}

#define SOFT_RESET_0 0xFFB121B0u

static void test_soft_reset(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_sequence(tb, 0, STORE, STORE_AFTER(5) | AS_TEMPLATE);
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    vd_until(tb, START + 2);
    box_poke32(tb->box, SOFT_RESET_0, 0x47C00);
    vd_until(tb, START + 3);
    box_poke32(tb->box, SOFT_RESET_0, 0x47800);
    assert_int_equal(dst_at(tb, 0, START + 30), 0x1000);
    tb_destroy(tb);
}

/* ---- A whole routine --------------------------------------------------------------------------------------------- */

/* where(a, b, c) in three cycles a row: the flags of one cycle choose what the next one loads. */
enum { ROWS = 6, A = 0, B = 64, C = 128 };

static void where_program(struct tensix_box *tb) {
    TB_PUSH_ALL(tb, 1, TT(SFPENCC, 3, 0, 0, 10), TT(SFPSETCC, 0, 0, 12, 6), TT(SFPENCC, 0, 0, 13, 0),
                TT(SFPLOADI, 0, 10, AFTER(0, 0)), TT(SFPLOADI, 0, 8, STORE_AFTER(2) << 8), TT(SFPCONFIG, 0, 4, 0),
                TT(SFPCONFIG, AFTER(0, 1), 6, 1), TT(SFPCONFIG, 0x770, 8, 1),
                TT(SETC16, CONFIG_WORD_ADDR_MOD_DST_SEC6_DestIncr, 2),
                TT(SETC16, CONFIG_WORD_ADDR_MOD_DST_SEC7_DestIncr, 0));
    for (unsigned i = 0; i < ROWS; i++)
        TB_PUSH_ALL(tb, 1, TT(SFPLOADMACRO, 0, INT32, 7, A), TT(SFPLOADMACRO, 2 << 2, INT32, 7, B),
                    TT(SFPLOAD, 0, INT32, 6, C));
    TB_PUSH_ALL(tb, 1, SFPNOP_WORD, SFPNOP_WORD, SFPNOP_WORD);
}

static uint32_t input(unsigned which, unsigned row, unsigned column) {
    uint32_t x = (which * 131 + row) * 16 + column;
    return which == 0 ? (x * 0x9E3779B1u >> 30 ? x : 0) : x << 3;
}

static void put_inputs(struct tensix *x) {
    static const unsigned base[3] = { A, B, C };
    for (unsigned which = 0; which < 3; which++)
        for (unsigned row = 0; row < 64; row++)
            for (unsigned column = 0; column < 16; column++)
                dst_put32(&x->dst, dst_row32(x->config.bank[0], base[which] + row), column, input(which, row, column));
}

/* Cycle by cycle, or all at once. */
static struct tensix_box *play_where(bool step) {
    struct tensix_box *tb = tb_create();
    put_inputs(tb->x);
    where_program(tb);
    tb_start(tb);
    if (step)
        tb_step(tb, SCENE_END);
    tile_run(&tb->box->tile, SCENE_END);
    tensix_run(tb->x, SCENE_END);
    assert_ended(tb);
    return tb;
}

static void assert_where(const struct tensix_box *tb) {
    for (unsigned row = 0; row < 4 * ROWS / 2; row++)
        for (unsigned column = 0; column < 16; column++) {
            uint32_t is = dst_get32(&tb->x->dst, dst_row32(tb->x->config.bank[0], row), column);
            uint32_t want = input(input(0, row, column) ? 1 : 2, row, column);
            if (is != want)
                fail_msg("row %u column %u: %x, not %x", row, column, is, want);
        }
}

static void test_where(void **state) {
    (void)state;
    for (unsigned step = 0; step < 2; step++) {
        struct tensix_box *tb = play_where(step);
        assert_where(tb);
        assert_int_equal(tb->x->thread[1].frontend.passes, 13 + 3 * ROWS);
        if (step)
            assert_int_equal(tb->at[1][10 + 3 * ROWS - 1] - tb->at[1][10], 3 * ROWS - 1);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_cycles_pass),
        cmocka_unit_test(test_instructions_pass),
        cmocka_unit_test(test_kinds_mixed),
        cmocka_unit_test(test_forgetting),
        cmocka_unit_test(test_eight_waiting),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_immediate_operands),
        cmocka_unit_test(test_wrong_sub_unit),
        cmocka_unit_test(test_store_address),
        cmocka_unit_test(test_store_operands),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_stallwait),
        cmocka_unit_test(test_stallwait_mixed),
        cmocka_unit_test(test_soft_reset),
        cmocka_unit_test(test_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
