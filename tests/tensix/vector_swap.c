/* SFPSWAP in every mode, against its meaning in one lane, and its two cycles. */
#include "tensix/vector_lanes.h"

enum { ROUNDS = 1500 };

/* Rows of lanes in which VD becomes the smaller one, by mode. */
static const char *const minimum_rows[16] = { "", "0123", "01", "02", "03", "0", "1", "2", "3" };

static bool swaps(const struct lane *l, const struct fields *f) {
    const char *rows = minimum_rows[f->mod] ? minimum_rows[f->mod] : "";
    bool c_smaller = lane_order(l->r[f->vc]) < lane_order(l->r[f->vd]);
    if (f->mod == 0)
        return true;
    bool swap = strchr(rows, (int)('0' + l->number / 8)) ? c_smaller : !c_smaller;
    return swap != (l->config >> 8 & 1);
}

static void mean_SFPSWAP(struct lane *l, const struct fields *f) {
    if (!l->enabled || !swaps(l, f))
        return;
    unsigned limit = l->config & LANE_DEST_INDEX ? 4 : 8;
    uint32_t c = l->r[f->vc], d = l->r[f->vd];
    uint32_t c_index = l->r[4 + f->vc % 4], d_index = l->r[4 + f->vd % 4];
    if (f->vc < limit)
        l->r[f->vc] = d;
    if (f->vd < limit)
        l->r[f->vd] = c;
    if (limit == 4) {
        l->r[4 + f->vc % 4] = d_index;
        l->r[4 + f->vd % 4] = c_index;
    }
}

static void check(struct tensix_box *tb, const struct fields *f) {
    struct vector want = tb->x->vector;
    uint32_t word = vl_word(TENSIX_SFPSWAP, f);
    vl_apply(&want, word, f, mean_SFPSWAP);
    vl_execute(tb, execute_SFPSWAP, word);
    vl_assert_same(&tb->x->vector, &want, word);
}

static void test_all_modes(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    uint64_t seed = 21;
    for (unsigned level = 0; lanes_at(level); level++) {
        tb->x->vector.lanes = lanes_at(level);
        for (unsigned n = 0; n < 16 * ROUNDS; n++) {
            vl_draw_state(&tb->x->vector, &seed);
            struct fields f = { .mod = n % 16, .imm12 = random_below(&seed, 4096) };
            unsigned limit = random_below(&seed, 3) ? 8 : 16;
            f.vc = random_below(&seed, limit);
            f.vd = random_below(&seed, limit);
            check(tb, &f);
        }
    }
    tb_destroy(tb);
}

/* All high halves in order against their neighbours, their opposites and themselves. */
static void test_high_halves(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    for (uint32_t half = 0; half < 0x10000; half += 8) {
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t x = (half + i / 4) << 16, other[4] = { x + 1, x ^ 0x80000000, x, x - 1 };
            v->lreg[0][i] = x;
            v->lreg[1][i] = other[i % 4];
        }
        struct fields f = { .mod = half / 8 % 16, .vc = half >> 7 & 1, .vd = ~half >> 7 & 1 };
        check(tb, &f);
    }
    tb_destroy(tb);
}

/* ---- Time -------------------------------------------------------------------------------------------------- */

static void fill(uint32_t *lreg, uint32_t value) {
    for (unsigned i = 0; i < LANES; i++)
        lreg[i] = value;
}

static void assert_filled(const uint32_t *lreg, uint32_t value) {
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(lreg[i], value);
}

/* As by an instruction of the MAD sub-unit that passes in cycle `at`. */
static void arrives(struct tensix_box *tb, uint64_t at, unsigned lreg, uint32_t value) {
    struct vector_turn turn = { .x = tb->x, .v = &tb->x->vector, .now = at, .lanes = LANES_ALL };
    fill(vector_out_late(&turn, lreg, LANES_ALL), value);
}

static void swap_at(struct tensix_box *tb, uint64_t at, unsigned mod) {
    assert_int_equal(execute_SFPSWAP(tb->x, 0, TT(SFPSWAP, 0, 1, 2, mod), at), TENSIX_PASSED);
}

static void settle(struct tensix_box *tb, uint64_t at) {
    assert_int_equal(execute_SFPNOP(tb->x, 0, 0x8F000000, at), TENSIX_PASSED);
}

/* Registers are written in the second cycle. */
static void test_writes_in_second_cycle(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    fill(v->lreg[1], 11);
    fill(v->lreg[2], 22);
    swap_at(tb, 100, 0);
    settle(tb, 101);
    assert_filled(v->lreg[1], 11);
    assert_filled(v->lreg[2], 22);
    settle(tb, 102);
    assert_filled(v->lreg[1], 22);
    assert_filled(v->lreg[2], 11);
    assert_true(tb->x->thread[0].busy[TENSIX_BUSY_VECTOR] >= 102);
    tb_destroy(tb);
}

