/* Tests of src/dram/dram.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dram/dram.h"

static int make(void **state) {
    struct dram *dram = malloc(sizeof *dram);
    *state = dram;
    return dram && dram_init(dram, NULL) ? 0 : -1;
}

static int unmake(void **state) {
    dram_free(*state);
    free(*state);
    return 0;
}

static void banks_are_apart(void **state) {
    struct dram *dram = *state;
    for (unsigned bank = 0; bank < DRAM_BANKS; bank++) {
        uint32_t value = 0xB0000000 + bank;
        dram_write(dram, bank, 0x2345678, &value, sizeof value);
    }
    for (unsigned bank = 0; bank < DRAM_BANKS; bank++) {
        uint32_t value = 0;
        dram_read(dram, bank, 0x2345678, &value, sizeof value);
        assert_int_equal(value, 0xB0000000 + bank);
    }
}

static void last_byte(void **state) {
    struct dram *dram = *state;
    uint8_t value = 0x5A, back = 0;
    dram_write(dram, 7, DRAM_BANK_SIZE - 1, &value, 1);
    dram_read(dram, 7, DRAM_BANK_SIZE - 1, &back, 1);
    assert_int_equal(back, 0x5A);
}

static void bounds(void **state) {
    (void)state;
    assert_true(dram_holds(0, DRAM_BANK_SIZE));
    assert_true(dram_holds(DRAM_BANK_SIZE - 4, 4));
    assert_false(dram_holds(DRAM_BANK_SIZE - 4, 5));
    assert_false(dram_holds(DRAM_BANK_SIZE, 0));
    assert_false(dram_holds(UINT64_MAX, 2));
    assert_false(dram_holds(1, SIZE_MAX));
}

struct seen {
    unsigned count;
    uint64_t address[4];
};

static void see(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size) {
    struct seen *seen = user;
    assert_int_equal(bank, 3);
    assert_int_equal(size, 65536);
    assert_non_null(bytes);
    assert_true(seen->count < 4);
    seen->address[seen->count++] = address;
}

static void only_written_chunks_are_visited(void **state) {
    struct dram *dram = *state;
    struct seen seen = { 0 };
    uint8_t bytes[4] = { 1, 2, 3, 4 };
    dram_visit(dram, see, &seen);
    assert_int_equal(seen.count, 0);
    dram_write(dram, 3, 0x1FFFE, bytes, sizeof bytes); /* across chunks 1 and 2 */
    dram_write(dram, 3, DRAM_BANK_SIZE - 1, bytes, 1);
    dram_visit(dram, see, &seen);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.address[0], 0x10000);
    assert_int_equal(seen.address[1], 0x20000);
    assert_int_equal(seen.address[2], DRAM_BANK_SIZE - 0x10000);
}

static void reset_clears(void **state) {
    struct dram *dram = *state;
    struct seen seen = { 0 };
    uint32_t value = 0x11223344;
    dram_write(dram, 3, 0x1000, &value, sizeof value);
    dram_reset(dram);
    dram_read(dram, 3, 0x1000, &value, sizeof value);
    assert_int_equal(value, 0);
    dram_visit(dram, see, &seen);
    assert_int_equal(seen.count, 0);
}

static void what_is_lent_is_known(void **state) {
    struct dram *dram = *state;
    uint64_t first = dram_lend(dram, 2, 0x1000, 64), second = dram_lend(dram, 2, 0x3000, 16);
    assert_true(first == 2 * DRAM_BANK_SIZE + 0x1000 && second == 2 * DRAM_BANK_SIZE + 0x3000);
    assert_true(dram_is_lent(dram, 2, 0x103F, 1) && dram_is_lent(dram, 2, 0xFF0, 17));
    assert_true(dram_is_lent(dram, 2, 0x300F, 100));
    assert_false(dram_is_lent(dram, 2, 0xFF0, 16) || dram_is_lent(dram, 2, 0x3010, 4));
    assert_false(dram_is_lent(dram, 1, 0x1000, 64) || dram_is_lent(dram, 3, 0x1000, 64));
    dram_give_back(dram, second);
    assert_true(dram_is_lent(dram, 2, 0x1000, 1));
    dram_give_back(dram, first);
    assert_false(dram_is_lent(dram, 2, 0, DRAM_BANK_SIZE));
    assert_true(dram_lend(dram, 2, 0, 4) == 2 * DRAM_BANK_SIZE);
    assert_true(dram_is_lent(dram, 2, 0, 1));
}

/* Those that are still to be given back have been copied too. */
static void after_copies_nothing_is_lent_for_a_while(void **state) {
    struct dram *dram = *state;
    uint64_t first = dram_lend(dram, 0, 0x100, 4), next = DRAM_NO_LOAN;
    dram_all_copied(dram, 0);
    assert_false(dram_is_lent(dram, 0, 0, DRAM_BANK_SIZE));
    assert_true(dram_lend(dram, 1, 0x100, 4) != DRAM_NO_LOAN);
    for (unsigned i = 0; i < 1000 && next == DRAM_NO_LOAN; i++)
        next = dram_lend(dram, 0, 0x200, 4);
    assert_true(next == 0x200);
    dram_give_back(dram, first);
    assert_true(dram_is_lent(dram, 0, 0x200, 1));
    dram_reset(dram);
    assert_false(dram_is_lent(dram, 0, 0, DRAM_BANK_SIZE));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(banks_are_apart, make, unmake),
        cmocka_unit_test_setup_teardown(last_byte, make, unmake),
        cmocka_unit_test(bounds),
        cmocka_unit_test_setup_teardown(only_written_chunks_are_visited, make, unmake),
        cmocka_unit_test_setup_teardown(reset_clears, make, unmake),
        cmocka_unit_test_setup_teardown(what_is_lent_is_known, make, unmake),
        cmocka_unit_test_setup_teardown(after_copies_nothing_is_lent_for_a_while, make, unmake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
