/* src/tile/mailbox.c, and the cores' view of it. */
#include "fake.h"

#include <string.h>

#define BASE 0xFFEC0000u

static void words_come_out_in_order(void **state) {
    uint32_t value;
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(store(BH_BRISC, BASE + 0x1000, 100 + i), BUS_OK);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(loaded(BH_TRISC0, BASE), 100 + i);
    assert_int_equal(load(BH_TRISC0, BASE, &value), BUS_WAIT);
    assert_string_equal(wait_text(fake.tile.core[BH_TRISC0].waits_on), "the mailbox from brisc is empty");
}

/* Each of the 16 pairs is a mailbox of its own, the four of a core with itself too. */
static void every_pair_has_its_own(void **state) {
    (void)state;
    for (unsigned from = 0; from < 4; from++)
        for (unsigned to = 0; to < 4; to++)
            assert_int_equal(store(from, BASE + 0x1000 * to, 16 * from + to), BUS_OK);
    for (unsigned from = 0; from < 4; from++)
        for (unsigned to = 0; to < 4; to++)
            assert_int_equal(loaded(to, BASE + 0x1000 * from), 16 * from + to);
}

static void a_writer_has_four_words_in_flight(void **state) {
    (void)state;
    for (unsigned to = 0; to < 4; to++)
        assert_int_equal(store(BH_TRISC1, BASE + 0x1000 * to, to), BUS_OK);
    unsigned events = fake.events;
    assert_int_equal(store(BH_TRISC1, BASE, 9), BUS_WAIT);
    assert_int_equal(fake.events, events);
    assert_string_equal(wait_text(fake.tile.core[BH_TRISC1].waits_on), "the mailboxes that trisc1 writes are full");
    assert_int_equal(store(BH_TRISC2, BASE, 9), BUS_OK); /* another writer is not concerned */
    /* A pop anywhere makes room, and says so. */
    events = fake.events;
    assert_int_equal(loaded(BH_TRISC2, BASE + 0x2000), BH_TRISC2);
    assert_int_equal(fake.events, events + 1);
    assert_int_equal(store(BH_TRISC1, BASE, 9), BUS_OK);
    assert_int_equal(loaded(BH_BRISC, BASE + 0x2000), 0);
    assert_int_equal(loaded(BH_BRISC, BASE + 0x2000), 9);
}

static void bit_2_asks_without_taking(void **state) {
    (void)state;
    assert_int_equal(loaded(BH_TRISC0, BASE + 4), 0);
    assert_int_equal(store(BH_BRISC, BASE + 0x1FF8, 5), BUS_OK); /* any address of the range will do */
    assert_int_equal(loaded(BH_TRISC0, BASE + 4), 1);
    assert_int_equal(loaded(BH_TRISC0, BASE + 0xFFC), 1);
    assert_int_equal(loaded(BH_TRISC0, BASE + 0xFF8), 5);
    assert_int_equal(loaded(BH_TRISC0, BASE + 4), 0);
}

static void an_emptied_mailbox_looks_unused(void **state) {
    struct mailboxes used, fresh;
    uint32_t value;
    (void)state;
    memset(&used, 0, sizeof used);
    memset(&fresh, 0, sizeof fresh);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mailbox_push(&used, 1, 2, i + 1).result, ACCESS_DONE);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mailbox_pop(&used, 1, 2, &value).result, ACCESS_DONE);
    assert_memory_equal(&used, &fresh, sizeof used);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_setup)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(words_come_out_in_order),   TEST(every_pair_has_its_own),          TEST(a_writer_has_four_words_in_flight),
        TEST(bit_2_asks_without_taking), TEST(an_emptied_mailbox_looks_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