/* A result that arrives between its two cycles comes too late to be compared, but is what it exchanges. */
static void test_stale_comparison(void **state) {
    (void)state;
    static const struct {
        uint32_t c, d, late_d; /* VD = min(VC, VD) of the old ones decides */
        uint32_t c_after, d_after;
    } cases[] = {
        { 10, 20, 5, 5, 10 },  /* 10 < 20: exchanged, though 10 > 5 */
        { 10, 5, 20, 10, 20 }, /* 10 > 5: not exchanged, though 10 < 20 */
        { 10, 20, 30, 30, 10 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tensix_box *tb = tb_create();
        struct vector *v = &tb->x->vector;
        fill(v->lreg[1], cases[i].c);
        fill(v->lreg[2], cases[i].d);
        arrives(tb, 99, 2, cases[i].late_d);
        swap_at(tb, 100, 1);
        settle(tb, 103);
        assert_filled(v->lreg[1], cases[i].c_after);
        assert_filled(v->lreg[2], cases[i].d_after);
        tb_destroy(tb);
    }
}

/* One cycle earlier it is compared too. */
static void test_known_comparison(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    fill(v->lreg[1], 10);
    fill(v->lreg[2], 20);
    arrives(tb, 98, 2, 5);
    swap_at(tb, 100, 1);
    settle(tb, 103);
    assert_filled(v->lreg[1], 10);
    assert_filled(v->lreg[2], 5);
    tb_destroy(tb);
}

/* One of the same cycle is later than both. */
static void test_result_of_the_same_cycle(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    fill(v->lreg[1], 10);
    fill(v->lreg[2], 20);
    struct vector_turn turn = { .x = tb->x, .v = v, .in = v->lreg, .now = 100, .lanes = LANES_ALL, .scheduled = true };
    turn.vc = 1, turn.vd = 2;
    arrives(tb, 100, 1, 11);
    vector_SFPSWAP(&turn);
    settle(tb, 103);
    assert_filled(v->lreg[1], 20);
    assert_filled(v->lreg[2], 10);
    tb_destroy(tb);
}

/* A scheduled one may have LReg16 for VD, which it reads but never writes. */
static void test_scheduled_to_16(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    fill(v->lreg[1], 10);
    fill(v->lreg[16], 20);
    struct vector_turn turn = { .x = tb->x, .v = v, .in = v->lreg, .now = 100, .lanes = LANES_ALL, .scheduled = true };
    turn.vc = 1, turn.vd = 16, turn.mod = 1;
    vector_SFPSWAP(&turn);
    settle(tb, 103);
    assert_filled(v->lreg[1], 20);
    assert_filled(v->lreg[16], 20);
    tb_destroy(tb);
}

/* With indices the second register pair is read in the second cycle too, with as many pending results as possible. */
static void test_late_indices(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        v->lane_config[i] = i % 2 ? LANE_DEST_INDEX : 0;
    vector_derive(v);
    for (unsigned n = 0; n < 8; n++)
        fill(v->lreg[n], n);
    arrives(tb, 99, 5, 55);
    swap_at(tb, 100, 0);
    settle(tb, 103);
    for (unsigned i = 0; i < LANES; i++) {
        assert_int_equal(v->lreg[1][i], 2);
        assert_int_equal(v->lreg[2][i], 1);
        assert_int_equal(v->lreg[5][i], i % 2 ? 6 : 55);
        assert_int_equal(v->lreg[6][i], i % 2 ? 55 : 6);
    }
    tb_destroy(tb);
}

/* ---- Results beside indices ----------------------------------------------------------------------------- */

/* Erratum TEN-2932: with ENABLE_DEST_INDEX only some instructions can write LReg4..7. In mode 0 SFPLE and SFPGT have no
 * result, and those of SFPSHFT2 go to LReg0..3. */
static const uint8_t harmless[] = { TENSIX_SFPLOAD,      TENSIX_SFPLOADI,  TENSIX_SFPSTORE, TENSIX_SFPCONFIG,
                                    TENSIX_SFPSWAP,      TENSIX_SFPTRANSP, TENSIX_SFPSETCC, TENSIX_SFPPUSHC,
                                    TENSIX_SFPPOPC,      TENSIX_SFPENCC,   TENSIX_SFPCOMPC, TENSIX_SFPNOP,
                                    TENSIX_SFPLOADMACRO, TENSIX_SFPLE,     TENSIX_SFPGT,    TENSIX_SFPSHFT2 };
static const struct {
    uint8_t opcode;
    tensix_handler *handler;
} every[] = {
#define VECTOR_OP(name, ...) { TENSIX_##name, execute_##name },
#include "tensix/vector/vector.def"
};

/* chosen: the low bits of LReg7. */
static void spoilt_word(tensix_handler *handler, uint32_t word, unsigned chosen, bool index, bool want) {
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        v->lane_config[i] = index && i == 3 ? LANE_DEST_INDEX : 0;
    for (unsigned i = 0; i < LANES; i++)
        v->lreg[7][i] = i == 11 ? chosen : 0;
    v->stack[0].occupied = LANES_ALL;
    vector_derive(v);
    assert_int_equal(handler(tb->x, 0, word, 100), want ? TENSIX_NEVER : TENSIX_PASSED);
    assert_int_equal(tb->box->faults, want);
    if (want)
        assert_non_null(strstr(tb->box->fault.text, "TEN-2932"));
    tb_destroy(tb);
}

static void spoilt(unsigned opcode, tensix_handler *handler, unsigned vd, bool index, bool want) {
    spoilt_word(handler, opcode << 24 | vd << (opcode == TENSIX_SFPLUT ? 20 : 4), 0, index, want);
}

static void test_results_beside_indices(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof every / sizeof *every; i++) {
        bool exempt = memchr(harmless, every[i].opcode, sizeof harmless);
        for (unsigned vd = 0; vd < 8; vd++)
            for (unsigned index = 0; index < 2; index++)
                spoilt(every[i].opcode, every[i].handler, vd, index, index && vd >= 4 && !exempt);
    }
}

