/* A core that waits for room in its instruction FIFO, or for the MOP expander, sleeps until something can have changed.
 * It goes on in the same cycle as a core that is woken in every cycle. */
#include "support/tensix_scene.h"
#include "tile/tile.h"

enum { SCENES = 600, ITEMS = 8, TIMES = 10, TIMES_MOST = 8, B_CFG = 0x80, C_VECTOR = 0x800 };
enum { OUTER, INNER, START, END0, END1, LOOP, LOOP1, LAST, LAST_INNER, MOP_REGISTERS };

#define SETC                    TT(SETC16, 3, 1)
#define ADD_TO_ITSELF           TT(SFPADD, .lreg_src_b = 1, .lreg_src_c = 2, .lreg_dest = 1)
#define NOTHING                 ((uint32_t)TENSIX_NOP << 24)
#define PLAY(first, many)       TT(REPLAY, .start_idx = (first), .len = (many))
#define RECORD(at, many, plays) TT(REPLAY, .start_idx = (at), .len = (many), (plays), .load_mode = 1)

static uint64_t seed_of_scene;
static bool brisc_pushes;

/* One that passes at once, one that waits for the one before it, or a latched wait. */
static uint32_t draw_plain(uint64_t *seed) {
    switch (random_below(seed, 8)) {
    case 0:
    case 1: return ADD_TO_ITSELF;
    case 2: return TT(STALLWAIT, B_CFG, C_VECTOR);
    case 3: return TT(ADDDMAREG, 1, 6, 1, 5);
    default: return SETC;
    }
}

static uint32_t draw_loop_word(uint64_t *seed) {
    switch (random_below(seed, 6)) {
    case 0: return NOTHING;
    case 1: return PLAY(random_below(seed, 8), 1 + random_below(seed, 6));
    case 2: return RECORD(24, 2, random_below(seed, 2));
    default: return draw_plain(seed);
    }
}

/* While it is expanded, or before: then the store waits. */
static void add_mop_words(struct tensix_box *tb, uint64_t *seed) {
    tb_store(tb, BH_TRISC0, TB_MOP + 4 * OUTER, random_below(seed, 3));
    tb_store(tb, BH_TRISC0, TB_MOP + 4 * INNER, 1 + random_below(seed, 5));
    for (unsigned i = START; i < MOP_REGISTERS; i++)
        if (random_below(seed, 2))
            tb_store(tb, BH_TRISC0, TB_MOP + 4 * i, draw_loop_word(seed));
}

static void add_row(struct tensix_box *tb, unsigned count, uint64_t *seed) {
    for (unsigned i = 0; i < count; i++)
        tb_push(tb, 0, draw_plain(seed));
}

static void add_item(struct tensix_box *tb, uint64_t *seed, unsigned *times) {
    unsigned many = 1 + random_below(seed, 10);
    switch (random_below(seed, 10)) {
    case 0: add_mop_words(tb, seed); break;
    case 1: tb_push(tb, 0, HELD(0)); break;
    case 2: tb_push(tb, 0, TT(MOP_CFG, 0)); break;
    case 3: tb_push(tb, 0, TT(MOP, 1, 0, 0)); break;
    case 4: tb_push(tb, 0, TT(MOP, 0, random_below(seed, 12), 0)); break;
    case 5: tb_load(tb, BH_TRISC0, TB_T2, TB_PC_BUF + 8); break; /* until no MOP is left */
    case 6:
        tb_push(tb, 0, RECORD(random_below(seed, 20), many, random_below(seed, 2)));
        add_row(tb, many, seed);
        break;
    case 7: tb_push(tb, 0, PLAY(random_below(seed, 20), many)); break;
    default: add_row(tb, 3 * many, seed); break;
    }
    if (*times < TIMES_MOST && random_below(seed, 2))
        tb_cycle(tb, BH_TRISC0, TIMES + (*times)++);
}

