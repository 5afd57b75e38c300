/* Loads and stores of cores at the Configuration Unit: addresses, completion times, and which access waits for
 * which. */
#include "config_bench.h"

#include <string.h>

enum { START = 100 };

static uint32_t load(struct bench *bench, enum bh_core core, uint32_t offset, uint64_t time) {
    uint32_t value = 0xDEAD;
    assert_int_equal(tensix_config_read(&bench->x, core, offset, time, &value).result, ACCESS_DONE);
    return value;
}

static void store(struct bench *bench, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value) {
    assert_int_equal(tensix_config_write(&bench->x, core, offset, time, value).result, ACCESS_DONE);
}

static void assert_waits(struct access access, const char *text) {
    assert_int_equal(access.result, ACCESS_WAIT);
    assert_non_null(strstr(access.text, text));
}

/* ---- Layout ------------------------------------------------------------------------------------------ */

static void every_word(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t time = START;
    for (unsigned i = 0; i < 2 * CONFIG_WORDS; i++)
        if (i % CONFIG_WORDS != CONFIG_WORD_STATE_RESET_EN)
            store(bench, BH_BRISC, 4 * i, time++, 0x1000 + i);
    for (unsigned i = 0; i < 2 * CONFIG_WORDS; i++, time++) {
        unsigned bank = i / CONFIG_WORDS, index = i % CONFIG_WORDS;
        if (index == CONFIG_WORD_STATE_RESET_EN)
            continue;
        if (index > CONFIG_WORD_STATE_RESET_EN && index < CONFIG_BASE_GLOBAL)
            assert_int_equal(bench->x.config.bank[bank][index], (0x1000 + i) & ~config_missing[index]);
        if (index >= CONFIG_BASE_GLOBAL) /* the second round was last */
            assert_int_equal(bench->x.config.bank[bank][index],
                             (0x1000 + CONFIG_WORDS + index) & ~config_missing[index]);
        assert_int_equal(load(bench, BH_TRISC0, 4 * i, time), bench->x.config.bank[bank][index]);
    }
    bench_destroy(bench);
}

static void dual_writes(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t time = START;
    assert_int_equal(CONFIG_AT_DUAL, 0x700);
    for (unsigned i = 5; i < CONFIG_WORDS; i++, time++)
        store(bench, BH_TRISC2, 0x700 + 4 * i, time, 0x2000 + i);
    bench_to(bench, time);
    for (unsigned i = 5; i < CONFIG_WORDS; i++, time++) {
        uint32_t value = (0x2000 + i) & ~config_missing[i];
        assert_int_equal(bench->x.config.bank[0][i], value);
        assert_int_equal(bench->x.config.bank[1][i], value);
        bench->x.config.bank[1][i] = 0;
        assert_int_equal(load(bench, BH_TRISC2, 0x700 + 4 * i, time), value);
    }
    bench_destroy(bench);
}

static void thread_config(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t time = START;
    assert_int_equal(CONFIG_AT_THREAD, 0xA80);
    for (unsigned i = 0; i < 3 * CONFIG_THREAD_WORDS; i++, time++) {
        struct access access;
        bench->x.config.thread[i / CONFIG_THREAD_WORDS][i % CONFIG_THREAD_WORDS] = (uint16_t)(0xFF00 + i);
        assert_int_equal(load(bench, BH_BRISC, 0xA80 + 4 * i, time), (uint16_t)(0xFF00 + i));
        assert_int_equal(config_peek(&bench->x, 0xA80 + 4 * i), (uint16_t)(0xFF00 + i));
        access = tensix_config_write(&bench->x, BH_BRISC, 0xA80 + 4 * i, time, 1);
        assert_int_equal(access.result, ACCESS_REFUSED);
        assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
        assert_string_equal(access.text, "only SETC16 writes ThreadConfig");
    }
    bench_destroy(bench);
}

