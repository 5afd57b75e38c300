/* SFPCONFIG in every mode, src/tensix/vector/config.c, column by column as the page has it. */
#include "support/random.h"
#include "tensix/vector_drive.h"

struct column {
    uint32_t template[4], sequence[4], misc, config;
};

struct everything {
    struct column column[VECTOR_COLUMNS];
    uint32_t constant[4][LANES]; /* LReg11..14 */
};

static struct everything take(const struct vector *v) {
    struct everything all;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        memcpy(all.column[i].template, v->macro[i].template, sizeof all.column[i].template);
        memcpy(all.column[i].sequence, v->macro[i].sequence, sizeof all.column[i].sequence);
        all.column[i].misc = v->macro[i].misc;
        all.column[i].config = v->lane_config[i];
    }
    memcpy(all.constant, v->lreg[11], sizeof all.constant);
    return all;
}

static uint32_t change(unsigned mod, uint32_t old, uint32_t value, unsigned bits) {
    value &= (1u << bits) - 1;
    switch (mod >> 1 & 3) {
    case 1: return old | value;
    case 2: return old & value;
    case 3: return old ^ value;
    default: return value;
    }
}

static void execute(struct everything *all, const struct vector *v, uint32_t word, unsigned lane) {
    static const uint32_t initial[4] = { 0xBF800000, 0x3B000000, 0xBF2CC4C7, 0xBEB08FF9 };
    unsigned mod = word & 15, vd = word >> 4 & 15, column = lane % 8;
    uint32_t imm = word >> 8 & 0xFFFF, l0 = v->lreg[0][column], value = mod & 1 ? imm : l0;
    struct column *c = &all->column[column];
    if ((mod & 8) && !(imm >> 2 * column & 1))
        return;
    if ((v->use_flags >> column & 1) && !(v->flags >> column & 1))
        return;
    if (vd >= 11 && vd <= 14)
        all->constant[vd - 11][lane] = mod & 1 ? initial[vd - 11] : l0;
    if (lane >= 8) /* the rest is the same in all rows */
        return;
    if (vd < 4)
        c->template[vd] = l0;
    else if (vd < 8)
        c->sequence[vd - 4] = value;
    else if (vd == 8)
        c->misc = change(mod, c->misc, value, 12);
    else if (vd == 15)
        c->config = change(mod, c->config, value, 18) | (mod & 1 ? c->config & 0x30000 : 0);
}

static void assert_same(const struct vector *v, const struct everything *want, uint32_t word) {
    struct everything is = take(v);
    if (memcmp(&is, want, sizeof is))
        fail_msg("%08x: the configuration differs", word);
}

/* The masks that follow from LaneConfig. */
static void assert_derived(const struct vector *v) {
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t c = v->lane_config[i % 8];
        bool flag = v->flags >> i & 1, use = v->use_flags >> i & 1;
        assert_int_equal(v->enabled >> i & 1, !(c >> (12 + i / 8) & 1) && (flag || !use));
        assert_int_equal(v->fp16_inf >> i & 1, c & 1);
        assert_int_equal(v->no_backdoor >> i & 1, c >> 1 & 1);
        assert_int_equal(v->dest_index >> i & 1, c >> 2 & 1);
        assert_int_equal(v->capture_index >> i & 1, c >> 2 & c >> 3 & 1);
        assert_int_equal(v->block_write >> i & 1, c >> 4 & 1);
        assert_int_equal(v->block_read >> i & 1, c >> 5 & 1);
        assert_int_equal(v->read_exchange >> i & 1, c >> 6 & 1);
        assert_int_equal(v->write_exchange >> i & 1, c >> 7 & 1);
        assert_int_equal(v->exchange >> i & 1, c >> 8 & 1);
    }
    bool differ = false;
    for (unsigned i = 1; i < VECTOR_COLUMNS; i++)
        differ |= memcmp(&v->macro[i], &v->macro[0], sizeof v->macro[0]) != 0;
    assert_int_equal(v->columns_differ, differ);
}

/* Flags and LReg0 are at random; now and then all lanes alike. */
static void draw_state(struct vector *v, uint64_t *seed) {
    uint32_t same = (uint32_t)random_next(seed);
    bool alike = random_below(seed, 2);
    for (unsigned i = 0; i < LANES; i++)
        v->lreg[0][i] = alike ? same : (uint32_t)random_next(seed);
    v->flags = (uint32_t)random_next(seed);
    v->use_flags = random_below(seed, 2) ? (uint32_t)random_next(seed) : 0;
    vector_flags_changed(v);
}

static void test_random(void **state) {
    struct tensix_box *tb = tb_create();
    struct vector *v = &tb->x->vector;
    uint64_t seed = 5;
    (void)state;
    for (unsigned n = 0; n < 40000; n++) {
        draw_state(v, &seed);
        struct everything want = take(v);
        uint32_t word = TT(SFPCONFIG, random_below(&seed, 0x10000), n >> 4 & 15, n & 15);
        for (unsigned i = 0; i < LANES; i++)
            execute(&want, v, word, i);
        vd_pass(tb, 0, word, 100 + n);
        assert_same(v, &want, word);
        assert_derived(v);
    }
    tb_destroy(tb);
}

/* ROW_MASK switches lanes off, but not SFPCONFIG. */
static void test_row_mask(void **state) {
    struct tensix_box *tb = tb_create();
    const struct vector *v = &tb->x->vector;
    (void)state;
    vd_fill(tb, 1, 7);
    VD_ALL(tb, 100, TT(SFPCONFIG, 0x5000, 15, 1), TT(SFPMOV, 0, 1, 2, 0));
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->lreg[2][i], i / 8 % 2 ? 7 : 0);
    vd_fill(tb, 0, 9);
    VD_ALL(tb, 110, TT(SFPCONFIG, 0, 13, 0), TT(SFPCONFIG, 0, 15, 1));
    vd_assert_lreg(tb, 13, 9);
    assert_int_equal(v->enabled, UINT32_MAX);
    tb_destroy(tb);
}

/* The values of row 0 go to all rows. */
static void test_broadcast(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < LANES; i++)
        tb->x->vector.lreg[0][i] = i;
    VD_ALL(tb, 100, TT(SFPCONFIG, 0, 11, 0));
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(tb->x->vector.lreg[11][i], i % 8);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_row_mask),
        cmocka_unit_test(test_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
