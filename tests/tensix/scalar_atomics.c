/* src/tensix/scalar/atomics.c: effects on L1, requests in flight, attempts and what wakes them. */
#include "scalar_bench.h"

enum { ADDR = 1, DATA = 7, AT = 0x1000 /* in L1 */ };

static const uint32_t dmanop = (uint32_t)TENSIX_DMANOP << 24;

static uint32_t incget(unsigned width, unsigned select) {
    return tensix_encode_ATINCGET((struct tensix_ATINCGET){ 0, width, select, DATA, ADDR });
}

static uint32_t swap(unsigned mask, unsigned data) {
    return tensix_encode_ATSWAP((struct tensix_ATSWAP){ 0, mask, data, ADDR });
}

static uint32_t cas(unsigned set, unsigned compare, unsigned select) {
    return tensix_encode_ATCAS((struct tensix_ATCAS){ 0, set, compare, select, 0, ADDR });
}

static uint32_t getptr(bool still, unsigned step, unsigned width, unsigned select) {
    return tensix_encode_ATINCGETPTR((struct tensix_ATINCGETPTR){ 0, still, step, width, select, DATA, ADDR });
}

static void point(struct bench *b) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        b->x.gpr[i][ADDR] = AT / 16;
}

/* ---- ATINCGET and ATSWAP ----------------------------------------------------------------------------- */

static void test_increment(void **state) {
    static const struct {
        uint32_t old, amount, value;
        uint8_t width;
    } rows[] = {
        { 5, 3, 8, 31 },
        { 0xFFFFFFFF, 2, 1, 31 },
        { 0xFFFFFFFF, 1, 0xFFFFFFFE, 0 }, /* one bit */
        { 0xFFFFFFFE, 3, 0xFFFFFFFF, 0 },
        { 0x1234FFFF, 1, 0x12340000, 15 }, /* the upper bits stay */
        { 0x123400FF, 0x101, 0x12340000, 7 },
        { 0x7FFFFFFF, 1, 0x00000000, 30 },
        { 0xFFFFFFFF, 1, 0x80000000, 30 },
        { 10, 0xFFFFFFFF, 9, 31 },
    };
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned select = 0; select < 4; select++, bench_renew(&b)) {
            uint32_t address = AT + 4 * select;
            point(b);
            bench_put(b, address, rows[i].old);
            b->x.gpr[2][DATA] = rows[i].amount;
            assert_takes(b, execute_ATINCGET, 2, incget(rows[i].width, select), 100, 3);
            assert_int_equal(bench_word(b, address), rows[i].value);
            assert_int_equal(b->written_address, address);
            assert_int_equal(b->written_size, 4);
            assert_int_equal(b->written_time, 101);
            assert_int_equal(b->x.thread[2].busy[TENSIX_BUSY_MEMORY], 127);
            tensix_run(&b->x, 126);
            assert_int_equal(b->x.gpr[2][DATA], rows[i].amount);
            tensix_run(&b->x, 127);
            assert_int_equal(b->x.gpr[2][DATA], rows[i].old);
        }
    *state = b;
}

/* As fast as the gate lets them: pairs, every 24 cycles; one in twelve. */
static void test_two_in_flight(void **state) {
    static const uint64_t expected[] = { 0, 3, 24, 27, 48, 51, 72 };
    struct bench *b = *state;
    uint64_t now = 0;
    point(b);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        tensix_handler *handler = i % 3 == 2 ? execute_ATSWAP : execute_ATINCGET;
        uint32_t word = i % 3 == 2 ? swap(0, 0) : incget(31, 0);
        uint64_t again = handler(&b->x, 0, word, now);
        if (again) {
            assert_non_null(strstr(wait_text(b->x.thread[0].waits_on), "in flight"));
            assert_int_equal(b->x.scalar.busy_until, now); /* others can use the unit */
            now = again;
            assert_int_equal(handler(&b->x, 0, word, now - 1), now);
            assert_int_equal(handler(&b->x, 0, word, now), TENSIX_PASSED);
        }
        assert_int_equal(now, expected[i]);
        now = b->x.scalar.busy_until;
        assert_int_equal(now, expected[i] + 3);
    }
    assert_int_equal(b->x.thread[0].busy[TENSIX_BUSY_MEMORY], 72 + 27);
}

