/* BRISC and a TRISC push to one thread. A word that the MOP expander emits at the clock of a word of BRISC is lost, and
 * with loose timing it is the same word as with cycles, however far the cores are apart, if no word waits at the gate.
 */
#include "loose_box.h"
#include "support/random.h"

enum { WORDS = 60, CYCLES = 3000 };

/* ---- Two programs -------------------------------------------------------------------------------- */

/* A core's pushes, with so many NOPs before each. */
struct pushes {
    unsigned count;
    uint8_t gap[WORDS];
};

static void wait_for(struct tensix_box *tb, enum bh_core core, unsigned cycles) {
    while (cycles--)
        tb_rv(tb, core, NOP);
}

/* Without `early`, BRISC's first word is the first of its pushes, so that nothing binds the thread before it. */
static void add_program_of_brisc(struct tensix_box *tb, const struct pushes *pushes, bool early) {
    uint32_t store = asm_s(RV_SW, TB_T1, 0, TB_T0);
    tb_li(tb, BH_BRISC, TB_T0, TB_PUSH + 0x10000);
    tb_li(tb, BH_BRISC, TB_T1, MARKED(1));
    tb_rv(tb, BH_BRISC, early ? store : NOP);
    for (unsigned i = 0; i < pushes->count; i++) {
        wait_for(tb, BH_BRISC, pushes->gap[i]);
        tb_rv(tb, BH_BRISC, store);
    }
}

/* Word i of the TRISC sets half a GPR, which takes one cycle. */
static uint32_t trisc_word(unsigned i) {
    return TT(SETDMAREG, 0, 1, 0, i);
}

/* Returns which of these words are lost, a mask. others: the number of words of BRISC and the debug bus. */
static uint64_t lost_words(struct tensix_box *tb, unsigned thread, unsigned count, unsigned others) {
    const struct frontend *f = frontend_of(tb, thread);
    uint64_t lost = 0;
    for (unsigned i = 0; i < count; i++)
        lost |= (uint64_t)(~tb->x->gpr[thread][i / 2] >> 16 * (i % 2) & 1) << i;
    assert_int_equal(f->lost, __builtin_popcountll(lost));
    assert_int_equal(f->passes + f->lost, others + count);
    return lost;
}

static void add_program_of_trisc(struct tensix_box *tb, const struct pushes *pushes) {
    wait_for(tb, BH_TRISC1, 5); /* as many as BRISC needs */
    for (unsigned i = 0; i < pushes->count; i++) {
        wait_for(tb, BH_TRISC1, pushes->gap[i]);
        tb_push(tb, 1, trisc_word(i));
    }
}

/* Returns which words of the TRISC are lost, a mask. */
static uint64_t lose(const struct pushes *brisc, const struct pushes *trisc, bool early, unsigned skew, bool loose) {
    struct tensix_box *tb = loose_create(skew, loose);
    add_program_of_brisc(tb, brisc, early);
    add_program_of_trisc(tb, trisc);
    tb_start(tb);
    tile_run(&tb->box->tile, tb->now = CYCLES); /* in one piece, so that cores get as far apart as they may */
    assert_at_rest(tb);
    uint64_t lost = lost_words(tb, 1, trisc->count, brisc->count + early);
    tb_destroy(tb);
    return lost;
}

static uint64_t assert_same_lost(const struct pushes *brisc, const struct pushes *trisc, bool early) {
    static const unsigned skews[] = { 1, 32, 128 };
    uint64_t lost = lose(brisc, trisc, early, 1, false);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(lose(brisc, trisc, early, skews[i], true), lost);
    return lost;
}

static struct pushes draw(uint64_t *seed) {
    struct pushes pushes = { .count = 1 + random_below(seed, WORDS) };
    unsigned gaps = 1 + random_below(seed, 5);
    for (unsigned i = 0; i < pushes.count; i++)
        pushes.gap[i] = (uint8_t)random_below(seed, gaps);
    pushes.gap[0] = (uint8_t)(pushes.gap[0] + 40);
    return pushes;
}

static void random_pushes(void **state) {
    unsigned some = 0;
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        uint64_t seed = i;
        struct pushes brisc = draw(&seed), trisc = draw(&seed);
        some += assert_same_lost(&brisc, &trisc, true) != 0;
        assert_int_equal(lose(&brisc, &trisc, false, 128, true), lose(&brisc, &trisc, false, 1, false));
    }
    assert_in_range(some, 200, 299); /* in some of them nothing collides */
}