/* It is the result that counts, not VD. */
static void test_modes_without_a_result(void **state) {
    (void)state;
    for (unsigned mod = 0; mod < 16; mod++) {
        spoilt_word(execute_SFPLE, TT(SFPLE, 0, 1, 5, mod), 0, true, mod & 8);
        spoilt_word(execute_SFPGT, TT(SFPGT, 0, 1, 5, mod), 0, true, mod & 8);
    }
    for (unsigned mod = 0; mod < 7; mod++)
        spoilt_word(execute_SFPSHFT2, TT(SFPSHFT2, 0, 1, 5, mod), 0, true, mod > 2);
}

static void test_chosen_results(void **state) {
    (void)state;
    for (unsigned chosen = 0; chosen < 16; chosen++) {
        bool upper = chosen >= 4 && chosen < 8;
        spoilt_word(execute_SFPMAD, TT(SFPMAD, 1, 1, 1, 13, 8), chosen, true, false); /* a template */
        for (unsigned vd = 1; vd < 12; vd += 4) {
            spoilt_word(execute_SFPMAD, TT(SFPMAD, 1, 1, 1, vd, 8), chosen, true, upper);
            spoilt_word(execute_SFPMUL24, TT(SFPMUL24, 1, 1, 9, vd, 8), chosen, true, upper);
            spoilt_word(execute_SFPADDI, TT(SFPADDI, 0, vd, 8), chosen, true, upper);
            spoilt_word(execute_SFPLUT, TT(SFPLUT, vd, 8, 0), chosen, true, upper);
            spoilt_word(execute_SFPLUTFP32, 0x95000000 | vd << 4 | 10, chosen, true, upper);
        }
    }
}

/* Lanes that are off have nothing to lose. */
static void test_results_elsewhere(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    v->lane_config[3] = LANE_DEST_INDEX;
    v->use_flags = LANES_ALL;
    v->flags = ~UINT32_C(0x08080808);
    vector_derive(v);
    vl_execute(tb, execute_SFPMOV, TT(SFPMOV, .lreg_c = 10, .lreg_dest = 5));
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->lreg[5][i], i % 8 == 3 ? 0 : 0x3F800000);
    assert_int_equal(execute_SFPMOV(tb->x, 0, TT(SFPMOV, .lreg_c = 10, .lreg_dest = 5, .instr_mod1 = 2), tb->now),
                     TENSIX_NEVER); /* this mode acts there too */
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modes),
        cmocka_unit_test(test_high_halves),
        cmocka_unit_test(test_writes_in_second_cycle),
        cmocka_unit_test(test_stale_comparison),
        cmocka_unit_test(test_known_comparison),
        cmocka_unit_test(test_result_of_the_same_cycle),
        cmocka_unit_test(test_scheduled_to_16),
        cmocka_unit_test(test_late_indices),
        cmocka_unit_test(test_results_beside_indices),
        cmocka_unit_test(test_modes_without_a_result),
        cmocka_unit_test(test_chosen_results),
        cmocka_unit_test(test_results_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
