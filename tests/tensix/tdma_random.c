/* src/tensix/mover/tdma.c: random commands, against a machine that is ticked cycle by cycle, and in steps of any size.
 */
#include "tensix/tdma_bench.h"

/* ---- The queue, ticked ------------------------------------------------------------------------------------------- */

struct model {
    struct {
        uint32_t word, units, to, from, data;
        bool copies;
    } queue[4], running;
    unsigned count, credits;
    unsigned left;       /* cycles of the mover's task */
    uint64_t last_taken; /* the cycle in which a command was taken, plus one */
    unsigned to_write;   /* cycles until a word is written to L1 */
    uint32_t write_to, write_data;
    uint8_t l1[0x2000];
};

static unsigned cycles(uint32_t units, bool copies) {
    return copies ? units / 8 * 11 + (units % 8 ? 3 + units % 8 : 0) : units;
}

/* Returns the part of its task that the mover has done with this many cycles left. */
static void move(struct model *m) {
    uint32_t all = m->running.units, done = cycles(all, m->running.copies) - m->left;
    for (uint32_t upto = 8; upto < all + 8; upto += 8) {
        uint32_t end = upto < all ? upto : all, from = (upto - 8) * 16;
        if (cycles(end, m->running.copies) != done)
            continue;
        if (m->running.copies)
            memcpy(&m->l1[m->running.to + from], &m->l1[m->running.from + from], end * 16 - from);
        else
            memset(&m->l1[m->running.to + from], 0, end * 16 - from);
    }
}

static void take(struct model *m, uint64_t now) {
    if (!m->count || m->last_taken > now)
        return;
    uint8_t opcode = (uint8_t)m->queue[0].word;
    if ((opcode == MOVE || opcode == WAIT) && m->left)
        return;
    m->running = opcode == MOVE ? m->queue[0] : m->running;
    if (opcode == MOVE)
        m->left = cycles(m->queue[0].units, m->queue[0].copies);
    if (opcode == 0x66) {
        m->to_write = 2;
        m->write_to = m->queue[0].to;
        m->write_data = m->queue[0].data;
    }
    m->credits += !(m->queue[0].word >> 31);
    m->last_taken = now + 1;
    m->count--;
    memmove(&m->queue[0], &m->queue[1], m->count * sizeof m->queue[0]);
}

/* One cycle. */
static void tick(struct model *m, uint64_t now) {
    if (m->left) {
        m->left--;
        move(m);
    }
    if (m->to_write && --m->to_write == 0)
        memcpy(&m->l1[m->write_to], &m->write_data, 4);
    take(m, now);
    if (m->to_write == 2)
        m->to_write = 1;
}

static uint32_t model_status(const struct model *m) {
    return (m->left > 0 ? 1u : 0) + (m->count == 4 ? 4u : 0) + (m->count == 0 ? 8u : 0) + (m->credits == 0 ? 16u : 0) +
           (m->credits == 2 ? 32u : 0) + (4 - m->count) * 256;
}

/* Draws a command that is defined as things are; its parameters are set by the caller. */
static bool draw_command(struct model *m, uint64_t *seed) {
    unsigned kind = random_below(seed, 6), i = m->count;
    if (m->count == 4)
        return false;
    memset(&m->queue[i], 0, sizeof m->queue[i]);
    m->queue[i].units = random_below(seed, 4) ? random_below(seed, 12) : random_below(seed, 60);
    m->queue[i].to = 0x1000 + random_below(seed, 0x40) * 16;
    m->queue[i].from = random_below(seed, 0x40) * 16;
    m->queue[i].data = (uint32_t)random_next(seed);
    switch (kind) {
    case 0: m->queue[i].word = SHORT_NOP; break;
    case 1: m->queue[i].word = 0x80000000 | WAIT; break;
    case 2: m->queue[i].word = WRITE4; break;
    case 3:
        m->queue[i].to = 0xFF0; /* as far as eight bits go */
        m->queue[i].word = 0xC0000000 | m->queue[i].units << 24 | 0xFFu << 16 | m->queue[i].from / 16 << 8 | MOVE;
        m->queue[i].copies = true;
        break;
    default:
        m->queue[i].word = MOVE;
        m->queue[i].copies = random_below(seed, 2);
        break;
    }
    if (m->queue[i].word >> 31)
        return true;
    return m->credits > 0;
}

static void written_like_the_model(struct tensix_box *tb, struct model *m) {
    struct tdma *tdma = &tb->x->mover.tdma;
    unsigned i = m->count;
    uint8_t opcode = (uint8_t)m->queue[i].word;
    tdma->parameter[0] = opcode == 0x66 ? m->queue[i].to : m->queue[i].from / 16;
    tdma->parameter[1] = m->queue[i].to / 16;
    tdma->parameter[2] = opcode == 0x66 ? m->queue[i].data : m->queue[i].units;
    tdma->parameter[3] = m->queue[i].copies ? 3 : 0;
    assert_int_equal(tensix_tdma_write(tb->x, BH_BRISC, COMMAND, tb->now, m->queue[i].word).result, ACCESS_DONE);
    m->credits -= !(m->queue[i].word >> 31);
    m->count++;
}

