/* Predication: src/tensix/vector/flags.c against the lanes one by one, as the pages have them. */
#include "support/random.h"
#include "tensix/vector_drive.h"

struct lane {
    bool flag, use;
    unsigned depth;
    bool stack_flag[VECTOR_STACK], stack_use[VECTOR_STACK];
};

/* ---- Meanings in one lane ------------------------------------------------------------------------------------ */

static bool boolean(unsigned mod, bool a, bool b) {
    switch (mod) {
    case 1: return b;
    case 2: return !b;
    case 3: return a && b;
    case 4: return a || b;
    case 5: return a && !b;
    case 6: return a || !b;
    case 7: return !a && b;
    case 8: return !a || b;
    case 9: return !(a || b);
    case 10: return !(a && b);
    case 11: return a != b;
    default: return a == b;
    }
}

static void encc(struct lane *l, unsigned immediate, unsigned mod) {
    if (mod & 2)
        l->use = immediate & 1;
    else if (mod & 1)
        l->use = !l->use;
    l->flag = mod & 8 ? immediate & 2 : true;
}

/* Returns whether it is defined. */
static bool pushc(struct lane *l, unsigned mod) {
    if (mod == 0) {
        if (l->depth == VECTOR_STACK)
            return false;
        l->stack_flag[l->depth] = l->flag;
        l->stack_use[l->depth++] = l->use;
        return true;
    }
    if (!l->depth)
        return false;
    bool *flag = &l->stack_flag[l->depth - 1], *use = &l->stack_use[l->depth - 1];
    if (mod == 13)
        l->flag = !l->flag;
    *flag = mod <= 12 ? boolean(mod, *flag, l->flag) : mod == 13 ? l->flag : mod == 14;
    *use = mod <= 13 ? l->use : true;
    return true;
}

static bool popc(struct lane *l, unsigned mod) {
    bool flag = l->depth ? l->stack_flag[l->depth - 1] : false, use = l->depth ? l->stack_use[l->depth - 1] : false;
    if (mod == 0) {
        if (!l->depth)
            return false;
        l->depth--;
        l->flag = flag;
        l->use = use;
    } else if (mod <= 12) {
        l->flag = boolean(mod, l->flag, flag);
        l->use = use;
    } else if (mod == 13) {
        l->flag = !l->flag;
    } else {
        l->flag = mod == 14;
        l->use = true;
    }
    return true;
}

static void compc(struct lane *l) {
    bool flag = l->depth ? l->stack_flag[l->depth - 1] : true, use = l->depth ? l->stack_use[l->depth - 1] : true;
    l->flag = use && l->use && flag && !l->flag;
}

/* By random numbers, so that flags differ. */
static void setcc(struct lane *l, uint32_t value, unsigned mod) {
    bool enabled = l->flag || !l->use;
    if (enabled)
        l->flag = l->use && (mod == 0 ? value >> 31 : mod == 2 ? value != 0 : mod == 4 ? !(value >> 31) : value == 0);
}

static bool execute(struct lane *l, uint32_t word, uint32_t value) {
    unsigned mod = word & 15;
    switch (word >> 24) {
    case TENSIX_SFPENCC: encc(l, word >> 12 & 3, mod); return true;
    case TENSIX_SFPPUSHC: return pushc(l, mod);
    case TENSIX_SFPPOPC: return popc(l, mod);
    case TENSIX_SFPCOMPC: compc(l); return true;
    default: setcc(l, value, mod); return true;
    }
}

/* ---- Random programs -------------------------------------------------------------------------------------------- */

/* With VD = 12 in some columns nothing happens but a template. */
static uint32_t draw(uint64_t *seed, bool templates) {
    unsigned vd = templates && !random_below(seed, 4) ? 12 + random_below(seed, 4) : random_below(seed, 12);
    unsigned plain = random_below(seed, 3) ? 0 : random_below(seed, 16);
    switch (random_below(seed, 8)) {
    case 0: return TT(SFPENCC, random_below(seed, 4), 0, vd, random_below(seed, 16));
    case 1:
    case 2:
    case 3: return TT(SFPPUSHC, 0, 0, vd, plain);
    case 4:
    case 5: return TT(SFPPOPC, 0, 0, vd, plain);
    case 6: return TT(SFPCOMPC, 0, 0, vd, 0);
    default: return TT(SFPSETCC, 0, random_below(seed, 8), vd, 2 * random_below(seed, 4));
    }
}

static void compare(const struct vector *v, const struct lane *lanes, uint32_t word) {
    for (unsigned i = 0; i < LANES; i++) {
        const struct lane *l = &lanes[i];
        bool same = (v->flags >> i & 1) == l->flag && (v->use_flags >> i & 1) == l->use;
        for (unsigned k = 0; k < VECTOR_STACK; k++) {
            same &= (v->stack[k].occupied >> i & 1) == (k < l->depth);
            same &= k >= l->depth || ((v->stack[k].flags >> i & 1) == l->stack_flag[k] &&
                                      (v->stack[k].use_flags >> i & 1) == l->stack_use[k]);
        }
        same &= (v->enabled >> i & 1) == (l->flag || !l->use);
        if (!same)
            fail_msg("%08x: lane %u differs", word, i);
    }
}

