/* The simple sub-unit's instructions in every mode, against their meaning in one lane: registers, flags, the stack, the
 * random numbers and templates after each, under all kinds of predication. */
#include "tensix/vector_lanes.h"

enum { ROUNDS = 250 };

static uint32_t join(uint32_t sign, uint32_t exponent, uint32_t mantissa) {
    return (sign & 1) << 31 | (exponent & 255) << 23 | (mantissa & 0x7FFFFF);
}

/* ---- Meaning in a lane ------------------------------------------------------------------------------------- */

static void mean_SFPDIVP2(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc], e = c >> 23 & 255;
    if (!(f->mod & 1))
        e = f->imm12;
    else if (e != 255)
        e += f->imm12;
    if (l->enabled)
        lane_put(l, f->vd, join(c >> 31, e, c));
}

static void mean_SFPEXEXP(struct lane *l, const struct fields *f) {
    int32_t e = (int32_t)(l->r[f->vc] >> 23 & 255) - (f->mod & 1 ? 0 : 127);
    if (!l->enabled || f->vd >= 8)
        return;
    lane_put(l, f->vd, (uint32_t)e);
    if (f->mod & 2)
        l->flag = e < 0;
    if (f->mod & 8)
        l->flag = !l->flag;
}

static void mean_SFPEXMAN(struct lane *l, const struct fields *f) {
    if (l->enabled)
        lane_put(l, f->vd, (l->r[f->vc] & 0x7FFFFF) + (f->mod & 1 ? 0 : 0x800000));
}

static int32_t signed12(unsigned imm12) {
    return imm12 < 2048 ? (int32_t)imm12 : (int32_t)imm12 - 4096;
}

static void mean_SFPIADD(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc], sum;
    if (f->mod & 1)
        sum = c + (uint32_t)signed12(f->imm12);
    else
        sum = f->mod & 2 ? c - l->r[f->vd] : c + l->r[f->vd];
    if (!l->enabled || f->vd >= 8)
        return;
    lane_put(l, f->vd, sum);
    if (!(f->mod & 4))
        l->flag = sum >> 31;
    if (f->mod & 8)
        l->flag = !l->flag;
}

static void mean_SFPSHFT(struct lane *l, const struct fields *f) {
    bool immediate = f->mod & 1;
    uint32_t x = immediate && f->mod & 4 ? l->r[f->vc] : l->r[f->vd];
    int64_t amount = immediate ? signed12(f->imm12) : (int32_t)l->r[f->vc];
    bool ones = f->mod & 2 && x >> 31;
    for (int64_t n = amount % 32; n > 0; n--)
        x <<= 1;
    for (int64_t n = amount % 32; n < 0; n++)
        x = x >> 1 | (uint32_t)ones << 31;
    if (l->enabled)
        lane_put(l, f->vd, x);
}

static void mean_SFPSETCC(struct lane *l, const struct fields *f) {
    int32_t c = (int32_t)l->r[f->vc];
    const bool comparison[4] = { c < 0, c != 0, c >= 0, c == 0 };
    if (!l->enabled)
        return;
    if (!l->use_flag || f->mod & 8)
        l->flag = false;
    else if (f->mod & 1)
        l->flag = f->imm12 & 1;
    else
        l->flag = comparison[f->mod / 2];
}

static uint32_t next_random(uint32_t state) {
    bool odd = (state >> 31 ^ state >> 21 ^ state >> 1 ^ state) & 1;
    return state >> 1 | (odd ? 0 : 0x80000000u);
}

static uint32_t special(struct lane *l, unsigned index) {
    uint32_t random = l->random;
    if (index == 9)
        l->random = next_random(random);
    const uint32_t value[16] = {
        l->macro->template[0],     l -> macro -> template[1],
        l -> macro -> template[2], l -> macro -> template[3],
        l -> macro -> sequence[0], l -> macro -> sequence[1],
        l -> macro -> sequence[2], l -> macro -> sequence[3],
        l -> macro -> misc,        random,
        [15] = l->config,
    };
    return value[index];
}