static void test_swap(void **state) {
    struct bench *b = *state;
    for (unsigned mask = 0; mask < 256; mask++)
        for (unsigned data = 4; data < 8; data++)
            for (unsigned single = 0; single < 2; single++, bench_renew(&b)) {
                uint16_t expected[8];
                point(b);
                for (unsigned i = 0; i < 4; i++)
                    b->x.gpr[1][4 + i] = 0x00010000 * (2 * i + 2) + 2 * i + 1;
                for (unsigned i = 0; i < 8; i++) {
                    uint16_t part = single && i / 2 != data % 4 ? 0 : (uint16_t)(i + 1);
                    expected[i] = mask >> i & 1 ? part : 0xEEEE;
                }
                memset(&b->x.l1[AT], 0xEE, 16);
                assert_takes(b, execute_ATSWAP, 1, swap(single << 8 | mask, data), 100, 3);
                assert_memory_equal(&b->x.l1[AT], expected, 16);
                assert_int_equal(b->written, __builtin_popcount(mask));
                assert_int_equal(b->x.thread[1].busy[TENSIX_BUSY_MEMORY], 127);
                assert_int_equal(b->x.landings, 0);
            }
    *state = b;
}

static void test_faults(void **state) {
    struct bench *b = *state;
    tensix_handler *const handlers[] = { execute_ATINCGET, execute_ATSWAP, execute_ATCAS, execute_ATINCGETPTR };
    const uint32_t words[] = { incget(31, 0), swap(0xFF, 0), cas(1, 0, 0), getptr(false, 0, 4, 1) };
    for (unsigned i = 0; i < 4; i++) {
        b->x.gpr[0][ADDR] = 0x18000;
        assert_faults(b, handlers[i], 0, words[i], 5, BH_FAULT_UNMAPPED, "0x00180000");
        b->x.gpr[0][ADDR] = 0;
        assert_faults(b, handlers[i], 0, words[i] | 1u << 23, 5, BH_FAULT_UNDEFINED, "MemHierSel");
        b->x.gpr[0][ADDR] = 0x17FFF;
        assert_int_equal(handlers[i](&b->x, 0, words[i], 5), TENSIX_PASSED);
        bench_renew(&b);
    }
    *state = b;
}

/* ---- ATCAS ---------------------------------------------------------------------------------------------- */

static void test_cas_at_once(void **state) {
    struct bench *b = *state;
    for (unsigned compare = 0; compare < 16; compare++)
        for (unsigned select = 0; select < 4; select++, bench_renew(&b)) {
            point(b);
            bench_put(b, AT + 4 * select, compare);
            assert_takes(b, execute_ATCAS, 0, cas(15 - compare, compare, select), 100, 15);
            assert_int_equal(bench_word(b, AT + 4 * select), 15 - compare);
            assert_int_equal(b->written_time, 101);
            assert_int_equal(b->watched_size, 0);
            assert_int_equal(b->x.thread[0].busy[TENSIX_BUSY_MEMORY], 115);
        }
    *state = b;
}

/* The word is compared whole. */
static void test_cas_compares_the_word(void **state) {
    struct bench *b = *state;
    point(b);
    bench_put(b, AT + 8, 0x10003);
    assert_int_equal(execute_ATCAS(&b->x, 0, cas(1, 3, 2), 100), TENSIX_NEVER);
    assert_non_null(strstr(wait_text(b->x.thread[0].waits_on), "ATCAS"));
    assert_int_equal(b->watched, AT);
    assert_int_equal(b->watched_size, 16);
    assert_int_equal(bench_word(b, AT + 8), 0x10003);
    assert_int_equal(b->written, 0);
    assert_int_equal(b->x.scalar.owner, 0);
}

