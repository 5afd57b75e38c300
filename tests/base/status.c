/* Texts of the public enumerations: each value has one, no two share it, and other values get a text of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu.h"

static const char *status_text(unsigned value) {
    return bh_status_text((bh_status)value);
}
static const char *fault_text(unsigned value) {
    return bh_fault_kind_text((enum bh_fault_kind)value);
}
static const char *stop_text(unsigned value) {
    return bh_stop_reason_text((enum bh_stop_reason)value);
}

static void assert_distinct(const char *(*text)(unsigned), unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        assert_true(strlen(text(i)) > 3);
        /* The value past the end has the text for strangers, which no other value may have. */
        for (unsigned j = i + 1; j <= count; j++)
            assert_string_not_equal(text(i), text(j));
    }
}

static void every_value_has_its_own_text(void **state) {
    (void)state;
    assert_distinct(status_text, BH_STATUS_COUNT);
    assert_distinct(fault_text, BH_FAULT_KIND_COUNT);
    assert_distinct(stop_text, BH_STOP_REASON_COUNT);
}

static void known_texts(void **state) {
    (void)state;
    assert_int_equal(BH_OK, 0);
    assert_string_equal(bh_status_text(BH_OK), "success");
    assert_string_equal(bh_fault_kind_text(BH_FAULT_RUNAWAY), "runaway pc");
    assert_string_equal(bh_stop_reason_text(BH_STOP_IDLE), "nothing is left to run without an outside event");
    assert_string_equal(status_text(1000), "unknown status");
}

static void version_matches_the_header(void **state) {
    char expected[32];
    (void)state;
    snprintf(expected, sizeof expected, "%d.%d.%d", BH_VERSION_MAJOR, BH_VERSION_MINOR, BH_VERSION_PATCH);
    assert_string_equal(bh_version(), expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_its_own_text),
        cmocka_unit_test(known_texts),
        cmocka_unit_test(version_matches_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