static void mean_SFPMOV(struct lane *l, const struct fields *f) {
    unsigned mod = f->mod & 11; /* bit 2 is reserved and does nothing */
    if (!l->enabled && mod != 2)
        return;
    if (mod & 8)
        lane_put(l, f->vd, special(l, f->vc));
    else
        lane_put(l, f->vd, l->r[f->vc] ^ (mod & 1 ? 0x80000000 : 0));
}

static void mean_SFPABS(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc];
    if (f->mod & 1)
        c = c > 0xFF800000 ? c : c & 0x7FFFFFFF;
    else if (c >> 31)
        c = ~c + 1;
    if (l->enabled)
        lane_put(l, f->vd, c);
}

static void mean_SFPAND(struct lane *l, const struct fields *f) {
    if (l->enabled)
        lane_put(l, f->vd, l->r[f->mod & 1 ? f->vb : f->vd] & l->r[f->vc]);
}

static void mean_SFPOR(struct lane *l, const struct fields *f) {
    if (l->enabled)
        lane_put(l, f->vd, l->r[f->mod & 1 ? f->vb : f->vd] | l->r[f->vc]);
}

static void mean_SFPXOR(struct lane *l, const struct fields *f) {
    if (l->enabled)
        lane_put(l, f->vd, l->r[f->vd] ^ l->r[f->vc]);
}

static void mean_SFPNOT(struct lane *l, const struct fields *f) {
    if (l->enabled)
        lane_put(l, f->vd, ~l->r[f->vc]);
}

static void mean_SFPLZ(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc] & (f->mod & 4 ? 0x7FFFFFFF : 0xFFFFFFFF), zeros = 32;
    for (uint32_t rest = c; rest; rest >>= 1)
        zeros--;
    if (!l->enabled || f->vd >= 8)
        return;
    lane_put(l, f->vd, zeros);
    if (f->mod & 2)
        l->flag = c != 0;
    if (f->mod & 8)
        l->flag = !l->flag;
}

static void mean_SFPSETEXP(struct lane *l, const struct fields *f) {
    uint32_t b = l->r[f->vd], c = l->r[f->vc];
    uint32_t e = f->mod & 1 ? f->imm12 : f->mod & 2 ? b >> 23 : b;
    if (l->enabled)
        lane_put(l, f->vd, join(c >> 31, e, c));
}

static void mean_SFPSETMAN(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc];
    if (l->enabled)
        lane_put(l, f->vd, join(c >> 31, c >> 23, f->mod & 1 ? f->imm12 * 2048u : l->r[f->vd]));
}

static void mean_SFPSETSGN(struct lane *l, const struct fields *f) {
    uint32_t c = l->r[f->vc];
    if (l->enabled)
        lane_put(l, f->vd, join(f->mod & 1 ? f->imm12 : l->r[f->vd] >> 31, c >> 23, c));
}

static void compare(struct lane *l, const struct fields *f, bool holds) {
    if (l->enabled && f->mod & 8)
        lane_put(l, f->vd, holds ? 0xFFFFFFFF : 0);
    if (l->enabled && f->mod & 1)
        l->flag = holds;
    if (!(f->mod & 2) || l->depth == 0)
        return;
    bool *top = &l->stack_flag[l->depth - 1];
    *top = f->mod & 4 ? *top || holds : *top && holds;
}

static void mean_SFPGT(struct lane *l, const struct fields *f) {
    compare(l, f, lane_order(l->r[f->vd]) > lane_order(l->r[f->vc]));
}

static void mean_SFPLE(struct lane *l, const struct fields *f) {
    compare(l, f, lane_order(l->r[f->vd]) <= lane_order(l->r[f->vc]));
}

#define OPS(O) \
    O(SFPDIVP2) \
    O(SFPEXEXP) \
    O(SFPEXMAN) \
    O(SFPIADD) \
    O(SFPSHFT) \
    O(SFPSETCC) \
    O(SFPMOV) \
    O(SFPABS) \
    O(SFPAND) \
    O(SFPOR) \
    O(SFPXOR) \
    O(SFPNOT) \
    O(SFPLZ) \
    O(SFPSETEXP) \
    O(SFPSETMAN) \
    O(SFPSETSGN) \
    O(SFPGT) \
    O(SFPLE)

