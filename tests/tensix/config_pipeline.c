/* When instructions of the Configuration Unit enter, and from which cycle on what they write is seen. */
#include "config_bench.h"

#include <string.h>

#include "tensix/clock.h"

enum { START = 100 };

/* ---- First cycle of a result ---------------------------------------------------------------------- */

static void visibility(void **state) {
    (void)state;
    const struct {
        const char *name;
        uint32_t word;
        uint64_t after;
    } cases[] = {
        { "WRCFG", wrcfg(1, false, 9), 2 },         { "WRCFG, 128 bits", wrcfg(1, true, 9), 2 },
        { "RMWCIB", rmwcib(0, 0xFF, 5, 9), 1 },     { "CFGSHIFTMASK", cfgshiftmask(0, 0, 31, 0, 0, 9), 2 },
        { "STREAMWRCFG", streamwrcfg(0, 4, 9), 5 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench *bench = bench_create();
        bench->x.gpr[0][1] = bench->stream[0][4] = bench->x.config.bank[0][209] = 5;
        assert_int_equal(bench_offer(bench, 0, cases[i].word, START), 0);
        bench_to(bench, START + cases[i].after - 1);
        assert_int_equal(bench->x.config.bank[0][9], 0);
        assert_int_equal(bench->x.config.busy_until, START + cases[i].after);
        assert_int_equal(bench->x.thread[0].busy[TENSIX_BUSY_CONFIG], START + cases[i].after);
        assert_int_equal(bench->x.thread[0].idle_at, START + cases[i].after);
        assert_int_equal(bench->x.thread[1].busy[TENSIX_BUSY_CONFIG], 0);
        bench_to(bench, START + cases[i].after);
        assert_int_equal(bench->x.config.bank[0][9], 5);
        bench_destroy(bench);
    }
}

static void visibility_of_a_read(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.config.bank[0][9] = 5;
    assert_int_equal(bench_offer(bench, 0, rdcfg(3, 9), START), 0);
    bench_to(bench, START + 1);
    assert_int_equal(bench->x.gpr[0][3], 0);
    assert_int_equal(bench->x.config.busy_until, START + 2);
    bench_to(bench, START + 2);
    assert_int_equal(bench->x.gpr[0][3], 5);
    bench_destroy(bench);
}

/* SETC16 has its own path: it does not make the pipeline busy, but its thread is not idle. */
static void visibility_of_setc16(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    for (unsigned thread = 0; thread < 3; thread++)
        assert_int_equal(bench_offer(bench, thread, setc16(2, 7 + thread), START), 0);
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(bench->x.config.thread[thread][2], 7 + thread);
        assert_int_equal(bench->x.thread[thread].idle_at, START + 1);
    }
    assert_int_equal(bench->x.config.busy_until, 0);
    bench_destroy(bench);
}

/* The GPR is read in the cycle in which WRCFG enters, the stream's register a cycle after STREAMWRCFG has. */
static void when_sources_are_read(void **state) {
    (void)state;
    for (unsigned late = 0; late < 3; late++) {
        struct bench *bench = bench_create();
        bench->x.gpr[0][1] = 5;
        bench->stream[0][4] = 5;
        bench_offer(bench, 0, streamwrcfg(0, 4, 10), START);
        bench_offer(bench, 1, wrcfg(1, false, 9), START);
        bench->x.gpr[1][1] = 6;
        bench_to(bench, START + late);
        bench->stream[0][4] = 6;
        bench_to(bench, START + 10);
        assert_int_equal(bench->x.config.bank[0][9], 0);
        assert_int_equal(bench->x.config.bank[0][10], late < 1 ? 6 : 5);
        bench_destroy(bench);
    }
}

/* Bank and stream are those of the moment of entry. */
static void bank_and_stream_at_entry(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->stream[3][4] = 33;
    bench->stream[5][4] = 55;
    bench_offer(bench, 0, setc16(59, 3), START);
    bench_offer(bench, 0, streamwrcfg(0, 4, 10), START + 1);
    bench_offer(bench, 0, setc16(59, 5), START + 2);
    bench_offer(bench, 0, setc16(0, 1), START + 3);
    bench_to(bench, START + 10);
    assert_int_equal(bench->x.config.bank[0][10], 33);
    assert_int_equal(bench->x.config.bank[1][10], 0);
    bench_destroy(bench);
}