/* Every cycle of random commands: status and L1. */
static void like_a_ticked_machine(void **state) {
    enum { SEEDS = 20, CYCLES = 3000 };
    (void)state;
    for (uint64_t s = 0; s < SEEDS; s++) {
        struct tensix_box *tb = tb_create();
        struct model m = { .credits = 2 };
        uint64_t seed = s;
        unsigned density = 1 + (unsigned)(s % 5) * 6;
        fill_l1(tb->x, 0, sizeof m.l1, &seed);
        memcpy(m.l1, tb->x->l1, sizeof m.l1);
        while (tb->now < CYCLES) {
            uint64_t now = tb->now;
            if (!random_below(&seed, density) && draw_command(&m, &seed))
                written_like_the_model(tb, &m);
            tick(&m, now);
            tb_step(tb, now + 1);
            assert_int_equal(load(tb, STATUS), model_status(&m));
            assert_memory_equal(m.l1, tb->x->l1, sizeof m.l1);
        }
        tb_destroy(tb);
    }
}

/* ---- Steps of any size ------------------------------------------------------------------------------------------- */

enum { PLAY_END = 4000, AREA = 0x30000, AREA_SIZE = 0x8000 };

static uint32_t draw_unit(uint64_t *seed) {
    return AREA / 16 + random_below(seed, AREA_SIZE / 16 - 64);
}

static void draw_brisc(struct tensix_box *tb, uint64_t *seed) {
    tb_store(tb, BH_BRISC, TDMA + L1_BASE, AREA / 16);
    for (unsigned i = 0; i < 12; i++) {
        unsigned kind = random_below(seed, 4);
        tb_nops(tb, BH_BRISC, random_below(seed, 12));
        if (kind < 2) {
            tb_store(tb, BH_BRISC, TDMA + SRC, draw_unit(seed));
            tb_store(tb, BH_BRISC, TDMA + DST, draw_unit(seed));
            tb_store(tb, BH_BRISC, TDMA + SIZE, random_below(seed, 40));
            tb_store(tb, BH_BRISC, TDMA + DIRECTION, kind ? 3 : 0);
            tb_store(tb, BH_BRISC, TDMA + COMMAND, MOVE);
            tb_store(tb, BH_BRISC, TDMA + COMMAND, SHORT_NOP);
            tb_store(tb, BH_BRISC, TDMA + COMMAND, 0x80000000 | WAIT);
        } else if (kind == 2) { /* words 32 on of Config */
            tb_store(tb, BH_BRISC, TDMA + COMMAND, 0x80080000 | random_below(seed, 8) << 24 | 5u << 8 | MOVE);
        } else {
            tb_load(tb, BH_BRISC, 10 + i, TDMA + STATUS);
        }
    }
}

static void draw_thread(struct tensix_box *tb, unsigned thread, uint64_t *seed) {
    for (unsigned i = 0; i < 15; i++) {
        tb_nops(tb, tb_core(thread), random_below(seed, 20));
        switch (random_below(seed, 5)) {
        case 0: tb_push(tb, thread, TT(XMOV, 0, 0)); break;
        case 1: TB_PUSH_ALL(tb, thread, TT(STALLWAIT, 0x1FF, GATE_C_MOVER), TT(SETC16, 1, i)); break;
        case 2: TB_PUSH_ALL(tb, thread, TT(WRCFG, 4, 0, 60), TT(WRCFG, 5, 0, 61), TT(WRCFG, 6, 0, 62)); break;
        case 3: TB_PUSH_ALL(tb, thread, TT(INCADCXY, 7, 1, 2, 3, 4), TT(RMWCIB0, 0xFF, i, 70)); break;
        default: tb_load(tb, tb_core(thread), 10 + i, AREA + random_below(seed, AREA_SIZE / 4) * 4); break;
        }
    }
}

static struct tensix_box *drawn(uint64_t seed) {
    struct tensix_box *tb = tb_create();
    uint32_t *words = &tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG6_Source_address];
    fill_l1(tb->x, AREA, AREA_SIZE, &seed);
    words[0] = draw_unit(&seed);
    words[1] = draw_unit(&seed);
    words[2] = random_below(&seed, 30) | (random_below(&seed, 2) ? 3u : 0) << 30;
    draw_brisc(tb, &seed);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
        draw_thread(tb, thread, &seed);
    return tb;
}

static void in_one_step_as_in_many(void **state) {
    enum { SEEDS = 60 };
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct tensix_box *stepped = drawn(seed), *whole = drawn(seed);
        tb_start(stepped);
        tb_step(stepped, PLAY_END);
        tb_start(whole);
        for (uint64_t until = 1; until <= PLAY_END; until += 37)
            tile_run(&whole->box->tile, until);
        tile_run(&whole->box->tile, PLAY_END);
        tensix_run(whole->x, PLAY_END);
        scene_assert_same(stepped, whole);
        assert_int_equal(stepped->box->faults, 0);
        assert_int_equal(stepped->x->mover.busy_until, whole->x->mover.busy_until);
        assert_memory_equal(stepped->x->l1 + AREA, whole->x->l1 + AREA, AREA_SIZE);
        assert_memory_equal(stepped->x->adc, whole->x->adc, sizeof whole->x->adc);
        for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++)
            assert_int_equal(core_of(stepped, core)->state, BH_CORE_PAUSED);
        assert_int_equal(load(stepped, STATUS), 0x428);
        tb_destroy(stepped);
        tb_destroy(whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_ticked_machine),
        cmocka_unit_test(in_one_step_as_in_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
