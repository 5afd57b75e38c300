/* src/tensix/scalar/setdmareg.c and reg2flop.c: every half GPR, every source and size, every counter. */
#include "scalar_bench.h"

/* ---- SETDMAREG --------------------------------------------------------------------------------------- */

static uint32_t immediate(uint32_t value, unsigned half) {
    return (uint32_t)TENSIX_SETDMAREG << 24 | value << 8 | half;
}

static uint32_t special(unsigned size, unsigned packers, unsigned source, unsigned half, unsigned result) {
    return tensix_encode_SETDMAREG((struct tensix_SETDMAREG){ size, packers << 7 | source << 3 | half, 1, result });
}

static void test_immediate(void **state) {
    static const uint16_t values[] = { 0, 1, 0x3FFF, 0x4000, 0x8000, 0xC000, 0xFFFF, 0x1234 };
    struct bench *b = *state;
    uint64_t now = 0;
    for (unsigned half = 0; half < 128; half++)
        for (unsigned i = 0; i < 8; i++, now++) {
            uint32_t expected[TENSIX_THREADS][TENSIX_GPRS];
            memset(b->x.gpr, 0xEE, sizeof b->x.gpr);
            memset(expected, 0xEE, sizeof expected);
            expected[1][half / 2] = half % 2 ? (uint32_t)values[i] << 16 | 0xEEEE : 0xEEEE0000u | values[i];
            assert_takes(b, execute_SETDMAREG, 1, immediate(values[i], half), now, 1);
            assert_memory_equal(b->x.gpr, expected, sizeof expected);
        }
}

static void fill_packer(struct bench *b) {
    struct packer *packer = &b->x.packer;
    packer->acc_tile_size[0] = 0x111;
    packer->acc_tile_size[1] = 0x222;
    packer->acc_tile_size[2] = 0x333;
    packer->last_tile_size = 0x44;
    packer->last_thread = 1;
    packer->all_zero_flags = 0x89ABCDEF;
    for (unsigned i = 0; i < 32; i++)
        packer->exponent_histogram[i] = (uint8_t)(i + 0x40);
    packer->max_exponent = 0x9A;
    /* Thread 1 has bank 1. */
    b->x.config.thread[1][CONFIG_WORD_CFG_STATE_ID_StateID] = 1u << CONFIG_SHIFT_CFG_STATE_ID_StateID;
    b->x.config.bank[0][70] = 6u << 4;
    b->x.config.bank[1][70] = 11u << 4 | 1;
}

static const struct {
    uint8_t thread, source, packers;
    uint32_t value[4];
} sources[] = {
    { 0, 0, 0, { 0x01110000 } }, /* the last tile was another thread's */
    { 1, 0, 0, { 0x02220044 } },
    { 2, 1, 0, { 0x89ABCDEF } },
    { 0, 2, 0, { 0x00000001, 0x00060000, 0x89ABCDEF } },
    { 1, 2, 0, { 0x00000045, 0x001B0000, 0x89ABCDEF } },
    { 0, 6, 0, { 0x43424140, 0x47464544, 0x4B4A4948, 0x4F4E4D4C } },
    { 0, 7, 12, { 0x53525150, 0x57565554, 0x5B5A5958, 0x5F5E5D5C } }, /* two bits of packer */
    { 0, 8, 0, { 1 } },
    { 0, 9, 0, { 0x9A } },
    { 0, 10, 0, { 0 } }, /* nothing */
    { 1, 11, 15, { 0 } },
    { 2, 12, 0, { 0 } },
    { 0, 13, 1, { 0 } },
    { 1, 14, 0, { 0 } },
    { 2, 15, 15, { 0 } },
};

/* Any half of the 16 bytes to any half of a GPR. */
static void test_halves(void **state) {
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof sources / sizeof sources[0]; i++)
        for (unsigned half = 0; half < 8; half++)
            for (unsigned result = 0; result < 128; result += 9, bench_renew(&b)) {
                unsigned thread = sources[i].thread;
                uint32_t expected[TENSIX_GPRS];
                fill_packer(b);
                memset(b->x.gpr, 0xEE, sizeof b->x.gpr);
                memset(expected, 0xEE, sizeof expected);
                uint32_t value = sources[i].value[half / 2] >> half % 2 * 16 & 0xFFFF;
                expected[result / 2] = result % 2 ? value << 16 | 0xEEEE : 0xEEEE0000 | value;
                assert_takes(b, execute_SETDMAREG, thread,
                             special(0, sources[i].packers, sources[i].source, half, result), 5, 1);
                assert_memory_equal(b->x.gpr[thread], expected, sizeof expected);
            }
    *state = b;
}

