/* tools/report/suppress.c: files of suppressions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "report/suppress.h"

static const char file[] = "# known\n"
                           "\n"
                           "READ_IN_FLIGHT fetch add_*  # a reason\r\n"
                           "\t* T?_main *\n"
                           "DST  *   pack#1";

static unsigned line_for(const struct suppressions *list, enum bh_hazard_kind kind, const char *first,
                         const char *second) {
    const struct suppression *found = suppress_find(list, kind, span_of(first), span_of(second));
    return found ? found->line : 0;
}

static void lines_match_kinds_and_symbols(void **state) {
    (void)state;
    struct suppressions list;
    struct parse_error error;
    assert_true(suppress_parse(file, sizeof file - 1, &list, &error));
    assert_int_equal(list.count, 3);
    assert_int_equal(line_for(&list, BH_HAZARD_READ_IN_FLIGHT, "fetch", "add_up"), 3);
    assert_int_equal(line_for(&list, BH_HAZARD_READ_OVERWRITES, "fetch", "add_up"), 0);
    assert_int_equal(line_for(&list, BH_HAZARD_READ_IN_FLIGHT, "add_up", "fetch"), 0);
    assert_int_equal(line_for(&list, BH_HAZARD_READ_IN_FLIGHT, "fetch", ""), 0);
    assert_int_equal(line_for(&list, BH_HAZARD_GPR, "T1_main", ""), 4); /* no symbol */
    assert_int_equal(line_for(&list, BH_HAZARD_GPR, "T_main", ""), 0);
    assert_int_equal(line_for(&list, BH_HAZARD_DST, "T1_main", "pack#1"), 4); /* the first line */
    assert_int_equal(line_for(&list, BH_HAZARD_DST, "", "pack#1"), 5);
    suppress_free(&list);
    assert_int_equal(line_for(&list, BH_HAZARD_DST, "", ""), 0);
}

static void wrong_lines_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *why;
    } cases[] = {
        { "GPR a b\nGRP a b\n", 2, "unknown kind of hazards 'GRP'; did you mean 'GPR'?" },
        { "GPR a b\n\n#\nGPR a\n", 4, "a suppression is KIND SYMBOL SYMBOL, not 'GPR a'" },
        { "GPR a b c", 1, "a suppression is KIND SYMBOL SYMBOL, not 'GPR a b c'" },
        { "*", 1, "a suppression is KIND SYMBOL SYMBOL, not '*'" },
        { "G* * *", 1, "unknown kind of hazards 'G*'" },
        { "anything * *", 1, "unknown kind of hazards 'anything'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct suppressions list;
        struct parse_error error;
        assert_false(suppress_parse(cases[i].text, strlen(cases[i].text), &list, &error));
        assert_int_equal(error.line, cases[i].line);
        assert_string_equal(error.text, cases[i].why);
        assert_int_equal(list.count, 0);
        assert_null(list.item);
    }
}

static void every_kind_has_its_name(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < BH_HAZARD_KIND_COUNT; kind++) {
        char text[100];
        struct suppressions list;
        struct parse_error error;
        snprintf(text, sizeof text, "%s * *\n", bh_hazard_kind_name((enum bh_hazard_kind)kind));
        assert_true(suppress_parse(text, strlen(text), &list, &error));
        for (unsigned other = 0; other < BH_HAZARD_KIND_COUNT; other++)
            assert_int_equal(line_for(&list, (enum bh_hazard_kind)other, "a", "b"), other == kind);
        suppress_free(&list);
    }
}

static void an_empty_file_silences_nothing(void **state) {
    (void)state;
    struct suppressions list;
    struct parse_error error;
    assert_true(suppress_parse("", 0, &list, &error));
    assert_true(suppress_parse("# GPR * *\n\n", 11, &list, &error));
    assert_int_equal(line_for(&list, BH_HAZARD_GPR, "a", "b"), 0);
    suppress_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_match_kinds_and_symbols),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(every_kind_has_its_name),
        cmocka_unit_test(an_empty_file_silences_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
