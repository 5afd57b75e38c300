/* src/tensix/scalar/alu.c: every operation at its edges, both kinds of operand, cycles, undefined modes. */
#include "scalar_bench.h"
#include "tensix/clock.h"

/* ADDDMAREG's fields, and OpSel where there is one. */
static uint32_t encode(unsigned opcode, unsigned mode, bool constant, unsigned result, unsigned right, unsigned left) {
    return opcode << 24 | (uint32_t)constant << 23 | mode << 18 | result << 12 | right << 6 | left;
}

static const struct {
    tensix_handler *handler;
    uint32_t left, right, result;
    uint8_t opcode, mode;
} rows[] = {
    { execute_ADDDMAREG, 1, 2, 3, TENSIX_ADDDMAREG, 0 },
    { execute_ADDDMAREG, 0xFFFFFFFF, 1, 0, TENSIX_ADDDMAREG, 0 },
    { execute_ADDDMAREG, 0x80000000, 0x80000001, 1, TENSIX_ADDDMAREG, 0 },
    { execute_SUBDMAREG, 5, 3, 2, TENSIX_SUBDMAREG, 0 },
    { execute_SUBDMAREG, 3, 5, 0xFFFFFFFE, TENSIX_SUBDMAREG, 0 },
    { execute_SUBDMAREG, 0, 0x80000000, 0x80000000, TENSIX_SUBDMAREG, 0 },
    { execute_MULDMAREG, 7, 6, 42, TENSIX_MULDMAREG, 0 },
    { execute_MULDMAREG, 0xFFFF, 0xFFFF, 0xFFFE0001, TENSIX_MULDMAREG, 0 },
    { execute_MULDMAREG, 0x12340003, 0xABCD0002, 6, TENSIX_MULDMAREG, 0 }, /* high halves do not count */
    { execute_BITWOPDMAREG, 0xFF00FF00, 0x0FF00FF0, 0x0F000F00, TENSIX_BITWOPDMAREG, 0 },
    { execute_BITWOPDMAREG, 0xFF00FF00, 0x0FF00FF0, 0xFFF0FFF0, TENSIX_BITWOPDMAREG, 1 },
    { execute_BITWOPDMAREG, 0xFF00FF00, 0x0FF00FF0, 0xF0F0F0F0, TENSIX_BITWOPDMAREG, 2 },
    { execute_SHIFTDMAREG, 0x80000001, 1, 2, TENSIX_SHIFTDMAREG, 0 },
    { execute_SHIFTDMAREG, 0x80000001, 31, 0x80000000, TENSIX_SHIFTDMAREG, 0 },
    { execute_SHIFTDMAREG, 0x80000001, 32, 0x80000001, TENSIX_SHIFTDMAREG, 0 }, /* five bits count */
    { execute_SHIFTDMAREG, 0x80000001, 0xFFFFFFE1, 2, TENSIX_SHIFTDMAREG, 0 },
    { execute_SHIFTDMAREG, 0x80000001, 1, 0x40000000, TENSIX_SHIFTDMAREG, 1 }, /* no sign */
    { execute_SHIFTDMAREG, 0x80000001, 31, 1, TENSIX_SHIFTDMAREG, 1 },
    { execute_SHIFTDMAREG, 0x80000001, 0, 0x80000001, TENSIX_SHIFTDMAREG, 1 },
    { execute_CMPDMAREG, 1, 0, 1, TENSIX_CMPDMAREG, 0 },
    { execute_CMPDMAREG, 1, 1, 0, TENSIX_CMPDMAREG, 0 },
    { execute_CMPDMAREG, 0x80000000, 1, 1, TENSIX_CMPDMAREG, 0 }, /* unsigned */
    { execute_CMPDMAREG, 0x80000000, 1, 0, TENSIX_CMPDMAREG, 1 },
    { execute_CMPDMAREG, 0, 0xFFFFFFFF, 1, TENSIX_CMPDMAREG, 1 },
    { execute_CMPDMAREG, 5, 5, 0, TENSIX_CMPDMAREG, 1 },
    { execute_CMPDMAREG, 5, 5, 1, TENSIX_CMPDMAREG, 2 },
    { execute_CMPDMAREG, 5, 0x10005, 0, TENSIX_CMPDMAREG, 2 },
};