/* BRISC's two words are two cycles apart, like those of the TRISC, against which they move by a cycle at a time. */
static void two_words_against_three(void **state) {
    static const unsigned lost[] = { 0, 1, 0, 3, 0, 6, 0, 4, 0 };
    struct pushes trisc = { 3, { 80, 1, 1 } };
    (void)state;
    for (unsigned i = 0; i < sizeof lost / sizeof lost[0]; i++)
        assert_int_equal(assert_same_lost(&(struct pushes){ 2, { (uint8_t)(77 + i), 1 } }, &trisc, false), lost[i]);
}

/* Both push in every cycle: the TRISC's FIFO fills up, and of its words only those pass that meet none of BRISC. */
static void full_fifo(void **state) {
    struct pushes brisc = { 40, { 50 } }, trisc = { 60, { 50 } };
    (void)state;
    assert_int_equal(assert_same_lost(&brisc, &trisc, true), (UINT64_C(1) << 40) - 1);
}

/* ---- Clocks -------------------------------------------------------------------------------------- */

enum { BY_DEBUG_BUS = 1 << 16 }; /* added to a clock: not by BRISC */

static void share(struct tensix_box *tb, unsigned clock) {
    uint64_t time = clock % BY_DEBUG_BUS - 1;
    if (clock < BY_DEBUG_BUS) {
        scene_push(tb, BH_BRISC, 0, &(uint32_t){ MARKED(1) }, 1, time);
        return;
    }
    tensix_debug_control(tb->x, 0, 0x11, MARKED(1), time);
    tensix_debug_control(tb->x, 0x11, 0, 0, time);
}

/* BRISC or the debug bus pushes words at up to 6 clocks, in this order. Then the TRISC pushes 60, the first at clock
 * `from`. */
struct shared {
    unsigned from, clock[6];
    uint64_t lost; /* which of the 60 are lost */
};

static uint64_t lose_at(const struct shared *shared) {
    struct tensix_box *tb = create();
    uint32_t words[WORDS];
    unsigned count = 0;
    while (count < 6 && shared->clock[count])
        share(tb, shared->clock[count++]);
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = trisc_word(i);
    for (unsigned i = 0; i < WORDS; i += FRONTEND_GROUP)
        assert_int_equal(loose_push(tb->x, 0, words + i, push_shape(FRONTEND_GROUP, 1, FRONTEND_GROUP, false), 0x100,
                                    shared->from - 1 + i / FRONTEND_GROUP),
                         FRONTEND_GROUP);
    uint64_t lost = lost_words(tb, 0, WORDS, count);
    tb_destroy(tb);
    return lost;
}

#define WORD(i) (UINT64_C(1) << (i))

static void clocks_of_the_last_256_cycles(void **state) {
    static const struct shared cases[] = {
        { 1000, { 1000 }, WORD(0) },
        { 1000, { 1003, 1005, 1059, 1060 }, WORD(3) | WORD(5) | WORD(59) },
        { 1000, { 1010, 1011, 1265 }, WORD(10) | WORD(11) },
        { 1000, { 1009, 1010, 1265 }, WORD(10) }, /* the first is too long ago */
        { 1000, { 1010, 1011, 1266 }, WORD(11) },
        { 1000, { 1010, 1400 }, 0 },
        { 1000, { 764, 765, 1010 }, WORD(10) }, /* none counts for a clock 256 cycles later */
        { 1000, { 500, 600, 700, 800, 900, 1030 }, WORD(30) },
        { 1000, { 503, 1040 }, WORD(40) },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(lose_at(&cases[i]), cases[i].lost);
}

static void debug_bus_behind_brisc(void **state) {
    enum { AT_1010 = BY_DEBUG_BUS + 1010 };
    static const struct shared cases[] = {
        { 1000, { 1020, AT_1010 }, WORD(10) | WORD(20) },
        { 1000, { 1030, AT_1010, 1050, AT_1010 }, WORD(10) | WORD(30) | WORD(50) },
        { 1000, { 1265, AT_1010 }, WORD(10) },
        { 1000, { 1266, AT_1010 }, 0 }, /* too far behind */
        { 1256, { 1266, AT_1010 }, WORD(10) },
        { 1256, { 1270, AT_1010 }, WORD(14) },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(lose_at(&cases[i]), cases[i].lost);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pushes),
        cmocka_unit_test(two_words_against_three),
        cmocka_unit_test(full_fifo),
        cmocka_unit_test(clocks_of_the_last_256_cycles),
        cmocka_unit_test(debug_bus_behind_brisc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
