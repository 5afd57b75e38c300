/* src/isa/isa_api.c: the tables, only through bhemu.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bhemu.h"

static void test_rows(void **state) {
    (void)state;
    struct bh_isa_row row;
    unsigned count = 0;
    int last = -1;
    while (bh_isa_at(count, &row) == BH_OK) {
        assert_true(row.opcode > last);
        last = row.opcode;
        assert_true(row.name[0] && row.unit[0] && row.gate[0] && row.meaning[0]);
        assert_non_null(row.page);
        for (unsigned f = 0; f < row.field_count; f++)
            assert_true(row.fields[f].name[0] && row.fields[f].low + row.fields[f].width <= 24);
        count++;
    }
    assert_int_equal(count, 137);
    assert_int_equal(bh_isa_at(count, &row), BH_ERR_ARGUMENT);
    assert_int_equal(bh_isa_at(UINT32_MAX, &row), BH_ERR_ARGUMENT);
    assert_int_equal(bh_isa_at(0, NULL), BH_ERR_ARGUMENT);
}

static void test_one_row(void **state) {
    (void)state;
    struct bh_isa_row row;
    unsigned index = 0;
    do
        assert_int_equal(bh_isa_at(index++, &row), BH_OK);
    while (row.opcode != 0xA2);
    assert_string_equal(row.name, "STALLWAIT");
    assert_string_equal(row.unit, "Sync");
    assert_string_equal(row.gate, "any");
    assert_string_equal(row.page, "BH:STALLWAIT.md");
    assert_int_equal(row.field_count, 2);
    assert_string_equal(row.fields[0].name, "stall_res");
    assert_int_equal(row.fields[0].low, 15);
    assert_int_equal(row.fields[0].width, 9);
    assert_string_equal(row.fields[1].name, "wait_res");
    assert_int_equal(row.fields[1].width, 15);
    assert_int_equal(row.fields[1].used, 13);
}

static void test_config(void **state) {
    (void)state;
    struct bh_isa_config field;
    unsigned count = 0, found = 0;
    for (; bh_isa_config_at(count, &field) == BH_OK; count++) {
        if (strcmp(field.name, "PRNG_SEED_Seed_Val") != 0)
            continue;
        found++;
        assert_string_equal(field.section, "GLOBAL");
        assert_false(field.thread);
        assert_int_equal(field.word, 186);
        assert_int_equal(field.shift, 0);
        assert_int_equal(field.width, 32);
    }
    assert_int_equal(count, 820);
    assert_int_equal(found, 1);
    assert_int_equal(bh_isa_config_at(count, &field), BH_ERR_ARGUMENT);
    assert_int_equal(bh_isa_config_at(0, NULL), BH_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