/* Everything but the result stays. */
static void check_row(unsigned i, unsigned thread, unsigned left, unsigned right, unsigned result, unsigned cycles) {
    struct bench *b = bench_create();
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];
    for (unsigned n = 0; n < TENSIX_THREADS * TENSIX_GPRS; n++)
        (&b->x.gpr[0][0])[n] = n * 0x01010101u;
    b->x.gpr[thread][left] = rows[i].left;
    b->x.gpr[thread][right] = rows[i].right;
    memcpy(gpr, b->x.gpr, sizeof gpr);
    gpr[thread][result] = rows[i].result;
    uint32_t word = encode(rows[i].opcode, rows[i].mode, false, result, right, left);
    assert_takes(b, rows[i].handler, thread, word, 100, cycles);
    assert_memory_equal(gpr, b->x.gpr, sizeof gpr);
    bench_teardown((void **)&b);
}

static void test_registers(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_row(i, 0, 0, 3, 63, 3); /* one aligned group */
        check_row(i, 1, 60, 63, 5, 3);
        check_row(i, 2, 3, 4, 0, 4);
        check_row(i, 0, 63, 0, 31, 4);
        check_row(i, 1, 8, 9, 8, 3); /* the result over a source */
        check_row(i, 2, 8, 60, 60, 4);
    }
}

static void test_constants(void **state) {
    struct bench *b = *state;
    uint64_t now = 10;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].right > 63)
            continue;
        b->x.gpr[1][5] = rows[i].left;
        b->x.gpr[1][rows[i].right] = rows[i].right == 5 ? rows[i].left : 0xBAD;
        uint32_t word = encode(rows[i].opcode, rows[i].mode, true, 6, rows[i].right, 5);
        assert_takes(b, rows[i].handler, 1, word, now, 3);
        assert_int_equal(b->x.gpr[1][6], rows[i].result);
        now += 3;
    }
    /* All six bits, unsigned. */
    b->x.gpr[1][5] = 1;
    assert_takes(b, execute_ADDDMAREG, 1, encode(TENSIX_ADDDMAREG, 0, true, 6, 63, 5), now, 3);
    assert_int_equal(b->x.gpr[1][6], 64);
}

static void test_same_register_twice(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][9] = 0x40000000;
    assert_takes(b, execute_ADDDMAREG, 0, encode(TENSIX_ADDDMAREG, 0, false, 9, 9, 9), 0, 3);
    assert_int_equal(b->x.gpr[0][9], 0x80000000);
}

/* An operand outside the first operand's group of four is read a cycle later, with a result that lands by then. */
static void test_second_read(void **state) {
    (void)state;
    for (unsigned late = 0; late < 4; late++) {
        struct bench *b = bench_create();
        b->x.gpr[0][1] = 1000;
        b->x.gpr[0][9] = 1;
        tensix_land_word(&b->x, 100 + late, landing_key(TENSIX_LAND_GPR, 0, 9, 4), 2);
        assert_takes(b, execute_ADDDMAREG, 0, encode(TENSIX_ADDDMAREG, 0, false, 20, 9, 1), 100, 4);
        assert_int_equal(b->x.gpr[0][20], late <= 1 ? 1002 : 1001);
        bench_teardown((void **)&b);
    }
}

/* Bits 22:18 of those without a mode, 22:21 of those with one. */
static void test_ignored_bits(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][1] = 4;
    b->x.gpr[0][2] = 3;
    assert_takes(b, execute_SUBDMAREG, 0, encode(TENSIX_SUBDMAREG, 31, false, 3, 2, 1), 0, 3);
    assert_int_equal(b->x.gpr[0][3], 1);
    assert_takes(b, execute_CMPDMAREG, 0, encode(TENSIX_CMPDMAREG, 24, false, 3, 2, 1), 3, 3);
    assert_int_equal(b->x.gpr[0][3], 1);
}

static void test_undefined_modes(void **state) {
    struct bench *b = *state;
    static const struct {
        tensix_handler *handler;
        uint8_t opcode, modes;
    } moded[] = {
        { execute_BITWOPDMAREG, TENSIX_BITWOPDMAREG, 3 },
        { execute_SHIFTDMAREG, TENSIX_SHIFTDMAREG, 2 },
        { execute_CMPDMAREG, TENSIX_CMPDMAREG, 3 },
    };
    for (unsigned i = 0; i < 3; i++)
        for (unsigned mode = moded[i].modes; mode < 8; mode++)
            assert_faults(b, moded[i].handler, 2, encode(moded[i].opcode, mode, true, 1, 2, 3), 7, BH_FAULT_UNDEFINED,
                          "OpSel");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test_setup_teardown(test_constants, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_same_register_twice, bench_setup, bench_teardown),
        cmocka_unit_test(test_second_read),
        cmocka_unit_test_setup_teardown(test_ignored_bits, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_undefined_modes, bench_setup, bench_teardown),
    };
    return cmocka_run_group_tests_name("tensix/scalar_alu", tests, NULL, NULL);
}
