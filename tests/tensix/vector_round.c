/* Conversions, SFPSHFT2 and the random numbers: every instruction in every mode against its meaning, under all kinds of
 * predication; when results of two cycles can be read; seeding. The numbers themselves: tests/numeric/lanes_round.c. */
#include "numeric/round_models.h"
#include "tensix/vector_lanes.h"

enum { ROUNDS = 400 };

/* ---- Meaning in a lane --------------------------------------------------------------------------- */

static uint32_t draw_from(struct lane *l) {
    uint32_t state = l->random;
    l->random = model_step(state);
    return state;
}

/* Of the 12 bits above VC: rounding mode 10:9, immediate 8:4, VB 3:0. */
static void mean_SFP_STOCH_RND(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc], count = f->mod & 8 ? f->imm12 >> 4 & 31 : l->r[f->vb];
    if (!l->enabled)
        return;
    uint32_t threshold = draw_from(l) & 0x7FFFFF;
    if ((f->imm12 >> 9 & 3) == 0)
        threshold = 0x400000;
    if ((f->imm12 >> 9 & 3) == 2)
        threshold = 0x7FFFFF;
    switch (f->mod & 7) {
    case 0: lane_put(l, f->vd, model_shorten(c, 13, threshold)); break;
    case 1: lane_put(l, f->vd, model_shorten(c, 16, threshold)); break;
    case 2: lane_put(l, f->vd, model_to_integer(c, 0, 255, threshold)); break;
    case 3: lane_put(l, f->vd, model_to_integer(c, 0x80000000, 127, threshold)); break;
    case 4: lane_put(l, f->vd, model_descale(c, count, 0, 255, threshold)); break;
    case 5: lane_put(l, f->vd, model_descale(c, count, 0x80000000, 127, threshold)); break;
    case 6: lane_put(l, f->vd, model_to_integer(c, 0, 65535, threshold)); break;
    case 7: lane_put(l, f->vd, model_to_integer(c, 0x80000000, 32767, threshold)); break;
    }
}

static void mean_SFPCAST(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc];
    if (!l->enabled)
        return;
    switch (f->mod & 3) {
    case 0: lane_put(l, f->vd, model_to_float(c)); break;
    case 1: lane_put(l, f->vd, model_to_float_random(c, draw_from(l))); break;
    case 2: lane_put(l, f->vd, c >> 31 ? 0 - c : c); break;
    case 3: lane_put(l, f->vd, model_complement(c)); break;
    }
}

static void mean_SFPARECIP(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc];
    if (!l->enabled)
        return;
    switch (f->mod) {
    case 0: lane_put(l, f->vd, model_reciprocal(c)); break;
    case 1: lane_put(l, f->vd, model_reciprocal_if_negative(l->r[f->vb], c)); break;
    default: lane_put(l, f->vd, model_exponential(c)); break;
    }
}

/* ---- Lane by lane -------------------------------------------------------------------------------- */

static const struct vl_op ops[] = {
    { TENSIX_SFP_STOCH_RND, execute_SFP_STOCH_RND, mean_SFP_STOCH_RND },
    { TENSIX_SFPCAST, execute_SFPCAST, mean_SFPCAST },
    { TENSIX_SFPARECIP, execute_SFPARECIP, mean_SFPARECIP },
};
enum { OP_COUNT = sizeof ops / sizeof ops[0] };

static struct fields draw_fields(uint64_t *seed, unsigned mod) {
    struct fields f = { .mod = mod, .vc = random_below(seed, 16), .imm12 = random_below(seed, 2048) };
    f.vd = random_below(seed, random_below(seed, 3) ? 8 : 16);
    f.vb = f.imm12 & 15;
    return f;
}

static void test_all_modes(void **state) {
    (void)state;
    vl_test_all_modes(ops, OP_COUNT, ROUNDS, 21, draw_fields);
}

/* One after the other, so that the generators of the lanes go apart. */
static void test_chains(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    uint64_t seed = 22;
    for (unsigned round = 0; round < 200; round++) {
        vl_draw_state_without_index(&tb->x->vector, &seed);
        for (unsigned n = 0; n < 40; n++) {
            struct fields f = draw_fields(&seed, random_below(&seed, 16));
            vl_check(tb, &ops[random_below(&seed, OP_COUNT)], &f);
            vl_draw_flags(&tb->x->vector, &seed);
            vector_derive(&tb->x->vector);
        }
    }
    tb_destroy(tb);
}

/* ---- SFPSHFT2 -------------------------------------------------------------------------------------- */

static uint32_t shifted(uint32_t b, int32_t count) {
    return count >= 0 ? b << (count & 31) : b >> (-(int64_t)count & 31);
}