static void random_words(struct tensix_box *tb) {
    uint64_t seed = seed_of_scene;
    unsigned times = 0;
    for (unsigned i = 0; i < MOP_REGISTERS; i++)
        tb_store(tb, BH_TRISC0, TB_MOP + 4 * i, i <= INNER ? 3 : SETC);
    tb_push(tb, 0, RECORD(0, 32, 1));
    add_row(tb, 32, &seed);
    for (unsigned i = 0; i < ITEMS; i++)
        add_item(tb, &seed, &times);
    tb_cycle(tb, BH_TRISC0, TIMES + TIMES_MOST);
    tb_post_later(tb, 2, 0, 50 + random_below(&seed, 300));
    for (unsigned i = brisc_pushes ? 1 + random_below(&seed, 8) : 0; i; i--) { /* some have others be lost */
        tb_nops(tb, BH_BRISC, random_below(&seed, 60));
        tb_push_store(tb, BH_BRISC, 0, SETC);
    }
}

/* All that wait look again in every cycle. */
static struct tensix_box *play_awake(scene_program *program) {
    struct tensix_box *tb = tb_create();
    program(tb);
    tb_start(tb);
    while (tb->now < SCENE_END) {
        for (unsigned i = 0; i < TENSIX_THREADS; i++)
            tb->x->thread[i].room_wanted = false;
        tile_tensix_event(&tb->box->tile, tb->now, BH_ALL_CORES);
        tb_step(tb, tb->now + 1);
    }
    return tb;
}

/* The visible state: a look brings stages forward, some of which then know less of the past. */
static void assert_looks_same(const struct tensix_box *a, const struct tensix_box *b) {
    const struct core *c = &a->box->tile.core[BH_TRISC0], *d = &b->box->tile.core[BH_TRISC0];
    const struct frontend *f = &a->x->thread[0].frontend, *g = &b->x->thread[0].frontend;
    assert_int_equal(c->state, d->state);
    if (c->state == BH_CORE_PAUSED)
        assert_int_equal(core_time(c), core_time(d));
    assert_memory_equal(c->x, d->x, 32 * sizeof c->x[0]);
    assert_int_equal(f->passes, g->passes);
    assert_int_equal(frontend_passed_at(f), frontend_passed_at(g));
    assert_memory_equal(a->at, b->at, sizeof a->at);
}

static void nobody_sleeps_too_long(void **state) {
    uint64_t ended = 0;
    (void)state;
    for (seed_of_scene = 0; seed_of_scene < SCENES; seed_of_scene++) {
        struct tensix_box *tb = scene_play(random_words), *awake = play_awake(random_words);
        assert_looks_same(tb, awake);
        if (frontend_empty(&tb->x->thread[0].frontend))
            assert_int_equal(tb->x->thread[0].frontend.recorders, 0);
        ended += core_of(tb, BH_TRISC0)->state == BH_CORE_PAUSED && !tb->box->faults;
        tb_destroy(tb);
        tb_destroy(awake);
    }
    assert_true(ended > SCENES / 2); /* in the others a REPLAY is recorded and played, which faults */
}

/* A look in every cycle sees more than it should where a push of BRISC has run the coprocessor to the next cycle. */
static void nor_beside_brisc(void **state) {
    (void)state;
    brisc_pushes = true;
    for (seed_of_scene = 0; seed_of_scene < 2 * SCENES; seed_of_scene++) {
        struct tensix_box *tb = scene_play(random_words), *awake = play_awake(random_words);
        const struct core *core = core_of(tb, BH_TRISC0), *other = core_of(awake, BH_TRISC0);
        assert_int_equal(core->state, other->state);
        if (core->state == BH_CORE_PAUSED)
            assert_in_range(core_time(core) - core_time(other), 0, 1);
        tb_destroy(tb);
        tb_destroy(awake);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(nobody_sleeps_too_long), cmocka_unit_test(nor_beside_brisc) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