/* Written in each cycle of the grid: the attempt is the first one that can see it. */
static void test_cas_woken_in_every_phase(void **state) {
    struct bench *b = *state;
    for (uint64_t seen = 101; seen <= 150; seen++, bench_renew(&b)) {
        uint64_t attempt = seen <= 115 ? 115 : seen <= 130 ? 130 : seen <= 145 ? 145 : 160;
        point(b);
        bench_put(b, AT, 9);
        b->x.thread[0].due = execute_ATCAS(&b->x, 0, cas(1, 0, 0), 100);
        assert_int_equal(b->x.thread[0].due, TENSIX_NEVER);
        assert_int_equal(execute_DMANOP(&b->x, 1, dmanop, 101), TENSIX_NEVER);
        assert_int_equal(execute_SETDMAREG(&b->x, 2, 0x45000000, 101), TENSIX_NEVER);
        bench_poke(b, AT, 0, seen);
        assert_int_equal(b->x.thread[0].due, attempt);
        assert_takes(b, execute_ATCAS, 0, cas(1, 0, 0), attempt, 15);
        assert_int_equal(bench_word(b, AT), 1);
        assert_int_equal(b->x.thread[1].due, attempt + 15); /* those that found the unit closed */
        assert_int_equal(b->x.thread[2].due, attempt + 15);
        assert_takes(b, execute_DMANOP, 1, dmanop, attempt + 15, 1);
        assert_int_equal(b->watched_size, 0);
    }
    *state = b;
}

/* A write that does not help, then one that does: still in the grid of the first attempt. */
static void test_cas_fails_again(void **state) {
    struct bench *b = *state;
    point(b);
    bench_put(b, AT, 9);
    b->x.thread[0].due = execute_ATCAS(&b->x, 0, cas(1, 0, 0), 100);
    bench_poke(b, AT + 12, 3, 104);
    assert_int_equal(b->x.thread[0].due, 115);
    b->x.thread[0].due = execute_ATCAS(&b->x, 0, cas(1, 0, 0), 115);
    assert_int_equal(b->x.thread[0].due, TENSIX_NEVER);
    bench_poke(b, AT, 7, 140);
    bench_poke(b, AT, 0, 146); /* two writes: the earlier attempt stays */
    assert_int_equal(b->x.thread[0].due, 145);
    assert_takes(b, execute_ATCAS, 0, cas(1, 0, 0), 145, 15);
}

/* Woken for another reason in between: no attempt out of turn. */
static void test_cas_woken_for_nothing(void **state) {
    struct bench *b = *state;
    point(b);
    bench_put(b, AT, 9);
    b->x.thread[0].due = execute_ATCAS(&b->x, 0, cas(1, 0, 0), 100);
    tensix_wake(&b->x, 107);
    assert_int_equal(b->x.thread[0].due, 107);
    bench_put(b, AT, 0);
    assert_int_equal(execute_ATCAS(&b->x, 0, cas(1, 0, 0), 107), TENSIX_NEVER);
    assert_non_null(strstr(wait_text(b->x.thread[0].waits_on), "ATCAS"));
    bench_poke(b, AT, 0, 117);
    assert_int_equal(execute_ATCAS(&b->x, 0, cas(1, 0, 0), 118), 130);
    assert_takes(b, execute_ATCAS, 0, cas(1, 0, 0), 130, 15);
}

/* Held in soft reset over its attempt: the next one in the grid. */
static void test_cas_in_reset(void **state) {
    struct bench *b = *state;
    point(b);
    bench_put(b, AT, 9);
    b->x.thread[0].due = execute_ATCAS(&b->x, 0, cas(1, 0, 0), 100);
    bench_poke(b, AT, 0, 110);
    b->x.held = 1u << 9;
    assert_int_equal(execute_ATCAS(&b->x, 0, cas(1, 0, 0), 115), TENSIX_NEVER);
    assert_non_null(strstr(wait_text(b->x.thread[0].waits_on), "soft reset"));
    b->x.held = 0;
    assert_int_equal(execute_ATCAS(&b->x, 0, cas(1, 0, 0), 118), 130);
    assert_takes(b, execute_ATCAS, 0, cas(1, 0, 0), 130, 15);
}