static void beyond_the_end(void **state) {
    (void)state;
    static const uint32_t offsets[] = { CONFIG_AT_END, CONFIG_AT_END + 4, 0xFFFC, 0xFFFFFFFC };
    struct bench *bench = bench_create();
    for (unsigned i = 0; i < 4; i++) {
        uint32_t value;
        struct access access = tensix_config_read(&bench->x, BH_BRISC, offsets[i], START, &value);
        assert_int_equal(access.result, ACCESS_REFUSED);
        assert_int_equal(access.kind, BH_FAULT_UNMAPPED);
        access = tensix_config_write(&bench->x, BH_BRISC, offsets[i], START, 0);
        assert_int_equal(access.result, ACCESS_REFUSED);
        assert_int_equal(access.kind, BH_FAULT_UNMAPPED);
        assert_int_equal(config_peek(&bench->x, offsets[i]), 0);
    }
    assert_int_equal(load(bench, BH_BRISC, CONFIG_AT_END - 4, START), 0);
    bench_destroy(bench);
}

static void peeks_do_not_enter(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.config.bank[0][9] = 1;
    bench->x.config.bank[1][9] = 2;
    assert_int_equal(config_peek(&bench->x, 36), 1);
    assert_int_equal(config_peek(&bench->x, CONFIG_AT_BANK1 + 36), 2);
    assert_int_equal(config_peek(&bench->x, CONFIG_AT_DUAL + 36), 1);
    assert_int_equal(bench->x.config.busy_until, 0);
    bench_destroy(bench);
}

/* ---- Time ------------------------------------------------------------------------------------------------ */

static void seen_a_cycle_later(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    store(bench, BH_TRISC0, 36, START, 5);
    assert_int_equal(bench->x.config.bank[0][9], 0);
    assert_int_equal(bench->x.config.busy_until, START + 1);
    assert_int_equal(bench_offer(bench, 0, rdcfg(1, 9), START), START + 1);
    assert_int_equal(load(bench, BH_TRISC1, 36, START + 1), 5);
    assert_int_equal(bench->x.config.busy_until, START + 2);
    bench_destroy(bench);
}

/* A load needs stage 0 too, and holds it for a cycle. */
static void loads_take_their_turn(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint32_t value = 7;
    bench->x.gpr[0][1] = 5;
    bench_offer(bench, 0, wrcfg(1, false, 9), START);
    assert_waits(tensix_config_read(&bench->x, BH_TRISC0, 36, START + 1, &value), "pipeline");
    assert_int_equal(value, 7);
    assert_int_equal(bench->x.alarm, START + 2);
    assert_int_equal(load(bench, BH_TRISC0, 36, START + 2), 5);
    assert_waits(tensix_config_read(&bench->x, BH_BRISC, 36, START + 2, &value), "pipeline");
    assert_int_equal(bench_offer(bench, 1, rmwcib(0, 1, 1, 9), START + 2), START + 3);
    bench_destroy(bench);
}

/* The alarm calls the core. */
static void the_core_is_called(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint32_t value;
    bench_offer(bench, 0, cfgshiftmask(0, 0, 0, 0, 0, 9), START);
    tensix_config_read(&bench->x, BH_TRISC0, 36, START, &value);
    assert_int_equal(tensix_due(&bench->x), START + 2);
    bench->events = 0;
    tensix_run(&bench->x, START + 2);
    assert_int_equal(bench->events, 0);
    tensix_run(&bench->x, START + 3);
    assert_int_equal(bench->events, 1);
    assert_int_equal(bench->last_event, START + 2);
    bench_destroy(bench);
}

