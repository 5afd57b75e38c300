/* tools/text/expr.c: values, and what is said about wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "text/expr.h"

static bool find(const void *user, struct span name, int64_t *value) {
    (void)user;
    if (span_is(name, "ten"))
        *value = 10;
    else if (span_is(name, "most"))
        *value = INT64_MAX;
    else if (span_is(name, "least"))
        *value = INT64_MIN;
    else if (span_is(name, "a.b"))
        *value = -7;
    else
        return false;
    return true;
}

static const struct expr_scope scope = { .find = find };

static int64_t value_of(const char *text) {
    struct parse_error error;
    int64_t value;
    if (!expr_value(span_of(text), &scope, &value, &error))
        fail_msg("%s: %s", text, error.text);
    return value;
}

static void says(const char *text, const char *message) {
    struct parse_error error;
    int64_t value;
    assert_false(expr_value(span_of(text), &scope, &value, &error));
    if (!strstr(error.text, message))
        fail_msg("'%s' says '%s', not '%s'", text, error.text, message);
}

static void values(void **state) {
    (void)state;
    assert_int_equal(value_of("1 + 2 * 3 - 4"), 3);
    assert_int_equal(value_of("(1+2)*3"), 9);
    assert_int_equal(value_of("10 - 4 - 3"), 3);
    assert_int_equal(value_of("100 / 7 % 4 * 5"), 10);
    assert_int_equal(value_of("-ten + --2"), -8);
    assert_int_equal(value_of("-7 / 2"), -3);
    assert_int_equal(value_of("-7 % 2"), -1);
    assert_int_equal(value_of("a.b * 0x10"), -112);
    assert_int_equal(value_of("0b101 + 1_000"), 1005);
    assert_int_equal(value_of("\t9223372036854775807 "), INT64_MAX);
    assert_true(value_of("-most - 1") == INT64_MIN);
}

static void mistakes(void **state) {
    (void)state;
    says("", "a number is missing");
    says("1 +", "a number is missing");
    says("1 2", "unexpected character");
    says("1 & 2", "unexpected character");
    says("(1", "')' is missing");
    says("1)", "unexpected character");
    says("none", "unknown name 'none'");
    says("12x", "malformed");
    says("9223372036854775808", "malformed");
    says("1 / 0", "division by zero");
    says("1 % (ten - 10)", "division by zero");
    says("most + 1", "too large");
    says("least - 1", "too large");
    says("most * 2", "too large");
    says("least / -1", "too large");
    says("-least", "too large");
    says("((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))", "too many brackets");
    struct parse_error error;
    int64_t value;
    assert_false(expr_value((struct span){ "1\0", 2 }, &scope, &value, &error));
}

static void words(void **state) {
    (void)state;
    struct parse_error error;
    uint32_t word;
    assert_true(expr_word(span_of("-1"), &scope, &word, &error));
    assert_int_equal(word, UINT32_MAX);
    assert_true(expr_word(span_of("0xffffffff"), &scope, &word, &error));
    assert_int_equal(word, UINT32_MAX);
    assert_true(expr_word(span_of("-0x80000000"), &scope, &word, &error));
    assert_int_equal(word, 0x80000000);
    assert_false(expr_word(span_of("0x100000000"), &scope, &word, &error));
    assert_false(expr_word(span_of("-0x80000001"), &scope, &word, &error));
}

/* Values are not known yet: only the form counts. */
static void form_only(void **state) {
    (void)state;
    const struct expr_scope check = { .find = find, .only_check = true };
    struct parse_error error;
    int64_t value;
    uint32_t word;
    assert_true(expr_value(span_of("1 / (ten - ten)"), &check, &value, &error));
    assert_true(expr_value(span_of("most * most"), &check, &value, &error));
    assert_true(expr_word(span_of("most"), &check, &word, &error));
    assert_false(expr_value(span_of("1 /"), &check, &value, &error));
    assert_false(expr_value(span_of("nobody"), &check, &value, &error));
}

static void names(void **state) {
    (void)state;
    assert_true(is_name(span_of("a")));
    assert_true(is_name(span_of("_x1")));
    assert_false(is_name(span_of("")));
    assert_false(is_name(span_of("1x")));
    assert_false(is_name(span_of("a.b")));
    assert_false(is_name(span_of("a b")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),    cmocka_unit_test(mistakes), cmocka_unit_test(words),
        cmocka_unit_test(form_only), cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