static const struct vl_op ops[] = {
#define O(name) { TENSIX_##name, execute_##name, mean_##name },
    OPS(O)
#undef O
};
enum { OP_COUNT = sizeof ops / sizeof ops[0] };

/* ---- Tests -------------------------------------------------------------------------------------------------- */

static struct fields draw_fields(uint64_t *seed, unsigned mod) {
    struct fields f = { .mod = mod, .vc = random_below(seed, 16), .imm12 = random_below(seed, 4096) };
    f.vd = random_below(seed, random_below(seed, 3) ? 8 : 16);
    f.vb = f.imm12 & 15;
    return f;
}

static void test_all_modes(void **state) {
    (void)state;
    vl_test_all_modes(ops, OP_COUNT, ROUNDS, 11, draw_fields);
}

/* One after the other, from a state that only they change, so that flags nest and results are inputs of the next. */
static void test_chains(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    uint64_t seed = 12;
    for (unsigned round = 0; round < 400; round++) {
        vl_draw_state_without_index(&tb->x->vector, &seed);
        tb->x->vector.use_flags = UINT32_MAX;
        vector_derive(&tb->x->vector);
        for (unsigned n = 0; n < 40; n++) {
            struct fields f = draw_fields(&seed, random_below(&seed, 16));
            vl_check(tb, &ops[random_below(&seed, OP_COUNT)], &f);
        }
    }
    tb_destroy(tb);
}

/* All high halves of VC: with low halves at the ends, this is all that the fields of FP32 depend on. */
static void test_high_halves(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    uint64_t seed = 13;
    for (uint32_t half = 0; half < 0x10000; half += 16) {
        vl_draw_registers(v, &seed);
        for (unsigned i = 0; i < LANES; i++)
            v->lreg[1][i] = (half + i / 2) << 16 | (i % 2 ? 0xFFFF : 0);
        struct vector start = *v;
        for (unsigned n = 0; n < OP_COUNT; n++) {
            struct fields f = { .mod = random_below(&seed, 16), .vb = 3, .vc = 1, .vd = 2, .imm12 = 3 };
            memcpy(v->lreg, start.lreg, sizeof v->lreg);
            vl_check(tb, &ops[n], &f);
        }
    }
    tb_destroy(tb);
}

/* Rows go between the registers of a group of four, in the lanes that are enabled. */
static void test_transpose(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    uint64_t seed = 14;
    for (unsigned round = 0; round < 16 * ROUNDS; round++) {
        vl_draw_state_without_index(&tb->x->vector, &seed);
        struct vector want = tb->x->vector;
        struct fields f = draw_fields(&seed, random_below(&seed, 16));
        uint32_t word = vl_word(TENSIX_SFPTRANSP, &f);
        for (unsigned i = 0; i < 8 * LANES; i++) {
            unsigned lreg = i / LANES, row = i % LANES / 8, column = i % 8;
            struct lane l = vl_get(&tb->x->vector, i % LANES);
            if (l.enabled && (f.vd < 12 || l.config & LANE_NO_BACKDOOR))
                want.lreg[lreg][i % LANES] = tb->x->vector.lreg[(lreg & 4) + row][8 * (lreg & 3) + column];
            if (f.vd >= 12 && !(l.config & LANE_NO_BACKDOOR))
                want.macro[column].template[f.vd - 12] = word;
        }
        vl_execute(tb, execute_SFPTRANSP, word);
        vl_assert_same(&tb->x->vector, &want, word);
    }
    tb_destroy(tb);
}

