/* src/tile/pcbuf.c, and the cores' view of it. */
#include "fake.h"

#define OVERRIDE 0xFFB12090u

static uint32_t b_side(unsigned i) {
    return 0xFFE80000 + 0x10000 * i;
}

static void sixteen_words_go_to_each_trisc(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        for (uint32_t w = 0; w < 16; w++)
            assert_int_equal(store(BH_BRISC, b_side(i) + 4 * w, 100 * i + w), BUS_OK); /* any offset */
        assert_int_equal(store(BH_BRISC, b_side(i), 1), BUS_WAIT);
    }
    assert_string_equal(wait_text(fake.tile.core[BH_BRISC].waits_on), "the PCBuf to trisc2 is full");
    for (unsigned i = 0; i < 3; i++)
        for (uint32_t w = 0; w < 16; w++) {
            unsigned events = fake.events;
            assert_int_equal(loaded(BH_TRISC0 + i, 0xFFE80000), 100 * i + w);
            assert_int_equal(fake.events, events + 1); /* room for brisc */
        }
}

static void a_trisc_waits_and_its_stores_vanish(void **state) {
    uint32_t value;
    (void)state;
    assert_int_equal(store(BH_TRISC1, 0xFFE80000, 7), BUS_OK);
    assert_int_equal(load(BH_TRISC1, 0xFFE80000, &value), BUS_WAIT);
    assert_string_equal(wait_text(fake.tile.core[BH_TRISC1].waits_on), "its PCBuf is empty");
    assert_int_equal(store(BH_BRISC, b_side(1), 8), BUS_OK);
    assert_int_equal(loaded(BH_TRISC1, 0xFFE80000), 8);
}

/* B's read returns when all is read and Ti has come back for more. */
static void brisc_waits_for_a_trisc_to_come_back(void **state) {
    uint32_t value;
    (void)state;
    assert_int_equal(load(BH_BRISC, b_side(0), &value), BUS_WAIT); /* empty, but T0 does not wait */
    assert_int_equal(store(BH_BRISC, b_side(0), 1), BUS_OK);
    assert_int_equal(load(BH_BRISC, b_side(0), &value), BUS_WAIT);
    assert_int_equal(loaded(BH_TRISC0, 0xFFE80000), 1);
    assert_int_equal(load(BH_BRISC, b_side(0), &value), BUS_WAIT);
    unsigned events = fake.events;
    assert_int_equal(load(BH_TRISC0, 0xFFE80000, &value), BUS_WAIT);
    assert_int_equal(fake.events, events + 1); /* that is what brisc waits for */
    assert_int_equal(load(BH_TRISC0, 0xFFE80000, &value), BUS_WAIT);
    assert_int_equal(fake.events, events + 1); /* still waiting is no news: two that retry must not wake each other */
    assert_int_equal(loaded(BH_BRISC, b_side(0)), 0);
    assert_int_equal(load(BH_BRISC, b_side(1), &value), BUS_WAIT);                    /* T1 is another matter */
    assert_int_equal(pcbuf_wait(&fake.tile.pcbufs, 0, 0, false).result, ACCESS_WAIT); /* coprocessor busy */
    /* A new word: T0 does not wait any more. */
    assert_int_equal(store(BH_BRISC, b_side(0), 2), BUS_OK);
    assert_int_equal(load(BH_BRISC, b_side(0), &value), BUS_WAIT);
    assert_int_equal(loaded(BH_TRISC0, 0xFFE80000), 2);
    assert_int_equal(load(BH_BRISC, b_side(0), &value), BUS_WAIT);
}

static void overrides_answer_instead(void **state) {
    uint32_t value;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        /* enable without busy: Ti gets the value, B still waits */
        assert_int_equal(store(BH_BRISC, OVERRIDE, (0xA5u << 2 | 1u) << 10 * i), BUS_OK);
        assert_int_equal(loaded(BH_TRISC0 + i, 0xFFE80000), 0xA5);
        assert_int_equal(load(BH_BRISC, b_side(i), &value), BUS_WAIT);
        /* words come first */
        assert_int_equal(store(BH_BRISC, b_side(i), 77), BUS_OK);
        assert_int_equal(loaded(BH_TRISC0 + i, 0xFFE80000), 77);
        /* busy without enable means nothing, with it B goes on */
        assert_int_equal(store(BH_BRISC, OVERRIDE, 2u << 10 * i), BUS_OK);
        assert_int_equal(load(BH_BRISC, b_side(i), &value), BUS_WAIT);
        assert_int_equal(store(BH_BRISC, OVERRIDE, 3u << 10 * i), BUS_OK);
        assert_int_equal(loaded(BH_BRISC, b_side(i)), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, fake_setup)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(sixteen_words_go_to_each_trisc),
        TEST(a_trisc_waits_and_its_stores_vanish),
        TEST(brisc_waits_for_a_trisc_to_come_back),
        TEST(overrides_answer_instead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
