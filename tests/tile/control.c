/* src/tile/control.c: every register behaves as its class says; the clock and its latch. */
#include "fake.h"

#include <string.h>

#define BASE 0xFFB12000u

static const struct {
    uint32_t address;
    enum reg_class class;
    enum reg_id id;
    uint32_t reset;
    const char *name;
} rows[] = {
#define ROW_TDMA(offset, name, class, reset)
#define ROW_CONTROL(offset, name, class, reset) \
    { (uint32_t)REG_BLOCK_CONTROL + (offset), REG_##class, REG_CONTROL_##name, reset, #name },
#define REG(block, offset, name, class, reset, meaning) ROW_##block(offset, name, class, reset)
#include "isa/regs.def"
};

/* Those whose value is not simply what was written. */
static bool is_special(enum reg_id id) {
    return id == REG_CONTROL_WALL_CLOCK_0 || id == REG_CONTROL_WALL_CLOCK_1 || id == REG_CONTROL_WALL_CLOCK_1_AT ||
           id == REG_CONTROL_DBG_INSTRN_BUF_STATUS || id == REG_CONTROL_DBG_ARRAY_RD_DATA ||
           id == REG_CONTROL_DBG_RD_DATA || id == REG_CONTROL_WDT_STATUS || id == REG_CONTROL_TENSIX_CREG_RDDATA ||
           (id >= REG_CONTROL_PERF_CNT_OUT_L_INSTRN_THREAD && id <= REG_CONTROL_PERF_CNT_OUT_H_FPU);
}

static void check_row(unsigned i) {
    struct control control;
    uint32_t value = 0xDEAD, address = rows[i].address;
    control_init(&control);
    struct access access = control_read(&control, address, 0, &value);
    if (rows[i].class == REG_FAULT || rows[i].class == REG_CLEAR) {
        bool clears = rows[i].class == REG_CLEAR;
        assert_int_equal(access.result, ACCESS_REFUSED);
        assert_int_equal(access.kind, BH_FAULT_UNMODELLED);
        assert_non_null(strstr(access.text, rows[i].name));
        assert_int_equal(control_write(&control, address, 0, 0).result, clears ? ACCESS_DONE : ACCESS_REFUSED);
        assert_int_equal(control_poke(&control, address, 0).result, ACCESS_REFUSED);
        return;
    }
    assert_int_equal(access.result, ACCESS_DONE);
    assert_int_equal(value, rows[i].reset);
    assert_int_equal(control_write(&control, address, 0, 0).result, ACCESS_DONE);
    access = control_write(&control, address, 0x5A5A, 0);
    assert_int_equal(access.result, rows[i].class == REG_OFF ? ACCESS_REFUSED : ACCESS_DONE);
    assert_int_equal(control_read(&control, address, 0, &value).result, ACCESS_DONE);
    bool keeps = rows[i].class != REG_ZERO && rows[i].class != REG_OFF && !is_special(rows[i].id);
    uint32_t kept = rows[i].id == REG_CONTROL_DBG_INSTRN_BUF_CTRL0 ? 0x5A : 0x5A5A; /* PushTensixInstruction.md */
    assert_int_equal(value, keeps ? kept : rows[i].reset);
}

static void every_register_behaves_as_its_class_says(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(i);
}

static void a_write_changes_one_register_only(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct control control, before;
        control_init(&control);
        before = control;
        control_write(&control, rows[i].address, 0x5A5A, 0);
        before.value[rows[i].id] = control.value[rows[i].id];
        assert_memory_equal(&control, &before, sizeof control);
    }
}

static uint32_t read_at(struct control *control, uint32_t offset, uint64_t time) {
    uint32_t value = 0;
    assert_int_equal(control_read(control, (uint32_t)REG_BLOCK_CONTROL + offset, time, &value).result, ACCESS_DONE);
    return value;
}

/* CycleCounters.md: it counts while bit 0 is set, and not below zero. */
static void the_watchdog_counts_down(void **state) {
    enum { TIMER = 0x1E0, CNTL = 0x1E4, STATUS = 0x1E8 };
    const uint32_t base = (uint32_t)REG_BLOCK_CONTROL;
    struct control control;
    (void)state;
    control_init(&control);
    assert_int_equal(read_at(&control, TIMER, 1000), 0xFFFFFFFF);
    control_write(&control, base + TIMER, 50, 1000);
    assert_int_equal(read_at(&control, TIMER, 2000), 50);
    assert_int_equal(control_watchdog_end(&control), UINT64_MAX);
    control_write(&control, base + CNTL, 1, 2000);
    assert_int_equal(control_watchdog_end(&control), 2050);
    assert_int_equal(read_at(&control, TIMER, 2000), 50);
    assert_int_equal(read_at(&control, TIMER, 2001), 49);
    assert_int_equal(read_at(&control, TIMER, 2049), 1);
    assert_int_equal(read_at(&control, STATUS, 2049), 0);
    assert_int_equal(read_at(&control, TIMER, 2050), 0);
    assert_int_equal(read_at(&control, STATUS, 2050), 1);
    assert_int_equal(read_at(&control, TIMER, 9000), 0);
    control_write(&control, base + STATUS, 0, 9000); /* read-only */
    assert_int_equal(read_at(&control, STATUS, 9000), 1);
    control_write(&control, base + TIMER, 30, 9000); /* starts again */
    assert_int_equal(read_at(&control, STATUS, 9010), 0);
    control_write(&control, base + CNTL, 0, 9010); /* stands still */
    assert_int_equal(read_at(&control, TIMER, 9500), 20);
    assert_int_equal(read_at(&control, STATUS, 9500), 0);
    control_write(&control, base + CNTL, 1, 9500);
    assert_int_equal(read_at(&control, TIMER, 9505), 15);
    assert_int_equal(control_poke(&control, base + TIMER, 1).result, ACCESS_REFUSED);
    assert_false(control_steady(base + TIMER) || control_steady(base + STATUS));
    assert_true(control_steady(base + CNTL));
}

