/* SFPLOADMACRO: what becomes of instructions that execute in the same cycle, and which must not (SFPLOADMACRO.md). */
#include "tensix/vector_macro.h"

/* ---- In the same cycle ------------------------------------------------------------------------------------------- */

/* All read what was there before the cycle: LReg3 goes to MAD, store and simple, which adds to it, and is loaded anew.
 */
static void test_same_cycle(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_template(tb, 0, TT(SFPIADD, 5, 0, 0, 5));
    set_template(tb, 1, TT(SFPMUL24, 3, 6, 9, 0, 0)); /* VB = 3 */
    set_template(tb, 2, TT(SFPSHFT2, 1, 0, 0, 6));
    set_sequence(tb, 0, SIMPLE, AFTER(0, 0));
    set_sequence(tb, 0, MAD, AFTER(0, 1) | INTO_B | TO_16);
    set_sequence(tb, 0, STORE, STORE_AFTER(0));
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    vd_fill(tb, 3, 0x30);
    vd_pass(tb, 0, TT(SFPLOAD, 4, INT32, 0, 0), START + 1);
    assert_int_equal(read_at(tb, 4, START + 2), 0x1000); /* not what the store wrote */
    assert_int_equal(dst_at(tb, 0, START + 2), 0x30);    /* not what simple made of it */
    assert_int_equal(read_at(tb, 3, START + 2), 0x35);
    assert_int_equal(read_at(tb, 16, START + 2), 0);
    assert_int_equal(read_at(tb, 16, START + 3), 0x30 * 0x30);
    tb_destroy(tb);
}

/* Flags that change in a cycle count from the next on, for all. */
static void test_flags_change(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    vd_pass(tb, 0, TT(SFPENCC, 3, 0, 0, 10), START - 1);
    set_template(tb, 0, TT(SFPSETCC, 0, 9, 0, 2)); /* of VC = the load's: all stay on */
    set_template(tb, 1, TT(SFPENCC, 0, 0, 0, 8));  /* all off */
    set_sequence(tb, 0, SIMPLE, AFTER(0, 1));
    set_sequence(tb, 0, STORE, STORE_AFTER(0));
    set_sequence(tb, 0, MAD, NOP_AFTER(0));
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    vd_fill(tb, 3, 0x33);
    vd_pass(tb, 0, TT(SFPLOADI, 4, 2, 7), START + 1);
    vd_pass(tb, 0, TT(SFPLOADI, 5, 2, 7), START + 2);
    assert_int_equal(dst_at(tb, 0, START + 3), 0x33);
    vd_assert_lreg(tb, 4, 7);
    vd_assert_lreg(tb, 5, 0x500);
    tb_destroy(tb);
}

/* A regular simple instruction that switches lanes off, beside a scheduled store. */
static void test_regular_flags(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    vd_pass(tb, 0, TT(SFPENCC, 3, 0, 0, 10), START - 1);
    set_sequence(tb, 0, STORE, STORE_AFTER(0));
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    vd_fill(tb, 3, 0x33);
    vd_pass(tb, 0, TT(SFPENCC, 0, 0, 0, 8), START + 1);
    assert_int_equal(dst_at(tb, 0, START + 2), 0x33);
    tb_destroy(tb);
}

/* The scheduled instruction has its sub-unit: the regular one is lost, but counts as issued. */
static void test_discarded(void **state) {
    static const uint32_t regular[] = { 0x7C000560, 0x84099560, 0x94005966, 0x72500000 | INT32 << 16 };
    (void)state;
    for (unsigned unit = SIMPLE; unit <= STORE; unit++)
        for (unsigned delay = 0; delay < 2; delay++) {
            struct tensix_box *tb = create();
            vd_fill(tb, 5, 0x3F800000);
            set_sequence(tb, 0, unit, unit == STORE ? STORE_AFTER(delay) : NOP_AFTER(delay));
            vd_pass(tb, 0, MACRO(0, 3, 16), START);
            tb->x->config.thread[0][CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr] = 8;
            vd_pass(tb, 0, regular[unit], START + 1);
            vd_settled(tb);
            bool lost = delay == 0;
            if (unit == STORE) {
                assert_int_equal(dst_at(tb, 0, tb->now), lost ? 0x1000 : 0x3F800000);
                assert_int_equal(tb->x->rwc[0].dst, lost ? 0 : 8);
            } else {
                assert_int_equal(tb->x->vector.lreg[6][9] == 0x600, lost);
            }
            tb_destroy(tb);
        }
}

/* A regular MAD that is lost stalls nothing. */
static void test_discarded_stalls_nobody(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_sequence(tb, 0, MAD, NOP_AFTER(0));
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    vd_pass(tb, 0, TT(SFPMAD, 9, 9, 9, 6, 0), START + 1);
    vd_pass(tb, 0, MOV(6, 5), START + 2);
    vd_assert_lreg(tb, 5, 0x600);
    tb_destroy(tb);
}

