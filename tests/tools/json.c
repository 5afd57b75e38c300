/* tools/text/json.c: commas, nesting and escapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "text/json.h"

static void whole_document(void **state) {
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json j;
    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_number(&j, "n", UINT64_MAX);
    json_open(&j, "empty", '[');
    json_close(&j, ']');
    json_open_line(&j, "line", '{');
    json_bool(&j, "yes", true);
    json_hex(&j, "hex", (const uint8_t[]){ 0, 0xAB }, 2);
    json_close_line(&j, '}');
    json_open(&j, "list", '[');
    json_string(&j, NULL, "a");
    json_string(&j, NULL, "b");
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
    fclose(out);
    assert_string_equal(text, "{\n"
                              "  \"n\": 18446744073709551615,\n"
                              "  \"empty\": [],\n"
                              "  \"line\": { \"yes\": true, \"hex\": \"00ab\" },\n"
                              "  \"list\": [\n"
                              "    \"a\",\n"
                              "    \"b\"\n"
                              "  ]\n"
                              "}\n");
    free(text);
}

static void check_string(const char *value, size_t length, const char *expected) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json j;
    json_init(&j, out);
    json_string_n(&j, NULL, value, length);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void strings(void **state) {
    (void)state;
    check_string("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
    check_string("\n\t\x01\x7F", 4, "\"\\n\\t\\u0001\\u007f\"");
    check_string("\0", 1, "\"\\u0000\"");
    check_string("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 9, "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"");
    /* Invalid UTF-8: a lone byte, an overlong form, a surrogate, a cut sequence, past U+10FFFF. */
    check_string("\xFF", 1, "\"\xEF\xBF\xBD\"");
    check_string("\xC0\x80", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    check_string("\xED\xA0\x80", 3, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    check_string("\xE2\x82", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    check_string("\xF4\x90\x80\x80", 4, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

/* Inside a page no tag begins in a string; arrays of numbers have no blanks. */
static void in_a_page(void **state) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json j;
    (void)state;
    json_init(&j, out);
    j.in_html = true;
    json_open_line(&j, NULL, '[');
    json_string(&j, NULL, "</script>");
    json_integers(&j, NULL, (const uint64_t[]){ 1, UINT64_MAX }, 2);
    json_integers(&j, NULL, NULL, 0);
    json_close_line(&j, ']');
    fclose(out);
    assert_string_equal(text, "[ \"\\u003c/script>\", [1,18446744073709551615], [] ]");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_document),
        cmocka_unit_test(strings),
        cmocka_unit_test(in_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