/* The expected value of lane i, from the registers as they were. */
static void shift2_lane(struct vector *v, const struct vector *old, const struct fields *f, unsigned i) {
    const uint32_t *b = old->lreg[f->vb], *c = old->lreg[f->vc];
    int32_t imm = f->imm12 < 2048 ? (int32_t)f->imm12 : (int32_t)f->imm12 - 4096;
    uint32_t *d = f->vd < 8 || f->vd == 16 ? &v->lreg[f->vd][i] : &v->lreg[VECTOR_NOWHERE][i];
    uint32_t left = i % 8 ? c[i - 1] : c[i + 7];
    for (unsigned n = 0; n < 3 && f->mod < 3; n++)
        v->lreg[n][i] = old->lreg[n + 1][i];
    switch (f->mod) {
    case 0: v->lreg[3][i] = 0; break;
    case 1: v->lreg[3][i] = i < 24 ? old->lreg[0][i + 8] : 0; break;
    case 2: v->lreg[3][i] = left; break;
    case 3: *d = left; break;
    case 4: *d = i % 8 ? left : 0; break;
    case 5: *d = shifted(b[i], (int32_t)c[i]); break;
    case 6: *d = shifted(b[i], imm); break;
    }
}

static void apply_shift2(struct vector *v, const struct fields *f, uint32_t word) {
    struct vector old = *v;
    for (unsigned i = 0; i < LANES; i++) {
        struct lane l = vl_get(&old, i);
        if (f->vd >= 12 && f->vd < 16 && !(l.config & LANE_NO_BACKDOOR))
            v->macro[i % 8].template[f->vd - 12] = word;
        else if (l.enabled)
            shift2_lane(v, &old, f, i);
    }
}

static void test_shift2(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    uint64_t seed = 23;
    for (unsigned level = 0; lanes_at(level); level++) {
        tb->x->vector.lanes = lanes_at(level);
        for (unsigned n = 0; n < 7 * ROUNDS; n++) {
            vl_draw_state_without_index(&tb->x->vector, &seed);
            struct fields f = draw_fields(&seed, n % 7);
            f.imm12 |= random_below(&seed, 2) << 11;
            struct vector want = tb->x->vector;
            uint32_t word = vl_word(TENSIX_SFPSHFT2, &f);
            apply_shift2(&want, &f, word);
            vl_execute(tb, execute_SFPSHFT2, word);
            vl_assert_same(&tb->x->vector, &want, word);
        }
    }
    tb_destroy(tb);
}

static void test_shift2_has_seven_modes(void **state) {
    (void)state;
    for (unsigned mod = 7; mod < 16; mod++) {
        struct tensix_box *tb = tb_create();
        struct vector old = tb->x->vector;
        tb_push(tb, 0, TT(SFPSHFT2, 0, 1, 2, mod));
        assert_false(tb_run(tb));
        assert_int_equal(tb->box->faults, 1);
        assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
        assert_memory_equal(tb->x->vector.lreg, old.lreg, sizeof old.lreg);
        tb_destroy(tb);
    }
}

/* Whether L2 or L3 has changed once everything up to this cycle has arrived. */
static bool arrived(struct tensix_box *tb, const struct vector *old, uint64_t cycle) {
    assert_int_equal(execute_SFPNOP(tb->x, 0, 0x8F000000, cycle), TENSIX_PASSED);
    return memcmp(tb->x->vector.lreg[2], old->lreg[2], sizeof old->lreg[2]) != 0 ||
           memcmp(tb->x->vector.lreg[3], old->lreg[3], sizeof old->lreg[3]) != 0;
}

static void test_shift2_takes_two_cycles(void **state) {
    (void)state;
    uint64_t seed = 24;
    for (unsigned mod = 0; mod < 7; mod++) {
        struct tensix_box *tb = tb_create();
        vl_draw_registers(&tb->x->vector, &seed);
        struct vector old = tb->x->vector;
        assert_int_equal(execute_SFPSHFT2(tb->x, 0, TT(SFPSHFT2, 6, 1, 2, mod), 10), TENSIX_PASSED);
        assert_int_equal(arrived(tb, &old, 11), mod < 2 || mod > 4);
        assert_true(arrived(tb, &old, 12));
        tb_destroy(tb);
    }
}