/* Stores do not stop their core: they queue, and enter in order, one a cycle. */
static void stores_queue(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint32_t value;
    bench->stream[0][4] = 99;
    bench_offer(bench, 0, streamwrcfg(0, 4, 9), START); /* in -3 in START + 1, in 0 in START + 4 */
    bench_to(bench, START + 1);
    store(bench, BH_TRISC0, 36, START + 1, 1);
    store(bench, BH_TRISC1, 36, START + 2, 2);
    store(bench, BH_BRISC, 40, START + 2, 3);
    assert_int_equal(bench->x.config.requests, 3);
    assert_int_equal(bench->x.config.request_due, START + 5);
    assert_int_equal(tensix_due(&bench->x), START + 5);
    assert_waits(tensix_config_read(&bench->x, BH_TRISC1, 40, START + 3, &value), "a store before it");
    assert_int_equal(bench->x.alarm, START + 7);
    tensix_run(&bench->x, START + 5);
    assert_int_equal(bench->x.config.bank[0][9], 99);
    tensix_run(&bench->x, START + 6);
    assert_int_equal(bench->x.config.bank[0][9], 1);
    assert_int_equal(bench->x.config.requests, 2);
    tensix_run(&bench->x, START + 7);
    assert_int_equal(bench->x.config.bank[0][9], 2);
    assert_int_equal(bench->x.config.bank[0][10], 0);
    tensix_run(&bench->x, START + 8);
    assert_int_equal(bench->x.config.bank[0][10], 3);
    assert_int_equal(bench->x.config.requests, 0);
    assert_true(bench->x.config.request_due == TENSIX_NEVER);
    bench_destroy(bench);
}

static void a_full_queue(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench_offer(bench, 0, streamwrcfg(0, 4, 9), START);
    bench_to(bench, START + 1);
    for (unsigned i = 0; i < CONFIG_REQUESTS; i++)
        store(bench, BH_BRISC, 40 + 4 * i, START + 1, i + 1);
    assert_waits(tensix_config_write(&bench->x, BH_BRISC, 36, START + 1, 77), "too many stores");
    assert_int_equal(bench->x.alarm, START + 6);
    assert_waits(tensix_config_write(&bench->x, BH_BRISC, 36, START + 5, 77), "too many stores");
    store(bench, BH_BRISC, 36, START + 6, 77);
    tensix_run(&bench->x, START + 5 + CONFIG_REQUESTS);
    assert_int_equal(bench->x.config.bank[0][9], 0);
    tensix_run(&bench->x, START + 6 + CONFIG_REQUESTS);
    assert_int_equal(bench->x.config.bank[0][9], 77);
    for (unsigned i = 0; i < CONFIG_REQUESTS; i++)
        assert_int_equal(bench->x.config.bank[0][10 + i], i + 1);
    bench_destroy(bench);
}

/* While a thread issues WRCFG in every cycle no other access gets stage 0. */
static void starvation(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint32_t value;
    uint64_t cycle = START;
    for (; cycle < START + 200; cycle++) {
        assert_int_equal(bench_offer(bench, 0, wrcfg(1, false, 9), cycle), 0);
        if (cycle == START + 3)
            store(bench, BH_TRISC1, 40, cycle, 5);
        if (cycle > START + 3) {
            assert_int_equal(bench->x.config.requests, 1);
            assert_waits(tensix_config_read(&bench->x, BH_TRISC2, 40, cycle, &value), "pipeline");
            assert_int_equal(bench->x.alarm, cycle + 2);
            bench->x.alarm = TENSIX_NEVER;
        }
    }
    tensix_run(&bench->x, cycle + 1);
    assert_int_equal(bench->x.config.requests, 1);
    tensix_run(&bench->x, cycle + 2);
    assert_int_equal(bench->x.config.bank[0][10], 5);
    bench_destroy(bench);
}

/* A core may come in a cycle that has been run already: it counts in the next. */
static void behind_the_coprocessor(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint32_t value;
    tensix_run(&bench->x, START + 1);
    store(bench, BH_TRISC0, 36, START, 5);
    tensix_run(&bench->x, START + 1);
    assert_int_equal(bench->x.config.bank[0][9], 0);
    assert_waits(tensix_config_read(&bench->x, BH_TRISC1, 36, START + 1, &value), "pipeline");
    assert_int_equal(load(bench, BH_TRISC1, 36, START + 2), 5);
    bench_destroy(bench);
}

/* ---- C10 ------------------------------------------------------------------------------------------------------ */