static void test_words_and_groups(void **state) {
    static const uint32_t kept[4] = { 0xFFFF0000, 0xFF00FFFF, 0, 0xFFFFFFFF }; /* in a tile header */
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof sources / sizeof sources[0]; i++)
        for (unsigned size = 1; size < 4; size++)
            for (unsigned half = 0; half < 8; half++, bench_renew(&b)) {
                unsigned thread = sources[i].thread, result = 40 + half; /* GPRs 20 to 23 */
                uint32_t expected[TENSIX_GPRS];
                fill_packer(b);
                memset(b->x.gpr, 0xEE, sizeof b->x.gpr);
                memset(expected, 0xEE, sizeof expected);
                if (size == 1)
                    expected[result / 2] = sources[i].value[half / 2];
                for (unsigned n = 0; size > 1 && n < 4; n++)
                    expected[20 + n] =
                        size == 2 ? sources[i].value[n] : (0xEEEEEEEE & kept[n]) | (sources[i].value[n] & ~kept[n]);
                assert_takes(b, execute_SETDMAREG, thread,
                             special(size, sources[i].packers, sources[i].source, half, result), 5, 1);
                assert_memory_equal(b->x.gpr[thread], expected, sizeof expected);
            }
    *state = b;
}

/* The tile size in a header has 16 bits. */
static void test_full_tile(void **state) {
    struct bench *b = *state;
    b->x.packer.last_tile_size = 0xFFFF;
    assert_takes(b, execute_SETDMAREG, 0, special(1, 0, 2, 0, 8), 5, 1);
    assert_int_equal(b->x.gpr[0][4], 0);
}

static void test_clear(void **state) {
    struct bench *b = *state;
    fill_packer(b);
    assert_takes(b, execute_SETDMAREG, 0, special(1, 14, 8, 0, 0), 5, 1); /* packers that there are not */
    assert_int_equal(b->x.packer.acc_tile_size[2], 0x333);
    assert_takes(b, execute_SETDMAREG, 0, special(1, 1, 8, 0, 0), 6, 1);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(b->x.packer.acc_tile_size[i], 0);
    assert_int_equal(b->x.packer.last_tile_size, 0x44);
}

static void test_undefined_sources(void **state) {
    static const uint8_t reserved[] = { 3, 4, 5 };
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof reserved; i++)
        assert_faults(b, execute_SETDMAREG, 0, special(1, 0, reserved[i], 0, 0), 5, BH_FAULT_UNDEFINED, "reserved");
    for (unsigned packer = 1; packer < 4; packer++) {
        assert_faults(b, execute_SETDMAREG, 0, special(1, packer, 6, 0, 0), 5, BH_FAULT_UNDEFINED, "packer");
        assert_faults(b, execute_SETDMAREG, 0, special(1, packer, 7, 0, 0), 5, BH_FAULT_UNDEFINED, "packer");
    }
    b->x.config.bank[0][70] = 1u << 21;
    assert_faults(b, execute_SETDMAREG, 0, special(1, 0, 2, 0, 0), 5, BH_FAULT_UNDEFINED, "disable_zero_compress");
}

/* ---- REG2FLOP ------------------------------------------------------------------------------------------ */

static uint32_t to_config(unsigned size, unsigned index, unsigned gpr) {
    return tensix_encode_REG2FLOP((struct tensix_REG2FLOP){ .SizeSel = size, .FlopIndex = index, .RegIndex = gpr });
}

static void test_configuration(void **state) {
    struct bench *b = *state;
    for (unsigned size = 0; size < 4; size++)
        for (unsigned index = 0; index < 116; index += index == 0 ? 3 : 7, bench_renew(&b)) {
            uint32_t expected[2][CONFIG_ROW] = { 0 };
            for (unsigned i = 0; i < TENSIX_GPRS; i++)
                b->x.gpr[1][i] = 0x5000 + i;
            b->x.config.thread[1][CONFIG_WORD_CFG_STATE_ID_StateID] = 1u << CONFIG_SHIFT_CFG_STATE_ID_StateID;
            assert_takes(b, execute_REG2FLOP, 1, to_config(size, index, 22), 30, 2);
            b->x.gpr[1][22] = 0xBAD; /* what it was counts */
            if (size == 0)
                for (unsigned i = 0; i < 4; i++)
                    expected[1][64 + index / 4 * 4 + i] = 0x5000 + 20 + i;
            else
                expected[1][64 + index] = 0x5000 + 22;
            for (unsigned i = 0; i < CONFIG_WORDS; i++)
                expected[1][i] &= ~config_missing[i];
            tensix_run(&b->x, 31);
            assert_int_equal(b->x.config.bank[1][64 + index], 0);
            tensix_run(&b->x, 32);
            assert_memory_equal(b->x.config.bank, expected, sizeof expected);
        }
    *state = b;
}