/* The GPR with the address is read in every attempt. */
static void test_cas_with_a_late_address(void **state) {
    struct bench *b = *state;
    bench_put(b, 0x40, AT / 16);
    b->x.gpr[0][2] = 4;
    bench_put(b, 0, 9);
    assert_takes(b, execute_LOADIND, 0,
                 tensix_encode_LOADIND((struct tensix_LOADIND){
                     .SizeSel = 1, .OffsetIndex = 100, .DataRegIndex = ADDR, .AddrRegIndex = 2 }),
                 100, 3);
    assert_int_equal(execute_ATCAS(&b->x, 0, cas(1, 0, 0), 103), 118);
    assert_int_equal(b->watched, 0);
    tensix_run(&b->x, 118);
    assert_takes(b, execute_ATCAS, 0, cas(1, 0, 0), 118, 15);
    assert_int_equal(bench_word(b, AT), 1);
    /* A core that changes the word announces it. */
    b->x.gpr[0][ADDR] = 0;
    assert_int_equal(execute_ATCAS(&b->x, 0, cas(1, 0, 0), 200), TENSIX_NEVER);
    b->x.thread[0].due = TENSIX_NEVER;
    b->x.gpr[0][ADDR] = 0x900;
    scalar_look_again(&b->x, 216);
    assert_int_equal(b->x.thread[0].due, 230);
    assert_takes(b, execute_ATCAS, 0, cas(1, 0, 0), 230, 15);
}

/* A write that is announced late does not take effect in a cycle that has been run. */
static void test_cas_told_late(void **state) {
    struct bench *b = *state;
    point(b);
    bench_put(b, AT, 9);
    b->x.thread[0].due = execute_ATCAS(&b->x, 0, cas(1, 0, 0), 100);
    tensix_run(&b->x, 140);
    b->x.thread[0].due = TENSIX_NEVER;
    bench_poke(b, AT, 0, 110);
    assert_int_equal(b->x.thread[0].due, 145);
}

static void test_written_while_nobody_waits(void **state) {
    struct bench *b = *state;
    tensix_l1_written(&b->x, AT, 16, 50);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        assert_int_equal(b->x.thread[i].due, TENSIX_NEVER);
}

/* ---- ATINCGETPTR ------------------------------------------------------------------------------------------ */