/* A pending result for a register that they read: the old value is moved, and the result still lands. */
static void test_shift2_reads_first(void **state) {
    (void)state;
    uint64_t seed = 25;
    for (unsigned mod = 2; mod < 7; mod++) {
        struct tensix_box *tb = tb_create();
        struct vector *v = &tb->x->vector;
        vl_draw_registers(v, &seed);
        struct vector want = *v;
        struct fields f = { .imm12 = 6, .vb = 6, .vc = 7, .vd = 2, .mod = mod };
        struct vector_turn turn = { .x = tb->x, .v = v, .in = v->lreg, .now = 9, .lanes = LANES_ALL };
        v->lanes->move.fill(vector_out_late(&turn, 6, LANES_ALL), 77, LANES_ALL);
        v->lanes->move.fill(vector_out_late(&turn, 7, LANES_ALL), 78, LANES_ALL);
        apply_shift2(&want, &f, 0);
        turn = (struct vector_turn){
            .x = tb->x,
            .v = v,
            .in = v->lreg,
            .now = 10,
            .word = vl_word(TENSIX_SFPSHFT2, &f),
            .lanes = LANES_ALL,
            .vb = 6,
            .vc = 7,
            .vd = 2,
            .mod = (uint8_t)mod,
        };
        vector_SFPSHFT2(&turn);
        v->lanes->move.fill(want.lreg[6], 77, LANES_ALL);
        v->lanes->move.fill(want.lreg[7], 78, LANES_ALL);
        assert_int_equal(execute_SFPNOP(tb->x, 0, 0x8F000000, 12), TENSIX_PASSED);
        vl_assert_same(v, &want, turn.word);
        tb_destroy(tb);
    }
}

/* ---- Scheduled ----------------------------------------------------------------------------------- */

/* Scheduled instructions get VB, VC and VD; the immediate is that of the word. */
static void test_replaced_operands(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    uint64_t seed = 26;
    vl_draw_registers(v, &seed);
    struct vector old = *v;
    struct vector_turn turn = {
        .x = tb->x,
        .v = v,
        .in = v->lreg,
        .lanes = LANES_ALL,
        .scheduled = true,
        .vb = 4,
        .vc = 5,
        .vd = 16,
    };
    turn.word = TT(SFPSHFT2, 0xFF3, 2, 1, 6);
    turn.mod = 6;
    vector_SFPSHFT2(&turn);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->lreg[16][i], old.lreg[4][i] >> 13);
    turn.word = TT(SFP_STOCH_RND, 2, 17, 9, 2, 1, 4);
    turn.mod = 4;
    vector_SFP_STOCH_RND(&turn);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->lreg[16][i], model_descale(old.lreg[5][i], old.lreg[4][i], 0, 255, 0x7FFFFF));
    turn.mod = 1;
    vector_SFPARECIP(&turn);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->lreg[16][i], model_reciprocal_if_negative(old.lreg[4][i], old.lreg[5][i]));
    turn.mod = 3;
    vector_SFPCAST(&turn);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->lreg[16][i], model_complement(old.lreg[5][i]));
    assert_memory_equal(v->lreg, old.lreg, 16 * sizeof v->lreg[0]);
    tb_destroy(tb);
}

/* ---- Random numbers ------------------------------------------------------------------------------ */

/* The values of the official simulator after these seeds. */
static void test_seeds(void **state) {
    (void)state;
    static const struct {
        uint32_t seed, lane_0, lane_1, lane_31;
    } cases[] = {
        { 0, 0xC5CF309E, 0x173CC27A, 0x02233355 },
        { 0x12345678, 0x837EE01D, 0x0DFB8074, 0x4E0D6479 },
    };
    for (unsigned i = 0; i < 2; i++) {
        struct tensix_box *tb = tb_create();
        const uint32_t *random = tb->x->vector.random;
        tb_store(tb, BH_TRISC0, TB_CONFIG + 4 * CONFIG_WORD_PRNG_SEED_Seed_Val, cases[i].seed);
        assert_true(tb_run(tb));
        assert_int_equal(random[0], cases[i].lane_0);
        assert_int_equal(random[1], cases[i].lane_1);
        assert_int_equal(random[31], cases[i].lane_31);
        for (unsigned lane = 0; lane < LANES - 1; lane++)
            assert_int_equal(random[lane], model_step(model_step(random[lane + 1])));
        tb_destroy(tb);
    }
}

/* From zero: every state that has not drawn is zero still. */
static void test_only_active_lanes_draw(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    v->use_flags = UINT32_MAX;
    v->flags = 0x00FF0F01;
    vector_derive(v);
    vl_execute(tb, execute_SFP_STOCH_RND, TT(SFP_STOCH_RND, 0, 0, 9, 9, 8, 1)); /* to nearest, to no register */
    vl_execute(tb, execute_SFPCAST, TT(SFPCAST, 9, 1, 0));                      /* to nearest */
    vl_execute(tb, execute_SFPARECIP, TT(SFPARECIP, 0, 9, 1, 0));
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->random[i], v->flags >> i & 1 ? 0x80000000 : 0);
    vl_execute(tb, execute_SFPCAST, TT(SFPCAST, 9, 8, 1));
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->random[i], v->flags >> i & 1 ? 0x40000000 : 0);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modes),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_shift2),
        cmocka_unit_test(test_shift2_has_seven_modes),
        cmocka_unit_test(test_shift2_takes_two_cycles),
        cmocka_unit_test(test_shift2_reads_first),
        cmocka_unit_test(test_replaced_operands),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_only_active_lanes_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