/* Each next instruction sees what the one before has written, with no more care than the pipeline's own. */
static void results_in_order(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t cycle = START;
    bench->x.gpr[0][1] = 0x10;
    cycle = bench_pass(bench, 0, wrcfg(1, false, 209), cycle);
    cycle = bench_pass(bench, 0, cfgshiftmask(true, 3, 31, 0, 0, 9), cycle + 1);
    assert_int_equal(cycle, START + 2);
    cycle = bench_pass(bench, 0, cfgshiftmask(true, 3, 31, 0, 0, 9), cycle + 1);
    assert_int_equal(cycle, START + 4);
    cycle = bench_pass(bench, 0, rmwcib(0, 1, 1, 9), cycle + 1);
    assert_int_equal(cycle, START + 6);
    cycle = bench_pass(bench, 0, rdcfg(2, 9), cycle + 1);
    assert_int_equal(cycle, START + 7);
    bench_to(bench, cycle + 2);
    assert_int_equal(bench->x.gpr[0][2], 0x21);
    bench_destroy(bench);
}

/* ---- Rates ------------------------------------------------------------------------------------------ */

static void rates(void **state) {
    (void)state;
    const struct {
        uint32_t word;
        uint64_t cycles;
    } cases[] = {
        { wrcfg(1, false, 9), 1 }, { rdcfg(1, 9), 1 },          { rmwcib(1, 2, 3, 9), 1 },
        { setc16(9, 1), 1 },       { streamwrcfg(0, 4, 9), 1 }, { cfgshiftmask(0, 0, 31, 0, 0, 9), 2 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench *bench = bench_create();
        uint64_t cycle = START;
        for (unsigned n = 0; n < 50; n++) {
            assert_int_equal(bench_pass(bench, n % 3, cases[i].word, cycle), START + n * cases[i].cycles);
            cycle = START + n * cases[i].cycles + 1;
        }
        bench_destroy(bench);
    }
}

/* ---- A plain model: six stages, moved cycle by cycle --------------------------------------------------- */

enum op { OP_STREAM, OP_WRITE, OP_SHIFT, OP_RMW, OP_READ, OP_COUNT };

static const int first_stage[OP_COUNT] = { -4, -1, 0, 0, 0 };

struct slot {
    bool there, fresh; /* fresh: entered in this cycle */
    enum op op;
    unsigned thread, bank, index, gpr, reg;
    uint32_t value;
    bool second; /* of a CFGSHIFTMASK */
};

struct model {
    struct slot stage[6]; /* -4 .. +1 */
    uint32_t bank[2][CONFIG_ROW];
    uint32_t gpr[3][TENSIX_GPRS];
    uint32_t stream[64][1024];
    uint64_t overlay_busy_until;
};

static struct slot *at(struct model *m, int stage) {
    return &m->stage[stage + 4];
}

static void model_write(struct model *m, const struct slot *s) {
    uint32_t value = s->value & ~config_missing[s->index];
    if (s->index >= 180)
        m->bank[0][s->index] = m->bank[1][s->index] = value;
    else
        m->bank[s->bank][s->index] = value;
}

static void model_act(struct model *m) {
    struct slot *zero = at(m, 0), *reads = at(m, -3), *last = at(m, 1);
    if (last->there)
        m->gpr[last->thread][last->gpr] = last->value;
    if (reads->there)
        reads->value = m->stream[0][reads->reg];
    if (!zero->there)
        return;
    uint32_t old = m->bank[zero->bank][zero->index];
    switch (zero->op) {
    case OP_RMW: zero->value = (old & 0xFFFFFF00) | zero->value; break;
    case OP_READ: zero->value = old; return;
    case OP_SHIFT:
        if (!zero->second) {
            zero->value = old + m->bank[0][209];
            return;
        }
        break;
    default: break;
    }
    model_write(m, zero);
}

/* End of a cycle: what is done in each stage; then everything moves to where it is in the next one. */
static void model_tick(struct model *m, uint64_t next) {
    model_act(m);
    at(m, 1)->there = false;
    struct slot *zero = at(m, 0);
    if (zero->there && zero->op == OP_READ) {
        *at(m, 1) = *zero;
        zero->there = false;
    } else if (zero->there && zero->op == OP_SHIFT && !zero->second) {
        zero->second = true;
    } else {
        zero->there = false;
    }
    for (int stage = 0; stage > -4; stage--) {
        if (at(m, stage)->there || (stage == -3 && m->overlay_busy_until > next))
            continue;
        *at(m, stage) = *at(m, stage - 1);
        at(m, stage - 1)->there = false;
    }
    for (int stage = -4; stage <= 1; stage++)
        at(m, stage)->fresh = false;
}

static bool model_admits(struct model *m, enum op op) {
    int first = first_stage[op];
    if (at(m, first)->there)
        return false;
    for (int stage = -3; stage < first; stage++)
        if (at(m, stage)->there && !at(m, stage)->fresh)
            return false;
    if (op == OP_SHIFT && at(m, -1)->there)
        return false;
    return !(op == OP_WRITE && at(m, 0)->there && at(m, 0)->op == OP_SHIFT && at(m, 0)->fresh);
}

static void model_enter(struct model *m, struct slot slot) {
    slot.there = slot.fresh = true;
    if (slot.op == OP_WRITE)
        slot.value = m->gpr[slot.thread][slot.gpr];
    *at(m, first_stage[slot.op]) = slot;
}

static uint32_t word_of(const struct slot *s) {
    switch (s->op) {
    case OP_STREAM: return streamwrcfg(0, s->reg, s->index);
    case OP_WRITE: return wrcfg(s->gpr, false, s->index);
    case OP_SHIFT: return cfgshiftmask(true, 3, 31, 0, 0, s->index);
    case OP_RMW: return rmwcib(0, 0xFF, s->value, s->index);
    default: return rdcfg(s->gpr, s->index);
    }
}

/* ---- Pairs ------------------------------------------------------------------------------------------ */

/* The second instruction is offered some cycles after the first, by its thread or another; the returned cycle is exact
 * at once. */
static void pairs(void **state) {
    (void)state;
    for (unsigned n = 0; n < OP_COUNT * OP_COUNT * 8 * 2; n++) {
        struct slot first = { .op = n % OP_COUNT, .index = 9 }, second = { .op = n / OP_COUNT % OP_COUNT, .index = 10 };
        unsigned gap = n / OP_COUNT / OP_COUNT % 8, thread = n / OP_COUNT / OP_COUNT / 8;
        if (gap == 0 && thread == 0)
            continue; /* one thread, one instruction a cycle */
        struct bench *bench = bench_create();
        struct model *m = calloc(1, sizeof *m);
        assert_int_equal(bench_offer(bench, 0, word_of(&first), START), 0);
        model_enter(m, first);
        uint64_t cycle = START;
        for (; cycle < START + gap; cycle++)
            model_tick(m, cycle + 1);
        struct config_pipe before = bench->x.config.pipe;
        uint64_t said = bench_offer(bench, thread, word_of(&second), START + gap);
        while (!model_admits(m, second.op)) {
            cycle++;
            model_tick(m, cycle);
        }
        assert_int_equal(said ? said : START + gap, cycle);
        if (said) {
            assert_string_equal(wait_text(bench->x.thread[thread].waits_on), "the Configuration Unit's pipeline");
            assert_memory_equal(&bench->x.config.pipe, &before, sizeof before);
            assert_int_equal(bench_offer(bench, thread, word_of(&second), said), 0);
        }
        free(m);
        bench_destroy(bench);
    }
}

/* The documented example, and the bug: a STREAMWRCFG can be overtaken in stage -4 only. */
static void overtaking(void **state) {
    (void)state;
    for (unsigned gap = 1; gap < 7; gap++) {
        struct bench *bench = bench_create();
        bench->stream[0][4] = 1;
        bench->x.gpr[0][1] = 2;
        bench->x.config.overlay_busy_until = START + 3; /* in -4 in the first three cycles */
        bench_offer(bench, 0, streamwrcfg(0, 4, 9), START);
        uint64_t passed = bench_pass(bench, 0, wrcfg(1, false, 9), START + gap);
        assert_int_equal(passed, gap < 3 ? START + gap : START + 6);
        bench_to(bench, START + 20);
        assert_int_equal(bench->x.config.bank[0][9], gap < 3 ? 1 : 2);
        assert_int_equal(bench->x.thread[0].busy[TENSIX_BUSY_CONFIG], START + (gap < 3 ? 7 : 8));
        bench_destroy(bench);
    }
}

static void a_second_stream_waits_for_its_stage(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->stream[0][4] = 1;
    bench->x.config.overlay_busy_until = START + 5000;
    bench_offer(bench, 0, streamwrcfg(0, 4, 9), START);
    assert_int_equal(bench_offer(bench, 1, streamwrcfg(0, 4, 10), START + 1), START + 5000);
    assert_int_equal(bench_pass(bench, 1, streamwrcfg(0, 4, 10), START + 5000), START + 5000);
    bench_to(bench, START + 5003);
    assert_int_equal(bench->x.config.bank[0][9], 0);
    bench_to(bench, START + 5004);
    assert_int_equal(bench->x.config.bank[0][9], 1);
    assert_int_equal(bench->x.config.bank[0][10], 0);
    bench_to(bench, START + 5005);
    assert_int_equal(bench->x.config.bank[0][10], 1);
    bench_destroy(bench);
}

/* The overlay may be taken again while a STREAMWRCFG waits for it. */
static void overlay_taken_again(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.config.overlay_busy_until = START + 5;
    bench_offer(bench, 0, streamwrcfg(0, 4, 9), START);
    assert_int_equal(bench->x.config.busy_until, START + 9);
    bench_to(bench, START + 3);
    bench->x.config.overlay_busy_until = START + 8;
    bench_to(bench, START + 7);
    bench->stream[0][4] = 1;
    bench_to(bench, START + 8);
    bench->stream[0][4] = 2;
    assert_int_equal(bench->x.config.busy_until, START + 12);
    bench_to(bench, START + 11);
    assert_int_equal(bench->x.config.bank[0][9], 0);
    bench_to(bench, START + 12);
    assert_int_equal(bench->x.config.bank[0][9], 1);
    bench_destroy(bench);
}

/* Three enter at once if they enter in different stages. */
static void three_at_once(void **state) {
    (void)state;
    const uint32_t words[3] = { streamwrcfg(0, 4, 9), wrcfg(1, false, 10), rmwcib(0, 1, 1, 11) };
    for (unsigned order = 0; order < 6; order++) {
        struct bench *bench = bench_create();
        unsigned a = order % 3, b = (a + 1 + order / 3) % 3, c = 3 - a - b;
        assert_int_equal(bench_offer(bench, 0, words[a], START), 0);
        assert_int_equal(bench_offer(bench, 1, words[b], START), 0);
        assert_int_equal(bench_offer(bench, 2, words[c], START), 0);
        assert_int_equal(bench->x.config.busy_until, START + 5);
        bench_destroy(bench);
    }
}

/* ---- The GPRs' write port ------------------------------------------------------------------------------ */

static void land_elsewhere(struct bench *bench, uint64_t time) {
    tensix_land_word(&bench->x, time, landing_key(TENSIX_LAND_GPR, 2, 60, 4), 0);
}

static void a_read_waits_for_the_port(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.config.bank[0][9] = 5;
    bench_to(bench, START);
    land_elsewhere(bench, START + 2);
    land_elsewhere(bench, START + 3);
    land_elsewhere(bench, START + 5);
    assert_int_equal(bench_offer(bench, 0, rdcfg(3, 9), START), 0);
    /* Stage +1 is taken until START + 4: the next read is there then, others do not mind. */
    assert_int_equal(bench_offer(bench, 1, rdcfg(4, 9), START + 1), START + 3);
    assert_int_equal(bench_offer(bench, 2, rmwcib(0, 1, 0, 12), START + 1), 0);
    assert_int_equal(bench_offer(bench, 1, rdcfg(4, 9), START + 3), 0);
    bench_to(bench, START + 3);
    assert_int_equal(bench->x.gpr[0][3], 0);
    bench_to(bench, START + 4);
    assert_int_equal(bench->x.gpr[0][3], 5);
    assert_int_equal(bench->x.thread[0].busy[TENSIX_BUSY_CONFIG], START + 4);
    bench_to(bench, START + 5);
    assert_int_equal(bench->x.gpr[1][4], 0);
    bench_to(bench, START + 6);
    assert_int_equal(bench->x.gpr[1][4], 5);
    bench_destroy(bench);
}

/* ---- Everything against the model -------------------------------------------------------------------- */

static struct slot random_slot(uint64_t *random, unsigned thread) {
    static const unsigned indices[] = { 9, 10, 11, 100, 179, 180, 209, 223 };
    uint32_t r = bench_random(random);
    return (struct slot){
        .op = r % OP_COUNT,
        .thread = thread,
        .bank = thread == 2,
        .index = indices[r >> 8 & 7],
        .gpr = r >> 11 & 3,
        .reg = r >> 13 & 3,
        .value = r >> 16 & 0xFF,
    };
}

static void compare(struct bench *bench, struct model *m) {
    assert_memory_equal(bench->x.config.bank, m->bank, sizeof m->bank);
    assert_memory_equal(bench->x.gpr, m->gpr, sizeof m->gpr);
}

static bool model_empty(struct model *m) {
    for (int stage = -4; stage <= 1; stage++)
        if (at(m, stage)->there)
            return false;
    return true;
}

static void take_overlay(struct bench *bench, struct model *m, uint64_t until) {
    if (until > m->overlay_busy_until)
        bench->x.config.overlay_busy_until = m->overlay_busy_until = until;
}

static void against_the_model(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct bench *bench = bench_create();
        struct model *m = calloc(1, sizeof *m);
        uint64_t random = seed;
        struct slot waiting[3];
        bool has[3] = { false };
        bench->x.config.thread[2][0] = 1;
        for (unsigned i = 0; i < 4; i++)
            for (unsigned thread = 0; thread < 3; thread++)
                bench->x.gpr[thread][i] = m->gpr[thread][i] = bench_random(&random);
        for (uint64_t cycle = START; cycle < START + 2000; cycle++) {
            unsigned dense = seed % 4 + 1, turn = bench_random(&random) % 3;
            bench_to(bench, cycle);
            compare(bench, m);
            assert_int_equal(bench->x.config.busy_until <= cycle, model_empty(m));
            if (bench_random(&random) % 16 == 0)
                take_overlay(bench, m, cycle + 1 + bench_random(&random) % 9);
            for (unsigned i = 0; i < 3; i++) {
                unsigned thread = (turn + i) % 3;
                if (!has[thread] && bench_random(&random) % dense == 0) {
                    waiting[thread] = random_slot(&random, thread);
                    has[thread] = true;
                }
                if (!has[thread])
                    continue;
                bool admits = model_admits(m, waiting[thread].op);
                uint64_t again = bench_offer(bench, thread, word_of(&waiting[thread]), cycle);
                assert_int_equal(again == 0, admits);
                if (!admits)
                    continue;
                model_enter(m, waiting[thread]);
                has[thread] = false;
            }
            model_tick(m, cycle + 1);
            bench->stream[0][cycle % 4] = m->stream[0][cycle % 4] = bench_random(&random);
        }
        free(m);
        bench_destroy(bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visibility),
        cmocka_unit_test(visibility_of_a_read),
        cmocka_unit_test(visibility_of_setc16),
        cmocka_unit_test(when_sources_are_read),
        cmocka_unit_test(bank_and_stream_at_entry),
        cmocka_unit_test(results_in_order),
        cmocka_unit_test(rates),
        cmocka_unit_test(pairs),
        cmocka_unit_test(overtaking),
        cmocka_unit_test(a_second_stream_waits_for_its_stage),
        cmocka_unit_test(overlay_taken_again),
        cmocka_unit_test(three_at_once),
        cmocka_unit_test(a_read_waits_for_the_port),
        cmocka_unit_test(against_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