/* Returns false if some lane's part is undefined; then nothing has changed in any. */
static bool execute_all(struct lane *lanes, const struct vector *v, uint32_t word) {
    struct lane old[LANES];
    bool defined = true;
    memcpy(old, lanes, sizeof old);
    for (unsigned i = 0; i < LANES; i++)
        if ((word >> 4 & 15) < 12 || v->no_backdoor >> i & 1)
            defined &= execute(&lanes[i], word, v->lreg[word >> 8 & 15][i]);
    if (!defined)
        memcpy(lanes, old, sizeof old);
    return defined;
}

static void prepare(struct tensix_box *tb, uint64_t *seed, bool templates) {
    struct vector *v = &tb->x->vector;
    for (unsigned n = 0; n < 8; n++)
        for (unsigned i = 0; i < LANES; i++)
            v->lreg[n][i] = random_below(seed, 3) ? (uint32_t)random_next(seed) : 0;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        v->lane_config[i] = templates && random_below(seed, 2) ? LANE_NO_BACKDOOR : 0;
    vector_derive(v);
}

static void program(uint64_t *seed, bool templates, unsigned *undefined) {
    struct tensix_box *tb = tb_create();
    struct lane lanes[LANES] = { 0 };
    prepare(tb, seed, templates);
    for (unsigned k = 0; k < 120; k++) {
        uint32_t word = draw(seed, templates);
        unsigned faults = tb->box->faults;
        bool defined = execute_all(lanes, &tb->x->vector, word);
        assert_int_equal(vd_try(tb, 0, word, 100 + k), defined ? 0 : TENSIX_NEVER);
        assert_int_equal(tb->box->faults, faults + !defined);
        compare(&tb->x->vector, lanes, word);
        *undefined += !defined;
    }
    tb_destroy(tb);
}

static void test_random(void **state) {
    uint64_t seed = 17;
    unsigned undefined = 0;
    (void)state;
    for (unsigned i = 0; i < 1500; i++)
        program(&seed, i & 1, &undefined);
    assert_true(undefined > 1000);
}

/* ---- The ends of the pages --------------------------------------------------------------------------------------- */

/* Every mode of SFPPUSHC and SFPPOPC with every combination of both flags and both uses. */
static void test_all_modes(void **state) {
    (void)state;
    for (unsigned n = 0; n < 16 * 16 * 2; n++) {
        struct tensix_box *tb = tb_create();
        struct vector *v = &tb->x->vector;
        unsigned mod = n & 15;
        uint32_t word = n >> 8 ? TT(SFPPOPC, 0, 0, 0, mod) : TT(SFPPUSHC, 0, 0, 0, mod);
        struct lane lane = { .flag = n >> 4 & 1, .use = n >> 5 & 1, .depth = 1 };
        lane.stack_flag[0] = n >> 6 & 1;
        lane.stack_use[0] = n >> 7 & 1;
        v->flags = lane.flag ? UINT32_MAX : 0;
        v->use_flags = lane.use ? UINT32_MAX : 0;
        v->stack[0] = (struct vector_flags){ UINT32_MAX, lane.stack_flag[0] ? UINT32_MAX : 0,
                                             lane.stack_use[0] ? UINT32_MAX : 0 };
        struct lane lanes[LANES];
        vector_flags_changed(v);
        for (unsigned i = 0; i < LANES; i++)
            lanes[i] = lane;
        assert_true(execute_all(lanes, v, word));
        vd_pass(tb, 0, word, 100);
        compare(v, lanes, word);
        tb_destroy(tb);
    }
}

static void test_overflow(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < VECTOR_STACK; i++)
        vd_pass(tb, 0, TT(SFPPUSHC, 0, 0, 0, 0), 100 + i);
    vd_pass(tb, 0, TT(SFPPUSHC, 0, 0, 0, 4), 110); /* the top of a full stack may be changed */
    vd_pass(tb, 0, TT(SFPPOPC, 0, 0, 0, 3), 111);  /* and read: Blackhole has no bug there */
    vd_assert_refused(tb, 2, TT(SFPPUSHC, 0, 0, 0, 0), 112, "full stack");
    for (unsigned i = 0; i < VECTOR_STACK; i++)
        vd_pass(tb, 0, TT(SFPPOPC, 0, 0, 0, 0), 120 + i);
    assert_int_equal(tb->x->vector.stack[0].occupied, 0);
    tb_destroy(tb);
}

static void test_underflow(void **state) {
    static const struct {
        uint32_t word;
        const char *text;
    } cases[] = { { 0x88000000, "pop from the empty" }, { 0x87000001, "top of the empty" }, { 0x8700000F, "empty" } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensix_box *tb = tb_create();
        vd_assert_refused(tb, 0, cases[i].word, 100, cases[i].text);
        tb_destroy(tb);
    }
}

/* At first everything is enabled though no flag is set, and SFPSETCC clears flags that are not used. */
static void test_initial(void **state) {
    struct tensix_box *tb = tb_create();
    const struct vector *v = &tb->x->vector;
    (void)state;
    assert_int_equal(v->enabled, UINT32_MAX);
    assert_int_equal(v->use_flags, 0);
    assert_int_equal(v->flags, 0);
    vd_pass(tb, 0, TT(SFPSETCC, 0, 9, 0, 6), 100);
    assert_int_equal(v->flags, 0);
    assert_int_equal(v->enabled, UINT32_MAX);
    vd_pass(tb, 0, TT(SFPENCC, 3, 0, 0, 10), 101);
    vd_pass(tb, 0, TT(SFPSETCC, 0, 9, 0, 2), 102);
    assert_int_equal(v->enabled, 0);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_all_modes), cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_underflow), cmocka_unit_test(test_initial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
