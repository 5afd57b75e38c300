/* src/tensix/scalar/scalar.c: one instruction at a time, soft reset, DMANOP and FLUSHDMA. */
#include "scalar_bench.h"

static const uint32_t dmanop = (uint32_t)TENSIX_DMANOP << 24;

static uint32_t flush(unsigned mask) {
    return (uint32_t)TENSIX_FLUSHDMA << 24 | mask;
}

static void test_one_at_a_time(void **state) {
    struct bench *b = *state;
    uint32_t add = tensix_encode_ADDDMAREG((struct tensix_ADDDMAREG){ .OpARegIndex = 0, .OpBRegIndex = 4 });
    assert_takes(b, execute_ADDDMAREG, 0, add, 20, 4);
    for (uint64_t now = 20; now < 24; now++) {
        assert_int_equal(execute_DMANOP(&b->x, 1, dmanop, now), 24);
        assert_non_null(strstr(wait_text(b->x.thread[1].waits_on), "another thread"));
        assert_int_equal(execute_SETDMAREG(&b->x, 1, tensix_encode_SETDMAREG((struct tensix_SETDMAREG){ 0 }), now), 24);
        assert_int_equal(execute_LOADIND(&b->x, 2, tensix_encode_LOADIND((struct tensix_LOADIND){ 0 }), now), 24);
        assert_int_equal(execute_FLUSHDMA(&b->x, 2, flush(0), now), 24);
    }
    assert_int_equal(b->x.thread[1].frozen_until, 0);
    assert_int_equal(b->x.landings, 0);
    assert_takes(b, execute_DMANOP, 1, dmanop, 24, 1);
    assert_takes(b, execute_DMANOP, 2, dmanop, 25, 1);
    assert_int_equal(b->x.thread[0].idle_at, 24);
}

/* Every instruction of the unit, with nothing that could go wrong in its operands. */
static const struct {
    tensix_handler *handler;
    uint32_t word;
    bool in_reset; /* executes while the unit is held */
} all[] = {
    { execute_DMANOP, 0x60000000, true },        { execute_SETDMAREG, 0x45000000, true },
    { execute_FLUSHDMA, 0x46000000, false },     { execute_REG2FLOP, 0x48000000, false },
    { execute_LOADIND, 0x49000000, false },      { execute_ADDDMAREG, 0x58000000, false },
    { execute_SUBDMAREG, 0x59000000, false },    { execute_MULDMAREG, 0x5A000000, false },
    { execute_BITWOPDMAREG, 0x5B000000, false }, { execute_SHIFTDMAREG, 0x5C000000, false },
    { execute_CMPDMAREG, 0x5D000000, false },    { execute_ATINCGET, 0x61000000, false },
    { execute_ATINCGETPTR, 0x62001000, false },  { execute_ATSWAP, 0x63000000, false },
    { execute_ATCAS, 0x64000000, false },        { execute_STOREIND, 0x66800000, false },
    { execute_STOREREG, 0x67004400, false },     { execute_LOADREG, 0x68004400, false },
};

static void test_soft_reset(void **state) {
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        b->x.held = 1u << 8;
        assert_int_equal(all[i].handler(&b->x, 1, all[i].word, 5), TENSIX_NEVER);
        assert_non_null(strstr(wait_text(b->x.thread[1].waits_on), "soft reset"));
        b->x.held = 1u << 9;
        assert_int_equal(all[i].handler(&b->x, 1, all[i].word, 5), all[i].in_reset ? TENSIX_PASSED : TENSIX_NEVER);
        bench_renew(&b);
        b->x.held = ~(3u << 8);
        assert_int_equal(all[i].handler(&b->x, 1, all[i].word, 5), TENSIX_PASSED);
        assert_int_equal(b->faults, 0);
        bench_renew(&b);
    }
    *state = b;
}