/* No instruction waits for a scheduled MAD: a reader in the next cycle gets the old value. */
static void test_no_stall(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    vd_fill(tb, 5, 0x40000000);
    set_template(tb, 0, TT(SFPMAD, 5, 10, 9, 0, 0)); /* 2 * 1 */
    set_sequence(tb, 0, MAD, AFTER(0, 0) | INTO_B);
    set_template(tb, 1, TT(SFPADDI, 0x4000, 5, 0)); /* LReg5 + 2 in the end */
    set_sequence(tb, 1, MAD, AFTER(1, 1) | INTO_B);
    set_template(tb, 2, MOV(4, 0));
    set_sequence(tb, 1, SIMPLE, AFTER(2, 2) | INTO_B | TO_16);
    vd_fill(tb, 3, 0x3F800000);
    VD_ALL(tb, START - 20, TT(SFPSTORE, 3, INT32, 0, 8));
    vd_pass(tb, 0, TT(SFPLOADMACRO, 4, INT32, 0, 9) & ~0x00F00000u, START); /* macro 0, LReg4 = 1: becomes 2 * 1 */
    vd_pass(tb, 0, SFPNOP_WORD, START + 1);                                 /* it executes here */
    vd_pass(tb, 0, MOV(4, 6), START + 2);
    vd_pass(tb, 0, MOV(4, 7), START + 3);
    vd_assert_lreg(tb, 6, 0x3F800000);
    vd_assert_lreg(tb, 7, 0x40000000);
    tb_destroy(tb);
}

/* SFPSWAP compares in its first cycle and reads again in its second, where a load of the first can be seen. */
static void test_scheduled_swap(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_template(tb, 0, TT(SFPSWAP, 0, 5, 0, 1));
    set_sequence(tb, 0, SIMPLE, AFTER(0, 0) | INTO_B); /* VC = 5, VD = 3 becomes the minimum */
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    vd_pass(tb, 0, TT(SFPLOADI, 5, 2, 0x77), START + 1); /* 0x500 < 0x1000: they change places */
    assert_int_equal(read_at(tb, 3, START + 2), 0x1000);
    assert_int_equal(read_at(tb, 5, START + 2), 0x77);
    assert_int_equal(read_at(tb, 3, START + 3), 0x77);
    assert_int_equal(read_at(tb, 5, START + 3), 0x1000);
    tb_destroy(tb);
}

/* ---- Undefined --------------------------------------------------------------------------------------------------- */

static void test_undefined_sequences(void **state) {
    (void)state;
    for (unsigned unit = SIMPLE; unit <= STORE; unit++)
        for (unsigned what = 1; what < 8; what++) {
            struct tensix_box *tb = create();
            set_template(tb, 0, TT(SFPSTORE, 0, 0, 0, 0));
            set_sequence(tb, 0, unit, what);
            bool undefined = what == 1 || (unit == STORE && what != 3 && what != 4);
            if (undefined)
                vd_assert_refused(tb, 0, MACRO(0, 3, 0), START, what == 1 ? "instruction 1" : "else than SFPSTORE");
            else
                vd_pass(tb, 0, MACRO(0, 3, 0), START);
            assert_int_equal(read_at(tb, 3, START + 1), undefined ? 0x300 : 0x1000);
            tb_destroy(tb);
        }
}

static void test_uneven_store(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_sequence(tb, 0, STORE, STORE_AFTER(0));
    tb->x->vector.macro[6].sequence[0] = 0;
    vector_derive(&tb->x->vector);
    vd_assert_refused(tb, 0, MACRO(0, 3, 0), START, "in some columns");
    tb_destroy(tb);
}

static void assert_scheduled_fault(struct tensix_box *tb, uint64_t cycle, const char *text) {
    vd_until(tb, cycle + 1);
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(tb->box->fault.cycle, cycle);
    if (!strstr(tb->box->fault.text, text) || !strstr(tb->box->fault.text, "SFPLOADMACRO"))
        fail_msg("%s", tb->box->fault.text);
}

/* Simple and round together: one of them, and only one, has to have LReg16. */
static void test_simple_and_round(void **state) {
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        struct tensix_box *tb = create();
        bool nop = n >> 2, simple16 = n & 1, round16 = n >> 1 & 1;
        set_template(tb, 0, ADD_TO_C(5));
        set_template(tb, 1, TT(SFPSHFT2, 1, 0, 0, 6));
        set_sequence(tb, 0, SIMPLE, (nop ? NOP_AFTER(0) : AFTER(0, 0)) | (simple16 ? TO_16 : 0));
        set_sequence(tb, 0, ROUND, AFTER(0, 1) | (round16 ? TO_16 : 0));
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        if (nop || simple16 != round16)
            vd_until(tb, START + 10);
        else
            assert_scheduled_fault(tb, START + 1, "a simple and a round");
        assert_int_equal(tb->box->faults, !nop && simple16 == round16);
        tb_destroy(tb);
    }
}