static void pending_requests(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench_offer(bench, 0, streamwrcfg(0, 4, 9), START);
    bench_to(bench, START + 1);
    store(bench, BH_BRISC, 36, START + 1, 1);
    store(bench, BH_TRISC1, 36, START + 1, 2);
    assert_int_equal(config_request_pending(&bench->x, 0, START + 1), 0);
    assert_int_equal(config_request_pending(&bench->x, 2, START + 1), 0);
    assert_int_equal(config_request_pending(&bench->x, 1, START + 1), START + 7);
    assert_int_equal(gate_condition(&bench->x, 1, GATE_C_RISCV, START + 1), START + 7);
    tensix_run(&bench->x, START + 6); /* it enters in this cycle */
    assert_int_equal(config_request_pending(&bench->x, 1, START + 6), START + 7);
    bench_to(bench, START + 6);
    assert_int_equal(bench->x.config.requests, 0);
    assert_int_equal(config_request_pending(&bench->x, 1, START + 6), START + 7);
    tensix_run(&bench->x, START + 7);
    assert_true(config_request_pending(&bench->x, 1, START + 7) <= START + 7);
    assert_int_equal(bench->x.config.bank[0][9], 2);
    bench_destroy(bench);
}

/* One that is done at once is never pending for a later cycle. */
static void nothing_pending(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    store(bench, BH_TRISC1, 36, START, 2);
    assert_true(config_request_pending(&bench->x, 1, START + 1) <= START + 1);
    bench_destroy(bench);
}

/* ---- Auto TTSync ------------------------------------------------------------------------------------------------- */

enum { TRACK_ALL = 0xFFFF };

static void track(struct bench *bench, unsigned thread) {
    bench->x.config.thread[thread][CONFIG_WORD_TENSIX_TRISC_SYNC_TrackGlobalCfg] = TRACK_ALL;
}