/* Checks the least cycles of all of them, and that no other instruction enters meanwhile. */
static void test_cycles_of_all(void **state) {
    static const uint8_t cycles[] = { 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 15, 3, 15, 3, 3, 3 };
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_takes(b, all[i].handler, 2, all[i].word, 1000, cycles[i]);
        assert_int_equal(execute_DMANOP(&b->x, 0, dmanop, 1000 + cycles[i] - 1), 1000 + cycles[i]);
        assert_takes(b, execute_DMANOP, 0, dmanop, 1000 + cycles[i], 1);
        bench_renew(&b);
    }
    *state = b;
}

static void test_flush(void **state) {
    static const enum tensix_busy conditions[4] = {
        TENSIX_BUSY_MEMORY,
        TENSIX_BUSY_UNPACK0,
        TENSIX_BUSY_UNPACK1,
        TENSIX_BUSY_PACK,
    };
    struct bench *b = *state;
    for (unsigned i = 0; i < 4; i++) {
        b->x.thread[1].busy[conditions[i]] = 60;
        b->x.thread[2].busy[conditions[i]] = 90; /* another thread's work is not waited for */
        assert_takes(b, execute_FLUSHDMA, 1, flush(1u << i), 50, 10);
        bench_renew(&b);
        b->x.thread[1].busy[conditions[i]] = 60;
        assert_takes(b, execute_FLUSHDMA, 1, flush(0), 50, 10);
        bench_renew(&b);
        b->x.thread[1].busy[conditions[i]] = 60;
        assert_takes(b, execute_FLUSHDMA, 1, flush(15u ^ 1u << i), 50, 2);
        bench_renew(&b);
        b->x.thread[1].busy[conditions[i]] = 51;
        assert_takes(b, execute_FLUSHDMA, 1, flush(0), 50, 2);
        bench_renew(&b);
        b->x.thread[1].busy[conditions[i]] = 53;
        assert_takes(b, execute_FLUSHDMA, 1, flush(0xFFFF0), 50, 3); /* four bits count */
        bench_renew(&b);
    }
    *state = b;
}

/* An end that is not known: the unit is closed until something happens. */
static void test_flush_without_end(void **state) {
    struct bench *b = *state;
    b->x.thread[0].busy[TENSIX_BUSY_PACK] = TENSIX_NEVER;
    assert_int_equal(execute_FLUSHDMA(&b->x, 0, flush(0), 50), TENSIX_NEVER);
    assert_non_null(strstr(wait_text(b->x.thread[0].waits_on), "FLUSHDMA"));
    assert_int_equal(execute_DMANOP(&b->x, 1, dmanop, 55), TENSIX_NEVER);
    assert_int_equal(execute_FLUSHDMA(&b->x, 0, flush(0), 60), TENSIX_NEVER);
    b->x.thread[0].busy[TENSIX_BUSY_PACK] = 75;
    assert_takes(b, execute_FLUSHDMA, 0, flush(0), 70, 5);
    assert_int_equal(b->x.thread[1].due, 75); /* threads that found the unit busy try again then */
    assert_takes(b, execute_DMANOP, 1, dmanop, 75, 1);
}

/* A load, then FLUSHDMA: held until the result lands. */
static void test_flush_after_load(void **state) {
    struct bench *b = *state;
    bench_put(b, 0x40, 77);
    b->x.gpr[0][1] = 4;
    assert_takes(b, execute_LOADIND, 0,
                 tensix_encode_LOADIND(
                     (struct tensix_LOADIND){ .SizeSel = 1, .OffsetIndex = 100, .DataRegIndex = 9, .AddrRegIndex = 1 }),
                 100, 3);
    assert_takes(b, execute_FLUSHDMA, 0, flush(1), 103, 7);
    tensix_run(&b->x, 109);
    assert_int_equal(b->x.gpr[0][9], 0);
    tensix_run(&b->x, 110);
    assert_int_equal(b->x.gpr[0][9], 77);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_at_a_time, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_soft_reset, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_cycles_of_all, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_flush, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_flush_without_end, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_flush_after_load, bench_setup, bench_teardown),
    };
    return cmocka_run_group_tests_name("tensix/scalar", tests, NULL, NULL);
}