/* Likewise with a regular one, which cannot have LReg16. */
static void test_simple_and_regular_round(void **state) {
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        struct tensix_box *tb = create();
        bool simple = n & 1, to_16 = n >> 1;
        set_template(tb, 0, ADD_TO_C(5));
        set_template(tb, 1, TT(SFPSHFT2, 1, 0, 0, 6));
        set_sequence(tb, 0, simple ? SIMPLE : ROUND, AFTER(0, simple ? 0 : 1) | (to_16 ? TO_16 : 0));
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        uint32_t regular = simple ? TT(SFPSHFT2, 1, 0, 4, 6) : MOV(5, 4);
        if (to_16)
            vd_pass(tb, 1, regular, START + 1);
        else
            vd_assert_refused(tb, 1, regular, START + 1, "a simple and a round");
        tb_destroy(tb);
    }
}

/* A column is enough, whatever the others have. */
static void test_one_column_and_regular(void **state) {
    (void)state;
    for (unsigned column = 0; column < VECTOR_COLUMNS; column++) {
        struct tensix_box *tb = create();
        set_template(tb, 1, TT(SFPSHFT2, 1, 0, 0, 6));
        tb->x->vector.macro[column].sequence[0] = AFTER(0, 1) << 8 * ROUND;
        vector_derive(&tb->x->vector);
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        vd_assert_refused(tb, 1, MOV(5, 4), START + 1, "a simple and a round");
        tb_destroy(tb);
    }
}

/* A backdoor load of a template does not execute, so that nothing coincides with it. */
static void test_round_and_backdoor_load(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    set_template(tb, 1, TT(SFPSHFT2, 1, 0, 0, 6));
    set_sequence(tb, 0, ROUND, AFTER(0, 1));
    vd_pass(tb, 0, MACRO(0, 3, 0), START);
    vd_pass(tb, 1, MOV(5, 12), START + 1);
    assert_int_equal(tb->x->vector.macro[0].template[0], MOV(5, 12));
    assert_int_equal(tb->box->faults, 0);
    tb_destroy(tb);
}

/* SFPSWAP: nothing for MAD in its cycle, nothing for simple and round in the next. */
static void test_swap_and_others(void **state) {
    static const struct {
        unsigned unit, delay;
        bool nop, undefined;
    } cases[] = { { MAD, 0, false, true },    { MAD, 0, true, false },    { MAD, 1, false, false },
                  { ROUND, 1, false, true },  { ROUND, 1, true, false },  { ROUND, 2, false, false },
                  { STORE, 0, false, false }, { STORE, 1, false, false }, { ROUND, 0, false, false } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensix_box *tb = create();
        set_template(tb, 0, TT(SFPSWAP, 0, 5, 0, 1));
        set_template(tb, 1, TT(SFPMAD, 9, 9, 9, 0, 0));
        set_template(tb, 2, TT(SFPSHFT2, 1, 0, 0, 6));
        set_sequence(tb, 0, SIMPLE, AFTER(0, 0));
        unsigned bits =
            cases[i].unit == STORE ? STORE_AFTER(cases[i].delay) : AFTER(cases[i].delay, cases[i].unit) | TO_16;
        set_sequence(tb, 0, cases[i].unit, cases[i].nop ? NOP_AFTER(cases[i].delay) : bits);
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        if (cases[i].undefined)
            assert_scheduled_fault(tb, START + 1 + cases[i].delay, cases[i].unit == MAD ? "SFPSWAP" : "second cycle");
        vd_until(tb, START + 20);
        assert_int_equal(tb->box->faults, cases[i].undefined);
        tb_destroy(tb);
    }
}

/* Regular ones beside a scheduled SFPSWAP, and after it. */
static void test_swap_and_regular(void **state) {
    static const struct {
        uint32_t word;
        unsigned after;
        const char *undefined;
    } cases[] = { { 0x84099940, 0, "SFPSWAP" }, { 0x84099940, 1, NULL },          { 0x7C000540, 1, "second cycle" },
                  { 0x94001046, 1, "second" },  { 0x71400005, 1, NULL },          { 0x8F000000, 1, NULL },
                  { 0x7C000540, 2, NULL },      { 0x72500000 | 4 << 16, 1, NULL } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensix_box *tb = create();
        set_template(tb, 0, TT(SFPSWAP, 0, 5, 0, 1));
        set_sequence(tb, 0, SIMPLE, AFTER(0, 0));
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        if (cases[i].undefined)
            vd_assert_refused(tb, 1, cases[i].word, START + 1 + cases[i].after, cases[i].undefined);
        else
            vd_pass(tb, 1, cases[i].word, START + 1 + cases[i].after);
        tb_destroy(tb);
    }
}

