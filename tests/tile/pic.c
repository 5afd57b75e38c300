/* src/tile/pic.c. */
#include "fake.h"

#define BASE      0xFFB13000u
#define B_ENABLE  (BASE + 0x00)
#define B_NUMBER  (BASE + 0x08)
#define NC_ENABLE (BASE + 0x0C)
#define NC_NUMBER (BASE + 0x14)

static uint32_t sw_int(unsigned i) {
    return BASE + 0x18 + 4 * i;
}

static uint32_t sw_pc(unsigned i) {
    return BASE + 0xA8 + 4 * i;
}

static void put(uint32_t address, uint32_t value) {
    assert_int_equal(store(BH_BRISC, address, value), BUS_OK);
}

static void deliver(unsigned core) {
    pic_deliver(&fake.tile.pic, &fake.tile.core[core]);
}

static void reading_a_software_interrupt_takes_it(void **state) {
    (void)state;
    put(sw_int(31), 0x1234);
    unsigned events = fake.events;
    assert_int_equal(loaded(BH_TRISC0, sw_int(31)), 0x1234);
    assert_int_equal(fake.events, events + 1); /* pollers of the word */
    assert_int_equal(loaded(BH_TRISC0, sw_int(31)), 0);
    assert_int_equal(fake.events, events + 1);
    put(sw_int(0), 1);
    put(sw_int(0), 0);
    assert_int_equal(loaded(BH_BRISC, sw_int(0)), 0);
}

/* Every word that can be written keeps its value, and no two are the same. */
static void words_are_where_the_page_has_them(void **state) {
    (void)state;
    for (uint32_t offset = 0; offset < 0x138; offset += 4)
        put(BASE + offset, offset + 1);
    for (uint32_t offset = 0; offset < 0x138; offset += 4) {
        bool read_only = offset == 0x08 || offset == 0x14 || (offset >= 0x98 && offset < 0xA8);
        assert_int_equal(loaded(BH_NCRISC, BASE + offset), read_only ? 0 : offset + 1);
    }
}

static void enabled_and_raised_interrupts(void **state) {
    (void)state;
    put(sw_pc(5), 0x4444);
    put(sw_int(5), 9);
    assert_false(pic_pending(&fake.tile.pic, BH_BRISC));
    deliver(BH_BRISC);
    assert_int_equal(fake.core[BH_BRISC].interrupted, 0);
    put(B_ENABLE, 1u << 5);
    assert_true(pic_pending(&fake.tile.pic, BH_BRISC));
    assert_false(pic_pending(&fake.tile.pic, BH_NCRISC));
    assert_false(pic_pending(&fake.tile.pic, BH_TRISC0));
    deliver(BH_BRISC);
    deliver(BH_NCRISC);
    assert_int_equal(fake.core[BH_BRISC].interrupted, 1);
    assert_int_equal(fake.core[BH_BRISC].pc, 0x4444);
    assert_int_equal(fake.core[BH_NCRISC].interrupted, 0);
    assert_int_equal(loaded(BH_BRISC, B_NUMBER), 5);
    /* Handlers do not nest. */
    deliver(BH_BRISC);
    assert_int_equal(fake.core[BH_BRISC].interrupted, 1);
    /* The interrupt is level-triggered: it comes again unless the handler has cleared it. */
    fake.tile.core[BH_BRISC].in_interrupt = false;
    deliver(BH_BRISC);
    assert_int_equal(fake.core[BH_BRISC].interrupted, 2);
    assert_int_equal(loaded(BH_BRISC, sw_int(5)), 9);
    fake.tile.core[BH_BRISC].in_interrupt = false;
    deliver(BH_BRISC);
    assert_int_equal(fake.core[BH_BRISC].interrupted, 2);
}

static void both_cores_may_take_one_interrupt(void **state) {
    (void)state;
    put(B_ENABLE, 1);
    put(NC_ENABLE, 1);
    put(sw_pc(0), 0x80);
    put(sw_int(0), 1);
    deliver(BH_BRISC);
    deliver(BH_NCRISC);
    assert_int_equal(fake.core[BH_BRISC].interrupted, 1);
    assert_int_equal(fake.core[BH_NCRISC].interrupted, 1);
    assert_int_equal(fake.core[BH_NCRISC].pc, 0x80);
}

static void turns_are_fair(void **state) {
    static const unsigned expected[] = { 3, 7, 31, 3, 7, 31 };
    (void)state;
    put(NC_ENABLE, 1u << 3 | 1u << 7 | 1u << 31);
    put(sw_int(3), 1);
    put(sw_int(7), 1);
    put(sw_int(31), 1);
    put(sw_int(9), 1); /* not enabled */
    for (unsigned i = 0; i < 6; i++) {
        deliver(BH_NCRISC);
        assert_int_equal(loaded(BH_NCRISC, NC_NUMBER), expected[i]);
        fake.tile.core[BH_NCRISC].in_interrupt = false;
    }
}

/* The watchdog raises an event, the overlay and the NIUs have a condition. */
static void reading_a_hardware_interrupt_takes_it(void **state) {
    struct pic *pic = &fake.tile.pic;
    (void)state;
    put(B_ENABLE + 4, 15);
    put(NC_ENABLE + 4, 15);
    for (unsigned i = 0; i < PIC_HARDWARE; i++) {
        bool event = i == PIC_WATCHDOG;
        uint32_t offset = 0x98 + 4 * i, value;
        assert_int_equal(pic_read(pic, offset, &value).result, ACCESS_DONE);
        assert_int_equal(value, 0);
        assert_true(pic_steady(pic, offset));
        pic_hardware(pic, i, true);
        assert_true(pic_pending(pic, BH_BRISC));
        assert_true(pic_pending(pic, BH_NCRISC));
        assert_int_equal(pic_steady(pic, offset), !event);
        assert_int_equal(pic_peek(pic, offset, &value).result, ACCESS_DONE);
        assert_int_equal(value, 1);
        for (unsigned core = 0; core < 2; core++) {
            assert_int_equal(pic_read(pic, offset, &value).result, ACCESS_DONE);
            assert_int_equal(value, !event || core == 0);
            assert_int_equal(pic_pending(pic, BH_NCRISC), !event);
        }
        pic_hardware(pic, i, false);
        assert_false(pic_pending(pic, BH_BRISC));
        pic_hardware(pic, i, true);
        assert_true(pic_pending(pic, BH_BRISC));
        pic_hardware(pic, i, false);
    }
}

static void a_core_that_does_not_run_is_left_alone(void **state) {
    static const enum bh_core_state states[] = { BH_CORE_IN_RESET, BH_CORE_BLOCKED, BH_CORE_PAUSED, BH_CORE_FAULTED };
    (void)state;
    put(B_ENABLE, 1);
    put(sw_int(0), 1);
    for (unsigned i = 0; i < 4; i++) {
        fake.tile.core[BH_BRISC].state = (uint8_t)states[i];
        deliver(BH_BRISC);
    }
    assert_int_equal(fake.core[BH_BRISC].interrupted, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_setup)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(reading_a_software_interrupt_takes_it),
        TEST(words_are_where_the_page_has_them),
        TEST(enabled_and_raised_interrupts),
        TEST(both_cores_may_take_one_interrupt),
        TEST(turns_are_fair),
        TEST(reading_a_hardware_interrupt_takes_it),
        TEST(a_core_that_does_not_run_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