/* Twice is as before. */
static void test_transpose_twice(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    for (unsigned n = 0; n < 8; n++)
        for (unsigned i = 0; i < LANES; i++)
            v->lreg[n][i] = 100 * n + i;
    vl_execute(tb, execute_SFPTRANSP, TT(SFPTRANSP, 0));
    assert_int_equal(v->lreg[0][8], 100);
    assert_int_equal(v->lreg[3][2 * 8 + 5], 200 + 3 * 8 + 5);
    assert_int_equal(v->lreg[6][3 * 8 + 7], 700 + 2 * 8 + 7);
    vl_execute(tb, execute_SFPTRANSP, TT(SFPTRANSP, 0));
    for (unsigned n = 0; n < 8; n++)
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(v->lreg[n][i], 100 * n + i);
    tb_destroy(tb);
}

/* The operands of a scheduled instruction are not those of its word. */
static void test_replaced_operands(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    uint64_t seed = 15;
    for (unsigned round = 0; round < 1000; round++) {
        vl_draw_registers(v, &seed);
        struct vector start = *v;
        struct vector_turn turn = { .x = tb->x, .v = v, .in = v->lreg, .lanes = LANES_ALL, .scheduled = true };
        turn.vb = (uint8_t)random_below(&seed, 16);
        turn.vc = (uint8_t)random_below(&seed, 16);
        turn.vd = 16;
        uint32_t flags = v->flags;
        vector_SFPXOR(&turn);
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(v->lreg[16][i], start.lreg[turn.vb][i] ^ start.lreg[turn.vc][i]);
        vector_SFPAND(&turn); /* mode 0 too */
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(v->lreg[16][i], start.lreg[turn.vb][i] & start.lreg[turn.vc][i]);
        vector_SFPIADD(&turn);
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(v->lreg[16][i], start.lreg[turn.vb][i] + start.lreg[turn.vc][i]);
        assert_int_equal(v->flags, flags); /* only with a VD below 8 */
        turn.mod = 2;
        vector_SFPLZ(&turn);
        vector_SFPEXEXP(&turn);
        assert_int_equal(v->flags, flags);
        turn.mod = 9; /* SFPGT has them with any */
        vector_SFPGT(&turn);
        for (unsigned i = 0; i < LANES; i++) {
            bool greater = lane_order(start.lreg[turn.vb][i]) > lane_order(start.lreg[turn.vc][i]);
            assert_int_equal(v->lreg[16][i], greater ? UINT32_MAX : 0);
            assert_int_equal(v->flags >> i & 1, greater);
        }
    }
    tb_destroy(tb);
}

/* A pending result for the same register must not land after a newer one, in the lanes that the newer one has. */
static void check_newer_result(struct tensix_box *tb, tensix_handler *handler, uint32_t word, uint32_t result) {
    struct vector *v = &tb->x->vector;
    struct vector_turn turn = { .x = tb->x, .v = v, .in = v->lreg, .now = tb->now, .lanes = LANES_ALL };
    uint32_t *late = vector_out_late(&turn, 3, LANES_ALL);
    for (unsigned i = 0; i < LANES; i++) {
        late[i] = 77;
        v->lreg[3][i] = 7;
    }
    tb->now++;
    vl_execute(tb, handler, word);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->lreg[3][i], v->enabled >> i & 1 ? result : 77);
}

static void test_newer_result_stays(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    v->use_flags = UINT32_MAX;
    v->flags = 0x00FF0FF0;
    vector_derive(v);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        v->macro[i].misc = 0x123;
    check_newer_result(tb, execute_SFPMOV, TT(SFPMOV, 0, 10, 3, 1), 0xBF800000);
    check_newer_result(tb, execute_SFPMOV, TT(SFPMOV, 0, 8, 3, 8), 0x123);
    check_newer_result(tb, execute_SFPNOT, TT(SFPNOT, 0, 9, 3, 0), 0xFFFFFFFF);
    check_newer_result(tb, execute_SFPIADD, TT(SFPIADD, 0xFFF, 10, 3, 5), 0x3F7FFFFF);
    check_newer_result(tb, execute_SFPLZ, TT(SFPLZ, 0, 10, 3, 0), 2);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modes),          cmocka_unit_test(test_chains),
        cmocka_unit_test(test_high_halves),        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_transpose_twice),    cmocka_unit_test(test_replaced_operands),
        cmocka_unit_test(test_newer_result_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