/* A store that waits holds words that were pushed after it and touch the same, and no others. */
static void queued_stores_hold_words(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    struct frontend *f = &bench->x.thread[0].frontend;
    track(bench, 0);
    f->ttsync.requests = 0xFFFF; /* numbers wrap */
    bench_offer(bench, 1, streamwrcfg(0, 4, 9), START);
    bench_to(bench, START + 1);
    uint16_t before = f->ttsync.requests;
    store(bench, BH_TRISC0, 36, START + 1, 1);
    uint16_t between = f->ttsync.requests;
    store(bench, BH_TRISC0, 40, START + 2, 1);
    uint16_t after = f->ttsync.requests;
    assert_int_equal(between, 0);
    assert_int_equal(after, 1);
    uint16_t mine = bench->x.config.request[0].resources;
    assert_int_not_equal(mine, 0);
    uint16_t reads = mine, writes = (uint16_t)(mine << TTSYNC_WRITES), others = TTSYNC_GPR;
    const struct {
        struct frontend_word word;
        unsigned thread;
        uint64_t until;
    } cases[] = {
        { { .resources = reads, .request = before }, 0, 0 },
        { { .resources = reads, .request = between }, 0, START + 6 },
        { { .resources = writes, .request = between }, 0, START + 6 },
        { { .resources = reads, .request = after }, 0, START + 7 },
        { { .resources = others, .request = after }, 0, 0 },
        { { .resources = 0, .request = after }, 0, 0 },
        { { .resources = reads, .request = after }, 1, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(config_request_holds(&bench->x, cases[i].thread, cases[i].word.tag, START + 2),
                         cases[i].until);
    /* In the cycle in which it enters, it has not been seen yet. */
    bench_to(bench, START + 5);
    assert_int_equal(bench->x.config.requests, 1);
    assert_int_equal(config_request_holds(&bench->x, 0, cases[1].word.tag, START + 5), START + 6);
    assert_int_equal(config_request_holds(&bench->x, 0, cases[0].word.tag, START + 5), 0);
    bench_to(bench, START + 6);
    assert_int_equal(config_request_holds(&bench->x, 0, cases[1].word.tag, START + 6), 0);
    assert_int_equal(config_request_holds(&bench->x, 0, cases[3].word.tag, START + 6), START + 7);
    bench_to(bench, START + 7);
    assert_int_equal(config_request_holds(&bench->x, 0, cases[3].word.tag, START + 7), 0);
    bench_destroy(bench);
}

/* A word that has not passed its gate holds its own core's accesses, if the thread tracks them. */
static void words_hold_accesses(void **state) {
    (void)state;
    for (unsigned tracked = 0; tracked < 2; tracked++) {
        struct bench *bench = bench_create();
        uint32_t value, words[2] = { wrcfg(1, false, 9), rdcfg(1, 9) };
        struct frontend *f = &bench->x.thread[1].frontend;
        if (tracked)
            track(bench, 1);
        bench_to(bench, START);
        bench->x.thread[1].faulted = true; /* the thread stands still: its words pass when the test says so */
        bench->x.thread[1].waits_on = WAIT_FAULT;
        frontend_push(f, words, 2, 0, START, bench->x.config.thread[1]);
        if (tracked) {
            assert_waits(tensix_config_read(&bench->x, BH_TRISC1, 36, START + 1, &value), "Auto TTSync");
            assert_true(bench->x.thread[1].pass_wanted);
            bench->x.thread[1].pass_wanted = false;
            assert_waits(tensix_config_write(&bench->x, BH_TRISC1, 36, START + 2, 1), "Auto TTSync");
            assert_true(bench->x.thread[1].pass_wanted);
            load(bench, BH_TRISC1, CONFIG_AT_BANK1 + 36, START + 2); /* the other bank */
            load(bench, BH_TRISC0, 36, START + 3);                   /* only its own words */
            load(bench, BH_BRISC, 36, START + 4);
            assert_non_null(frontend_head(f, START + 10));
            frontend_pop(f, START + 10);
            /* The RDCFG that is left only reads: a load may go. */
            load(bench, BH_TRISC1, 36, START + 11);
            assert_waits(tensix_config_write(&bench->x, BH_TRISC1, 36, START + 12, 1), "Auto TTSync");
            assert_non_null(frontend_head(f, START + 13));
            frontend_pop(f, START + 13);
        }
        load(bench, BH_TRISC1, 36, START + 14);
        store(bench, BH_TRISC1, 36, START + 15, 1);
        bench_destroy(bench);
    }
}

/* ---- Through the threads ---------------------------------------------------------------------------------- */

static void push(struct bench *bench, unsigned thread, const uint32_t *words, unsigned count, uint64_t time) {
    for (unsigned i = 0; i < count; i++) {
        struct tensix_push push = {
            .words = &words[i], .shape = push_shape(1, 1, 1, false), .time = time, .in_turn = true
        };
        assert_int_equal(tensix_push(&bench->x, BH_TRISC0 + thread, thread, &push).result, ACCESS_DONE);
    }
}

static uint32_t stallwait(unsigned block, unsigned condition) {
    return tensix_encode_STALLWAIT((struct tensix_STALLWAIT){ .stall_res = block, .wait_res = condition });
}

/* The page's remedy against the overtaking: wait for C12. */
static void waiting_for_the_pipeline(void **state) {
    (void)state;
    for (unsigned wait = 0; wait < 2; wait++) {
        struct bench *bench = bench_create();
        const uint32_t words[3] = { streamwrcfg(0, 4, 9), wait ? stallwait(1 << 7, GATE_C_CONFIG) : setc16(9, 0),
                                    wrcfg(1, false, 9) };
        bench->stream[0][4] = 1;
        bench->x.gpr[0][1] = 2;
        bench->x.config.overlay_busy_until = START + 50;
        push(bench, 0, words, 3, START);
        tensix_run(&bench->x, START + 100);
        assert_int_equal(bench->x.thread[0].frontend.passes, 3);
        assert_int_equal(bench->x.config.bank[0][9], wait ? 2 : 1);
        /* In stage -3 in START + 50, empty in START + 54; the gate opens in the next cycle, two in the pipeline. */
        assert_int_equal(bench->x.config.busy_until, START + (wait ? 57 : 54));
        bench_destroy(bench);
    }
}

/* A store is kept out by another thread's WRCFGs. Its own thread's WRCFG to the same word, pushed after it, overtakes
 * it unless C10 or Auto TTSync holds it. */
static void waiting_for_the_core(void **state) {
    (void)state;
    enum { BY_NOTHING, BY_C10, BY_TTSYNC, WAYS };
    for (unsigned way = 0; way < WAYS; way++) {
        struct bench *bench = bench_create();
        uint32_t others[20];
        const uint32_t words[2] = { way == BY_C10 ? stallwait(1 << 7, GATE_C_RISCV) : setc16(9, 0),
                                    wrcfg(1, false, 9) };
        for (unsigned i = 0; i < 20; i++)
            others[i] = wrcfg(0, false, 20);
        if (way == BY_TTSYNC)
            track(bench, 1);
        bench->x.gpr[1][1] = 3;
        push(bench, 0, others, 20, START);
        store(bench, BH_TRISC1, 36, START + 10, 7);
        assert_int_equal(bench->x.config.requests, 1);
        push(bench, 1, words, 2, START + 11);
        tensix_run(&bench->x, START + 60);
        assert_int_equal(bench->x.config.requests, 0);
        assert_int_equal(bench->x.thread[1].frontend.passes, 2);
        assert_int_equal(bench->x.config.bank[0][9], way == BY_NOTHING ? 7 : 3);
        bench_destroy(bench);
    }
}

/* A word that Auto TTSync has held stays at the gate for the linger time of its class after the store can be seen. A
 * word that comes to the gate later does not. */
static void held_words_linger(void **state) {
    static const struct {
        uint8_t time, cycles;
    } cases[] = { { 1, 1 }, { 0, 0 }, { 2, 2 }, { 5, 3 }, { 8, 4 }, { 15, 4 } }; /* the first is the default */
    (void)state;
    for (unsigned held = 0; held < 2; held++)
        for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            struct bench *bench = bench_create();
            const uint32_t word = wrcfg(1, false, 9), other = wrcfg(0, false, 20);
            const uint32_t declare = tensix_encode_RESOURCEDECL(
                (struct tensix_RESOURCEDECL){ .linger_time = cases[i].time, .resources = 0x3E, .op_class = 8 });
            uint64_t seen = START + 15; /* the store enters behind four WRCFGs, which do from START + 9 on */
            track(bench, 1);
            if (i)
                push(bench, 1, &declare, 1, START - 10);
            for (unsigned k = 0; k < 4; k++)
                push(bench, 0, &other, 1, START + 6 + k);
            store(bench, BH_TRISC1, 36, START + 10, 7);
            assert_int_equal(bench->x.config.requests, 1);
            push(bench, 1, &word, 1, held ? START + 8 : seen - 3);
            tensix_run(&bench->x, START + 60);
            assert_int_equal(bench->x.config.last[1].time, seen);
            assert_int_equal(frontend_passed_at(&bench->x.thread[1].frontend), seen + (held ? cases[i].cycles : 0));
            bench_destroy(bench);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word),
        cmocka_unit_test(dual_writes),
        cmocka_unit_test(thread_config),
        cmocka_unit_test(beyond_the_end),
        cmocka_unit_test(peeks_do_not_enter),
        cmocka_unit_test(seen_a_cycle_later),
        cmocka_unit_test(loads_take_their_turn),
        cmocka_unit_test(the_core_is_called),
        cmocka_unit_test(stores_queue),
        cmocka_unit_test(a_full_queue),
        cmocka_unit_test(starvation),
        cmocka_unit_test(behind_the_coprocessor),
        cmocka_unit_test(pending_requests),
        cmocka_unit_test(nothing_pending),
        cmocka_unit_test(queued_stores_hold_words),
        cmocka_unit_test(words_hold_accesses),
        cmocka_unit_test(waiting_for_the_pipeline),
        cmocka_unit_test(waiting_for_the_core),
        cmocka_unit_test(held_words_linger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