static void test_pointers(void **state) {
    static const struct {
        uint32_t rd, wr;
        uint8_t width, select, step;
        bool still, passes;
        uint32_t value; /* of the selected word afterwards */
    } rows[] = {
        { 0, 0, 4, 0, 0, false, false, 0 }, /* pop from an empty one */
        { 5, 5, 4, 0, 0, false, false, 5 },
        { 5, 6, 4, 0, 0, false, true, 6 },
        { 5, 6, 4, 0, 0, true, true, 5 },   /* look only */
        { 15, 2, 4, 0, 0, false, true, 0 }, /* wraps in four bits */
        { 5, 9, 4, 0, 2, false, true, 9 },
        { 0, 0, 4, 1, 0, false, true, 1 }, /* push */
        { 0, 7, 4, 1, 0, false, true, 8 },
        { 0, 8, 4, 1, 0, false, false, 8 }, /* full: eight of them */
        { 8, 0, 4, 1, 0, false, false, 0 }, /* full, wrapped */
        { 8, 0, 4, 1, 0, true, false, 0 },
        { 9, 0, 4, 1, 0, false, true, 1 },
        { 0, 15, 4, 1, 0, false, true, 0 },
        { 0x100, 0x103, 4, 1, 3, false, true, 0x10B }, /* upper bits stay */
        { 0, 0x7FFF, 0, 1, 0, false, true, 0x7FFF },   /* width 0: no bit is written */
        { 0, 0x8000, 0, 1, 0, false, false, 0x8000 },
        { 0, 1, 1, 1, 0, false, false, 1 },            /* capacity one */
        { 0, 0x2001, 15, 1, 15, false, true, 0x2001 }, /* an increment beyond the width */
        { 1, 2, 15, 0, 14, false, true, 0x4001 },
    };
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++, bench_renew(&b)) {
        uint32_t address = AT + 4u * rows[i].select, old = rows[i].select ? rows[i].wr : rows[i].rd;
        uint32_t word = getptr(rows[i].still, rows[i].step, rows[i].width, rows[i].select);
        point(b);
        bench_put(b, AT, rows[i].rd);
        bench_put(b, AT + 4, rows[i].wr);
        b->x.gpr[1][DATA] = 0xDEAD;
        if (!rows[i].passes) {
            assert_int_equal(execute_ATINCGETPTR(&b->x, 1, word, 100), TENSIX_NEVER);
            assert_non_null(strstr(wait_text(b->x.thread[1].waits_on), rows[i].select ? "room" : "element"));
            assert_int_equal(bench_word(b, address), old);
            assert_int_equal(b->watched, AT);
            continue;
        }
        assert_takes(b, execute_ATINCGETPTR, 1, word, 100, 15);
        assert_int_equal(bench_word(b, address), rows[i].value);
        assert_int_equal(b->x.thread[1].busy[TENSIX_BUSY_MEMORY], 115);
        tensix_run(&b->x, 114);
        assert_int_equal(b->x.gpr[1][DATA], 0xDEAD);
        tensix_run(&b->x, 115);
        assert_int_equal(b->x.gpr[1][DATA], old);
    }
    *state = b;
}

/* Words 2 and 3 can be taken too; the pointers are looked at all the same. */
static void test_pointers_of_other_words(void **state) {
    struct bench *b = *state;
    point(b);
    bench_put(b, AT + 4, 1);
    bench_put(b, AT + 8, 40);
    bench_put(b, AT + 12, 50);
    assert_takes(b, execute_ATINCGETPTR, 0, getptr(false, 0, 15, 2), 0, 15);
    assert_takes(b, execute_ATINCGETPTR, 0, getptr(false, 1, 15, 3), 15, 15);
    assert_int_equal(bench_word(b, AT + 8), 41);
    assert_int_equal(bench_word(b, AT + 12), 52);
    assert_int_equal(bench_word(b, AT + 4), 1);
    assert_int_equal(bench_word(b, AT), 0);
}

static void test_pop_waits_for_a_push(void **state) {
    struct bench *b = *state;
    for (uint64_t seen = 101; seen <= 131; seen++, bench_renew(&b)) {
        uint64_t attempt = seen <= 115 ? 115 : seen <= 130 ? 130 : 145;
        point(b);
        b->x.thread[2].due = execute_ATINCGETPTR(&b->x, 2, getptr(false, 0, 4, 0), 100);
        bench_poke(b, AT + 4, 1, seen);
        assert_int_equal(b->x.thread[2].due, attempt);
        assert_takes(b, execute_ATINCGETPTR, 2, getptr(false, 0, 4, 0), attempt, 15);
        assert_int_equal(bench_word(b, AT), 1);
        tensix_run(&b->x, attempt + 15);
        assert_int_equal(b->x.gpr[2][DATA], 0);
    }
    *state = b;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_increment),
        TEST(test_two_in_flight),
        TEST(test_swap),
        TEST(test_faults),
        TEST(test_cas_at_once),
        TEST(test_cas_compares_the_word),
        TEST(test_cas_woken_in_every_phase),
        TEST(test_cas_fails_again),
        TEST(test_cas_woken_for_nothing),
        TEST(test_cas_in_reset),
        TEST(test_cas_with_a_late_address),
        TEST(test_cas_told_late),
        TEST(test_written_while_nobody_waits),
        TEST(test_pointers),
        TEST(test_pointers_of_other_words),
        TEST(test_pop_waits_for_a_push),
    };
    return cmocka_run_group_tests_name("tensix/scalar_atomics", tests, NULL, NULL);
}