static void test_configuration_faults(void **state) {
    struct bench *b = *state;
    assert_takes(b, execute_REG2FLOP, 0, to_config(1, 115, 0), 5, 2);
    assert_faults(b, execute_REG2FLOP, 0, to_config(1, 116, 0), 7, BH_FAULT_UNDEFINED, "word 180");
    assert_faults(b, execute_REG2FLOP, 0, to_config(0, 127, 0), 7, BH_FAULT_UNDEFINED, "word 191");
    assert_faults(b, execute_REG2FLOP, 0, to_config(0, 0, 0) | 1u << 20, 7, BH_FAULT_UNDEFINED, "target 1");
}

static uint32_t to_counter(struct tensix_REG2FLOP op, unsigned channel, unsigned user, unsigned cr, unsigned axis) {
    op.FlopIndex = channel << 5 | user << 3 | cr << 2 | axis;
    return tensix_encode_REG2FLOP(op);
}

/* The one counter that an index names, at the end of the instruction. */
static void test_counters(void **state) {
    struct bench *b = *state;
    for (unsigned index = 0; index < 64; index++)
        for (unsigned who = 0; who < 5; who++, bench_renew(&b)) { /* 4: the thread's own */
            struct adc expected[TENSIX_THREADS][ADC_COUNT] = { 0 };
            unsigned channel = index >> 5, user = index >> 3 & 3, cr = index >> 2 & 1, axis = index & 3;
            unsigned thread = who == 4 ? 1 : who;
            b->x.gpr[1][30] = 0xFFFFFFFF;
            uint32_t word = to_counter(
                (struct tensix_REG2FLOP){
                    .SizeSel = 1, .TargetSel = who == 4 ? 2 : 3, .ContextId_2 = who == 4 ? 2 : who, .RegIndex = 30 },
                channel, user, cr, axis);
            assert_takes(b, execute_REG2FLOP, 1, word, 30, 2);
            assert_int_equal(b->x.landings, thread < 3);
            tensix_run(&b->x, 31);
            assert_memory_equal(b->x.adc, expected, sizeof expected);
            if (thread < 3 && user < 3) {
                struct adc_channel *c = &expected[thread][user].channel[channel];
                (cr ? c->cr : c->value)[axis] = axis == 0 ? 0x3FFFF : 0x1FFF;
            }
            tensix_run(&b->x, 32);
            assert_memory_equal(b->x.adc, expected, sizeof expected);
        }
    *state = b;
}

static void test_counter_sizes(void **state) {
    /* 0x00C3D2E1: what of it, by size and offset in bytes. */
    static const uint32_t expected[4][4] = {
        { 0, 0, 0, 0 },
        { 0x3D2E1, 0, 0, 0 },
        { 0xD2E1, 0, 0x00C3, 0 },
        { 0xE1, 0xD2, 0xC3, 0x00 },
    };
    struct bench *b = *state;
    for (unsigned size = 0; size < 4; size++)
        for (unsigned offset = 0; offset < 4; offset++, bench_renew(&b)) {
            b->x.adc[0][0].channel[0].value[0] = 0x123;
            b->x.gpr[0][1] = 0x00C3D2E1;
            uint32_t word = to_counter(
                (struct tensix_REG2FLOP){ .SizeSel = size, .TargetSel = 2, .ByteOffset = offset, .RegIndex = 1 }, 0, 0,
                0, 0);
            assert_takes(b, execute_REG2FLOP, 0, word, 0, 2);
            tensix_run(&b->x, 2);
            assert_int_equal(b->x.adc[0][0].channel[0].value[0], expected[size][offset]);
        }
    *state = b;
}

/* Behind the Configuration Unit, whatever the target. */
static void test_contention(void **state) {
    struct bench *b = *state;
    for (unsigned target = 0; target < 3; target += 2, bench_renew(&b)) {
        uint32_t word = to_config(1, 0, 3) | target << 20;
        b->x.config.busy_until = 13;
        b->x.gpr[0][3] = 99;
        assert_takes(b, execute_REG2FLOP, 0, word, 10, 5);
        tensix_run(&b->x, 14);
        assert_int_equal(b->x.config.bank[0][64] + b->x.adc[0][0].channel[0].value[0], 0);
        tensix_run(&b->x, 15);
        assert_int_equal(b->x.config.bank[0][64] + b->x.adc[0][0].channel[0].value[0], 99);
        assert_takes(b, execute_REG2FLOP, 0, word, 15, 2);
    }
    *state = b;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_immediate),
        TEST(test_halves),
        TEST(test_words_and_groups),
        TEST(test_full_tile),
        TEST(test_clear),
        TEST(test_undefined_sources),
        TEST(test_configuration),
        TEST(test_configuration_faults),
        TEST(test_counters),
        TEST(test_counter_sizes),
        TEST(test_contention),
    };
    return cmocka_run_group_tests_name("tensix/scalar_registers", tests, NULL, NULL);
}
