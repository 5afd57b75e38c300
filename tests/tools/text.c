/* tools/text/text.c: numbers, counts, near misses, patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "text/text.h"

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t max, value;
        bool ok;
    } cases[] = {
        { "0", 10, 0, true },
        { "10", 10, 10, true },
        { "11", 10, 0, false },
        { "0x1f", 100, 31, true },
        { "0X1F", 100, 31, true },
        { "0b101", 100, 5, true },
        { "1_000", 2000, 1000, true },
        { "0xffff_ffff", UINT32_MAX, UINT32_MAX, true },
        { "0x100000000", UINT32_MAX, 0, false },
        { "18446744073709551615", UINT64_MAX, UINT64_MAX, true },
        { "18446744073709551616", UINT64_MAX, 0, false },
        { "99999999999999999999999", UINT64_MAX, 0, false },
        { "", 10, 0, false },
        { "0x", 10, 0, false },
        { "0b", 10, 0, false },
        { "_1", 10, 0, false },
        { "1_", 10, 0, false },
        { "0x_1", 10, 0, false },
        { "-1", 10, 0, false },
        { "1 ", 10, 0, false },
        { "0b2", 10, 0, false },
        { "1g", 100, 0, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 0;
        bool ok = span_number(span_of(cases[i].text), cases[i].max, &value);
        if (ok != cases[i].ok || value != cases[i].value)
            fail_msg("%s: %d %llu", cases[i].text, ok, (unsigned long long)value);
    }
}

static void counts(void **state) {
    (void)state;
    uint64_t n = 0;
    assert_true(span_count(span_of("5M"), &n));
    assert_int_equal(n, 5000000);
    assert_true(span_count(span_of("2k"), &n));
    assert_int_equal(n, 2000);
    assert_true(span_count(span_of("3G"), &n));
    assert_int_equal(n, 3000000000u);
    assert_false(span_count(span_of("M"), &n));
    assert_false(span_count(span_of("5MM"), &n));
    assert_false(span_count(span_of("18446744073709551615k"), &n));
}

static void near_misses(void **state) {
    (void)state;
    static const char *const names[] = { "brisc", "trisc0", "max-cycles", "json", NULL };
    assert_string_equal(closest(span_of("brsic"), names), "brisc");
    assert_string_equal(closest(span_of("jsno"), names), "json");
    assert_string_equal(closest(span_of("max-cycle"), names), "max-cycles");
    assert_null(closest(span_of("unrelated"), names));
    assert_null(closest(span_of("a-word-that-is-much-longer-than-any-option"), names));
}

static void groups_of_three(void **state) {
    (void)state;
    char text[GROUPED_SIZE];
    assert_string_equal(grouped(0, text), "0");
    assert_string_equal(grouped(999, text), "999");
    assert_string_equal(grouped(1000, text), "1,000");
    assert_string_equal(grouped(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static void cuts(void **state) {
    (void)state;
    struct span s = span_of("a:b:c"), head;
    assert_true(span_cut(&s, ':', &head));
    assert_true(span_is(head, "a"));
    assert_true(span_is(s, "b:c"));
    assert_true(span_cut(&s, ':', &head));
    assert_false(span_cut(&s, ':', &head));
    assert_true(span_is(s, "c"));
}

static void patterns(void **state) {
    (void)state;
    static const struct {
        const char *text, *pattern;
        bool matches;
    } cases[] = {
        { "", "", true },
        { "", "*", true },
        { "", "?", false },
        { "a", "", false },
        { "a", "a", true },
        { "a", "b", false },
        { "ab", "a", false },
        { "a", "ab", false },
        { "abc", "a?c", true },
        { "ac", "a?c", false },
        { "abc", "*", true },
        { "abc", "a*", true },
        { "abc", "*c", true },
        { "abc", "*b", false },
        { "abc", "a*b*c", true },
        { "aXbXcb", "a*b", true },
        { "mississippi", "m*iss*pi", true },
        { "mississippi", "m*iss*ps", false },
        { "abcabcd", "*abcd", true },
        { "a", "**", true },
        { "a", "*?", true },
        { "a", "?*?", false },
        { "A", "a", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (span_matches(span_of(cases[i].text), span_of(cases[i].pattern)) != cases[i].matches)
            fail_msg("'%s' and '%s'", cases[i].text, cases[i].pattern);
}

/* A pattern whose every * could match in many ways takes no more than length times length steps. */
static void patterns_take_little_time(void **state) {
    (void)state;
    static char text[5000], pattern[1000];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[sizeof pattern - 1] = 'b';
    assert_false(span_matches((struct span){ text, sizeof text }, (struct span){ pattern, sizeof pattern }));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(counts),
        cmocka_unit_test(near_misses),
        cmocka_unit_test(groups_of_three),
        cmocka_unit_test(cuts),
        cmocka_unit_test(patterns),
        cmocka_unit_test(patterns_take_little_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