/* SFPSHFT2 across lanes needs the round sub-unit for two cycles. */
static void test_shuffle_and_others(void **state) {
    (void)state;
    for (unsigned mod = 0; mod < 7; mod++) {
        struct tensix_box *tb = create();
        bool across = mod >= 2 && mod <= 4;
        set_template(tb, 0, TT(SFPSHFT2, 1, 0, 0, mod));
        set_sequence(tb, 0, ROUND, AFTER(0, 0));
        vd_pass(tb, 0, MACRO(0, 3, 0), START);
        if (across)
            vd_assert_refused(tb, 0, TT(SFPSHFT2, 1, 0, 4, 6), START + 2, "second cycle");
        else
            vd_pass(tb, 0, TT(SFPSHFT2, 1, 0, 4, 6), START + 2);
        tb_destroy(tb);
    }
}

/* A scheduled instruction that is refused stops the thread that scheduled it, wherever it is by then. */
static void test_refused_later(void **state) {
    struct tensix_box *tb = create();
    uint32_t words[8] = { MACRO(0, 3, 0) };
    (void)state;
    set_template(tb, 0, TT(SFPPOPC, 0, 0, 0, 0));
    set_sequence(tb, 0, SIMPLE, AFTER(3, 0));
    for (unsigned i = 1; i < 8; i++)
        words[i] = SFPNOP_WORD;
    scene_push(tb, tb_core(2), 2, words, 4, START);
    scene_push(tb, tb_core(2), 2, words + 4, 4, START + 1);
    tb->now = tb->x->time;
    tb_step(tb, START + 60);
    assert_int_equal(tb->passes[2], 5); /* it executes with the fifth, which is when it is known */
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.thread, 2);
    assert_int_equal(tb->box->fault.cycle, tb->at[2][0] + 4);
    assert_non_null(strstr(tb->box->fault.text, "scheduled by SFPLOADMACRO: a pop from the empty"));
    tb_destroy(tb);
}

/* Its thread passes nothing more, wherever runs end. Returns the number of words that have passed. */
static unsigned passes_of_refused(uint64_t end, unsigned delay) {
    struct tensix_box *tb = create();
    set_template(tb, 0, TT(SFPPOPC, 0, 0, 0, 0));
    set_sequence(tb, 0, SIMPLE, AFTER(delay, 0));
    tb_push(tb, 1, MACRO(0, 3, 0));
    for (unsigned i = 0; i < 40; i++)
        tb_push(tb, 1, SFPNOP_WORD);
    tb_start(tb);
    for (uint64_t until = end; until < end + 1000; until += 500) {
        tile_run(&tb->box->tile, until);
        tensix_run(tb->x, until);
    }
    const struct tensix_thread *t = &tb->x->thread[1];
    assert_true(t->faulted && t->due == TENSIX_NEVER && t->waits_on == WAIT_FAULT);
    assert_int_equal(tb->box->faults, 1);
    unsigned passes = (unsigned)t->frontend.passes;
    tb_destroy(tb);
    return passes;
}

static void test_refused_at_the_end_of_a_run(void **state) {
    (void)state;
    for (unsigned delay = 0; delay < 8; delay++) {
        unsigned passes = passes_of_refused(500, delay);
        assert_in_range(passes, delay + 1, delay + 3);
        for (uint64_t end = 100; end < 140; end++)
            assert_int_equal(passes_of_refused(end, delay), passes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_cycle),
        cmocka_unit_test(test_flags_change),
        cmocka_unit_test(test_regular_flags),
        cmocka_unit_test(test_discarded),
        cmocka_unit_test(test_discarded_stalls_nobody),
        cmocka_unit_test(test_no_stall),
        cmocka_unit_test(test_scheduled_swap),
        cmocka_unit_test(test_undefined_sequences),
        cmocka_unit_test(test_uneven_store),
        cmocka_unit_test(test_simple_and_round),
        cmocka_unit_test(test_simple_and_regular_round),
        cmocka_unit_test(test_one_column_and_regular),
        cmocka_unit_test(test_round_and_backdoor_load),
        cmocka_unit_test(test_swap_and_others),
        cmocka_unit_test(test_swap_and_regular),
        cmocka_unit_test(test_shuffle_and_others),
        cmocka_unit_test(test_refused_later),
        cmocka_unit_test(test_refused_at_the_end_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