/* Every other offset is refused, and the block before it. */
static void there_is_nothing_between_the_registers(void **state) {
    struct control control;
    unsigned known = 0;
    (void)state;
    control_init(&control);
    for (uint32_t address = BASE - 0x1000; address < BASE + 0x1000; address += 4) {
        uint32_t value;
        struct access access = control_read(&control, address, 0, &value);
        if (access.result == ACCESS_REFUSED && access.kind == BH_FAULT_UNMAPPED)
            assert_int_equal(control_write(&control, address, 0, 0).kind, BH_FAULT_UNMAPPED);
        else
            known++;
    }
    assert_int_equal(known, sizeof rows / sizeof *rows);
}

static void the_clock_is_the_readers_time(void **state) {
    struct core *core = &fake.tile.core[BH_TRISC1];
    uint32_t word;
    const char *why;
    (void)state;
    core->stalled = UINT64_C(0x7FFFFFFF5);
    core->retired = 3;
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F0), 0xFFFFFFF8);
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F8), 7);
    core->stalled += 0x10; /* the low half wraps */
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F4), 8);
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F8), 7); /* as it was with the low half */
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F0), 8);
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F8), 8);
    /* The NoC's clock is the tile's; a write latches as well. */
    fake.tile.time = UINT64_C(0x900000004);
    assert_int_equal(tile_read(&fake.tile, BASE + 0x1F0, &word, 4, &why), BH_OK);
    assert_int_equal(word, 4);
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F8), 9);
    core->stalled = UINT64_C(0xA00000000);
    assert_int_equal(store(BH_TRISC1, BASE + 0x1F0, 0), BUS_OK);
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F8), 10);
    assert_int_equal(loaded(BH_TRISC1, BASE + 0x1F0), 3);
}

static void pokes_refuse_what_is_not_a_value(void **state) {
    struct control control;
    (void)state;
    control_init(&control);
    assert_int_equal(control_poke(&control, BASE + 0x1F0, 1).result, ACCESS_REFUSED);
    assert_int_equal(control_poke(&control, BASE + 0x1F4, 1).result, ACCESS_REFUSED);
    assert_int_equal(control_poke(&control, BASE + 0x1B0, 1).result, ACCESS_REFUSED);
    assert_int_equal(control_poke(&control, BASE + 0x080, 1).result, ACCESS_REFUSED);
    assert_int_equal(control_poke(&control, BASE + 0x040, 1).kind, BH_FAULT_UNMAPPED);
    assert_int_equal(control_poke(&control, BASE + 0x1F8, 1).result, ACCESS_DONE);
    assert_int_equal(control.value[REG_CONTROL_WALL_CLOCK_1_AT], 1);
}

/* The writes of the vendor's firmware at boot. */
static void firmware_boot_writes_are_accepted(void **state) {
    (void)state;
    assert_int_equal(store(BH_BRISC, 0xFFB12240, 0), BUS_OK);
    assert_int_equal(store(BH_BRISC, 0xFFB11024, 0x3F), BUS_OK);
    assert_int_equal(store(BH_TRISC0, 0xFFB12068, 0), BUS_OK);
    assert_int_equal(store(BH_BRISC, 0xFFB20100, loaded(BH_BRISC, 0xFFB20100) | 1), BUS_OK);
    assert_int_equal(store(BH_BRISC, 0xFFB20104, loaded(BH_BRISC, 0xFFB20104) | 1), BUS_OK);
    assert_int_equal(loaded(BH_BRISC, 0xFFB11024), 0x3F);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_setup)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_register_behaves_as_its_class_says),
        TEST(a_write_changes_one_register_only),
        TEST(the_watchdog_counts_down),
        TEST(there_is_nothing_between_the_registers),
        TEST(the_clock_is_the_readers_time),
        TEST(pokes_refuse_what_is_not_a_value),
        TEST(firmware_boot_writes_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
