/* src/tile/reset.c: the bit that holds each core, its first pc, and the state that it loses. */
#include "fake.h"

#define BASE       0xFFB12000u
#define SOFT_RESET (BASE + 0x1B0)

static const unsigned bit_of[BH_CORE_COUNT] = { 11, 12, 13, 14, 18 };

static void write_by_noc(uint32_t address, uint32_t value) {
    const char *why = "";
    assert_int_equal(tile_write(&fake.tile, address, &value, 4, &why), BH_OK);
}

static void power_on_holds_every_core(void **state) {
    (void)state;
    assert_int_equal(loaded(BH_BRISC, SOFT_RESET), 0x47800);
}

static void each_bit_releases_and_holds_its_core(void **state) {
    static const uint32_t default_pc[] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };
    (void)state;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        fake_setup(NULL);
        write_by_noc(SOFT_RESET, 0x47800 & ~(1u << bit_of[core]));
        for (unsigned other = 0; other < BH_CORE_COUNT; other++) {
            assert_int_equal(fake.core[other].released, other == core);
            assert_int_equal(fake.core[other].held, 0);
        }
        assert_int_equal(fake.core[core].pc, default_pc[core]);
        assert_int_equal(fake.core[core].time, 1000);
        assert_false(fake.core[core].keep_ldm);
        assert_int_equal(fake.awakes, 1);
        write_by_noc(SOFT_RESET, 0x47800);
        assert_int_equal(fake.core[core].held, 1);
        assert_int_equal(fake.core[core].released, 1);
        write_by_noc(SOFT_RESET, 0x47800); /* nothing changes */
        assert_int_equal(fake.core[core].held, 1);
    }
}

static void a_core_releases_others_at_its_own_time(void **state) {
    (void)state;
    assert_int_equal(store(BH_BRISC, SOFT_RESET, 0x47000), BUS_OK);
    assert_int_equal(store(BH_BRISC, SOFT_RESET, 0), BUS_OK);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        assert_int_equal(fake.core[core].released, 1);
    assert_int_equal(fake.core[BH_NCRISC].time, 2000);
    assert_int_equal(fake.event_time, 2000);
}

static void other_bits_are_only_stored(void **state) {
    (void)state;
    write_by_noc(SOFT_RESET, 0xFFFFFFFF);
    assert_int_equal(loaded(BH_BRISC, SOFT_RESET), 0xFFFFFFFF);
    write_by_noc(SOFT_RESET, 0x80047800);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        assert_int_equal(fake.core[core].held + fake.core[core].released, 0);
}

static void overrides_choose_the_first_pc(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        write_by_noc(BASE + 0x228 + 4 * i, 0x1000 + 0x100 * i);
    write_by_noc(BASE + 0x238, 0x2000);
    write_by_noc(BASE + 0x234, 5);
    write_by_noc(BASE + 0x23C, 0xFFFFFFFE); /* only bit 0 counts */
    write_by_noc(SOFT_RESET, 0);
    assert_int_equal(fake.core[BH_BRISC].pc, 0);
    assert_int_equal(fake.core[BH_TRISC0].pc, 0x1000);
    assert_int_equal(fake.core[BH_TRISC1].pc, 0xA000);
    assert_int_equal(fake.core[BH_TRISC2].pc, 0x1200);
    assert_int_equal(fake.core[BH_NCRISC].pc, 0x12000);
    write_by_noc(SOFT_RESET, 0x47800);
    write_by_noc(BASE + 0x23C, 1);
    write_by_noc(SOFT_RESET, 0);
    assert_int_equal(fake.core[BH_NCRISC].pc, 0x2000);
}

static void disable_reset_keeps_local_memory(void **state) {
    static const unsigned keep_bit[BH_CORE_COUNT] = { 6, 0, 2, 4, 8 };
    (void)state;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        fake_setup(NULL);
        write_by_noc(BASE + 0x224, 1u << keep_bit[core]);
        write_by_noc(SOFT_RESET, 0);
        for (unsigned other = 0; other < BH_CORE_COUNT; other++)
            assert_int_equal(fake.core[other].keep_ldm, other == core);
    }
}

static void entering_reset_empties_what_the_core_wrote(void **state) {
    (void)state;
    write_by_noc(SOFT_RESET, 0);
    assert_int_equal(store(BH_TRISC1, 0xFFEC0000, 1), BUS_OK);
    assert_int_equal(store(BH_TRISC1, 0xFFEC3000, 2), BUS_OK);
    assert_int_equal(store(BH_TRISC0, 0xFFEC0000, 3), BUS_OK);
    write_by_noc(SOFT_RESET, 1u << 13);
    assert_int_equal(loaded(BH_BRISC, 0xFFEC2004), 0);
    assert_int_equal(loaded(BH_TRISC2, 0xFFEC2004), 0);
    assert_int_equal(loaded(BH_BRISC, 0xFFEC1004), 1);
    write_by_noc(SOFT_RESET, 1u << 13 | 1u << 18); /* the NC writes none */
    assert_int_equal(loaded(BH_BRISC, 0xFFEC1000), 3);
}

static void leaving_reset_empties_the_pcbuf(void **state) {
    uint32_t value;
    (void)state;
    assert_int_equal(store(BH_BRISC, 0xFFE90000, 1), BUS_OK); /* while T1 is held */
    assert_int_equal(store(BH_BRISC, 0xFFEA0000, 2), BUS_OK);
    write_by_noc(SOFT_RESET, 0x47800 & ~(1u << 13));
    assert_int_equal(load(BH_TRISC1, 0xFFE80000, &value), BUS_WAIT);
    assert_int_equal(loaded(BH_TRISC2, 0xFFE80000), 2);
    /* T1 waits for a word; in reset it waits no more. */
    assert_int_equal(load(BH_BRISC, 0xFFE90000, &value), BUS_OK);
    write_by_noc(SOFT_RESET, 0x47800);
    assert_int_equal(load(BH_BRISC, 0xFFE90000, &value), BUS_WAIT);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_setup)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(power_on_holds_every_core),
        TEST(each_bit_releases_and_holds_its_core),
        TEST(a_core_releases_others_at_its_own_time),
        TEST(other_bits_are_only_stored),
        TEST(overrides_choose_the_first_pc),
        TEST(disable_reset_keeps_local_memory),
        TEST(entering_reset_empties_what_the_core_wrote),
        TEST(leaving_reset_empties_the_pcbuf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
